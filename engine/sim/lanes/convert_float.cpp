// SPDX-License-Identifier: GPL-3.0-or-later
// cvt between floating-point types, of one value and of packed pairs (f16x2, bf16x2, e4m3x2,
// e5m2x2), and to tf32. f16, bf16 and fp8 results have one NaN; conversions between f32, f64 and
// bf16 keep a NaN's payload (measured on an H200).
#include <cmath>

#include "engine/sim/lanes/formats.h"
#include "engine/sim/lanes/rounding_scope.h"
#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

enum class Clamp { None, Sat, Relu, Finite, ReluFinite };

Clamp clampOf(const ptx::Modifiers& modifiers) {
    if (modifiers.sat)
        return Clamp::Sat;
    if (modifiers.relu)
        return modifiers.satfinite ? Clamp::ReluFinite : Clamp::Relu;
    return modifiers.satfinite ? Clamp::Finite : Clamp::None;
}

/// .sat, .relu and .satfinite on the bits of a result.
template <class F, Clamp C>
inline std::uint32_t clamped(std::uint32_t bits) {
    constexpr std::uint32_t kMagnitude = F::kSign - 1u;
    const bool nan = (bits & kMagnitude) > F::kInfinity;
    const bool negative = (bits & F::kSign) != 0;
    if constexpr (C == Clamp::Sat) {
        const std::uint32_t low = nan || negative ? 0u : bits;
        return low > F::kOne ? F::kOne : low;
    }
    if constexpr (C == Clamp::Finite || C == Clamp::ReluFinite)
        bits = (bits & kMagnitude) == F::kInfinity ? (bits & F::kSign) | F::kLargest : bits;
    if constexpr (C == Clamp::Relu || C == Clamp::ReluFinite)
        bits = negative && !nan ? 0u : bits;
    return bits;
}

template <Clamp C>
using ClampConstant = std::integral_constant<Clamp, C>;
template <class F>
LaneFunction withClamp(const Instruction& instruction, F&& f) {
    switch (clampOf(instruction.modifiers)) {
    case Clamp::None:
        return f(ClampConstant<Clamp::None>{});
    case Clamp::Sat:
        return f(ClampConstant<Clamp::Sat>{});
    case Clamp::Relu:
        return f(ClampConstant<Clamp::Relu>{});
    case Clamp::Finite:
        return f(ClampConstant<Clamp::Finite>{});
    case Clamp::ReluFinite:
        return f(ClampConstant<Clamp::ReluFinite>{});
    }
    return nullptr;
}

struct HalfSource : F32 {
    static float get(std::uint32_t slot) { return halfToFloat(slot & 0xffffu); }
};
struct BrainSource : F32 {
    static float get(std::uint32_t slot) { return bfloatToFloat(slot); }
};

/// One value to f16 or bf16.
template <class F, Rounding R, bool Ftz, Clamp C>
struct Narrow {
    static std::uint32_t apply(float value) {
        // .ftz does not reach f16: an H200 rounds subnormal f32 upward to the smallest f16.
        if constexpr (Ftz && !std::is_same_v<F, Binary16>)
            value = flush(value);
        if constexpr (F::kNan == F::kInfinity)
            if (value != value)
                return F::kNan; // out of reach of .satfinite
        if constexpr (R == Rounding::Rn && std::is_same_v<F, Binary16>)
            return clamped<F, C>(floatToHalf(value));
        else if constexpr (R == Rounding::Rn && std::is_same_v<F, BFloat16>)
            return clamped<F, C>(floatToBfloat(value));
        else
            return clamped<F, C>(roundDouble<F>(static_cast<double>(value), R));
    }
    static std::uint32_t apply(double value) {
        if (C == Clamp::None && value != value) { // the upper part of the NaN, made quiet
            const std::uint64_t bits = bitsOf(quietNan(value));
            const auto fraction = static_cast<std::uint32_t>(bits >> (52 - F::kFraction));
            return (fraction & (F::kSign - 1u)) | F::kInfinity |
                   ((bits >> 63) != 0 ? F::kSign : 0u);
        }
        return clamped<F, C>(roundDouble<F>(value, R));
    }
};
template <class F, class S>
LaneFunction narrow(const Instruction& instruction) {
    return withRounding(instruction.modifiers.rounding, [&](auto rounding) {
        return withBool(instruction.modifiers.ftz, [&](auto ftz) {
            return withClamp(instruction, [&](auto clamp) -> LaneFunction {
                if constexpr (ftz.value && !std::is_same_v<S, F32>)
                    return nullptr;
                else
                    return &map1<Narrow<F, rounding.value, ftz.value, clamp.value>, B32, S>;
            });
        });
    });
}

