// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/block_machine.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/sim/lane_rows.h"

namespace lanescope::sim {

namespace {

/// Atomics and volatile loads of a warp whose lanes wait at a join, after which the waiting lanes go on.
constexpr std::uint32_t kSpinLimit = 1000;
/// Instructions of one warp without a visible one, after which another warp gets the turn.
constexpr int kTurnLength = 4096;
/// Bytes per lane that recursion may use on top of the deepest non-recursive stack.
constexpr std::uint64_t kRecursionBytes = 16384;

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
    for (const TensorOp& t : m_program.tensors)
        m_multipliers.emplace_back(t.product, m_launch.limits.tensor);
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
    s.bulks.clear();
    s.arrivals.clear();
    s.mbarriers.clear();
    s.cluster = {};
    s.timeouts = 0;
    s.locationClocks.clear();
    s.openProducts.clear();
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
        warp.clock = warp.instructions = warp.copiesIssued = 0;
        warp.copies.clear();
        warp.commits.clear();
        warp.bulkGroups.clear();
        warp.bulkCommits.clear();
        warp.clusterGeneration = warp.polls = 0;
        warp.products.clear();
        warp.fragmentRegisters.assign(m_program.fragmentRegisterCount, {});
        warp.productsIssued = 0;
        warp.productGroups = warp.warpgroupFences = warp.fencePc = 0;
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
                case Special::IsExplicitCluster: v = m_program.entry().bounds.clusterX ? kFullMask : 0; break;
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
                    if (op.kind == OpKind::Lane && op.negatedSources == 0 && !op.readsClock && !op.usesFragments) {
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

    if (op.usesFragments && active != 0)
        useFragments(warpIndex, pc, active);
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
    case OpKind::Mbarrier:
        if (active != 0) {
            m_flags |= InstructionEvent::kMemory;
            counted = mbarrier(op, warpIndex, fragment, active, warp.frames[static_cast<std::size_t>(f.frame)].base);
        }
        if (counted)
            advance(warp, fragment, pc + 1);
        break;
    case OpKind::TrackCopies:
        if (active != 0) {
            m_flags |= InstructionEvent::kMemory;
            trackCopies(op, warpIndex, pc, active, warp.frames[static_cast<std::size_t>(f.frame)].base);
        }
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::CopyBulk:
        if (active != 0) {
            m_flags |= InstructionEvent::kMemory;
            copyBulk(op, warpIndex, pc, active, warp.frames[static_cast<std::size_t>(f.frame)].base);
        }
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::CommitBulk:
        commitBulk(warp, active);
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::WaitBulk:
        waitForBulk(warpIndex, active, op.target, op.negatedSources != 0);
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::ClusterArrive:
    case OpKind::ClusterWait:
        if (active != 0)
            counted = clusterBarrier(op, warpIndex, fragment, active);
        if (counted)
            advance(warp, fragment, pc + 1);
        break;
    case OpKind::ProxyFence:
        if (active != 0)
            for (EventSink* sink : m_sinks)
                sink->proxyFence(static_cast<std::uint32_t>(m_state.block), warpIndex, warp.clock);
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::MatrixProduct:
    case OpKind::TransposeFragment:
    case OpKind::FragmentMove:
        if (active != 0) {
            if (active != kFullMask)
                fault(FaultKind::PartialTensor, warpIndex, pc, active, ~active);
            if (op.isIdle) {
                // counted only
            } else if (op.kind == OpKind::MatrixProduct) {
                matrixProduct(op, warpIndex, active);
            } else if (op.kind == OpKind::TransposeFragment) {
                transposeFragment(op, warpIndex, active);
            } else {
                m_flags |= InstructionEvent::kMemory;
                fragmentMove(op, warpIndex, pc, active, warp.frames[static_cast<std::size_t>(f.frame)].base);
            }
        }
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::WarpgroupProduct:
        if (active != 0) {
            m_flags |= InstructionEvent::kMemory;
            if (active != kFullMask)
                fault(FaultKind::PartialTensor, warpIndex, pc, active, ~active);
            warpgroupProduct(op, warpIndex, pc, active);
        }
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::WarpgroupFence:
        ++warp.warpgroupFences;
        warp.fencePc = pc;
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::WarpgroupCommit:
        ++warp.productGroups;
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::WarpgroupWait:
        waitForProducts(warpIndex, op.target);
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
    case OpKind::CopyAsync:
        if (active != 0) {
            m_flags |= InstructionEvent::kMemory;
            copyAsync(op, warpIndex, pc, active, warp.frames[static_cast<std::size_t>(f.frame)].base);
        }
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::CommitCopies:
        commitCopies(warp, active);
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::WaitForCopies:
        waitForCopies(warpIndex, pc, active, op.target);
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::WaitForAllCopies: // the same as a commit and a wait for every group (PTX ISA, cp.async.wait_all)
        commitCopies(warp, active);
        waitForCopies(warpIndex, pc, active, 0);
        advance(warp, fragment, pc + 1);
        break;
    case OpKind::ToGeneric:
    case OpKind::FromGeneric:
    case OpKind::IsSpace:
    case OpKind::MapRank:
    case OpKind::RankOf:
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
    if ((m_flags & InstructionEvent::kExit) != 0) {
        checkBarriers();
        checkClusterBarrier();
        if (m_state.aliveThreads == 0)
            reportOpenProducts();
    }
    return op.visible;
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
        if (op.kind == OpKind::MapRank || op.kind == OpKind::RankOf) {
            // The rank is above the 24 bits of an address in a block's shared memory.
            const bool maps = op.kind == OpKind::MapRank;
            v = maps ? v + (std::uint64_t{laneValue32(row(op.source[1], rows), lane)} << kRankShift) : v >> kRankShift & kRankMask;
            std::memcpy(to + (maps && wide ? 8 : 4) * lane, &v, maps && wide ? 8 : 4);
            return;
        }
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

void BlockMachine::fault(FaultKind kind, std::uint32_t warp, std::uint32_t pc, LaneMask lanes, LaneMask missing, std::uint64_t value,
                         std::string_view name) {
    const FaultEvent event{kind, static_cast<std::uint32_t>(m_state.block), warp, pc, lanes, missing, value, name};
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
