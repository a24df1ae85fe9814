// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/course/course_pane.h"

#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <map>

#include "views/bridge/lesson_model.h"
#include "views/kit/icons.h"
#include "views/kit/paint.h"

namespace lanescope::views {

namespace {

enum Role { kIdRole = Qt::UserRole, kCountRole, kStateRole, kOpenRole };
constexpr int kRowHeight = 21;

class CourseDelegate : public QStyledItemDelegate {
public:
    CourseDelegate(QTreeWidget* tree)
        : QStyledItemDelegate(tree), m_tree(tree), m_theme(&Theme::light()) {}
    void setTheme(const Theme& theme) { m_theme = &theme; }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {100, kRowHeight};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme& theme = *m_theme;
        const QRectF row(0, option.rect.top(), m_tree->viewport()->width(), option.rect.height());
        const bool isSection = !index.parent().isValid();
        const bool isOpenLesson = index.data(kOpenRole).toBool();
        const bool isCurrent =
            (option.state & QStyle::State_Selected) && (option.state & QStyle::State_HasFocus);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->fillRect(row, isOpenLesson                               ? theme.accbg
                               : (option.state & QStyle::State_MouseOver) ? theme.alt
                                                                          : theme.pane);
        if (isOpenLesson)
            painter->fillRect(QRectF(row.left(), row.top(), 3, row.height()), theme.acc);
        if (isCurrent)
            crispFrame(*painter, row, theme.acc);
        const QRectF icon(isSection ? 8 : 26, row.center().y() - (isSection ? 6 : 7),
                          isSection ? 12 : 14, isSection ? 12 : 14);
        if (isSection)
            drawIcon(*painter, icon,
                     m_tree->isExpanded(index) ? Icon::ChevronDown : Icon::ChevronRight, theme.tx3,
                     theme);
        else
            drawIcon(*painter, icon, stateIcon(index.data(kStateRole).toInt()), theme.tx3, theme);
        const QString count = index.data(kCountRole).toString();
        const double countWidth = textWidth(Theme::ui(11), count);
        drawText(*painter, row.adjusted(0, 0, -10, 0), count, Theme::ui(11), theme.tx3,
                 Qt::AlignRight | Qt::AlignVCenter);
        const QRectF name(icon.right() + 6, row.top(),
                          row.right() - 16 - countWidth - icon.right() - 6, row.height());
        drawText(*painter, name, index.data().toString(),
                 Theme::ui(12, isSection || isOpenLesson ? QFont::DemiBold : QFont::Normal),
                 isOpenLesson ? theme.acctx : theme.tx);
        painter->restore();
    }

private:
    static Icon stateIcon(int state) {
        switch (static_cast<LessonModel::State>(state)) {
        case LessonModel::State::Done:
            return Icon::TickDisc;
        case LessonModel::State::InProgress:
            return Icon::HalfDisc;
        case LessonModel::State::ToDo:
            return Icon::Ring;
        }
        return Icon::Ring;
    }

    QTreeWidget* m_tree;
    const Theme* m_theme;
};

} // namespace

CoursePane::CoursePane(LessonModel* lessons, Intents* intents, QWidget* parent)
    : Pane(QStringLiteral("course"), tr("Course"), intents, parent), m_lessons(lessons),
      m_tree(new QTreeWidget(this)) {
    m_tree->setObjectName(QStringLiteral("course.tree"));
    m_tree->setAccessibleName(tr("Lessons"));
    m_tree->setHeaderHidden(true);
    m_tree->setRootIsDecorated(false);
    m_tree->setIndentation(0);
    m_tree->setUniformRowHeights(true);
    m_tree->setMouseTracking(true);
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setItemDelegate(new CourseDelegate(m_tree));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 3, 0, 0);
    column->addWidget(m_tree);
    setFocusProxy(m_tree);
    connect(m_tree, &QTreeWidget::itemClicked, this,
            [this](QTreeWidgetItem* item) { openItem(item); });
    // Return on a section folds it, on a lesson opens it.
    connect(m_tree, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        if (item->parent() && !item->data(0, kOpenRole).toBool())
            openItem(item);
    });
    connect(m_lessons, &LessonModel::lessonChanged, this, &CoursePane::refresh);
    connect(m_lessons, &LessonModel::progressChanged, this, &CoursePane::refresh);
    rebuild();
}

QString CoursePane::context() const {
    const auto count = m_lessons->source().course().size();
    if (count == 0)
        return tr("no lessons");
    return tr("%1 of %2 done").arg(m_lessons->lessonsDone()).arg(count);
}

void CoursePane::setTheme(const Theme& theme) {
    Pane::setTheme(theme);
    static_cast<CourseDelegate*>(m_tree->itemDelegate())->setTheme(theme);
    m_tree->viewport()->update();
}

void CoursePane::rebuild() {
    m_tree->clear();
    std::map<QString, QTreeWidgetItem*> sections;
    for (const CourseEntry& entry : m_lessons->source().course()) {
        QTreeWidgetItem*& section = sections[entry.section];
        if (!section) {
            section = new QTreeWidgetItem(m_tree, {entry.section});
            section->setExpanded(true);
        }
        auto* item = new QTreeWidgetItem(section, {entry.title});
        item->setData(0, kIdRole, entry.id);
        item->setToolTip(0, entry.number.isEmpty()
                                ? entry.title
                                : tr("Lesson %1: %2").arg(entry.number, entry.title));
    }
    refresh();
}

void CoursePane::refresh() {
    std::map<QString, std::pair<int, int>> totals; // section -> done, all
    std::map<QString, const CourseEntry*> entries;
    for (const CourseEntry& entry : m_lessons->source().course()) {
        entries[entry.id] = &entry;
        auto& [done, all] = totals[entry.section];
        ++all;
        done += m_lessons->stateOf(entry) == LessonModel::State::Done ? 1 : 0;
    }
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        QTreeWidgetItem* section = m_tree->topLevelItem(i);
        const auto& [done, all] = totals[section->text(0)];
        section->setData(0, kCountRole,
                         tr("%1 / %2").arg(done).arg(all) +
                             (done == all ? QStringLiteral(" ✓") : QString()));
        for (int j = 0; j < section->childCount(); ++j) {
            QTreeWidgetItem* item = section->child(j);
            const CourseEntry& entry = *entries[item->data(0, kIdRole).toString()];
            const auto state = m_lessons->stateOf(entry);
            item->setData(0, kStateRole, static_cast<int>(state));
            item->setData(0, kCountRole,
                          state == LessonModel::State::InProgress
                              ? tr("%1 / %2").arg(m_lessons->stepsDone(entry.id)).arg(entry.steps)
                          : entry.minutes > 0 ? tr("%1 min").arg(entry.minutes)
                                              : QString());
            const bool isOpen = m_lessons->lesson() && m_lessons->lesson()->id == entry.id;
            item->setData(0, kOpenRole, isOpen);
            if (isOpen) {
                m_tree->setCurrentItem(item);
                m_tree->scrollToItem(item);
            }
        }
    }
    emit contextChanged();
}

void CoursePane::openItem(QTreeWidgetItem* item) {
    if (!item->parent())
        item->setExpanded(!item->isExpanded());
    else
        emit intents()->openLesson(item->data(0, kIdRole).toString());
}

} // namespace lanescope::views
