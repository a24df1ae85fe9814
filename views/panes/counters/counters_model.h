// SPDX-License-Identifier: GPL-3.0-or-later
// The counters as a table: now, before the last change, and their ratio.
#pragma once

#include <QAbstractTableModel>

#include <memory>
#include <vector>

#include "engine/session/snapshot.h"

namespace lanescope::views {

struct Theme;

class CountersModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { kName, kBefore, kNow, kRatio, kColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void setRun(std::shared_ptr<const session::RunView> run, const QString& title);
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
        int metric;
        double now, before;
        bool scales; ///< a count, which per 1,000 FMA makes sense of
    };
    void refill();
    QString format(double value, const Row& row) const;

    std::shared_ptr<const session::RunView> m_now, m_before;
    QString m_nowTitle, m_beforeTitle;
    bool m_perFma = false;
    bool m_isRunnable = true;
    std::vector<Row> m_rows;
    const Theme* m_theme = nullptr;
};

} // namespace lanescope::views
