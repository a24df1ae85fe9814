// SPDX-License-Identifier: GPL-3.0-or-later
// How many registers a thread would need, estimated from PTX: ptxas decides the real number (it reorders, rematerialises and keeps
// addresses differently), the driver reports it. Assumption: the most 32-bit values that are live at once, and a few for addressing.
// Against ptxas 13.0 for sm_90 on the kernels of the course the estimate is within about a third.
#pragma once

#include "engine/sim/program.h"

namespace lanescope::sim {

/// 16 to 255 registers a thread.
int estimateRegisters(const Program& program);

} // namespace lanescope::sim
