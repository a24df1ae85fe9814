// SPDX-License-Identifier: GPL-3.0-or-later
// One block being executed, warp instruction by warp instruction. All of its state is in BlockState, a value: copying it and putting
// it back (with the journal of global writes undone) is exact.
//
// A warp is a set of *fragments*: groups of lanes with a pc of their own. Lanes that part at a branch become two fragments that wait for
// each other at a *join*, the branch's immediate post-dominator. One that waits at a *.sync for others of its member mask lets them run
// first. A fragment that spins on atomics or volatile loads while lanes wait at a join makes these go on (independent thread scheduling).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/sim/launch.h"
#include "engine/sim/tensor_map.h"

namespace lanescope::sim {

enum class FragmentState : std::uint8_t { Runnable, AtBarrier, AtWarpSync, AtMbarrier };

struct Fragment {
    std::uint32_t pc = 0;
    LaneMask mask = 0;
    std::int32_t join = -1;  ///< index into WarpState::joins
    std::int32_t frame = 0;  ///< index into WarpState::frames
    FragmentState state = FragmentState::Runnable;
    std::uint8_t barrier = 0;
    bool timedOut = false; ///< AtMbarrier: goes on without what it waits for
};

struct Join {
    std::uint32_t pc = 0;      ///< where the lanes meet; kNoReconvergence: at the return of a call
    LaneMask expected = 0, arrived = 0;
    std::int32_t parent = -1;
    std::int32_t frame = 0;    ///< frame of the lanes when they go on
    std::uint32_t returnPc = 0; ///< of a call
    std::int32_t callee = -1;  ///< frame that ends with this join (a call), or -1
    bool used = false;
};

struct Frame {
    std::uint32_t layout = 0; ///< Program::functions
    std::uint32_t base = 0;   ///< thread-private byte offset
    std::uint32_t call = 0;   ///< Program::calls, for copying results back
    std::int32_t parent = -1;
    bool used = false;
    LaneMask savedLanes = 0;
    std::vector<std::uint8_t> savedRows; ///< of a recursive function: its rows before the call
};

/// A cp.async whose data are not in shared memory yet.
struct PendingCopy {
    std::uint64_t number = 0; ///< AccessEvent::copy
    std::uint32_t pc = 0;
    int bytes = 4;
    LaneMask lanes = 0; ///< that have not waited for it yet
    std::array<std::uint32_t, kWarpSize> group{}; ///< by lane: commits before it, which is the number of the group it belongs to
    std::array<std::uint64_t, kWarpSize> addresses{};
    std::array<std::array<std::uint8_t, 16>, kWarpSize> data{};
};

/// A bulk copy to shared memory that has not been seen to end: its data come when somebody looks at its mbarrier.
struct PendingBulk {
    std::uint64_t number = 0; ///< AccessEvent::copy
    std::uint32_t warp = 0, pc = 0;
    std::uint64_t barrier = 0;             ///< address of the mbarrier
    std::uint64_t clock = 0;               ///< of the warp when it issued it
    std::uint32_t bytes = 0;               ///< counted off there
    std::uint32_t pieceBytes = 16;
    std::vector<std::uint64_t> addresses;  ///< of the pieces
    std::vector<std::uint8_t> data;
    ptx::AtomicOp atomic = ptx::AtomicOp::None;
    ptx::Type type = ptx::Type::None;
};

/// An arrival that the end of cp.async copies triggers (cp.async.mbarrier.arrive).
struct PendingArrival {
    std::uint32_t warp = 0, pc = 0;
    LaneMask lanes = 0;
    std::uint64_t barrier = 0;
    std::uint64_t copies = 0; ///< of the lanes' copies, those below this number
};

/// A bulk copy out of shared memory, until its group has been waited for.
struct BulkGroupMember {
    std::uint64_t number = 0;
    std::uint32_t group = 0; ///< commits of the lane before it
    std::uint8_t lane = 0;
    bool hasRead = false;
};

/// What an mbarrier's 64 bits do not say.
struct MbarrierRecord {
    std::uint64_t phases = 0;     ///< that have ended
    std::uint64_t clock = 0;      ///< of the latest arrival in this phase
    std::uint64_t phaseClock = 0; ///< who sees the phases before comes after this
    /// Warp and pc of arrivals, each once.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> arrivedBefore, arrivedNow;
};

struct ClusterBarrier {
    std::uint32_t arrivedThreads = 0;
    std::uint32_t generation = 0;
};

/// A wgmma that the warp has not waited for.
struct PendingProduct {
    std::uint64_t number = 0; ///< AccessEvent::copy
    std::uint32_t group = 0;  ///< commits before it
};

/// What is known of a register of Program::fragmentRegisterNames.
struct FragmentRegister {
    std::uint64_t product = 0; ///< number + 1 of the last wgmma that has it as D or A; 0: none
    std::uint32_t productPc = 0;
    bool isResult = false;      ///< as D
    std::uint32_t written = 0;  ///< fences of the warp when another instruction last wrote it, + 1; 0: none that counts
    std::uint32_t writtenPc = 0;
};

/// A wgmma that some warps of a warpgroup have executed and others have still to.
struct OpenProduct {
    std::uint32_t warpgroup = 0, pc = 0, warps = 0; ///< warps: a bit each
    std::uint64_t number = 0;
    std::array<std::uint64_t, 2> descriptors{};
};

struct WarpState {
    std::vector<Fragment> fragments;
    std::vector<Join> joins;
    std::vector<Frame> frames;
    LaneMask launched = 0, alive = 0, carry = 0;
    std::uint64_t clock = 0;        ///< see AccessEvent::clock
    std::uint64_t instructions = 0; ///< executed; what %clock reads
    std::uint32_t spins = 0;        ///< atomics and volatile loads since lanes last met
    std::vector<PendingCopy> copies; ///< in the order in which they were issued
    std::vector<std::uint32_t> commits; ///< by lane: groups committed so far; empty before the first cp.async
    std::uint64_t copiesIssued = 0;
    std::vector<BulkGroupMember> bulkGroups;
    std::vector<std::uint32_t> bulkCommits; ///< by lane: groups of bulk copies committed so far; empty before the first
    std::uint32_t clusterGeneration = 0;    ///< of barrier.cluster that the warp has arrived for
    std::uint32_t polls = 0;                ///< failed tests of mbarriers since one succeeded
    std::vector<PendingProduct> products; ///< in the order in which they were issued
    std::vector<FragmentRegister> fragmentRegisters;
    std::uint64_t productsIssued = 0;
    std::uint32_t productGroups = 0;  ///< wgmma.commit_group so far
    std::uint32_t warpgroupFences = 0;
    std::uint32_t fencePc = 0;        ///< of the last wgmma.fence
    bool runnable() const {
        for (const Fragment& f : fragments)
            if (f.state == FragmentState::Runnable)
                return true;
        return false;
    }
};

struct BarrierState {
    std::uint32_t expectedThreads = 0; ///< 0: every thread that has not exited
    std::uint32_t arrivedThreads = 0;
    std::vector<std::uint32_t> waiting, arrivedOnly; ///< warps
    std::uint64_t clock = 0;
    std::uint32_t pc = 0, otherPc = 0;
    bool active = false, partial = false;
    std::uint32_t partialWarp = 0;
    LaneMask partialLanes = 0;
    std::uint32_t count = 0; ///< of true predicates (bar.red)
    bool all = true, any = false;
};

struct alignas(64) RowChunk {
    std::array<std::uint8_t, 64> bytes;
};

struct BlockState {
    std::uint64_t block = 0; ///< linear index
    std::vector<RowChunk> rows;
    std::vector<std::uint8_t> shared;
    std::vector<std::uint8_t> privateMemory; ///< warp, lane, byte
    std::vector<WarpState> warps;
    std::array<BarrierState, 16> barriers;
    std::vector<std::uint32_t> nth; ///< executions by warp and memory instruction
    std::uint32_t turn = 0;         ///< warp that is next (or has the turn)
    bool turnOpen = false;          ///< that warp goes on
    std::uint64_t random = 1;
    std::vector<OpenProduct> openProducts;
    std::uint32_t aliveThreads = 0;
    bool stopped = false;           ///< trapped or hung
    std::vector<PendingBulk> bulks;       ///< in the order in which they were issued
    std::vector<PendingArrival> arrivals; ///< likewise
    std::map<std::uint64_t, MbarrierRecord> mbarriers; ///< by address
    ClusterBarrier cluster;
    std::uint32_t timeouts = 0; ///< times that only waits for mbarriers were left since a phase last ended
    /// Logical clock of the last atomic or volatile write to a location; kept under other schedules than the default.
    std::unordered_map<std::uint64_t, std::uint64_t> locationClocks;
};

/// Undo record of global writes, for stepping back.
class WriteJournal {
public:
    void record(std::uint32_t allocation, std::uint64_t offset, const std::uint8_t* old, std::uint32_t bytes);
    std::size_t position() const { return m_entries.size(); }
    void undoTo(std::size_t position, GlobalMemory& memory);

private:
    struct Entry {
        std::uint64_t offset;
        std::uint32_t allocation, bytes;
        std::array<std::uint8_t, 8> old;
    };
    std::vector<Entry> m_entries;
};

class BlockMachine {
public:
    /// The launch and the memory outlive the machine. counters may be null; otherwise rawCountersSize(program) entries.
    BlockMachine(const Launch& launch, Memory& memory, std::vector<EventSink*> sinks,
                 std::vector<InstructionCounts>* counters);

