// SPDX-License-Identifier: GPL-3.0-or-later
// Integer add, sub, mul, mad, div, rem, sad, neg, abs, min and max. Overflow wraps unless .sat is
// written. Division by zero, which the PTX ISA leaves open, gives all ones for the quotient and for
// the remainder, as measured on an H200.
#include <limits>

#include "engine/sim/lanes/integer_math.h"
#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

struct Add {
    template <class V>
    static V apply(V a, V b) {
        return wrap<V>(bitsOfInteger(a) + bitsOfInteger(b));
    }
};
struct Sub {
    template <class V>
    static V apply(V a, V b) {
        return wrap<V>(bitsOfInteger(a) - bitsOfInteger(b));
    }
};
/// The overflow of a sum shows in its sign.
struct AddSat {
    static std::int32_t apply(std::int32_t a, std::int32_t b) {
        const std::int32_t sum = Add::apply(a, b);
        const std::int32_t limit = (a >> 31) ^ std::numeric_limits<std::int32_t>::max();
        return ((a ^ sum) & (b ^ sum)) < 0 ? limit : sum;
    }
};
struct SubSat {
    static std::int32_t apply(std::int32_t a, std::int32_t b) {
        const std::int32_t difference = Sub::apply(a, b);
        const std::int32_t limit = (a >> 31) ^ std::numeric_limits<std::int32_t>::max();
        return ((a ^ b) & (a ^ difference)) < 0 ? limit : difference;
    }
};
struct MulLo {
    template <class V>
    static V apply(V a, V b) {
        return mulLo(a, b);
    }
};
struct MulHi {
    template <class V>
    static V apply(V a, V b) {
        return mulHi(a, b);
    }
};
struct MulWide {
    template <class V>
    static WideOf<V> apply(V a, V b) {
        return mulWide(a, b);
    }
};
struct MadLo {
    template <class V>
    static V apply(V a, V b, V c) {
        return Add::apply(mulLo(a, b), c);
    }
};
struct MadHi {
    template <class V>
    static V apply(V a, V b, V c) {
        return Add::apply(mulHi(a, b), c);
    }
};
struct MadHiSat {
    static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
        return AddSat::apply(mulHi(a, b), c);
    }
};
struct MadWide {
    template <class V>
    static WideOf<V> apply(V a, V b, WideOf<V> c) {
        return Add::apply(mulWide(a, b), c);
    }
};
struct Div {
    template <class V>
    static V apply(V a, V b) {
        if (b == 0)
            return static_cast<V>(~V{0});
        if constexpr (std::is_signed_v<V>)
            if (b == -1)
                return Sub::apply(V{0}, a);
        return static_cast<V>(a / b);
    }
};
struct Rem {
    template <class V>
    static V apply(V a, V b) {
        if (b == 0)
            return static_cast<V>(~V{0});
        if constexpr (std::is_signed_v<V>)
            if (b == -1)
                return 0;
        return static_cast<V>(a % b);
    }
};
/// c + |a - b|, the difference taken exactly.
struct Sad {
    template <class V>
    static V apply(V a, V b, V c) {
        const V distance = a < b ? Sub::apply(b, a) : Sub::apply(a, b);
        return Add::apply(c, distance);
    }
};
struct Neg {
    template <class V>
    static V apply(V a) {
        return Sub::apply(V{0}, a);
    }
};
struct Abs {
    template <class V>
    static V apply(V a) {
        return a < 0 ? Sub::apply(V{0}, a) : a;
    }
};
struct Min {
    template <class V>
    static V apply(V a, V b) {
        return a < b ? a : b;
    }
};
struct Max {
    template <class V>
    static V apply(V a, V b) {
        return a > b ? a : b;
    }
};
template <class Operation>
struct Relu {
    template <class V>
    static V apply(V a, V b) {
        return Max::apply(Operation::apply(a, b), V{0});
    }
};
/// Two values of 16 bits in a slot.
template <class Operation, class V>
struct Pair {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        const auto low = static_cast<std::uint16_t>(
            Operation::apply(static_cast<V>(a & 0xffffu), static_cast<V>(b & 0xffffu)));
        const auto high = static_cast<std::uint16_t>(
            Operation::apply(static_cast<V>(a >> 16), static_cast<V>(b >> 16)));
        return low | (std::uint32_t{high} << 16);
    }
};

/// f.template operator()<Element>() for the element of an integer type.
template <class F>
LaneFunction withInteger(Type type, F&& f) {
    switch (type) {
    case Type::U16:
        return f.template operator()<U16>();
    case Type::S16:
        return f.template operator()<S16>();
    case Type::U32:
    case Type::B32:
        return f.template operator()<U32>();
    case Type::S32:
        return f.template operator()<S32>();
    case Type::U64:
    case Type::B64:
        return f.template operator()<U64>();
    case Type::S64:
        return f.template operator()<S64>();
    default:
        return nullptr;
    }
}
template <class Operation>
LaneFunction unary(Type type) {
    return withInteger(type, []<class E>() -> LaneFunction { return &map1<Operation, E, E>; });
}
template <class Operation>
LaneFunction binary(Type type) {
    return withInteger(type, []<class E>() -> LaneFunction { return &map2<Operation, E, E, E>; });
}
template <class Operation>
LaneFunction ternary(Type type) {
    return withInteger(type,
                       []<class E>() -> LaneFunction { return &map3<Operation, E, E, E, E>; });
}
template <class Operation>
LaneFunction binaryPair(Type type) {
    return type == Type::U16x2 ? &map2<Pair<Operation, std::uint16_t>, U32, U32, U32>
                               : &map2<Pair<Operation, std::int16_t>, U32, U32, U32>;
}