/// Two f32 to a packed pair: a above, b below.
template <class F, Rounding R, Clamp C, int Bits>
struct Pack {
    static std::uint32_t apply(float a, float b) {
        using One = Narrow<F, R, false, C>;
        return One::apply(b) | (One::apply(a) << Bits);
    }
};
/// A packed pair of halves to fp8.
template <class S, class F, Clamp C>
struct Repack {
    static std::uint32_t apply(std::uint32_t pair) {
        using One = Narrow<F, Rounding::Rn, false, C>;
        return One::apply(S::get(pair & 0xffffu)) | (One::apply(S::get(pair >> 16)) << 8);
    }
};

/// An fp8 value, exact in f32.
inline float fp8ToFloat(std::uint32_t bits, bool e4m3) {
    if (!e4m3)
        return halfToFloat(bits << 8);
    const std::uint32_t magnitude = bits & 0x7fu;
    const float value = floatOf(magnitude << 20) * 0x1p120f; // exponent bias 127 - 7
    return floatOf((magnitude == 0x7fu ? kNanF32 : bitsOf(value)) | ((bits & 0x80u) << 24));
}
template <class F, bool E4M3, Clamp C>
struct Unpack {
    static std::uint32_t apply(std::uint32_t pair) {
        using One = Narrow<F, Rounding::Rn, false, C>;
        return One::apply(fp8ToFloat(pair & 0xffu, E4M3)) |
               (One::apply(fp8ToFloat((pair >> 8) & 0xffu, E4M3)) << 16);
    }
};

template <class F>
LaneFunction packHalves(const Instruction& instruction) {
    return withRounding(instruction.modifiers.rounding, [&](auto rounding) {
        return withClamp(instruction, [&](auto clamp) -> LaneFunction {
            return &map2<Pack<F, rounding.value, clamp.value, 16>, B32, F32, F32>;
        });
    });
}
template <class F>
LaneFunction toFp8(const Instruction& instruction) {
    if (!instruction.modifiers.satfinite)
        return nullptr;
    return withBool(instruction.modifiers.relu, [&](auto relu) -> LaneFunction {
        constexpr Clamp kClamp = decltype(relu)::value ? Clamp::ReluFinite : Clamp::Finite;
        switch (instruction.type2) {
        case Type::F32:
            return &map2<Pack<F, Rounding::Rn, kClamp, 8>, B32, F32, F32>;
        case Type::F16x2:
            return &map1<Repack<HalfSource, F, kClamp>, B32, B32>;
        case Type::BF16x2:
            return &map1<Repack<BrainSource, F, kClamp>, B32, B32>;
        default:
            return nullptr;
        }
    });
}
template <class F>
LaneFunction fromFp8(const Instruction& instruction) {
    return withBool(instruction.modifiers.relu, [&](auto relu) -> LaneFunction {
        constexpr Clamp kClamp = decltype(relu)::value ? Clamp::Relu : Clamp::None;
        return instruction.type2 == Type::E4M3x2 ? &map1<Unpack<F, true, kClamp>, B32, B32>
                                                 : &map1<Unpack<F, false, kClamp>, B32, B32>;
    });
}

/// f32 to tf32: 10 fraction bits in the upper 19 bits of the register. .rna leaves the upper bits
/// of a NaN (and .satfinite takes one off them).
template <Rounding R, Clamp C>
struct ToTensor32 {
    static std::uint32_t apply(float value) {
        const std::uint32_t bits = bitsOf(value);
        if (R == Rounding::Rna && isNanF32(bits))
            return (bits & ~0x1fffu) - (C == Clamp::Finite ? 0x2000u : 0u);
        return clamped<Tensor32, C>(roundDouble<Tensor32>(static_cast<double>(value), R)) << 13;
    }
};
LaneFunction toTensor32(const Instruction& instruction) {
    return withClamp(instruction, [&](auto clamp) -> LaneFunction {
        switch (instruction.modifiers.rounding) {
        case Rounding::Rna:
            return &map1<ToTensor32<Rounding::Rna, clamp.value>, B32, F32>;
        case Rounding::Rn:
            return &map1<ToTensor32<Rounding::Rn, clamp.value>, B32, F32>;
        case Rounding::Rz:
            return &map1<ToTensor32<Rounding::Rz, clamp.value>, B32, F32>;
        default:
            return nullptr;
        }
    });
}

