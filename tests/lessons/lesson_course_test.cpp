// SPDX-License-Identifier: GPL-3.0-or-later
// The course that is built in: what it covers, and that both languages are complete.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "engine/lesson/lesson.h"
#include "engine/lesson/markdown.h"
#include "engine/lesson/play.h"

using namespace lanescope;
using namespace lanescope::lesson;

TEST_CASE("the built-in course loads without a problem, in order") {
    const Course course = builtInCourse();
    INFO(toString(course.problems));
    CHECK(course.problems.empty());
    REQUIRE(course.lessons.size() >= 3);
    REQUIRE(course.sections.size() >= 2);
    CHECK(course.lessons.front().id == "vector-add");
    CHECK(course.sections.front().title.english == "Foundations");
    CHECK(course.findLesson("naive-vs-coalesced") != nullptr);
    CHECK(course.findLesson("nothing") == nullptr);
    const auto list = nlohmann::json::parse(toJson(course));
    CHECK(list.at("lessons").size() == course.lessons.size());
    CHECK(list.at("lessons")[0].at("id") == "vector-add");
    CHECK_FALSE(list.at("lessons")[0].contains("holds"));
}

TEST_CASE("the course covers these rows of the curriculum") {
    const Course course = builtInCourse();
    std::set<std::string> covered;
    for (const Lesson& lesson : course.lessons)
        covered.insert(lesson.covers.begin(), lesson.covers.end());
    for (const char* row : {"Vector add and the block size", "The forgotten guard",
                            "Which way does x go", "Grid-stride loop",
                            "Warps, divergence, reconvergence", "Coalescing patterns", "Transpose",
                            "Bank conflicts", "__syncthreads", "Five reductions",
                            "Occupancy", "Hiding latency", "Waves",
                            "Amdahl, Gustafson, launch overhead",
                            "The life of a kernel", "Naive and coalesced", "Shared-memory tiling",
                            "1-D register tiling", "2-D register tiling", "Vectorised",
                            "Conflict-free, autotuned, warp tiles",
                            "Latency and double buffering"})
        CHECK(covered.contains(row));
}

TEST_CASE("every step is complete in both languages and short") {
    for (const Lesson& lesson : builtInCourse().lessons) {
        CHECK(lesson.steps.size() >= 5);
        CHECK(lesson.steps.size() <= 9);
        for (const Step& step : lesson.steps) {
            INFO(lesson.id << " " << step.id);
            for (const Language language : {Language::English, Language::Chinese}) {
                CHECK_FALSE(step.title.in(language).empty());
                CHECK(wordCount(step.text.in(language)) >= 10);
                CHECK(wordCount(step.text.in(language)) <= kMaxWords);
            }
            // A Chinese text is Chinese, an English one is not.
            CHECK(std::any_of(step.text.chinese.begin(), step.text.chinese.end(),
                              [](char c) { return (c & 0x80) != 0; }));
            CHECK(std::none_of(step.text.english.begin(), step.text.english.end(),
                               [](char c) { return (c & 0x80) != 0; }));
            CHECK_FALSE(step.expects.empty());
            CHECK(step.setup.kernel == step.run.kernel);
            if (!step.setup.runTo.empty())
                CHECK(step.setup.runToLine > 0);
        }
    }
}

TEST_CASE("a mark finds its line by comment or by regular expression") {
    const std::string_view text = "a\nsum += 1; // [inner]\nb\nb\n";
    CHECK(findLine({"x", "inner", "", {}}, text).value() == 2);
    CHECK(findLine({"x", "", "sum \\+=", {}}, text).value() == 2);
    CHECK(findLine({"x", "", "^b$", {}}, text).error().front().message.find("lines 3 and 4") !=
          std::string::npos);
    CHECK(findLine({"x", "outer", "", {}}, text).error().front().message.find("no line") !=
          std::string::npos);
    CHECK(findLine({"x", "", "(", {}}, text).error().front().message.find("no regular expression") !=
          std::string::npos);
}
