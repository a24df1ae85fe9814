// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/block_machine.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lanescope::sim {

namespace {

/// Atomics and volatile loads of a warp whose lanes wait at a join, after which the waiting lanes go on.
constexpr std::uint32_t kSpinLimit = 1000;
/// Instructions of one warp without a visible one, after which another warp gets the turn.
constexpr int kTurnLength = 4096;
constexpr std::size_t kMaxFrames = 4096;
/// Bytes per lane that recursion may use on top of the deepest non-recursive stack.
constexpr std::uint64_t kRecursionBytes = 16384;

LaneMask loadMask(const std::uint8_t* p) {
    LaneMask mask;
    std::memcpy(&mask, p, sizeof mask);
    return mask;
}

std::uint32_t laneValue32(const std::uint8_t* row, int lane) {
    std::uint32_t v;
    std::memcpy(&v, row + 4 * lane, sizeof v);
    return v;
}

std::uint64_t laneValue64(const std::uint8_t* row, int lane) {
    std::uint64_t v;
    std::memcpy(&v, row + 8 * lane, sizeof v);
    return v;
}

std::uint64_t nextRandom(std::uint64_t& state) { // xorshift64*, Vigna 2016
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1Dull;
}

} // namespace

void WriteJournal::record(std::uint32_t allocation, std::uint64_t offset, const std::uint8_t* old,
                          std::uint32_t bytes) {
    for (std::uint32_t at = 0; at < bytes; at += 8) {
        Entry entry{offset + at, allocation, std::min<std::uint32_t>(8, bytes - at), {}};
        std::memcpy(entry.old.data(), old + at, entry.bytes);
        m_entries.push_back(entry);
    }
}

void WriteJournal::undoTo(std::size_t position, GlobalMemory& memory) {
    while (m_entries.size() > position) {
        const Entry& e = m_entries.back();
        std::memcpy(memory.at(e.allocation).bytes.data() + e.offset, e.old.data(), e.bytes);
        m_entries.pop_back();
    }
}

BlockMachine::BlockMachine(const Launch& launch, Memory& memory, std::vector<EventSink*> sinks,
                           std::vector<InstructionCounts>* counters)
    : m_launch(launch), m_program(*launch.program), m_memory(memory), m_sinks(std::move(sinks)),
      m_counters(counters), m_chunksPerWarp((m_program.warpBytes + 63) / 64) {
    for (const EventSink* sink : m_sinks)
        m_wantsInstructions |= sink->wantsInstructions();
    m_privateStride = m_program.frameBytes + (m_program.hasRecursion ? kRecursionBytes : 0);
}