    /// Puts a block at its start.
    void start(std::uint64_t linearBlock);
    bool ended() const { return m_state.stopped || m_state.aliveThreads == 0; }
    /// Executes one warp instruction. False when the block has ended or hangs (a fault was emitted then).
    bool step();
    /// Steps until the block ends or `budget` instructions are used up; returns how many were executed.
    std::uint64_t run(std::uint64_t budget, const std::atomic<bool>* cancel);

    const BlockState& state() const { return m_state; }
    void restore(const BlockState& state) { m_state = state; }
    void setJournal(WriteJournal* journal) { m_journal = journal; }
    const Launch& launch() const { return m_launch; }
    /// Row bytes of a warp's register.
    const std::uint8_t* rows(std::uint32_t warp) const {
        return m_state.rows[static_cast<std::size_t>(warp) * m_chunksPerWarp].bytes.data();
    }
    /// Tells the sinks that the budget ran out in this block.
    void reportBudget();

private:
    const Launch& m_launch;
    const Program& m_program;
    Memory& m_memory;
    std::vector<EventSink*> m_sinks;
    bool m_wantsInstructions = false;
    std::vector<InstructionCounts>* m_counters;
    WriteJournal* m_journal = nullptr;
    BlockState m_state;
    std::size_t m_chunksPerWarp = 1;
    std::uint64_t m_privateStride = 0; ///< bytes per lane
    std::vector<tensor::Multiplier> m_multipliers; ///< by Program::tensors
    std::uint16_t m_flags = 0;         ///< of the event being executed

