// SPDX-License-Identifier: GPL-3.0-or-later
// Merging of accesses to shared memory as ptxas does it. Private to engine/compiled.
#pragma once

#include "engine/compiled/compiled.h"
#include "engine/compiled/values.h"

namespace lanescope::compiled {

/// Removes loads that nobody reads or whose value is known, and makes neighbouring loads one.
void mergeLoads(ptx::Function& function, const SharedOffsets& offsets, Changes& changes);

/// Makes neighbouring stores of a basic block one.
void mergeStores(ptx::Function& function, const SharedOffsets& offsets, Changes& changes);

} // namespace lanescope::compiled
