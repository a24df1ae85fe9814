// SPDX-License-Identifier: GPL-3.0-or-later
// The open lesson's step: text, the one thing to try, the one question.
#pragma once

#include "views/kit/pane.h"

class QBoxLayout;
class QButtonGroup;
class QFrame;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace lanescope::views {

class KeyButton;
class LessonModel;
class MarkdownView;
struct AnswerResult;
struct LessonStep;

class LessonPane : public Pane {
    Q_OBJECT
public:
    LessonPane(LessonModel* lessons, Intents* intents, QWidget* parent = nullptr);

    QString context() const override;
    void setSnapshot(const SnapshotPtr&) override {}
    void setTheme(const Theme& theme) override;

    /// The step's Try it button, as the key T presses it.
    void tryIt();

private:
    void showStep();
    void buildTryIt(const LessonStep& step);
    void buildQuiz(const LessonStep& step);
    void check();
    void showAnswer(const AnswerResult& result);
    void showVerdict(const QString& markdown, bool isCorrect);

    LessonModel* m_lessons;
    QScrollArea* m_scroll;
    QWidget* m_body;
    QVBoxLayout* m_column;
    QLabel* m_title;
    MarkdownView* m_text;
    QFrame* m_tryBox;
    QLabel *m_tryIcon, *m_tryHeading, *m_tryText;
    KeyButton* m_tryButton;
    QFrame* m_quizBox;
    QLabel *m_quizIcon, *m_quizQuestion, *m_quizAnswer;
    QWidget* m_choices;
    QButtonGroup* m_choiceGroup = nullptr;
    QLineEdit* m_typed;
    QPushButton* m_check;
    QPushButton *m_back, *m_next;
    QLabel* m_position;
};

} // namespace lanescope::views
