// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons with mistakes: each is left out with a message that names file, field and what to do.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "engine/lesson/lesson.h"
#include "engine/session/simulate.h"

using namespace lanescope;
using namespace lanescope::lesson;
using nlohmann::json;

namespace {

using Files = std::map<std::string, std::string>;

/// A small lesson without a mistake.
json goodLesson() {
    return json::parse(R"({
      "id": "small", "number": "7.1", "title": {"en": "Small", "zh": "小"}, "minutes": 3,
      "kernel": "vector_add", "parameters": {"n": 100}, "gpu": "h100",
      "lines": {"add": {"regex": "c\\[i\\] = a"}},
      "runs": {"big": {"kernel": "vector_add", "parameters": {"n": 4096}}},
      "steps": [{
        "id": "only", "title": {"en": "Only", "zh": "唯一"},
        "view": {"block": [0], "warp": 1, "runTo": "add", "pane": "map"},
        "tryIt": {"text": {"en": "Go.", "zh": "走。"}, "button": {"en": "Go", "zh": "走"}, "action": {"runTo": "add"}},
        "quiz": {"question": {"en": "How many?", "zh": "多少？"}, "choices": [{"value": 1}, {"value": 4}],
                 "answer": "[frame sectors a]", "explanation": {"en": "So.", "zh": "如此。"}},
        "expect": [{"probe": "[/counters/blocks @big]", "shows": "16", "why": "4096 / 256"}],
        "given": ["7"]
      }]
    })");
}

Files goodFiles() {
    return {{"late/section.json", R"({"number": 7, "title": {"en": "Late", "zh": "晚"}})"},
            {"late/small/lesson.json", goodLesson().dump()},
            {"late/small/text.en.md", "## only\nThere are 16 blocks and 7 days.\n"},
            {"late/small/text.zh.md", "## only\n有 16 个块，7 天。\n"}};
}

Course load(const Files& files) {
    std::vector<EmbeddedFile> embedded;
    for (const auto& [name, bytes] : files)
        embedded.push_back({name, bytes});
    const auto kernels = session::builtInKernels();
    REQUIRE(kernels);
    return readCourse(embedded, **kernels);
}

struct Mistake {
    const char* name;
    std::function<void(Files&)> make;
    std::vector<std::string> says; ///< all of these stand in one problem
};

/// A mistake in lesson.json.
Mistake inJson(const char* name, const std::function<void(json&)>& change,
               std::vector<std::string> says) {
    says.push_back("late/small/lesson.json");
    return {name,
            [change](Files& files) {
                json lesson = json::parse(files["late/small/lesson.json"]);
                change(lesson);
                files["late/small/lesson.json"] = lesson.dump();
            },
            std::move(says)};
}

