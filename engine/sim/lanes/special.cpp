// SPDX-License-Identifier: GPL-3.0-or-later
// rcp, sqrt, rsqrt, sin, cos, lg2, ex2 and tanh. With a rounding mode they are exact IEEE 754;
// .approx is the correctly rounded (or nearly) value, where the hardware's own is within the bounds
// that the PTX ISA documents. sin and cos first scale by 1/(2 pi) in f32, as the hardware does. rcp
// and rsqrt of .approx.ftz.f64 give 20 fraction bits, the lower word zero.
#include <cmath>
#include <numbers>

#include "engine/sim/lanes/formats.h"
#include "engine/sim/lanes/rounding_scope.h"
#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

struct Rcp {
    static float apply(float a) { return 1.0f / a; }
    static double apply(double a) { return isNanF64(bitsOf(a)) ? quietNan(a) : 1.0 / a; }
};
struct Sqrt {
    static float apply(float a) { return std::sqrt(a); }
    static double apply(double a) {
        const double root = std::sqrt(a);
        const double result = isNanF64(bitsOf(root)) ? doubleOf(kNanF64) : root;
        return isNanF64(bitsOf(a)) ? quietNan(a) : result;
    }
};
struct Rsqrt {
    static float apply(float a) {
        return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
    }
    static double apply(double a) {
        if (isNanF64(bitsOf(a)))
            return quietNan(a);
        const double result = 1.0 / std::sqrt(a);
        return result != result ? doubleOf(kNanF64) : result;
    }
};
/// A double cut to the 24 significant bits of an f32.
inline double truncatedToFloat(double value) {
    return doubleOf(bitsOf(value) & ~((1ull << 29) - 1));
}
/// Turns: a / (2 pi), cut to f32.
/// The product in double is exact, and so is the fraction of a turn.
inline double turns(float a) {
    const double exact = static_cast<double>(a) * static_cast<double>(0.15915494309189535f);
    return truncatedToFloat(exact);
}
struct Sin {
    static float apply(float a) {
        const double t = turns(a);
        const double sine = std::sin((t - std::nearbyint(t)) * (2 * std::numbers::pi));
        return std::copysign(static_cast<float>(sine), sine == 0 ? a : static_cast<float>(sine));
    }
};
struct Cos {
    static float apply(float a) {
        const double t = turns(a);
        return static_cast<float>(std::cos((t - std::nearbyint(t)) * (2 * std::numbers::pi)));
    }
};
struct Lg2 {
    static float apply(float a) { return std::log2(a); }
};
struct Ex2 {
    static float apply(float a) { return std::exp2(a); }
};
struct Tanh {
    static float apply(float a) { return static_cast<float>(std::tanh(static_cast<double>(a))); }
};

template <class Operation, bool Ftz>
struct Single {
    static float apply(float a) {
        if constexpr (Ftz)
            return canonical(flush(Operation::apply(flush(a))));
        else
            return canonical(Operation::apply(a));
    }
};
template <Rounding R, class Operation, class E>
void rounded(const LaneArguments& arguments, LaneMask active) {
    const RoundingScope<R> scope;
    map1<Operation, E, E>(arguments, active);
}

/// rcp, rsqrt .approx.ftz.f64: subnormals flushed, the lower word dropped.
template <class Operation>
struct Coarse {
    static double apply(double a) {
        // The operand's lower word is not looked at, so a NaN with an empty upper fraction counts
        // as infinity.
        return upper(Operation::apply(flushed(doubleOf(bitsOf(a) & 0xffffffff00000000u))));
    }
    static double flushed(double a) {
        const std::uint64_t bits = bitsOf(a);
        return doubleOf((bits & (0x7ffull << 52)) == 0 ? bits & (1ull << 63) : bits);
    }
    static double upper(double a) {
        const double f = flushed(a);
        return doubleOf(isNanF64(bitsOf(f)) ? 0x7fffffff00000000u
                                            : bitsOf(f) & 0xffffffff00000000u);
    }
};

