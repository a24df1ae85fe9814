// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the SM's timing as a table whose values can be edited.
#pragma once

#include <QAbstractTableModel>

#include <memory>
#include <vector>

#include "engine/session/timing.h"
#include "views/kit/theme.h"

namespace lanescope::views {

class FiguresModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { kName, kValue, kUnit, kSource, kColumns };

    using QAbstractTableModel::QAbstractTableModel;

    void setTheme(const Theme& theme);
    /// Null: none.
    void setReport(std::shared_ptr<const session::TimingReport> report);
    const timing::NamedFigure& figure(int row) const { return m_figures[static_cast<std::size_t>(row)]; }
    /// Those that are changed.
    timing::Overrides overrides() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Emits edited(), or refused() when it is no number or out of the figure's range.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    void edited(const lanescope::timing::Overrides& overrides);
    void refused(const QString& why);

private:
    std::vector<timing::NamedFigure> m_figures;
    const Theme* m_theme = &Theme::light();
};

} // namespace lanescope::views
