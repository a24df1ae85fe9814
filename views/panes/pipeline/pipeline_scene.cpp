// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/pipeline/pipeline_scene.h"

#include <algorithm>
#include <cmath>

#include "engine/base/median.h"
#include "views/export/canvas.h"

namespace lanescope::views {
namespace {

using timing::kNone;
using timing::PipelineTile;
using timing::PipelineTiming;

constexpr double kSide = 320, kLabel = 70, kTop = 14, kBelow = 46;
constexpr std::size_t kWhole = 20, kInView = 14; ///< tiles: all of them in view, or so many about the cursor

QString nameOf(const PipelineTile& tile) { return QStringLiteral("k%1").arg(tile.tile); }

/// A warp that only copies: waits until slots are free, and asks.
PipelineRow producerRow(const PipelineTiming& p) {
    PipelineRow row{QStringLiteral("Producer"), {}, 0};
    for (const timing::PipelineMbarrier& barrier : p.mbarriers)
        for (const timing::PipelineMbarrier::Phase& phase : barrier.phases)
            for (const timing::PipelineMbarrier::Wait& wait : phase.waits)
                if (wait.warp == p.producer)
                    row.spans.push_back({wait.begin, wait.end, SpanLook::Wait, QStringLiteral("wait ") + QString::fromStdString(barrier.name)});
    for (const PipelineTile& tile : p.tiles) {
        // Until the last of the tile's copies has been asked for.
        const auto next = std::find_if(p.tiles.begin(), p.tiles.end(), [&](const PipelineTile& other) { return other.asked > tile.asked; });
        std::uint32_t end = tile.asked + 1;
        for (const std::uint32_t ask : p.askCycles)
            if (ask >= tile.asked && (next == p.tiles.end() || ask < next->asked))
                end = std::max(end, ask + p.askLength);
        row.spans.push_back({tile.asked, end, SpanLook::Ask, nameOf(tile)});
    }
    return row;
}

void fillRows(PipelineScene& scene, const PipelineTiming& p) {
    const bool hasProducer = p.producer != kNone;
    if (hasProducer)
        scene.rows.push_back(producerRow(p));
    PipelineRow warps{hasProducer ? QStringLiteral("Consumers") : QStringLiteral("Warps"), {}, 0};
    std::uint32_t at = 0;
    for (const PipelineTile& tile : p.tiles) {
        if (tile.computeBegin == kNone)
            continue;
        const std::uint32_t begin = std::max(at, tile.computeBegin);
        if (begin > at)
            warps.spans.push_back({at, begin, SpanLook::Wait, at == 0 ? QStringLiteral("wait: first tile") : QStringLiteral("wait")});
        if (tile.computeEnd > begin)
            warps.spans.push_back({begin, tile.computeEnd, SpanLook::Compute, nameOf(tile)});
        at = std::max(begin, tile.computeEnd);
    }
    scene.rows.push_back(std::move(warps));
    const std::size_t first = scene.rows.size();
    for (std::uint32_t s = 0; s < p.slotCount; ++s)
        scene.rows.push_back({QStringLiteral("Slot %1").arg(s), {}, 0});
    for (const PipelineTile& tile : p.tiles) {
        auto& spans = scene.rows[first + tile.slot].spans;
        spans.push_back({tile.asked, tile.landed, SpanLook::InFlight, QStringLiteral("load ") + nameOf(tile)});
        const std::uint32_t read = tile.firstRead == kNone ? tile.landed : std::max(tile.landed, tile.firstRead);
        if (read > tile.landed)
            spans.push_back({tile.landed, read, SpanLook::Landed, {}});
        if (tile.firstRead != kNone)
            spans.push_back({read, std::max({read + 1, tile.lastRead, tile.computeEnd == kNone ? 0 : tile.computeEnd}), SpanLook::Compute, nameOf(tile)});
    }
}

/// "0, 4–11"
QString rangesOf(const std::vector<std::uint32_t>& sorted) {
    QStringList parts;
    for (std::size_t i = 0; i < sorted.size();) {
        std::size_t end = i + 1;
        while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1)
            ++end;
        parts += end - i > 1 ? QStringLiteral("%1–%2").arg(sorted[i]).arg(sorted[end - 1]) : QString::number(sorted[i]);
        i = end;
    }
    return parts.join(QStringLiteral(", "));
}

void fillRing(PipelineScene& scene, const PipelineTiming& p) {
    using State = PipelineTiming::SlotState;
    for (const PipelineTiming::Slot& slot : p.at(scene.cursor)) {
        RingSlot one;
        one.look = slot.state;
        one.tile = slot.tile == kNone ? QStringLiteral("–") : QStringLiteral("k%1").arg(slot.tile);
        switch (slot.state) {
        case State::Empty: one.word = one.state = QStringLiteral("empty"); break;
        case State::InFlight:
            one.word = QStringLiteral("load");
            one.state = QStringLiteral("lands %1").arg(grouped(slot.until));
            break;
        case State::Landed:
            one.word = QStringLiteral("landed");
            one.state = QStringLiteral("landed %1").arg(grouped(p.tiles[slot.tile].landed));
            break;
        case State::InUse:
            one.word = p.isTensor ? QStringLiteral("mma") : QStringLiteral("fma");
            one.state = QStringLiteral("%1 to %2").arg(one.word, grouped(slot.until));
            break;
        case State::Used: one.word = one.state = QStringLiteral("used"); break;
        }
        scene.ring.push_back(std::move(one));
    }
    for (const timing::PipelineMbarrier& barrier : p.mbarriers) {
        const timing::PipelineMbarrier::State now = barrier.at(scene.cursor);
        const QString bytes = now.expectedBytes != 0 ? QStringLiteral("%1 of %2").arg(bytesText(double(now.bytes)), bytesText(double(now.expectedBytes))) : QStringLiteral("–");
        const QString parity = QString::number(now.phase % 2);
        scene.mbarriers.push_back({QString::fromStdString(barrier.name), QString::number(barrier.slot), QString::number(now.phase), parity, bytes,
                                   now.expectedArrivals != 0 ? QStringLiteral("%1 of %2").arg(now.arrivals).arg(now.expectedArrivals) : QStringLiteral("–"),
                                   now.waiting.empty() ? QStringLiteral("–") : rangesOf(now.waiting)});
        if (barrier.countsBytes && barrier.slot < scene.ring.size())
            scene.ring[barrier.slot].mbarrier = QStringLiteral("parity %1, %2").arg(parity, bytes);
    }
    const std::uint32_t read = p.readSlot(scene.cursor), write = p.writeSlot(scene.cursor);
    scene.readSlot = read == kNone ? -1 : int(read);
    scene.writeSlot = write == kNone ? -1 : int(write);
}

void fillGroups(PipelineScene& scene, const PipelineTiming& p, const session::ProgramView& program) {
    const auto lineOf = [&](std::uint32_t pc) {
        if (pc == kNone || pc >= program.instructions.size())
            return QStringLiteral("–");
        const auto& in = program.instructions[pc];
        return in.cudaLine != 0 ? QStringLiteral("line %1").arg(in.cudaLine) : QStringLiteral("PTX %1").arg(in.ptxLine);
    };
    const auto cycle = [](std::uint32_t c) { return c == kNone ? QStringLiteral("–") : grouped(c); };
    const bool hasMbarriers = !p.mbarriers.empty();
    scene.groupColumns = {hasMbarriers ? QStringLiteral("Phase") : QStringLiteral("Group"), QStringLiteral("Tile"), QStringLiteral("Slot"), QStringLiteral("Bytes"), QStringLiteral("Asked"),
                          hasMbarriers ? QStringLiteral("Expected") : QStringLiteral("Committed"), QStringLiteral("Landed"), QStringLiteral("Free to read"), QStringLiteral("By the wait at")};
    for (const PipelineTile& tile : p.tiles)
        scene.groups.push_back({QString::number(tile.group), nameOf(tile), QString::number(tile.slot), bytesText(double(tile.bytes)), cycle(tile.asked), cycle(tile.committed), cycle(tile.landed), cycle(tile.waited),
                                tile.waitPc == kNone ? QStringLiteral("no wait")
                                : tile.mbarrier != kNone ? QStringLiteral("%1, %2").arg(lineOf(tile.waitPc), QString::fromStdString(p.mbarriers[tile.mbarrier].name))
                                                         : QStringLiteral("%1, leaves %2").arg(lineOf(tile.waitPc)).arg(tile.pendingAtWait)});
}

/// All tiles, or those about the cursor.
void fillView(PipelineScene& scene, const PipelineTiming& p) {
    scene.to = std::max(1u, scene.cycles);
    if (p.tiles.size() <= kWhole)
        return;
    std::size_t now = 0;
    for (const PipelineTile& tile : p.tiles)
        if (tile.computeBegin != kNone && tile.computeBegin <= scene.cursor)
            now = tile.tile;
    const std::size_t first = std::min(now > kInView / 2 ? now - kInView / 2 : 0, p.tiles.size() - kInView);
    const auto startOf = [&](std::size_t i) { return p.tiles[i].computeBegin == kNone ? p.tiles[i].landed : p.tiles[i].computeBegin; };
    scene.from = first == 0 ? 0 : startOf(first);
    scene.to = first + kInView >= p.tiles.size() ? double(scene.cycles) : double(startOf(first + kInView));
    scene.to = std::max(scene.to, scene.from + 1);
}

QString emptyTextOf(const session::Snapshot* snapshot) {
    if (snapshot == nullptr || !snapshot->program)
        return QStringLiteral("No kernel is open.");
    if (!snapshot->trace)
        return QStringLiteral("The kernel does not run yet.");
    if (!snapshot->timing)
        return QStringLiteral("The SM has not been timed for this launch.");
    return QStringLiteral("This kernel copies no tiles asynchronously: open t4_multistage, t6_specialised or k11_double_buffered to see loads overlap with arithmetic.");
}

} // namespace

