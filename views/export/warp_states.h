// SPDX-License-Identifier: GPL-3.0-or-later
// The modelled states of warps as they are drawn: in the strips over cycles and in the bars of stall reasons.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/session/timing.h"

class QRectF;

namespace lanescope::views {

class Canvas;

/// How a state of a warp is drawn: states that mean the same to the eye share a look.
enum class StateLook { Issued, Memory, Unit, Fixed, Throttle, Barrier, Ready, Fetch, Done };
inline constexpr int kLooks = static_cast<int>(StateLook::Done) + 1;
StateLook lookOf(timing::WarpState state);
/// The pattern or colour of a look, so that none is told by colour alone. Ready is left as the background is.
void fillLook(Canvas& canvas, const QRectF& rect, StateLook look);

struct LookName {
    StateLook look{};
    const char* name;    ///< "Pipe full"
    const char* meaning; ///< "its pipe or the queue in front of it is full"
};
/// In the order of legends.
const std::vector<LookName>& lookNames();

/// The index of the SM's warp that is this warp of the traced block, -1: none.
int smWarp(const session::TimingReport& timing, int warp);
/// Cycle after the trace's first `index` events: when the last of them had been issued.
std::uint32_t cycleOf(const session::TimingReport& timing, std::uint32_t index);

} // namespace lanescope::views
