// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/lesson/lesson_pane.h"

#include <QButtonGroup>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

#include "views/bridge/lesson_model.h"
#include "views/kit/controls.h"
#include "views/kit/icons.h"
#include "views/kit/paint.h"
#include "views/panes/lesson/markdown_view.h"

namespace lanescope::views {

namespace {

QLabel* label(const QString& name, const char* role, QWidget* parent) {
    auto* result = new QLabel(parent);
    result->setObjectName(name);
    result->setProperty("role", role);
    result->setWordWrap(true);
    return result;
}

/// The text of a choice: wraps, and a click chooses.
class ChoiceLabel : public QLabel {
public:
    ChoiceLabel(const QString& text, QRadioButton* radio, QWidget* parent) : QLabel(text, parent), m_radio(radio) {
        setWordWrap(true);
        setTextFormat(Qt::PlainText);
    }

protected:
    void mousePressEvent(QMouseEvent* event) override {
        if (event->button() == Qt::LeftButton)
            m_radio->click();
    }

private:
    QRadioButton* m_radio;
};

QHBoxLayout* heading(QLabel* icon, QLabel* text) {
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->addWidget(icon);
    row->addWidget(text, 1);
    return row;
}

} // namespace

LessonPane::LessonPane(LessonModel* lessons, Intents* intents, QWidget* parent)
    : Pane(QStringLiteral("lesson"), tr("Lesson"), intents, parent), m_lessons(lessons) {
    m_scroll = new QScrollArea(this);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setObjectName(QStringLiteral("lesson.scroll"));
    m_body = new QWidget;
    m_body->setObjectName(QStringLiteral("lesson.body"));
    m_column = new QVBoxLayout(m_body);
    m_column->setContentsMargins(14, 10, 14, 10);
    m_column->setSpacing(0);
    m_title = label(QStringLiteral("lesson.title"), "title", m_body);
    m_text = new MarkdownView(m_body);
    m_text->setObjectName(QStringLiteral("lesson.text"));
    m_text->setAccessibleName(tr("Text of the step"));

    m_tryBox = new QFrame(m_body);
    m_tryBox->setObjectName(QStringLiteral("lesson.try"));
    m_tryIcon = new QLabel(m_tryBox);
    m_tryHeading = label(QStringLiteral("lesson.try.heading"), "strong", m_tryBox);
    m_tryHeading->setText(tr("Try it"));
    m_tryText = label(QStringLiteral("lesson.try.text"), "", m_tryBox);
    m_tryButton = new KeyButton(QStringLiteral("lesson.try.button"), Icon::TryIt, {},
                                QStringLiteral("T"), m_tryBox);
    m_tryButton->setPrimary(true);
    m_tryButton->setSmall(true);
    auto* tryColumn = new QVBoxLayout(m_tryBox);
    tryColumn->setContentsMargins(12, 8, 12, 10);
    tryColumn->setSpacing(4);
    tryColumn->addLayout(heading(m_tryIcon, m_tryHeading));
    tryColumn->addWidget(m_tryText);
    tryColumn->addSpacing(4);
    tryColumn->addWidget(m_tryButton, 0, Qt::AlignLeft);
    connect(m_tryButton, &QAbstractButton::clicked, this, &LessonPane::tryIt);

    m_quizBox = new QFrame(m_body);
    m_quizBox->setObjectName(QStringLiteral("lesson.quiz"));
    m_quizIcon = new QLabel(m_quizBox);
    auto* quizHeading = label(QStringLiteral("lesson.quiz.heading"), "strong", m_quizBox);
    quizHeading->setText(tr("Quick check"));
    m_quizQuestion = label(QStringLiteral("lesson.quiz.question"), "", m_quizBox);
    m_quizQuestion->setTextFormat(Qt::MarkdownText);
    m_choices = new QWidget(m_quizBox);
    m_typed = new QLineEdit(m_quizBox);
    m_typed->setObjectName(QStringLiteral("lesson.quiz.typed"));
    m_typed->setAccessibleName(tr("Your answer"));
    m_typed->setPlaceholderText(tr("Your answer"));
    m_check = new QPushButton(tr("Check answer"), m_quizBox);
    m_check->setObjectName(QStringLiteral("lesson.quiz.check"));
    m_check->setProperty("role", "small");
    m_quizAnswer = label(QStringLiteral("lesson.quiz.answer"), "", m_quizBox);
    m_quizAnswer->setTextFormat(Qt::MarkdownText);
    auto* quizColumn = new QVBoxLayout(m_quizBox);
    quizColumn->setContentsMargins(12, 8, 12, 10);
    quizColumn->setSpacing(5);
    quizColumn->addLayout(heading(m_quizIcon, quizHeading));
    quizColumn->addWidget(m_quizQuestion);
    quizColumn->addWidget(m_choices);
    quizColumn->addWidget(m_typed);
    quizColumn->addSpacing(3);
    quizColumn->addWidget(m_check, 0, Qt::AlignLeft);
    quizColumn->addWidget(m_quizAnswer);
    connect(m_check, &QAbstractButton::clicked, this, &LessonPane::check);
    connect(m_typed, &QLineEdit::returnPressed, this, &LessonPane::check);

    m_column->addWidget(m_title);
    m_column->addSpacing(5);
    m_column->addWidget(m_text);
    m_column->addSpacing(11);
    m_column->addWidget(m_tryBox);
    m_column->addSpacing(11);
    m_column->addWidget(m_quizBox);
    m_column->addStretch(1);
    m_scroll->setWidget(m_body);

    m_back = new QPushButton(tr("Back"), this);
    m_next = new QPushButton(tr("Next"), this);
    m_position = label(QStringLiteral("lesson.position"), "caption", this);
    m_position->setAlignment(Qt::AlignCenter);
    for (QPushButton* button : {m_back, m_next})
        button->setProperty("role", "small");
    m_back->setObjectName(QStringLiteral("lesson.back"));
    m_next->setObjectName(QStringLiteral("lesson.next"));
    m_back->setAccessibleName(tr("Previous step of the lesson"));
    m_next->setAccessibleName(tr("Next step of the lesson"));
    connect(m_back, &QAbstractButton::clicked, this,
            [this] { m_lessons->setStep(m_lessons->step() - 1); });
    connect(m_next, &QAbstractButton::clicked, this, [this] {
        const Lesson* lesson = m_lessons->lesson();
        if (lesson && m_lessons->step() + 1 >= static_cast<int>(lesson->steps.size()))
            emit this->intents()->openLesson(m_lessons->neighbour(1));
        else
            m_lessons->setStep(m_lessons->step() + 1);
    });
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(14, 6, 14, 8);
    foot->addWidget(m_back);
    foot->addWidget(m_position, 1);
    foot->addWidget(m_next);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_scroll, 1);
    column->addLayout(foot);
    setFocusProxy(m_scroll);

