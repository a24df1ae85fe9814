// SPDX-License-Identifier: GPL-3.0-or-later
// Fragments and joins: branches, calls, returns, exits, and lanes that would starve.
#include <algorithm>
#include <cstring>

#include "engine/sim/block_machine.h"
#include "engine/sim/lane_rows.h"

namespace lanescope::sim {

namespace {

constexpr std::size_t kMaxFrames = 4096;

} // namespace

void BlockMachine::advance(WarpState& warp, std::size_t fragment, std::uint32_t pc) {
    Fragment& f = warp.fragments[fragment];
    f.pc = pc;
    if (f.join >= 0 && warp.joins[static_cast<std::size_t>(f.join)].pc == pc) {
        const std::int32_t join = f.join;
        const LaneMask lanes = f.mask;
        warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(fragment));
        arrive(warp, join, lanes);
    }
}

void BlockMachine::arrive(WarpState& warp, std::int32_t join, LaneMask lanes) {
    Join& j = warp.joins[static_cast<std::size_t>(join)];
    j.arrived |= lanes;
    completeJoin(warp, join);
}

void BlockMachine::completeJoin(WarpState& warp, std::int32_t join) {
    Join& j = warp.joins[static_cast<std::size_t>(join)];
    if (!j.used || (j.expected & ~j.arrived) != 0)
        return;
    const Join done = j;
    j.used = false;
    while (!warp.joins.empty() && !warp.joins.back().used)
        warp.joins.pop_back();
    warp.spins = 0;
    if (done.callee >= 0)
        warp.frames[static_cast<std::size_t>(done.callee)].used = false;
    if (done.arrived == 0) {
        // Every lane exited on the way: those outside may have been waiting for these.
        if (done.parent >= 0)
            completeJoin(warp, done.parent);
        return;
    }
    warp.fragments.push_back(Fragment{done.pc, done.arrived, done.parent, done.frame, FragmentState::Runnable, 0});
    const std::uint32_t pc = done.pc == kNoReconvergence ? done.returnPc : done.pc;
    advance(warp, warp.fragments.size() - 1, pc);
}

std::int32_t BlockMachine::newJoin(WarpState& warp) {
    for (std::size_t i = 0; i < warp.joins.size(); ++i)
        if (!warp.joins[i].used) {
            warp.joins[i] = Join{};
            warp.joins[i].used = true;
            return static_cast<std::int32_t>(i);
        }
    warp.joins.emplace_back();
    warp.joins.back().used = true;
    return static_cast<std::int32_t>(warp.joins.size() - 1);
}

/// The join at which the fragment's lanes meet when they part now: a new one, or the one they are on the way to anyway.
std::int32_t BlockMachine::joinAt(WarpState& warp, const Fragment& fragment, std::uint32_t reconvergence) {
    if (reconvergence == kNoReconvergence ||
        (fragment.join >= 0 && warp.joins[static_cast<std::size_t>(fragment.join)].pc == reconvergence))
        return fragment.join;
    const std::int32_t join = newJoin(warp);
    Join& j = warp.joins[static_cast<std::size_t>(join)];
    j.pc = reconvergence;
    j.expected = fragment.mask;
    j.parent = fragment.join;
    j.frame = fragment.frame;
    return join;
}

void BlockMachine::branch(std::uint32_t warpIndex, std::size_t fragment, const Op& op, LaneMask taken,
                          std::uint32_t target) {
    WarpState& warp = m_state.warps[warpIndex];
    const Fragment f = warp.fragments[fragment];
    if (taken == f.mask || taken == 0) {
        advance(warp, fragment, taken == 0 ? f.pc + 1 : target);
        return;
    }
    m_flags |= InstructionEvent::kDiverged;
    const std::int32_t join = joinAt(warp, f, op.reconvergence);
    // The lanes that fall through stay in place; those that jump become the newest fragment and run first.
    warp.fragments[fragment].mask = f.mask & ~taken;
    warp.fragments[fragment].join = join;
    Fragment jumped = f;
    jumped.mask = taken;
    jumped.join = join;
    warp.fragments.push_back(jumped);
    advance(warp, warp.fragments.size() - 1, target);
    advance(warp, fragment, f.pc + 1);
}

