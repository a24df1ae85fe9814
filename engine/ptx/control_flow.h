// SPDX-License-Identifier: GPL-3.0-or-later
// Basic blocks and the place where a divergent branch reconverges: the first instruction of the
// immediate post-dominator.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/ir.h"

namespace lanescope::ptx {

struct BasicBlock {
    std::uint32_t first = 0;               ///< index of the first instruction
    std::uint32_t last = 0;                ///< one past the last
    std::vector<std::uint32_t> successors; ///< blocks; the exit is not a block
    std::vector<std::uint32_t> predecessors;
    std::int32_t postDominator =
        -1; ///< immediate post-dominator block, -1: the exit of the function
};

struct ControlFlow {
    std::vector<BasicBlock> blocks;
    std::vector<std::uint32_t> blockOf; ///< block of each instruction
    /// For each instruction: where lanes that part here meet again (an instruction index), or
    /// kNoReconvergence when they meet only at the function's exit. Meaningful for branches.
    std::vector<std::uint32_t> reconvergence;
    static constexpr std::uint32_t kNoReconvergence = 0xffffffffu;
};

/// Blocks unreachable from the entry are kept, with no predecessors. Infinite loops (no path to the
/// exit) get -1.
ControlFlow analyseControlFlow(const Function& function);

} // namespace lanescope::ptx