void BlockMachine::start(std::uint64_t linearBlock) {
    const auto warps = static_cast<std::uint32_t>(m_launch.warpsPerBlock());
    const std::uint64_t threads = m_launch.block.count();
    BlockState& s = m_state;
    s.block = linearBlock;
    s.rows.resize(warps * m_chunksPerWarp);
    std::memset(s.rows.data(), 0, s.rows.size() * sizeof(RowChunk));
    s.shared.assign(m_launch.sharedBytes(), 0);
    s.privateMemory.assign(std::uint64_t{warps} * kWarpSize * m_privateStride, 0);
    s.nth.assign(std::size_t{warps} * m_program.memoryOpCount, 0);
    s.barriers = {};
    s.turn = m_launch.schedule == Schedule::Reverse ? warps - 1 : 0;
    s.turnOpen = false;
    s.random = m_launch.seed * 0x9E3779B97F4A7C15ull + linearBlock + 1;
    s.aliveThreads = static_cast<std::uint32_t>(threads);
    s.stopped = false;
    s.locationClocks.clear();
    s.warps.resize(warps);
    const Dim3 block = m_launch.blockAt(linearBlock);
    const std::uint32_t smCount = std::max<std::uint32_t>(1, m_launch.limits.smCount);
    for (std::uint32_t w = 0; w < warps; ++w) {
        WarpState& warp = s.warps[w];
        const std::uint64_t first = std::uint64_t{w} * kWarpSize;
        const std::uint64_t count = std::min<std::uint64_t>(kWarpSize, threads - first);
        warp.launched = warp.alive = count == kWarpSize ? kFullMask : (LaneMask{1} << count) - 1;
        warp.joins.clear();
        warp.frames.assign(1, Frame{});
        warp.frames[0].used = true;
        warp.fragments.assign(1, Fragment{m_program.functions[0].entryPc, warp.launched, -1, 0,
                                          FragmentState::Runnable, 0});
        warp.carry = 0;
        warp.clock = warp.instructions = 0;
        warp.spins = 0;
        std::uint8_t* rows = rowsOf(w);
        for (const SpecialRow& special : m_program.specials)
            for (int lane = 0; lane < kWarpSize; ++lane) {
                const Dim3 t = m_launch.threadAt(w, lane);
                std::uint64_t v = 0;
                using ptx::Special;
                switch (special.special) {
                case Special::TidX: v = t.x; break;
                case Special::TidY: v = t.y; break;
                case Special::TidZ: v = t.z; break;
                case Special::NtidX: v = m_launch.block.x; break;
                case Special::NtidY: v = m_launch.block.y; break;
                case Special::NtidZ: v = m_launch.block.z; break;
                case Special::CtaidX: case Special::ClusterIdX: v = block.x; break;
                case Special::CtaidY: case Special::ClusterIdY: v = block.y; break;
                case Special::CtaidZ: case Special::ClusterIdZ: v = block.z; break;
                case Special::NctaidX: case Special::NclusterIdX: v = m_launch.grid.x; break;
                case Special::NctaidY: case Special::NclusterIdY: v = m_launch.grid.y; break;
                case Special::NctaidZ: case Special::NclusterIdZ: v = m_launch.grid.z; break;
                case Special::ClusterNctaidX: case Special::ClusterNctaidY: case Special::ClusterNctaidZ:
                case Special::ClusterNctarank: v = 1; break;
                case Special::LaneId: v = static_cast<unsigned>(lane); break;
                case Special::WarpId: v = w; break;
                case Special::NwarpId: v = warps; break;
                case Special::SmId: v = linearBlock % smCount; break;
                case Special::NsmId: v = smCount; break;
                case Special::LanemaskEq: v = 1u << lane; break;
                case Special::LanemaskLe: v = lane == 31 ? kFullMask : (2u << lane) - 1; break;
                case Special::LanemaskLt: v = (1u << lane) - 1; break;
                case Special::LanemaskGe: v = ~((1u << lane) - 1); break;
                case Special::LanemaskGt: v = lane == 31 ? 0 : ~((2u << lane) - 1); break;
                case Special::DynamicSmemSize: v = m_launch.dynamicSharedBytes; break;
                case Special::TotalSmemSize: case Special::AggrSmemSize: v = m_launch.sharedBytes(); break;
                default: break; // zero: clocks (filled when read), graph, environment and monitor registers
                }
                if (special.wide)
                    std::memcpy(rows + special.offset + 8 * lane, &v, 8);
                else
                    std::memcpy(rows + special.offset + 4 * lane, &v, 4);
            }
    }
    for (EventSink* sink : m_sinks)
        sink->beginBlock(static_cast<std::uint32_t>(linearBlock));
}

bool BlockMachine::pickWarp() {
    BlockState& s = m_state;
    const auto warps = static_cast<std::uint32_t>(s.warps.size());
    if (s.turnOpen && s.warps[s.turn].runnable())
        return true;
    if (m_launch.schedule == Schedule::Random) {
        const std::uint32_t from = static_cast<std::uint32_t>(nextRandom(s.random) % warps);
        for (std::uint32_t i = 0; i < warps; ++i)
            if (const std::uint32_t w = (from + i) % warps; s.warps[w].runnable()) {
                s.turn = w;
                return s.turnOpen = true;
            }
        return false;
    }
    // turn is the warp whose turn comes next, or the one that just lost it because it cannot go on.
    const bool reverse = m_launch.schedule == Schedule::Reverse;
    for (std::uint32_t i = 0; i < warps; ++i) {
        const std::uint32_t w = (s.turn + (reverse ? warps - i : i)) % warps;
        if (s.warps[w].runnable()) {
            s.turn = w;
            return s.turnOpen = true;
        }
    }
    return false;
}

