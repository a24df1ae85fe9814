// SPDX-License-Identifier: GPL-3.0-or-later
// cp.async: copies from global to shared memory that are under way until the issuing threads wait for them. The source is read when the
// copy is issued; the data wait in the warp's state and come to shared memory at the wait, so whoever reads before it finds what was
// there. Groups are counted by thread (PTX ISA, cp.async.commit_group, cp.async.wait_group).
#include <algorithm>
#include <cstring>

#include "engine/memory/copy_cost.h"
#include "engine/sim/block_machine.h"
#include "engine/sim/lane_rows.h"

namespace lanescope::sim {

namespace {

LaneMask misalignedLanes(const std::uint64_t* addresses, LaneMask lanes, int alignment) {
    LaneMask bad = 0;
    forEachLane(lanes, [&](int lane) { bad |= addresses[lane] % static_cast<unsigned>(alignment) != 0 ? LaneMask{1} << lane : 0; });
    return bad;
}

} // namespace

/// Reads what the lanes copy into `pending`, lanes of equal length with one event; the lanes that read something.
LaneMask BlockMachine::readSource(const CopyOp& copy, AccessEvent event, LaneMask active, const std::uint8_t* rows, const std::uint64_t* addresses,
                                  PendingCopy& pending) {
    std::uint32_t length[kWarpSize] = {};
    LaneMask ignored = copy.ignore.valid() ? loadMask(row(copy.ignore, rows)) : 0;
    if (copy.ignoreNegated)
        ignored = ~ignored;
    LaneMask reading = 0;
    forEachLane(active & ~ignored, [&](int lane) {
        // More than the size of the copy is undefined (PTX ISA, cp.async): no more than that is read.
        length[lane] = copy.sourceBytes.valid() ? std::min<std::uint32_t>(laneValue32(row(copy.sourceBytes, rows), lane), copy.bytes) : copy.bytes;
        reading |= length[lane] != 0 ? LaneMask{1} << lane : 0;
    });
    event.kind = AccessKind::Load;
    event.space = ptx::Space::Global;
    event.addresses = addresses;
    const GlobalMemory& global = m_memory.global;
    for (LaneMask left = reading; left != 0;) {
        const std::uint32_t bytes = length[firstLane(left)];
        LaneMask here = 0;
        forEachLane(left, [&](int lane) { here |= length[lane] == bytes ? LaneMask{1} << lane : 0; });
        left &= ~here;
        event.active = here;
        event.bytes = static_cast<int>(bytes);
        event.elementBytes = std::min(4, event.bytes);
        event.misaligned = misalignedLanes(addresses, here, event.alignment);
        event.outOfBounds = 0;
        event.allocation = global.find(addresses[firstLane(here)]);
        forEachLane(here, [&](int lane) {
            const int index = global.find(addresses[lane]);
            if (index != event.allocation)
                event.allocation = -1;
            if (index >= 0) {
                const Allocation& a = global.at(static_cast<std::size_t>(index));
                const std::uint64_t offset = addresses[lane] - a.base;
                if (addresses[lane] >= a.base && offset + bytes <= a.size()) {
                    if (m_program.memory[copy.source].movesData)
                        std::memcpy(pending.data[static_cast<std::size_t>(lane)].data(), a.bytes.data() + offset, bytes);
                    return;
                }
            }
            event.outOfBounds |= LaneMask{1} << lane;
        });
        for (EventSink* sink : m_sinks)
            sink->access(event);
    }
    return reading;
}

void BlockMachine::copyAsync(const Op& op, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active, std::uint32_t frameBase) {
    const CopyOp& copy = m_program.copies[op.target];
    const MemoryOp& to = m_program.memory[copy.destination];
    WarpState& warp = m_state.warps[warpIndex];
    const std::uint8_t* rows = rowsOf(warpIndex);
    alignas(64) std::uint64_t source[kWarpSize];
    PendingCopy pending;
    laneAddresses(m_program.memory[copy.source], rows, frameBase, source);
    sharedAddresses(to, rows, frameBase, pending.addresses.data());
    AccessEvent event = accessEvent(warpIndex, pc, to.counter);
    event.alignment = copy.bytes;
    event.async = true;
    const LaneMask reading = readSource(copy, event, active, rows, source, pending);

    event.kind = AccessKind::Store;
    event.space = ptx::Space::Shared;
    event.bytes = copy.bytes;
    event.active = active;
    event.addresses = pending.addresses.data();
    event.copy = warp.copiesIssued++;
    event.misaligned = misalignedLanes(event.addresses, active, copy.bytes);
    const std::uint64_t size = m_state.shared.size();
    forEachLane(active, [&](int lane) {
        const std::uint64_t address = event.addresses[lane];
        event.outOfBounds |= address > size || size - address < copy.bytes ? LaneMask{1} << lane : 0;
    });
    if (m_counters != nullptr) {
        const memory::CopyCost cost = memory::copyCost(memory::Addresses(source, kWarpSize), memory::Addresses(pending.addresses), reading,
                                                       active & ~reading, copy.bytes, copy.bypass);
        InstructionCounts c;
        c.requests = static_cast<unsigned>(cost.requests);
        c.sectors = static_cast<unsigned>(cost.sectors);
        c.lines = static_cast<unsigned>(cost.lines);
        c.bytes = static_cast<unsigned>(cost.bytes);
        c.l2Sectors = static_cast<unsigned>(cost.l2Sectors);
        c.requestedBytes = copy.bytes * static_cast<unsigned>(laneCount(reading));
        c.wavefronts = static_cast<unsigned>(cost.wavefronts);
        c.passes = static_cast<unsigned>(cost.passes);
        (*m_counters)[pc] += c;
    }
    pending.number = event.copy;
    pending.pc = pc;
    pending.bytes = copy.bytes;
    pending.lanes = active & ~event.outOfBounds;
    if (warp.commits.empty())
        warp.commits.assign(kWarpSize, 0);
    std::copy(warp.commits.begin(), warp.commits.end(), pending.group.begin());
    for (EventSink* sink : m_sinks)
        sink->access(event);
    if (pending.lanes != 0)
        warp.copies.push_back(pending);
}

void BlockMachine::commitCopies(WarpState& warp, LaneMask lanes) {
    if (warp.commits.empty())
        warp.commits.assign(kWarpSize, 0);
    forEachLane(lanes, [&](int lane) { ++warp.commits[static_cast<std::size_t>(lane)]; });
}

/// The data of `arrived` come to shared memory.
void BlockMachine::finishCopy(std::uint32_t warpIndex, PendingCopy& copy, LaneMask arrived, std::int64_t mbarrier) {
    forEachLane(arrived, [&](int lane) {
        const auto l = static_cast<std::size_t>(lane);
        std::memcpy(m_state.shared.data() + copy.addresses[l], copy.data[l].data(), static_cast<std::size_t>(copy.bytes));
    });
    copy.lanes &= ~arrived;
    CopyDoneEvent event;
    event.block = static_cast<std::uint32_t>(m_state.block);
    event.warp = warpIndex;
    event.clock = m_state.warps[warpIndex].clock;
    event.copy = copy.number;
    event.pc = copy.pc;
    event.bytes = copy.bytes;
    event.lanes = arrived;
    event.group = copy.group[static_cast<std::size_t>(firstLane(arrived))];
    event.last = copy.lanes == 0;
    event.mbarrier = mbarrier;
    event.addresses = copy.addresses.data();
    for (EventSink* sink : m_sinks)
        sink->copyDone(event);
}

void BlockMachine::waitForCopies(std::uint32_t warpIndex, std::uint32_t pc, LaneMask lanes, std::uint32_t mayBePending) {
    WarpState& warp = m_state.warps[warpIndex];
    for (PendingCopy& copy : warp.copies) {
        LaneMask arrived = 0;
        forEachLane(copy.lanes & lanes, [&](int lane) {
            const auto l = static_cast<std::size_t>(lane);
            arrived |= std::uint64_t{copy.group[l]} + mayBePending < warp.commits[l] ? LaneMask{1} << lane : 0;
        });
        if (arrived != 0)
            finishCopy(warpIndex, copy, arrived, -1);
    }
    std::erase_if(warp.copies, [](const PendingCopy& copy) { return copy.lanes == 0; });
    if (lanes == 0 || warp.commits.empty())
        return;
    const CopiesWaitedEvent event{static_cast<std::uint32_t>(m_state.block), warpIndex, pc, warp.commits[static_cast<std::size_t>(firstLane(lanes))], mayBePending};
    for (EventSink* sink : m_sinks)
        sink->copiesWaited(event);
}

} // namespace lanescope::sim
