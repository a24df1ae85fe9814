// SPDX-License-Identifier: GPL-3.0-or-later
// Unrolling as ptxas does it. Private to engine/compiled.
#pragma once

#include "engine/compiled/values.h"

namespace lanescope::compiled {

/// Unrolls the innermost loops of one basic block that access shared memory; returns how many. Call it again until there are none: what
/// was around them may have become such a loop.
int unrollLoops(ptx::Function& function, const SharedOffsets& offsets);

} // namespace lanescope::compiled
