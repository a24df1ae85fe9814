// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/fake_lessons.h"

namespace lanescope::views::test {

namespace {

class FakeLessons final : public LessonSource {
public:
    FakeLessons() {
        for (const char* id : {"first", "second"}) {
            CourseEntry entry;
            entry.id = QLatin1String(id);
            entry.title = QStringLiteral("The %1 lesson").arg(entry.id);
            entry.section = QStringLiteral("Section");
            entry.minutes = 8;
            entry.steps = 3;
            m_course.push_back(entry);
        }
    }
    const std::vector<CourseEntry>& course() const override { return m_course; }
    std::unique_ptr<Lesson> open(const QString& id) const override {
        if (id != QLatin1String("first") && id != QLatin1String("second"))
            return nullptr;
        auto lesson = std::make_unique<Lesson>();
        lesson->id = id;
        lesson->title = QStringLiteral("The %1 lesson").arg(id);
        for (int i = 0; i < 3; ++i) {
            LessonStep step;
            step.title = QStringLiteral("Step %1").arg(i + 1);
            step.markdown = QStringLiteral("Text with **bold** words and `code`.");
            step.setup.kernel = QStringLiteral("pair");
            step.setup.selection = session::Selection{{0, 0, 0}, i, 10 + i};
            step.tryIt =
                LessonStep::TryIt{QStringLiteral("Run on."), QStringLiteral("Run to line 12"), {}};
            step.tryIt->action.runToLine = 12;
            step.quiz = LessonStep::Quiz{QStringLiteral("How many?"),
                                         {QStringLiteral("1"), QStringLiteral("4")}};
            lesson->steps.push_back(step);
        }
        return lesson;
    }
    AnswerResult checkAnswer(const QString&, int, int choice, const QString&) const override {
        return {choice == 1, QStringLiteral("Because.")};
    }

private:
    std::vector<CourseEntry> m_course;
};

} // namespace

std::unique_ptr<LessonSource> fakeLessons() {
    return std::make_unique<FakeLessons>();
}

} // namespace lanescope::views::test