void BlockMachine::branchIndexed(std::uint32_t warpIndex, std::size_t fragment, const Op& op, LaneMask active) {
    WarpState& warp = m_state.warps[warpIndex];
    const std::uint8_t* index = row(op.source[0], rowsOf(warpIndex));
    const std::vector<std::uint32_t>& table = m_program.branchTables[op.target];
    const Fragment f = warp.fragments[fragment];
    // Lanes grouped by where they go; predicated-off lanes fall through.
    std::vector<std::pair<std::uint32_t, LaneMask>> groups;
    forEachLane(f.mask, [&](int lane) {
        std::uint32_t to = f.pc + 1;
        if (hasLane(active, lane) && !table.empty())
            to = table[std::min<std::size_t>(laneValue32(index, lane), table.size() - 1)];
        for (auto& [pc, lanes] : groups)
            if (pc == to) {
                lanes |= LaneMask{1} << lane;
                return;
            }
        groups.emplace_back(to, LaneMask{1} << lane);
    });
    if (groups.size() == 1) {
        advance(warp, fragment, groups[0].first);
        return;
    }
    m_flags |= InstructionEvent::kDiverged;
    const std::int32_t join = joinAt(warp, f, op.reconvergence);
    warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(fragment));
    for (const auto& [pc, lanes] : groups) {
        warp.fragments.push_back(Fragment{f.pc, lanes, join, f.frame, FragmentState::Runnable, 0});
        advance(warp, warp.fragments.size() - 1, pc);
    }
}

void BlockMachine::call(std::uint32_t warpIndex, std::size_t fragment, const Op& op, LaneMask active) {
    WarpState& warp = m_state.warps[warpIndex];
    const Fragment f = warp.fragments[fragment];
    const CallOp& call = m_program.calls[op.target];
    if (call.builtin != CallOp::Builtin::None) {
        if (call.builtin == CallOp::Builtin::AssertFail && active != 0) {
            fault(FaultKind::Trap, warpIndex, f.pc, active);
            m_state.stopped = true;
        }
        const std::uint32_t base = warp.frames[static_cast<std::size_t>(f.frame)].base;
        for (const CallOp::Copy& result : call.results)
            forEachLane(active, [&](int lane) {
                std::memset(privateBytes(warpIndex, lane) + base + result.to, 0, result.bytes);
            });
        advance(warp, fragment, f.pc + 1);
        return;
    }
    if (active == 0) {
        advance(warp, fragment, f.pc + 1);
        return;
    }
    // Lanes by callee: one for a direct call.
    std::vector<std::pair<std::int32_t, LaneMask>> groups;
    if (call.function >= 0) {
        groups.emplace_back(call.function, active);
    } else {
        const std::uint8_t* target = row(call.target, rowsOf(warpIndex));
        forEachLane(active, [&](int lane) {
            const std::uint64_t address = laneValue64(target, lane);
            const std::uint64_t number = (address - kFunctionWindow) / 16;
            const std::int32_t layout = address >= kFunctionWindow + 16 && number <= m_program.functions.size()
                                            ? static_cast<std::int32_t>(number - 1)
                                            : -1;
            for (auto& [l, lanes] : groups)
                if (l == layout) {
                    lanes |= LaneMask{1} << lane;
                    return;
                }
            groups.emplace_back(layout, LaneMask{1} << lane);
        });
    }
    LaneMask remaining = f.mask & ~active;
    if (groups.size() > 1 || remaining != 0) {
        // Lanes part at the call and meet after it.
        m_flags |= InstructionEvent::kDiverged;
        const std::int32_t join = newJoin(warp);
        Join& j = warp.joins[static_cast<std::size_t>(join)];
        j.pc = f.pc + 1;
        j.expected = f.mask;
        j.parent = f.join;
        j.frame = f.frame;
        warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(fragment));
        if (remaining != 0)
            arrive(warp, join, remaining);
        for (const auto& [layout, lanes] : groups) {
            warp.fragments.push_back(Fragment{f.pc, lanes, join, f.frame, FragmentState::Runnable, 0});
            if (layout < 0) {
                fault(FaultKind::BadCall, warpIndex, f.pc, lanes);
                m_state.stopped = true;
                return;
            }
            enter(warpIndex, warp.fragments.size() - 1, call, op.target, static_cast<std::uint32_t>(layout), lanes);
        }
        return;
    }
    if (groups[0].first < 0) {
        fault(FaultKind::BadCall, warpIndex, f.pc, active);
        m_state.stopped = true;
        return;
    }
    enter(warpIndex, fragment, call, op.target, static_cast<std::uint32_t>(groups[0].first), active);
}

