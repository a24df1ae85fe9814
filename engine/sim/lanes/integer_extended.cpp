// SPDX-License-Identifier: GPL-3.0-or-later
// Integer arithmetic with a carry flag (add.cc, addc, sub.cc, subc, mad.cc, madc), 24-bit
// multiplication and dot products. On the hardware a difference is a + ~b + 1, so sub.cc leaves the
// carry of that sum in the flag: 1 where nothing was borrowed.
#include <limits>

#include "engine/sim/lanes/integer_math.h"
#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

/// a + b + carryIn, with the carry out of the top bit.
template <class V>
V addCarrying(V a, V b, bool carryIn, bool& carryOut) {
    const V partial = static_cast<V>(a + b);
    const V sum = static_cast<V>(partial + V{carryIn});
    carryOut = partial < a || sum < partial;
    return sum;
}

template <bool In, bool Out>
struct AddCarry {
    template <class V>
    static V apply(V a, V b, bool& flag) {
        bool carry = false;
        const V sum = addCarrying(a, b, In && flag, carry);
        flag = Out ? carry : flag;
        return sum;
    }
};
template <bool In, bool Out>
struct SubCarry {
    template <class V>
    static V apply(V a, V b, bool& flag) {
        bool carry = false;
        const V difference = addCarrying(a, static_cast<V>(~b), In ? flag : true, carry);
        flag = Out ? carry : flag;
        return difference;
    }
};
template <class Signed, bool High, bool In, bool Out>
struct MadCarry {
    template <class V>
    static V apply(V a, V b, V c, bool& flag) {
        const V product =
            High ? static_cast<V>(mulHi(static_cast<Signed>(a), static_cast<Signed>(b)))
                 : mulLo(a, b);
        return AddCarry<In, Out>::apply(product, c, flag);
    }
};

template <template <bool, bool> class Operation>
LaneFunction selectSum(const Instruction& instruction, bool in) {
    const bool wide = ptx::sizeBytes(instruction.type) == 8;
    if (!wide && ptx::sizeBytes(instruction.type) != 4)
        return nullptr;
    return withBool(in, [&](auto carryIn) {
        return withBool(instruction.modifiers.carryOut, [&](auto carryOut) -> LaneFunction {
            using O = Operation<carryIn.value, carryOut.value>;
            return wide ? &mapCarry<O, U64, U64, U64> : &mapCarry<O, U32, U32, U32>;
        });
    });
}

template <bool High, bool In, bool Out>
LaneFunction selectMadType(Type type) {
    switch (type) {
    case Type::U32:
        return &mapCarry<MadCarry<std::uint32_t, High, In, Out>, U32, U32, U32, U32>;
    case Type::S32:
        return &mapCarry<MadCarry<std::int32_t, High, In, Out>, U32, U32, U32, U32>;
    case Type::U64:
        return &mapCarry<MadCarry<std::uint64_t, High, In, Out>, U64, U64, U64, U64>;
    case Type::S64:
        return &mapCarry<MadCarry<std::int64_t, High, In, Out>, U64, U64, U64, U64>;
    default:
        return nullptr;
    }
}
LaneFunction selectMadCarry(const Instruction& instruction) {
    const auto& modifiers = instruction.modifiers;
    if (!modifiers.lo && !modifiers.hi)
        return nullptr;
    return withBool(modifiers.hi, [&](auto high) {
        return withBool(instruction.opcode == Opcode::Madc, [&](auto in) {
            return withBool(modifiers.carryOut, [&](auto out) {
                return selectMadType<high.value, in.value, out.value>(instruction.type);
            });
        });
    });
}

/// The 48-bit product of the low 24 bits, sign-extended for signed types.
template <class V>
std::int64_t product24(V a, V b) {
    const auto low = [](V value) {
        const auto shifted = static_cast<std::uint32_t>(value) << 8;
        return std::is_signed_v<V> ? std::int64_t{static_cast<std::int32_t>(shifted) >> 8}
                                   : std::int64_t{shifted >> 8};
    };
    return low(a) * low(b);
}
template <bool High>
struct Mul24 {
    template <class V>
    static V apply(V a, V b) {
        return static_cast<V>(product24(a, b) >> (High ? 16 : 0));
    }
};
template <bool High>
struct Mad24 {
    template <class V>
    static V apply(V a, V b, V c) {
        return wrap<V>(bitsOfInteger(Mul24<High>::apply(a, b)) + bitsOfInteger(c));
    }
};
struct Mad24HiSat {
    static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
        const std::int64_t sum = std::int64_t{Mul24<true>::apply(a, b)} + c;
        if (sum > std::numeric_limits<std::int32_t>::max())
            return std::numeric_limits<std::int32_t>::max();
        if (sum < std::numeric_limits<std::int32_t>::min())
            return std::numeric_limits<std::int32_t>::min();
        return static_cast<std::int32_t>(sum);
    }
};

