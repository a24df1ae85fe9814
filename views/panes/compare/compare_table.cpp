// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/compare/compare_table.h"

#include <algorithm>
#include <cmath>

#include "views/kit/paint.h"
#include "views/kit/theme.h"

namespace lanescope::views {

namespace {

/// Closer than this is the same.
constexpr double kSame = 1.005;

} // namespace

void CompareTable::setComparison(std::shared_ptr<const session::Comparison> comparison,
                                 const QString& left, const QString& right) {
    if (comparison == m_comparison && left == m_left && right == m_right)
        return;
    beginResetModel();
    m_comparison = std::move(comparison);
    m_left = left;
    m_right = right;
    m_largest = 1;
    if (m_comparison)
        for (const session::ComparedFigure& f : m_comparison->figures)
            if (std::isfinite(f.factor()))
                m_largest = std::max(m_largest, f.factor());
    endResetModel();
}

void CompareTable::setTheme(const Theme& theme) {
    m_theme = &theme;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, kColumnCount - 1));
}

int CompareTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !m_comparison ? 0 : static_cast<int>(m_comparison->figures.size());
}

int CompareTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumnCount;
}

QVariant CompareTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const session::ComparedFigure& f = m_comparison->figures[static_cast<std::size_t>(index.row())];
    const QString unit = QString::fromStdString(f.unit);
    const bool isSame = f.factor() < kSame;
    const bool isLarger = (index.column() == kLeft && f.left > f.right) ||
                          (index.column() == kRight && f.right > f.left);
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case kName:
            return QString::fromStdString(f.label);
        case kLeft:
            return figureText(f.left, unit, true);
        case kRight:
            return figureText(f.right, unit, true);
        default:
            return ratioText(f.left, f.right);
        }
    case Qt::ToolTipRole:
        return QStringLiteral("<b>%1</b> (%2, %3)<br>%4<br>%5: %6<br>%7: %8<br>%9: %10")
            .arg(QString::fromStdString(f.label), unit == QLatin1String("1") ? tr("a share") : unit,
                 f.isModelled ? tr("modelled") : tr("counted"),
                 QString::fromStdString(f.help).toHtmlEscaped(), m_left.toHtmlEscaped(),
                 QString::number(f.left, 'g', 12), m_right.toHtmlEscaped(),
                 QString::number(f.right, 'g', 12))
            .arg(tr("Right less left"), QString::number(f.difference(), 'g', 12));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(
            (index.column() == kName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case Qt::FontRole:
        if (index.column() == kName) {
            QFont font = Theme::ui(12);
            font.setItalic(f.isModelled);
            return font;
        }
        return Theme::mono(11, !isSame && (index.column() == kRatio || isLarger) ? QFont::Bold
                                                                                 : QFont::Medium);
    case Qt::ForegroundRole:
        if (m_theme && isSame && index.column() != kName)
            return m_theme->tx3;
        if (m_theme && index.column() == kRatio && f.factor() == m_largest)
            return m_theme->warntx;
        return {};
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2 and %3")
            .arg(QString::fromStdString(f.label), figureText(f.left, unit, false),
                 figureText(f.right, unit, false));
    default:
        return {};
    }
}

QVariant CompareTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    switch (role) {
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((section == kName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case Qt::ToolTipRole:
        return section == kLeft    ? m_left
               : section == kRight ? m_right
               : section == kRatio ? tr("Left divided by right: 6.6 means 6.6 times as much at the left")
                                   : tr("Italic: modelled. The largest ratio is marked.");
    case Qt::DisplayRole:
        return section == kName    ? tr("Counter")
               : section == kLeft  ? tr("Left")
               : section == kRight ? tr("Right")
                                   : tr("Ratio");
    default:
        return {};
    }
}

} // namespace lanescope::views