void BlockMachine::enter(std::uint32_t warpIndex, std::size_t fragment, const CallOp& call, std::uint32_t callIndex,
                         std::uint32_t layoutIndex, LaneMask lanes) {
    WarpState& warp = m_state.warps[warpIndex];
    const Fragment f = warp.fragments[fragment];
    const FunctionLayout& callee = m_program.functions[layoutIndex];
    const Frame& caller = warp.frames[static_cast<std::size_t>(f.frame)];
    Frame frame;
    frame.layout = layoutIndex;
    frame.base = caller.base + m_program.functions[caller.layout].frameBytes;
    frame.call = callIndex;
    frame.parent = f.frame;
    frame.used = true;
    if (frame.base + callee.frameBytes > m_privateStride || warp.frames.size() >= kMaxFrames) {
        fault(FaultKind::CallStackOverflow, warpIndex, f.pc, lanes);
        m_state.stopped = true;
        return;
    }
    if (callee.recursive) {
        frame.savedLanes = lanes;
        const std::uint8_t* rows = rowsOf(warpIndex) + callee.registerBase;
        frame.savedRows.assign(rows, rows + callee.registerBytes);
    }
    const std::uint32_t callerBase = caller.base;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const CallOp::Copy& copy = call.arguments[i];
        std::uint32_t to = copy.to;
        if (call.function < 0) { // through a pointer: `to` is the position in the list
            if (copy.to >= callee.parameterOffsets.size())
                continue;
            to = callee.parameterOffsets[copy.to];
        }
        forEachLane(lanes, [&](int lane) {
            std::uint8_t* p = privateBytes(warpIndex, lane);
            std::memmove(p + frame.base + to, p + callerBase + copy.from, copy.bytes);
        });
    }
    std::int32_t index = -1;
    for (std::size_t i = 0; i < warp.frames.size() && index < 0; ++i)
        if (!warp.frames[i].used)
            index = static_cast<std::int32_t>(i);
    if (index < 0) {
        warp.frames.emplace_back();
        index = static_cast<std::int32_t>(warp.frames.size() - 1);
    }
    warp.frames[static_cast<std::size_t>(index)] = std::move(frame);
    const std::int32_t join = newJoin(warp);
    Join& j = warp.joins[static_cast<std::size_t>(join)];
    j.pc = kNoReconvergence;
    j.returnPc = f.pc + 1;
    j.expected = lanes;
    j.parent = f.join;
    j.frame = f.frame;
    j.callee = index;
    Fragment& entered = warp.fragments[fragment];
    entered.join = join;
    entered.frame = index;
    entered.pc = callee.entryPc;
}

void BlockMachine::leaveFrame(WarpState& warp, std::int32_t frameIndex, LaneMask lanes) {
    const auto warpIndex = static_cast<std::uint32_t>(&warp - m_state.warps.data());
    const Frame& frame = warp.frames[static_cast<std::size_t>(frameIndex)];
    const CallOp& call = m_program.calls[frame.call];
    const FunctionLayout& callee = m_program.functions[frame.layout];
    const std::uint32_t callerBase = warp.frames[static_cast<std::size_t>(frame.parent)].base;
    for (const CallOp::Copy& copy : call.results) {
        std::uint32_t from = copy.from;
        if (call.function < 0) {
            if (copy.from >= callee.resultOffsets.size())
                continue;
            from = callee.resultOffsets[copy.from];
        }
        forEachLane(lanes, [&](int lane) {
            std::uint8_t* p = privateBytes(warpIndex, lane);
            std::memmove(p + callerBase + copy.to, p + frame.base + from, copy.bytes);
        });
    }
    if (frame.savedRows.empty())
        return;
    // A recursive function: the caller's own registers come back, lane by lane.
    std::uint8_t* rows = rowsOf(warpIndex);
    const ptx::Function& function = m_program.module->functions[callee.moduleIndex];
    for (std::size_t r = 0; r < callee.registerRows.size(); ++r) {
        const std::uint32_t offset = callee.registerRows[r];
        const std::uint8_t* saved = frame.savedRows.data() + (offset - callee.registerBase);
        if (function.registers[r].type == ptx::Type::Pred) {
            const LaneMask merged = (loadMask(rows + offset) & ~lanes) | (loadMask(saved) & lanes);
            std::memcpy(rows + offset, &merged, sizeof merged);
            continue;
        }
        const int width = ptx::sizeBytes(function.registers[r].type) == 8 ? 8 : 4;
        forEachLane(lanes, [&](int lane) {
            std::memcpy(rows + offset + width * lane, saved + width * lane, static_cast<std::size_t>(width));
        });
    }
}

