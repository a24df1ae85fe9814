// SPDX-License-Identifier: GPL-3.0-or-later
// What the machine tells its observers. Checks, traces and views fold over these; references are valid only during the call.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/lane_mask.h"
#include "engine/memory/access.h"
#include "engine/memory/l1_stages.h"
#include "engine/ptx/ir.h"

namespace lanescope::sim {

enum class AccessKind : std::uint8_t { Load, Store, Atomic };

/// One memory access of one warp instruction. A generic instruction whose lanes hit several spaces gives one access per space.
struct AccessEvent {
    std::uint32_t block = 0;  ///< linear block index (x fastest)
    std::uint32_t warp = 0;   ///< in the block
    std::uint32_t pc = 0;
    /// How many times this warp had executed this instruction before.
    std::uint32_t nth = 0;
    /// The warp's logical clock: grows with each visible instruction (shared or global access, barrier) and, at a barrier, to one more
    /// than that of all who passed it. Sorting by (clock, warp) is the default schedule's order, whatever schedule ran.
    std::uint64_t clock = 0;
    AccessKind kind = AccessKind::Load;
    ptx::Space space = ptx::Space::Global; ///< Global, Shared, Local, Const; never Generic
    ptx::Ordering ordering = ptx::Ordering::Weak;
    ptx::Scope scope = ptx::Scope::None;
    int bytes = 4;        ///< per lane, vector included
    int elementBytes = 4; ///< of one vector element
    int alignment = 4;    ///< addresses must be multiples of it
    bool isMatrix = false; ///< ldmatrix and its like: 16-byte rows, lanes 8i..8i+7 give those of matrix i
    LaneMask active = 0;  ///< lanes that access this space
    /// cp.async: the load of its source, or its store, whose data come to shared memory only when the copy is waited for.
    bool async = false;
    std::uint64_t copy = 0; ///< of an async store, a bulk access or a wgmma: its number, ascending in the warp
    /// By the asynchronous proxy (bulk copies, wgmma), which sees what generic instructions wrote only across a fence.proxy.async.
    bool asyncProxy = false;
    /// Of a bulk copy: its read of shared memory and its writes last until a BulkDoneEvent. Lanes are pieces of up to 16 bytes.
    bool bulk = false;
    /// On an mbarrier object: what it orders is told by MbarrierEvents.
    bool isMbarrier = false;
    /// Of a wgmma: its reads of shared memory last until a ProductsDoneEvent. Lanes are pieces of 16 bytes.
    bool isProduct = false;
    /// Lanes whose access lies outside every allocation of the space (dropped), and lanes whose address is not a multiple of alignment.
    LaneMask outOfBounds = 0;
    LaneMask misaligned = 0;
    /// Global: the allocation when all lanes in bounds are in this one, else -1 (look up per lane).
    int allocation = -1;
    /// Global: generic address; shared, local: offset in the window. 32 entries, active ones valid.
    const std::uint64_t* addresses = nullptr;
    /// Of an access that stands for several instructions (engine/compiled): elements that are not to be judged, a bit each, and, when a
    /// lane is out of bounds, the lanes of each element that are; else null.
    std::uint16_t unchecked = 0;
    const LaneMask* outOfBoundsOfElement = nullptr;
};

/// How a shared access is served.
inline memory::SharedKind sharedKind(const AccessEvent& e) {
    return e.isMatrix                        ? memory::SharedKind::Matrix
           : e.kind == AccessKind::Load  ? memory::SharedKind::Load
           : e.kind == AccessKind::Store ? memory::SharedKind::Store
                                         : memory::SharedKind::Atomic;
}

/// How the L1 serves a global access.
inline memory::GlobalKind globalKind(const AccessEvent& e) {
    return e.kind == AccessKind::Load    ? memory::GlobalKind::Load
           : e.kind == AccessKind::Store ? memory::GlobalKind::Store
                                         : memory::GlobalKind::Reduction;
}

struct BarrierEvent {
    std::uint32_t block = 0;
    std::uint32_t id = 0;
    /// Warps that this barrier released and that had arrived with bar.arrive only.
    std::span<const std::uint32_t> released;
    std::span<const std::uint32_t> arrivedOnly;
    bool wholeBlock = false; ///< every thread that had not exited was waiting
    std::uint64_t clock = 0; ///< of the released warps afterwards
    /// Threads of the block that had exited before, and warps that came in parts (or not all lanes): the barrier was divergent.
    std::uint32_t exitedThreads = 0;
    LaneMask partialWarpLanes = 0; ///< lanes of the first warp that was split
    std::uint32_t partialWarp = 0;
    bool partial = false;
    bool hung = false; ///< never completed: the remaining threads can not arrive
    std::uint32_t pc = 0;
    std::uint32_t otherPc = 0; ///< another barrier instruction at which a warp came to it; pc: none did
};

enum class FaultKind : std::uint8_t {
    Trap,
    Budget,
    PartialWarpSync,
    PartialTensor,
    CallStackOverflow,
    BadCall,
    BulkSize,      ///< a bulk copy of bytes that are no multiple of 16
    BadTensorMap,  ///< no tensor map where an instruction looks for one
    MapDimensions, ///< a tensor map of another number of dimensions than the instruction's
    BoxStart,      ///< a box whose innermost coordinate is no multiple of 16 bytes
    NegativeBox,   ///< a box written to a tensor at a negative coordinate
    TooManyArrivals, ///< at an mbarrier
    PartialWarpgroup,    ///< wgmma that not all four warps of a warpgroup executed; missing: warps, a bit each
    DifferentWarpgroup,  ///< warps of a warpgroup came to different wgmma, or with different descriptors
    PendingResultRead,   ///< a register that a wgmma under way (otherPc) writes is read
    PendingRegisterWrite, ///< a register that a wgmma under way (otherPc) uses is written
    NoWarpgroupFence     ///< wgmma with registers that were written (at otherPc) since the last wgmma.fence; otherPc == pc: no fence before
};

/// Something that stopped a block, or a *.sync whose lanes can never all arrive.
struct FaultEvent {
    FaultKind kind{};
    std::uint32_t block = 0, warp = 0, pc = 0;
    LaneMask lanes = 0;
    LaneMask missing = 0;
    std::uint64_t value = 0; ///< BulkSize: the bytes; BadTensorMap: the address; MapDimensions: the map's; BoxStart: the coordinate in bytes; TooManyArrivals: the mbarrier;
                             ///< of wgmma: the pc of the other instruction
    std::string_view name;   ///< of wgmma: the register
};

/// The wgmma of a warp up to this number (AccessEvent::copy) are done: it has waited for them.
struct ProductsDoneEvent {
    std::uint32_t block = 0, warp = 0;
    std::uint64_t clock = 0;
    std::uint64_t upTo = 0;
};

/// Data of a cp.async come to shared memory: the lanes have waited for it.
struct CopyDoneEvent {
    std::uint32_t block = 0, warp = 0;
    std::uint64_t clock = 0;
    std::uint64_t copy = 0; ///< AccessEvent::copy
    std::uint32_t pc = 0;   ///< of the cp.async
    int bytes = 4;
    LaneMask lanes = 0;     ///< whose data arrive now
    std::uint64_t group = 0; ///< groups that the first of these lanes had committed before
    bool last = false;      ///< no lane has still to wait
    std::int64_t mbarrier = -1; ///< who waits for this mbarrier sees them (cp.async.mbarrier.arrive); -1: the lanes do
    const std::uint64_t* addresses = nullptr;
};

/// A warp has waited for groups of cp.async, all but the newest.
struct CopiesWaitedEvent {
    std::uint32_t block = 0, warp = 0, pc = 0;
    std::uint64_t committed = 0;    ///< groups of the first lane so far
    std::uint64_t mayBePending = 0; ///< newest groups that may still be under way
};

/// A bulk copy has ended, or has read its source and has still to write.
struct BulkDoneEvent {
    std::uint32_t block = 0, warp = 0; ///< that issued it
    std::uint64_t clock = 0;
    std::uint64_t copy = 0;            ///< AccessEvent::copy
    std::int64_t mbarrier = -1;        ///< told by this mbarrier (address in shared memory); -1: by a wait of the warp for its group
    bool onlyRead = false;
};

/// What an mbarrier, or barrier.cluster, orders: a release belongs to the phase that ends at the next Complete; an Acquire takes over
/// everything of the phases that have ended.
struct MbarrierEvent {
    /// RelaxedArrive: publishes what a fence of the warp before it has.
    enum class What : std::uint8_t { Init, Release, RelaxedArrive, Complete, Acquire } what = What::Release;
    std::uint32_t block = 0, warp = 0, pc = 0;
    std::uint64_t clock = 0;
    std::uint64_t address = 0; ///< in shared memory, or kClusterBarrier
    static constexpr std::uint64_t kClusterBarrier = 0xffff'ffff;
};

/// Warps wait for a phase of an mbarrier, and nobody who could end it can run.
struct DeadlockEvent {
    std::uint32_t block = 0, warp = 0, pc = 0; ///< the first that waits
    LaneMask lanes = 0;
    std::vector<std::uint32_t> warps;          ///< all that wait for it
    std::uint64_t address = 0;                 ///< of the mbarrier, or MbarrierEvent::kClusterBarrier
    std::uint64_t phases = 0;                  ///< that have ended
    std::uint32_t expected = 0, pending = 0;   ///< arrivals of a phase, those that the present one lacks
    std::int32_t bytes = 0;                    ///< that copies still owe it
    bool waitsForParity = false;               ///< parity of the phase that is waited for
    /// Who arrived in the phase before this one: warp and pc, each once.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> arrivedBefore, arrivedNow;
};

/// One executed warp instruction.
struct InstructionEvent {
    std::uint32_t block = 0, warp = 0, pc = 0;
    LaneMask active = 0; ///< lanes that executed it (guard applied)
    std::uint16_t flags = 0; ///< session::TraceEvent flags
    static constexpr std::uint16_t kBarrierArrive = 1, kBarrierRelease = 2, kExit = 4, kMemory = 8, kDiverged = 16;
};

/// Observers derive from this; all calls are on the thread that runs the machine.
class EventSink {
public:
    virtual ~EventSink() = default;
    virtual void beginBlock(std::uint32_t /*block*/) {}
    virtual void endBlock(std::uint32_t /*block*/) {}
    /// Only when wantsInstructions().
    virtual void instruction(const InstructionEvent&) {}
    virtual void access(const AccessEvent&) {}
    virtual void barrier(const BarrierEvent&) {}
    virtual void fence(std::uint32_t /*block*/, std::uint32_t /*warp*/, std::uint64_t /*clock*/, ptx::Scope) {}
    virtual void copyDone(const CopyDoneEvent&) {}
    virtual void copiesWaited(const CopiesWaitedEvent&) {}
    virtual void bulkDone(const BulkDoneEvent&) {}
    virtual void mbarrier(const MbarrierEvent&) {}
    virtual void proxyFence(std::uint32_t /*block*/, std::uint32_t /*warp*/, std::uint64_t /*clock*/) {}
    virtual void deadlock(const DeadlockEvent&) {}
    virtual void productsDone(const ProductsDoneEvent&) {}
    virtual void fault(const FaultEvent&) {}
    virtual bool wantsInstructions() const { return false; }
};

} // namespace lanescope::sim
