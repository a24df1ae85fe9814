// SPDX-License-Identifier: GPL-3.0-or-later
// add, sub, mul, fma, mad, div, abs and neg of .f32 with every rounding mode, .ftz and .sat, as an
// H200 does them: NaN results are 0x7fffffff, .ftz flushes operands and result, .sat is applied
// last.
#include <cmath>

#include "engine/sim/lanes/formats.h"
#include "engine/sim/lanes/rounding_scope.h"
#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Rounding;

struct Add {
    static float apply(float a, float b) { return a + b; }
};
struct Sub {
    static float apply(float a, float b) { return a - b; }
};
struct Mul {
    static float apply(float a, float b) { return a * b; }
};
struct Div {
    static float apply(float a, float b) { return a / b; }
};
struct Fma {
    static float apply(float a, float b, float c) { return std::fma(a, b, c); }
};
struct Abs {
    static float apply(float a) { return floatOf(bitsOf(a) & 0x7fffffffu); }
};
struct Neg {
    static float apply(float a) { return floatOf(bitsOf(a) ^ 0x80000000u); }
};
/// div.approx: the quotient where 2^-126 <= |b| <= 2^126; beyond, 1/b counts as zero (PTX ISA,
/// div), so a finite a gives a zero and an infinite one NaN.
struct DivApprox {
    static float apply(float a, float b) {
        const std::uint32_t magnitude = bitsOf(b) & 0x7fffffffu;
        const bool huge = magnitude > 0x7e800000u && magnitude < 0x7f800000u;
        const float zero = floatOf(bitsOf(b) & 0x80000000u);
        return huge ? a * zero : a / b;
    }
};

template <class Operation, bool Ftz, bool Sat>
struct Modified {
    template <class... A>
    static float apply(A... operands) {
        if constexpr (Ftz)
            return finish(flush(Operation::apply(flush(operands)...)));
        else
            return finish(Operation::apply(operands...));
    }
    static float finish(float result) {
        if constexpr (Sat)
            return saturate(result);
        else
            return canonical(result);
    }
};

template <Rounding R, class Operation>
void unary(const LaneArguments& arguments, LaneMask active) {
    const RoundingScope<R> scope;
    map1<Operation, F32, F32>(arguments, active);
}
template <Rounding R, class Operation>
void binary(const LaneArguments& arguments, LaneMask active) {
    const RoundingScope<R> scope;
    map2<Operation, F32, F32, F32>(arguments, active);
}
template <Rounding R, class Operation>
void ternary(const LaneArguments& arguments, LaneMask active) {
    const RoundingScope<R> scope;
    map3<Operation, F32, F32, F32, F32>(arguments, active);
}

/// F is called with the rounding constant and the two flags.
template <class F>
LaneFunction withModes(const Instruction& instruction, F&& f) {
    return withRounding(instruction.modifiers.rounding, [&](auto rounding) {
        return withBool(instruction.modifiers.ftz, [&](auto ftz) {
            return withBool(instruction.modifiers.sat,
                            [&](auto sat) { return f(rounding, ftz, sat); });
        });
    });
}

template <class Operation>
LaneFunction selectBinary(const Instruction& instruction) {
    return withModes(instruction, [](auto rounding, auto ftz, auto sat) -> LaneFunction {
        return &binary<rounding.value, Modified<Operation, ftz.value, sat.value>>;
    });
}
template <class Operation>
LaneFunction selectTernary(const Instruction& instruction) {
    return withModes(instruction, [](auto rounding, auto ftz, auto sat) -> LaneFunction {
        return &ternary<rounding.value, Modified<Operation, ftz.value, sat.value>>;
    });
}
template <class Operation>
LaneFunction selectUnary(const Instruction& instruction) {
    return withBool(instruction.modifiers.ftz, [](auto ftz) -> LaneFunction {
        return &unary<Rounding::Rn, Modified<Operation, ftz.value, false>>;
    });
}

LaneFunction selectDivision(const Instruction& instruction) {
    if (instruction.modifiers.sat)
        return nullptr;
    if (instruction.modifiers.approx)
        return withBool(instruction.modifiers.ftz, [](auto ftz) -> LaneFunction {
            return &binary<Rounding::Rn, Modified<DivApprox, ftz.value, false>>;
        });
    return withRounding(instruction.modifiers.rounding, [&](auto rounding) {
        return withBool(instruction.modifiers.ftz, [&](auto ftz) -> LaneFunction {
            return &binary<rounding.value, Modified<Div, ftz.value, false>>;
        });
    });
}

} // namespace

LaneFunction selectFloat32(const Instruction& instruction) {
    switch (instruction.opcode) {
    case Opcode::Add:
        return selectBinary<Add>(instruction);
    case Opcode::Sub:
        return selectBinary<Sub>(instruction);
    case Opcode::Mul:
        return selectBinary<Mul>(instruction);
    case Opcode::Mad:
    case Opcode::Fma:
        return selectTernary<Fma>(instruction);
    case Opcode::Div:
        return selectDivision(instruction);
    case Opcode::Abs:
        return selectUnary<Abs>(instruction);
    case Opcode::Neg:
        return selectUnary<Neg>(instruction);
    default:
        return nullptr;
    }
}

} // namespace lanescope::sim::lanes
