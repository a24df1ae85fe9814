// SPDX-License-Identifier: GPL-3.0-or-later
// Branches around a few instructions become guards, as ptxas makes them. Private to engine/compiled.
#pragma once

#include "engine/ptx/ir.h"

namespace lanescope::compiled {

/// Puts guards on the instructions of short branches that access shared memory and removes the branches; returns how many. A warp then
/// executes the instructions also when none of its lanes takes part, and an H200 counts them.
int predicateBranches(ptx::Function& function);

} // namespace lanescope::compiled
