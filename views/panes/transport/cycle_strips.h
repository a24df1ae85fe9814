// SPDX-License-Identifier: GPL-3.0-or-later
// Warp strips over cycles: what each warp of the traced block does in the modelled timing of its SM.
#pragma once

#include "views/export/warp_states.h"
#include "views/panes/transport/strips.h"

namespace lanescope::views {

/// Strips, axis and scrubber; `layout.events` counts cycles.
void paintCycleStrips(Canvas& canvas, const StripLayout& layout,
                      const session::TimingReport& timing);
/// The looks with their names, in two rows where one is too short and there is the height; returns the names that found no place.
QStringList paintCycleLegend(Canvas& canvas, const QRectF& area);

/// What each warp of the traced block does in this cycle, in a word.
QStringList statesAt(const session::TimingReport& timing, int warps, std::uint32_t cycle);
/// "Warp 3: cycles 120 to 188, Long scoreboard" and what it waits for.
QStringList describe(const session::TimingReport& timing, int warp, std::uint32_t cycle);

} // namespace lanescope::views