std::size_t BlockMachine::pickFragment(WarpState& warp) {
    // The newest runnable one: like a stack of divergent paths.
    for (std::size_t i = warp.fragments.size(); i-- > 0;)
        if (warp.fragments[i].state == FragmentState::Runnable)
            return i;
    return 0;
}

bool BlockMachine::step() {
    while (!pickWarp()) {
        if (ended() || !resolveHang())
            return false;
    }
    const std::uint32_t w = m_state.turn;
    WarpState& warp = m_state.warps[w];
    if (warp.spins > kSpinLimit)
        releaseStarved(warp);
    const bool visible = execute(w, pickFragment(warp));
    if ((++warp.instructions % kTurnLength) == 0 || visible) {
        const auto warps = static_cast<std::uint32_t>(m_state.warps.size());
        m_state.turnOpen = false;
        m_state.turn = (w + (m_launch.schedule == Schedule::Reverse ? warps - 1 : 1)) % warps;
    }
    return true;
}

std::uint64_t BlockMachine::run(std::uint64_t budget, const std::atomic<bool>* cancel) {
    std::uint64_t done = 0;
    while (done < budget && !m_state.stopped && m_state.aliveThreads != 0) {
        if ((done & 0xffff) == 0 && cancel != nullptr && cancel->load(std::memory_order_relaxed))
            break;
        // A warp with one fragment runs plain lane instructions in a tight loop.
        if (m_state.turnOpen && !m_wantsInstructions) {
            const std::uint32_t w = m_state.turn;
            WarpState& warp = m_state.warps[w];
            if (warp.fragments.size() == 1 && warp.joins.empty() &&
                warp.fragments[0].state == FragmentState::Runnable) {
                std::uint8_t* rows = rowsOf(w);
                Fragment& f = warp.fragments[0];
                std::uint32_t pc = f.pc;
                const Op* ops = m_program.ops.data();
                const std::uint64_t limit =
                    std::min<std::uint64_t>(budget - done, kTurnLength - 1 - warp.instructions % kTurnLength);
                std::uint64_t n = 0;
                for (; n < limit; ++n) {
                    const Op& op = ops[pc];
                    LaneMask active = f.mask;
                    if (op.guard.valid())
                        active &= loadMask(rows + op.guard.offset()) ^ op.guardXor;
                    if (op.kind == OpKind::Lane && op.negatedSources == 0 && !op.readsClock) {
                        if (active != 0)
                            executeLane(op, w, active, warp.alive);
                        if (m_counters != nullptr) {
                            InstructionCounts& c = (*m_counters)[pc];
                            ++c.executions;
                            c.lanes += static_cast<unsigned>(laneCount(active));
                            c.predicatedOff += active == 0;
                        }
                        ++pc;
                    } else if (op.kind == OpKind::Branch && (active == 0 || active == f.mask)) {
                        if (m_counters != nullptr) {
                            InstructionCounts& c = (*m_counters)[pc];
                            ++c.executions;
                            // Lanes that do not take a branch execute it all the same: its guard is a condition.
                            c.lanes += static_cast<unsigned>(laneCount(f.mask));
                            c.predicatedOff += active == 0;
                        }
                        pc = active == 0 ? pc + 1 : op.target;
                    } else {
                        break;
                    }
                }
                f.pc = pc;
                warp.instructions += n;
                done += n;
                if (n == limit && n != 0)
                    continue;
            }
        }
        if (!step())
            break;
        ++done;
    }
    return done;
}

LaneMask BlockMachine::guarded(const Op& op, const std::uint8_t* rows, LaneMask mask) const {
    return op.guard.valid() ? mask & (loadMask(rows + op.guard.offset()) ^ op.guardXor) : mask;
}

