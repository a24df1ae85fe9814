// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/performance_pane.h"

#include <QShowEvent>

namespace lanescope::views {

PerformancePane::PerformancePane(const QString& id, const QString& title, Intents* intents,
                                 QWidget* parent)
    : PaintedPane(id, title, intents, parent), m_store(PerformanceStore::of(intents)),
      m_shown(m_store->performance()) {
    connect(m_store, &PerformanceStore::changed, this, [this] { refresh(); });
}

void PerformancePane::setSnapshot(const SnapshotPtr& snapshot) {
    m_store->setSnapshot(snapshot);
}

QAbstractItemModel* PerformancePane::table() {
    fillTable(m_table);
    return &m_table;
}

void PerformancePane::showEvent(QShowEvent* event) {
    PaintedPane::showEvent(event);
    m_store->want();
}

void PerformancePane::refresh() {
    m_shown = m_store->performance();
    refreshed();
    m_context = contextText();
    setAccessibleDescription(description());
    emit contextChanged();
    invalidate();
}

} // namespace lanescope::views
