// SPDX-License-Identifier: GPL-3.0-or-later
// What the timing of an SM gives: when each warp instruction was issued, what it waited for before and which event ended the wait.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/timing/instruction.h"
#include "engine/timing/memory_path.h"
#include "engine/timing/recorder.h"

namespace lanescope::timing {

/// What a warp does in a cycle, by Nsight Compute's names of warp stall reasons.
enum class WarpState : std::uint8_t {
    Issued,          ///< "selected"
    LongScoreboard,  ///< waits for data of global or local memory
    ShortScoreboard, ///< waits for the result of shared memory, a special function, a shuffle
    Wait,            ///< waits for a result of fixed latency
    MathPipeThrottle,
    MioThrottle,
    LgThrottle,
    Barrier,
    Mbarrier,        ///< waits for a phase of an mbarrier
    Products,        ///< waits for products of its warpgroup (wgmma)
    Membar,
    BranchResolving,
    NoInstruction,
    ConstantMiss,    ///< "IMC miss"
    NotSelected,
    Drain,           ///< has ended; its stores are under way
    Done
};
inline constexpr int kWarpStateCount = static_cast<int>(WarpState::Done) + 1;
const char* id(WarpState state);    ///< "long_scoreboard"
const char* label(WarpState state); ///< "Long scoreboard"
const char* help(WarpState state);  ///< one sentence

/// One issued warp instruction. From the cycle after the warp's previous issue it waited for `cause` until `ready`, then for its pipe
/// until `free`, then for the scheduler until `cycle`.
struct Issue {
    std::uint32_t warp = 0;  ///< of the SM: index into SmTiming::warps
    std::uint32_t pc = 0;
    std::uint32_t event = 0; ///< of the warp's block
    std::uint32_t cycle = 0, ready = 0, free = 0;
    std::uint32_t done = 0;  ///< its result can be used; barrier: everyone has arrived
    std::uint32_t cause = kNone;    ///< the issue it waited for until ready
    std::uint32_t occupant = kNone; ///< the issue that held its pipe until free
    WarpState waiting = WarpState::Issued, throttle = WarpState::Issued;
    Level level = Level::None;
    std::uint8_t slotsUsed = 1;  ///< cycles that issuing took; 0: ptxas leaves no instruction of it
};

/// A phase of an mbarrier as it went.
struct PhaseTiming {
    std::uint32_t slot = 0;     ///< block among the resident ones
    std::uint64_t address = 0;  ///< of the mbarrier in shared memory
    std::uint32_t number = 0;   ///< of the phase since its initialisation
    std::uint32_t end = kNone;  ///< cycle of the last arrival or byte; kNone: it never ended
    std::uint32_t last = kNone; ///< the issue that brought it
};

/// What an issue does to a phase, or the bulk copy that it asks for.
struct AsyncTiming {
    std::uint32_t issue = kNone;
    AsyncUse::What what = AsyncUse::What::Arrive;
    std::uint32_t phase = kNone; ///< in SmTiming::phases
    std::uint32_t bytes = 0;     ///< copied
    std::uint32_t done = 0;      ///< cycle: it has arrived, its bytes have, its wait is over
};

struct WarpTiming {
    std::uint32_t slot = 0;  ///< block among the resident ones, 0 is the traced one
    std::uint32_t block = 0; ///< linear index in the grid
    std::uint32_t warp = 0;  ///< in its block
    int scheduler = 0;
    std::vector<std::uint32_t> issues; ///< into SmTiming::issues, in order of cycles
    std::uint32_t end = 0;   ///< cycle at which it has ended
};

/// A stretch of a warp's time.
struct Interval {
    std::uint32_t begin = 0, end = 0; ///< cycles [begin, end)
    WarpState state = WarpState::Done;
    std::uint32_t issue = kNone; ///< the instruction that is issued or waits
};

struct SmTiming {
    std::vector<Issue> issues; ///< of all warps, in order of cycles
    std::vector<WarpTiming> warps;
    std::vector<PhaseTiming> phases;   ///< of mbarriers
    std::vector<AsyncTiming> async;    ///< in order of issues
    std::uint32_t cycles = 0;
    std::uint32_t resident = 1;        ///< blocks on the SM
    std::uint32_t warpsPerBlock = 0;
    int schedulers = 4;
    std::uint64_t issueSlots = 0;      ///< cycles in which a scheduler issued, summed over schedulers
    std::array<std::uint64_t, kWarpStateCount> stateCycles{}; ///< warp-cycles in each state, from start to end of each warp
    std::array<std::uint64_t, kPipeCount> pipeBusy{};         ///< cycles a pipe was held, summed over sub-partitions
    std::array<int, kPipeCount> pipeUnits{};                  ///< of each pipe in the SM
    std::uint64_t dataStageBusy = 0;   ///< wavefronts of the L1 and shared memory
    PathTraffic traffic;
    bool complete = true;              ///< false: cut at a limit or cancelled
    /// Issue of an event of the traced block, kNone where it was cut.
    std::vector<std::uint32_t> issueOfEvent;
    std::vector<std::uint8_t> isArithmetic; ///< by pc: floating-point arithmetic

    double issueUtilisation() const; ///< of the schedulers' cycles, 0..1
    double pipeUtilisation(Pipe pipe) const;
    double dataStageUtilisation() const { return cycles == 0 ? 0.0 : static_cast<double>(dataStageBusy) / cycles; }
    /// Share of a state in the warps' time, 0..1.
    double share(WarpState state) const;
    /// The stretches of a warp in order, without gaps from 0 to `cycles`.
    std::vector<Interval> intervals(std::uint32_t warp) const;
    Interval at(std::uint32_t warp, std::uint32_t cycle) const;
    /// What an issue does to mbarriers and bulk copies.
    std::span<const AsyncTiming> asyncOf(std::uint32_t issue) const;
    /// The wait at an mbarrier that holds the warp until this issue; null: none does.
    const AsyncTiming* waitBefore(const Issue& issue) const;
    /// Share of the cycles of [0, cycles) in which a load from L2 or device memory is under way that also have an arithmetic
    /// instruction (fma, fp64) issued, 0..1: how much of the latency is hidden.
    double overlap() const;
};

/// A link in the chain of what a warp waits for.
struct CauseLink {
    std::uint32_t issue = kNone; ///< the event; kNone for the start
    WarpState state = WarpState::Issued;
    std::uint32_t begin = 0, end = 0; ///< cycles
    std::string what;            ///< "waits for the load of warp 3 ..."
};

/// "full[2]": of the variable in shared memory where the mbarrier lies.
std::string mbarrierName(const sim::Program& program, std::uint64_t address);

/// Why the warp is in the state it is in at this cycle: from the waiting instruction back to a root, which is a memory access, or the
/// start. Empty when the warp has ended. At most 64 links.
std::vector<CauseLink> why(const SmTiming& timing, const sim::Program& program, std::uint32_t warp, std::uint32_t cycle);

} // namespace lanescope::timing
