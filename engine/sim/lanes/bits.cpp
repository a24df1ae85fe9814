// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions that count, find, reverse or move bits and bytes: popc, clz, bfind, fns, brev, bfe,
// bfi, bmsk, szext, prmt. Their rules are those of the PTX ISA, sections "Integer Arithmetic
// Instructions" and "Data Movement" (prmt).
#include <bit>
#include <limits>

#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::PermuteMode;
using ptx::Type;

struct Popc {
    template <class V>
    static std::uint32_t apply(V a) {
        return static_cast<std::uint32_t>(std::popcount(a));
    }
};
struct Clz {
    template <class V>
    static std::uint32_t apply(V a) {
        return static_cast<std::uint32_t>(std::countl_zero(a));
    }
};
/// Position of the highest bit that differs from the sign (of the highest one bit of an unsigned
/// value), all ones if there is none.
template <bool ShiftAmount>
struct Bfind {
    template <class V>
    static std::uint32_t apply(V a) {
        using Bits = std::make_unsigned_t<V>;
        constexpr std::uint32_t kTop = 8 * sizeof(V) - 1;
        Bits bits = static_cast<Bits>(a);
        if constexpr (std::is_signed_v<V>)
            bits = a < 0 ? static_cast<Bits>(~bits) : bits;
        const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
        if (zeros > kTop)
            return ~0u;
        return ShiftAmount ? zeros : kTop - zeros;
    }
};
struct Fns {
    static std::uint32_t apply(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
        if (offset == std::numeric_limits<std::int32_t>::min())
            return 0u; // as an H200 answers; its magnitude has no positive number
        if (offset == 0)
            return base < 32u && ((mask >> base) & 1u) != 0 ? base : ~0u;
        const int step = offset > 0 ? 1 : -1;
        std::int64_t remaining = offset > 0 ? offset : -std::int64_t{offset};
        for (std::int64_t at = base; at >= 0 && at < 32; at += step)
            if (((mask >> at) & 1u) != 0 && --remaining == 0)
                return static_cast<std::uint32_t>(at);
        return ~0u;
    }
};
struct Brev {
    template <class V>
    static V apply(V a) {
        a = swapBits(a, 1, static_cast<V>(0x5555555555555555u));
        a = swapBits(a, 2, static_cast<V>(0x3333333333333333u));
        a = swapBits(a, 4, static_cast<V>(0x0f0f0f0f0f0f0f0fu));
        if constexpr (sizeof(V) == 8)
            return __builtin_bswap64(a);
        else
            return __builtin_bswap32(a);
    }
    template <class V>
    static V swapBits(V a, int distance, V low) {
        return static_cast<V>(((a >> distance) & low) | ((a & low) << distance));
    }
};

/// Position or length of a bit field: bfe and bfi of 32 bits look at the low byte only, those of 64
/// bits at the whole number (H200).
template <class V>
inline std::uint32_t fieldNumber(std::uint32_t number) {
    return sizeof(V) == 4 ? number & 0xffu : number < 255u ? number : 255u;
}
/// The low `length` bits set, for any length.
template <class V>
inline V lowBits(std::uint32_t length) {
    constexpr std::uint32_t kWidth = 8 * sizeof(V);
    const V below = static_cast<V>((V{1} << (length & (kWidth - 1))) - 1);
    return length < kWidth ? below : static_cast<V>(~V{0});
}

template <bool Signed>
struct Bfe {
    template <class V>
    static V apply(V a, std::uint32_t start, std::uint32_t count) {
        constexpr std::uint32_t kTop = 8 * sizeof(V) - 1;
        const std::uint32_t position = fieldNumber<V>(start), length = fieldNumber<V>(count);
        const V field = position > kTop ? V{0} : static_cast<V>(a >> (position & kTop));
        const std::uint32_t last = position + length - 1;
        const bool sign = Signed && length != 0 && ((a >> (last < kTop ? last : kTop)) & 1u) != 0;
        // Bits beyond the field, and those that would come from beyond the top of a, are copies of
        // the sign.
        const std::uint32_t room = position > kTop ? 0u : kTop + 1 - position;
        const V mask = lowBits<V>(length < room ? length : room);
        return static_cast<V>((field & mask) | (sign ? static_cast<V>(~mask) : V{0}));
    }
};
struct Bfi {
    template <class V>
    static V apply(V a, V b, std::uint32_t start, std::uint32_t count) {
        constexpr std::uint32_t kTop = 8 * sizeof(V) - 1;
        const std::uint32_t position = fieldNumber<V>(start), length = fieldNumber<V>(count);
        const V mask =
            position > kTop ? V{0} : static_cast<V>(lowBits<V>(length) << (position & kTop));
        return static_cast<V>((b & ~mask) | (static_cast<V>(a << (position & kTop)) & mask));
    }
};
template <bool Wrap>
struct Bmsk {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        const std::uint32_t position = Wrap ? a & 31u : a;
        const std::uint32_t length = Wrap ? b & 31u : b;
        if (position > 31u)
            return 0u;
        return lowBits<std::uint32_t>(length) << position;
    }
};
template <bool Wrap, bool Signed>
struct Szext {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        const std::uint32_t length = Wrap ? b & 31u : b;
        if (length > 31u)
            return a;
        if (length == 0)
            return 0u;
        const std::uint32_t mask = lowBits<std::uint32_t>(length);
        const bool sign = Signed && ((a >> (length - 1)) & 1u) != 0;
        return sign ? a | ~mask : a & mask;
    }
};

