// SPDX-License-Identifier: GPL-3.0-or-later
// Private to the module: the selector of each instruction, and helpers that turn modifiers into
// template arguments. A selector returns null for a combination of types and modifiers that it does
// not execute.
#pragma once

#include <type_traits>

#include "engine/sim/lanes/lane_function.h"

namespace lanescope::sim::lanes {

/// Sizes of the registers of a cvt (2, 4 or 8), which may exceed those of its types.
struct RegisterBytes {
    int destination = 0;
    int source = 0;
};

LaneFunction selectAdd(const ptx::Instruction& instruction); // add, sub
LaneFunction selectMul(const ptx::Instruction& instruction);
LaneFunction selectMad(const ptx::Instruction& instruction);   // mad (integer and floating), fma
LaneFunction selectCarry(const ptx::Instruction& instruction); // addc, subc, madc, and .cc forms
LaneFunction selectMul24(const ptx::Instruction& instruction); // mul24, mad24
LaneFunction selectDiv(const ptx::Instruction& instruction);
LaneFunction selectRem(const ptx::Instruction& instruction);
LaneFunction selectSad(const ptx::Instruction& instruction);
LaneFunction selectNegAbs(const ptx::Instruction& instruction);
LaneFunction selectMinMax(const ptx::Instruction& instruction);
LaneFunction selectDotProduct(const ptx::Instruction& instruction); // dp4a, dp2a
LaneFunction selectSpecial(const ptx::Instruction& instruction);    // rcp ... tanh
LaneFunction selectCopysign(const ptx::Instruction& instruction);
LaneFunction selectTestp(const ptx::Instruction& instruction);
LaneFunction selectBitwise(const ptx::Instruction& instruction); // and, or, xor, not, cnot
LaneFunction selectShift(const ptx::Instruction& instruction);   // shl, shr, shf
LaneFunction selectBits(
    const ptx::Instruction& instruction); // popc, clz, bfind, fns, brev, bfe, bfi, bmsk, szext
LaneFunction selectPrmt(const ptx::Instruction& instruction);
LaneFunction selectLop3(const ptx::Instruction& instruction);
LaneFunction selectSet(const ptx::Instruction& instruction);
LaneFunction selectSetp(const ptx::Instruction& instruction);
LaneFunction selectSelp(const ptx::Instruction& instruction);
LaneFunction selectSlct(const ptx::Instruction& instruction);
LaneFunction selectMov(const ptx::Instruction& instruction);
LaneFunction selectCvt(const ptx::Instruction& instruction, RegisterBytes bytes);
LaneFunction selectWarp(const ptx::Instruction& instruction); // shfl ... elect

// The floating-point halves of the selectors above, in files of their own.
/// add, sub, mul, mad, fma, div, abs and neg of a floating-point type.
LaneFunction selectFloating(const ptx::Instruction& instruction);
LaneFunction selectFloat32(const ptx::Instruction& instruction);
LaneFunction selectFloat64(const ptx::Instruction& instruction);
LaneFunction selectHalf(const ptx::Instruction& instruction);
LaneFunction selectFloatMinMax(const ptx::Instruction& instruction);
LaneFunction selectConvertInteger(const ptx::Instruction& instruction, RegisterBytes bytes);
LaneFunction selectConvertToInteger(const ptx::Instruction& instruction);
LaneFunction selectConvertFromInteger(const ptx::Instruction& instruction);
LaneFunction selectConvertFloat(const ptx::Instruction& instruction);
LaneFunction
selectConvertToIntegral(const ptx::Instruction& instruction); // a floating type to itself
LaneFunction selectConvertPacked(const ptx::Instruction& instruction);

/// Calls f(std::bool_constant<value>{}).
template <class F>
LaneFunction withBool(bool value, F&& f) {
    return value ? f(std::true_type{}) : f(std::false_type{});
}

template <ptx::Rounding R>
using RoundingConstant = std::integral_constant<ptx::Rounding, R>;

/// Calls f with the rounding mode (.rn when none is written) as a constant; null for modes other
/// than rn, rz, rm, rp.
template <class F>
LaneFunction withRounding(ptx::Rounding rounding, F&& f) {
    using ptx::Rounding;
    switch (rounding) {
    case Rounding::None:
    case Rounding::Rn:
        return f(RoundingConstant<Rounding::Rn>{});
    case Rounding::Rz:
        return f(RoundingConstant<Rounding::Rz>{});
    case Rounding::Rm:
        return f(RoundingConstant<Rounding::Rm>{});
    case Rounding::Rp:
        return f(RoundingConstant<Rounding::Rp>{});
    case Rounding::Rna:
    case Rounding::Rni:
    case Rounding::Rzi:
    case Rounding::Rmi:
    case Rounding::Rpi:
    case Rounding::Rs:
        return nullptr;
    }
    return nullptr;
}

} // namespace lanescope::sim::lanes
