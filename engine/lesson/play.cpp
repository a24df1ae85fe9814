// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/lesson/play.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/lesson/markdown.h"

namespace lanescope::lesson {
namespace {

using Json = nlohmann::ordered_json;

bool isNear(double a, double b, double tolerance) {
    return std::fabs(a - b) <= tolerance + 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

Outcome outcome(const Step& step, OutcomeKind kind, std::string what) {
    return {step.id, kind, false, std::move(what), {}};
}

Outcome playExpect(const Expect& expect, const Lesson& lesson, const Step& step, Workbench& bench) {
    Outcome result = outcome(step, OutcomeKind::Expect, expect.probe);
    if (expect.comparison == Comparison::TextEquals) {
        const Result<std::string> text = bench.evaluateText(expect.probe, lesson, step);
        result.holds = text && *text == expect.text;
        result.detail =
            text ? fmt::format("'{}', expected '{}'", *text, expect.text) : toString(text.error());
        return result;
    }
    const Result<double> value = bench.evaluate(expect.probe, lesson, step);
    if (!value) {
        result.detail = toString(value.error());
        return result;
    }
    result.holds = true;
    result.detail = fmt::format("{:.6g}", *value);
    switch (expect.comparison) {
    case Comparison::Equals:
        result.holds = isNear(*value, expect.value, 0);
        result.detail += fmt::format(", expected {:.6g}", expect.value);
        break;
    case Comparison::Approximately:
        result.holds = isNear(*value, expect.value, expect.tolerance);
        result.detail +=
            fmt::format(", expected {:.6g} within {:.3g}", expect.value, expect.tolerance);
        break;
    case Comparison::AtLeast:
        result.holds = *value >= expect.value;
        result.detail += fmt::format(", expected at least {:.6g}", expect.value);
        break;
    case Comparison::AtMost:
        result.holds = *value <= expect.value;
        result.detail += fmt::format(", expected at most {:.6g}", expect.value);
        break;
    case Comparison::Shown:
    case Comparison::TextEquals:
        break;
    }
    Figure figure;
    if (!expect.shows.empty() && parseFigure(expect.shows, figure)) {
        // What is approximate may be shown rounded further.
        const double tolerance =
            std::max(figure.halfUnit,
                     expect.comparison == Comparison::Approximately ? expect.tolerance : 0.0);
        result.holds = result.holds && isNear(*value, figure.value, tolerance);
        result.detail += fmt::format(", shown as {}", expect.shows);
    }
    return result;
}

/// Which choices the engine finds right.
Result<std::vector<int>> rightChoices(const Quiz& quiz, const Lesson& lesson, const Step& step,
                                      Workbench& bench) {
    std::vector<int> right;
    Result<double> answer = 0.0;
    if (!quiz.answer.empty()) {
        answer = bench.evaluate(quiz.answer, lesson, step);
        if (!answer)
            return failure(answer.error());
    }
    for (std::size_t i = 0; i < quiz.choices.size(); ++i) {
        const Quiz::Choice& choice = quiz.choices[i];
        const Result<double> value =
            bench.evaluate(choice.when.empty() ? choice.value : choice.when, lesson, step);
        if (!value)
            return failure(value.error());
        const bool isRight =
            choice.when.empty() ? isNear(*value, *answer, quiz.tolerance) : *value != 0;
        if (isRight)
            right.push_back(static_cast<int>(i));
    }
    return right;
}

Outcome playQuiz(const Quiz& quiz, const Lesson& lesson, const Step& step, Workbench& bench) {
    Outcome result =
        outcome(step, OutcomeKind::Quiz, quiz.answer.empty() ? quiz.question.english : quiz.answer);
    if (quiz.choices.empty()) {
        const Result<double> value = bench.evaluate(quiz.answer, lesson, step);
        result.holds = value && std::isfinite(*value);
        result.detail = value ? fmt::format("{:.6g}", *value) : toString(value.error());
        return result;
    }
    const Result<std::vector<int>> right = rightChoices(quiz, lesson, step, bench);
    if (!right) {
        result.detail = toString(right.error());
        return result;
    }
    result.holds = right->size() == 1;
    result.detail =
        result.holds
            ? fmt::format("choice {}: {}", right->front() + 1,
                          quiz.choices[static_cast<std::size_t>(right->front())].text.english)
            : fmt::format("{} choices are right, one must be", right->size());
    return result;
}

Run runAfter(const Run& before, const Action& action) {
    Run run = before;
    if (!action.kernel.empty()) {
        run.kernel = action.kernel;
        run.parameters.clear();
    }
    for (const auto& [name, value] : action.parameters)
        run.parameters[name] = value;
    if (!action.gpu.empty())
        run.gpu = action.gpu;
    if (!action.kernel.empty())
        run.form = session::CodeForm::Written;
    run.form = action.form.value_or(run.form);
    return run;
}

std::string nameOf(const Action& action, const Run& run) {
    std::string text = run.kernel;
    for (const auto& [name, value] : run.parameters)
        text += fmt::format(" {}={}", name, value);
    if (run.form == session::CodeForm::Compiled)
        text += ", as compiled";
    if (!action.runTo.empty())
        text += fmt::format(", to {}", action.runTo);
    return text;
}

/// The run compiles, launches, and the view's block, warp and line are there.
Outcome playAction(const Action& action, const Run& run, OutcomeKind kind, const Step& step,
                   Workbench& bench) {
    Outcome result = outcome(step, kind, nameOf(action, run));
    Action view = action;
    if (!view.selection)
        view.selection = step.setup.selection;
    const bool isAnnounced = view.runToLine != 0 || view.selection;
    if (isAnnounced) {
        const Result<Frame> frame = bench.frame(run, view);
        result.holds = frame.has_value();
        result.detail = frame ? fmt::format("{} accesses in view", frame->accesses.size())
                              : toString(frame.error());
    } else {
        const auto report = bench.report(run);
        result.holds = report.has_value();
        result.detail = report ? "runs" : toString(report.error());
    }
    if (!result.holds || action.replaceText.empty())
        return result;
    const auto kernels = session::builtInKernels();
    const catalog::Kernel* kernel = kernels ? catalog::findKernel(**kernels, run.kernel) : nullptr;
    std::string text = kernel != nullptr ? kernel->text : std::string();
    const std::size_t at = text.find(action.replaceText);
    if (at == std::string::npos) {
        result.holds = false;
        result.detail = fmt::format("'{}' does not stand in the text", action.replaceText);
        return result;
    }
    text.replace(at, action.replaceText.size(), action.withText);
    const Result<void> compiled = bench.tryText(run, text);
    // Without a compiler the edit cannot be tried, which is no fault of the lesson.
    const bool hasNoCompiler = !compiled && compiled.error().front().code == "compiler";
    result.holds = compiled.has_value() || hasNoCompiler;
    result.detail += compiled ? std::string(", the edited text compiles")
                              : fmt::format(", {}", toString(compiled.error()));
    return result;
}

void playStep(const Lesson& lesson, const Step& step, Workbench& bench, std::vector<Outcome>& out) {
    out.push_back(playAction(step.setup, step.run, OutcomeKind::Setup, step, bench));
    if (step.tryIt) {
        Action action = step.tryIt->action;
        out.push_back(
            playAction(action, runAfter(step.run, action), OutcomeKind::TryIt, step, bench));
    }
    for (const Expect& expect : step.expects)
        out.push_back(playExpect(expect, lesson, step, bench));
    if (step.quiz)
        out.push_back(playQuiz(*step.quiz, lesson, step, bench));
}

} // namespace

std::string_view name(OutcomeKind kind) {
    switch (kind) {
    case OutcomeKind::Setup:
        return "setup";
    case OutcomeKind::TryIt:
        return "try-it";
    case OutcomeKind::Expect:
        return "expect";
    case OutcomeKind::Quiz:
        return "quiz";
    }
    return "";
}

bool PlayReport::holds() const {
    return std::all_of(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return o.holds; });
}

PlayReport checkLesson(const Lesson& lesson, Workbench& bench) {
    const auto start = std::chrono::steady_clock::now();
    PlayReport report;
    report.lesson = lesson.id;
    for (const Step& step : lesson.steps)
        playStep(lesson, step, bench, report.outcomes);
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
}

PlayReport checkLesson(const Lesson& lesson, const compile::Environment& compilers) {
    Workbench bench(compilers);
    return checkLesson(lesson, bench);
}

Answer checkAnswer(const Lesson& lesson, const Step& step, int choice, std::string_view typed,
                   Workbench& bench) {
    Answer result;
    const auto refuse = [&](std::string message, std::string hint) {
        result.problems.push_back(
            {Severity::Error, "answer", std::move(message), {}, std::move(hint)});
        return result;
    };
    if (!step.quiz)
        return refuse("this step asks nothing", {});
    const Quiz& quiz = *step.quiz;
    if (!quiz.choices.empty()) {
        const Result<std::vector<int>> right = rightChoices(quiz, lesson, step, bench);
        if (!right) {
            result.problems = right.error();
            return result;
        }
        if (right->size() != 1)
            return refuse("the engine finds no single choice right",
                          "the lesson or the kernel has changed");
        result.rightChoice = right->front();
        result.isCorrect = choice == result.rightChoice;
        return result;
    }
    const Result<double> value = bench.evaluate(quiz.answer, lesson, step);
    if (!value) {
        result.problems = value.error();
        return result;
    }
    result.value = *value;
    std::string text(typed);
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
    const bool isNegative = text.starts_with('-');
    Figure figure;
    if (!parseFigure(isNegative ? text.substr(1) : text, figure))
        return refuse(fmt::format("'{}' is no number", typed), "type a number, for example 12.5");
    double answer = isNegative ? -figure.value : figure.value;
    // In percent questions a bare "78" means 78%.
    const double unit = quiz.isPercent ? 0.01 : 1.0;
    if (quiz.isPercent && !text.ends_with('%'))
        answer *= unit;
    result.isCorrect = isNear(answer, *value, quiz.tolerance * unit);
    return result;
}

std::string toJson(const Course& course, std::span<const PlayReport> reports) {
    Json lessons = Json::array();
    for (const Lesson& lesson : course.lessons) {
        const Section* section = course.findSection(lesson.section);
        Json row{{"id", lesson.id},
                 {"number", lesson.number},
                 {"section", section != nullptr ? section->title.english : lesson.section},
                 {"title", {{"en", lesson.title.english}, {"zh", lesson.title.chinese}}},
                 {"minutes", lesson.minutes},
                 {"steps", lesson.steps.size()}};
        const auto played = std::find_if(reports.begin(), reports.end(), [&](const PlayReport& r) {
            return r.lesson == lesson.id;
        });
        if (played != reports.end()) {
            row["holds"] = played->holds();
            row["seconds"] = played->seconds;
            Json outcomes = Json::array();
            for (const Outcome& o : played->outcomes)
                outcomes.push_back({{"step", o.step},
                                    {"kind", name(o.kind)},
                                    {"holds", o.holds},
                                    {"what", o.what},
                                    {"detail", o.detail}});
            row["outcomes"] = std::move(outcomes);
        }
        lessons.push_back(std::move(row));
    }
    Json problems = Json::array();
    for (const Diagnostic& problem : course.problems)
        problems.push_back(toString(problem));
    const Json out{{"lessons", std::move(lessons)}, {"problems", std::move(problems)}};
    return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string toText(const Course& course, std::span<const PlayReport> reports) {
    std::string out;
    std::string section;
    for (const Lesson& lesson : course.lessons) {
        if (lesson.section != section) {
            section = lesson.section;
            const Section* s = course.findSection(section);
            out += fmt::format("{}{}\n", out.empty() ? "" : "\n",
                               s != nullptr ? s->title.english : section);
        }
        out += fmt::format("  {:<6}{:<36}{:<24}{:>2} steps {:>3} min\n", lesson.number,
                           lesson.title.english, lesson.id, lesson.steps.size(), lesson.minutes);
        for (const PlayReport& report : reports) {
            if (report.lesson != lesson.id)
                continue;
            out += fmt::format("        {} of {} checks hold, {:.2f} s\n",
                               std::count_if(report.outcomes.begin(), report.outcomes.end(),
                                             [](const Outcome& o) { return o.holds; }),
                               report.outcomes.size(), report.seconds);
            for (const Outcome& o : report.outcomes)
                if (!o.holds)
                    out += fmt::format("        FAILS {} {} {}: {}\n", o.step, name(o.kind), o.what,
                                       o.detail);
        }
    }
    if (!course.problems.empty())
        out += fmt::format("\n{}\n", toString(course.problems));
    return out;
}

} // namespace lanescope::lesson
