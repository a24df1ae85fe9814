// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/model_figures.h"

#include <algorithm>
#include <cmath>

#include "engine/device/device.h"
#include "engine/model/launch_order.h"
#include "engine/model/launch_overhead.h"
#include "engine/model/littles_law.h"
#include "engine/model/scaling.h"
#include "views/export/canvas.h"

namespace lanescope::views {

namespace {

QString str(const std::string& s) {
    return QString::fromStdString(s);
}

QString timeText(double seconds) {
    return seconds >= 1e-3 ? shortNumber(seconds * 1e3) + QStringLiteral(" ms")
                           : shortNumber(seconds * 1e6) + QStringLiteral(" µs");
}

void latency(ModelFigureData& out, const device::Device& device, const ModelFigureInput& input) {
    const int most = device.limits.warpsPerSm();
    out.heading = QStringLiteral("Share of the DRAM bandwidth that resident warps can ask for, one request each");
    out.xTitle = QStringLiteral("Resident warps per SM");
    out.yTitle = QStringLiteral("Share of the bandwidth");
    out.isShare = true;
    out.xMost = most;
    out.columns = {QStringLiteral("bytes per lane"), QStringLiteral("warps per SM"), QStringLiteral("bytes in flight"), QStringLiteral("share of the bandwidth")};
    for (const int bytes : {16, 8, 4}) {
        ModelSeries series{QStringLiteral("%1 bytes a lane").arg(bytes), {{0, 0}}, bytes == 8};
        for (int warps = 1; warps <= most; ++warps) {
            model::LatencyInput point;
            point.warpsPerSm = warps;
            point.bytesPerLane = bytes;
            const auto hidden = model::latencyHiding(device, point);
            if (!hidden) {
                out.problem = str(toString(hidden.error()));
                return;
            }
            series.points.push_back({double(warps), hidden->share});
            out.rows.push_back({QString::number(bytes), QString::number(warps), shortNumber(hidden->bytesInFlight), percent(hidden->share)});
            const bool isOpen = warps == int(input.warpsPerSm) && bytes == 4;
            if (isOpen) {
                out.mark = series.points.back();
                out.markText = QStringLiteral("%1: %2 warps, %3 of %4 in flight")
                                   .arg(input.kernel, QString::number(warps), bytesText(hidden->bytesInFlight), bytesText(hidden->bytesNeeded));
            }
            if (isOpen || (out.explanations.empty() && warps == most && bytes == 4))
                out.explanations = {hidden->needed, hidden->reached};
        }
        out.series.push_back(std::move(series));
    }
}

void launch(ModelFigureData& out, const device::Device& device) {
    const auto work = model::decodeWork(device, {});
    if (!work) {
        out.problem = str(toString(work.error()));
        return;
    }
    out.heading = QStringLiteral("One token of a 1.24-billion-parameter model: %1 kernels, %2 of work on the GPU")
                      .arg(shortNumber(work->kernels), timeText(work->seconds));
    out.partNames = {QStringLiteral("work"), QStringLiteral("launches not hidden")};
    out.columns = {QStringLiteral("way"), QStringLiteral("work s"), QStringLiteral("launches s"), QStringLiteral("time s")};
    out.explanations = {work->explanation};
    for (const auto& [way, name] : {std::pair{model::LaunchWay::Stream, "stream"}, std::pair{model::LaunchWay::Graph, "graph"}}) {
        const auto overhead = model::launchOverhead(device, work->kernels, work->seconds, way);
        if (!overhead) {
            out.problem = str(toString(overhead.error()));
            return;
        }
        for (const auto& [total, what] : {std::pair{overhead->serialSeconds, "nothing overlaps"}, std::pair{overhead->overlappedSeconds, "launches run ahead"}}) {
            out.bars.push_back({QStringLiteral("%1, %2").arg(QLatin1String(name), QLatin1String(what)), {work->seconds, total - work->seconds}, timeText(total)});
            out.rows.push_back({out.bars.back().name, QString::number(work->seconds), QString::number(overhead->launchSeconds), QString::number(total)});
        }
        out.explanations.push_back(overhead->serial);
        if (way == model::LaunchWay::Stream)
            out.explanations.push_back(overhead->overlapped);
    }
}

void scaling(ModelFigureData& out) {
    out.heading = QStringLiteral("Speed-up on n processors when a share of the work stays serial");
    out.xTitle = QStringLiteral("Processors");
    out.yTitle = QStringLiteral("Speed-up");
    out.isLog2 = true;
    out.xMost = out.yMost = 1024;
    out.columns = {QStringLiteral("law"), QStringLiteral("serial share"), QStringLiteral("processors"), QStringLiteral("speed-up")};
    for (const double share : {0.01, 0.05, 0.25}) {
        ModelSeries amdahl{QStringLiteral("Amdahl, %1 serial").arg(percent(share)), {}, false};
        ModelSeries gustafson{QStringLiteral("Gustafson, %1 serial").arg(percent(share)), {}, true};
        for (int n = 1; n <= 1024; n *= 2)
            if (const auto s = model::scaling(share, n)) {
                amdahl.points.push_back({double(n), s->amdahl});
                gustafson.points.push_back({double(n), s->gustafson});
                out.rows.push_back({QStringLiteral("Amdahl"), percent(share), QString::number(n), shortNumber(s->amdahl)});
                out.rows.push_back({QStringLiteral("Gustafson"), percent(share), QString::number(n), shortNumber(s->gustafson)});
                if (n == 1024 && share == 0.05)
                    out.explanations = {s->amdahlExplanation, s->gustafsonExplanation};
            }
        out.series.push_back(std::move(amdahl));
        if (share == 0.25)
            out.series.push_back(std::move(gustafson));
    }
}

void order(ModelFigureData& out, const device::Device& device, const ModelFigureInput& input) {
    constexpr std::int64_t kTiles = 32; // 4096 in tiles of 128
    const auto sms = std::int64_t(device.value("sm_count").value_or(0));
    if (sms == 0) {
        out.problem = QStringLiteral("%1 has no number of SMs: choose a GPU").arg(str(device.name));
        return;
    }
    model::LaunchOrderInput wanted;
    wanted.rows = wanted.columns = kTiles;
    wanted.depth = 128; // 4096 in steps of 32
    wanted.wave = sms * std::max<std::int64_t>(1, input.blocksPerSm);
    wanted.bytesOfA = wanted.bytesOfB = 128 * 32 * 4;
    wanted.bytesOfC = 128 * 128 * 4;
    out.heading = QStringLiteral("4096 x 4096 in tiles of 128 x 128: which blocks run together in waves of %1, and what they read").arg(wanted.wave);
    out.columns = {QStringLiteral("order"), QStringLiteral("wave"), QStringLiteral("blocks"), QStringLiteral("rows of A"), QStringLiteral("columns of B"), QStringLiteral("tiles read")};
    for (const std::int64_t group : {std::int64_t{1}, std::int64_t{8}}) {
        wanted.groupRows = group;
        const auto result = model::launchOrder(wanted);
        if (!result) {
            out.problem = str(toString(result.error()));
            return;
        }
        ModelOrder one;
        one.name = group == 1 ? QStringLiteral("Row by row") : QStringLiteral("Groups of %1 rows").arg(group);
        one.text = QStringLiteral("%1 read, %2 of row by row").arg(bytesText(result->bytesRead), percent(result->ratio));
        one.rows = one.columns = kTiles;
        one.waveOf.resize(std::size_t(kTiles * kTiles));
        for (std::int64_t p = 0; p < kTiles * kTiles; ++p) {
            const model::TileIndex tile = model::tileOf(p, kTiles, kTiles, group);
            one.waveOf[std::size_t(tile.row * kTiles + tile.column)] = p / wanted.wave;
        }
        for (std::size_t wave = 0; wave < result->waves.size(); ++wave) {
            const model::LaunchOrderWave& w = result->waves[wave];
            out.rows.push_back({one.name, QString::number(wave + 1), QString::number(w.blocks), QString::number(w.rows), QString::number(w.columns), QString::number(w.tiles)});
        }
        out.orders.push_back(std::move(one));
        out.explanations.push_back(result->explanation);
    }
}

// --- painting

QColor inkOf(const Theme& t, std::size_t i) {
    const QColor inks[] = {t.acc, t.roofL2, t.roofDram, t.ok};
    return inks[i % 4];
}

struct Axes {
    QRectF plot;
    double xMost, yMost;
    bool isLog2;
    double x(double v) const { return plot.left() + plot.width() * (isLog2 ? std::log2(std::max(1.0, v)) / std::log2(xMost) : v / xMost); }
    double y(double v) const { return plot.bottom() - plot.height() * (isLog2 ? std::log2(std::max(1.0, v)) / std::log2(yMost) : v / yMost); }
};

void paintAxes(Canvas& c, const Axes& a, const ModelFigureData& d) {
    const Theme& t = c.theme();
    const QFont font = Theme::mono(10.5);
    const auto snap = [](double v) { return std::floor(v) + 0.5; };
    const int steps = d.isLog2 ? 5 : 4;
    for (int i = 0; i <= steps; ++i) {
        const double share = double(i) / steps;
        const double xv = d.isLog2 ? std::exp2(std::log2(a.xMost) * share) : a.xMost * share, yv = d.isLog2 ? std::exp2(std::log2(a.yMost) * share) : a.yMost * share;
        const double x = snap(a.plot.left() + a.plot.width() * share), y = snap(a.plot.bottom() - a.plot.height() * share);
        c.line({x, a.plot.top()}, {x, a.plot.bottom()}, i == 0 ? t.line2 : t.grid);
        c.line({a.plot.left(), y}, {a.plot.right(), y}, i == 0 ? t.line2 : t.grid);
        c.text(x, a.plot.bottom() + 15, shortNumber(xv), {font, t.tx3, Align::Center});
        c.text(a.plot.left() - 8, y + 4, d.isShare ? QString::number(std::lround(yv * 100)) + QLatin1Char('%') : shortNumber(yv), {font, t.tx3, Align::Right});
    }
    c.text(a.plot.center().x(), a.plot.bottom() + 33, d.xTitle, {Theme::ui(11), t.tx2, Align::Center});
    c.textRotated({a.plot.left() - 46, a.plot.center().y()}, -90, 0, d.yTitle, {Theme::ui(11), t.tx2, Align::Center});
}

void paintCurves(Canvas& c, const QRectF& rect, const ModelFigureData& d) {
    const Theme& t = c.theme();
    const Axes a{rect.adjusted(66, 38, -20, -44), d.xMost, d.yMost, d.isLog2};
    paintAxes(c, a, d);
    double legend = rect.left() + 66;
    for (std::size_t i = 0; i < d.series.size(); ++i) {
        const ModelSeries& s = d.series[i];
        QList<QPointF> points;
        for (const QPointF& p : s.points)
            points << QPointF(a.x(p.x()), a.y(std::min(p.y(), d.yMost)));
        const QList<double> dash = s.isDashed ? QList<double>{5, 3} : QList<double>{};
        c.polyline(points, inkOf(t, i), 1.75, dash);
        c.line({legend, rect.top() + 24}, {legend + 18, rect.top() + 24}, inkOf(t, i), 2, dash);
        legend = c.text(legend + 23, rect.top() + 28, s.name, {Theme::ui(11), t.tx2}).right() + 16;
    }
    if (d.mark) {
        const QPointF at(a.x(d.mark->x()), a.y(d.mark->y()));
        c.circle(at, 5, t.pane, t.tx, 2); // hollow: modelled
        const bool isRight = at.x() > a.plot.center().x();
        c.textHalo(at.x() + (isRight ? -10 : 10), at.y() + 20, d.markText, {Theme::ui(11, QFont::DemiBold), t.tx, isRight ? Align::Right : Align::Left}, t.pane);
    }
}

void paintBars(Canvas& c, const QRectF& rect, const ModelFigureData& d) {
    const Theme& t = c.theme();
    double most = 0, label = 0;
    for (const ModelBar& bar : d.bars) {
        double sum = 0;
        for (const double part : bar.parts)
            sum += part;
        most = std::max(most, sum);
        label = std::max(label, Canvas::width(bar.name, Theme::ui(12)));
    }
    const double left = rect.left() + 14 + std::min(label, rect.width() * 0.4) + 12, right = rect.right() - 84;
    double legend = left;
    for (int i = 0; i < d.partNames.size(); ++i) {
        const QRectF box(legend, rect.top() + 16, 14, 10);
        i == 0 ? c.box(box, t.pane, t.acc, 1.5) : c.stripes(box, t.waitbg, t.waithatch, 2.2, 6, 1);
        legend = c.text(legend + 20, rect.top() + 25, d.partNames[i], {Theme::ui(11), t.tx2}).right() + 16;
    }
    double y = rect.top() + 44;
    const double step = std::min(44.0, (rect.bottom() - y - 8) / double(std::max<std::size_t>(1, d.bars.size())));
    for (const ModelBar& bar : d.bars) {
        c.textFit(rect.left() + 14, y + step / 2 + 4, left - rect.left() - 26, bar.name, {Theme::ui(12), t.tx});
        double x = left;
        for (std::size_t i = 0; i < bar.parts.size(); ++i) {
            const QRectF box(x, y + 4, std::max(0.0, (right - left) * bar.parts[i] / most), step - 10);
            i == 0 ? c.box(box, t.pane, t.acc, 1.5) : c.stripes(box, t.waitbg, t.waithatch, 2.2, 6, 1);
            x = box.right();
        }
        c.text(x + 8, y + step / 2 + 4, bar.text, {Theme::mono(11.5, QFont::Medium), t.tx});
        y += step;
    }
}

void paintOrders(Canvas& c, const QRectF& rect, const ModelFigureData& d) {
    const Theme& t = c.theme();
    const double each = (rect.width() - 42) / double(std::max<std::size_t>(1, d.orders.size()));
    for (std::size_t i = 0; i < d.orders.size(); ++i) {
        const ModelOrder& o = d.orders[i];
        const double left = rect.left() + 14 + (each + 14) * double(i);
        c.text(left, rect.top() + 20, o.name, {Theme::ui(12, QFont::DemiBold), t.tx});
        c.textFit(left, rect.top() + 37, each - 8, o.text, {Theme::ui(11), t.tx2});
        const double cell = std::max(2.0, std::floor(std::min(each / double(o.columns), (rect.bottom() - rect.top() - 64) / double(o.rows))));
        for (std::int64_t row = 0; row < o.rows; ++row)
            for (std::int64_t column = 0; column < o.columns; ++column) {
                const std::int64_t wave = o.waveOf[std::size_t(row * o.columns + column)];
                const QRectF box(left + double(column) * cell, rect.top() + 46 + double(row) * cell, cell - 1, cell - 1);
                // The first wave stands out; the others alternate, so that each can be seen.
                c.fill(box, wave == 0 ? t.acc : wave % 2 == 1 ? t.accbg : t.accbd);
            }
        c.text(left, rect.top() + 46 + double(o.rows) * cell + 13, QStringLiteral("dark: the first wave"), {Theme::ui(11), t.tx3});
    }
}

} // namespace

QString titleOf(ModelFigure figure) {
    switch (figure) {
    case ModelFigure::Latency:
        return QStringLiteral("Little's law");
    case ModelFigure::Launch:
        return QStringLiteral("Launches");
    case ModelFigure::Scaling:
        return QStringLiteral("Amdahl");
    case ModelFigure::Order:
        return QStringLiteral("L2 order");
    }
    return {};
}

ModelFigureData modelFigure(ModelFigure figure, const ModelFigureInput& input) {
    ModelFigureData out;
    out.figure = figure;
    const auto device = device::findDevice(input.deviceId);
    if (!device) {
        out.problem = str(toString(device.error()));
        return out;
    }
    switch (figure) {
    case ModelFigure::Latency:
        latency(out, *device, input);
        break;
    case ModelFigure::Launch:
        launch(out, *device);
        break;
    case ModelFigure::Scaling:
        scaling(out);
        break;
    case ModelFigure::Order:
        order(out, *device, input);
        break;
    }
    return out;
}

void paintModelFigure(Canvas& c, const QRectF& rect, const ModelFigureData& d) {
    const Theme& t = c.theme();
    c.fill(rect, t.pane);
    if (!d.problem.isEmpty()) {
        c.paragraph({rect.left() + 16, rect.center().y() - 16, rect.width() - 32, 64}, d.problem, {Theme::ui(12), t.tx3}, 16);
        return;
    }
    c.textFit(rect.left() + 14, rect.top() + 18, rect.width() - 28, d.heading, {Theme::ui(11.5), t.tx2});
    const QRectF body = rect.adjusted(0, 18, 0, 0);
    if (!d.series.empty())
        paintCurves(c, body, d);
    else if (!d.bars.empty())
        paintBars(c, body, d);
    else
        paintOrders(c, body, d);
}

QStringList explanationLines(const ModelFigureData& d) {
    QStringList lines;
    // What several formulas share is said once.
    const auto add = [&](const QString& line) {
        if (!lines.contains(line))
            lines << line;
    };
    for (const model::Explanation& e : d.explanations) {
        add(QStringLiteral("%1 = %2 %3 (modelled)").arg(str(e.figure), shortNumber(e.value), str(e.unit)).simplified());
        add(QStringLiteral("  = ") + str(e.formula));
        for (const model::ExplanationInput& i : e.inputs)
            add(QStringLiteral("  %1: %2 %3, %4%5")
                    .arg(str(i.name), shortNumber(i.value), str(i.unit), i.assumed ? QStringLiteral("assumed: ") : QString(), str(i.source)));
        for (const std::string& assumption : e.assumptions)
            add(QStringLiteral("  assumes: ") + str(assumption));
    }
    return lines;
}

void paintExplanations(Canvas& c, const QRectF& rect, const ModelFigureData& d) {
    const Theme& t = c.theme();
    c.fill(rect, t.pane);
    constexpr double kLine = 15, kGap = 24;
    const int columns = rect.width() >= 620 ? 2 : 1;
    const double width = (rect.width() - 28 - kGap * (columns - 1)) / columns;
    double y = rect.top() + 8;
    int column = 0;
    for (const QString& line : explanationLines(d)) {
        const bool isHead = !line.startsWith(QLatin1Char(' '));
        const QFont font = isHead ? Theme::ui(12, QFont::DemiBold) : Theme::ui(11);
        const double indent = isHead ? 0 : 10;
        const double height = kLine * std::ceil(Canvas::width(line.trimmed(), font) * 1.08 / (width - indent));
        if (y + (isHead ? 6 : 0) + height > rect.bottom() - 6) {
            if (++column == columns) {
                c.text(rect.right() - 14, rect.bottom() - 4, QStringLiteral("more with a larger pane"), {Theme::ui(11), t.tx3, Align::Right});
                return;
            }
            y = rect.top() + 8;
        }
        y += isHead && y > rect.top() + 10 ? 6 : 0;
        const double x = rect.left() + 14 + (width + kGap) * column + indent;
        c.paragraph({x, y, width - indent, height}, line.trimmed(), {font, isHead ? t.tx : t.tx2}, kLine);
        y += height;
    }
}

} // namespace lanescope::views
