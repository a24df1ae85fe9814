// SPDX-License-Identifier: GPL-3.0-or-later
// The registers of the selected lane: name, type, value; those that the step wrote stand out.
#pragma once

#include "views/kit/pane.h"

class QTableView;

namespace lanescope::views {

class RegistersModel;

class RegistersPane : public Pane {
    Q_OBJECT
public:
    explicit RegistersPane(Intents* intents, QWidget* parent = nullptr);

    QString context() const override;
    void setSnapshot(const SnapshotPtr& snapshot) override;
    void setTheme(const Theme& theme) override;
    QAbstractItemModel* table() override;

private:
    RegistersModel* m_model;
    QTableView* m_view;
    SnapshotPtr m_snapshot;
};

} // namespace lanescope::views
