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

void CountersModel::setHardware(std::shared_ptr<const session::HardwareComparison> hardware) {
    if (hardware == m_hardware)
        return;
    beginResetModel();
    m_hardware = std::move(hardware);
    refill();
    endResetModel();
}

void CountersModel::addRow(int metric, const session::HardwareFigure* figure) {
    const auto scale = [](const session::RunView& run) {
        return run.counters.fmaLanes > 0 ? 1000.0 / double(run.counters.fmaLanes) : 0.0;
    };
    Row row{metric, figure != nullptr ? figure->ours.value : 0, 0, false, figure, 1};
    if (metric >= 0) {
        const sim::Metric& m = sim::metrics()[static_cast<std::size_t>(metric)];
        row.now = m.value(m_now->counters);
        row.before = m_before ? m.value(m_before->counters) : 0;
        row.scales = session::scalesWithLaunch(m);
    }
    const bool hasHardware = figure != nullptr && figure->hardware.value_or(0) != 0;
    if (row.now == 0 && row.before == 0 && !hasHardware)
        return;
    if (m_perFma && row.scales) {
        row.factor = scale(*m_now);
        row.now *= row.factor;
        row.before *= m_before ? scale(*m_before) : 0;
    }
    m_rows.push_back(row);
}

void CountersModel::refill() {
    m_rows.clear();
    if (!m_now || !m_isRunnable)
        return;
    const auto metrics = sim::metrics();
    const auto indexOf = [&](const std::string& id) {
        for (std::size_t i = 0; i < metrics.size(); ++i)
            if (metrics[i].id == id)
                return static_cast<int>(i);
        return -1;
    };
    // Beside the hardware: what differs comes first.
    if (m_hardware)
        for (const session::HardwareFigure& figure : m_hardware->figures)
            addRow(indexOf(figure.ours.id), &figure);
    for (std::size_t i = 0; i < metrics.size(); ++i)
        if (!m_hardware || metrics[i].ncuName.empty())
            addRow(static_cast<int>(i), nullptr);
}

int CountersModel::rowOf(const QString& metricId) const {
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (wordsOf(m_rows[i]).id == metricId)
            return static_cast<int>(i);
    return -1;
}

CountersModel::Words CountersModel::wordsOf(const Row& row) const {
    if (row.metric >= 0) {
        const sim::Metric& m = sim::metrics()[static_cast<std::size_t>(row.metric)];
        return {text(m.label), text(m.unit), text(m.help), text(m.id), text(m.ncuName)};
    }
    const session::NamedMetric& m = row.figure->ours;
    return {text(m.label), text(m.unit), text(m.help), {}, text(m.ncuName)};
}

int CountersModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int CountersModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumnCount;
}

QString CountersModel::format(double value, const Row& row) const {
    // Beside another figure there is room for five digits.
    return figureText(value, wordsOf(row).unit, m_before != nullptr || m_hardware);
}

QString CountersModel::differenceText(const Row& row) const {
    if (row.figure == nullptr || !row.figure->hardware)
        return QStringLiteral("–");
    if (row.figure->isEqual)
        return tr("equal");
    const auto relative = row.figure->relative();
    if (!relative)
        return QStringLiteral("∞");
    const double percent = 100 * *relative;
    return (percent >= 0 ? QStringLiteral("+") : QStringLiteral("−")) +
           QString::number(std::fabs(percent), 'f', std::fabs(percent) < 10 ? 1 : 0) + QLatin1Char('%');
}

QString CountersModel::toolTip(const Row& row) const {
    const QLocale locale(QLocale::English);
    const Words words = wordsOf(row);
    const auto exact = [&locale](double value) { return locale.toString(value, 'g', 12); };
    QString tip = QStringLiteral("<b>%1</b>: %4 (%2)<br>%3")
                      .arg(words.label, words.unit, words.help.toHtmlEscaped(), exact(row.now / row.factor));
    if (!words.ncuName.isEmpty())
        tip += tr("<br>Nsight Compute: <code>%1</code>").arg(words.ncuName);
    if (row.figure != nullptr && row.figure->hardware) {
        tip += tr("<br>Hardware: %1").arg(exact(*row.figure->hardware));
        tip += row.figure->isEqual ? tr(", equal") : tr("; ours is %1 apart").arg(exact(row.figure->difference()));
        if (!row.figure->from.empty())
            tip += tr("<br>From <code>%1</code>").arg(text(row.figure->from));
        if (!row.figure->remark.empty())
            tip += QStringLiteral("<br>") + text(row.figure->remark).toHtmlEscaped();
    }
    return words.id.isEmpty() ? tip : tip + tr("<br>In reports: <code>%1</code>").arg(words.id);
}

QVariant CountersModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const double ratio = row.now != 0 && row.before != 0 ? row.before / row.now : 0;
    const bool isSame = ratio == 0 || std::abs(ratio - 1) < 0.005;
    const bool isCompared = row.figure != nullptr && row.figure->hardware;
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case kName:
            return wordsOf(row).label;
        case kNow:
            return format(row.now, row);
        case kBefore:
            return m_before ? format(row.before, row) : QString();
        case kRatio:
            if (!m_before)
                return QString();
            return ratioText(row.before, row.now);
        case kHardware:
            return isCompared ? format(*row.figure->hardware * row.factor, row) : m_hardware ? QStringLiteral("–") : QString();
        case kDifference:
            return m_hardware ? differenceText(row) : QString();
        default:
            return {};
        }
    case Qt::ToolTipRole:
        return toolTip(row);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(
            (index.column() == kName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case Qt::FontRole:
        if (index.column() == kName)
            return Theme::ui(12);
        return Theme::mono(11, (index.column() == kRatio && !isSame) || (index.column() == kDifference && isCompared && !row.figure->isEqual) ? QFont::Bold : QFont::Medium);
    case Qt::ForegroundRole:
        if (m_theme && (index.column() == kBefore || (index.column() == kRatio && isSame)))
            return m_theme->tx3;
        if (m_theme && index.column() == kDifference)
            return !isCompared ? m_theme->tx3 : row.figure->isEqual ? m_theme->oktx : row.figure->remark.empty() ? m_theme->errtx : m_theme->tx;
        return {};
    case Qt::AccessibleTextRole: {
        QString said = QStringLiteral("%1: %2").arg(wordsOf(row).label, format(row.now, row));
        if (isCompared)
            said += tr(", hardware %1, %2").arg(format(*row.figure->hardware * row.factor, row), differenceText(row));
        return said;
    }
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
    if (role == Qt::ToolTipRole && m_hardware && section == kHardware)
        return tr("%1, launch %2 of %3").arg(text(m_hardware->file), text(m_hardware->launchId), text(m_hardware->kernel));
    if (role == Qt::ToolTipRole && section == kDifference)
        return tr("How far ours is from the hardware's; point at a row for why");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case kName:
        return tr("Counter");
    case kBefore:
        return tr("Before");
    case kNow:
        return m_hardware ? tr("Ours") : m_before ? tr("Now") : tr("This launch");
    case kRatio:
        return tr("Ratio");
    case kHardware:
        return tr("Hardware");
    case kDifference:
        return tr("Off by");
    default:
        return {};
    }
}

} // namespace lanescope::views
