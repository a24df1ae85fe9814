// SPDX-License-Identifier: GPL-3.0-or-later
// What the timing pane paints: stall reasons as bars for the SM and for the selected warp, and the chain of causes at the present moment.
#pragma once

#include <vector>

#include <QStringList>

#include "engine/session/snapshot.h"
#include "engine/session/timing.h"

class QRectF;

namespace lanescope::views {

class Canvas;

/// A state's share of the warps' time, 0..1.
struct StallRow {
    timing::WarpState state{};
    double sm = 0, warp = 0;
    std::uint64_t smCycles = 0, warpCycles = 0; ///< warp-cycles; cycles
};

struct TimingScene {
    QStringList facts;              ///< "3,120 cycles on the SM", one each
    std::vector<StallRow> rows;     ///< in Nsight Compute's names; those that occur, the longest of the SM first
    int warp = 0;                   ///< the selected one
    std::uint32_t cycle = 0;        ///< the present moment
    bool isWaiting = false;
    QStringList why;                ///< what the warp does now, then the chain of causes
    QString problem;                ///< not empty: there is no timing, and why
};

/// `snapshot` may be null or have no timing.
TimingScene timingScene(const session::Snapshot* snapshot);

void paintTiming(Canvas& canvas, const QRectF& rect, const TimingScene& scene);

} // namespace lanescope::views
