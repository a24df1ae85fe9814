// SPDX-License-Identifier: GPL-3.0-or-later
// Warp strips over cycles: what each warp of the traced block does in the modelled timing of its SM.
#pragma once

#include "engine/session/timing.h"
#include "views/panes/transport/strips.h"

namespace lanescope::views {

/// How a state of a warp is drawn: states that mean the same to the eye share a look.
enum class StateLook { Issued, Memory, Unit, Fixed, Throttle, Barrier, Ready, Fetch, Done };
StateLook lookOf(timing::WarpState state);

/// Strips, axis and scrubber; `layout.events` counts cycles.
void paintCycleStrips(Canvas& canvas, const StripLayout& layout,
                      const session::TimingReport& timing);
/// The looks with their names from x on; returns the right end.
double paintCycleLegend(Canvas& canvas, double x, double baseline, double right);

/// The index of the SM's warp that is this warp of the traced block, -1: none.
int smWarp(const session::TimingReport& timing, int warp);
/// Cycle after the trace's first `index` events: when the last of them had been issued.
std::uint32_t cycleOf(const session::TimingReport& timing, std::uint32_t index);
/// What each warp of the traced block does in this cycle, in a word.
QStringList statesAt(const session::TimingReport& timing, int warps, std::uint32_t cycle);
/// "Warp 3: cycles 120 to 188, Long scoreboard" and what it waits for.
QStringList describe(const session::TimingReport& timing, int warp, std::uint32_t cycle);

} // namespace lanescope::views
