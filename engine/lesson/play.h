// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a lesson without a window: sets up every step, does what its button does, evaluates every
// expectation and every answer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lesson/lesson.h"
#include "engine/lesson/workbench.h"

namespace lanescope::lesson {

enum class OutcomeKind : std::uint8_t { Setup, TryIt, Expect, Quiz };
/// "setup", "try-it", "expect", "quiz".
std::string_view name(OutcomeKind kind);

struct Outcome {
    std::string step;
    OutcomeKind kind{};
    bool holds = false;
    std::string what;   ///< the expression, or what was set up
    std::string detail; ///< "0.78125, shown as 78%", or why it does not hold
};

struct PlayReport {
    std::string lesson;
    std::vector<Outcome> outcomes;
    double seconds = 0;
    bool holds() const;
};

PlayReport checkLesson(const Lesson& lesson, Workbench& bench);
PlayReport checkLesson(const Lesson& lesson, const compile::Environment& compilers);

/// One object with a row a lesson; without `reports` just the course. Indented by two.
std::string toJson(const Course& course, std::span<const PlayReport> reports = {});
/// For people; all outcomes of lessons that do not hold, a line each for those that do.
std::string toText(const Course& course, std::span<const PlayReport> reports = {});

struct Answer {
    bool isCorrect = false;
    double value = 0; ///< what the engine found, when the answer is a number
    int rightChoice = -1;
    Diagnostics problems; ///< why it could not be judged
};

/// `choice`: index of the choice, or -1 when `typed` is the answer: a number, with "," between
/// thousands and "%" allowed.
Answer checkAnswer(const Lesson& lesson, const Step& step, int choice, std::string_view typed,
                   Workbench& bench);

} // namespace lanescope::lesson
