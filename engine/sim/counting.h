// SPDX-License-Identifier: GPL-3.0-or-later
// Counts without values. What a launch counts depends on addresses, guards, branches and barriers. In most kernels none of these depends
// on what is in memory, or on the products and sums made of it: such values need not be computed to count.
#pragma once

#include <memory>

#include "engine/sim/program.h"

namespace lanescope::sim {

struct CountingProgram {
    std::shared_ptr<const Program> program;
    /// False: no load and no store moves data, so the buffers need no contents (Argument::unbackedBytes).
    bool movesData = true;
};

/// The same instructions with the same counts; those whose results no address, guard, branch, barrier or exchange of lanes depends on,
/// directly or through memory, compute nothing. A program with calls is taken as it is.
CountingProgram countingProgram(std::shared_ptr<const Program> program);

} // namespace lanescope::sim
