// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include <catch2/catch.hpp>

#include "engine/base/symbol.h"

using namespace lanescope;

namespace {

struct Row {
    std::string symbol, full, source;
};

} // namespace

TEST_CASE("names are those of the source text") {
    const Row rows[] = {
        {"add", "add", "add"},
        {"", "", ""},
        {"_Z1fPf", "f(float*)", "f"},
        {"_Z1fILi32EEvPKf", "void f<32>(float const*)", "f"},
        {"_Z6kernelIfLi8ELb1EEvPT_i", "void kernel<float, 8, true>(float*, int)", "kernel"},
        {"_ZN2ns5inner4workEi", "ns::inner::work(int)", "work"},
        {"_ZN2ns5inner4workIdEEvT_", "void ns::inner::work<double>(double)", "work"},
        {"_ZZ1fvE2As", "f()::As", "As"},
        {"_Znonsense", "_Znonsense", "_Znonsense"},
        {"_Z", "_Z", "_Z"},
    };
    for (const Row& row : rows) {
        INFO(row.symbol);
        CHECK(demangled(row.symbol) == row.full);
        CHECK(sourceName(row.symbol) == row.source);
    }
}

TEST_CASE("symbols that are not C++ stay as they are") {
    for (const std::string symbol : {"$L__BB0_1", "%r1", "a.b", "Z1f", "_z1f", "naïve"}) {
        INFO(symbol);
        CHECK(demangled(symbol) == symbol);
        CHECK(sourceName(symbol) == symbol);
    }
}
