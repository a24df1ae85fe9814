// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include "engine/base/csv.h"

using namespace lanescope;

namespace {

using Fields = std::vector<std::vector<std::string>>;

Fields fieldsOf(std::string_view text, char separator = ',') {
    Fields out;
    for (const CsvRecord& record : csvRecords(text, separator))
        out.push_back(record.fields);
    return out;
}

} // namespace

TEST_CASE("CSV is read as RFC 4180 has it") {
    CHECK(fieldsOf("").empty());
    CHECK(fieldsOf("a,b\nc,d\n") == Fields{{"a", "b"}, {"c", "d"}});
    CHECK(fieldsOf("a,b\r\nc,d") == Fields{{"a", "b"}, {"c", "d"}});
    CHECK(fieldsOf("a,,\n,\n") == Fields{{"a", "", ""}, {"", ""}});
    CHECK(fieldsOf("a\n\nb\n") == Fields{{"a"}, {""}, {"b"}});
    CHECK(fieldsOf("\"a,b\",\"say \"\"x\"\"\",\"two\r\nlines\"\nlast") == Fields{{"a,b", "say \"x\"", "two\r\nlines"}, {"last"}});
    CHECK(fieldsOf("a 5\" disk,\"\"\n") == Fields{{"a 5\" disk", ""}}); // a quote within a field is one
    CHECK(fieldsOf("1,5;2,5", ';') == Fields{{"1,5", "2,5"}});
    CHECK(fieldsOf("\"never closed,\nto the end") == Fields{{"never closed,\nto the end"}});
    CHECK(csvRecords("x\n\"never")[1].isCut);
    CHECK_FALSE(csvRecords("x\n\"closed\"")[1].isCut);
    CHECK(fieldsOf("a\rb,c\r") == Fields{{"a\rb", "c"}});
}

TEST_CASE("each CSV record knows its line") {
    const std::vector<CsvRecord> records = csvRecords("head\n\"two\nlines\"\nnext\n");
    REQUIRE(records.size() == 3);
    CHECK(records[0].line == 1);
    CHECK(records[1].line == 2);
    CHECK(records[2].line == 4);
}
