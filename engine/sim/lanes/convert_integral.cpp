// SPDX-License-Identifier: GPL-3.0-or-later
// cvt from a floating-point type to itself: a copy, or rounded to an integral value (.rni, .rzi,
// .rmi, .rpi), with .ftz and .sat.
#include <cmath>

#include "engine/sim/lanes/formats.h"
#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

template <Rounding R, class Real>
inline Real toIntegral(Real value) {
    if constexpr (R == Rounding::Rzi)
        return std::trunc(value);
    else if constexpr (R == Rounding::Rmi)
        return std::floor(value);
    else if constexpr (R == Rounding::Rpi)
        return std::ceil(value);
    else if constexpr (R == Rounding::Rni)
        return std::nearbyint(value); // the standing mode is to nearest even
    else
        return value;
}

/// A plain copy keeps a NaN's bits; rounding and .ftz make it canonical.
template <Rounding R, bool Ftz, bool Sat>
struct Float32 {
    static float apply(float value) {
        if constexpr (Ftz)
            value = flush(value);
        const float result = toIntegral<R>(value);
        if constexpr (Sat)
            return saturate(result);
        return R == Rounding::None && !Ftz ? result : canonical(result);
    }
};
template <Rounding R, bool Sat>
struct Float64 {
    static double apply(double value) {
        const double result = toIntegral<R>(value);
        if constexpr (Sat)
            return result > 0 ? (result > 1 ? 1.0 : result) : 0.0;
        return R != Rounding::None && isNanF64(bitsOf(value)) ? quietNan(value) : result;
    }
};
template <class F, Rounding R, bool Sat>
struct Half {
    static std::uint32_t apply(std::uint32_t slot) {
        const std::uint32_t bits = slot & 0xffffu;
        const bool isHalf = std::is_same_v<F, Binary16>;
        const float value = isHalf ? halfToFloat(bits) : bfloatToFloat(bits);
        const float integral = toIntegral<R>(value);
        const std::uint32_t rounded = isHalf ? floatToHalf(integral) : floatToBfloat(integral);
        // A copy makes a NaN canonical, too.
        const std::uint32_t result = R == Rounding::None && !F::isNan(bits) ? bits : rounded;
        if constexpr (Sat) {
            const std::uint32_t low = F::isNan(result) || (result & F::kSign) != 0 ? 0u : result;
            return low > F::kOne ? F::kOne : low;
        }
        return result;
    }
};

template <class F>
LaneFunction withIntegralRounding(Rounding rounding, F&& f) {
    switch (rounding) {
    case Rounding::None:
        return f(RoundingConstant<Rounding::None>{});
    case Rounding::Rni:
        return f(RoundingConstant<Rounding::Rni>{});
    case Rounding::Rzi:
        return f(RoundingConstant<Rounding::Rzi>{});
    case Rounding::Rmi:
        return f(RoundingConstant<Rounding::Rmi>{});
    case Rounding::Rpi:
        return f(RoundingConstant<Rounding::Rpi>{});
    case Rounding::Rn:
    case Rounding::Rz:
    case Rounding::Rm:
    case Rounding::Rp:
    case Rounding::Rna:
    case Rounding::Rs:
        return nullptr;
    }
    return nullptr;
}

} // namespace

LaneFunction selectConvertToIntegral(const Instruction& instruction) {
    const auto& modifiers = instruction.modifiers;
    if (modifiers.relu || modifiers.satfinite)
        return nullptr;
    return withIntegralRounding(modifiers.rounding, [&](auto rounding) {
        return withBool(modifiers.sat, [&](auto sat) -> LaneFunction {
            constexpr Rounding kRounding = decltype(rounding)::value;
            constexpr bool kSat = decltype(sat)::value;
            switch (instruction.type) {
            case Type::F32:
                return modifiers.ftz ? &map1<Float32<kRounding, true, kSat>, F32, F32>
                                     : &map1<Float32<kRounding, false, kSat>, F32, F32>;
            case Type::F64:
                return &map1<Float64<kRounding, kSat>, F64, F64>;
            case Type::F16:
                return &map1<Half<Binary16, kRounding, kSat>, B32, B32>;
            case Type::BF16:
                return &map1<Half<BFloat16, kRounding, kSat>, B32, B32>;
            default:
                return nullptr;
            }
        });
    });
}

} // namespace lanescope::sim::lanes
