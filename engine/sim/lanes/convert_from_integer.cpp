// SPDX-License-Identifier: GPL-3.0-or-later
// cvt from integers to floating point, rounded once in any mode; .sat clamps to [0, 1].
#include "engine/sim/lanes/formats.h"
#include "engine/sim/lanes/rounding_scope.h"
#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

/// Slots of the 16-bit formats, made by integer arithmetic.
template <class F, Rounding R>
struct ToHalf {
    template <class V>
    static std::uint32_t apply(V value) {
        const bool negative = value < V{0};
        const auto bits = static_cast<std::uint64_t>(value);
        return roundTo<F>({negative, negative ? 0 - bits : bits, 0}, R);
    }
};
/// f16 of small integers to nearest: exact in f32.
struct ShortToHalf {
    template <class V>
    static std::uint32_t apply(V value) {
        return floatToHalf(static_cast<float>(value));
    }
};
template <bool Sat>
struct ToFloat {
    template <class V>
    static float apply(V value) {
        const float result = static_cast<float>(value);
        if constexpr (Sat)
            return saturate(result);
        else
            return result;
    }
};
template <bool Sat>
struct ToDouble {
    template <class V>
    static double apply(V value) {
        const double result = static_cast<double>(value);
        if constexpr (Sat)
            return result < 0 ? 0.0 : result > 1 ? 1.0 : result;
        else
            return result;
    }
};
struct SaturatedHalf {
    template <class V>
    static std::uint32_t apply(V value) {
        return value > V{0} ? Binary16::kOne : 0u;
    }
};
struct SaturatedBrain {
    template <class V>
    static std::uint32_t apply(V value) {
        return value > V{0} ? BFloat16::kOne : 0u;
    }
};

template <Rounding R, class Operation, class D, class S>
void convert(const LaneArguments& arguments, LaneMask active) {
    const RoundingScope<R> scope;
    map1<Operation, D, S>(arguments, active);
}

template <class S>
LaneFunction toHalf(const Instruction& instruction) {
    if (instruction.modifiers.sat)
        return &map1<SaturatedHalf, B32, S>;
    return withRounding(instruction.modifiers.rounding, [](auto rounding) -> LaneFunction {
        if constexpr (rounding.value == Rounding::Rn && sizeof(typename S::Value) <= 2)
            return &map1<ShortToHalf, B32, S>;
        else
            return &map1<ToHalf<Binary16, rounding.value>, B32, S>;
    });
}
template <class S>
LaneFunction toBrain(const Instruction& instruction) {
    if (instruction.modifiers.sat)
        return &map1<SaturatedBrain, B32, S>;
    return withRounding(instruction.modifiers.rounding, [](auto rounding) -> LaneFunction {
        return &map1<ToHalf<BFloat16, rounding.value>, B32, S>;
    });
}
template <class S>
LaneFunction toFloat(const Instruction& instruction) {
    return withRounding(instruction.modifiers.rounding, [&](auto rounding) {
        return withBool(instruction.modifiers.sat, [&](auto sat) -> LaneFunction {
            return &convert<rounding.value, ToFloat<sat.value>, F32, S>;
        });
    });
}
template <class S>
LaneFunction toDouble(const Instruction& instruction) {
    return withRounding(instruction.modifiers.rounding, [&](auto rounding) {
        return withBool(instruction.modifiers.sat, [&](auto sat) -> LaneFunction {
            return &convert<rounding.value, ToDouble<sat.value>, F64, S>;
        });
    });
}
template <class S>
LaneFunction withSource(const Instruction& instruction) {
    if (instruction.modifiers.rounding == Rounding::None)
        return nullptr;
    switch (instruction.type) {
    case Type::F16:
        return toHalf<S>(instruction);
    case Type::BF16:
        return toBrain<S>(instruction);
    case Type::F32:
        return toFloat<S>(instruction);
    case Type::F64:
        return toDouble<S>(instruction);
    default:
        return nullptr;
    }
}

} // namespace

LaneFunction selectConvertFromInteger(const Instruction& instruction) {
    switch (instruction.type2) {
    case Type::U8:
        return withSource<U8>(instruction);
    case Type::S8:
        return withSource<S8>(instruction);
    case Type::U16:
        return withSource<U16>(instruction);
    case Type::S16:
        return withSource<S16>(instruction);
    case Type::U32:
        return withSource<U32>(instruction);
    case Type::S32:
        return withSource<S32>(instruction);
    case Type::U64:
        return withSource<U64>(instruction);
    case Type::S64:
        return withSource<S64>(instruction);
    default:
        return nullptr;
    }
}

} // namespace lanescope::sim::lanes
