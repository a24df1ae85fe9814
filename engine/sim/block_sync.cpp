// SPDX-License-Identifier: GPL-3.0-or-later
// What makes warps and lanes wait for each other: *.sync, named barriers, and letting go what can never complete.
#include <algorithm>
#include <cstring>

#include "engine/sim/block_machine.h"
#include "engine/sim/lane_rows.h"

namespace lanescope::sim {

bool BlockMachine::warpSync(std::uint32_t warpIndex, std::size_t fragment, const Op& op, LaneMask active) {
    WarpState& warp = m_state.warps[warpIndex];
    const std::uint32_t pc = warp.fragments[fragment].pc;
    // The member mask is the last operand; every active lane gives the same.
    RowRef member = op.source[0];
    if (op.kind == OpKind::WarpExchange)
        for (int i = 3; i >= 0; --i)
            if (op.source[i].valid()) {
                member = op.source[i];
                break;
            }
    const std::uint8_t* rows = rowsOf(warpIndex);
    const LaneMask required = laneValue32(row(member, rows), firstLane(active)) & warp.alive;
    LaneMask here = active;
    if (warp.fragments.size() > 1)
        for (const Fragment& other : warp.fragments)
            if (other.state == FragmentState::AtWarpSync && other.pc == pc)
                here |= guarded(op, rows, other.mask);
    const LaneMask missing = required & ~here;
    LaneMask pending = 0;
    if (missing != 0) {
        bool othersCanRun = false;
        pending = 0; // lanes at joins come when the fragments they wait for have run
        for (std::size_t i = 0; i < warp.fragments.size(); ++i)
            if (i != fragment) {
                othersCanRun |= warp.fragments[i].state == FragmentState::Runnable;
                if (warp.fragments[i].state == FragmentState::AtWarpSync && op.kind == OpKind::WarpSync &&
                    m_program.ops[warp.fragments[i].pc].kind == OpKind::WarpSync)
                    pending |= warp.fragments[i].mask; // bar.warp.sync at another place: execution barrier only
            }
        if ((missing & ~pending) != 0) {
            if (!othersCanRun) {
                // Waiting lanes may be behind a join that this very fragment holds up.
                for (std::size_t i = warp.joins.size(); i-- > 0;) {
                    const Join j = warp.joins[i];
                    if (!j.used || (j.arrived & missing) == 0)
                        continue;
                    warp.fragments[fragment].state = FragmentState::AtWarpSync;
                    warp.joins[i].expected &= ~j.arrived;
                    warp.joins[i].arrived = 0;
                    warp.fragments.push_back(
                        Fragment{j.pc == kNoReconvergence ? j.returnPc : j.pc, j.arrived, j.parent, j.frame,
                                 FragmentState::Runnable, 0});
                    return false;
                }
                fault(FaultKind::PartialWarpSync, warpIndex, pc, active, missing);
                warpSyncExecute(warpIndex, pc, here);
                return true;
            }
            warp.fragments[fragment].state = FragmentState::AtWarpSync;
            return false;
        }
    }
    // Those that wait at another bar.warp.sync have met these lanes: they go on too.
    std::vector<std::pair<std::uint32_t, LaneMask>> met;
    for (const Fragment& other : warp.fragments)
        if (other.state == FragmentState::AtWarpSync && other.pc != pc && (other.mask & missing & pending) != 0)
            met.emplace_back(other.pc, guarded(m_program.ops[other.pc], rows, other.mask));
    warpSyncExecute(warpIndex, pc, here);
    for (const auto& [otherPc, lanes] : met)
        warpSyncExecute(warpIndex, otherPc, lanes);
    return true;
}

void BlockMachine::barrier(std::uint32_t warpIndex, std::size_t fragment, const Op& op, LaneMask active) {
    using ptx::BarrierMode;
    WarpState& warp = m_state.warps[warpIndex];
    exitWaiting(warpIndex);
    Fragment& f = warp.fragments[fragment];
    const std::uint32_t pc = f.pc;
    const std::uint8_t* rows = rowsOf(warpIndex);
    const int first = firstLane(active);
    const std::uint32_t id = laneValue32(row(op.source[0], rows), first) & 15u;
    const std::uint32_t count = op.source[1].valid() ? laneValue32(row(op.source[1], rows), first) : 0;
    const auto mode = static_cast<BarrierMode>(op.target);
    m_flags |= InstructionEvent::kBarrierArrive;
    BarrierState& b = m_state.barriers[id];
    if (!b.active) {
        b = BarrierState{};
        b.active = true;
        b.expectedThreads = count;
        b.pc = b.otherPc = pc;
    } else if (b.pc != pc && b.otherPc == b.pc) {
        b.otherPc = pc;
    }
    b.clock = std::max(b.clock, warp.clock);
    const bool whole = active == warp.alive;
    // A count is in whole warps: a warp that comes with all its threads counts 32, as the hardware does.
    b.arrivedThreads += count != 0 && whole ? kWarpSize : static_cast<std::uint32_t>(laneCount(active));
    if (!whole && !b.partial) {
        b.partial = true;
        b.partialWarp = warpIndex;
        b.partialLanes = active;
    }
    if (op.source[2].valid()) {
        LaneMask p = loadMask(row(op.source[2], rows));
        if (op.negatedSources != 0)
            p = ~p;
        b.count += static_cast<std::uint32_t>(laneCount(p & active));
        b.all = b.all && (active & ~p) == 0;
        b.any = b.any || (active & p) != 0;
    }
    if (mode == BarrierMode::Arrive) {
        b.arrivedOnly.push_back(warpIndex);
        advance(warp, fragment, pc + 1);
    } else {
        b.waiting.push_back(warpIndex);
        if (active != f.mask) {
            // Predicated: the other lanes go on.
            Fragment rest = f;
            rest.mask &= ~active;
            std::int32_t join = f.join;
            f.mask = active;
            f.state = FragmentState::AtBarrier;
            f.barrier = static_cast<std::uint8_t>(id);
            rest.join = join;
            warp.fragments.push_back(rest);
            advance(warp, warp.fragments.size() - 1, pc + 1);
        } else {
            f.state = FragmentState::AtBarrier;
            f.barrier = static_cast<std::uint8_t>(id);
        }
    }
    checkBarriers();
}

void BlockMachine::checkBarriers() {
    for (std::uint32_t id = 0; id < m_state.barriers.size(); ++id) {
        const BarrierState& b = m_state.barriers[id];
        if (!b.active)
            continue;
        const std::uint32_t expected = b.expectedThreads != 0 ? b.expectedThreads : m_state.aliveThreads;
        if (b.arrivedThreads >= expected && b.arrivedThreads != 0)
            releaseBarrier(id, false);
    }
}

void BlockMachine::releaseBarrier(std::uint32_t id, bool hung) {
    const BarrierState b = m_state.barriers[id];
    m_state.barriers[id] = BarrierState{};
    m_flags |= InstructionEvent::kBarrierRelease;
    BarrierEvent event;
    event.block = static_cast<std::uint32_t>(m_state.block);
    event.id = id;
    std::vector<std::uint32_t> released = b.waiting, arrivedOnly = b.arrivedOnly;
    for (auto* list : {&released, &arrivedOnly}) {
        std::sort(list->begin(), list->end());
        list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    event.released = released;
    event.arrivedOnly = arrivedOnly;
    event.wholeBlock = b.expectedThreads == 0 && !hung && arrivedOnly.empty();
    event.clock = b.clock + 1;
    event.exitedThreads = b.expectedThreads != 0
                              ? 0
                              : static_cast<std::uint32_t>(m_launch.block.count()) - m_state.aliveThreads;
    event.partial = b.partial;
    event.partialWarp = b.partialWarp;
    event.partialWarpLanes = b.partialLanes;
    event.hung = hung;
    event.pc = b.pc;
    event.otherPc = b.expectedThreads == 0 ? b.otherPc : b.pc;
    for (EventSink* sink : m_sinks)
        sink->barrier(event);
    for (const std::uint32_t w : released) {
        WarpState& warp = m_state.warps[w];
        warp.clock = event.clock;
        std::uint8_t* rows = rowsOf(w);
        for (std::size_t i = warp.fragments.size(); i-- > 0;) {
            if (i >= warp.fragments.size())
                continue;
            Fragment& f = warp.fragments[i];
            if (f.state != FragmentState::AtBarrier || f.barrier != id)
                continue;
            const Op& op = m_program.ops[f.pc];
            using ptx::BarrierMode;
            const auto mode = static_cast<BarrierMode>(op.target);
            if (mode == BarrierMode::RedPopc) {
                forEachLane(f.mask, [&](int lane) {
                    std::memcpy(rows + op.destination[0].offset() + 4 * lane, &b.count, 4);
                });
            } else if (mode == BarrierMode::RedAnd || mode == BarrierMode::RedOr) {
                std::uint8_t* p = rows + op.destination[0].offset();
                const bool value = mode == BarrierMode::RedAnd ? b.all : b.any;
                const LaneMask merged = value ? loadMask(p) | f.mask : loadMask(p) & ~f.mask;
                std::memcpy(p, &merged, sizeof merged);
            }
            f.state = FragmentState::Runnable;
            advance(warp, i, f.pc + 1);
        }
    }
}

/// Nothing can run. Warp syncs whose lanes stand at a block barrier, then barriers that can never fill, are let go (and reported), so
/// that the kernel goes on and later faults are found too. False when there is nothing to let go.
bool BlockMachine::resolveHang() {
    if (resolveMbarriers())
        return true;
    for (std::uint32_t w = 0; w < m_state.warps.size(); ++w)
        for (const Fragment& f : m_state.warps[w].fragments)
            if (f.state == FragmentState::AtWarpSync) {
                const Op& op = m_program.ops[f.pc];
                const LaneMask here = guarded(op, rowsOf(w), f.mask);
                fault(FaultKind::PartialWarpSync, w, f.pc, here, m_state.warps[w].alive & ~here);
                warpSyncExecute(w, f.pc, here);
                return true;
            }
    for (std::uint32_t id = 0; id < m_state.barriers.size(); ++id)
        if (m_state.barriers[id].active && !m_state.barriers[id].waiting.empty()) {
            releaseBarrier(id, true);
            return true;
        }
    return false;
}

} // namespace lanescope::sim
