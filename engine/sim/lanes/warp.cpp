// SPDX-License-Identifier: GPL-3.0-or-later
// shfl, vote, match, redux, activemask and elect. Lanes exchange with the executing lanes of their
// own member mask; lanes that name different masks in one instruction form groups of their own. A
// shuffle from a lane that does not execute reads what that lane's register holds, which PTX leaves
// undefined.
#include <algorithm>

#include "engine/sim/lanes/formats.h"
#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::AtomicOp;
using ptx::Instruction;
using ptx::Opcode;
using ptx::ShuffleMode;
using ptx::Type;
using ptx::VoteMode;

/// The lane that `lane` reads from, and whether it is in range (PTX ISA, shfl.sync: c holds the
/// clamp in bits 0-4 and the segment mask in bits 8-12).
struct ShuffleSource {
    int lane = 0;
    bool inRange = false;
};
template <ShuffleMode M>
ShuffleSource shuffleSource(int lane, std::uint32_t b, std::uint32_t c) {
    const int offset = static_cast<int>(b & 31u);
    const int clamp = static_cast<int>(c & 31u);
    const int segment = static_cast<int>((c >> 8) & 31u);
    const int last = (lane & segment) | (clamp & ~segment);
    const int first = lane & segment;
    int source = lane;
    bool inRange = false;
    switch (M) {
    case ShuffleMode::Up:
        source = lane - offset;
        inRange = source >= last;
        break;
    case ShuffleMode::Down:
        source = lane + offset;
        inRange = source <= last;
        break;
    case ShuffleMode::Bfly:
        source = lane ^ offset;
        inRange = source <= last;
        break;
    case ShuffleMode::Idx:
        source = first | (offset & ~segment);
        inRange = source <= last;
        break;
    case ShuffleMode::None:
        break;
    }
    return {inRange ? source : lane, inRange};
}
template <ShuffleMode M>
[[gnu::flatten]] void shuffle(const LaneArguments& arguments, LaneMask active) {
    const auto* a = sourceRow<B32>(arguments, 0);
    const auto* b = sourceRow<B32>(arguments, 1);
    const auto* c = sourceRow<B32>(arguments, 2);
    std::uint32_t row[kWarpSize];
    LaneMask inRange = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const ShuffleSource source = shuffleSource<M>(lane, b[lane], c[lane]);
        row[lane] = a[source.lane & 31];
        inRange |= LaneMask{source.inRange} << lane;
    }
    if (arguments.destination[0] != nullptr)
        blend(static_cast<std::uint32_t*>(arguments.destination[0]), row, active);
    writePredicate(arguments.destination[1], inRange, active);
}

/// Calls f(group) for the executing lanes of each member mask. Without a mask operand all executing
/// lanes are one group.
template <class F>
void forEachGroup(const void* maskRow, LaneMask active, F&& f) {
    if (maskRow == nullptr)
        return f(active);
    const auto* masks = static_cast<const std::uint32_t*>(maskRow);
    for (LaneMask left = active; left != 0;) {
        const std::uint32_t members = masks[firstLane(left)];
        LaneMask group = 0;
        forEachLane(left, [&](int lane) {
            if (masks[lane] == members)
                group |= LaneMask{1} << lane;
        });
        f(group);
        left &= ~group;
    }
}

void writeValue(void* destination, std::uint32_t value, LaneMask lanes) {
    if (destination != nullptr)
        forEachLane(lanes,
                    [&](int lane) { static_cast<std::uint32_t*>(destination)[lane] = value; });
}

template <VoteMode M>
void vote(const LaneArguments& arguments, LaneMask active) {
    const LaneMask predicate = predicateSource(arguments, 0);
    forEachGroup(arguments.source[1], active, [&](LaneMask group) {
        const LaneMask yes = predicate & group;
        if constexpr (M == VoteMode::Ballot) {
            writeValue(arguments.destination[0], yes, group);
        } else {
            const bool result = M == VoteMode::All   ? yes == group
                                : M == VoteMode::Any ? yes != 0
                                                     : yes == group || yes == 0;
            writePredicate(arguments.destination[0], result ? kFullMask : 0, group);
        }
    });
}