    std::uint8_t* rowsOf(std::uint32_t warp) {
        return m_state.rows[static_cast<std::size_t>(warp) * m_chunksPerWarp].bytes.data();
    }
    const std::uint8_t* row(RowRef ref, const std::uint8_t* warpRows) const {
        return (ref.isConstant() ? m_program.constants.data() : warpRows) + ref.offset();
    }
    bool pickWarp();
    std::size_t pickFragment(WarpState& warp);
    /// Executes the fragment's instruction; true when it was visible to others.
    bool execute(std::uint32_t warpIndex, std::size_t fragment);
    void executeLane(const Op& op, std::uint32_t warpIndex, LaneMask active, LaneMask alive);
    LaneMask guarded(const Op& op, const std::uint8_t* rows, LaneMask mask) const;
    void advance(WarpState& warp, std::size_t fragment, std::uint32_t pc);
    void arrive(WarpState& warp, std::int32_t join, LaneMask lanes);
    void completeJoin(WarpState& warp, std::int32_t join);
    std::int32_t newJoin(WarpState& warp);
    std::int32_t joinAt(WarpState& warp, const Fragment& fragment, std::uint32_t reconvergence);
    void branch(std::uint32_t warpIndex, std::size_t fragment, const Op& op, LaneMask taken, std::uint32_t target);
    void branchIndexed(std::uint32_t warpIndex, std::size_t fragment, const Op& op, LaneMask active);
    void call(std::uint32_t warpIndex, std::size_t fragment, const Op& op, LaneMask active);
    void enter(std::uint32_t warpIndex, std::size_t fragment, const CallOp& call, std::uint32_t callIndex,
               std::uint32_t layout, LaneMask lanes);
    void leaveFrame(WarpState& warp, std::int32_t frame, LaneMask lanes);
    void returnLanes(std::uint32_t warpIndex, std::size_t fragment, LaneMask lanes);
    void exitWaiting(std::uint32_t warpIndex);
    void exitLanes(std::uint32_t warpIndex, std::size_t fragment, LaneMask lanes);
    bool warpSync(std::uint32_t warpIndex, std::size_t fragment, const Op& op, LaneMask active);
    void warpSyncExecute(std::uint32_t warpIndex, std::uint32_t pc, LaneMask lanes);
    void barrier(std::uint32_t warpIndex, std::size_t fragment, const Op& op, LaneMask active);
    void checkBarriers();
    void releaseBarrier(std::uint32_t id, bool hung);
    void releaseStarved(WarpState& warp);
    bool resolveHang();
    void packUnpack(const Op& op, std::uint8_t* rows, LaneMask active);
    void convertAddress(const Op& op, std::uint8_t* rows, LaneMask active);
    void fault(FaultKind kind, std::uint32_t warp, std::uint32_t pc, LaneMask lanes, LaneMask missing = 0, std::uint64_t value = 0,
               std::string_view name = {});
    std::uint8_t* privateBytes(std::uint32_t warp, int lane) {
        return m_state.privateMemory.data() + (static_cast<std::uint64_t>(warp) * kWarpSize + static_cast<unsigned>(lane)) * m_privateStride;
    }
    // block_memory.cpp
    void memoryAccess(const Op& op, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active, std::uint32_t frameBase);
    static constexpr std::size_t kMostElements = 8;
    void elementBounds(const MemoryOp& m, LaneMask active, const std::uint64_t* addresses, AccessEvent& event, LaneMask* outside) const;
    void transferElements(const Op& op, const MemoryOp& m, std::uint8_t* rows, LaneMask active, const std::uint64_t* addresses,
                          const LaneMask* outside);
    /// An execution of the memory instruction of this counter, the next of its warp: who, where and when.
    AccessEvent accessEvent(std::uint32_t warpIndex, std::uint32_t pc, std::uint32_t counter);
    void accessSpace(const Op& op, const MemoryOp& memory, std::uint32_t warpIndex, std::uint32_t pc, ptx::Space space,
                     LaneMask active, const std::uint64_t* addresses, std::uint32_t nth);
    std::uint64_t synchronisedClock(const Op& op, const MemoryOp& m, std::uint32_t warpIndex, ptx::Space space, LaneMask active,
                                    const std::uint64_t* addresses);
    void laneAddresses(const MemoryOp& memory, const std::uint8_t* rows, std::uint32_t frameBase, std::uint64_t* addresses) const;
    // block_async.cpp
    void copyAsync(const Op& op, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active, std::uint32_t frameBase);
    LaneMask readSource(const CopyOp& copy, AccessEvent event, LaneMask active, const std::uint8_t* rows, const std::uint64_t* addresses,
                        PendingCopy& pending);
    void commitCopies(WarpState& warp, LaneMask lanes);
    void waitForCopies(std::uint32_t warpIndex, std::uint32_t pc, LaneMask lanes, std::uint32_t mayBePending);
    void finishCopy(std::uint32_t warpIndex, PendingCopy& copy, LaneMask arrived, std::int64_t mbarrier);
    // block_mbarrier.cpp
    /// False: the fragment waits, and executes the instruction again later.
    bool mbarrier(const Op& op, std::uint32_t warpIndex, std::size_t fragment, LaneMask active, std::uint32_t frameBase);
    void trackCopies(const Op& op, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active, std::uint32_t frameBase);
    bool clusterBarrier(const Op& op, std::uint32_t warpIndex, std::size_t fragment, LaneMask active);
    void checkClusterBarrier();
    void changeMbarrier(ptx::MbarrierOp what, std::uint64_t address, std::uint32_t operand, std::uint32_t warpIndex, std::uint32_t pc, int lane);
    void completePhase(std::uint64_t address, std::uint32_t warpIndex, std::uint32_t pc);
    void wakeWaiting();
    bool resolveMbarriers();
    void reportDeadlock(std::uint32_t warpIndex, const Fragment& fragment);
    std::uint64_t waitedFor(std::uint32_t warpIndex, const Fragment& fragment, bool& parity);
    void emitMbarrier(MbarrierEvent::What what, std::uint32_t warpIndex, std::uint32_t pc, std::uint64_t clock, std::uint64_t address);
    AccessEvent mbarrierAccess(const MemoryOp& memory, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active,
                               const std::uint64_t* addresses);
    void sharedAddresses(const MemoryOp& memory, const std::uint8_t* rows, std::uint32_t frameBase, std::uint64_t* addresses) const;
    /// Ends every copy that the mbarrier is told about.
    void deliver(std::uint64_t barrier);
    // block_bulk.cpp
    struct BulkTransfer;
    void copyBulk(const Op& op, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active, std::uint32_t frameBase);
    bool describeRun(const BulkOp& bulk, BulkTransfer& t, const std::uint8_t* rows, std::uint32_t pc, int lane);
    bool describeBox(const BulkOp& bulk, BulkTransfer& t, const std::uint8_t* rows, std::uint32_t frameBase, std::uint32_t pc, int lane);
    void describeRegisters(const BulkOp& bulk, BulkTransfer& t, const std::uint8_t* rows, int lane);
    void readTransfer(BulkTransfer& t, AccessEvent event);
    void writeGlobal(const BulkTransfer& t, AccessEvent event);
    void announceRuns(const AccessEvent& event, const BulkTransfer& t);
    void announce(AccessEvent event, const std::vector<std::uint64_t>& addresses, std::uint32_t bytes);
    void landBulk(const PendingBulk& bulk);
    void commitBulk(WarpState& warp, LaneMask lanes);
    void waitForBulk(std::uint32_t warpIndex, LaneMask lanes, std::uint32_t mayBePending, bool onlyRead);
    std::uint8_t* bytesAt(ptx::Space space, std::uint64_t address, std::uint64_t bytes);
    std::optional<TensorMap> tensorMapAt(std::uint64_t address, std::uint32_t warp, int lane);
    // block_tensor.cpp
    struct FragmentPieces;
    template <class Word>
    void readFragment(const FragmentOperand& operand, const std::uint8_t* rows, Word* matrix) const;
    template <class Word>
    void writeFragment(const FragmentOperand& operand, std::uint8_t* rows, const Word* matrix, LaneMask lanes);
    void matrixProduct(const Op& op, std::uint32_t warpIndex, LaneMask active);
    void transposeFragment(const Op& op, std::uint32_t warpIndex, LaneMask active);
    void matrixPieces(const TensorOp& t, const std::uint64_t* addresses, FragmentPieces& out) const;
    void fragmentPieces(const TensorOp& t, std::uint64_t base, std::uint64_t stride, bool isShared, FragmentPieces& out) const;
    void fragmentMove(const Op& op, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active, std::uint32_t frameBase);
    void describeAccess(AccessEvent& event, const MemoryOp& memory, std::uint32_t pc, bool isFirst);
    void moveFragment(const TensorOp& t, std::uint32_t warpIndex, LaneMask active, ptx::Space space, const FragmentPieces& pieces);
    // block_warpgroup.cpp
    struct SharedOperand;
    void warpgroupProduct(const Op& op, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active);
    void readSharedOperand(const TensorOp& t, int which, std::uint32_t rank, std::uint64_t descriptor, bool elements, SharedOperand& out) const;
    void emitOperandReads(AccessEvent event, const SharedOperand& operand, bool counts);
    void waitForProducts(std::uint32_t warpIndex, std::uint32_t mayBePending);
    void joinWarpgroup(std::uint32_t warpIndex, std::uint32_t pc, std::uint64_t number, const std::array<std::uint64_t, 2>& descriptors);
    void useFragments(std::uint32_t warpIndex, std::uint32_t pc, LaneMask active);
    void useProductRegisters(std::uint32_t warpIndex, std::uint32_t pc, LaneMask active, std::uint64_t number);
    void reportOpenProducts();
    void loadParameter(const Op& op, std::uint8_t* rows, LaneMask active);
    void privateAccess(const Op& op, const MemoryOp& memory, std::uint32_t warpIndex, LaneMask active, const std::uint64_t* addresses);
    void transfer(const Op& op, const MemoryOp& memory, std::uint8_t* rows, LaneMask active, std::uint8_t* host,
                  const std::uint64_t* offsets, int allocation);
    void zeroResult(const MemoryOp& memory, std::uint8_t* rows, LaneMask lanes);
};

} // namespace lanescope::sim
