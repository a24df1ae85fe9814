// SPDX-License-Identifier: GPL-3.0-or-later
// and, or, xor, not, cnot, lop3, shl, shr, shf, copysign and mov: what works on untyped bits, and
// on predicates as lane masks.
#include <array>
#include <utility>

#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::BoolOp;
using ptx::Instruction;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;

struct And {
    template <class V>
    static V apply(V a, V b) {
        return static_cast<V>(a & b);
    }
};
struct Or {
    template <class V>
    static V apply(V a, V b) {
        return static_cast<V>(a | b);
    }
};
struct Xor {
    template <class V>
    static V apply(V a, V b) {
        return static_cast<V>(a ^ b);
    }
};
struct Not {
    template <class V>
    static V apply(V a) {
        return static_cast<V>(~a);
    }
};
struct Cnot {
    template <class V>
    static V apply(V a) {
        return a == 0 ? V{1} : V{0};
    }
};
/// The amount is an unsigned number of 32 bits; from the width on, everything is shifted out.
struct Shl {
    template <class V>
    static V apply(V a, std::uint32_t amount) {
        constexpr std::uint32_t kWidth = 8 * sizeof(V);
        const V shifted = static_cast<V>(a << (amount & (kWidth - 1)));
        return amount < kWidth ? shifted : V{0};
    }
};
struct Shr {
    template <class V>
    static V apply(V a, std::uint32_t amount) {
        constexpr std::uint32_t kWidth = 8 * sizeof(V);
        if constexpr (std::is_signed_v<V>) {
            return static_cast<V>(a >> (amount < kWidth ? amount : kWidth - 1));
        } else {
            const V shifted = static_cast<V>(a >> (amount & (kWidth - 1)));
            return amount < kWidth ? shifted : V{0};
        }
    }
};
/// shf: b above a, shifted as 64 bits; the upper word of a left shift, the lower one of a right
/// shift.
template <bool Left, bool Wrap>
struct Shf {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t amount) {
        const std::uint32_t n = Wrap ? amount & 31u : amount < 32u ? amount : 32u;
        const std::uint64_t both = (std::uint64_t{b} << 32) | a;
        return static_cast<std::uint32_t>(Left ? (both << n) >> 32 : both >> n);
    }
};
/// Bit (4a + 2b + c) of the table, for each bit of a, b and c.
template <std::uint32_t Table>
struct Lop3 {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        const std::uint32_t whenA = choose<(Table >> 4) & 15u>(b, c);
        const std::uint32_t whenNotA = choose<Table & 15u>(b, c);
        return whenNotA ^ (a & (whenA ^ whenNotA));
    }
    template <std::uint32_t Quarter>
    static std::uint32_t choose(std::uint32_t b, std::uint32_t c) {
        const std::uint32_t whenB = pick<(Quarter >> 2) & 3u>(c), whenNotB = pick<Quarter & 3u>(c);
        return whenNotB ^ (b & (whenB ^ whenNotB));
    }
    template <std::uint32_t Bits>
    static std::uint32_t pick(std::uint32_t c) {
        if constexpr (Bits == 0)
            return 0u;
        else if constexpr (Bits == 1)
            return ~c;
        else if constexpr (Bits == 2)
            return c;
        else
            return ~0u;
    }
};
struct Copysign32 {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        return (a & 0x80000000u) | (b & 0x7fffffffu);
    }
};
struct Copysign64 {
    static std::uint64_t apply(std::uint64_t a, std::uint64_t b) {
        return (a & (1ull << 63)) | (b & ~(1ull << 63));
    }
};
struct Copy {
    template <class V>
    static V apply(V a) {
        return a;
    }
};

template <class Operation>
void predicateBinary(const LaneArguments& arguments, LaneMask active) {
    const LaneMask value =
        Operation::apply(predicateSource(arguments, 0), predicateSource(arguments, 1));
    writePredicate(arguments.destination[0], value, active);
}
template <class Operation>
void predicateUnary(const LaneArguments& arguments, LaneMask active) {
    writePredicate(arguments.destination[0], Operation::apply(predicateSource(arguments, 0)),
                   active);
}

template <class Operation>
LaneFunction binary(Type type) {
    switch (type) {
    case Type::Pred:
        return &predicateBinary<Operation>;
    case Type::B16:
        return &map2<Operation, B16, B16, B16>;
    case Type::B32:
        return &map2<Operation, B32, B32, B32>;
    case Type::B64:
        return &map2<Operation, B64, B64, B64>;
    default:
        return nullptr;
    }
}

using Lop3Table = std::array<LaneFunction, 256>;
template <std::size_t... Table>
constexpr Lop3Table makeLop3Table(std::index_sequence<Table...>) {
    return {&map3<Lop3<Table>, B32, B32, B32, B32>...};
}
constexpr Lop3Table kLop3 = makeLop3Table(std::make_index_sequence<256>{});

