// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include "engine/base/diagnostic.h"

using namespace lanescope;

TEST_CASE("a diagnostic is printed with the parts that are known") {
    Diagnostic d;
    d.message = "the brace is not closed";
    CHECK(toString(d) == "the brace is not closed");
    d.where.line = 7;
    CHECK(toString(d) == "line 7: the brace is not closed");
    d.where.file = "a.ptx";
    CHECK(toString(d) == "a.ptx:7: the brace is not closed");
    d.where.column = 3;
    d.hint = "close it";
    CHECK(toString(d) == "a.ptx:7:3: the brace is not closed (close it)");
    d.where.line = 0; // a column means nothing without its line
    CHECK(toString(d) == "a.ptx: the brace is not closed (close it)");
}

TEST_CASE("severities below an error are named") {
    Diagnostic d;
    d.message = "unused";
    d.severity = Severity::Warning;
    CHECK(toString(d) == "warning: unused");
    d.severity = Severity::Note;
    CHECK(toString(d) == "note: unused");
}

TEST_CASE("several diagnostics are a line each") {
    CHECK(toString(Diagnostics{}).empty());
    Diagnostic a, b;
    a.message = "one";
    b.message = "two";
    CHECK(toString(Diagnostics{a, b}) == "one\ntwo");
}

TEST_CASE("failure makes an error result of one diagnostic") {
    const Result<int> r = failure("file", "no such file", {"x", 1, 2}, "check the path");
    REQUIRE_FALSE(r);
    REQUIRE(r.error().size() == 1);
    CHECK(r.error()[0] ==
          Diagnostic{Severity::Error, "file", "no such file", {"x", 1, 2}, "check the path"});
}
