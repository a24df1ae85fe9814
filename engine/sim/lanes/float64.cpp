// SPDX-License-Identifier: GPL-3.0-or-later
// add, sub, mul, fma, mad, div, abs and neg of .f64 in every rounding mode. Measured on an H200: a
// NaN operand comes out with its payload, made quiet; a NaN out of numbers is 0xfff8000000000000;
// abs and neg leave its sign.
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

/// The result, or the quiet form of a NaN operand. Applied in rising order of precedence, which
/// differs: of several NaN operands add, sub and mul return b, fma the first of b, c, a, and div a.
inline double propagate(double result, double operand) {
    return isNanF64(bitsOf(operand)) ? quietNan(operand) : result;
}
inline double ownNan(double result) {
    return isNanF64(bitsOf(result)) ? doubleOf(kNanF64) : result;
}

struct Add {
    static double apply(double a, double b) { return propagate(propagate(ownNan(a + b), a), b); }
};
struct Sub {
    static double apply(double a, double b) { return propagate(propagate(ownNan(a - b), a), b); }
};
struct Mul {
    static double apply(double a, double b) { return propagate(propagate(ownNan(a * b), a), b); }
};
struct Div {
    static double apply(double a, double b) { return propagate(propagate(ownNan(a / b), b), a); }
};
struct Fma {
    static double apply(double a, double b, double c) {
        return propagate(propagate(propagate(ownNan(std::fma(a, b, c)), a), c), b);
    }
};
struct Abs {
    static double apply(double a) {
        return isNanF64(bitsOf(a)) ? quietNan(a) : doubleOf(bitsOf(a) & ~(1ull << 63));
    }
};
struct Neg {
    static double apply(double a) {
        return isNanF64(bitsOf(a)) ? quietNan(a) : doubleOf(bitsOf(a) ^ (1ull << 63));
    }
};

template <Rounding R, class Operation>
void binary(const LaneArguments& arguments, LaneMask active) {
    const RoundingScope<R> scope;
    map2<Operation, F64, F64, F64>(arguments, active);
}
template <Rounding R, class Operation>
void ternary(const LaneArguments& arguments, LaneMask active) {
    const RoundingScope<R> scope;
    map3<Operation, F64, F64, F64, F64>(arguments, active);
}

template <class Operation>
LaneFunction selectBinary(const Instruction& instruction) {
    return withRounding(instruction.modifiers.rounding, [](auto rounding) -> LaneFunction {
        return &binary<rounding.value, Operation>;
    });
}

} // namespace

LaneFunction selectFloat64(const Instruction& instruction) {
    const auto& modifiers = instruction.modifiers;
    if (modifiers.ftz || modifiers.sat || modifiers.approx || modifiers.full)
        return nullptr;
    switch (instruction.opcode) {
    case Opcode::Add:
        return selectBinary<Add>(instruction);
    case Opcode::Sub:
        return selectBinary<Sub>(instruction);
    case Opcode::Mul:
        return selectBinary<Mul>(instruction);
    case Opcode::Div:
        return selectBinary<Div>(instruction);
    case Opcode::Mad:
    case Opcode::Fma:
        return withRounding(modifiers.rounding, [](auto rounding) -> LaneFunction {
            return &ternary<rounding.value, Fma>;
        });
    case Opcode::Abs:
        return &map1<Abs, F64, F64>;
    case Opcode::Neg:
        return &map1<Neg, F64, F64>;
    default:
        return nullptr;
    }
}

} // namespace lanescope::sim::lanes