std::vector<Mistake> mistakes() {
    const auto step = [](json& l) -> json& { return l["steps"][0]; };
    return {
        inJson("unknown kernel", [](json& l) { l["kernel"] = "vector_ad"; },
               {"kernel", "vector_ad", "did you mean 'vector_add'"}),
        inJson("no kernel", [](json& l) { l.erase("kernel"); },
               {"kernel", "missing", "lanescope kernels"}),
        inJson("unknown parameter", [](json& l) { l["parameters"]["m"] = 3; }, {"parameters", "m"}),
        inJson("parameter out of range", [](json& l) { l["parameters"]["BLOCK"] = 2048; },
               {"parameters", "BLOCK"}),
        inJson("parameter of the wrong type", [](json& l) { l["parameters"]["n"] = "many"; },
               {"parameters.n", "whole number"}),
        inJson("unknown GPU", [](json& l) { l["gpu"] = "gtx"; }, {"gpu", "gtx"}),
        inJson("unknown form", [](json& l) { l["as"] = "assembled"; },
               {"as", "'assembled'", "written or compiled"}),
        inJson("unknown form of a step", [&](json& l) { step(l)["as"] = 3; }, {"steps[0].as"}),
        inJson("unknown schedule", [](json& l) { l["runs"]["big"]["schedule"] = "zigzag"; },
               {"runs.big.schedule", "'zigzag'", "reverse"}),
        inJson("a schedule of a step", [&](json& l) { step(l)["schedule"] = "reverse"; },
               {"schedule", "unknown field"}),
        inJson("unknown field", [](json& l) { l["stepz"] = 1; },
               {"stepz", "unknown field", "steps"}),
        inJson("no steps", [](json& l) { l["steps"] = json::array(); }, {"steps", "at least one"}),
        inJson("steps that are no list", [](json& l) { l["steps"] = 5; },
               {"steps", "must be a list"}),
        inJson("a step that is no object", [](json& l) { l["steps"].push_back(5); },
               {"steps[1]", "must be an object"}),
        inJson("folder and id differ", [](json& l) { l["id"] = "other"; },
               {"id", "'other'", "'small'"}),
        inJson("no Chinese title", [](json& l) { l["title"].erase("zh"); },
               {"title.zh", "missing"}),
        inJson("a title that is a text", [](json& l) { l["title"] = "Small"; },
               {"title", "must be an object"}),
        inJson("a number that is none", [](json& l) { l["number"] = "two"; },
               {"number", "two", "2.2"}),
        inJson("a number of another section", [](json& l) { l["number"] = "3.1"; },
               {"number", "section 7"}),
        inJson("minutes out of range", [](json& l) { l["minutes"] = -1; }, {"minutes", "from 1"}),
        inJson("two steps of one name", [](json& l) { l["steps"].push_back(l["steps"][0]); },
               {"steps[1].id", "two steps 'only'"}),
        inJson("unknown probe", [&](json& l) { step(l)["expect"][0]["probe"] = "[sectors]"; },
               {"expect[0].probe", "no probe [sectors]", "[frame FIELD"}),
        inJson("unknown field of a frame",
               [&](json& l) { step(l)["quiz"]["answer"] = "[frame cost]"; },
               {"quiz.answer", "'cost'", "wavefronts"}),
        inJson("unknown class of instructions",
               [&](json& l) { step(l)["expect"][0]["probe"] = "[line add float33]"; },
               {"'float33'", "divergent_branches", "float32"}),
        inJson("unknown kind of finding",
               [&](json& l) { step(l)["expect"][0]["probe"] = "[findings race]"; },
               {"'race'", "race.raw"}),
        inJson("open bracket",
               [&](json& l) { step(l)["expect"][0]["probe"] = "[/counters/blocks"; },
               {"expect[0].probe", "without its ']'"}),
        inJson("closing bracket",
               [&](json& l) { step(l)["expect"][0]["probe"] = "1] + [/counters/blocks]"; },
               {"without its '['"}),
        inJson("unknown name",
               [&](json& l) { step(l)["expect"][0]["probe"] = "[/counters/blocks] + q"; },
               {"expect[0].probe", "unknown name 'q'"}),
        inJson("broken arithmetic",
               [&](json& l) { step(l)["expect"][0]["probe"] = "[/counters/blocks] +"; },
               {"expect[0].probe"}),
        inJson("unknown run",
               [&](json& l) { step(l)["expect"][0]["probe"] = "[/counters/blocks @huge]"; },
               {"no run 'huge'", "runs"}),
        inJson("unknown line in a probe",
               [&](json& l) { step(l)["expect"][0]["probe"] = "[line sub sectors]"; },
               {"no line 'sub'"}),
        inJson("unknown line in a view", [&](json& l) { step(l)["view"]["runTo"] = "sub"; },
               {"steps[0].view.runTo", "no line 'sub'"}),
        inJson("a line that stands nowhere", [](json& l) { l["lines"]["add"]["regex"] = "c -= a"; },
               {"runTo", "stands in no line"}),
        inJson("a broken regular expression", [](json& l) { l["lines"]["add"]["regex"] = "c[("; },
               {"runTo", "no regular expression"}),
        inJson("a line without a mark", [](json& l) { l["lines"]["add"] = json::object(); },
               {"lines.add", "marker"}),
        inJson("a typed answer", [&](json& l) { step(l)["quiz"]["answer"] = "4"; },
               {"quiz.answer", "no probe", "computes the answer"}),
        inJson("no answer", [&](json& l) { step(l)["quiz"].erase("answer"); },
               {"quiz.answer", "missing"}),
        inJson("one choice",
               [&](json& l) {
                   step(l)["quiz"]["choices"] = json::array({{{"value", 4}}});
               },
               {"quiz.choices", "two"}),
        inJson("a choice without a value",
               [&](json& l) { step(l)["quiz"]["choices"][0] = json::object(); },
               {"quiz.choices[0]", "\"value\" or \"when\""}),
        inJson("nothing to compare with", [&](json& l) { step(l)["expect"][0].erase("shows"); },
               {"expect[0]", "nothing to compare"}),
        inJson("two comparisons",
               [&](json& l) {
                   step(l)["expect"][0]["equals"] = 16;
                   step(l)["expect"][0]["atLeast"] = 1;
               },
               {"expect[0]", "more than one"}),
        inJson("approx without tolerance", [&](json& l) { step(l)["expect"][0]["approx"] = 16; },
               {"expect[0].tolerance"}),
        inJson("a figure that no text shows",
               [&](json& l) { step(l)["expect"][0]["shows"] = "17"; }, {"does not show 17"}),
        inJson("a figure that nothing checks", [&](json& l) { step(l)["given"] = json::array(); },
               {"nothing checks the figure 7", "given"}),
        inJson("an action that does nothing",
               [&](json& l) { step(l)["tryIt"]["action"] = json::object(); },
               {"tryIt.action", "does nothing"}),
        inJson("an edit of text that is not there",
               [&](json& l) {
                   step(l)["tryIt"]["action"] = {{"replace", {{"text", "while"}, {"with", "if"}}}};
               },
               {"tryIt.action.replace.text", "while"}),
        inJson("a lane beyond the warp", [&](json& l) { step(l)["view"]["lane"] = 32; },
               {"view.lane", "0 to 31"}),
        inJson("a block that is none", [&](json& l) { step(l)["view"]["block"] = "first"; },
               {"view.block", "[3, 0]"}),
        {"no JSON",
         [](Files& f) { f["late/small/lesson.json"] = "{\n\"id\": \"small\",\n}"; },
         {"late/small/lesson.json:3", "not JSON"}},
        {"an empty file",
         [](Files& f) { f["late/small/lesson.json"].clear(); },
         {"late/small/lesson.json", "not JSON"}},
        {"a list instead of an object",
         [](Files& f) { f["late/small/lesson.json"] = "[]"; },
         {"late/small/lesson.json", "must be an object"}},
        {"no Chinese text",
         [](Files& f) { f.erase("late/small/text.zh.md"); },
         {"late/small/text.zh.md", "no Chinese text"}},
        {"no section of the text",
         [](Files& f) { f["late/small/text.en.md"] = "## other\nText.\n"; },
         {"late/small/text.en.md", "no text for step 'only'", "## only"}},
        {"a section without a step",
         [](Files& f) { f["late/small/text.en.md"] += "## more\nText.\n"; },
         {"late/small/text.en.md:3", "no step 'more'"}},
        {"an empty section",
         [](Files& f) { f["late/small/text.zh.md"] = "## only\n\n"; },
         {"late/small/text.zh.md:1", "empty"}},
        {"a text that is too long",
         [](Files& f) {
             for (int i = 0; i < 60; ++i)
                 f["late/small/text.en.md"] += "word ";
         },
         {"text.en.md:1", "67 words", "60"}},
        {"no section title",
         [](Files& f) { f.erase("late/section.json"); },
         {"late/section.json", "no title"}},
        {"a section without a number",
         [](Files& f) { f["late/section.json"] = R"({"title": {"en": "L", "zh": "晚"}})"; },
         {"late/section.json", "number"}},
        {"a lesson outside a section",
         [](Files& f) { f["lone/lesson.json"] = "{}"; },
         {"lone/lesson.json", "section"}},
    };
}

} // namespace