    connect(m_lessons, &LessonModel::stepChanged, this, &LessonPane::showStep);
    connect(m_lessons, &LessonModel::answered, this, &LessonPane::showAnswer);
    setTheme(Theme::light());
}

QString LessonPane::context() const {
    const Lesson* lesson = m_lessons->lesson();
    return lesson ? tr("step %1 of %2").arg(m_lessons->step() + 1).arg(lesson->steps.size())
                  : QString();
}

void LessonPane::setTheme(const Theme& theme) {
    Pane::setTheme(theme);
    const double ratio = devicePixelRatioF();
    m_tryIcon->setPixmap(iconPixmap(Icon::TryIt, 14, theme.acctx, theme, ratio));
    m_quizIcon->setPixmap(iconPixmap(Icon::Quiz, 14, theme.tx, theme, ratio));
    m_tryIcon->setFixedWidth(14);
    m_quizIcon->setFixedWidth(14);
    m_tryButton->setTheme(theme);
    m_body->setStyleSheet(
        QStringLiteral("#lesson\\.body { background: %1; }").arg(theme.pane.name()));
    m_tryBox->setStyleSheet(
        QStringLiteral("#lesson\\.try { background: %1; border: 0; border-left: 3px solid %2; "
                       "border-top-right-radius: 4px; border-bottom-right-radius: 4px; }"
                       "#lesson\\.try\\.heading { color: %3; }")
            .arg(theme.accbg.name(), theme.acc.name(), theme.acctx.name()));
    m_quizBox->setStyleSheet(
        QStringLiteral("#lesson\\.quiz { border: 1px solid %1; border-radius: 4px; }")
            .arg(theme.line.name()));
    showStep();
}