template <class Byte>
std::int32_t byteOf(std::uint32_t word, int index) {
    return static_cast<Byte>(word >> (8 * index));
}
template <class Half>
std::int32_t halfOf(std::uint32_t word, int index) {
    return static_cast<Half>(word >> (16 * index));
}
template <bool SignedA, bool SignedB>
struct Dot4 {
    using A = std::conditional_t<SignedA, std::int8_t, std::uint8_t>;
    using B = std::conditional_t<SignedB, std::int8_t, std::uint8_t>;
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        for (int i = 0; i < 4; ++i)
            c += static_cast<std::uint32_t>(byteOf<A>(a, i) * byteOf<B>(b, i));
        return c;
    }
};
template <bool SignedA, bool SignedB, bool High>
struct Dot2 {
    using A = std::conditional_t<SignedA, std::int16_t, std::uint16_t>;
    using B = std::conditional_t<SignedB, std::int8_t, std::uint8_t>;
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        for (int i = 0; i < 2; ++i)
            c += static_cast<std::uint32_t>(halfOf<A>(a, i) * byteOf<B>(b, i + (High ? 2 : 0)));
        return c;
    }
};

bool isWord(Type type) {
    return type == Type::U32 || type == Type::S32;
}

} // namespace

LaneFunction selectCarry(const Instruction& instruction) {
    switch (instruction.opcode) {
    case Opcode::Add:
        return selectSum<AddCarry>(instruction, false);
    case Opcode::Addc:
        return selectSum<AddCarry>(instruction, true);
    case Opcode::Sub:
        return selectSum<SubCarry>(instruction, false);
    case Opcode::Subc:
        return selectSum<SubCarry>(instruction, true);
    case Opcode::Mad:
    case Opcode::Madc:
        return selectMadCarry(instruction);
    default:
        return nullptr;
    }
}

LaneFunction selectMul24(const Instruction& instruction) {
    const auto& modifiers = instruction.modifiers;
    if (!isWord(instruction.type) || modifiers.hi == modifiers.lo)
        return nullptr;
    const bool isSigned = instruction.type == Type::S32;
    if (modifiers.sat)
        return isSigned && modifiers.hi && instruction.opcode == Opcode::Mad24
                   ? &map3<Mad24HiSat, S32, S32, S32, S32>
                   : nullptr;
    return withBool(modifiers.hi, [&](auto high) -> LaneFunction {
        if (instruction.opcode == Opcode::Mul24)
            return isSigned ? &map2<Mul24<high.value>, S32, S32, S32>
                            : &map2<Mul24<high.value>, U32, U32, U32>;
        return isSigned ? &map3<Mad24<high.value>, S32, S32, S32, S32>
                        : &map3<Mad24<high.value>, U32, U32, U32, U32>;
    });
}

LaneFunction selectDotProduct(const Instruction& instruction) {
    const auto& modifiers = instruction.modifiers;
    if (!isWord(instruction.type) || !isWord(instruction.type2))
        return nullptr;
    return withBool(instruction.type == Type::S32, [&](auto signedA) {
        return withBool(instruction.type2 == Type::S32, [&](auto signedB) -> LaneFunction {
            if (instruction.opcode == Opcode::Dp4a)
                return &map3<Dot4<signedA.value, signedB.value>, U32, U32, U32, U32>;
            if (modifiers.hi == modifiers.lo)
                return nullptr;
            return modifiers.hi
                       ? &map3<Dot2<signedA.value, signedB.value, true>, U32, U32, U32, U32>
                       : &map3<Dot2<signedA.value, signedB.value, false>, U32, U32, U32, U32>;
        });
    });
}

} // namespace lanescope::sim::lanes
