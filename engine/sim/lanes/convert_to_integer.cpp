// SPDX-License-Identifier: GPL-3.0-or-later
// cvt from floating point to integers: rounded to an integer, then clamped to the destination's
// range. NaN gives 0, or - from .f64 and to 64-bit integers - a value with only the destination's
// top bit set (PTX ISA, cvt; measured on an H200). Results of 8 bits are extended by their sign to
// the 16-bit register.
#include <cmath>
#include <limits>

#include "engine/sim/lanes/formats.h"
#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

struct HalfSource : F32 {
    static float get(std::uint32_t slot) { return halfToFloat(slot & 0xffffu); }
};
struct BrainSource : F32 {
    static float get(std::uint32_t slot) { return bfloatToFloat(slot); }
};
struct F32Flushed : F32 {
    static float get(std::uint32_t slot) { return flush(floatOf(slot)); }
};
/// A signed byte lives in a 16-bit register, sign-extended.
struct S8InHalf {
    using Value = std::int8_t;
    using Slot = std::uint32_t;
    static Slot put(Value value) { return static_cast<std::uint16_t>(std::int16_t{value}); }
};

template <Rounding R, class Real>
inline Real roundToIntegral(Real value) {
    if constexpr (R == Rounding::Rzi)
        return std::trunc(value);
    else if constexpr (R == Rounding::Rmi)
        return std::floor(value);
    else if constexpr (R == Rounding::Rpi)
        return std::ceil(value);
    else
        return std::nearbyint(value); // the standing mode is to nearest even
}

template <Rounding R, class D, bool Wide>
struct Convert {
    template <class Real>
    static D apply(Real value) {
        using Limits = std::numeric_limits<D>;
        constexpr D kNan =
            Wide || sizeof(D) == 8 ? static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1)) : D{0};
        // 2^digits is the first value out of range above, and exact in every format.
        constexpr Real kBeyond = static_cast<Real>(std::uint64_t{1} << (Limits::digits - 1)) * 2;
        const Real rounded = roundToIntegral<R>(value);
        const bool above = rounded >= kBeyond;
        const bool below = rounded < static_cast<Real>(Limits::min());
        const bool nan = value != value;
        const D converted = static_cast<D>(above || below || nan ? Real{0} : rounded);
        D result = above ? Limits::max() : converted;
        result = below ? Limits::min() : result;
        return nan ? kNan : result;
    }
};

template <Rounding R, class S>
LaneFunction withDestination(Type destination) {
    constexpr bool kWide = std::is_same_v<S, F64>;
    switch (destination) {
    case Type::U8:
        return &map1<Convert<R, std::uint8_t, kWide>, U8, S>;
    case Type::S8:
        return &map1<Convert<R, std::int8_t, kWide>, S8InHalf, S>;
    case Type::U16:
        return &map1<Convert<R, std::uint16_t, kWide>, U16, S>;
    case Type::S16:
        return &map1<Convert<R, std::int16_t, kWide>, S16, S>;
    case Type::U32:
        return &map1<Convert<R, std::uint32_t, kWide>, U32, S>;
    case Type::S32:
        return &map1<Convert<R, std::int32_t, kWide>, S32, S>;
    case Type::U64:
        return &map1<Convert<R, std::uint64_t, kWide>, U64, S>;
    case Type::S64:
        return &map1<Convert<R, std::int64_t, kWide>, S64, S>;
    default:
        return nullptr;
    }
}
template <class S>
LaneFunction withSource(const Instruction& instruction) {
    switch (instruction.modifiers.rounding) {
    case Rounding::Rni:
        return withDestination<Rounding::Rni, S>(instruction.type);
    case Rounding::Rzi:
        return withDestination<Rounding::Rzi, S>(instruction.type);
    case Rounding::Rmi:
        return withDestination<Rounding::Rmi, S>(instruction.type);
    case Rounding::Rpi:
        return withDestination<Rounding::Rpi, S>(instruction.type);
    case Rounding::None:
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

// .sat changes nothing: these conversions clamp anyway.
LaneFunction selectConvertToInteger(const Instruction& instruction) {
    switch (instruction.type2) {
    case Type::F32:
        return instruction.modifiers.ftz ? withSource<F32Flushed>(instruction)
                                         : withSource<F32>(instruction);
    case Type::F64:
        return withSource<F64>(instruction);
    case Type::F16:
        return withSource<HalfSource>(instruction);
    case Type::BF16:
        return withSource<BrainSource>(instruction);
    default:
        return nullptr;
    }
}

} // namespace lanescope::sim::lanes
