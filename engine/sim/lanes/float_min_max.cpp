// SPDX-License-Identifier: GPL-3.0-or-later
// min and max of floating-point types, on bits: -0 < +0; of one NaN and one number the number, or
// with .NaN a canonical NaN; .xorsign.abs compares magnitudes and gives the result the exclusive or
// of the signs.
#include "engine/sim/lanes/formats.h"
#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

template <class B, class Signed, B Sign, B Infinity, B Nan>
struct Layout {
    using Bits = B;
    static constexpr B kSign = Sign, kInfinity = Infinity, kNan = Nan;
    static bool isNan(B bits) { return (bits & ~kSign) > kInfinity; }
    /// A signed number in the order of the values, -0 below +0.
    static Signed order(B bits) {
        const auto magnitude = static_cast<Signed>(bits & ~kSign);
        return (bits & kSign) != 0 ? static_cast<Signed>(-1 - magnitude) : magnitude;
    }
    static constexpr B kMask = static_cast<B>(Sign | (Sign - 1));
};
using Bits16 = Layout<std::uint32_t, std::int32_t, 0x8000u, 0x7c00u, kNanF16>;
using BitsB16 = Layout<std::uint32_t, std::int32_t, 0x8000u, 0x7f80u, kNanF16>;
using Bits32 = Layout<std::uint32_t, std::int32_t, 0x80000000u, 0x7f800000u, kNanF32>;
using Bits64 = Layout<std::uint64_t, std::int64_t, 1ull << 63, 0x7ffull << 52, kNanF64>;

template <class L, bool Max, bool Ftz, bool PropagateNan, bool XorSign>
struct MinMax {
    using Bits = typename L::Bits;
    static Bits apply(Bits a, Bits b) {
        a &= L::kMask;
        b &= L::kMask;
        if constexpr (Ftz) {
            a = (a & L::kInfinity) == 0 ? a & L::kSign : a;
            b = (b & L::kInfinity) == 0 ? b & L::kSign : b;
        }
        const Bits sign = XorSign ? (a ^ b) & L::kSign : Bits{0};
        if constexpr (XorSign) {
            a &= ~L::kSign;
            b &= ~L::kSign;
        }
        const bool first = Max ? L::order(a) >= L::order(b) : L::order(a) <= L::order(b);
        const bool nanA = L::isNan(a), nanB = L::isNan(b);
        Bits result = first ? a : b;
        result = nanA ? b : result;
        result = nanB ? a : result;
        result |= sign;
        const bool nan = PropagateNan ? nanA || nanB : nanA && nanB;
        if constexpr (sizeof(Bits) == 8) // of two f64 NaNs, the second, made quiet
            return nan ? b | (Bits{1} << 51) : result;
        else
            return nan ? L::kNan : result;
    }
};

template <class Operation>
struct Pair {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        return Operation::apply(a & 0xffffu, b & 0xffffu) |
               (Operation::apply(a >> 16, b >> 16) << 16);
    }
};

template <class L>
LaneFunction selectModes(const Instruction& instruction, bool packed) {
    const auto& modifiers = instruction.modifiers;
    return withBool(instruction.opcode == Opcode::Max, [&](auto max) {
        return withBool(modifiers.ftz, [&](auto ftz) {
            return withBool(modifiers.nan, [&](auto nan) {
                return withBool(modifiers.xorsignAbs, [&](auto xorSign) -> LaneFunction {
                    using Operation = MinMax<L, max.value, ftz.value, nan.value, xorSign.value>;
                    return packed ? &map2<Pair<Operation>, B32, B32, B32>
                                  : &map2<Operation, B32, B32, B32>;
                });
            });
        });
    });
}

} // namespace

LaneFunction selectFloatMinMax(const Instruction& instruction) {
    const auto& modifiers = instruction.modifiers;
    switch (instruction.type) {
    case Type::F32:
        return selectModes<Bits32>(instruction, false);
    case Type::F16:
        return selectModes<Bits16>(instruction, false);
    case Type::F16x2:
        return selectModes<Bits16>(instruction, true);
    case Type::BF16:
    case Type::BF16x2:
        if (modifiers.ftz)
            return nullptr;
        return selectModes<BitsB16>(instruction, instruction.type == Type::BF16x2);
    case Type::F64:
        if (modifiers.ftz || modifiers.nan || modifiers.xorsignAbs)
            return nullptr;
        if (instruction.opcode == Opcode::Max)
            return &map2<MinMax<Bits64, true, false, false, false>, B64, B64, B64>;
        return &map2<MinMax<Bits64, false, false, false, false>, B64, B64, B64>;
    default:
        return nullptr;
    }
}

} // namespace lanescope::sim::lanes
