// SPDX-License-Identifier: GPL-3.0-or-later
// Plays every lesson: all its figures and answers must come out of the engine.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <set>

#include <nlohmann/json.hpp>

#include "engine/lesson/play.h"
#include "engine/lesson/probe.h"
#include "engine/session/session.h"

using namespace lanescope;
using namespace lanescope::lesson;

namespace {

compile::Environment compilers() {
    return compile::environmentFrom([](const char* name) { return std::getenv(name); });
}

/// The built-in PTX, simulated once for all tests of this program.
Workbench& bench() {
    static Workbench workbench(compilers());
    return workbench;
}

/// Whether an expression asks only for what does not depend on how a compiler schedules: memory
/// events, findings, results.
bool isIndependentOfCompiler(const std::string& expression) {
    const auto parts = parseExpression(expression);
    REQUIRE(parts);
    for (const ExpressionPart& part : *parts)
        if (part.isProbe &&
            (part.probe.kind == ProbeKind::Timing || part.probe.kind == ProbeKind::Ladder || part.probe.pointer.starts_with("/model") ||
             part.probe.pointer == "/counters/simt_efficiency" || part.probe.field == "efficiency"))
            return false;
    return true;
}

bool isBuiltByNvcc() {
    const auto kernels = session::builtInKernels();
    REQUIRE(kernels);
    return (*kernels)->front().ptx.find("NVIDIA NVVM Compiler") != std::string::npos;
}

void checkOutcomes(const PlayReport& report) {
    for (const Outcome& outcome : report.outcomes) {
        INFO(report.lesson << ", step " << outcome.step << ", " << name(outcome.kind) << ": "
                           << outcome.what << " is " << outcome.detail);
        CHECK(outcome.holds);
    }
}

const Step& stepOf(const Lesson& lesson, std::string_view id) {
    for (const Step& step : lesson.steps)
        if (step.id == id)
            return step;
    throw std::runtime_error("no such step");
}

} // namespace

TEST_CASE("every figure and answer of the course comes out of the engine") {
    const Course course = builtInCourse();
    std::vector<PlayReport> reports;
    for (const Lesson& lesson : course.lessons) {
        reports.push_back(checkLesson(lesson, bench()));
        CHECK(reports.back().outcomes.size() > 2 * lesson.steps.size());
        checkOutcomes(reports.back());
    }
    const auto json = nlohmann::json::parse(toJson(course, reports));
    if (isBuiltByNvcc()) {
        for (const auto& row : json.at("lessons"))
            CHECK(row.at("holds") == true);
        CHECK(toText(course, reports).find("FAILS") == std::string::npos);
    }
}

TEST_CASE(
    "all of it holds for clang's PTX too; memory events, findings and results are the very same") {
    bool hasClang = false;
    for (const auto& available : compile::availableCompilers(compilers()))
        hasClang = hasClang || available.compiler == compile::Compiler::Clang;
    if (!hasClang) {
        WARN("clang++ is not installed: its PTX is not compared");
        return;
    }
    Workbench clang(compilers(), compile::Compiler::Clang);
    int compared = 0;
    const Course course = builtInCourse();
    for (const Lesson& lesson : course.lessons) {
        PlayReport report = checkLesson(lesson, clang);
        // Modelled times follow from the instructions that a compiler chose: the figures of the texts are those of nvcc's.
        std::erase_if(report.outcomes, [](const Outcome& outcome) {
            return outcome.what.find("[timing") != std::string::npos || outcome.what.find("[/model") != std::string::npos || outcome.what.find("[ladder") != std::string::npos;
        });
        checkOutcomes(report);
    }
    for (const Lesson& lesson : course.lessons)
        for (const Step& step : lesson.steps)
            for (const Expect& expect : step.expects) {
                if (expect.comparison == Comparison::TextEquals ||
                    !isIndependentOfCompiler(expect.probe))
                    continue;
                INFO(lesson.id << " " << step.id << " " << expect.probe);
                const auto builtIn = bench().evaluate(expect.probe, lesson, step);
                const auto other = clang.evaluate(expect.probe, lesson, step);
                INFO((other ? std::string() : toString(other.error())));
                REQUIRE(builtIn);
                REQUIRE(other);
                CHECK(*other == Approx(*builtIn).epsilon(1e-9).margin(1e-12));
                ++compared;
            }
    CHECK(compared > 40);
}

TEST_CASE("an expectation that does not hold is reported with what came out") {
    const Course course = builtInCourse();
    Lesson lesson = *course.findLesson("vector-add");
    lesson.steps.resize(1);
    lesson.steps[0].expects[0].shows = "41";
    const PlayReport report = checkLesson(lesson, bench());
    CHECK_FALSE(report.holds());
    int failed = 0;
    for (const Outcome& outcome : report.outcomes)
        if (!outcome.holds) {
            ++failed;
            CHECK(outcome.detail.find("40") != std::string::npos);
            CHECK(outcome.detail.find("41") != std::string::npos);
        }
    CHECK(failed == 1);
    const std::vector<PlayReport> reports{report};
    CHECK(toText(course, reports).find("FAILS one-thread-one-element") != std::string::npos);
}