TEST_CASE("a lesson without a mistake loads") {
    const Course course = load(goodFiles());
    INFO(toString(course.problems));
    REQUIRE(course.problems.empty());
    REQUIRE(course.lessons.size() == 1);
    const Step& step = course.lessons[0].steps.at(0);
    CHECK(step.text.english == "There are 16 blocks and 7 days.");
    CHECK(step.setup.runToLine > 0);
    CHECK(step.quiz->choices[1].text.chinese == "4");
}

TEST_CASE("each mistake gives a message that names file, field and what to do") {
    for (const Mistake& mistake : mistakes()) {
        Files files = goodFiles();
        mistake.make(files);
        const Course course = load(files);
        INFO(mistake.name << ":\n" << toString(course.problems));
        const bool isNamed = std::any_of(
            course.problems.begin(), course.problems.end(), [&](const Diagnostic& problem) {
                const std::string text = toString(problem);
                return std::all_of(
                    mistake.says.begin(), mistake.says.end(),
                    [&](const std::string& part) { return text.find(part) != std::string::npos; });
            });
        CHECK(isNamed);
    }
}

TEST_CASE("a lesson with a mistake does not take the others with it") {
    Files files = goodFiles();
    json other = goodLesson();
    other["id"] = "twin";
    other["number"] = "7.2";
    other["kernel"] = "nothing";
    files["late/twin/lesson.json"] = other.dump();
    files["late/twin/text.en.md"] = files["late/small/text.en.md"];
    files["late/twin/text.zh.md"] = files["late/small/text.zh.md"];
    const Course course = load(files);
    CHECK(course.lessons.size() == 1);
    CHECK_FALSE(course.problems.empty());
    std::vector<EmbeddedFile> embedded;
    for (const auto& [name, bytes] : files)
        embedded.push_back({name, bytes});
    CHECK_FALSE(loadCourse(embedded, **session::builtInKernels()));
}

