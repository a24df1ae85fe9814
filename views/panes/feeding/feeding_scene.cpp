// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/feeding/feeding_scene.h"

#include <algorithm>
#include <cmath>

#include "engine/device/device.h"
#include "views/export/canvas.h"
#include "views/kit/icons.h"

namespace lanescope::views {
namespace {

QString microseconds(double seconds) { return shortNumber(seconds * 1e6) + QStringLiteral(" µs"); }

double paintWarp(Canvas& c, const FeedingPicture& p, const QRectF& r) {
    const Theme& t = c.theme();
    const model::WarpTile& w = p.warp;
    c.text(r.left(), r.top() + 14, QStringLiteral("A warp's tile, from shared memory"), {Theme::ui(12, QFont::DemiBold), t.tx});
    drawIcon(c.painter(), {r.left(), r.top() + 24, 16, 16}, w.enough ? Icon::Pass : Icon::Warning, w.enough ? t.ok : t.wait, t);
    c.textFit(r.left() + 22, r.top() + 37, r.width() - 22,
              QStringLiteral("%1 × %2: %3 FMA per byte read, %4 needed; the smallest square is %5 × %5, %6 accumulators a thread")
                  .arg(p.input.warpRows)
                  .arg(p.input.warpColumns)
                  .arg(shortNumber(w.reuse), shortNumber(w.needed))
                  .arg(w.leastSquare)
                  .arg(w.leastSquare * w.leastSquare / 32),
              {Theme::ui(12), w.enough ? t.oktx : t.warntx});
    const double most = std::max(w.reuse, w.needed) * 1.1, y = r.top() + 48, width = r.width() - 8;
    c.box({r.left(), y, width * w.reuse / most, 12}, t.pane, t.acc, 1.5); // hollow: modelled
    const double x = r.left() + width * w.needed / most;
    c.line({x, y - 3}, {x, y + 15}, t.err, 2);
    const bool isLeft = x > r.left() + width * 0.7;
    c.text(isLeft ? x - 6 : x + 6, y + 26, QStringLiteral("needed: %1").arg(shortNumber(w.needed)), {Theme::ui(10.5), t.tx3, isLeft ? Align::Right : Align::Left});
    return r.top() + 84;
}

double paintTiles(Canvas& c, const FeedingPicture& p, const QRectF& r) {
    const Theme& t = c.theme();
    c.textFit(r.left(), r.top() + 14, r.width(), QStringLiteral("A block's tile, from device memory at %1").arg(p.input.size) + QChar(0xb3), {Theme::ui(12, QFont::DemiBold), t.tx});
    double most = 0;
    for (const FeedingTile& tile : p.tiles)
        most = std::max({most, tile.traffic.totalSeconds, tile.traffic.arithmeticSeconds});
    const double label = 78, value = 172, plot = r.left() + label, width = std::max(20.0, r.width() - label - value);
    double y = r.top() + 26;
    for (const FeedingTile& tile : p.tiles) {
        c.text(r.left(), y + 12, QStringLiteral("%1 × %2").arg(tile.rows).arg(tile.columns), {Theme::mono(11, tile.isChosen ? QFont::Bold : QFont::Normal), t.tx});
        const double read = width * tile.traffic.readSeconds / most, both = width * tile.traffic.totalSeconds / most;
        c.box({plot, y + 2, read, 12}, t.pane, tile.traffic.isBandwidthBound ? t.wait : t.acc, 1.5);
        c.stripes({plot + read, y + 2, std::max(0.0, both - read), 12}, t.pane, t.line2, 1.2, 5, 1);
        c.textFit(plot + width + 8, y + 12, value - 8, QStringLiteral("%1 read, %2 in all").arg(microseconds(tile.traffic.readSeconds), microseconds(tile.traffic.totalSeconds)),
                  {Theme::ui(11), tile.traffic.isBandwidthBound ? t.warntx : t.tx2});
        y += 19;
    }
    if (p.tiles.empty())
        return y;
    const double x = plot + width * p.tiles.front().traffic.arithmeticSeconds / most;
    c.line({x, r.top() + 24}, {x, y}, t.tx, 1.5, {4, 3});
    c.textFit(r.left(), y + 14, r.width(), QStringLiteral("Dashed: %1 of arithmetic at the tensor peak. Striped: C is written.").arg(microseconds(p.tiles.front().traffic.arithmeticSeconds)), {Theme::ui(11), t.tx3});
    return y + 26;
}

void paintStages(Canvas& c, const FeedingPicture& p, const QRectF& r) {
    const Theme& t = c.theme();
    const model::Stages& s = p.stages;
    const bool fits = s.fit >= s.needed;
    c.text(r.left(), r.top() + 14, QStringLiteral("Stages of input tiles"), {Theme::ui(12, QFont::DemiBold), t.tx});
    drawIcon(c.painter(), {r.left(), r.top() + 24, 16, 16}, fits ? Icon::Pass : Icon::Warning, fits ? t.ok : t.wait, t);
    c.textFit(r.left() + 22, r.top() + 37, r.width() - 22, QStringLiteral("%1 needed, %2 fit: a stage takes %3 cycles = %4 and %5, the data %6").arg(s.needed).arg(s.fit).arg(grouped(std::llround(s.cycles)), microseconds(s.seconds), bytesText(double(s.bytes)), microseconds(p.input.latencyMicroseconds * 1e-6)),
              {Theme::ui(12), fits ? t.oktx : t.warntx});
    const double top = r.top() + 52, height = r.bottom() - top - 18, each = std::min(70.0, r.width() / double(std::max<std::size_t>(1, s.busy.size())));
    if (height < 24)
        return;
    for (std::size_t i = 0; i < s.busy.size(); ++i) {
        const double x = r.left() + double(i) * each, full = height - 14, bar = full * s.busy[i];
        const bool overflows = int(i) + 1 > s.fit;
        c.box({x + 4, top + 14 + full - bar, each - 14, bar}, overflows ? t.cell : t.pane, overflows ? t.line2 : t.acc, 1.5);
        c.text(x + each / 2 - 3, top + 10 + full - bar, percent(std::round(s.busy[i] * 100) / 100), {Theme::mono(10), t.tx2, Align::Center});
        c.text(x + each / 2 - 3, r.bottom() - 4, QString::number(i + 1) + (overflows ? QStringLiteral(" ✕") : QString()), {Theme::mono(10), t.tx3, Align::Center});
    }
    const double x = r.left() + each * double(s.busy.size()) + 8;
    c.textFit(x, r.bottom() - 4, r.right() - x, QStringLiteral("stages: busy fraction; ✕ does not fit"), {Theme::ui(11), t.tx3});
}

} // namespace

FeedingPicture makeFeedingPicture(const FeedingInput& input) {
    FeedingPicture out;
    out.input = input;
    const auto fail = [&](const Diagnostics& errors) {
        out.problem = QString::fromStdString(errors.front().message + (errors.front().hint.empty() ? "" : ": " + errors.front().hint)) + '.';
        return out;
    };
    const auto device = device::findDevice(input.deviceId);
    if (!device)
        return fail(device.error());
    out.device = QString::fromStdString(device->name);
    const auto warp = model::warpTile(*device, input.warpRows, input.warpColumns, input.elementBytes);
    if (!warp)
        return fail(warp.error());
    out.warp = *warp;
    const model::MatmulSize size{input.size, input.size, input.size};
    const std::vector<std::pair<int, int>> shown{{64, 64}, {128, 128}, {128, 256}, {input.rows, input.columns}};
    for (const auto& [rows, columns] : shown) {
        const bool isChosen = rows == input.rows && columns == input.columns;
        if (isChosen && std::any_of(out.tiles.begin(), out.tiles.end(), [](const FeedingTile& tile) { return tile.isChosen; }))
            continue;
        const auto traffic = model::tileTraffic(*device, size, rows, columns, input.elementBytes);
        if (!traffic)
            return fail(traffic.error());
        out.tiles.push_back({rows, columns, isChosen, *traffic});
    }
    model::StageInput stage{input.rows, input.columns, input.depth, input.elementBytes, input.latencyMicroseconds * 1e-6, 6, 0};
    const auto stages = model::stages(*device, stage);
    if (!stages)
        return fail(stages.error());
    out.stages = *stages;
    const model::TileTraffic& chosen = std::find_if(out.tiles.begin(), out.tiles.end(), [](const FeedingTile& tile) { return tile.isChosen; })->traffic;
    out.explanations = {warp->reuseExplanation, warp->neededExplanation, chosen.read, chosen.arithmetic, stages->cyclesExplanation, stages->neededExplanation, stages->fitExplanation, stages->busyExplanation};
    return out;
}

QStringList feedingColumns() { return {QStringLiteral("figure"), QStringLiteral("value"), QStringLiteral("unit"), QStringLiteral("formula")}; }

std::vector<QStringList> feedingRows(const FeedingPicture& p) {
    std::vector<QStringList> rows;
    for (const model::Explanation& e : p.explanations)
        rows.push_back({QString::fromStdString(e.figure), QString::number(e.value, 'g', 6), QString::fromStdString(e.unit), QString::fromStdString(e.formula)});
    for (const FeedingTile& tile : p.tiles)
        rows.push_back({QStringLiteral("device memory, tile %1 x %2").arg(tile.rows).arg(tile.columns), QString::number(tile.traffic.totalSeconds * 1e6, 'g', 6), QStringLiteral("us"), QStringLiteral("bytes read and written / bandwidth")});
    for (std::size_t i = 0; i < p.stages.busy.size(); ++i)
        rows.push_back({QStringLiteral("busy fraction, %1 stages").arg(i + 1), QString::number(p.stages.busy[i], 'g', 4), {}, QString::fromStdString(p.stages.busyExplanation.formula)});
    return rows;
}

void paintFeeding(Canvas& c, const FeedingPicture& p, const QRectF& rect) {
    const Theme& t = c.theme();
    c.fill(rect, t.pane);
    if (!p.problem.isEmpty()) {
        c.paragraph({rect.left() + 20, rect.top() + 24, rect.width() - 40, 80}, p.problem, {Theme::ui(12), t.errtx}, 18);
        return;
    }
    const QRectF r = rect.adjusted(14, 8, -14, -8);
    double y = paintWarp(c, p, {r.left(), r.top(), r.width(), 84});
    y = paintTiles(c, p, {r.left(), y + 4, r.width(), r.height()});
    paintStages(c, p, {r.left(), y + 6, r.width(), r.bottom() - y - 6});
}

} // namespace lanescope::views
