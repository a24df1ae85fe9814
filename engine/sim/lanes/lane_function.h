// SPDX-License-Identifier: GPL-3.0-or-later
// Executors of instructions that only read and write registers: arithmetic, logic, comparison,
// moves, conversions, special functions and the warp-wide exchanges (shfl, vote, match, redux,
// activemask, elect).
//
// A register is a row of 32 lanes. Types of 8, 16 and 32 bits live in uint32_t[32], zero-extended
// (a .s16 register holds its 16 bits, the upper half zero); 64-bit ones in uint64_t[32]; a
// predicate is one LaneMask. Immediates and special registers come as rows too.
#pragma once

#include "engine/base/lane_mask.h"
#include "engine/ptx/ir.h"

namespace lanescope::sim {

struct LaneArguments {
    /// Destination rows (uint32_t[32], uint64_t[32], or LaneMask*); second is the q of p|q or of
    /// shfl's predicate, else null.
    void* destination[2] = {nullptr, nullptr};
    /// Source rows. A predicate source points at a LaneMask (already negated where the text says
    /// !p).
    const void* source[4] = {nullptr, nullptr, nullptr, nullptr};
    /// The warp's carry flags, one bit a lane (add.cc, addc, ...).
    LaneMask* carry = nullptr;
    /// Lanes of the warp that have not exited; for warp-wide exchanges.
    LaneMask alive = kFullMask;
};

/// Executes for the active lanes; others keep their values.
using LaneFunction = void (*)(const LaneArguments& arguments, LaneMask active);

/// The executor for an instruction of family Arithmetic, Special, Logic, Compare, Move, Convert or
/// Warp. mov of vectors
/// ({lo,hi} packing) is the machine's own. Error code "unsupported" when this type and modifier
/// combination has none.
///
/// `function` (whose register types operands refer to) matters to cvt alone, whose registers may be
/// wider than its types; without it they count as exactly as wide (2 bytes for 8-bit types).
///
/// Order of LaneArguments::source: the operands after the destinations, as written. In full where
/// it is not obvious:
///   mad, fma, sad   a, b, c             dp4a, dp2a   a, b, c (sum)
///   shl, shr        a, amount           shf          a (low), b (high), amount
///   bfe             a, position, length bfi          a (inserted), b (base), position, length
///   fns             mask, base, offset  bmsk, szext  a, b
///   prmt            a, b, selector      lop3         a, b, c; the table is Instruction::immediate;
///                                                    lop3.and/.or d|p: source[3] = q,
///                                                    destination[1] = p
///   copysign        a (sign), b (magnitude)
///   set, setp       a, b and, with .and/.or/.xor, the predicate c in source[2]
///   selp            a, b, predicate     slct         a, b, c
///   cvt of a pair   a (upper half), b (lower half)
///   shfl            a, b, c, member mask; the old form without the mask leaves source[3] null
///   vote            predicate, member mask (null in the old form)
///   match, redux    a, member mask      elect        member mask; destination[0] may be null ('_')
/// A null destination of shfl, match.all, lop3 d|p or elect, and a null predicate destination
/// anywhere, is dropped.
Result<LaneFunction> selectLaneFunction(const ptx::Instruction& instruction,
                                        const ptx::Function* function = nullptr);

} // namespace lanescope::sim