void LessonPane::showStep() {
    const LessonStep* step = m_lessons->currentStep();
    m_tryBox->setVisible(step && step->tryIt);
    m_quizBox->setVisible(step && step->quiz);
    const Lesson* lesson = m_lessons->lesson();
    m_back->setVisible(lesson);
    m_next->setVisible(lesson);
    m_position->setVisible(lesson);
    if (!step) {
        m_title->setText(tr("No lesson is open"));
        m_text->setText(tr("Choose a lesson in *Course*, or step through the open kernel."),
                        theme());
        emit contextChanged();
        return;
    }
    m_title->setText(step->title);
    m_text->setText(step->markdown, theme());
    if (step->tryIt)
        buildTryIt(*step);
    if (step->quiz)
        buildQuiz(*step);
    const int count = static_cast<int>(lesson->steps.size());
    const bool isLast = m_lessons->step() + 1 >= count;
    m_back->setEnabled(m_lessons->step() > 0);
    m_next->setText(isLast ? tr("Next lesson") : tr("Next"));
    m_next->setEnabled(!isLast || !m_lessons->neighbour(1).isEmpty());
    m_position->setText(tr("%1 / %2").arg(m_lessons->step() + 1).arg(count));
    m_scroll->verticalScrollBar()->setValue(0);
    emit contextChanged();
}

void LessonPane::buildTryIt(const LessonStep& step) {
    m_tryText->setTextFormat(Qt::MarkdownText);
    m_tryText->setText(step.tryIt->text);
    m_tryButton->setText(step.tryIt->button);
    m_tryButton->setAccessibleName(step.tryIt->button);
    m_tryButton->setToolTip(tr("%1 (T)").arg(step.tryIt->button));
    m_tryButton->setVisible(!step.tryIt->button.isEmpty());
    m_tryButton->updateGeometry();
}

void LessonPane::buildQuiz(const LessonStep& step) {
    const auto& quiz = *step.quiz;
    m_quizQuestion->setText(quiz.question);
    m_quizAnswer->hide();
    m_check->setEnabled(true);
    m_check->setText(tr("Check answer"));
    m_typed->clear();
    m_typed->setVisible(quiz.choices.isEmpty());
    delete m_choiceGroup;
    m_choiceGroup = new QButtonGroup(this);
    delete m_choices->layout();
    qDeleteAll(m_choices->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    auto* grid = new QGridLayout(m_choices);
    grid->setContentsMargins(0, 2, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(6);
    // Short answers stand in a row, long ones below each other.
    double widest = 0;
    for (const QString& choice : quiz.choices)
        widest = std::max(widest, textWidth(Theme::ui(12), choice));
    const int columns = widest < 36 ? 4 : widest < 90 ? 2 : 1;
    for (int i = 0; i < quiz.choices.size(); ++i) {
        auto* radio = new QRadioButton(quiz.choices[i], m_choices);
        radio->setObjectName(QStringLiteral("lesson.quiz.choice.%1").arg(i));
        m_choiceGroup->addButton(radio, i);
        if (columns > 1) {
            grid->addWidget(radio, i / columns, i % columns);
            continue;
        }
        // A radio button does not wrap its text, a label does.
        radio->setAccessibleName(quiz.choices[i]);
        radio->setText({});
        grid->addWidget(radio, i, 0, Qt::AlignTop);
        grid->addWidget(new ChoiceLabel(quiz.choices[i], radio, m_choices), i, 1);
        grid->setColumnStretch(1, 1);
    }
    m_choices->setVisible(!quiz.choices.isEmpty());
}

void LessonPane::tryIt() {
    const LessonStep* step = m_lessons->currentStep();
    if (step && step->tryIt)
        emit m_lessons->actionRequested(step->tryIt->action);
}

void LessonPane::check() {
    const LessonStep* step = m_lessons->currentStep();
    if (!step || !step->quiz)
        return;
    const int choice = step->quiz->choices.isEmpty() ? -1 : m_choiceGroup->checkedId();
    const QString typed = m_typed->text().trimmed();
    if (choice < 0 && typed.isEmpty()) {
        showVerdict(step->quiz->choices.isEmpty() ? tr("Type an answer first.")
                                                  : tr("Choose an answer first."),
                    false);
        return;
    }
    m_check->setEnabled(false);
    m_check->setText(tr("Checking"));
    m_lessons->answer(choice, typed);
}

void LessonPane::showAnswer(const AnswerResult& result) {
    m_check->setEnabled(true);
    m_check->setText(tr("Check answer"));
    showVerdict((result.isCorrect ? tr("**Right.**") : tr("**Not yet.**")) + QLatin1Char(' ') +
                    result.explanation,
                result.isCorrect);
}

void LessonPane::showVerdict(const QString& markdown, bool isCorrect) {
    const Theme& t = theme();
    m_quizAnswer->setStyleSheet(
        QStringLiteral("background: %1; color: %2; border-radius: 4px; padding: 6px 8px;")
            .arg((isCorrect ? t.okbg : t.errbg).name(), (isCorrect ? t.oktx : t.errtx).name()));
    m_quizAnswer->setText(markdown);
    m_quizAnswer->show();
}

} // namespace lanescope::views
