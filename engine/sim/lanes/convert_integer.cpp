// SPDX-License-Identifier: GPL-3.0-or-later
// cvt between integer types: the source is taken at its own width, clamped to the destination's
// range with .sat, cut to the destination's width, and extended by the destination's sign to the
// register that receives it (PTX ISA, cvt). Registers of either operand may be wider than the type;
// a register of 16 bits holds a result of 8 bits.
#include <limits>

#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::Instruction;
using ptx::Type;

/// An element whose register is wider than its type: Container is the register's integer, signed
/// like V.
template <class V, class Container>
struct Widened {
    using Value = V;
    using Slot = std::conditional_t<sizeof(Container) == 8, std::uint64_t, std::uint32_t>;
    static Value get(Slot slot) { return static_cast<Value>(slot); }
    static Slot put(Value value) {
        using Extended = std::conditional_t<std::is_signed_v<V>, std::make_signed_t<Container>,
                                            std::make_unsigned_t<Container>>;
        return static_cast<Slot>(
            static_cast<std::make_unsigned_t<Container>>(static_cast<Extended>(value)));
    }
};

template <class D, bool Sat>
struct Convert {
    template <class S>
    static D apply(S value) {
        if constexpr (Sat) {
            using Limits = std::numeric_limits<D>;
            if constexpr (std::is_signed_v<S> && !std::is_signed_v<D>)
                value = value < 0 ? S{0} : value;
            if constexpr (std::is_signed_v<S> && std::is_signed_v<D> && sizeof(S) > sizeof(D))
                value = value < S{Limits::min()} ? S{Limits::min()} : value;
            // The destination's maximum matters only where the source can exceed it.
            if constexpr (std::numeric_limits<S>::digits > Limits::digits)
                value =
                    value > static_cast<S>(Limits::max()) ? static_cast<S>(Limits::max()) : value;
        }
        return static_cast<D>(value);
    }
};

template <class DV, class Container, class S, bool Sat>
constexpr LaneFunction executor() {
    return &map1<Convert<DV, Sat>, Widened<DV, Container>, S>;
}

/// Picks the width of the destination register: 2, 4 or 8 bytes, at least the type's own.
template <class DV, class S, bool Sat>
LaneFunction withDestination(int bytes) {
    if (bytes == 8)
        return executor<DV, std::uint64_t, S, Sat>();
    if constexpr (sizeof(DV) <= 4)
        if (bytes == 4)
            return executor<DV, std::uint32_t, S, Sat>();
    if constexpr (sizeof(DV) <= 2)
        return executor<DV, std::uint16_t, S, Sat>();
    return nullptr;
}

template <class S>
LaneFunction withSource(Type destination, bool sat, int bytes) {
    return withBool(sat, [&](auto saturate) -> LaneFunction {
        constexpr bool kSat = decltype(saturate)::value;
        switch (destination) {
        case Type::U8:
            return withDestination<std::uint8_t, S, kSat>(bytes);
        case Type::S8:
            return withDestination<std::int8_t, S, kSat>(bytes);
        case Type::U16:
            return withDestination<std::uint16_t, S, kSat>(bytes);
        case Type::S16:
            return withDestination<std::int16_t, S, kSat>(bytes);
        case Type::U32:
            return withDestination<std::uint32_t, S, kSat>(bytes);
        case Type::S32:
            return withDestination<std::int32_t, S, kSat>(bytes);
        case Type::U64:
            return withDestination<std::uint64_t, S, kSat>(bytes);
        case Type::S64:
            return withDestination<std::int64_t, S, kSat>(bytes);
        default:
            return nullptr;
        }
    });
}

template <class V>
LaneFunction withSourceRegister(const Instruction& instruction, RegisterBytes bytes) {
    const bool sat = instruction.modifiers.sat;
    if (bytes.source == 8)
        return withSource<IntegerElement<V, std::uint64_t>>(instruction.type, sat,
                                                            bytes.destination);
    if constexpr (sizeof(V) <= 4)
        return withSource<IntegerElement<V, std::uint32_t>>(instruction.type, sat,
                                                            bytes.destination);
    return nullptr;
}

} // namespace

LaneFunction selectConvertInteger(const Instruction& instruction, RegisterBytes bytes) {
    switch (instruction.type2) {
    case Type::U8:
        return withSourceRegister<std::uint8_t>(instruction, bytes);
    case Type::S8:
        return withSourceRegister<std::int8_t>(instruction, bytes);
    case Type::U16:
        return withSourceRegister<std::uint16_t>(instruction, bytes);
    case Type::S16:
        return withSourceRegister<std::int16_t>(instruction, bytes);
    case Type::U32:
        return withSourceRegister<std::uint32_t>(instruction, bytes);
    case Type::S32:
        return withSourceRegister<std::int32_t>(instruction, bytes);
    case Type::U64:
        return withSourceRegister<std::uint64_t>(instruction, bytes);
    case Type::S64:
        return withSourceRegister<std::int64_t>(instruction, bytes);
    default:
        return nullptr;
    }
}

} // namespace lanescope::sim::lanes