inline void BlockMachine::executeLane(const Op& op, std::uint32_t warpIndex, LaneMask active, LaneMask alive) {
    std::uint8_t* rows = rowsOf(warpIndex);
    LaneArguments a;
    a.destination[0] = rows + op.destination[0].offset();
    if (op.destination[1].valid())
        a.destination[1] = rows + op.destination[1].offset();
    const std::uint8_t* constants = m_program.constants.data();
    LaneMask inverted[4];
    for (int i = 0; i < 4; ++i) {
        const RowRef ref = op.source[i];
        if (!ref.valid())
            break;
        a.source[i] = (ref.isConstant() ? constants : rows) + ref.offset();
        if ((op.negatedSources >> i & 1) != 0) {
            inverted[i] = ~loadMask(static_cast<const std::uint8_t*>(a.source[i]));
            a.source[i] = &inverted[i];
        }
    }
    a.carry = &m_state.warps[warpIndex].carry;
    a.alive = alive;
    op.function(a, active);
}

bool BlockMachine::execute(std::uint32_t warpIndex, std::size_t fragment) {
    WarpState& warp = m_state.warps[warpIndex];
    const Fragment f = warp.fragments[fragment];
    const std::uint32_t pc = f.pc;
    const Op& op = m_program.ops[pc];
    std::uint8_t* rows = rowsOf(warpIndex);
    const LaneMask active = guarded(op, rows, f.mask);
    m_flags = 0;
    if (op.visible && active != 0)
        ++warp.clock;

    bool counted = true; // the instruction completes now (a *.sync that waits is executed later)
    switch (op.kind) {
    case OpKind::Lane:
        if (op.readsClock)
            for (const SpecialRow& s : m_program.specials) {
                std::uint64_t now = warp.instructions;
                if (s.special == ptx::Special::ClockHi || s.special == ptx::Special::GlobalTimerHi)
                    now >>= 32;
                else if (s.special != ptx::Special::Clock && s.special != ptx::Special::Clock64 &&
                         s.special != ptx::Special::GlobalTimer && s.special != ptx::Special::GlobalTimerLo)
                    continue;
                for (int lane = 0; lane < kWarpSize; ++lane)
                    std::memcpy(rows + s.offset + (s.wide ? 8 : 4) * lane, &now, s.wide ? 8 : 4);
            }
        if (active != 0)
            executeLane(op, warpIndex, active, warp.alive);
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::WarpExchange:
    case OpKind::WarpSync:
        if (active == 0) {
            advance(warp, fragment, pc + 1);
            break;
        }
        counted = warpSync(warpIndex, fragment, op, active);
        break;
    case OpKind::Load:
    case OpKind::Store:
    case OpKind::Atomic:
        if (active != 0) {
            m_flags |= InstructionEvent::kMemory;
            const MemoryOp& memory = m_program.memory[op.target];
            if (op.kind == OpKind::Atomic || memory.ordering != ptx::Ordering::Weak)
                ++warp.spins;
            memoryAccess(op, warpIndex, pc, active, warp.frames[static_cast<std::size_t>(f.frame)].base);
        }
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::LoadParam:
        loadParameter(op, rows, active);
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::Branch:
        branch(warpIndex, fragment, op, active, op.target);
        break;
    case OpKind::BranchIndexed:
        branchIndexed(warpIndex, fragment, op, active);
        break;
    case OpKind::Call:
        call(warpIndex, fragment, op, active);
        break;
    case OpKind::Return:
        returnLanes(warpIndex, fragment, active);
        break;
    case OpKind::Exit:
        if (active != 0)
            exitLanes(warpIndex, fragment, active);
        else
            advance(warp, fragment, pc + 1);
        break;
    case OpKind::Trap:
        if (active != 0) {
            fault(FaultKind::Trap, warpIndex, pc, active);
            m_state.stopped = true;
        }
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::Barrier:
        if (active == 0) {
            advance(warp, fragment, pc + 1);
            break;
        }
        barrier(warpIndex, fragment, op, active);
        break;
    case OpKind::Fence:
        for (EventSink* sink : m_sinks)
            sink->fence(static_cast<std::uint32_t>(m_state.block), warpIndex, warp.clock,
                        static_cast<ptx::Scope>(op.target));
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::ToGeneric:
    case OpKind::FromGeneric:
    case OpKind::IsSpace:
        convertAddress(op, rows, active);
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::LocalAddress: {
        const std::uint32_t base = warp.frames[static_cast<std::size_t>(f.frame)].base;
        const bool wide = op.negatedSources != 0;
        const std::uint8_t* source = row(op.source[0], rows);
        std::uint8_t* to = rows + op.destination[0].offset();
        forEachLane(active, [&](int lane) {
            const std::uint64_t v = base + (wide ? laneValue64(source, lane) : laneValue32(source, lane));
            std::memcpy(to + (wide ? 8 : 4) * lane, &v, wide ? 8 : 4);
        });
        advance(warp, fragment, pc + 1);
        break;
    }
    case OpKind::Pack:
    case OpKind::Unpack:
        packUnpack(op, rows, active);
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::Nop:
        advance(warp, fragment, pc + 1);
        break;
    }

    if (counted) {
        if (m_counters != nullptr) {
            InstructionCounts& c = (*m_counters)[pc];
            ++c.executions;
            c.lanes += static_cast<unsigned>(laneCount(op.kind == OpKind::Branch ? f.mask : active));
            c.predicatedOff += active == 0;
            c.divergences += (m_flags & InstructionEvent::kDiverged) != 0;
        }
        if (m_wantsInstructions) {
            const InstructionEvent event{static_cast<std::uint32_t>(m_state.block), warpIndex, pc, active, m_flags};
            for (EventSink* sink : m_sinks)
                sink->instruction(event);
        }
    }
    // The threads that are left may be all that a barrier was waiting for.
    if ((m_flags & InstructionEvent::kExit) != 0)
        checkBarriers();
    return op.visible;
}

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