/// To f32 with the host's rounding (which matters from .f64 only).
template <bool Ftz, bool Sat, bool CanonicalNan>
struct ToFloat {
    template <class Real>
    static float apply(Real value) {
        float result = static_cast<float>(value);
        if constexpr (Ftz)
            result = flush(result);
        if constexpr (Sat)
            return saturate(result);
        return CanonicalNan || (Ftz && sizeof(Real) == 4) ? canonical(result) : result;
    }
};
template <Rounding R, class Operation, class S>
void convertRounded(const LaneArguments& arguments, LaneMask active) {
    const RoundingScope<R> scope;
    map1<Operation, F32, S>(arguments, active);
}
template <class S, bool CanonicalNan>
LaneFunction toFloat(const Instruction& instruction) {
    return withRounding(instruction.modifiers.rounding, [&](auto rounding) {
        return withBool(instruction.modifiers.ftz, [&](auto ftz) {
            return withBool(instruction.modifiers.sat, [&](auto sat) -> LaneFunction {
                using Operation = ToFloat<ftz.value, sat.value, CanonicalNan>;
                if constexpr (std::is_same_v<S, F64>)
                    return &convertRounded<rounding.value, Operation, S>;
                else
                    return &map1<Operation, F32, S>;
            });
        });
    });
}

template <bool Ftz, bool Sat>
struct ToDouble {
    template <class Real>
    static double apply(Real value) {
        if constexpr (Ftz)
            value = canonical(flush(value));
        double result = static_cast<double>(value);
        if constexpr (Sat) {
            result = result > 0 ? result : 0.0; // NaN, too
            result = result > 1 ? 1.0 : result;
        }
        return result;
    }
};
template <class S>
LaneFunction toDouble(const Instruction& instruction) {
    return withBool(instruction.modifiers.sat, [&](auto sat) -> LaneFunction {
        if constexpr (std::is_same_v<S, F32>)
            if (instruction.modifiers.ftz)
                return &map1<ToDouble<true, sat.value>, F64, S>;
        return &map1<ToDouble<false, sat.value>, F64, S>;
    });
}

struct Same {
    template <class V>
    static V apply(V value) {
        return value;
    }
};

LaneFunction toHalfType(const Instruction& instruction) {
    const bool brain = instruction.type == Type::BF16;
    switch (instruction.type2) {
    case Type::F16:
        return brain ? narrow<BFloat16, HalfSource>(instruction) : nullptr;
    case Type::BF16:
        return brain ? nullptr : narrow<Binary16, BrainSource>(instruction);
    case Type::F32:
        return brain ? narrow<BFloat16, F32>(instruction) : narrow<Binary16, F32>(instruction);
    case Type::F64:
        return brain ? narrow<BFloat16, F64>(instruction) : narrow<Binary16, F64>(instruction);
    default:
        return nullptr;
    }
}

} // namespace

LaneFunction selectConvertPacked(const Instruction& instruction) {
    switch (instruction.type) {
    case Type::E4M3x2:
        return toFp8<Float8E4M3>(instruction);
    case Type::E5M2x2:
        return toFp8<Float8E5M2>(instruction);
    case Type::F16x2:
        if (instruction.type2 == Type::F32)
            return packHalves<Binary16>(instruction);
        return fromFp8<Binary16>(instruction);
    case Type::BF16x2:
        if (instruction.type2 == Type::F32)
            return packHalves<BFloat16>(instruction);
        return fromFp8<BFloat16>(instruction);
    case Type::TF32:
        return toTensor32(instruction);
    default:
        return nullptr;
    }
}

LaneFunction selectConvertFloat(const Instruction& instruction) {
    const Type to = instruction.type, from = instruction.type2;
    if (to == from)
        return selectConvertToIntegral(instruction);
    switch (to) {
    case Type::F16:
    case Type::BF16:
        return toHalfType(instruction);
    case Type::F32:
        if (from == Type::F64)
            return toFloat<F64, false>(instruction);
        if (from == Type::BF16)
            return toFloat<BrainSource, false>(instruction);
        return from == Type::F16 ? toFloat<HalfSource, true>(instruction) : nullptr;
    case Type::F64:
        if (from == Type::F32)
            return toDouble<F32>(instruction);
        if (from == Type::BF16)
            return toDouble<BrainSource>(instruction);
        return from == Type::F16 ? toDouble<HalfSource>(instruction) : nullptr;
    default:
        return nullptr;
    }
}

} // namespace lanescope::sim::lanes
