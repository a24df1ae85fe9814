// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/compare/compare_pane.h"

#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

#include "views/kit/controls.h"
#include "views/kit/paint.h"
#include "views/panes/compare/compare_table.h"
#include "views/panes/compare/step_bars.h"

namespace lanescope::views {

ComparePane::ComparePane(Intents* intents, QWidget* parent)
    : Pane(QStringLiteral("compare"), tr("Comparison"), intents, parent), m_bars(new StepBars(this)),
      m_model(new CompareTable(this)), m_table(new QTableView(this)) {
    m_table->setObjectName(QStringLiteral("compare.table"));
    m_table->setAccessibleName(tr("Counters of both sides"));
    m_table->setModel(m_model);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(22);
    m_table->verticalHeader()->setMinimumSectionSize(22);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setMinimumSectionSize(36);
    m_table->horizontalHeader()->setFixedHeight(22);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bars);
    column->addWidget(m_table, 1);
    setFocusProxy(m_table);
    connect(m_model, &QAbstractItemModel::modelReset, this, &ComparePane::layOut);
    layOut();
}

QString ComparePane::context() const {
    if (!m_view.comparison)
        return {};
    return tr("%1 and %2").arg(m_view.name(0), m_view.name(1));
}

QWidget* ComparePane::headerControls() {
    if (!m_base) {
        m_base = new SegmentedButtons(QStringLiteral("compare.base"), {tr("Launch"), tr("1,000 FMA")}, true);
        m_base->setAccessibleName(tr("Counts per launch or per 1,000 multiply-adds"));
        connect(m_base, &SegmentedButtons::activated, this, [this](int index) {
            emit countBaseChosen(index == 1 ? session::CountBase::ThousandFma : session::CountBase::Launch);
        });
    }
    return m_base;
}

void ComparePane::setView(const CompareView& view) {
    m_view = view;
    m_bars->setView(view);
    m_model->setComparison(view.comparison, view.name(0), view.name(1));
    setAccessibleDescription(view.comparison ? QString::fromStdString(view.comparison->results) : QString());
    if (m_base) {
        const bool hasFma = std::all_of(view.sides.begin(), view.sides.end(), [](const CompareView::SideView& side) {
            return side.snapshot && side.snapshot->run && side.snapshot->run->counters.fmaLanes > 0;
        });
        m_base->setSegmentEnabled(1, hasFma, tr("One of the kernels has no multiply-add"));
    }
    emit contextChanged();
}

void ComparePane::setTheme(const Theme& theme) {
    Pane::setTheme(theme);
    m_bars->setTheme(theme);
    m_model->setTheme(theme);
}

QAbstractItemModel* ComparePane::table() {
    return m_model;
}

void ComparePane::layOut() {
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(CompareTable::kName, QHeaderView::Stretch);
    header->setTextElideMode(Qt::ElideRight);
    for (const int column : {CompareTable::kLeft, CompareTable::kRight, CompareTable::kRatio}) {
        header->setSectionResizeMode(column, QHeaderView::Fixed);
        double width = column == CompareTable::kRatio ? 28 : 40;
        for (int row = 0; row < m_model->rowCount(); ++row)
            width = std::max(width, textWidth(Theme::mono(11, QFont::Bold), m_model->index(row, column).data().toString()));
        header->resizeSection(column, static_cast<int>(width) + 24);
    }
}

} // namespace lanescope::views
