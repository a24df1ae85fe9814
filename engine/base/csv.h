// SPDX-License-Identifier: GPL-3.0-or-later
// Comma-separated values as RFC 4180 has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

struct CsvRecord {
    std::vector<std::string> fields;
    std::uint32_t line = 0; ///< at which it begins, from 1
    bool isCut = false;     ///< the text ends within a quote: the last field may lack a part
};

/// Quoted fields may hold separators, doubled quotes and line breaks; lines end in LF or CRLF. An empty line is a record of one empty field. A
/// quote that is not closed runs to the end of the text.
std::vector<CsvRecord> csvRecords(std::string_view text, char separator = ',');

} // namespace lanescope
