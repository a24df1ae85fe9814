// SPDX-License-Identifier: GPL-3.0-or-later
// What the model of an SM keeps of its warps, schedulers and queues while it runs.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "engine/timing/recorder.h"
#include "engine/timing/result.h"

namespace lanescope::timing::state {

using Cycle = std::uint32_t;
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// What a physical pipe of a sub-partition is held by.
struct Unit {
    Cycle free = 0;
    std::uint32_t occupant = kNone;
};

/// A queue in front of the load/store unit: an instruction can be issued when the one `depth` before it has left.
struct Queue {
    std::vector<Unit> entries;
    std::size_t next = 0;
    const Unit& oldest() const { return entries[next]; }
    void push(Cycle leaves, std::uint32_t issue) {
        entries[next] = {leaves, issue};
        next = next + 1 == entries.size() ? 0 : next + 1;
    }
};

struct Source {
    Cycle ready = 0;
    std::uint32_t producer = kNone;
    WarpState state = WarpState::Wait;
};

struct Warp {
    const Record* next = nullptr;
    const Record* end = nullptr;
    const BlockStream* stream = nullptr;
    std::uint32_t slot = 0;
    std::vector<Source> registers;
    Cycle earliest = 0;          ///< by program order: after the previous issue, a branch, a barrier
    Source hold;                 ///< what `earliest` is for, when it is not only program order
    Cycle ready = 0;             ///< of the next instruction, by its operands
    Cycle previous = 0;          ///< end of the previous issue
    Source cause;
    bool atBarrier = false;      ///< waits for a barrier that is not complete
    Cycle stores = 0;            ///< when its last store is out
    Source copies;               ///< last to arrive of the copies (cp.async) in no group yet
    std::vector<Source> groups;  ///< the same of each group that is under way, oldest first
    Source products;             ///< last to finish of the wgmma in no group yet
    std::vector<Source> productGroups;
    Source bulk, bulkRead;       ///< of bulk copies from shared memory in no group yet: the last to be there, and to have read
    std::vector<Source> bulkGroups, bulkReadGroups;
    Source everyCopy;            ///< last to arrive of all copies (cp.async) so far
};

struct BarrierInstance {
    std::uint32_t arrived = 0;
    std::vector<std::uint32_t> waiting; ///< warps
    std::vector<std::uint32_t> arrivals; ///< issues
};

/// A phase of an mbarrier that has to end.
struct Phase {
    std::uint32_t left = 0;      ///< arrivals and copies not asked for yet
    std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting; ///< warps, and their entries in SmTiming::async
};

struct Scheduler {
    std::vector<std::uint32_t> warps;
    std::vector<Cycle> ready;     ///< of each warp's next instruction, kNever: none
    std::vector<std::uint8_t> pipe;
    std::array<Cycle, kPipeCount> available{}; ///< the earliest issue to each pipe
    Unit fma[2], alu, fp64, special, index, port, branch, tensor;
    Queue mio, lg, wgmma;
    Cycle free = 0;   ///< the next cycle it can issue in
    Cycle candidate = kNever;
    int chosen = -1;
};

inline WarpState throttleOf(Pipe pipe) {
    return pipe == Pipe::Global                             ? WarpState::LgThrottle
           : pipe == Pipe::Shared || pipe == Pipe::Exchange || pipe == Pipe::Index ? WarpState::MioThrottle
                                                            : WarpState::MathPipeThrottle;
}

inline WarpState scoreboardOf(Pipe pipe) {
    switch (pipe) {
    case Pipe::Global: return WarpState::LongScoreboard;
    case Pipe::Shared:
    case Pipe::Exchange:
    case Pipe::Special:
    case Pipe::Index:
    case Pipe::Mbarrier:
    case Pipe::Convert: return WarpState::ShortScoreboard;
    case Pipe::Warpgroup: return WarpState::Products;
    default: return WarpState::Wait;
    }
}

} // namespace lanescope::timing::state