/// lop3.and/.or d|p, a, b, c, table, q: p = (d != 0) op q.
template <std::size_t Table, bool IsOr>
void lop3Predicate(const LaneArguments& arguments, LaneMask active) {
    std::uint32_t unused[kWarpSize] = {};
    LaneArguments plain = arguments;
    if (plain.destination[0] == nullptr)
        plain.destination[0] = unused;
    kLop3[Table](plain, active);
    const auto* d = static_cast<const std::uint32_t*>(plain.destination[0]);
    const LaneMask nonZero = maskOf([&](int lane) { return d[lane] != 0; });
    const LaneMask q = predicateSource(arguments, 3);
    writePredicate(arguments.destination[1], IsOr ? nonZero | q : nonZero & q, active);
}
template <bool IsOr, std::size_t... Table>
constexpr Lop3Table makeLop3PredicateTable(std::index_sequence<Table...>) {
    return {&lop3Predicate<Table, IsOr>...};
}

} // namespace

LaneFunction selectBitwise(const Instruction& instruction) {
    switch (instruction.opcode) {
    case Opcode::And:
        return binary<And>(instruction.type);
    case Opcode::Or:
        return binary<Or>(instruction.type);
    case Opcode::Xor:
        return binary<Xor>(instruction.type);
    default:
        break;
    }
    const bool complement = instruction.opcode == Opcode::Not;
    switch (instruction.type) {
    case Type::Pred:
        return complement ? &predicateUnary<Not> : nullptr;
    case Type::B16:
        return complement ? &map1<Not, B16, B16> : &map1<Cnot, B16, B16>;
    case Type::B32:
        return complement ? &map1<Not, B32, B32> : &map1<Cnot, B32, B32>;
    case Type::B64:
        return complement ? &map1<Not, B64, B64> : &map1<Cnot, B64, B64>;
    default:
        return nullptr;
    }
}

LaneFunction selectLop3(const Instruction& instruction) {
    if (instruction.type != Type::B32)
        return nullptr;
    // The table is Instruction::immediate; a loader that leaves it among the operands is understood
    // too.
    std::uint32_t table = instruction.immediate;
    for (std::size_t i = 4; i < instruction.operands.size(); ++i)
        if (instruction.operands[i].kind == OperandKind::Immediate)
            table = static_cast<std::uint32_t>(instruction.operands[i].bits);
    if (table > 255u)
        return nullptr;
    static constexpr Lop3Table kAnd =
        makeLop3PredicateTable<false>(std::make_index_sequence<256>{});
    static constexpr Lop3Table kOr = makeLop3PredicateTable<true>(std::make_index_sequence<256>{});
    switch (instruction.modifiers.boolOp) {
    case BoolOp::None:
        return kLop3[table];
    case BoolOp::And:
        return kAnd[table];
    case BoolOp::Or:
        return kOr[table];
    case BoolOp::Xor:
        return nullptr;
    }
    return nullptr;
}

LaneFunction selectShift(const Instruction& instruction) {
    const auto& modifiers = instruction.modifiers;
    if (instruction.opcode == Opcode::Shf) {
        if (modifiers.wrap == modifiers.clamp)
            return nullptr;
        return withBool(modifiers.left, [&](auto left) {
            return withBool(modifiers.wrap, [&](auto wrap) -> LaneFunction {
                return &map3<Shf<left.value, wrap.value>, B32, B32, B32, B32>;
            });
        });
    }
    if (instruction.opcode == Opcode::Shl)
        switch (instruction.type) {
        case Type::B16:
            return &map2<Shl, B16, B16, U32>;
        case Type::B32:
            return &map2<Shl, B32, B32, U32>;
        case Type::B64:
            return &map2<Shl, B64, B64, U32>;
        default:
            return nullptr;
        }
    switch (instruction.type) {
    case Type::B16:
    case Type::U16:
        return &map2<Shr, U16, U16, U32>;
    case Type::S16:
        return &map2<Shr, S16, S16, U32>;
    case Type::B32:
    case Type::U32:
        return &map2<Shr, U32, U32, U32>;
    case Type::S32:
        return &map2<Shr, S32, S32, U32>;
    case Type::B64:
    case Type::U64:
        return &map2<Shr, U64, U64, U32>;
    case Type::S64:
        return &map2<Shr, S64, S64, U32>;
    default:
        return nullptr;
    }
}

LaneFunction selectCopysign(const Instruction& instruction) {
    if (instruction.type == Type::F32)
        return &map2<Copysign32, B32, B32, B32>;
    return instruction.type == Type::F64 ? &map2<Copysign64, B64, B64, B64> : nullptr;
}

LaneFunction selectMov(const Instruction& instruction) {
    if (instruction.type == Type::Pred)
        return &predicateUnary<Copy>;
    switch (ptx::sizeBytes(instruction.type)) {
    case 2:
    case 4:
        return &map1<Copy, B32, B32>;
    case 8:
        return &map1<Copy, B64, B64>;
    default:
        return nullptr;
    }
}

} // namespace lanescope::sim::lanes
