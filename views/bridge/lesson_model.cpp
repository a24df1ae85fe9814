// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/bridge/lesson_model.h"

#include <algorithm>

namespace lanescope::views {

LessonModel::LessonModel(std::unique_ptr<LessonSource> source, QObject* parent)
    : QObject(parent), m_source(std::move(source)) {
    m_judge.setMaxThreadCount(1);
}

LessonModel::~LessonModel() {
    m_judge.waitForDone();
}

const LessonStep* LessonModel::currentStep() const {
    if (!m_lesson || m_step < 0 || m_step >= static_cast<int>(m_lesson->steps.size()))
        return nullptr;
    return &m_lesson->steps[static_cast<std::size_t>(m_step)];
}

bool LessonModel::open(const QString& id) {
    auto lesson = m_source->open(id);
    if (!lesson)
        return false;
    m_lesson = std::move(lesson);
    m_step = 0;
    emit lessonChanged();
    emit stepChanged();
    markSeen();
    return true;
}

void LessonModel::close() {
    m_lesson.reset();
    m_step = 0;
    emit lessonChanged();
    emit stepChanged();
}

void LessonModel::setStep(int step) {
    if (!m_lesson || m_lesson->steps.empty())
        return;
    step = std::clamp(step, 0, static_cast<int>(m_lesson->steps.size()) - 1);
    if (step == m_step)
        return;
    m_step = step;
    emit stepChanged();
    markSeen();
}

QString LessonModel::neighbour(int offset) const {
    const auto& course = m_source->course();
    if (course.empty())
        return {};
    if (!m_lesson)
        return offset > 0 ? course.front().id : QString();
    const auto at = std::find_if(course.begin(), course.end(), [this](const CourseEntry& entry) {
        return entry.id == m_lesson->id;
    });
    if (at == course.end())
        return {};
    const auto index = (at - course.begin()) + offset;
    if (index < 0 || index >= static_cast<std::ptrdiff_t>(course.size()))
        return {};
    return course[static_cast<std::size_t>(index)].id;
}

int LessonModel::stepsDone(const QString& id) const {
    const auto found = m_progress.find(id);
    return found == m_progress.end() ? 0 : static_cast<int>(found->second.size());
}

LessonModel::State LessonModel::stateOf(const CourseEntry& entry) const {
    const int done = stepsDone(entry.id);
    if (done == 0)
        return State::ToDo;
    return entry.steps > 0 && done >= entry.steps ? State::Done : State::InProgress;
}

int LessonModel::lessonsDone() const {
    return static_cast<int>(
        std::count_if(m_source->course().begin(), m_source->course().end(),
                      [this](const CourseEntry& entry) { return stateOf(entry) == State::Done; }));
}

void LessonModel::answer(int choice, const QString& typed) {
    if (!m_lesson)
        return;
    m_judge.start([this, id = m_lesson->id, step = m_step, choice, typed] {
        const AnswerResult result = m_source->checkAnswer(id, step, choice, typed);
        QMetaObject::invokeMethod(
            this,
            [this, id, step, result] {
                // Not for a step that the user has left meanwhile.
                if (m_lesson && m_lesson->id == id && m_step == step)
                    emit answered(result);
            },
            Qt::QueuedConnection);
    });
}

void LessonModel::setProgress(std::map<QString, QSet<int>> progress) {
    m_progress = std::move(progress);
    emit progressChanged();
}

void LessonModel::markSeen() {
    if (!m_lesson || m_lesson->steps.empty())
        return;
    m_progress[m_lesson->id].insert(m_step);
    emit progressChanged();
}

} // namespace lanescope::views
