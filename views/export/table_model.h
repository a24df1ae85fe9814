// SPDX-License-Identifier: GPL-3.0-or-later
// A read-only table of text: what "View as table" shows of a pane and what its CSV holds.
#pragma once

#include <vector>

#include <QAbstractTableModel>
#include <QStringList>

namespace lanescope::views {

class TableModel : public QAbstractTableModel {
public:
    using QAbstractTableModel::QAbstractTableModel;

    void set(QStringList columns, std::vector<QStringList> rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_columns;
    std::vector<QStringList> m_rows;
};

} // namespace lanescope::views