TEST_CASE("answers are judged by the engine") {
    const Course course = builtInCourse();
    const Lesson& add = *course.findLesson("vector-add");
    const Step& threads = stepOf(add, "one-thread-one-element");
    CHECK(checkAnswer(add, threads, -1, "240", bench()).isCorrect);
    CHECK(checkAnswer(add, threads, -1, " 240 ", bench()).value == 240);
    CHECK_FALSE(checkAnswer(add, threads, -1, "239", bench()).isCorrect);
    CHECK_FALSE(checkAnswer(add, threads, -1, "-240", bench()).isCorrect);
    for (const char* text : {"", "many", "2 4 0 x", "--3"})
        CHECK(checkAnswer(add, threads, -1, text, bench()).problems.size() == 1);

    const Step& lanes = stepOf(add, "a-block-of-100");
    const Answer four = checkAnswer(add, lanes, 0, "", bench());
    CHECK(four.isCorrect);
    CHECK(four.rightChoice == 0);
    CHECK_FALSE(checkAnswer(add, lanes, 1, "", bench()).isCorrect);
    CHECK_FALSE(checkAnswer(add, lanes, -1, "", bench()).isCorrect);
    CHECK_FALSE(checkAnswer(add, lanes, 99, "", bench()).isCorrect);

    const Lesson& coalesced = *course.findLesson("naive-vs-coalesced");
    const Step& guard = stepOf(coalesced, "the-guard-has-a-price");
    CHECK(checkAnswer(coalesced, guard, -1, "100%", bench()).isCorrect);
    CHECK(checkAnswer(coalesced, guard, -1, "100", bench()).isCorrect);
    CHECK_FALSE(checkAnswer(coalesced, guard, -1, "78", bench()).isCorrect);
    CHECK_FALSE(
        checkAnswer(coalesced, stepOf(coalesced, "two-mappings"), 0, "", bench()).problems.empty());
}

TEST_CASE("a frame that cannot be shown says why") {
    const Course course = builtInCourse();
    const Lesson& lesson = *course.findLesson("naive-vs-coalesced");
    const Step& step = stepOf(lesson, "one-column");
    Action view = step.setup;
    view.selection->block = {9, 0, 0};
    CHECK(bench().frame(step.run, view).error().front().message.find("no block (9, 0, 0)") !=
          std::string::npos);
    view.selection->block = {0, 0, 0};
    view.selection->warp = 8;
    CHECK(bench().frame(step.run, view).error().front().message.find("no warp 8") !=
          std::string::npos);
    view.selection->warp = 0;
    view.runToLine = 1;
    CHECK(bench().frame(step.run, view).error().front().message.find("never comes to line 1") !=
          std::string::npos);
    CHECK(bench()
              .evaluate("[frame share As]", lesson, step)
              .error()
              .front()
              .message.find("does not access 'As'") != std::string::npos);
    CHECK(bench()
              .evaluate("[/nothing/here]", lesson, step)
              .error()
              .front()
              .message.find("no /nothing/here") != std::string::npos);
    CHECK(bench().evaluate("[/kernel]", lesson, step).error().front().message.find("no number") !=
          std::string::npos);
    CHECK(bench()
              .evaluate("[finding race.raw /line]", lesson, step)
              .error()
              .front()
              .message.find("no such finding") != std::string::npos);
}

TEST_CASE("the numbers that are checked are those that the window shows") {
    session::SessionOptions options;
    options.environment = compilers();
    session::Session session(options);
    int compared = 0;
    for (const Lesson& lesson : builtInCourse().lessons)
        for (const Step& step : lesson.steps) {
            if (step.setup.runToLine == 0)
                continue;
            INFO(lesson.id << " " << step.id);
            session.setDevice(step.run.gpu);
            session.setForm(step.run.form);
            session.openKernel(step.run.kernel, step.run.parameters);
            session.select(step.setup.selection.value_or(session::Selection{}));
            const auto snapshot = session.runToLine(step.setup.runToLine, step.setup.runToAccess);
            REQUIRE(snapshot->run);
            const auto frame = bench().frame(step.run, step.setup);
            REQUIRE(frame);
            REQUIRE(snapshot->frame.accesses.size() == frame->accesses.size());
            // A step may stand at arithmetic or a barrier, which access nothing.
            for (std::size_t i = 0; i < frame->accesses.size(); ++i) {
                const session::AccessView& shown = snapshot->frame.accesses[i];
                const FrameAccess& checked = frame->accesses[i];
                CHECK(shown.array == checked.array);
                CHECK(shown.global.sectors == checked.sectors);
                CHECK(shown.global.lines == checked.lines);
                CHECK(shown.global.bytes == checked.bytes);
                CHECK(shown.shared.wavefronts == checked.wavefronts);
                CHECK(laneCount(shown.active) == checked.lanes);
                ++compared;
            }
        }
    CHECK(compared > 60);
}