LaneFunction wide(Type type) {
    switch (type) {
    case Type::U16:
        return &map2<MulWide, U32, U16, U16>;
    case Type::S16:
        return &map2<MulWide, S32, S16, S16>;
    case Type::U32:
        return &map2<MulWide, U64, U32, U32>;
    case Type::S32:
        return &map2<MulWide, S64, S32, S32>;
    default:
        return nullptr;
    }
}
LaneFunction madWide(Type type) {
    switch (type) {
    case Type::U16:
        return &map3<MadWide, U32, U16, U16, U32>;
    case Type::S16:
        return &map3<MadWide, S32, S16, S16, S32>;
    case Type::U32:
        return &map3<MadWide, U64, U32, U32, U64>;
    case Type::S32:
        return &map3<MadWide, S64, S32, S32, S64>;
    default:
        return nullptr;
    }
}

} // namespace

LaneFunction selectAdd(const Instruction& instruction) {
    if (ptx::isFloat(instruction.type))
        return selectFloating(instruction);
    const bool add = instruction.opcode == Opcode::Add;
    if (instruction.modifiers.carryOut)
        return selectCarry(instruction);
    if (instruction.modifiers.sat) {
        if (instruction.type != Type::S32)
            return nullptr;
        return add ? &map2<AddSat, S32, S32, S32> : &map2<SubSat, S32, S32, S32>;
    }
    if (instruction.type == Type::U16x2 || instruction.type == Type::S16x2)
        return add ? binaryPair<Add>(instruction.type) : nullptr;
    return add ? binary<Add>(instruction.type) : binary<Sub>(instruction.type);
}

LaneFunction selectMul(const Instruction& instruction) {
    if (ptx::isFloat(instruction.type))
        return selectFloating(instruction);
    const auto& modifiers = instruction.modifiers;
    if (modifiers.wide)
        return wide(instruction.type);
    if (modifiers.hi)
        return binary<MulHi>(instruction.type);
    return modifiers.lo ? binary<MulLo>(instruction.type) : nullptr;
}

LaneFunction selectMad(const Instruction& instruction) {
    if (ptx::isFloat(instruction.type))
        return selectFloating(instruction);
    const auto& modifiers = instruction.modifiers;
    if (instruction.opcode == Opcode::Fma)
        return nullptr;
    if (modifiers.carryOut)
        return selectCarry(instruction);
    if (modifiers.wide)
        return madWide(instruction.type);
    if (modifiers.sat)
        return modifiers.hi && instruction.type == Type::S32 ? &map3<MadHiSat, S32, S32, S32, S32>
                                                             : nullptr;
    if (modifiers.hi)
        return ternary<MadHi>(instruction.type);
    return modifiers.lo ? ternary<MadLo>(instruction.type) : nullptr;
}

LaneFunction selectDiv(const Instruction& instruction) {
    return ptx::isFloat(instruction.type) ? selectFloating(instruction)
                                          : binary<Div>(instruction.type);
}
LaneFunction selectRem(const Instruction& instruction) {
    return binary<Rem>(instruction.type);
}
LaneFunction selectSad(const Instruction& instruction) {
    return ternary<Sad>(instruction.type);
}

LaneFunction selectNegAbs(const Instruction& instruction) {
    if (ptx::isFloat(instruction.type))
        return selectFloating(instruction);
    if (!ptx::isSigned(instruction.type))
        return nullptr;
    return instruction.opcode == Opcode::Neg ? unary<Neg>(instruction.type)
                                             : unary<Abs>(instruction.type);
}

LaneFunction selectMinMax(const Instruction& instruction) {
    const Type type = instruction.type;
    if (ptx::isFloat(type))
        return selectFloatMinMax(instruction);
    const bool minimum = instruction.opcode == Opcode::Min;
    const bool packed = type == Type::U16x2 || type == Type::S16x2;
    if (instruction.modifiers.relu) {
        if (type == Type::S32)
            return minimum ? &map2<Relu<Min>, S32, S32, S32> : &map2<Relu<Max>, S32, S32, S32>;
        if (type != Type::S16x2)
            return nullptr;
        return minimum ? binaryPair<Relu<Min>>(type) : binaryPair<Relu<Max>>(type);
    }
    if (packed)
        return minimum ? binaryPair<Min>(type) : binaryPair<Max>(type);
    return minimum ? binary<Min>(type) : binary<Max>(type);
}

} // namespace lanescope::sim::lanes
