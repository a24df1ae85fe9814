// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged files: parse must return a Result, quickly, and what it accepts must print and analyse.
#include <catch2/catch.hpp>

#include <filesystem>
#include <random>

#include "engine/base/file.h"
#include "engine/ptx/control_flow.h"
#include "engine/ptx/instruction_set.h"
#include "tests/ptx/ptx_support.h"

using namespace lanescope;
using namespace lanescope::ptx;

namespace {

constexpr std::string_view kPieces[] = {"{",
                                        "}",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        ";",
                                        ",",
                                        "<",
                                        ">",
                                        "|",
                                        "!",
                                        "-",
                                        "+",
                                        "@",
                                        "%",
                                        ":",
                                        "::",
                                        ".",
                                        "\"",
                                        "/*",
                                        "//",
                                        "0x",
                                        "0f",
                                        "0d",
                                        "99999999999999999999",
                                        "-1",
                                        "1e999",
                                        ".reg .b32 %z<999999>;",
                                        ".global .b8 z[99999999999];",
                                        ".global .u32 w[][4] = {{1},{2,3}};",
                                        "bra",
                                        "call",
                                        "ret;",
                                        "_",
                                        "%r1",
                                        "%p1",
                                        ".v4",
                                        ".f32",
                                        ".param",
                                        ".entry",
                                        ".func",
                                        ".branchtargets",
                                        ".loc 1 2 3, function_name x, inlined_at 1 2 3",
                                        "((((((((((",
                                        "{{{{{{{{{{",
                                        "~~~~~~",
                                        "\x80"};

void mutate(std::string& text, std::mt19937& random) {
    const auto pick = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
    const std::size_t at = pick(text.size());
    switch (random() % 6) {
    case 0:
        text[at] = static_cast<char>(random());
        break;
    case 1:
        text.erase(at, 1 + pick(40));
        break;
    case 2:
        text.insert(at, kPieces[pick(std::size(kPieces))]);
        break;
    case 3:
        text.insert(at, text.substr(pick(text.size()), pick(60)));
        break;
    case 4:
        text.resize(at + 1);
        break;
    default:
        text[at] = text[pick(text.size())];
        break;
    }
}

/// `before`, then c 100,000 times, then `after`.
std::string repeated(std::string_view before, char c, std::string_view after) {
    std::string text(before);
    text.append(100000, c);
    text.append(after);
    return text;
}

} // namespace

TEST_CASE("mutated files give a Result") {
    std::vector<std::string> seeds;
    for (const auto& entry : std::filesystem::directory_iterator(LANESCOPE_TEST_DATA "/ptx"))
        if (entry.path().extension() == ".ptx")
            seeds.push_back(*readFile(entry.path()));
    REQUIRE_FALSE(seeds.empty());
    std::mt19937 random(2024);
    int accepted = 0, rejected = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string text = seeds[random() % seeds.size()];
        if (text.size() > 12000) { // a window keeps the test short
            const std::size_t begin = random() % 4 == 0 ? random() % (text.size() - 12000) : 0;
            text = text.substr(begin, 12000);
        }
        for (unsigned n = 1 + random() % 6; n > 0 && !text.empty(); --n)
            mutate(text, random);
        const auto module = parse(text);
        if (!module) {
            ++rejected;
            REQUIRE_FALSE(module.error().empty());
            REQUIRE(module.error().size() <= 50);
            continue;
        }
        ++accepted;
        for (const Function& function : module->functions)
            analyseControlFlow(function);
        REQUIRE(parse(print(*module)).has_value());
    }
    CHECK(accepted > 20);
    CHECK(rejected > 1000);
}

TEST_CASE("deep nesting and huge numbers end in a diagnostic") {
    const std::string many(200000, '{');
    CHECK_FALSE(parse(test::moduleWith(many)).has_value());
    CHECK_FALSE(parse(test::moduleWith(repeated("mov.u32 %r1, ", '(', "1;"))).has_value());
    CHECK_FALSE(parse(test::moduleWith(repeated("mov.u32 %r1, ", '-', "1;"))).has_value());
    CHECK_FALSE(parse(test::moduleWith("", repeated(".global .u32 z[] = ", '{', ";"))).has_value());
    CHECK_FALSE(parse(test::moduleWith(".reg .b32 %z<4000000000>;")).has_value());
    CHECK_FALSE(parse(test::moduleWith("", ".global .b8 z[99999999999999];")).has_value());
    CHECK_FALSE(
        parse(test::moduleWith("", ".global .b8 z[8][1000000000] = {{1},{1},{1}};")).has_value());
    CHECK_FALSE(parse("").has_value());
    CHECK_FALSE(parse(std::string(1000, '\0')).has_value());
}
