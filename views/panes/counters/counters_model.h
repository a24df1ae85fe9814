// SPDX-License-Identifier: GPL-3.0-or-later
// The counters as a table: now, before the last change, and their ratio; or beside the hardware's, with the difference.
#pragma once

#include <QAbstractTableModel>

#include <memory>
#include <vector>

#include "engine/session/hardware_counters.h"
#include "engine/session/snapshot.h"

namespace lanescope::views {

struct Theme;

class CountersModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { kName, kBefore, kNow, kRatio, kHardware, kDifference, kColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void setRun(std::shared_ptr<const session::RunView> run, const QString& title);
    /// Null: nothing was measured of this launch.
    void setHardware(std::shared_ptr<const session::HardwareComparison> hardware);
    bool hasHardware() const { return m_hardware != nullptr; }
    void setPerFma(bool on);
    /// What is open could not run: there are no figures until it does.
    void setRunnable(bool on);
    void setTheme(const Theme& theme);
    /// Forgets the run before (another lesson).
    void clearHistory();
    bool hasBefore() const { return m_before != nullptr; }
    bool hasFma() const;
    /// The row of a metric, -1 when it is not shown.
    int rowOf(const QString& metricId) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        int metric; ///< of sim::metrics(); -1: a figure of the launch that only the comparison has
        double now, before;
        bool scales; ///< a count, which per 1,000 FMA makes sense of
        const session::HardwareFigure* figure = nullptr; ///< of m_hardware
        double factor = 1; ///< of now, for the hardware's figure
    };
    struct Words {
        QString label, unit, help, id, ncuName;
    };
    void refill();
    void addRow(int metric, const session::HardwareFigure* figure);
    Words wordsOf(const Row& row) const;
    QString format(double value, const Row& row) const;
    QString differenceText(const Row& row) const;
    QString toolTip(const Row& row) const;

    std::shared_ptr<const session::RunView> m_now, m_before;
    std::shared_ptr<const session::HardwareComparison> m_hardware;
    QString m_nowTitle, m_beforeTitle;
    bool m_perFma = false;
    bool m_isRunnable = true;
    std::vector<Row> m_rows;
    const Theme* m_theme = nullptr;
};

} // namespace lanescope::views
