// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/timing/figures_model.h"

#include <QFont>

namespace lanescope::views {

namespace {

QString numberText(double value) { return QString::number(value, 'g', 8); }

} // namespace

void FiguresModel::setTheme(const Theme& theme) {
    m_theme = &theme;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

void FiguresModel::setReport(std::shared_ptr<const session::TimingReport> report) {
    const std::vector<timing::NamedFigure> none;
    const std::vector<timing::NamedFigure>& next = report ? report->parameters.figures : none;
    const bool isSame = next.size() == m_figures.size() &&
                        std::equal(next.begin(), next.end(), m_figures.begin(), [](const auto& a, const auto& b) { return a.key == b.key; });
    // The selection and an open editor stay when only values change.
    if (!isSame)
        beginResetModel();
    m_figures = next;
    if (!isSame)
        endResetModel();
    else if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

timing::Overrides FiguresModel::overrides() const {
    timing::Overrides out;
    for (const timing::NamedFigure& f : m_figures)
        if (f.overridden)
            out[f.key] = f.figure.value;
    return out;
}

int FiguresModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_figures.size());
}

int FiguresModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant FiguresModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const timing::NamedFigure& f = figure(index.row());
    const QString meaning = QString::fromStdString(f.description.empty() ? f.key : f.description);
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case kName:
            return QString::fromStdString(f.key).replace(QLatin1Char('_'), QLatin1Char(' '));
        case kValue:
            return numberText(f.figure.value);
        case kUnit:
            return QString::fromStdString(f.figure.unit);
        default:
            return QString::fromStdString(f.figure.assumed ? "assumed: " + f.figure.source : f.figure.source);
        }
    case Qt::EditRole:
        return index.column() == kValue ? QVariant(numberText(f.figure.value)) : QVariant();
    case Qt::ToolTipRole: {
        QString text = QStringLiteral("%1: %2").arg(QString::fromStdString(f.key), meaning);
        if (f.published)
            text += tr("\nchanged: the GPU's own is %1").arg(numberText(*f.published));
        text += QLatin1Char('\n') + QString::fromStdString(f.figure.source);
        if (!f.figure.note.empty())
            text += QLatin1Char('\n') + QString::fromStdString(f.figure.note);
        return text;
    }
    case Qt::AccessibleTextRole:
        return f.overridden && index.column() == kValue ? tr("%1, changed").arg(numberText(f.figure.value)) : data(index, Qt::DisplayRole);
    case Qt::TextAlignmentRole:
        return int((index.column() == kValue ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::FontRole:
        return index.column() == kValue ? Theme::mono(11, f.overridden ? QFont::Bold : QFont::Normal) : Theme::ui(11);
    case Qt::ForegroundRole:
        if (f.overridden)
            return QBrush(m_theme->warntx);
        return QBrush(index.column() == kValue || index.column() == kName ? m_theme->tx : m_theme->tx3);
    case Qt::BackgroundRole:
        return f.overridden ? QVariant(QBrush(m_theme->warnbg)) : QVariant();
    default:
        return {};
    }
}

QVariant FiguresModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case kName:
        return tr("Figure");
    case kValue:
        return tr("Value");
    case kUnit:
        return tr("Unit");
    default:
        return tr("Source");
    }
}

Qt::ItemFlags FiguresModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags all = Qt::ItemIsSelectable | Qt::ItemIsEnabled;
    return index.column() == kValue ? all | Qt::ItemIsEditable : all;
}

bool FiguresModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || index.column() != kValue)
        return false;
    const timing::NamedFigure& f = figure(index.row());
    bool isNumber = false;
    const double number = value.toString().trimmed().toDouble(&isNumber);
    const double own = f.published.value_or(f.figure.value);
    if (!isNumber || !(number >= f.least && number <= f.most)) {
        emit refused(tr("%1: give a number from %2 to %3, not \"%4\"")
                         .arg(QString::fromStdString(f.key), numberText(f.least), numberText(f.most), value.toString().trimmed()));
        return false;
    }
    if (number == f.figure.value)
        return true;
    timing::Overrides changed = overrides();
    if (number == own)
        changed.erase(f.key); // the GPU's own again
    else
        changed[f.key] = number;
    emit edited(changed);
    return true;
}

} // namespace lanescope::views
