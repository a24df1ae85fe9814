// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline of the traced block, placed: a row of the warps and one of each slot over cycles, the ring of slots at the cursor, and the
// busy fraction against the number of stages.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <QRectF>
#include <QString>
#include <QStringList>

#include "engine/session/snapshot.h"
#include "engine/session/stage_curve.h"
#include "engine/session/timing.h"

namespace lanescope::views {

enum class PipelineMode : std::uint8_t { Timeline, Groups, Stages };

enum class SpanLook : std::uint8_t { Wait, Compute, InFlight, Landed, Ask };

struct PipelineSpan {
    std::uint32_t begin = 0, end = 0;
    SpanLook look = SpanLook::Wait;
    QString text;
};

struct PipelineRow {
    QString name;
    std::vector<PipelineSpan> spans;
    double y = 0;
};

struct RingSlot {
    QString tile, state, word; ///< "k0", "mma to 726", "in use"
    QString mbarrier;          ///< of the one that counts its bytes: "parity 0, 16 of 32 KB"; empty without one
    timing::PipelineTiming::SlotState look = timing::PipelineTiming::SlotState::Empty;
};

struct PipelineScene {
    QRectF rect;
    QString emptyText;
    std::vector<PipelineRow> rows;
    double plotX = 0, plotWidth = 0, rowHeight = 24, axisY = 0;
    double from = 0, to = 1; ///< cycles in view
    std::uint32_t cursor = 0, cycles = 0;
    QRectF side;             ///< ring and table; empty: no room
    std::vector<RingSlot> ring;
    int readSlot = -1, writeSlot = -1;
    double busy = 0;
    QString busyName, gain; ///< "Tensor cores busy"; what one stage would take
    std::vector<QStringList> groups; ///< rows of the table of tiles
    std::vector<QStringList> mbarriers; ///< rows of the table of mbarriers at the cursor
    QStringList groupColumns;
    double xOf(double cycle) const { return plotX + (cycle - from) / (to - from) * plotWidth; }
    std::uint32_t cycleAt(double x) const;
};

/// `cursor`: none: that of the snapshot's present event.
PipelineScene makePipelineScene(const session::Snapshot* snapshot, std::optional<std::uint32_t> cursor, const QRectF& rect);
/// Cycle of the present event; 0 at the start or without timing.
std::uint32_t cursorOf(const session::Snapshot& snapshot);

QStringList mbarrierColumns();

/// The curve over stages.
struct StageChart {
    QString problem;
    std::vector<session::StagePoint> points; ///< timed so far
    std::vector<double> formula;             ///< by stages, from 1: min(1, stages x compute / (compute + latency))
    double computeCycles = 0, latencyCycles = 0;
    int present = 0;                         ///< stages of the open kernel
    bool isBusy = false;
};
/// Medians of the tiles: what a tile computes and how long it is under way.
StageChart stageChartOf(const session::Snapshot* snapshot);

} // namespace lanescope::views
