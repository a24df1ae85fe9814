// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include "engine/lesson/markdown.h"

using namespace lanescope::lesson;

TEST_CASE("a text falls into the sections of its second-level headings") {
    const auto sections = sectionsOf("# Title\nleft out\n\n## one\n\nFirst.\nMore.\n\n## two words "
                                     "\n```\n## no heading\n```\n## empty\n");
    REQUIRE(sections.size() == 3);
    CHECK(sections[0].id == "one");
    CHECK(sections[0].body == "First.\nMore.");
    CHECK(sections[0].line == 4);
    CHECK(sections[1].id == "two words");
    CHECK(sections[1].body == "```\n## no heading\n```");
    CHECK(sections[2].body.empty());
    CHECK(sectionsOf("").empty());
}

TEST_CASE("words are counted in both scripts") {
    CHECK(wordCount("") == 0);
    CHECK(wordCount("One **two**, three-four - 5%.") == 4);
    CHECK(wordCount("一二三四") == 2);
    CHECK(wordCount("一二三") == 2);
    CHECK(wordCount("每个 warp 有 32 个 lane。") == 5); // 4 characters, 3 words
    CHECK(wordCount("warp，lane") == 2);
}

TEST_CASE("figures are numbers, not parts of names or code") {
    CHECK(figuresOf("threads 232-255 of 1,000, 86% or 4.8.") ==
          std::vector<std::string>{"232", "255", "1,000", "86%", "4.8"});
    CHECK(figuresOf("k01 and A6000, x2, 3x, H200 `x = 77` ```\n88\n```").empty());
    CHECK(figuresOf("线程 4，块 (3, 0)：12.5%。") ==
          std::vector<std::string>{"4", "3", "0", "12.5%"});
    CHECK(figuresOf("33 字节33") == std::vector<std::string>{"33", "33"});
}

TEST_CASE("a figure has a value and the half of its last digit") {
    Figure figure;
    REQUIRE(parseFigure("1,056", figure));
    CHECK(figure.value == 1056);
    CHECK(figure.halfUnit == 0.5);
    REQUIRE(parseFigure("12.5%", figure));
    CHECK(figure.value == Approx(0.125));
    CHECK(figure.halfUnit == Approx(0.0005));
    for (const char* text : {"", "%", "x", "1.2.3", ".", "-3", "+3", "1e3"})
        CHECK_FALSE(parseFigure(text, figure));
}
