// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/csv.h"

#include <utility>

namespace lanescope {

std::vector<CsvRecord> csvRecords(std::string_view text, char separator) {
    std::vector<CsvRecord> records;
    CsvRecord record;
    std::string field;
    std::uint32_t line = 1;
    record.line = line;
    bool isQuoted = false, wasQuoted = false, isEmpty = true;
    const auto endField = [&] {
        record.fields.push_back(std::exchange(field, {}));
        wasQuoted = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        isEmpty = false;
        line += c == '\n' ? 1 : 0;
        if (isQuoted) {
            if (c != '"')
                field += c;
            else if (i + 1 < text.size() && text[i + 1] == '"')
                field += text[++i];
            else
                isQuoted = false;
        } else if (c == '"' && field.empty() && !wasQuoted) {
            isQuoted = wasQuoted = true;
        } else if (c == separator) {
            endField();
        } else if (c == '\n') {
            endField();
            records.push_back(std::exchange(record, {}));
            record.line = line;
            isEmpty = true;
        } else if (c != '\r' || (i + 1 < text.size() && text[i + 1] != '\n')) {
            field += c;
        }
    }
    if (!isEmpty) {
        record.isCut = isQuoted;
        endField();
        records.push_back(std::move(record));
    }
    return records;
}

} // namespace lanescope
