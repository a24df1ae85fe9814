// SPDX-License-Identifier: GPL-3.0-or-later
// Where the user is in the course: the open lesson, its step, and what is done. Course and lesson
// panes show it, the shell acts on it.
#pragma once

#include <QObject>
#include <QSet>
#include <QString>
#include <QThreadPool>

#include <map>
#include <memory>

#include "views/bridge/lesson_source.h"

namespace lanescope::views {

class LessonModel : public QObject {
    Q_OBJECT
public:
    explicit LessonModel(std::unique_ptr<LessonSource> source, QObject* parent = nullptr);
    ~LessonModel() override;

    const LessonSource& source() const { return *m_source; }
    /// Null when no lesson is open.
    const Lesson* lesson() const { return m_lesson.get(); }
    int step() const { return m_step; }
    const LessonStep* currentStep() const;

    /// False when there is no such lesson.
    bool open(const QString& id);
    void close();
    void setStep(int step);
    /// The lesson before or after the open one in the course; empty at the ends.
    QString neighbour(int offset) const;

    enum class State { ToDo, InProgress, Done };
    State stateOf(const CourseEntry& entry) const;
    int stepsDone(const QString& id) const;
    int lessonsDone() const;
    /// Judges an answer to the current step's question on another thread; answered() follows.
    void answer(int choice, const QString& typed);

    /// For the settings file: "id" -> steps seen.
    std::map<QString, QSet<int>> progress() const { return m_progress; }
    void setProgress(std::map<QString, QSet<int>> progress);

signals:
    void lessonChanged();
    void stepChanged(); ///< also after lessonChanged
    void progressChanged();
    void answered(const lanescope::views::AnswerResult& result);
    void actionRequested(const lanescope::views::LessonAction& action);

private:
    void markSeen();

    std::unique_ptr<LessonSource> m_source;
    std::unique_ptr<Lesson> m_lesson;
    int m_step = 0;
    std::map<QString, QSet<int>> m_progress;
    QThreadPool m_judge; ///< one thread: the engine's workbench is not shared
};

} // namespace lanescope::views
