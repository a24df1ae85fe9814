// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a comparison as a table: left, right, ratio; the largest difference stands out.
#pragma once

#include <QAbstractTableModel>

#include <memory>

#include "engine/session/comparison.h"

namespace lanescope::views {

struct Theme;

class CompareTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { kName, kLeft, kRight, kRatio, kColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void setComparison(std::shared_ptr<const session::Comparison> comparison, const QString& left,
                       const QString& right);
    void setTheme(const Theme& theme);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const session::Comparison> m_comparison;
    QString m_left, m_right;
    double m_largest = 1; ///< of the finite factors
    const Theme* m_theme = nullptr;
};

} // namespace lanescope::views
