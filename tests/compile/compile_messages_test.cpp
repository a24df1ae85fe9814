// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include "engine/compile/messages.h"

using namespace lanescope;
using lanescope::compile::parseMessages;

TEST_CASE("nvcc and NVRTC: every error with line and column") {
    const std::string source = "__global__ void f(int*a){ a[0]=b;\n c=1;\n}\n";
    const Diagnostics found = parseMessages("k.cu(1): error: identifier \"b\" is undefined\n"
                                            "  __attribute__((global)) void f(int*a){ a[0]=b;\n"
                                            "                                              ^\n"
                                            "\n"
                                            "k.cu(2): error #20: identifier \"c\" is undefined\n"
                                            "   c=1;\n"
                                            "   ^\n"
                                            "\n"
                                            "k.cu(2): warning #177-D: variable \"q\" was declared\n"
                                            "2 errors detected in the compilation of \"k.cu\".\n",
                                            source);
    REQUIRE(found.size() == 3);
    CHECK(found[0].where ==
          SourceRange{"k.cu", 1, 32}); // the real column, not that of the expanded line
    CHECK(found[0].message == "identifier \"b\" is undefined");
    CHECK(found[0].code == "compile");
    CHECK(found[1].where == SourceRange{"k.cu", 2, 2});
    CHECK(found[1].severity == Severity::Error);
    CHECK(found[2].severity == Severity::Warning);
    CHECK(found[2].message == "variable \"q\" was declared");
}

TEST_CASE("clang and gcc: file, line, column, message") {
    const Diagnostics found =
        parseMessages("In file included from a.cu:3:\n"
                      "dir with space/a(1).cu:12:5: error: use of undeclared identifier 'x'\n"
                      "a.cu:4:2: warning: hi [-Wcpp]\n"
                      "a.cu:5:34: note: 'f' declared here\n"
                      "a.cu:9: fatal error: no file\n"
                      "1 error generated when compiling for sm_86.\n");
    REQUIRE(found.size() == 4);
    CHECK(found[0].where == SourceRange{"dir with space/a(1).cu", 12, 5});
    CHECK(found[0].message == "use of undeclared identifier 'x'");
    CHECK(found[1].severity == Severity::Warning);
    CHECK(found[2].severity == Severity::Note);
    CHECK(found[3].where == SourceRange{"a.cu", 9, 0});
    CHECK(found[3].severity == Severity::Error);
}

TEST_CASE("messages without a place, and text that is none") {
    const Diagnostics found =
        parseMessages("clang: error: unsupported CUDA gpu architecture: sm_10\n"
                      "nvcc fatal   : Unsupported gpu architecture 'compute_10'\n"
                      "At end of source: error: expected a \"}\"\n");
    REQUIRE(found.size() == 3);
    CHECK(found[0].message == "unsupported CUDA gpu architecture: sm_10");
    CHECK(found[1].message == "Unsupported gpu architecture 'compute_10'");
    CHECK(found[2].message == "expected a \"}\"");
    for (const char* junk : {"", "\n\n", ":::", "((((", "a(1)", "a(99999999999999): error: x",
                             "a:1", "^", "  ^\n", "errors: many", "a(: error: x"})
        CHECK(parseMessages(junk).empty());
}
