// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/search_box.h"

#include <QAbstractItemView>
#include <QAction>
#include <QCompleter>
#include <QKeyEvent>
#include <QPainter>
#include <QStandardItemModel>

#include "engine/sim/counters.h"
#include "views/bridge/lesson_model.h"
#include "views/kit/icons.h"
#include "views/kit/paint.h"

namespace lanescope::views {

namespace {

enum Role { kKindRole = Qt::UserRole, kTargetRole };
enum Kind { kLesson, kCudaLine, kPtxLine, kCounter };

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

} // namespace

SearchBox::SearchBox(LessonModel* lessons, Intents* intents, QWidget* parent)
    : QLineEdit(parent), m_lessons(lessons), m_intents(intents),
      m_model(new QStandardItemModel(this)), m_theme(&Theme::light()) {
    setObjectName(QStringLiteral("toolbar.search"));
    setAccessibleName(tr("Search lessons, lines and counters"));
    setPlaceholderText(tr("Search lessons, lines, counters"));
    setTextMargins(18, 0, 0, 0);
    setMinimumWidth(150);
    setMaximumWidth(270);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto* completer = new QCompleter(m_model, this);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setMaxVisibleItems(14);
    setCompleter(completer);
    connect(completer, QOverload<const QModelIndex&>::of(&QCompleter::activated), this,
            &SearchBox::activate);
    // Return without a choice takes the first match.
    connect(this, &QLineEdit::returnPressed, this, [this, completer] {
        completer->setCompletionPrefix(this->text());
        if (!this->text().isEmpty() && completer->completionCount() > 0 &&
            !completer->popup()->currentIndex().isValid())
            activate(completer->completionModel()->index(0, 0));
    });
}

void SearchBox::setSnapshot(const SnapshotPtr& snapshot) {
    m_snapshot = snapshot;
}

void SearchBox::setTheme(const Theme& theme) {
    m_theme = &theme;
    update();
}

void SearchBox::focusInEvent(QFocusEvent* event) {
    fill();
    QLineEdit::focusInEvent(event);
}

void SearchBox::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        clear();
        parentWidget()->setFocus();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void SearchBox::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    drawIcon(painter, QRectF(7, (height() - 14) / 2.0, 14, 14), Icon::Search, m_theme->tx3,
             *m_theme);
    // The key stands beside the hint, when there is room for both.
    if (this->text().isEmpty() && !hasFocus() &&
        textWidth(font(), placeholderText()) < width() - 90)
        drawKeyCap(painter, QRectF(rect()).adjusted(0, 0, -7, 0), QStringLiteral("Ctrl K"),
                   *m_theme);
}

void SearchBox::fill() {
    const auto program = m_snapshot ? m_snapshot->program : nullptr;
    if (m_model->rowCount() > 0 && program == m_filledFor)
        return;
    m_filledFor = program;
    m_model->clear();
    const auto add = [this](const QString& label, Kind kind, const QVariant& target) {
        auto* item = new QStandardItem(label);
        item->setData(kind, kKindRole);
        item->setData(target, kTargetRole);
        m_model->appendRow(item);
    };
    for (const CourseEntry& entry : m_lessons->source().course())
        add(tr("Lesson: %1").arg(entry.title), kLesson, entry.id);
    for (const sim::Metric& metric : sim::metrics()) {
        add(tr("Counter: %1").arg(views::text(metric.label)), kCounter, views::text(metric.id));
        if (!metric.ncuName.empty())
            add(tr("Counter: %1 (%2)").arg(views::text(metric.label), views::text(metric.ncuName)),
                kCounter, views::text(metric.id));
    }
    if (!program)
        return;
    const auto addLines = [&](const std::string& source, const QString& label, Kind kind) {
        int number = 0;
        for (const QString& line : QString::fromStdString(source).split(QLatin1Char('\n')))
            if (++number; !line.trimmed().isEmpty())
                add(label.arg(number).arg(line.simplified()), kind, number);
    };
    addLines(program->cudaText, tr("Line %1: %2"), kCudaLine);
    addLines(program->ptxText, tr("PTX %1: %2"), kPtxLine);
}

void SearchBox::activate(const QModelIndex& index) {
    const QVariant target = index.data(kTargetRole);
    switch (static_cast<Kind>(index.data(kKindRole).toInt())) {
    case kLesson:
        emit m_intents->openLesson(target.toString());
        break;
    case kCudaLine:
        emit m_intents->revealLine(target.toUInt());
        break;
    case kPtxLine:
        emit m_intents->revealPtxLine(target.toUInt());
        break;
    case kCounter:
        emit m_intents->revealPane(QStringLiteral("counters"));
        emit m_intents->revealCounter(target.toString());
        break;
    }
    // The completer writes its choice into the field after this.
    QMetaObject::invokeMethod(this, &QLineEdit::clear, Qt::QueuedConnection);
}

} // namespace lanescope::views
