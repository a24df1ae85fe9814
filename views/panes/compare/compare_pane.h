// SPDX-License-Identifier: GPL-3.0-or-later
// Both launches in figures: whether they computed the same, what the present step costs on each side, and the counters.
#pragma once

#include "views/panes/compare/compare_view.h"

class QTableView;

namespace lanescope::views {

class CompareTable;
class SegmentedButtons;
class StepBars;

class ComparePane : public Pane {
    Q_OBJECT
public:
    explicit ComparePane(Intents* intents, QWidget* parent = nullptr);

    QString context() const override;
    QWidget* headerControls() override;
    void setSnapshot(const SnapshotPtr&) override {}
    void setView(const CompareView& view);
    void setTheme(const Theme& theme) override;
    QAbstractItemModel* table() override;

signals:
    void countBaseChosen(lanescope::session::CountBase base);

private:
    void layOut();

    StepBars* m_bars;
    CompareTable* m_model;
    QTableView* m_table;
    SegmentedButtons* m_base = nullptr;
    CompareView m_view;
};

} // namespace lanescope::views