void BlockMachine::branch(std::uint32_t warpIndex, std::size_t fragment, const Op& op, LaneMask taken,
                          std::uint32_t target) {
    WarpState& warp = m_state.warps[warpIndex];
    const Fragment f = warp.fragments[fragment];
    if (taken == f.mask || taken == 0) {
        advance(warp, fragment, taken == 0 ? f.pc + 1 : target);
        return;
    }
    m_flags |= InstructionEvent::kDiverged;
    std::int32_t join = f.join;
    if (op.reconvergence != kNoReconvergence &&
        (join < 0 || warp.joins[static_cast<std::size_t>(join)].pc != op.reconvergence)) {
        join = newJoin(warp);
        Join& j = warp.joins[static_cast<std::size_t>(join)];
        j.pc = op.reconvergence;
        j.expected = f.mask;
        j.parent = f.join;
        j.frame = f.frame;
    }
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
    std::int32_t join = f.join;
    if (op.reconvergence != kNoReconvergence &&
        (join < 0 || warp.joins[static_cast<std::size_t>(join)].pc != op.reconvergence)) {
        join = newJoin(warp);
        Join& j = warp.joins[static_cast<std::size_t>(join)];
        j.pc = op.reconvergence;
        j.expected = f.mask;
        j.parent = f.join;
        j.frame = f.frame;
    }
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

void BlockMachine::warpSyncExecute(std::uint32_t warpIndex, std::uint32_t pc, LaneMask lanes) {
    WarpState& warp = m_state.warps[warpIndex];
    const Op& op = m_program.ops[pc];
    if (op.kind == OpKind::WarpExchange)
        executeLane(op, warpIndex, lanes, warp.alive);
    // Every fragment that stood here (or, for bar.warp.sync, at another one that these complete) goes on.
    for (std::size_t i = warp.fragments.size(); i-- > 0;) {
        if (i >= warp.fragments.size())
            continue;
        Fragment& f = warp.fragments[i];
        const bool waiting = f.state == FragmentState::AtWarpSync;
        if (f.pc == pc && (waiting || (f.mask & lanes) != 0) && f.state != FragmentState::AtBarrier) {
            f.state = FragmentState::Runnable;
            advance(warp, i, pc + 1);
        } else if (waiting) {
            f.state = FragmentState::Runnable; // looks again
        }
    }
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

void BlockMachine::packUnpack(const Op& op, std::uint8_t* rows, LaneMask active) {
    const MemoryOp& m = m_program.memory[op.target];
    const RowSlot* parts = &m_program.rowList[m.rows];
    const RowSlot& scalar = parts[m.count];
    const unsigned bits = 8u * m.elementBytes;
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const auto read = [&](const RowSlot& slot, int lane) {
        const std::uint8_t* r = row(slot.row, rows);
        return slot.wide ? laneValue64(r, lane) : laneValue32(r, lane);
    };
    const auto write = [&](const RowSlot& slot, int lane, std::uint64_t v) {
        if (slot.row.valid())
            std::memcpy(rows + slot.row.offset() + (slot.wide ? 8 : 4) * lane, &v, slot.wide ? 8 : 4);
    };
    forEachLane(active, [&](int lane) {
        if (op.kind == OpKind::Pack) {
            std::uint64_t v = 0;
            for (unsigned i = 0; i < m.count; ++i)
                v |= (read(parts[i], lane) & mask) << (i * bits);
            write(scalar, lane, v);
        } else {
            const std::uint64_t v = read(scalar, lane);
            for (unsigned i = 0; i < m.count; ++i)
                write(parts[i], lane, (v >> (i * bits)) & mask);
        }
    });
}

void BlockMachine::convertAddress(const Op& op, std::uint8_t* rows, LaneMask active) {
    const auto space = static_cast<ptx::Space>(op.target);
    const std::uint64_t window = space == ptx::Space::Shared  ? kSharedWindow
                                 : space == ptx::Space::Local ? kLocalWindow
                                 : space == ptx::Space::Param ? kParamWindow
                                                              : 0;
    const bool wide = op.negatedSources != 0;
    const std::uint8_t* source = row(op.source[0], rows);
    std::uint8_t* to = rows + op.destination[0].offset();
    LaneMask inside = 0;
    forEachLane(active, [&](int lane) {
        std::uint64_t v = wide ? laneValue64(source, lane) : laneValue32(source, lane);
        if (op.kind == OpKind::IsSpace) {
            const std::uint64_t in = v & kWindowMask;
            bool is = in == window;
            if (is && window == 0) { // .global or .const
                const int a = m_memory.global.find(v);
                const bool isConst = a >= 0 && m_memory.global.at(static_cast<std::size_t>(a)).kind == AllocationKind::Const;
                is = a >= 0 && isConst == (space == ptx::Space::Const);
            }
            inside |= is ? LaneMask{1} << lane : 0;
            return;
        }
        v = op.kind == OpKind::ToGeneric ? v + window : v - window;
        std::memcpy(to + (wide ? 8 : 4) * lane, &v, wide ? 8 : 4);
    });
    if (op.kind == OpKind::IsSpace) {
        const LaneMask merged = (loadMask(to) & ~active) | inside;
        std::memcpy(to, &merged, sizeof merged);
    }
}

void BlockMachine::fault(FaultKind kind, std::uint32_t warp, std::uint32_t pc, LaneMask lanes, LaneMask missing) {
    const FaultEvent event{kind, static_cast<std::uint32_t>(m_state.block), warp, pc, lanes, missing};
    for (EventSink* sink : m_sinks)
        sink->fault(event);
}

void BlockMachine::reportBudget() {
    for (std::uint32_t w = 0; w < m_state.warps.size(); ++w)
        if (const WarpState& warp = m_state.warps[w]; !warp.fragments.empty()) {
            const Fragment& f = warp.fragments[pickFragment(m_state.warps[w])];
            fault(FaultKind::Budget, w, f.pc, f.mask);
            return;
        }
}

} // namespace lanescope::sim
