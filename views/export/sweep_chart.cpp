// SPDX-License-Identifier: GPL-3.0-or-later
// The heat map of a sweep: a cell for each combination, darker is more; combinations that cannot launch are hatched.
#include <algorithm>
#include <cmath>

#include "views/export/canvas.h"
#include "views/export/sweep_data.h"

namespace lanescope::views {

namespace {

struct Geometry {
    QRectF grid;
    double width = 0, height = 0; ///< of a cell
    QRectF cell(const SweepData& d, std::size_t i) const {
        return {grid.left() + width * double(i % d.columns()), grid.top() + height * double(i / d.columns()), width, height};
    }
};

Geometry geometryOf(const QRectF& rect, const SweepData& d) {
    Geometry g;
    const double name = Canvas::width(QString::fromStdString(d.x.name), Theme::ui(11, QFont::DemiBold));
    const double left = rect.left() + (d.y.name.empty() ? 20 + name : 76), top = rect.top() + 52;
    const double right = rect.right() - 84, bottom = rect.bottom() - 34;
    g.width = std::min(220.0, (right - left) / double(d.columns()));
    g.height = std::min(64.0, (bottom - top) / double(d.rows()));
    g.grid = {left, top, g.width * double(d.columns()), g.height * double(d.rows())};
    return g;
}

QString textOf(double value, SweepMeasure measure) {
    switch (measure) {
    case SweepMeasure::Flops:
        return shortNumber(value / 1e12);
    case SweepMeasure::Occupancy:
        return percent(value);
    case SweepMeasure::Wavefronts:
    case SweepMeasure::Registers:
        return shortNumber(value);
    }
    return {};
}

QColor mixed(const QColor& a, const QColor& b, double share) {
    const auto part = [share](int x, int y) { return int(std::lround(x + (y - x) * share)); };
    return QColor(part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue()));
}

double luminance(const QColor& c) {
    const auto linear = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

/// Black or white, whichever reads better.
QColor inkOn(const QColor& ground) {
    return luminance(ground) > 0.18 ? QColor(0x18, 0x20, 0x29) : QColor(0xff, 0xff, 0xff);
}

struct Scale {
    double least = 0, most = 1;
    double share(double v) const { return most > least ? (v - least) / (most - least) : 1; }
};

Scale scaleOf(const SweepData& d, SweepMeasure measure) {
    Scale scale;
    bool isFirst = true;
    for (const SweepCell& cell : d.cells)
        if (cell.state == SweepCell::State::Done) {
            const auto take = [&](double v) {
                scale.least = isFirst ? v : std::min(scale.least, v);
                scale.most = isFirst ? v : std::max(scale.most, v);
                isFirst = false;
            };
            take(cell.value(measure));
            if (measure == SweepMeasure::Flops && cell.measuredFlopsPerSecond)
                take(*cell.measuredFlopsPerSecond);
        }
    return scale;
}

void paintLegend(Canvas& c, const QRectF& rect, const Geometry& g, const Scale& scale, SweepMeasure measure, bool hasBroken) {
    const Theme& t = c.theme();
    const QRectF bar(g.grid.right() + 16, g.grid.top(), 12, std::max(60.0, std::min(g.grid.height(), 160.0)));
    constexpr int kSteps = 24;
    for (int i = 0; i < kSteps; ++i)
        c.fill({bar.left(), bar.top() + bar.height() * i / kSteps, bar.width(), bar.height() / kSteps + 0.5},
               mixed(t.accbg, t.acc, 1 - (i + 0.5) / kSteps));
    const TextStyle style{Theme::mono(10.5), t.tx2};
    c.text(bar.right() + 5, bar.top() + 9, textOf(scale.most, measure), style);
    c.text(bar.right() + 5, bar.bottom(), textOf(scale.least, measure), style);
    const double y = rect.bottom() - 12;
    double x = g.grid.left();
    const auto item = [&](const QString& text, auto&& paint) {
        paint(QRectF(x, y - 9, 14, 10));
        x = c.text(x + 20, y, text, {Theme::ui(11), t.tx2}).right() + 18;
    };
    item(QStringLiteral("open now"), [&](const QRectF& r) { c.box(r, {}, t.tx, 2); });
    item(QStringLiteral("best"), [&](const QRectF& r) { c.box(r, {}, t.ok, 2); });
    if (hasBroken)
        item(QStringLiteral("cannot launch: point at it"), [&](const QRectF& r) { c.stripes(r, t.alt, t.line2, 1.2, 5, 1); });
}

} // namespace

void paintSweep(Canvas& c, const QRectF& rect, const SweepData& d, SweepMeasure measure) {
    const Theme& t = c.theme();
    c.fill(rect, t.pane);
    if (!d.problem.empty() || d.cells.empty()) {
        c.textFit(rect.center().x(), rect.center().y(), rect.width() - 32,
                  d.problem.empty() ? QStringLiteral("The sweep of the open kernel appears here") : QString::fromStdString(d.problem),
                  {Theme::ui(12), t.tx3, Align::Center});
        return;
    }
    const Geometry g = geometryOf(rect, d);
    const Scale scale = scaleOf(d, measure);
    const auto best = d.best(measure);
    QStringList fixed;
    for (const auto& [name, value] : d.fixed)
        fixed << QStringLiteral("%1 = %2").arg(QString::fromStdString(name)).arg(value);
    c.textFit(g.grid.left(), rect.top() + 18, rect.right() - g.grid.left() - 14,
              QStringLiteral("%1, modelled%2%3").arg(QString::fromUtf8(measureName(measure)),
                                                    measure == SweepMeasure::Flops && d.hasMeasured() ? QStringLiteral(" (above) and measured (below, with the model's error)") : QString(), fixed.isEmpty() ? QString() : QStringLiteral("; ") + fixed.join(QStringLiteral(", "))),
              {Theme::ui(11.5), t.tx2});
    const TextStyle tick{Theme::mono(11, QFont::Medium), t.tx, Align::Center};
    for (std::size_t i = 0; i < d.columns(); ++i)
        c.text(g.grid.left() + g.width * (double(i) + 0.5), g.grid.top() - 6, QString::number(d.x.values[i]), tick);
    c.text(g.grid.left() - 8, g.grid.top() - 6, QString::fromStdString(d.x.name), {Theme::ui(11, QFont::DemiBold), t.acctx, Align::Right});
    if (!d.y.name.empty()) {
        for (std::size_t i = 0; i < d.rows(); ++i)
            c.text(g.grid.left() - 8, g.grid.top() + g.height * (double(i) + 0.5) + 4, QString::number(d.y.values[i]),
                   {tick.font, tick.color, Align::Right});
        c.text(rect.left() + 14, g.grid.top() + g.height / 2 + 4, QString::fromStdString(d.y.name), {Theme::ui(11, QFont::DemiBold), t.acctx});
    }
    bool hasBroken = false;
    for (std::size_t i = 0; i < d.cells.size(); ++i) {
        const SweepCell& cell = d.cells[i];
        const QRectF box = g.cell(d, i).adjusted(1, 1, -1, -1);
        switch (cell.state) {
        case SweepCell::State::Waiting:
            c.box(box, t.alt, t.line);
            break;
        case SweepCell::State::Broken:
            hasBroken = true;
            c.stripes(box, t.alt, t.line2, 1.2, 6, 1);
            break;
        case SweepCell::State::Done: {
            const QFont font = Theme::mono(box.width() < 44 ? 10 : 11.5, best == i ? QFont::Bold : QFont::Medium);
            const auto part = [&](const QRectF& area, double value, const QString& more) {
                const QColor ground = mixed(t.accbg, t.acc, scale.share(value));
                c.fill(area, ground);
                QString text = textOf(value, measure);
                if (Canvas::width(text + more, font) <= area.width() - 6)
                    text += more;
                if (Canvas::width(text, font) <= area.width() - 2 && area.height() >= 13)
                    c.text(area.center().x(), area.center().y() + 4, text, {font, inkOn(ground), Align::Center});
            };
            if (measure == SweepMeasure::Flops && cell.measuredFlopsPerSecond) {
                // Above what is modelled, below it what was measured, with the model's error where there is room.
                const double half = std::floor(box.height() / 2);
                part({box.left(), box.top(), box.width(), half}, cell.flopsPerSecond, {});
                part({box.left(), box.top() + half + 1, box.width(), box.height() - half - 1}, *cell.measuredFlopsPerSecond, QStringLiteral("  ") + signedPercent(cell.modelError().value_or(0)));
                c.circle({box.left() + 7, box.top() + half / 2}, 3, t.pane, t.acc, 1.5);
                c.circle({box.left() + 7, box.top() + half + 1 + half / 2}, 3, t.acc, t.pane, 1.2);
            } else {
                part(box, cell.value(measure), {});
            }
            break;
        }
        }
    }
    if (best)
        c.box(g.cell(d, *best), {}, t.ok, 2.5);
    if (d.currentX && d.currentY)
        c.box(g.cell(d, *d.currentY * d.columns() + *d.currentX).adjusted(3, 3, -3, -3), {}, t.tx, 2);
    paintLegend(c, rect, g, scale, measure, hasBroken);
}

void paintSweepCell(Canvas& c, const QRectF& rect, const SweepData& d, std::size_t cell) {
    if (cell < d.cells.size() && d.problem.empty())
        c.box(geometryOf(rect, d).cell(d, cell).adjusted(2, 2, -2, -2), {}, c.theme().tx, 1.5);
}

std::optional<std::size_t> sweepHit(const QRectF& rect, const SweepData& d, QPointF at) {
    if (d.cells.empty() || !d.problem.empty())
        return std::nullopt;
    const Geometry g = geometryOf(rect, d);
    if (!g.grid.contains(at) || at.x() >= g.grid.right() || at.y() >= g.grid.bottom())
        return std::nullopt;
    return std::size_t((at.y() - g.grid.top()) / g.height) * d.columns() + std::size_t((at.x() - g.grid.left()) / g.width);
}

} // namespace lanescope::views
