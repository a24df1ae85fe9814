// SPDX-License-Identifier: GPL-3.0-or-later
// mbarrier objects (PTX ISA, "mbarrier") and barrier.cluster of a cluster of one block.
//
// Copies that an mbarrier is told about come to shared memory when somebody looks at it. A warp whose wait finds the phase unfinished
// stands still until a phase ends or a copy is issued; when only such warps are left, their waits time out, as try_wait's may, and when
// that ends no phase either it is a deadlock.
#include <algorithm>
#include <cstring>

#include "engine/sim/block_machine.h"
#include "engine/sim/lane_rows.h"
#include "engine/sim/mbarrier.h"

namespace lanescope::sim {

namespace {

using ptx::MbarrierOp;

/// Failed test_waits of a warp in a row, after which it stands still as at a try_wait.
constexpr std::uint32_t kMostPolls = 64;
/// Rounds of waits that time out without a phase that ends.
constexpr std::uint32_t kMostTimeouts = 16;
constexpr std::size_t kMostArrivals = 16; ///< that are remembered of a phase

bool isBlocking(MbarrierOp what) { return what == MbarrierOp::TryWait || what == MbarrierOp::TryWaitParity; }

/// Arrivals that an operation counts off; operand: its count.
std::uint32_t arrivalsOf(MbarrierOp what, std::uint32_t operand) {
    switch (what) {
    case MbarrierOp::Arrive:
    case MbarrierOp::ArriveNoComplete:
    case MbarrierOp::ArriveDrop:
    case MbarrierOp::ArriveDropNoComplete:
        return operand;
    case MbarrierOp::ArriveExpectTx:
    case MbarrierOp::ArriveDropExpectTx:
        return 1;
    default:
        return 0;
    }
}

/// Bytes that an operation adds to those expected.
std::int32_t bytesOf(MbarrierOp what, std::uint32_t operand) {
    switch (what) {
    case MbarrierOp::ArriveExpectTx:
    case MbarrierOp::ArriveDropExpectTx:
    case MbarrierOp::ExpectTx:
        return static_cast<std::int32_t>(operand);
    case MbarrierOp::CompleteTx:
        return -static_cast<std::int32_t>(operand);
    default:
        return 0;
    }
}

void note(std::vector<std::pair<std::uint32_t, std::uint32_t>>& list, std::uint32_t warp, std::uint32_t pc) {
    const std::pair entry(warp, pc);
    if (list.size() < kMostArrivals && std::find(list.begin(), list.end(), entry) == list.end())
        list.push_back(entry);
}

} // namespace

void BlockMachine::sharedAddresses(const MemoryOp& memory, const std::uint8_t* rows, std::uint32_t frameBase, std::uint64_t* addresses) const {
    laneAddresses(memory, rows, frameBase, addresses);
    std::transform(addresses, addresses + kWarpSize, addresses, inShared);
}

void BlockMachine::emitMbarrier(MbarrierEvent::What what, std::uint32_t warpIndex, std::uint32_t pc, std::uint64_t clock, std::uint64_t address) {
    MbarrierEvent event;
    event.what = what;
    event.block = static_cast<std::uint32_t>(m_state.block);
    event.warp = warpIndex;
    event.pc = pc;
    event.clock = clock;
    event.address = address;
    for (EventSink* sink : m_sinks)
        sink->mbarrier(event);
}

AccessEvent BlockMachine::mbarrierAccess(const MemoryOp& memory, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active,
                                         const std::uint64_t* addresses) {
    AccessEvent event = accessEvent(warpIndex, pc, memory.counter);
    event.kind = AccessKind::Atomic;
    event.space = ptx::Space::Shared;
    event.ordering = ptx::Ordering::Relaxed;
    event.scope = ptx::Scope::Cta;
    event.bytes = event.elementBytes = event.alignment = 8;
    event.isMbarrier = true;
    event.active = active;
    event.addresses = addresses;
    forEachLane(active, [&](int lane) {
        event.outOfBounds |= bytesAt(ptx::Space::Shared, addresses[lane], 8) == nullptr ? LaneMask{1} << lane : 0;
        event.misaligned |= addresses[lane] % 8 != 0 ? LaneMask{1} << lane : 0;
    });
    return event;
}

void BlockMachine::wakeWaiting() {
    for (WarpState& warp : m_state.warps)
        for (Fragment& f : warp.fragments)
            if (f.state == FragmentState::AtMbarrier)
                f.state = FragmentState::Runnable;
}

void BlockMachine::completePhase(std::uint64_t address, std::uint32_t warpIndex, std::uint32_t pc) {
    MbarrierRecord& record = m_state.mbarriers[address];
    ++record.phases;
    record.phaseClock = record.clock + 1;
    record.arrivedBefore = std::move(record.arrivedNow);
    record.arrivedNow.clear();
    emitMbarrier(MbarrierEvent::What::Complete, warpIndex, pc, record.clock, address);
    m_state.timeouts = 0;
    wakeWaiting();
}

/// One lane's operation that changes the object at an address in bounds.
void BlockMachine::changeMbarrier(MbarrierOp what, std::uint64_t address, std::uint32_t operand, std::uint32_t warpIndex, std::uint32_t pc, int lane) {
    std::uint8_t* const at = m_state.shared.data() + address;
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    Mbarrier b = Mbarrier::read(word);
    if (what == MbarrierOp::Init || what == MbarrierOp::Inval) {
        b = Mbarrier{};
        b.expected = b.pending = what == MbarrierOp::Init ? operand : 0;
        m_state.mbarriers[address] = MbarrierRecord{};
        emitMbarrier(MbarrierEvent::What::Init, warpIndex, pc, m_state.warps[warpIndex].clock, address);
    } else {
        const std::uint32_t arrivals = arrivalsOf(what, operand);
        if (arrivals > b.pending)
            fault(FaultKind::TooManyArrivals, warpIndex, pc, LaneMask{1} << lane, 0, address);
        b.pending -= std::min(arrivals, b.pending);
        b.bytes += bytesOf(what, operand);
        if (what == MbarrierOp::ArriveDrop || what == MbarrierOp::ArriveDropNoComplete || what == MbarrierOp::ArriveDropExpectTx)
            b.expected -= std::min(arrivals, b.expected);
        if (arrivals != 0)
            note(m_state.mbarriers[address].arrivedNow, warpIndex, pc);
    }
    // Whatever makes both counts zero ends the phase, expect_tx too when more bytes had come (measured on an H200).
    const bool ends = what != MbarrierOp::Init && what != MbarrierOp::Inval && b.settle();
    word = b.word();
    std::memcpy(at, &word, sizeof word);
    if (ends)
        completePhase(address, warpIndex, pc);
}

void BlockMachine::deliver(std::uint64_t barrier) {
    std::vector<PendingArrival> arrivals;
    for (auto it = m_state.arrivals.begin(); it != m_state.arrivals.end();) {
        if (it->barrier != barrier) {
            ++it;
            continue;
        }
        arrivals.push_back(*it);
        it = m_state.arrivals.erase(it);
    }
    for (const PendingArrival& arrival : arrivals) {
        WarpState& warp = m_state.warps[arrival.warp];
        for (PendingCopy& copy : warp.copies)
            if (copy.number < arrival.copies && (copy.lanes & arrival.lanes) != 0)
                finishCopy(arrival.warp, copy, copy.lanes & arrival.lanes, static_cast<std::int64_t>(barrier));
        std::erase_if(warp.copies, [](const PendingCopy& copy) { return copy.lanes == 0; });
        forEachLane(arrival.lanes, [&](int lane) { changeMbarrier(MbarrierOp::Arrive, barrier, 1, arrival.warp, arrival.pc, lane); });
    }
    std::vector<PendingBulk> bulks;
    for (PendingBulk& bulk : m_state.bulks)
        if (bulk.barrier == barrier)
            bulks.push_back(std::move(bulk));
    if (bulks.empty())
        return;
    std::erase_if(m_state.bulks, [&](const PendingBulk& bulk) { return bulk.barrier == barrier; });
    for (const PendingBulk& bulk : bulks) {
        landBulk(bulk);
        BulkDoneEvent event;
        event.block = static_cast<std::uint32_t>(m_state.block);
        event.warp = bulk.warp;
        event.clock = bulk.clock;
        event.copy = bulk.number;
        event.mbarrier = static_cast<std::int64_t>(barrier);
        for (EventSink* sink : m_sinks)
            sink->bulkDone(event);
        if (bytesAt(ptx::Space::Shared, barrier, 8) != nullptr)
            changeMbarrier(MbarrierOp::CompleteTx, barrier, bulk.bytes, bulk.warp, bulk.pc, 0);
    }
}

bool BlockMachine::mbarrier(const Op& op, std::uint32_t warpIndex, std::size_t fragment, LaneMask active, std::uint32_t frameBase) {
    const MbarrierInstruction& m = m_program.mbarriers[op.target];
    WarpState& warp = m_state.warps[warpIndex];
    const std::uint32_t pc = warp.fragments[fragment].pc;
    std::uint8_t* const rows = rowsOf(warpIndex);
    const std::uint8_t* source = op.source[0].valid() ? row(op.source[0], rows) : nullptr;
    std::uint8_t* const result = op.destination[0].valid() ? rows + op.destination[0].offset() : nullptr;
    if (m.what == MbarrierOp::PendingCount) {
        forEachLane(active, [&](int lane) {
            const std::uint32_t pending = Mbarrier::read(laneValue64(source, lane)).pending;
            if (result != nullptr)
                std::memcpy(result + 4 * lane, &pending, sizeof pending);
        });
        return true;
    }
    const MemoryOp& memory = m_program.memory[m.memory];
    std::array<std::uint64_t, kWarpSize> addresses{};
    sharedAddresses(memory, rows, frameBase, addresses.data());
    const auto inBounds = [&](int lane) { return bytesAt(ptx::Space::Shared, addresses[static_cast<std::size_t>(lane)], 8) != nullptr; };

    if (isWait(m.what)) {
        LaneMask done = 0;
        forEachLane(active, [&](int lane) {
            const std::uint64_t address = addresses[static_cast<std::size_t>(lane)];
            if (!inBounds(lane)) {
                done |= LaneMask{1} << lane; // reported below; the kernel goes on
                return;
            }
            deliver(address);
            std::uint64_t word = 0;
            std::memcpy(&word, m_state.shared.data() + address, sizeof word);
            const bool phase = isByParity(m.what) ? (laneValue32(source, lane) & 1u) != 0 : Mbarrier::read(laneValue64(source, lane)).phase;
            done |= Mbarrier::read(word).phase != phase ? LaneMask{1} << lane : 0;
        });
        Fragment& f = warp.fragments[fragment];
        if (done == 0 && !f.timedOut && (isBlocking(m.what) || ++warp.polls > kMostPolls)) {
            f.state = FragmentState::AtMbarrier;
            return false;
        }
        f.timedOut = false;
        if (done != 0)
            warp.polls = 0;
        const LaneMask merged = result != nullptr ? (loadMask(result) & ~active) | done : 0;
        if (result != nullptr)
            std::memcpy(result, &merged, sizeof merged);
        if (done == 0)
            return true; // a wait that fails tells nothing
        forEachLane(done, [&](int lane) {
            const auto record = m_state.mbarriers.find(addresses[static_cast<std::size_t>(lane)]);
            if (record != m_state.mbarriers.end())
                warp.clock = std::max(warp.clock, record->second.phaseClock);
        });
        AccessEvent event = mbarrierAccess(memory, warpIndex, pc, done, addresses.data());
        event.kind = AccessKind::Load;
        for (EventSink* sink : m_sinks)
            sink->access(event);
        std::uint64_t last = ~std::uint64_t{0};
        if (m.orders)
            forEachLane(done & ~event.outOfBounds, [&](int lane) {
                const std::uint64_t address = addresses[static_cast<std::size_t>(lane)];
                if (address != last)
                    emitMbarrier(MbarrierEvent::What::Acquire, warpIndex, pc, warp.clock, last = address);
            });
        return true;
    }

    AccessEvent event = mbarrierAccess(memory, warpIndex, pc, active, addresses.data());
    if (m.what == MbarrierOp::Init || m.what == MbarrierOp::Inval) {
        event.kind = AccessKind::Store;
        event.ordering = ptx::Ordering::Weak;
    }
    for (EventSink* sink : m_sinks)
        sink->access(event);
    std::uint64_t released = ~std::uint64_t{0}, releasedPhase = 0;
    forEachLane(active & ~event.outOfBounds, [&](int lane) {
        const std::uint64_t address = addresses[static_cast<std::size_t>(lane)];
        std::uint64_t word = 0;
        std::memcpy(&word, m_state.shared.data() + address, sizeof word);
        MbarrierRecord& record = m_state.mbarriers[address];
        const std::uint32_t operand = source != nullptr ? laneValue32(source, lane) : 1u;
        if (arrivalsOf(m.what, operand) != 0) {
            warp.clock = std::max(warp.clock, record.phaseClock);
            record.clock = std::max(record.clock, warp.clock);
            if (address != released || record.phases != releasedPhase) {
                emitMbarrier(m.orders ? MbarrierEvent::What::Release : MbarrierEvent::What::RelaxedArrive, warpIndex, pc, warp.clock, address);
                released = address;
                releasedPhase = record.phases;
            }
        }
        changeMbarrier(m.what, address, operand, warpIndex, pc, lane);
        if (result != nullptr)
            std::memcpy(result + 8 * lane, &word, sizeof word);
    });
    return true;
}

/// cp.async.mbarrier.arrive: the mbarrier is told when the cp.async copies of the lanes so far have ended.
void BlockMachine::trackCopies(const Op& op, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active, std::uint32_t frameBase) {
    const MbarrierInstruction& m = m_program.mbarriers[op.target];
    const MemoryOp& memory = m_program.memory[m.memory];
    std::array<std::uint64_t, kWarpSize> addresses{};
    sharedAddresses(memory, rowsOf(warpIndex), frameBase, addresses.data());
    const AccessEvent event = mbarrierAccess(memory, warpIndex, pc, active, addresses.data());
    for (EventSink* sink : m_sinks)
        sink->access(event);
    for (LaneMask left = active & ~event.outOfBounds; left != 0;) {
        PendingArrival arrival;
        arrival.warp = warpIndex;
        arrival.pc = pc;
        arrival.barrier = addresses[static_cast<std::size_t>(firstLane(left))];
        arrival.copies = m_state.warps[warpIndex].copiesIssued;
        forEachLane(left, [&](int lane) { arrival.lanes |= addresses[static_cast<std::size_t>(lane)] == arrival.barrier ? LaneMask{1} << lane : 0; });
        left &= ~arrival.lanes;
        if (m.increments) {
            std::uint8_t* const at = m_state.shared.data() + arrival.barrier;
            std::uint64_t word = 0;
            std::memcpy(&word, at, sizeof word);
            Mbarrier b = Mbarrier::read(word);
            b.pending += static_cast<std::uint32_t>(laneCount(arrival.lanes));
            word = b.word();
            std::memcpy(at, &word, sizeof word);
        }
        MbarrierRecord& record = m_state.mbarriers[arrival.barrier];
        record.clock = std::max(record.clock, event.clock);
        m_state.arrivals.push_back(arrival);
    }
    wakeWaiting();
}

bool BlockMachine::clusterBarrier(const Op& op, std::uint32_t warpIndex, std::size_t fragment, LaneMask active) {
    WarpState& warp = m_state.warps[warpIndex];
    Fragment& f = warp.fragments[fragment];
    ClusterBarrier& barrier = m_state.cluster;
    MbarrierRecord& record = m_state.mbarriers[MbarrierEvent::kClusterBarrier];
    const bool orders = op.negatedSources == 0;
    if (op.kind == OpKind::ClusterArrive) {
        m_flags |= InstructionEvent::kBarrierArrive;
        exitWaiting(warpIndex);
        warp.clock = std::max(warp.clock, record.phaseClock);
        record.clock = std::max(record.clock, warp.clock);
        emitMbarrier(orders ? MbarrierEvent::What::Release : MbarrierEvent::What::RelaxedArrive, warpIndex, f.pc, warp.clock, MbarrierEvent::kClusterBarrier);
        note(record.arrivedNow, warpIndex, f.pc);
        warp.clusterGeneration = barrier.generation + 1;
        barrier.arrivedThreads += static_cast<std::uint32_t>(laneCount(active));
        checkClusterBarrier();
        return true;
    }
    if (barrier.generation < warp.clusterGeneration && !f.timedOut) {
        f.state = FragmentState::AtMbarrier;
        return false;
    }
    f.timedOut = false;
    m_flags |= InstructionEvent::kBarrierRelease;
    warp.clock = std::max(warp.clock, record.phaseClock);
    if (orders)
        emitMbarrier(MbarrierEvent::What::Acquire, warpIndex, f.pc, warp.clock, MbarrierEvent::kClusterBarrier);
    return true;
}

void BlockMachine::checkClusterBarrier() {
    ClusterBarrier& barrier = m_state.cluster;
    if (barrier.arrivedThreads == 0 || barrier.arrivedThreads < m_state.aliveThreads)
        return;
    barrier.arrivedThreads = 0;
    ++barrier.generation;
    completePhase(MbarrierEvent::kClusterBarrier, 0, 0);
}

std::uint64_t BlockMachine::waitedFor(std::uint32_t warpIndex, const Fragment& fragment, bool& parity) {
    const Op& op = m_program.ops[fragment.pc];
    if (op.kind != OpKind::Mbarrier)
        return MbarrierEvent::kClusterBarrier;
    const MbarrierInstruction& m = m_program.mbarriers[op.target];
    const std::uint8_t* const rows = rowsOf(warpIndex);
    const int lane = firstLane(guarded(op, rows, fragment.mask));
    std::array<std::uint64_t, kWarpSize> addresses{};
    sharedAddresses(m_program.memory[m.memory], rows, m_state.warps[warpIndex].frames[static_cast<std::size_t>(fragment.frame)].base, addresses.data());
    const std::uint8_t* source = row(op.source[0], rows);
    parity = isByParity(m.what) ? (laneValue32(source, lane) & 1u) != 0 : Mbarrier::read(laneValue64(source, lane)).phase;
    return addresses[static_cast<std::size_t>(lane)];
}

void BlockMachine::reportDeadlock(std::uint32_t warpIndex, const Fragment& fragment) {
    DeadlockEvent event;
    event.block = static_cast<std::uint32_t>(m_state.block);
    event.warp = warpIndex;
    event.pc = fragment.pc;
    event.lanes = guarded(m_program.ops[fragment.pc], rowsOf(warpIndex), fragment.mask);
    event.address = waitedFor(warpIndex, fragment, event.waitsForParity);
    for (std::uint32_t w = 0; w < m_state.warps.size(); ++w)
        for (const Fragment& f : m_state.warps[w].fragments) {
            bool parity = false;
            if (f.state == FragmentState::AtMbarrier && waitedFor(w, f, parity) == event.address && parity == event.waitsForParity &&
                (event.warps.empty() || event.warps.back() != w))
                event.warps.push_back(w);
        }
    if (event.warps.empty() || event.warps.front() != warpIndex)
        return; // told with the first of them
    const MbarrierRecord& record = m_state.mbarriers[event.address];
    event.phases = record.phases;
    event.arrivedBefore = record.arrivedBefore;
    event.arrivedNow = record.arrivedNow;
    if (event.address == MbarrierEvent::kClusterBarrier) {
        event.expected = m_state.aliveThreads;
        event.pending = m_state.aliveThreads - m_state.cluster.arrivedThreads;
    } else {
        std::uint64_t word = 0;
        std::memcpy(&word, m_state.shared.data() + event.address, sizeof word);
        const Mbarrier b = Mbarrier::read(word);
        event.expected = b.expected;
        event.pending = b.pending;
        event.bytes = b.bytes;
    }
    for (EventSink* sink : m_sinks)
        sink->deadlock(event);
}

/// Nothing can run. False when no warp waits for an mbarrier.
bool BlockMachine::resolveMbarriers() {
    bool any = false;
    for (WarpState& warp : m_state.warps)
        for (const Fragment& f : warp.fragments)
            any |= f.state == FragmentState::AtMbarrier;
    if (!any)
        return false;
    if (++m_state.timeouts > kMostTimeouts) {
        for (std::uint32_t w = 0; w < m_state.warps.size(); ++w)
            for (const Fragment& f : m_state.warps[w].fragments)
                if (f.state == FragmentState::AtMbarrier)
                    reportDeadlock(w, f);
        m_state.stopped = true;
        return true;
    }
    for (WarpState& warp : m_state.warps) {
        bool waits = false;
        for (Fragment& f : warp.fragments)
            if (f.state == FragmentState::AtMbarrier) {
                f.state = FragmentState::Runnable;
                // The first time lanes of the warp itself that stand at a join may be who has to come.
                f.timedOut = m_program.ops[f.pc].kind == OpKind::Mbarrier && m_state.timeouts > 1;
                waits = true;
            }
        if (waits)
            releaseStarved(warp);
    }
    return true;
}

} // namespace lanescope::sim