TEST_CASE("every cut of a lesson file is a message, never a crash") {
    const std::string whole = goodLesson().dump();
    for (std::size_t length = 0; length < whole.size(); length += 7) {
        Files files = goodFiles();
        files["late/small/lesson.json"] = whole.substr(0, length);
        CHECK_FALSE(load(files).problems.empty());
    }
}

TEST_CASE("any value in place of any field is a message, never a crash") {
    const json whole = goodLesson();
    const json flat = whole.flatten();
    for (const auto& item : flat.items())
        for (const json& value : {json(nullptr), json(-1), json(1e300), json("\xff"),
                                  json::array({1, 2}), json::object({{"x", 1}})}) {
            json changed = whole;
            changed[json::json_pointer(item.key())] = value;
            Files files = goodFiles();
            files["late/small/lesson.json"] =
                changed.dump(-1, ' ', false, json::error_handler_t::ignore);
            const Course course = load(files);
            CHECK(course.lessons.size() + course.problems.size() > 0);
        }
}

TEST_CASE("a folder is read like the built-in course; what cannot be read is said") {
    namespace fs = std::filesystem;
    const fs::path folder =
        fs::temp_directory_path() / ("lanescope-lessons-" + std::to_string(::getpid()));
    fs::remove_all(folder);
    const auto kernels = session::builtInKernels();
    REQUIRE(kernels);
    CHECK(readCourseFolder(folder, **kernels).error().front().code == "file");
    for (const auto& [name, bytes] : goodFiles()) {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name, std::ios::binary) << bytes;
    }
    const auto good = readCourseFolder(folder, **kernels);
    REQUIRE(good);
    CHECK(good->problems.empty());
    CHECK(good->lessons.size() == 1);
    // A link to nowhere stands for a file that cannot be read, whoever runs the test.
    fs::remove(folder / "late/small/text.en.md");
    fs::create_symlink(folder / "nowhere", folder / "late/small/text.en.md");
    const auto bad = readCourseFolder(folder, **kernels);
    REQUIRE(bad);
    CHECK(bad->lessons.empty());
    CHECK(toString(bad->problems).find("text.en.md") != std::string::npos);
    fs::remove_all(folder);
}