template <class E>
LaneMask lanesEqualTo(const typename E::Slot* row, typename E::Slot value, LaneMask group) {
    return group & maskOf([&](int lane) { return row[lane] == value; });
}
template <class E>
void matchAny(const LaneArguments& arguments, LaneMask active) {
    const auto* a = sourceRow<E>(arguments, 0);
    std::uint32_t row[kWarpSize] = {};
    forEachGroup(arguments.source[1], active, [&](LaneMask group) {
        forEachLane(group, [&](int lane) { row[lane] = lanesEqualTo<E>(a, a[lane], group); });
    });
    blend(static_cast<std::uint32_t*>(arguments.destination[0]), row, active);
}
template <class E>
void matchAll(const LaneArguments& arguments, LaneMask active) {
    const auto* a = sourceRow<E>(arguments, 0);
    std::uint32_t row[kWarpSize] = {};
    LaneMask matches = 0;
    forEachGroup(arguments.source[1], active, [&](LaneMask group) {
        if (lanesEqualTo<E>(a, a[firstLane(group)], group) != group)
            return;
        matches |= group;
        forEachLane(group, [&](int lane) { row[lane] = group; });
    });
    if (arguments.destination[0] != nullptr)
        blend(static_cast<std::uint32_t*>(arguments.destination[0]), row, active);
    writePredicate(arguments.destination[1], matches, active);
}

struct ReduceAdd {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a + b; }
};
struct ReduceAnd {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a & b; }
};
struct ReduceOr {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a | b; }
};
struct ReduceXor {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a ^ b; }
};
template <class V, bool Max>
struct ReduceMinMax {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        const V x = static_cast<V>(a), y = static_cast<V>(b);
        return static_cast<std::uint32_t>(Max ? std::max(x, y) : std::min(x, y));
    }
};
/// redux of f32 (compute capability 10.0a): NaN operands are left out unless .NaN is written; -0 <
/// +0.
template <bool Max, bool Abs, bool Nan>
struct ReduceFloat {
    static std::int32_t order(std::uint32_t bits) {
        const auto magnitude = static_cast<std::int32_t>(bits & 0x7fffffffu);
        return (bits >> 31) != 0 ? -1 - magnitude : magnitude;
    }
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        if (Abs) {
            a &= 0x7fffffffu;
            b &= 0x7fffffffu;
        }
        const bool nanA = isNanF32(a), nanB = isNanF32(b);
        if (Nan ? nanA || nanB : nanA && nanB)
            return kNanF32;
        if (nanA || nanB)
            return nanA ? b : a;
        return (order(a) < order(b)) != Max ? a : b;
    }
};
template <class Operation>
void reduce(const LaneArguments& arguments, LaneMask active) {
    const auto* a = sourceRow<B32>(arguments, 0);
    std::uint32_t row[kWarpSize] = {};
    forEachGroup(arguments.source[1], active, [&](LaneMask group) {
        std::uint32_t value = a[firstLane(group)];
        if constexpr (requires { Operation::order(0u); })
            value = Operation::apply(value, value); // a single lane: .abs and the canonical NaN
        forEachLane(group & (group - 1),
                    [&](int lane) { value = Operation::apply(value, a[lane]); });
        forEachLane(group, [&](int lane) { row[lane] = value; });
    });
    blend(static_cast<std::uint32_t*>(arguments.destination[0]), row, active);
}

void activeMask(const LaneArguments& arguments, LaneMask active) {
    writeValue(arguments.destination[0], active, active);
}

