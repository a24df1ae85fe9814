// SPDX-License-Identifier: GPL-3.0-or-later
// Counts of a whole grid from some of its blocks, each simulated in full depth.
//
// Along each dimension of the grid blocks fall into classes of equal counts: first ones, last ones
// where guards bite, blocks that start at another place of a 128-byte line, blocks that have one
// turn of a loop less. The classes are found by halving: where both ends and the middle of a range
// count the same, all of it is taken to. The rows of each class of y have classes of x of
// their own. A block stands for all of its combination of classes. Three more blocks are compared with what their classes say; where they differ, or where too many classes
// turn up, the result is no more than an estimate and says so. Cycles of the L1's stages depend on
// the addresses themselves; for them the blocks of a class that were simulated are averaged.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/base/lane_mask.h"
#include "engine/sim/counters.h"

namespace lanescope::session {

struct SampledCounts {
    sim::Counters counters; ///< of the whole grid
    std::vector<std::uint64_t> blocks; ///< those simulated, in the order of their runs
    bool isExact = true;  ///< as far as the comparisons show: not where they found a difference
    bool finished = true; ///< false: a block did not run to its end
};

/// Runs one block (its linear index) and fills in its counters; false to stop.
using RunBlock = std::function<bool(std::uint64_t block, sim::Counters& counters)>;

SampledCounts sampleGrid(const Dim3& grid, const RunBlock& run);

/// The same instructions and memory events; cycles of the L1's stages left out.
bool isSameWork(const sim::Counters& a, const sim::Counters& b);

} // namespace lanescope::session
