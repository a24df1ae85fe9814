// SPDX-License-Identifier: GPL-3.0-or-later
// How executors walk the 32 lanes of a row. Each element type is a tag with Slot (what a register
// holds: uint32_t or uint64_t), Value (what the operation computes with) and the two conversions;
// map<Operation, D, S...> is the executor.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/sim/lanes/lane_function.h"

namespace lanescope::sim::lanes {

template <class V, class S>
struct IntegerElement {
    using Value = V;
    using Slot = S;
    static Value get(Slot slot) { return static_cast<Value>(slot); }
    static Slot put(Value value) {
        return static_cast<Slot>(static_cast<std::make_unsigned_t<V>>(value));
    }
};
using U8 = IntegerElement<std::uint8_t, std::uint32_t>;
using S8 = IntegerElement<std::int8_t, std::uint32_t>;
using U16 = IntegerElement<std::uint16_t, std::uint32_t>;
using S16 = IntegerElement<std::int16_t, std::uint32_t>;
using U32 = IntegerElement<std::uint32_t, std::uint32_t>;
using S32 = IntegerElement<std::int32_t, std::uint32_t>;
using U64 = IntegerElement<std::uint64_t, std::uint64_t>;
using S64 = IntegerElement<std::int64_t, std::uint64_t>;
using B16 = U16;
using B32 = U32;
using B64 = U64;

struct F32 {
    using Value = float;
    using Slot = std::uint32_t;
    static Value get(Slot slot) { return std::bit_cast<float>(slot); }
    static Slot put(Value value) { return std::bit_cast<std::uint32_t>(value); }
};
struct F64 {
    using Value = double;
    using Slot = std::uint64_t;
    static Value get(Slot slot) { return std::bit_cast<double>(slot); }
    static Slot put(Value value) { return std::bit_cast<std::uint64_t>(value); }
};

/// Copies the active lanes of a computed row into the destination.
template <class Slot>
inline void blend(Slot* destination, const Slot* computed, LaneMask active) {
#pragma GCC ivdep
    for (int i = 0; i < kWarpSize; ++i) {
        const Slot keep = static_cast<Slot>(static_cast<Slot>((active >> i) & 1u) - 1u);
        destination[i] = (destination[i] & keep) | (computed[i] & ~keep);
    }
}

template <class Element>
inline const typename Element::Slot* sourceRow(const LaneArguments& arguments, int index) {
    return static_cast<const typename Element::Slot*>(arguments.source[index]);
}

/// Runs `fill(row)` on the destination, or on a scratch row that is then blended when some lanes
/// are inactive. A source row is the destination row itself or does not touch it, so a loop over
/// lanes carries no dependence.
template <class Slot, class Fill>
inline void writeRow(const LaneArguments& arguments, LaneMask active, Fill&& fill) {
    Slot* destination = static_cast<Slot*>(arguments.destination[0]);
    alignas(64) Slot scratch[kWarpSize];
    Slot* out = active == kFullMask ? destination : scratch;
    fill(out);
    if (out == scratch)
        blend(destination, scratch, active);
}

/// destination[0] = Operation::apply(source[0], ...) lane by lane; flattened, since a call left in
/// the loop keeps it scalar. apply is a pure function of Values that must be defined for every
/// input, since inactive lanes are computed too (and dropped).
template <class Operation, class D, class A>
[[gnu::flatten]] void map1(const LaneArguments& arguments, LaneMask active) {
    const auto* a = sourceRow<A>(arguments, 0);
    writeRow<typename D::Slot>(arguments, active, [&](typename D::Slot* out) {
#pragma GCC ivdep
        for (int i = 0; i < kWarpSize; ++i)
            out[i] = D::put(Operation::apply(A::get(a[i])));
    });
}
template <class Operation, class D, class A, class B>
[[gnu::flatten]] void map2(const LaneArguments& arguments, LaneMask active) {
    const auto* a = sourceRow<A>(arguments, 0);
    const auto* b = sourceRow<B>(arguments, 1);
    writeRow<typename D::Slot>(arguments, active, [&](typename D::Slot* out) {
#pragma GCC ivdep
        for (int i = 0; i < kWarpSize; ++i)
            out[i] = D::put(Operation::apply(A::get(a[i]), B::get(b[i])));
    });
}
template <class Operation, class D, class A, class B, class C>
[[gnu::flatten]] void map3(const LaneArguments& arguments, LaneMask active) {
    const auto* a = sourceRow<A>(arguments, 0);
    const auto* b = sourceRow<B>(arguments, 1);
    const auto* c = sourceRow<C>(arguments, 2);
    writeRow<typename D::Slot>(arguments, active, [&](typename D::Slot* out) {
#pragma GCC ivdep
        for (int i = 0; i < kWarpSize; ++i)
            out[i] = D::put(Operation::apply(A::get(a[i]), B::get(b[i]), C::get(c[i])));
    });
}
template <class Operation, class D, class A, class B, class C, class E>
[[gnu::flatten]] void map4(const LaneArguments& arguments, LaneMask active) {
    const auto* a = sourceRow<A>(arguments, 0);
    const auto* b = sourceRow<B>(arguments, 1);
    const auto* c = sourceRow<C>(arguments, 2);
    const auto* e = sourceRow<E>(arguments, 3);
    writeRow<typename D::Slot>(arguments, active, [&](typename D::Slot* out) {
#pragma GCC ivdep
        for (int i = 0; i < kWarpSize; ++i)
            out[i] =
                D::put(Operation::apply(A::get(a[i]), B::get(b[i]), C::get(c[i]), E::get(e[i])));
    });
}

/// An executor with a carry flag a lane: Operation::apply(values..., bool& carry).
template <class Operation, class D, class... S>
void mapCarry(const LaneArguments& arguments, LaneMask active) {
    auto* out = static_cast<typename D::Slot*>(arguments.destination[0]);
    LaneMask carries = *arguments.carry;
    forEachLane(active, [&](int lane) {
        bool carry = hasLane(carries, lane);
        int index = 0;
        const auto apply = [&](auto... slots) { return Operation::apply(slots..., carry); };
        [[maybe_unused]] const auto read = [&]<class E>(E) {
            return E::get(sourceRow<E>(arguments, index++)[lane]);
        };
        struct Values {
            typename D::Value v[sizeof...(S)];
        } values{{read(S{})...}};
        if constexpr (sizeof...(S) == 2)
            out[lane] = D::put(apply(values.v[0], values.v[1]));
        else
            out[lane] = D::put(apply(values.v[0], values.v[1], values.v[2]));
        carries = (carries & ~(LaneMask{1} << lane)) | (LaneMask{carry} << lane);
    });
    *arguments.carry = carries;
}

/// Bits of the lanes for which `condition(lane)` holds; vectorised as a reduction.
template <class Condition>
inline LaneMask maskOf(Condition&& condition) {
    LaneMask mask = 0;
    for (int i = 0; i < kWarpSize; ++i)
        mask |= condition(i) ? LaneMask{1} << i : LaneMask{0};
    return mask;
}

/// Writes the active bits of a predicate; a null destination (sink) is dropped.
inline void writePredicate(void* destination, LaneMask value, LaneMask active) {
    if (destination == nullptr)
        return;
    auto& predicate = *static_cast<LaneMask*>(destination);
    predicate = (predicate & ~active) | (value & active);
}

inline LaneMask predicateSource(const LaneArguments& arguments, int index) {
    return *static_cast<const LaneMask*>(arguments.source[index]);
}

} // namespace lanescope::sim::lanes