std::uint32_t PipelineScene::cycleAt(double x) const {
    return std::uint32_t(std::clamp(from + (x - plotX) / std::max(1.0, plotWidth) * (to - from), 0.0, double(cycles)));
}

std::uint32_t cursorOf(const session::Snapshot& snapshot) {
    if (!snapshot.timing || snapshot.frame.index == 0)
        return 0;
    const auto& sm = snapshot.timing->sm;
    const std::uint32_t event = snapshot.frame.index - 1;
    if (event >= sm.issueOfEvent.size() || sm.issueOfEvent[event] == kNone)
        return sm.cycles;
    return sm.issues[sm.issueOfEvent[event]].cycle;
}

PipelineScene makePipelineScene(const session::Snapshot* snapshot, std::optional<std::uint32_t> cursor, const QRectF& rect) {
    PipelineScene scene;
    scene.rect = rect;
    if (snapshot == nullptr || !snapshot->timing || snapshot->timing->pipeline.tiles.empty()) {
        scene.emptyText = emptyTextOf(snapshot);
        return scene;
    }
    const PipelineTiming& p = snapshot->timing->pipeline;
    scene.cycles = p.cycles;
    scene.cursor = std::min(cursor.value_or(cursorOf(*snapshot)), p.cycles);
    scene.busy = p.busy;
    scene.busyName = p.isTensor ? QStringLiteral("Tensor cores busy") : QStringLiteral("FMA lanes busy");
    fillView(scene, p);
    fillRows(scene, p);
    fillRing(scene, p);
    fillGroups(scene, p, *snapshot->program);
    double right = rect.right() - 14;
    if (rect.width() >= 700) {
        scene.side = {rect.right() - kSide, rect.top(), kSide, rect.height()};
        right = scene.side.left() - 14;
    }
    scene.plotX = rect.left() + 14 + kLabel;
    scene.plotWidth = std::max(40.0, right - scene.plotX);
    scene.rowHeight = std::clamp((rect.height() - kTop - kBelow) / double(scene.rows.size()), 13.0, 26.0);
    for (std::size_t i = 0; i < scene.rows.size(); ++i)
        scene.rows[i].y = rect.top() + kTop + double(i) * scene.rowHeight;
    scene.axisY = rect.top() + kTop + double(scene.rows.size()) * scene.rowHeight;
    return scene;
}

