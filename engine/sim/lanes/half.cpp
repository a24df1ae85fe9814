// SPDX-License-Identifier: GPL-3.0-or-later
// add, sub, mul, fma, abs and neg of .f16, .f16x2, .bf16 and .bf16x2, rounded once to nearest even.
// f16 is computed in f32 and bf16 in f64: a sum or product of two halves is exact there or so much
// wider that rounding twice gives the same (24 >= 2*11 + 2, 53 >= 2*8 + 2; Figueroa 1995); a fused
// multiply-add is first rounded to odd, which leaves the second rounding right (Boldo, Melquiond
// 2008). NaN results are 0x7fff; .sat clamps to [0, 1] with NaN to +0; .relu clamps negative
// results to +0 and keeps NaN.
#include "engine/sim/lanes/formats.h"
#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

/// a + b rounded to odd: an inexact sum gets an odd last bit, so that it is never mistaken for a
/// tie.
template <class Real, class Bits>
inline Real addRoundedToOdd(Real a, Real b) {
    const Real sum = a + b;
    const Real part = sum - a; // Knuth's two-sum: error is exact
    const Real error = (a - (sum - part)) + (b - part);
    const Bits bits = std::bit_cast<Bits>(sum);
    const Bits magnitudeStep = (error > 0) == (sum > 0) ? Bits{1} : ~Bits{0};
    // Not for infinities, whose error is NaN.
    const bool adjust = (error > 0 || error < 0) && (bits & 1u) == 0;
    return std::bit_cast<Real>(adjust ? static_cast<Bits>(bits + magnitudeStep) : bits);
}

struct HalfFormat {
    using Real = float;
    using Layout = Binary16;
    static Real widen(std::uint32_t bits) { return halfToFloat(bits); }
    static std::uint32_t narrow(Real value) { return floatToHalf(value); }
    static Real fusedToOdd(Real a, Real b, Real c) {
        return addRoundedToOdd<float, std::uint32_t>(a * b, c);
    }
};
/// Round to nearest even a double that is no subnormal in the bfloat16 sense by halves of its bits,
/// branch-free.
struct BrainFormat {
    using Real = double;
    using Layout = BFloat16;
    static Real widen(std::uint32_t bits) { return static_cast<double>(bfloatToFloat(bits)); }
    static std::uint32_t narrow(Real value) { return floatToBfloat(toOddFloat(value)); }
    static Real fusedToOdd(Real a, Real b, Real c) {
        return addRoundedToOdd<double, std::uint64_t>(a * b, c);
    }
    /// f64 to f32 rounded to odd (the f32 keeps 16 bits more than bf16 needs).
    static float toOddFloat(double value) {
        const float nearest = static_cast<float>(value);
        const double back = static_cast<double>(nearest);
        const std::uint32_t bits = bitsOf(nearest);
        const bool inexact = back != value;
        const double magnitude = value < 0 ? -value : value;
        const double backMagnitude = back < 0 ? -back : back;
        const std::uint32_t step = magnitude > backMagnitude ? 1u : ~0u;
        // Infinity from a finite value becomes the largest f32, whose last bit is odd.
        const bool adjust = inexact && (bits & 1u) == 0 && value == value;
        return floatOf(adjust ? bits + step : bits);
    }
};

struct Add {
    template <class F>
    static auto apply(typename F::Real a, typename F::Real b) {
        return a + b;
    }
};
struct Sub {
    template <class F>
    static auto apply(typename F::Real a, typename F::Real b) {
        return a - b;
    }
};
struct Mul {
    template <class F>
    static auto apply(typename F::Real a, typename F::Real b) {
        return a * b;
    }
};
struct Fma {
    template <class F>
    static auto apply(typename F::Real a, typename F::Real b, typename F::Real c) {
        return F::fusedToOdd(a, b, c);
    }
};

enum class Clamp { None, Sat, Relu };

template <class F, bool Ftz>
inline std::uint32_t flushed(std::uint32_t bits) {
    if constexpr (Ftz)
        return (bits & F::Layout::kInfinity) == 0 ? bits & F::Layout::kSign : bits;
    else
        return bits;
}

