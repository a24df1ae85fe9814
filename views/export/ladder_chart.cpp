// SPDX-License-Identifier: GPL-3.0-or-later
// The ladder: two bars a rung, hollow modelled and filled measured, and the model's error at the right.
#include <algorithm>
#include <cmath>

#include "views/export/canvas.h"
#include "views/export/ladder_data.h"

namespace lanescope::views {

namespace {

constexpr double kTop = 30, kBottom = 36, kErrorWidth = 78;

struct Geometry {
    double left = 0, right = 0, top = 0, row = 0, most = 1;
    double x(double flops) const { return left + (right - left) * flops / most; }
};

Geometry geometryOf(const QRectF& rect, const LadderData& d) {
    Geometry g;
    double label = 0;
    for (const LadderEntry& e : d.entries) {
        label = std::max(label, Canvas::width(QString::fromStdString(e.name), Theme::ui(12)));
        g.most = std::max({g.most, e.measuredFlopsPerSecond, e.modelledFlopsPerSecond.value_or(0)});
    }
    g.most = std::max(g.most, d.bestFlopsPerSecond);
    g.left = rect.left() + 14 + std::min(label, rect.width() * 0.34) + 12;
    g.right = rect.right() - kErrorWidth - 44; // room for a bar's figure
    g.top = rect.top() + kTop;
    g.row = (rect.height() - kTop - kBottom) / double(std::max<std::size_t>(1, d.entries.size()));
    return g;
}

/// 1, 2 or 5 times a power of ten, so that about this many fit.
double stepOf(double most, double count) {
    const double raw = most / count, power = std::pow(10, std::floor(std::log10(raw)));
    return power * (raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10);
}

void paintAxis(Canvas& c, const Geometry& g, const LadderData& d) {
    const Theme& t = c.theme();
    const double bottom = g.top + g.row * double(d.entries.size());
    const double step = stepOf(g.most / 1e12, std::clamp((g.right - g.left) / 34, 1.0, 8.0)) * 1e12;
    for (double v = 0; v <= g.most * 1.0001; v += step) {
        const double x = std::floor(g.x(v)) + 0.5;
        c.line({x, g.top}, {x, bottom}, v == 0 ? t.line2 : t.grid);
        c.text(x, bottom + 14, shortNumber(v / 1e12), {Theme::mono(10.5), t.tx3, Align::Center});
    }
    c.text((g.left + g.right) / 2, bottom + 29, QStringLiteral("TFLOP/s"), {Theme::ui(11), t.tx2, Align::Center});
    if (d.bestFlopsPerSecond > 0) {
        const double x = std::floor(g.x(d.bestFlopsPerSecond)) + 0.5;
        c.line({x, g.top - 4}, {x, bottom}, t.tx, 1.2, {1.5, 3});
    }
}

void paintHead(Canvas& c, const QRectF& rect, const Geometry& g, const LadderData& d) {
    const Theme& t = c.theme();
    const double y = rect.top() + 19;
    c.box({rect.left() + 14, y - 9, 22, 10}, t.pane, t.acc, 1.5);
    double x = c.text(rect.left() + 42, y, QStringLiteral("modelled"), {Theme::ui(11), t.tx2}).right() + 14;
    c.fill({x, y - 9, 22, 10}, t.acc);
    x = c.text(x + 28, y, QStringLiteral("measured"), {Theme::ui(11), t.tx2}).right() + 14;
    c.text(rect.right() - 14, y, QStringLiteral("model error"), {Theme::ui(11), t.tx3, Align::Right});
    if (d.bestFlopsPerSecond <= 0)
        return;
    const QString best = QStringLiteral("%1 %2").arg(QString::fromStdString(d.bestName), shortNumber(d.bestFlopsPerSecond / 1e12));
    const double width = Canvas::width(best, Theme::ui(11)), limit = rect.right() - kErrorWidth - 10;
    const double at = std::min(g.x(d.bestFlopsPerSecond) + width / 2, limit);
    if (at - width > x)
        c.text(at, y, best, {Theme::ui(11), t.tx2, Align::Right});
}

} // namespace

void paintLadder(Canvas& c, const QRectF& rect, const LadderData& d) {
    const Theme& t = c.theme();
    c.fill(rect, t.pane);
    if (d.entries.empty()) {
        c.textFit(rect.center().x(), rect.center().y(), rect.width() - 32,
                  d.problem.empty() ? QStringLiteral("The ladder is being modelled") : QString::fromStdString(d.problem),
                  {Theme::ui(12), t.tx3, Align::Center});
        return;
    }
    const Geometry g = geometryOf(rect, d);
    for (std::size_t i = 0; i < d.entries.size(); ++i)
        if (d.entries[i].kernel == d.selected) {
            c.fill({rect.left(), g.top + g.row * double(i), rect.width(), g.row}, t.accbg);
            c.fill({rect.left(), g.top + g.row * double(i), 3, g.row}, t.acc);
        }
    paintAxis(c, g, d);
    paintHead(c, rect, g, d);
    const double bar = std::clamp((g.row - 6) / 2, 4.0, 11.0);
    const bool hasFigures = bar >= 9;
    const TextStyle figure{Theme::mono(10.5), t.tx};
    for (std::size_t i = 0; i < d.entries.size(); ++i) {
        const LadderEntry& e = d.entries[i];
        const QColor& ground = e.kernel == d.selected ? t.accbg : t.pane;
        const double middle = g.top + g.row * (double(i) + 0.5);
        c.textFit(rect.left() + 14, middle + 4, g.left - rect.left() - 24, QString::fromStdString(e.name),
                  {Theme::ui(12, e.kernel == d.selected ? QFont::DemiBold : QFont::Normal), t.tx});
        if (e.modelledFlopsPerSecond) {
            c.box({g.left, middle - bar - 0.5, std::max(1.0, g.x(*e.modelledFlopsPerSecond) - g.left), bar}, t.pane, t.acc, 1.5);
            if (hasFigures)
                c.textHalo(g.x(*e.modelledFlopsPerSecond) + 5, middle - 1, shortNumber(*e.modelledFlopsPerSecond / 1e12), figure, ground);
        }
        const bool isMeasured = e.measuredFlopsPerSecond > 0;
        if (isMeasured) {
            c.fill({g.left, middle + 0.5, std::max(1.0, g.x(e.measuredFlopsPerSecond) - g.left), bar}, t.acc);
            if (hasFigures)
                c.textHalo(g.x(e.measuredFlopsPerSecond) + 5, middle + bar, shortNumber(e.measuredFlopsPerSecond / 1e12), figure, ground);
        }
        const bool hasError = isMeasured && e.modelledFlopsPerSecond;
        QString text = hasError ? signedPercent(e.error) : isMeasured ? QStringLiteral("not modelled") : QStringLiteral("not measured");
        if (hasError && !e.isClose)
            text.prepend(e.error > 0 ? QStringLiteral("▲ ") : QStringLiteral("▼ "));
        c.text(rect.right() - 14, middle + 4, text,
               {hasError ? Theme::mono(11, e.isClose ? QFont::Medium : QFont::Bold) : Theme::ui(11), e.isClose || !isMeasured ? t.tx2 : t.errtx, Align::Right});
    }
}

std::optional<std::size_t> ladderHit(const QRectF& rect, const LadderData& d, QPointF at) {
    if (d.entries.empty() || !rect.contains(at))
        return std::nullopt;
    const Geometry g = geometryOf(rect, d);
    const double row = (at.y() - g.top) / g.row;
    return row < 0 || row >= double(d.entries.size()) ? std::nullopt : std::optional(std::size_t(row));
}

} // namespace lanescope::views