QStringList mbarrierColumns() {
    return {QStringLiteral("mbarrier"), QStringLiteral("Slot"), QStringLiteral("Phase"), QStringLiteral("Parity"), QStringLiteral("Bytes arrived"), QStringLiteral("Arrivals"), QStringLiteral("Warps that wait")};
}

StageChart stageChartOf(const session::Snapshot* snapshot) {
    StageChart chart;
    if (snapshot == nullptr || !snapshot->timing || snapshot->timing->pipeline.tiles.empty()) {
        chart.problem = emptyTextOf(snapshot);
        return chart;
    }
    std::vector<double> compute, latency;
    for (const PipelineTile& tile : snapshot->timing->pipeline.tiles) {
        latency.push_back(double(tile.landed) - tile.asked);
        if (tile.computeBegin != kNone)
            compute.push_back(double(tile.computeEnd) - tile.computeBegin);
    }
    chart.computeCycles = median(std::move(compute));
    chart.latencyCycles = median(std::move(latency));
    for (int n = 1; n <= 6; ++n)
        chart.formula.push_back(chart.computeCycles > 0 ? std::min(1.0, n * chart.computeCycles / (chart.computeCycles + chart.latencyCycles)) : 0.0);
    for (const session::ParameterView& parameter : snapshot->program->parameters)
        if (parameter.name == "STAGES")
            chart.present = int(parameter.value);
    return chart;
}

} // namespace lanescope::views
