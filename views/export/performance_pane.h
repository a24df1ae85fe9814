// SPDX-License-Identifier: GPL-3.0-or-later
// What the painted panes of the performance page share: they paint from the PerformanceStore.
#pragma once

#include "views/export/painted_pane.h"
#include "views/export/performance_store.h"
#include "views/export/table_model.h"

namespace lanescope::views {

class PerformancePane : public PaintedPane {
public:
    PerformancePane(const QString& id, const QString& title, Intents* intents, QWidget* parent);

    QString context() const override { return m_context; }
    bool isBusy() const override { return m_store->isBusy(); }
    void setSnapshot(const SnapshotPtr& snapshot) override;
    QAbstractItemModel* table() override;

protected:
    /// The store has other figures: what to show beside the title, and in words.
    virtual QString contextText() const = 0;
    virtual QString description() const { return contextText(); }
    virtual void fillTable(TableModel& table) const = 0;
    virtual void refreshed() {}

    const Performance& performance() const { return *m_shown; }
    const KernelEntry* kernel() const { return m_shown->find(m_shown->roofline.selected); }
    PerformanceStore* store() const { return m_store; }
    void showEvent(QShowEvent* event) override;
    void refresh();

private:
    PerformanceStore* m_store;
    std::shared_ptr<const Performance> m_shown;
    QString m_context;
    TableModel m_table;
};

} // namespace lanescope::views
