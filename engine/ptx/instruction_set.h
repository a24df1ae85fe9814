// SPDX-License-Identifier: GPL-3.0-or-later
// What the loader checks of each instruction, and the class that counters sort it into.
#pragma once

#include <string_view>

#include "engine/ptx/ir.h"

namespace lanescope::ptx {

/// Class of a warp instruction in counters and reports.
enum class InstructionClass : std::uint8_t {
    Integer,
    Logic,
    Compare,
    Move,
    Convert,
    Float16,
    Float32,
    Float64,
    Special,
    LoadGlobal,
    StoreGlobal,
    LoadShared,
    StoreShared,
    LoadLocal,
    StoreLocal,
    LoadConst,
    LoadParam,
    AtomicGlobal,
    AtomicShared,
    CopyAsync,
    BulkCopy, ///< cp.async.bulk and its like, st.async, red.async
    Tensor,
    Warp,
    Barrier,
    Fence,
    Branch,
    Other
};
inline constexpr int kInstructionClassCount = static_cast<int>(InstructionClass::Other) + 1;

/// Identifier used in JSON: "integer", "load_global", ...
std::string_view name(InstructionClass c);

/// The class from opcode, type and space. Generic loads and stores count as global here; the
/// simulator reclassifies them by the space that their addresses turn out to have.
InstructionClass classify(const Instruction& instruction);

/// Floating-point operations a lane does in one execution: fma 2, add/sub/mul 1, f16x2 twice that;
/// 0 for others.
int floatingPointOperations(const Instruction& instruction);

/// Whether the first operand is written: all but stores, reductions, control flow, fences and barriers
/// without a result.
bool writesFirstOperand(const Instruction& instruction);

/// Checks opcode, modifiers, types and operand count and kinds against the PTX ISA table of the
/// instruction. An instruction the simulator does not execute gives code "unsupported", a malformed
/// one "syntax".
Result<void> verify(const Function& function, const Instruction& instruction,
                    std::string_view text);

} // namespace lanescope::ptx
