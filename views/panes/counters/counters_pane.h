// SPDX-License-Identifier: GPL-3.0-or-later
// What the launch counted, per launch or per 1,000 FMA, beside what it was before the last change.
#pragma once

#include "engine/session/ncu_report.h"
#include "views/kit/pane.h"

class QTableView;

namespace lanescope::views {

class CountersModel;
class SegmentedButtons;

class CountersPane : public Pane {
    Q_OBJECT
public:
    explicit CountersPane(Intents* intents, QWidget* parent = nullptr);

    QString context() const override;
    QWidget* headerControls() override;
    void setSnapshot(const SnapshotPtr& snapshot) override;
    void setTheme(const Theme& theme) override;
    QAbstractItemModel* table() override;

private:
    void layOut();
    /// The hardware's counters beside those of the launch that is shown, where a file of them is open.
    void compareWithHardware();

    CountersModel* m_model;
    QTableView* m_view;
    SegmentedButtons* m_scale = nullptr;
    bool m_wantsPerFma = false;
    SnapshotPtr m_snapshot;
    std::shared_ptr<const session::RunView> m_compared; ///< the launch, and the file, that were compared last
    std::shared_ptr<const session::NcuReport> m_report;
    QString m_hardwareText, m_hardwareDetail;
};

} // namespace lanescope::views