void BlockMachine::returnLanes(std::uint32_t warpIndex, std::size_t fragment, LaneMask lanes) {
    WarpState& warp = m_state.warps[warpIndex];
    const Fragment f = warp.fragments[fragment];
    if (lanes == 0) {
        advance(warp, fragment, f.pc + 1);
        return;
    }
    leaveFrame(warp, f.frame, lanes);
    // The join of the call: inner joins of the callee lose these lanes.
    std::int32_t join = f.join;
    std::vector<std::int32_t> inner;
    while (join >= 0 && warp.joins[static_cast<std::size_t>(join)].callee != f.frame) {
        inner.push_back(join);
        join = warp.joins[static_cast<std::size_t>(join)].parent;
    }
    if (lanes == f.mask)
        warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(fragment));
    else {
        m_flags |= InstructionEvent::kDiverged;
        warp.fragments[fragment].mask &= ~lanes;
        advance(warp, fragment, f.pc + 1);
    }
    for (const std::int32_t i : inner)
        warp.joins[static_cast<std::size_t>(i)].expected &= ~lanes;
    warp.joins[static_cast<std::size_t>(join)].arrived |= lanes;
    for (const std::int32_t i : inner)
        if (static_cast<std::size_t>(i) < warp.joins.size())
            completeJoin(warp, i);
    if (static_cast<std::size_t>(join) < warp.joins.size())
        completeJoin(warp, join);
}

/// Lanes that wait for others at the kernel's final return, as after an early one, have nothing left to do: they end now, so that a
/// barrier or a *.sync does not wait for them.
void BlockMachine::exitWaiting(std::uint32_t warpIndex) {
    WarpState& warp = m_state.warps[warpIndex];
    for (Join& j : warp.joins) {
        if (!j.used || j.arrived == 0 || j.pc == kNoReconvergence)
            continue;
        const Op& op = m_program.ops[j.pc];
        if (op.kind != OpKind::Exit || op.guard.valid() || (j.expected & ~j.arrived) == 0)
            continue;
        const LaneMask lanes = j.arrived;
        warp.alive &= ~lanes;
        m_state.aliveThreads -= static_cast<std::uint32_t>(laneCount(lanes));
        for (Join& outer : warp.joins)
            if (outer.used) {
                outer.expected &= ~lanes;
                outer.arrived &= ~lanes;
            }
    }
}

void BlockMachine::exitLanes(std::uint32_t warpIndex, std::size_t fragment, LaneMask lanes) {
    WarpState& warp = m_state.warps[warpIndex];
    const Fragment f = warp.fragments[fragment];
    m_flags |= InstructionEvent::kExit;
    warp.alive &= ~lanes;
    m_state.aliveThreads -= static_cast<std::uint32_t>(laneCount(lanes));
    if (lanes == f.mask) {
        warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(fragment));
    } else {
        warp.fragments[fragment].mask &= ~lanes;
        advance(warp, fragment, f.pc + 1);
    }
    for (Join& j : warp.joins)
        if (j.used) {
            j.expected &= ~lanes;
            j.arrived &= ~lanes;
        }
    for (std::size_t i = warp.joins.size(); i-- > 0;)
        if (i < warp.joins.size() && warp.joins[i].used)
            completeJoin(warp, static_cast<std::int32_t>(i));
    // A *.sync may have been waiting for exactly these lanes.
    for (Fragment& other : warp.fragments)
        if (other.state == FragmentState::AtWarpSync)
            other.state = FragmentState::Runnable;
}

void BlockMachine::releaseStarved(WarpState& warp) {
    warp.spins = 0;
    // Lanes of the innermost join that wait while others spin go on by themselves.
    for (std::size_t i = warp.joins.size(); i-- > 0;) {
        Join& j = warp.joins[i];
        if (!j.used || j.arrived == 0 || j.pc == kNoReconvergence)
            continue;
        const LaneMask lanes = j.arrived;
        const Join copy = j;
        j.expected &= ~lanes;
        j.arrived = 0;
        warp.fragments.push_back(Fragment{copy.pc, lanes, copy.parent, copy.frame, FragmentState::Runnable, 0});
        advance(warp, warp.fragments.size() - 1, copy.pc);
        if (i < warp.joins.size())
            completeJoin(warp, static_cast<std::int32_t>(i));
        return;
    }
    // Otherwise another runnable fragment gets its turn.
    if (warp.fragments.size() > 1)
        std::rotate(warp.fragments.begin(), warp.fragments.end() - 1, warp.fragments.end());
}

} // namespace lanescope::sim