template <class F, class Operation, bool Ftz, Clamp C>
struct Scalar {
    template <class... Bits>
    static std::uint32_t apply(Bits... operands) {
        const std::uint32_t result = flushed<F, Ftz>(
            F::narrow(Operation::template apply<F>(F::widen(flushed<F, Ftz>(operands))...)));
        const bool nan = F::Layout::isNan(result);
        const bool negative = (result & F::Layout::kSign) != 0;
        if constexpr (C == Clamp::Sat) {
            const std::uint32_t low = nan || negative ? 0u : result;
            return low > F::Layout::kOne ? F::Layout::kOne : low;
        } else if constexpr (C == Clamp::Relu) {
            return nan ? F::Layout::kNan : negative ? 0u : result;
        } else {
            return nan ? F::Layout::kNan : result;
        }
    }
};

/// One or two values of 16 bits in a slot.
template <class S>
struct Single {
    template <class... Bits>
    static std::uint32_t apply(Bits... operands) {
        return S::apply((operands & 0xffffu)...);
    }
};
template <class S>
struct Pair {
    template <class... Bits>
    static std::uint32_t apply(Bits... operands) {
        return S::apply((operands & 0xffffu)...) | (S::apply((operands >> 16)...) << 16);
    }
};

template <class F, bool Negate, bool Ftz>
struct Sign {
    static std::uint32_t apply(std::uint32_t bits) {
        const std::uint32_t value = flushed<F, Ftz>(bits);
        const std::uint32_t result = Negate ? value ^ F::Layout::kSign : value & ~F::Layout::kSign;
        return F::Layout::isNan(value) ? F::Layout::kNan : result;
    }
};

template <class S>
LaneFunction unary(bool packed) {
    return packed ? &map1<Pair<S>, B32, B32> : &map1<Single<S>, B32, B32>;
}
template <class S>
LaneFunction binary(bool packed) {
    return packed ? &map2<Pair<S>, B32, B32, B32> : &map2<Single<S>, B32, B32, B32>;
}
template <class S>
LaneFunction ternary(bool packed) {
    return packed ? &map3<Pair<S>, B32, B32, B32, B32> : &map3<Single<S>, B32, B32, B32, B32>;
}

template <class F, bool Ftz, Clamp C>
LaneFunction selectOperation(Opcode opcode, bool packed) {
    switch (opcode) {
    case Opcode::Add:
        return binary<Scalar<F, Add, Ftz, C>>(packed);
    case Opcode::Sub:
        return binary<Scalar<F, Sub, Ftz, C>>(packed);
    case Opcode::Mul:
        return binary<Scalar<F, Mul, Ftz, C>>(packed);
    case Opcode::Fma:
        return ternary<Scalar<F, Fma, Ftz, C>>(packed);
    case Opcode::Neg:
        return unary<Sign<F, true, Ftz>>(packed);
    case Opcode::Abs:
        return unary<Sign<F, false, Ftz>>(packed);
    default:
        return nullptr;
    }
}

template <class F, bool Ftz>
LaneFunction selectClamp(const Instruction& instruction, bool packed) {
    const auto& modifiers = instruction.modifiers;
    if (modifiers.sat)
        return selectOperation<F, Ftz, Clamp::Sat>(instruction.opcode, packed);
    if (modifiers.relu)
        return selectOperation<F, Ftz, Clamp::Relu>(instruction.opcode, packed);
    return selectOperation<F, Ftz, Clamp::None>(instruction.opcode, packed);
}

} // namespace

LaneFunction selectHalf(const Instruction& instruction) {
    const auto& modifiers = instruction.modifiers;
    const bool packed = instruction.type == Type::F16x2 || instruction.type == Type::BF16x2;
    const bool brain = instruction.type == Type::BF16 || instruction.type == Type::BF16x2;
    if (modifiers.rounding != ptx::Rounding::None && modifiers.rounding != ptx::Rounding::Rn)
        return nullptr;
    if ((modifiers.sat && modifiers.relu) || (brain && (modifiers.ftz || modifiers.sat)))
        return nullptr;
    if (modifiers.relu && instruction.opcode != Opcode::Fma)
        return nullptr;
    if (brain)
        return selectClamp<BrainFormat, false>(instruction, packed);
    return modifiers.ftz ? selectClamp<HalfFormat, true>(instruction, packed)
                         : selectClamp<HalfFormat, false>(instruction, packed);
}

} // namespace lanescope::sim::lanes
