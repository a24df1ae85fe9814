// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/counters/counters_model.h"

#include <QLocale>

#include <cmath>

#include "engine/session/comparison.h"
#include "views/kit/paint.h"
#include "views/kit/theme.h"

namespace lanescope::views {

namespace {

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

} // namespace

void CountersModel::setRun(std::shared_ptr<const session::RunView> run, const QString& title) {
    if (run == m_now)
        return;
    beginResetModel();
    if (m_now && run && m_now->counters.total != run->counters.total) {
        m_before = m_now;
        m_beforeTitle = m_nowTitle;
    }
    if (run) {
        m_now = std::move(run);
        m_nowTitle = title;
    }
    refill();
    endResetModel();
}

void CountersModel::clearHistory() {
    beginResetModel();
    m_before.reset();
    refill();
    endResetModel();
}

void CountersModel::setPerFma(bool on) {
    beginResetModel();
    m_perFma = on;
    refill();
    endResetModel();
}

void CountersModel::setRunnable(bool on) {
    if (on == m_isRunnable)
        return;
    beginResetModel();
    m_isRunnable = on;
    refill();
    endResetModel();
}

void CountersModel::setTheme(const Theme& theme) {
    m_theme = &theme;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, kColumnCount - 1));
}

bool CountersModel::hasFma() const {
    return m_now && m_now->counters.fmaLanes > 0;
}

void CountersModel::refill() {
    m_rows.clear();
    if (!m_now || !m_isRunnable)
        return;
    const auto metrics = sim::metrics();
    const auto scale = [](const session::RunView& run) {
        return run.counters.fmaLanes > 0 ? 1000.0 / double(run.counters.fmaLanes) : 0.0;
    };
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        Row row{static_cast<int>(i), metrics[i].value(m_now->counters),
                m_before ? metrics[i].value(m_before->counters) : 0, session::scalesWithLaunch(metrics[i])};
        if (row.now == 0 && row.before == 0)
            continue;
        if (m_perFma && row.scales) {
            row.now *= scale(*m_now);
            row.before *= m_before ? scale(*m_before) : 0;
        }
        m_rows.push_back(row);
    }
}

int CountersModel::rowOf(const QString& metricId) const {
    const auto metrics = sim::metrics();
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (text(metrics[static_cast<std::size_t>(m_rows[i].metric)].id) == metricId)
            return static_cast<int>(i);
    return -1;
}

int CountersModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int CountersModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumnCount;
}

QString CountersModel::format(double value, const Row& row) const {
    const auto& metric = sim::metrics()[static_cast<std::size_t>(row.metric)];
    // Beside another run there is room for five digits.
    return figureText(value, text(metric.unit), m_before != nullptr);
}

QVariant CountersModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const auto& metric = sim::metrics()[static_cast<std::size_t>(row.metric)];
    const double ratio = row.now != 0 && row.before != 0 ? row.before / row.now : 0;
    const bool isSame = ratio == 0 || std::abs(ratio - 1) < 0.005;
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case kName:
            return text(metric.label);
        case kNow:
            return format(row.now, row);
        case kBefore:
            return m_before ? format(row.before, row) : QString();
        case kRatio:
            if (!m_before)
                return QString();
            return ratioText(row.before, row.now);
        default:
            return {};
        }
    case Qt::ToolTipRole: {
        const QLocale locale(QLocale::English);
        QString tip =
            QStringLiteral("<b>%1</b>: %4 (%2)<br>%3")
                .arg(text(metric.label), text(metric.unit), text(metric.help).toHtmlEscaped(),
                     locale.toString(metric.value(m_now->counters), 'g', 12));
        if (!metric.ncuName.empty())
            tip += tr("<br>Nsight Compute: <code>%1</code>").arg(text(metric.ncuName));
        return tip + tr("<br>In reports: <code>%1</code>").arg(text(metric.id));
    }
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(
            (index.column() == kName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case Qt::FontRole:
        if (index.column() == kName)
            return Theme::ui(12);
        return Theme::mono(11, index.column() == kRatio && !isSame ? QFont::Bold : QFont::Medium);
    case Qt::ForegroundRole:
        if (m_theme && (index.column() == kBefore || (index.column() == kRatio && isSame)))
            return m_theme->tx3;
        return {};
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(text(metric.label), format(row.now, row));
    default:
        return {};
    }
}

QVariant CountersModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((section == kName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    if (role == Qt::ToolTipRole && section == kRatio)
        return tr("Before divided by now: 6.6 means that now needs 6.6 times fewer");
    if (role == Qt::ToolTipRole && m_before && section == kBefore)
        return tr("%1, before the last change").arg(m_beforeTitle);
    if (role == Qt::ToolTipRole && section == kNow)
        return m_nowTitle;
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case kName:
        return tr("Counter");
    case kBefore:
        return tr("Before");
    case kNow:
        return m_before ? tr("Now") : tr("This launch");
    case kRatio:
        return tr("Ratio");
    default:
        return {};
    }
}

} // namespace lanescope::views
