// SPDX-License-Identifier: GPL-3.0-or-later
// What the window needs to know about the course. The engine's loader is behind this interface
// (lesson_source_engine.cpp).
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/snapshot.h"

namespace lanescope::compile {
struct Environment;
}

namespace lanescope::views {

using Parameters = std::map<std::string, std::int64_t>;

/// A row of the course.
struct CourseEntry {
    QString id;     ///< "naive-vs-coalesced"
    QString number; ///< "2.2"
    QString title;
    QString section; ///< "The matmul ladder"
    int minutes = 0;
    int steps = 0;
};

/// What a step sets up or a button does. Parts that are not given stay as they are; they apply in
/// this order.
struct LessonAction {
    QString kernel; ///< opens this kernel (with the parameters below)
    Parameters parameters;
    QString gpu;                   ///< device id
    std::optional<session::CodeForm> form; ///< with a kernel: none is as written
    QString replaceText, withText; ///< edits the CUDA text: the first occurrence is replaced
    std::optional<session::Selection> selection;
    std::optional<std::uint32_t> seek;      ///< event index
    std::optional<std::uint32_t> runToLine; ///< CUDA line
    session::AccessTarget runToAccess;      ///< where to run to when the line has no access
    int steps = 0;                          ///< instructions of the selected warp
    QString pane;                           ///< brings this pane to the front
    bool isEmpty() const {
        return kernel.isEmpty() && parameters.empty() && gpu.isEmpty() && !form &&
               replaceText.isEmpty() && !selection && !seek && !runToLine && steps == 0 && pane.isEmpty();
    }
};

struct LessonStep {
    QString title;
    QString markdown;
    LessonAction setup; ///< complete: what the step shows does not depend on the steps before
    struct TryIt {
        QString text, button;
        LessonAction action;
    };
    std::optional<TryIt> tryIt;
    struct Quiz {
        QString question;
        QStringList choices; ///< empty: the answer is typed, a number
    };
    std::optional<Quiz> quiz;
};

struct Lesson {
    QString id, number, title;
    std::vector<LessonStep> steps;
};

struct AnswerResult {
    bool isCorrect = false;
    QString explanation; ///< shown in either case
};

class LessonSource {
public:
    virtual ~LessonSource() = default;
    /// In the order of the course.
    virtual const std::vector<CourseEntry>& course() const = 0;
    /// Null when there is no such lesson; errors() then says why.
    virtual std::unique_ptr<Lesson> open(const QString& id) const = 0;
    /// `choice`: index of the choice, or -1 when `typed` is the answer. The engine computes what is
    /// right, which may take it a while: called from a thread of its own, one call at a time.
    virtual AnswerResult checkAnswer(const QString& id, int step, int choice,
                                     const QString& typed) const = 0;
    /// What could not be loaded, a line each.
    virtual QStringList errors() const { return {}; }
};

/// The lessons that are built into the program. `environment`: where to find compilers, for answers
/// that need one.
std::unique_ptr<LessonSource> engineLessons(compile::Environment environment);

} // namespace lanescope::views
