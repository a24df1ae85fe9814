// SPDX-License-Identifier: GPL-3.0-or-later
// Which variable of shared memory a byte belongs to.
#pragma once

#include <cstdint>

#include "engine/sim/program.h"

namespace lanescope::sim {

/// The variable in which, or behind which, the byte lies; null: none. withEmpty: also dynamic arrays, whose size the launch tells.
const SharedVariable* sharedVariableAt(const Program& program, std::uint64_t address, bool withEmpty = true);

} // namespace lanescope::sim
