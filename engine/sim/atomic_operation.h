// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic of atom and red on one element.
#pragma once

#include <cstdint>

#include "engine/ptx/ir.h"
#include "engine/sim/lanes/lane_function.h"

namespace lanescope::sim {

/// The executor for floating-point add, min and max of a type, null for all else. flush: of f32 subnormals.
LaneFunction combineFunction(ptx::AtomicOp op, ptx::Type type, bool flush = false);

/// New value of a location that held `old` (its low bytes, by the type). inc: old >= operand ? 0 : old + 1; dec: old == 0 || old > operand ?
/// operand : old - 1; cas: old == compare ? operand : old. combine: combineFunction of both.
std::uint64_t atomicOperation(ptx::AtomicOp op, ptx::Type type, std::uint64_t old, std::uint64_t operand,
                              std::uint64_t compare, LaneFunction combine);

/// What a bulk reduction does with a run of elements: *to = *to op *from for each; without an operation the bytes are copied.
void reduceBytes(ptx::AtomicOp op, ptx::Type type, LaneFunction combine, std::uint8_t* to, const std::uint8_t* from, std::size_t bytes);

} // namespace lanescope::sim