/// The lowest executing lane of a member mask is elected: d is its number, p is true in it alone.
void elect(const LaneArguments& arguments, LaneMask active) {
    std::uint32_t row[kWarpSize] = {};
    LaneMask leaders = 0;
    forEachGroup(arguments.source[0], active, [&](LaneMask group) {
        const int leader = firstLane(group);
        leaders |= LaneMask{1} << leader;
        forEachLane(group, [&](int lane) { row[lane] = static_cast<std::uint32_t>(leader); });
    });
    if (arguments.destination[0] != nullptr)
        blend(static_cast<std::uint32_t*>(arguments.destination[0]), row, active);
    writePredicate(arguments.destination[1], leaders, active);
}

LaneFunction selectShuffle(ShuffleMode mode) {
    switch (mode) {
    case ShuffleMode::Up:
        return &shuffle<ShuffleMode::Up>;
    case ShuffleMode::Down:
        return &shuffle<ShuffleMode::Down>;
    case ShuffleMode::Bfly:
        return &shuffle<ShuffleMode::Bfly>;
    case ShuffleMode::Idx:
        return &shuffle<ShuffleMode::Idx>;
    case ShuffleMode::None:
        return nullptr;
    }
    return nullptr;
}
LaneFunction selectVote(VoteMode mode) {
    switch (mode) {
    case VoteMode::All:
        return &vote<VoteMode::All>;
    case VoteMode::Any:
        return &vote<VoteMode::Any>;
    case VoteMode::Uni:
        return &vote<VoteMode::Uni>;
    case VoteMode::Ballot:
        return &vote<VoteMode::Ballot>;
    case VoteMode::None:
        return nullptr;
    }
    return nullptr;
}
LaneFunction selectMatch(const Instruction& instruction) {
    const bool all = instruction.modifiers.matchAll;
    if (instruction.type == Type::B32)
        return all ? &matchAll<B32> : &matchAny<B32>;
    if (instruction.type == Type::B64)
        return all ? &matchAll<B64> : &matchAny<B64>;
    return nullptr;
}
template <bool Max>
LaneFunction selectReduceMinMax(const Instruction& instruction) {
    switch (instruction.type) {
    case Type::U32:
        return &reduce<ReduceMinMax<std::uint32_t, Max>>;
    case Type::S32:
        return &reduce<ReduceMinMax<std::int32_t, Max>>;
    case Type::F32:
        return withBool(instruction.modifiers.abs, [&](auto abs) {
            return withBool(instruction.modifiers.nan, [&](auto nan) -> LaneFunction {
                return &reduce<ReduceFloat<Max, abs.value, nan.value>>;
            });
        });
    default:
        return nullptr;
    }
}
LaneFunction selectRedux(const Instruction& instruction) {
    if (ptx::sizeBytes(instruction.type) != 4)
        return nullptr;
    switch (instruction.modifiers.atomicOp) {
    case AtomicOp::Add:
        return ptx::isFloat(instruction.type) ? nullptr : &reduce<ReduceAdd>;
    case AtomicOp::Min:
        return selectReduceMinMax<false>(instruction);
    case AtomicOp::Max:
        return selectReduceMinMax<true>(instruction);
    case AtomicOp::And:
        return &reduce<ReduceAnd>;
    case AtomicOp::Or:
        return &reduce<ReduceOr>;
    case AtomicOp::Xor:
        return &reduce<ReduceXor>;
    case AtomicOp::None:
    case AtomicOp::Cas:
    case AtomicOp::Exch:
    case AtomicOp::Inc:
    case AtomicOp::Dec:
        return nullptr;
    }
    return nullptr;
}

} // namespace

LaneFunction selectWarp(const Instruction& instruction) {
    switch (instruction.opcode) {
    case Opcode::Shfl:
        return instruction.type == Type::B32 ? selectShuffle(instruction.modifiers.shuffle)
                                             : nullptr;
    case Opcode::Vote:
        return selectVote(instruction.modifiers.vote);
    case Opcode::Activemask:
        return &activeMask;
    case Opcode::Match:
        return selectMatch(instruction);
    case Opcode::Redux:
        return selectRedux(instruction);
    case Opcode::Elect:
        return &elect;
    default:
        return nullptr;
    }
}

} // namespace lanescope::sim::lanes