/// Byte `index` (0..7) of b:a.
inline std::uint32_t byteOf(std::uint32_t a, std::uint32_t b, std::uint32_t index) {
    const std::uint64_t both = (std::uint64_t{b} << 32) | a;
    return static_cast<std::uint32_t>(both >> (8 * (index & 7u))) & 0xffu;
}
/// Source byte of result byte i, for the selector c of each mode (PTX ISA, prmt).
template <PermuteMode M>
inline std::uint32_t sourceByte(std::uint32_t i, std::uint32_t c) {
    const std::uint32_t s = c & 3u;
    switch (M) {
    case PermuteMode::None:
        return (c >> (4 * i)) & 7u;
    case PermuteMode::F4e:
        return s + i;
    case PermuteMode::B4e:
        return (s - i) & 7u;
    case PermuteMode::Rc8:
        return s;
    case PermuteMode::Ecl:
        return i > s ? i : s;
    case PermuteMode::Ecr:
        return i < s ? i : s;
    case PermuteMode::Rc16:
        return (s & 1u) * 2 + (i & 1u);
    }
    return 0;
}
template <PermuteMode M>
struct Prmt {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        std::uint32_t result = 0;
        for (std::uint32_t i = 0; i < 4; ++i) {
            std::uint32_t byte = byteOf(a, b, sourceByte<M>(i, c));
            // Bit 3 of a selector replicates the byte's sign.
            if (M == PermuteMode::None && ((c >> (4 * i + 3)) & 1u) != 0)
                byte = (byte & 0x80u) != 0 ? 0xffu : 0u;
            result |= byte << (8 * i);
        }
        return result;
    }
};

template <class Operation>
LaneFunction count(Type type) {
    switch (type) {
    case Type::B32:
        return &map1<Operation, U32, B32>;
    case Type::B64:
        return &map1<Operation, U32, B64>;
    default:
        return nullptr;
    }
}
template <class Operation>
LaneFunction find(Type type) {
    switch (type) {
    case Type::U32:
        return &map1<Operation, U32, U32>;
    case Type::U64:
        return &map1<Operation, U32, U64>;
    case Type::S32:
        return &map1<Operation, U32, S32>;
    case Type::S64:
        return &map1<Operation, U32, S64>;
    default:
        return nullptr;
    }
}

LaneFunction selectFind(const Instruction& instruction) {
    return instruction.modifiers.shiftAmount ? find<Bfind<true>>(instruction.type)
                                             : find<Bfind<false>>(instruction.type);
}

LaneFunction selectExtract(Type type) {
    switch (type) {
    case Type::U32:
        return &map3<Bfe<false>, U32, U32, U32, U32>;
    case Type::S32:
        return &map3<Bfe<true>, U32, U32, U32, U32>;
    case Type::U64:
        return &map3<Bfe<false>, U64, U64, U32, U32>;
    case Type::S64:
        return &map3<Bfe<true>, U64, U64, U32, U32>;
    default:
        return nullptr;
    }
}

LaneFunction selectMask(const Instruction& instruction) {
    const auto& modifiers = instruction.modifiers;
    if (modifiers.wrap == modifiers.clamp)
        return nullptr;
    if (instruction.opcode == Opcode::Bmsk)
        return modifiers.wrap ? &map2<Bmsk<true>, U32, U32, U32>
                              : &map2<Bmsk<false>, U32, U32, U32>;
    if (instruction.type != Type::U32 && instruction.type != Type::S32)
        return nullptr;
    return withBool(modifiers.wrap, [&](auto wrap) {
        return withBool(instruction.type == Type::S32, [&](auto isSigned) -> LaneFunction {
            return &map2<Szext<wrap.value, isSigned.value>, U32, U32, U32>;
        });
    });
}

} // namespace

LaneFunction selectBits(const Instruction& instruction) {
    const Type type = instruction.type;
    const bool untyped = type == Type::B32 || type == Type::B64;
    switch (instruction.opcode) {
    case Opcode::Popc:
        return count<Popc>(type);
    case Opcode::Clz:
        return count<Clz>(type);
    case Opcode::Bfind:
        return selectFind(instruction);
    case Opcode::Fns:
        return type == Type::B32 ? &map3<Fns, U32, U32, U32, S32> : nullptr;
    case Opcode::Brev:
        if (!untyped)
            return nullptr;
        return type == Type::B32 ? &map1<Brev, B32, B32> : &map1<Brev, B64, B64>;
    case Opcode::Bfe:
        return selectExtract(type);
    case Opcode::Bfi:
        if (!untyped)
            return nullptr;
        return type == Type::B32 ? &map4<Bfi, B32, B32, B32, U32, U32>
                                 : &map4<Bfi, B64, B64, B64, U32, U32>;
    case Opcode::Bmsk:
    case Opcode::Szext:
        return selectMask(instruction);
    default:
        return nullptr;
    }
}

LaneFunction selectPrmt(const Instruction& instruction) {
    if (instruction.type != Type::B32)
        return nullptr;
    switch (instruction.modifiers.permute) {
    case PermuteMode::None:
        return &map3<Prmt<PermuteMode::None>, B32, B32, B32, B32>;
    case PermuteMode::F4e:
        return &map3<Prmt<PermuteMode::F4e>, B32, B32, B32, B32>;
    case PermuteMode::B4e:
        return &map3<Prmt<PermuteMode::B4e>, B32, B32, B32, B32>;
    case PermuteMode::Rc8:
        return &map3<Prmt<PermuteMode::Rc8>, B32, B32, B32, B32>;
    case PermuteMode::Ecl:
        return &map3<Prmt<PermuteMode::Ecl>, B32, B32, B32, B32>;
    case PermuteMode::Ecr:
        return &map3<Prmt<PermuteMode::Ecr>, B32, B32, B32, B32>;
    case PermuteMode::Rc16:
        return &map3<Prmt<PermuteMode::Rc16>, B32, B32, B32, B32>;
    }
    return nullptr;
}

} // namespace lanescope::sim::lanes
