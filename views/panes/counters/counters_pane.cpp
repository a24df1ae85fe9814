// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/counters/counters_pane.h"

#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

#include "engine/session/hardware_counters.h"
#include "views/bridge/hardware_store.h"
#include "views/kit/controls.h"
#include "views/kit/paint.h"
#include "views/panes/counters/counters_model.h"

namespace lanescope::views {

CountersPane::CountersPane(Intents* intents, QWidget* parent)
    : Pane(QStringLiteral("counters"), tr("Counters"), intents, parent),
      m_model(new CountersModel(this)), m_view(new QTableView(this)) {
    m_view->setObjectName(QStringLiteral("counters.table"));
    m_view->setAccessibleName(tr("Counters"));
    m_view->setModel(m_model);
    m_view->setAlternatingRowColors(true);
    m_view->setShowGrid(false);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setWordWrap(false);
    m_view->setTabKeyNavigation(false);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(22);
    m_view->verticalHeader()->setMinimumSectionSize(22);
    m_view->horizontalHeader()->setHighlightSections(false);
    m_view->horizontalHeader()->setMinimumSectionSize(36);
    m_view->horizontalHeader()->setFixedHeight(22);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view);
    setFocusProxy(m_view);
    connect(m_model, &QAbstractItemModel::modelReset, this, &CountersPane::layOut);
    connect(HardwareStore::of(intents), &HardwareStore::countersChanged, this, &CountersPane::compareWithHardware);
    connect(intents, &Intents::openLesson, this, [this] { m_model->clearHistory(); });
    connect(intents, &Intents::revealCounter, this, [this](const QString& id) {
        if (const int row = m_model->rowOf(id); row >= 0) {
            m_view->selectRow(row);
            m_view->scrollTo(m_model->index(row, 0), QAbstractItemView::PositionAtCenter);
        }
    });
    layOut();
}

QString CountersPane::context() const {
    if (!m_snapshot || !m_snapshot->program)
        return {};
    if (!m_snapshot->run)
        return m_snapshot->busy ? QString() : tr("not launched: see the parameters and findings");
    const QString kind = m_snapshot->run->blocksSimulated < m_snapshot->run->blocksInGrid ? tr("modelled, sampled blocks") : tr("modelled");
    return m_hardwareText.isEmpty() ? kind : m_hardwareText + QStringLiteral(" · ") + kind;
}

QWidget* CountersPane::headerControls() {
    if (!m_scale) {
        m_scale = new SegmentedButtons(QStringLiteral("counters.scale"),
                                       {tr("Launch"), tr("1,000 FMA")}, true);
        m_scale->setAccessibleName(tr("Counts per launch or per 1,000 multiply-adds"));
        connect(m_scale, &SegmentedButtons::activated, this, [this](int index) {
            m_wantsPerFma = index == 1;
            m_model->setPerFma(m_wantsPerFma && m_model->hasFma());
        });
    }
    return m_scale;
}

void CountersPane::setSnapshot(const SnapshotPtr& snapshot) {
    m_snapshot = snapshot;
    if (!snapshot)
        return;
    // Figures of an earlier launch do not stay beside parameters that cannot launch.
    if (!snapshot->busy)
        m_model->setRunnable(snapshot->run != nullptr);
    if (!snapshot->run) {
        emit contextChanged();
        return;
    }
    const QString title =
        snapshot->program ? QString::fromStdString(snapshot->program->id) : QString();
    m_model->setRun(snapshot->run, title);
    compareWithHardware();
    const bool canScale = m_model->hasFma();
    if (m_scale) {
        m_scale->setSegmentEnabled(1, canScale, tr("This kernel has no multiply-add"));
        m_scale->setCurrent(m_wantsPerFma && canScale ? 1 : 0);
    }
    emit contextChanged();
}

void CountersPane::setTheme(const Theme& theme) {
    Pane::setTheme(theme);
    m_model->setTheme(theme);
}

QAbstractItemModel* CountersPane::table() {
    return m_model;
}

void CountersPane::compareWithHardware() {
    const auto& report = HardwareStore::of(intents())->counters();
    const auto run = m_snapshot ? m_snapshot->run : nullptr;
    if (report == m_report && run == m_compared)
        return;
    m_report = report;
    m_compared = run;
    std::shared_ptr<const session::HardwareComparison> comparison;
    m_hardwareText.clear();
    m_hardwareDetail.clear();
    if (report && run && run->hardwareSide) {
        if (auto compared = session::compareWithHardware(*run->hardwareSide, *report)) {
            comparison = std::make_shared<const session::HardwareComparison>(std::move(*compared));
            m_hardwareText = tr("%1 equal, %2 off").arg(comparison->equal).arg(comparison->different);
            QStringList notes;
            for (const std::string& note : comparison->notes)
                notes << QString::fromStdString(note);
            if (!notes.isEmpty()) {
                m_hardwareText.prepend(tr("another launch; "));
                m_hardwareDetail = notes.join(QStringLiteral("; "));
                emit intents()->message(tr("Nsight Compute: %1").arg(m_hardwareDetail));
            }
        } else {
            m_hardwareDetail = QString::fromStdString(toString(compared.error()));
            m_hardwareText = tr("not in the hardware's file");
            emit intents()->message(m_hardwareDetail);
        }
    }
    m_view->setAccessibleDescription(m_hardwareDetail);
    m_model->setHardware(std::move(comparison));
    emit contextChanged();
}

void CountersPane::layOut() {
    QHeaderView* header = m_view->horizontalHeader();
    const bool hasHardware = m_model->hasHardware(), hasBefore = m_model->hasBefore() && !hasHardware;
    m_view->setColumnHidden(CountersModel::kBefore, !hasBefore);
    m_view->setColumnHidden(CountersModel::kRatio, !hasBefore);
    m_view->setColumnHidden(CountersModel::kHardware, !hasHardware);
    m_view->setColumnHidden(CountersModel::kDifference, !hasHardware);
    header->setSectionResizeMode(CountersModel::kName, QHeaderView::Stretch);
    header->setTextElideMode(Qt::ElideRight);
    // As wide as its numbers; a long name of a kernel must not push them out of sight.
    for (const int column : {CountersModel::kBefore, CountersModel::kNow, CountersModel::kRatio, CountersModel::kHardware, CountersModel::kDifference}) {
        header->setSectionResizeMode(column, QHeaderView::Fixed);
        double width = column == CountersModel::kRatio ? 28 : column == CountersModel::kHardware ? 54 : hasBefore || hasHardware ? 40 : 66;
        for (int row = 0; row < m_model->rowCount(); ++row)
            width = std::max(width, textWidth(Theme::mono(11, QFont::Bold),
                                              m_model->index(row, column).data().toString()));
        header->resizeSection(column, static_cast<int>(width) + (hasHardware ? 16 : 20));
    }
}

} // namespace lanescope::views
