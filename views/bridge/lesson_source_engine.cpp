// SPDX-License-Identifier: GPL-3.0-or-later
// The one place where the window meets the engine's lesson loader.
#include "views/bridge/lesson_source.h"

#include <QLocale>

#include <algorithm>

#include "engine/lesson/lesson.h"
#include "engine/lesson/play.h"
#include "engine/lesson/workbench.h"

namespace lanescope::views {

namespace {

class EngineLessons final : public LessonSource {
public:
    explicit EngineLessons(compile::Environment environment)
        : m_bench(std::move(environment)), m_loaded(lesson::builtInCourse()),
          m_language(QLocale().language() == QLocale::Chinese ? lesson::Language::Chinese
                                                              : lesson::Language::English) {
        for (const lesson::Lesson& from : m_loaded.lessons) {
            CourseEntry entry;
            entry.id = QString::fromStdString(from.id);
            entry.number = QString::fromStdString(from.number);
            entry.title = text(from.title);
            const lesson::Section* section = m_loaded.findSection(from.section);
            entry.section = section ? text(section->title) : QString::fromStdString(from.section);
            entry.minutes = from.minutes;
            entry.steps = static_cast<int>(from.steps.size());
            m_course.push_back(std::move(entry));
        }
    }

    const std::vector<CourseEntry>& course() const override { return m_course; }

    std::unique_ptr<Lesson> open(const QString& id) const override {
        const lesson::Lesson* from = m_loaded.findLesson(id.toStdString());
        if (!from)
            return nullptr;
        auto result = std::make_unique<Lesson>();
        result->id = id;
        result->number = QString::fromStdString(from->number);
        result->title = text(from->title);
        for (const lesson::Step& step : from->steps)
            result->steps.push_back(toStep(step));
        return result;
    }

    AnswerResult checkAnswer(const QString& id, int step, int choice,
                             const QString& typed) const override {
        const lesson::Lesson* from = m_loaded.findLesson(id.toStdString());
        if (!from || step < 0 || step >= static_cast<int>(from->steps.size()))
            return {};
        const lesson::Step& asked = from->steps[static_cast<std::size_t>(step)];
        const lesson::Answer answer =
            lesson::checkAnswer(*from, asked, choice, typed.toStdString(), m_bench);
        AnswerResult result;
        result.isCorrect = answer.isCorrect;
        if (!answer.problems.empty())
            result.explanation = QString::fromStdString(toString(answer.problems));
        else if (asked.quiz)
            result.explanation = text(asked.quiz->explanation);
        return result;
    }

    QStringList errors() const override {
        QStringList lines;
        for (const Diagnostic& problem : m_loaded.problems)
            lines << QString::fromStdString(toString(problem));
        return lines;
    }

private:
    QString text(const lesson::LocalText& from) const {
        const std::string& chosen = from.in(m_language);
        return QString::fromStdString(chosen.empty() ? from.english : chosen);
    }

    static LessonAction toAction(const lesson::Action& from) {
        LessonAction action;
        action.kernel = QString::fromStdString(from.kernel);
        action.parameters = from.parameters;
        action.gpu = QString::fromStdString(from.gpu);
        action.form = from.form;
        action.replaceText = QString::fromStdString(from.replaceText);
        action.withText = QString::fromStdString(from.withText);
        action.selection = from.selection;
        action.seek = from.seek;
        if (from.runToLine != 0)
            action.runToLine = from.runToLine;
        action.runToAccess = from.runToAccess;
        action.steps = from.steps;
        action.pane = QString::fromStdString(from.pane);
        return action;
    }

    LessonStep toStep(const lesson::Step& from) const {
        LessonStep step;
        step.title = text(from.title);
        step.markdown = text(from.text);
        step.setup = toAction(from.setup);
        if (step.setup.kernel.isEmpty())
            step.setup.kernel = QString::fromStdString(from.run.kernel);
        if (step.setup.pane.isEmpty() && !from.highlight.empty())
            step.setup.pane = QString::fromStdString(from.highlight.front());
        if (from.tryIt)
            step.tryIt = LessonStep::TryIt{text(from.tryIt->text), text(from.tryIt->button),
                                           toAction(from.tryIt->action)};
        if (from.quiz) {
            LessonStep::Quiz quiz;
            quiz.question = text(from.quiz->question);
            for (const auto& choice : from.quiz->choices)
                quiz.choices << text(choice.text);
            step.quiz = quiz;
        }
        return step;
    }

    mutable lesson::Workbench m_bench; ///< used by checkAnswer only, which has a thread of its own
    lesson::Course m_loaded;
    lesson::Language m_language;
    std::vector<CourseEntry> m_course;
};

} // namespace

std::unique_ptr<LessonSource> engineLessons(compile::Environment environment) {
    return std::make_unique<EngineLessons>(std::move(environment));
}

} // namespace lanescope::views