/// Functions of halves: computed in f32, rounded to nearest.
template <class Operation, bool Brain>
struct Half {
    static std::uint32_t one(std::uint32_t bits) {
        if constexpr (Brain) // ex2 has .ftz here
            return floatToBfloat(Operation::apply(bfloatToFloat(bits)));
        else
            return floatToHalf(Operation::apply(halfToFloat(bits)));
    }
    static std::uint32_t apply(std::uint32_t slot) { return one(slot & 0xffffu); }
};
template <class Operation, bool Brain>
struct HalfPair {
    static std::uint32_t apply(std::uint32_t slot) {
        using One = Half<Operation, Brain>;
        return One::one(slot & 0xffffu) | (One::one(slot >> 16) << 16);
    }
};
/// ex2.approx.ftz of bf16 flushes subnormal operands and results.
struct Ex2Flushed {
    static float apply(float a) { return flush(Ex2::apply(flush(a))); }
};

template <class Operation>
LaneFunction exact(const Instruction& instruction) {
    if (instruction.modifiers.rounding == Rounding::None)
        return nullptr;
    return withRounding(instruction.modifiers.rounding, [&](auto rounding) -> LaneFunction {
        if (instruction.type == Type::F64)
            return instruction.modifiers.ftz ? nullptr : &rounded<rounding.value, Operation, F64>;
        if (instruction.type != Type::F32)
            return nullptr;
        return instruction.modifiers.ftz ? &rounded<rounding.value, Single<Operation, true>, F32>
                                         : &rounded<rounding.value, Single<Operation, false>, F32>;
    });
}
template <class Operation>
LaneFunction approximate(const Instruction& instruction) {
    if (instruction.type != Type::F32)
        return nullptr;
    return instruction.modifiers.ftz ? &map1<Single<Operation, true>, F32, F32>
                                     : &map1<Single<Operation, false>, F32, F32>;
}
template <class Operation, class BrainOperation>
LaneFunction half(const Instruction& instruction) {
    switch (instruction.type) {
    case Type::F16:
        return &map1<Half<Operation, false>, B32, B32>;
    case Type::F16x2:
        return &map1<HalfPair<Operation, false>, B32, B32>;
    case Type::BF16:
        return &map1<Half<BrainOperation, true>, B32, B32>;
    case Type::BF16x2:
        return &map1<HalfPair<BrainOperation, true>, B32, B32>;
    default:
        return nullptr;
    }
}

} // namespace

LaneFunction selectSpecial(const Instruction& instruction) {
    const auto& modifiers = instruction.modifiers;
    const bool coarse = modifiers.approx && modifiers.ftz && instruction.type == Type::F64;
    switch (instruction.opcode) {
    case Opcode::Rcp:
        if (coarse)
            return &map1<Coarse<Rcp>, F64, F64>;
        return modifiers.approx ? approximate<Rcp>(instruction) : exact<Rcp>(instruction);
    case Opcode::Sqrt:
        return modifiers.approx ? approximate<Sqrt>(instruction) : exact<Sqrt>(instruction);
    case Opcode::Rsqrt:
        if (coarse)
            return &map1<Coarse<Rsqrt>, F64, F64>;
        return instruction.type == Type::F64 ? &map1<Rsqrt, F64, F64>
                                             : approximate<Rsqrt>(instruction);
    case Opcode::Sin:
        return approximate<Sin>(instruction);
    case Opcode::Cos:
        return approximate<Cos>(instruction);
    case Opcode::Lg2:
        return approximate<Lg2>(instruction);
    case Opcode::Ex2:
        return instruction.type == Type::F32 ? approximate<Ex2>(instruction)
                                             : half<Ex2, Ex2Flushed>(instruction);
    case Opcode::Tanh:
        return instruction.type == Type::F32 ? approximate<Tanh>(instruction)
                                             : half<Tanh, Tanh>(instruction);
    default:
        return nullptr;
    }
}

} // namespace lanescope::sim::lanes
