// SPDX-License-Identifier: GPL-3.0-or-later
// The one place where the window meets the engine's lesson loader.
#include "views/bridge/lesson_source.h"

namespace lanescope::views {

namespace {

/// Used when the program is built without lessons.
class NoLessons final : public LessonSource {
public:
    const std::vector<CourseEntry>& course() const override { return m_course; }
    std::unique_ptr<Lesson> open(const QString&) const override { return nullptr; }
    AnswerResult checkAnswer(const QString&, int, int, const QString&) const override { return {}; }

private:
    std::vector<CourseEntry> m_course;
};

} // namespace

std::unique_ptr<LessonSource> engineLessons() { return std::make_unique<NoLessons>(); }

} // namespace lanescope::views
