// SPDX-License-Identifier: GPL-3.0-or-later
// A discrete-event model of one SM: four schedulers that issue one warp instruction a cycle each, a scoreboard, pipes, the load/store
// unit with its queues, barriers. What it takes for granted: timing::assumptions().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/timing/recorder.h"
#include "engine/timing/result.h"

namespace lanescope::timing {

struct SmInput {
    /// Blocks that reside together; the first is the one whose events are traced.
    std::vector<std::shared_ptr<const BlockStream>> blocks;
    std::int64_t l1Bytes = 128 << 10; ///< what shared memory leaves of the L1
    double dramShare = 1;             ///< see MemoryPath
    int busySms = 0;                  ///< whose bulk copies share device memory's bandwidth; 0: all of them
    const std::atomic<bool>* cancel = nullptr;
};

SmTiming timeSm(const ProgramTiming& program, const Parameters& parameters, const SmInput& input);

/// Bytes that shared memory leaves of the unified L1 when `resident` blocks of `sharedBytes` are on the SM: the smallest carve-out that
/// holds them is taken.
std::int64_t l1BytesBeside(const device::Limits& limits, std::int64_t sharedBytes, int resident);

} // namespace lanescope::timing
