// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/pipeline.h"

#include <algorithm>
#include <map>

namespace lanescope::timing {

namespace {

constexpr std::uint32_t kGranule = 16;         ///< bytes: the least that copies of tiles move at a time
constexpr std::size_t kMostTouches = 4'000'000;

/// Multiply-adds of one SM a cycle for products of these elements; 0: not described.
double tensorRate(const device::Device& device, tensor::Element element) {
    using enum tensor::Element;
    const char* key = element == F64 ? "tensor_f64"
                      : element == TF32 ? "tensor_tf32"
                      : element == BF16 ? "tensor_bf16"
                      : element == E4M3 || element == E5M2 ? "tensor_fp8"
                      : element == F16 ? "tensor_f16_accumulate_f32"
                                       : "tensor_int8";
    return device.value(key).value_or(0);
}

void extend(std::uint32_t& first, std::uint32_t& last, std::uint32_t begin, std::uint32_t end) {
    first = first == kNone ? begin : std::min(first, begin);
    last = last == kNone ? end : std::max(last, end);
}

/// What the copies of a warp belong to until something gathers them, and what the warp has gathered.
struct WarpGroups {
    std::vector<std::uint32_t> open;                 ///< tile of the group that is being filled, at most one
    std::vector<std::uint32_t> pending;              ///< tiles of groups that were committed and not waited for; kNone: without copies
    std::uint32_t number = 0;                        ///< of the group that is being filled
    std::uint32_t filled = 0;                        ///< tiles that the warp has copies in
};

/// Reads the pipeline off the timing of the traced block, warp by warp in program order: its events by number, so that copies, commits,
/// waits, reads and arithmetic meet.
class Reader {
public:
    Reader(const SmTiming& timing, const sim::Program& program, const ProgramTiming& instructions, const SharedTouches& touches, PipelineTiming& out)
        : m_timing(timing), m_program(program), m_instructions(instructions), m_out(out) {
        m_touchOf.assign(touches.touches.empty() ? 0 : touches.touches.back().event + 1, nullptr);
        for (const SharedTouches::Touch& touch : touches.touches)
            if (m_touchOf[touch.event] == nullptr)
                m_touchOf[touch.event] = &touch;
        for (std::uint32_t w = 0; w < timing.warps.size(); ++w) {
            if (timing.warps[w].slot != 0)
                continue;
            std::vector<std::uint32_t> mine = timing.warps[w].issues;
            std::sort(mine.begin(), mine.end(), [&](std::uint32_t a, std::uint32_t b) { return timing.issues[a].event < timing.issues[b].event; });
            m_warps.push_back(std::move(mine));
        }
    }

    void read() {
        for (std::size_t w = 0; w < m_warps.size(); ++w)
            fill(static_cast<std::uint32_t>(w));
        if (m_out.tiles.empty())
            return;
        number();
        findSlots();
        for (std::size_t w = 0; w < m_warps.size(); ++w)
            use(static_cast<std::uint32_t>(w));
        describeMbarriers();
        findProducer();
    }

private:
    const SmTiming& m_timing;
    const sim::Program& m_program;
    const ProgramTiming& m_instructions;
    PipelineTiming& m_out;
    std::vector<const SharedTouches::Touch*> m_touchOf; ///< by event
    std::vector<std::vector<std::uint32_t>> m_warps;    ///< issues in order of events
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> m_written; ///< by tile: granules
    std::map<std::uint32_t, std::uint32_t> m_slotOf;    ///< by granule
    std::map<std::uint32_t, std::uint32_t> m_tileOfPhase;
    std::vector<std::uint32_t> m_tileOfGroup;           ///< by how manieth group with copies of its warp
    std::uint32_t m_firstWarp = kNone;                  ///< the first that commits groups of copies

    const SharedTouches::Touch* touchAt(std::uint32_t event) const { return event < m_touchOf.size() ? m_touchOf[event] : nullptr; }

    std::uint32_t addTile(std::uint32_t warp) {
        PipelineTile fresh;
        fresh.tile = static_cast<std::uint32_t>(m_out.tiles.size());
        fresh.asked = kNone;
        fresh.warp = warp;
        m_out.tiles.push_back(fresh);
        m_written.emplace_back();
        return fresh.tile;
    }

    void addCopy(std::uint32_t tile, const Issue& issue, const SharedTouches::Touch& touch) {
        PipelineTile& to = m_out.tiles[tile];
        to.asked = std::min(to.asked, issue.cycle);
        to.landed = std::max(to.landed, issue.done);
        to.bytes += touch.bytes;
        m_written[tile].emplace_back(touch.first / kGranule, touch.last / kGranule);
    }

    std::uint32_t tileOfPhase(std::uint32_t phase, std::uint32_t warp) {
        const auto found = m_tileOfPhase.find(phase);
        if (found != m_tileOfPhase.end())
            return found->second;
        const std::uint32_t tile = addTile(warp);
        m_out.tiles[tile].group = m_timing.phases[phase].number;
        m_tileOfPhase.emplace(phase, tile);
        return tile;
    }

    /// The tile of the group that the warp fills: the n-th group with copies of every warp is the n-th tile.
    std::uint32_t tileOfGroup(WarpGroups& g, std::uint32_t warp) {
        if (g.open.empty()) {
            if (g.filled == m_tileOfGroup.size())
                m_tileOfGroup.push_back(addTile(warp));
            g.open.push_back(m_tileOfGroup[g.filled++]);
        }
        return g.open.front();
    }

    void fill(std::uint32_t warp) {
        WarpGroups g;
        const bool isTracked = tracksCopies(warp);
        std::vector<std::uint32_t> untracked; // copies (cp.async) that no mbarrier has been told of
        for (const std::uint32_t index : m_warps[warp]) {
            const Issue& issue = m_timing.issues[index];
            const InstructionTiming& t = m_instructions.instructions[issue.pc];
            const SharedTouches::Touch* touch = touchAt(issue.event);
            if (t.copies == CopyRole::Copy && touch != nullptr) {
                if (isTracked)
                    untracked.push_back(index);
                else
                    addCopy(tileOfGroup(g, warp), issue, *touch);
            }
            for (const AsyncTiming& use : m_timing.asyncOf(index)) {
                if (use.phase == kNone)
                    continue;
                if (use.what == AsyncUse::What::Copy && touch != nullptr) {
                    addCopy(tileOfPhase(use.phase, warp), issue, *touch);
                } else if (use.what == AsyncUse::What::TrackCopies) {
                    for (const std::uint32_t copy : untracked)
                        addCopy(tileOfPhase(use.phase, warp), m_timing.issues[copy], *touchAt(m_timing.issues[copy].event));
                    untracked.clear();
                }
            }
            followGroups(g, t, [&](std::uint32_t tile, std::uint32_t group) {
                if (m_firstWarp == kNone)
                    m_firstWarp = warp;
                if (warp == m_firstWarp) {
                    m_out.tiles[tile].group = group;
                    m_out.tiles[tile].committed = issue.cycle;
                    m_out.tiles[tile].commitPc = issue.pc;
                }
            }, [&](std::uint32_t tile) {
                if (warp == m_firstWarp) {
                    m_out.tiles[tile].waited = std::max(issue.done, issue.cycle);
                    m_out.tiles[tile].waitPc = issue.pc;
                    m_out.tiles[tile].pendingAtWait = t.copies == CopyRole::Wait ? t.copyGroups : 0;
                }
            });
        }
    }

    bool tracksCopies(std::uint32_t warp) const {
        return std::any_of(m_warps[warp].begin(), m_warps[warp].end(), [&](std::uint32_t i) { return m_program.ops[m_timing.issues[i].pc].kind == sim::OpKind::TrackCopies; });
    }

    /// Commits and waits of groups of copies: tells of each tile that is committed, with its group, and of each that has been waited for.
    template <typename Committed, typename Waited>
    static void followGroups(WarpGroups& g, const InstructionTiming& t, Committed committed, Waited waited) {
        if (t.copies == CopyRole::Commit || t.copies == CopyRole::WaitAll) {
            g.pending.push_back(g.open.empty() ? kNone : g.open.front());
            if (!g.open.empty())
                committed(g.open.front(), g.number);
            ++g.number;
            g.open.clear();
        }
        if (t.copies != CopyRole::Wait && t.copies != CopyRole::WaitAll)
            return;
        const std::size_t allowed = t.copies == CopyRole::Wait ? t.copyGroups : 0;
        while (g.pending.size() > allowed) {
            if (g.pending.front() != kNone)
                waited(g.pending.front());
            g.pending.erase(g.pending.begin());
        }
    }

    /// Tiles in the order in which they were asked for. A phase lands when its last byte has.
    void number() {
        std::vector<std::uint32_t> order(m_out.tiles.size());
        for (std::uint32_t i = 0; i < order.size(); ++i)
            order[i] = i;
        if (!m_tileOfPhase.empty())
            std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return m_out.tiles[a].asked < m_out.tiles[b].asked; });
        std::vector<PipelineTile> tiles;
        std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> written;
        std::vector<std::uint32_t> now(order.size());
        for (const std::uint32_t old : order) {
            now[old] = static_cast<std::uint32_t>(tiles.size());
            tiles.push_back(m_out.tiles[old]);
            tiles.back().tile = now[old];
            written.push_back(std::move(m_written[old]));
        }
        m_out.tiles = std::move(tiles);
        m_written = std::move(written);
        for (auto& [phase, tile] : m_tileOfPhase)
            tile = now[tile];
        for (std::uint32_t& tile : m_tileOfGroup)
            tile = now[tile];
    }

    /// Tiles that write the same bytes share a slot.
    void findSlots() {
        for (PipelineTile& tile : m_out.tiles) {
            tile.slot = kNone;
            for (const auto& [first, last] : m_written[tile.tile])
                for (std::uint32_t at = first; at <= last && tile.slot == kNone; ++at)
                    if (const auto owner = m_slotOf.find(at); owner != m_slotOf.end())
                        tile.slot = owner->second;
            if (tile.slot == kNone)
                tile.slot = m_out.slotCount++;
            for (const auto& [first, last] : m_written[tile.tile])
                for (std::uint32_t at = first; at <= last; ++at)
                    m_slotOf.emplace(at, tile.slot);
        }
    }

    /// Reads belong to the tile of their slot that the warp has last waited for.
    void use(std::uint32_t warp) {
        std::vector<std::uint32_t> latest(m_out.slotCount, kNone);
        std::uint32_t current = kNone;
        WarpGroups g;
        for (const std::uint32_t index : m_warps[warp]) {
            const Issue& issue = m_timing.issues[index];
            const InstructionTiming& t = m_instructions.instructions[issue.pc];
            const sim::OpKind kind = m_program.ops[issue.pc].kind;
            const SharedTouches::Touch* found = touchAt(issue.event);
            const auto waited = [&](std::uint32_t tile) { latest[m_out.tiles[tile].slot] = tile; };
            if (t.copies == CopyRole::Copy && found != nullptr && !m_tileOfGroup.empty())
                tileOfGroup(g, warp);
            followGroups(g, t, [](std::uint32_t, std::uint32_t) {}, waited);
            for (const AsyncTiming& use : m_timing.asyncOf(index))
                if (const auto tile = m_tileOfPhase.find(use.phase); use.what == AsyncUse::What::Wait && tile != m_tileOfPhase.end())
                    waited(tile->second);
            const bool isProduct = kind == sim::OpKind::MatrixProduct || kind == sim::OpKind::WarpgroupProduct;
            const std::uint32_t end = kind == sim::OpKind::WarpgroupProduct ? issue.done : issue.cycle + std::max<std::uint32_t>(1, t.pipeCycles);
            if (found != nullptr && !found->isCopy)
                if (const auto slot = m_slotOf.find(found->first / kGranule); slot != m_slotOf.end() && latest[slot->second] != kNone) {
                    current = latest[slot->second];
                    PipelineTile& tile = m_out.tiles[current];
                    extend(tile.firstRead, tile.lastRead, issue.cycle, issue.done);
                    extend(tile.computeBegin, tile.computeEnd, issue.cycle, issue.cycle + 1);
                }
            if (current != kNone && (isProduct || (!m_out.isTensor && m_timing.isArithmetic[issue.pc] != 0)))
                extend(m_out.tiles[current].computeBegin, m_out.tiles[current].computeEnd, issue.cycle, end);
        }
    }

    void describeMbarriers() {
        std::map<std::uint64_t, PipelineMbarrier> byAddress;
        std::map<std::uint32_t, PipelineMbarrier::Phase> phases;
        for (std::uint32_t i = 0; i < m_timing.phases.size(); ++i)
            if (m_timing.phases[i].slot == 0) {
                phases[i].number = m_timing.phases[i].number;
                phases[i].end = m_timing.phases[i].end;
            }
        for (std::uint32_t warp = 0; warp < m_warps.size(); ++warp) {
            std::uint32_t waitedFor = kNone; // phase of the last wait at an mbarrier
            for (const std::uint32_t index : m_warps[warp])
                for (const AsyncTiming& use : m_timing.asyncOf(index)) {
                    if (use.phase == kNone)
                        continue;
                    const Issue& issue = m_timing.issues[index];
                    const std::uint64_t address = m_timing.phases[use.phase].address;
                    if (address == sim::MbarrierEvent::kClusterBarrier)
                        continue;
                    PipelineMbarrier& barrier = byAddress[address];
                    const auto tile = m_tileOfPhase.find(use.phase);
                    PipelineTile* const t = tile == m_tileOfPhase.end() ? nullptr : &m_out.tiles[tile->second];
                    if (use.what == AsyncUse::What::Wait) {
                        phases[use.phase].waits.push_back({warp, issue.cycle, use.done, issue.pc});
                        waitedFor = use.phase;
                        if (t != nullptr && (t->waited == kNone || use.done < t->waited)) {
                            t->waited = use.done;
                            t->waitPc = issue.pc;
                        }
                        continue;
                    }
                    phases[use.phase].parts.push_back({use.done, use.bytes, warp});
                    if (t == nullptr)
                        continue;
                    barrier.countsBytes = true;
                    barrier.slot = t->slot;
                    if (use.what == AsyncUse::What::Copy && waitedFor != kNone && m_tileOfPhase.count(waitedFor) == 0)
                        byAddress[m_timing.phases[waitedFor].address].slot = t->slot;
                    if (use.what == AsyncUse::What::Arrive && t->committed == kNone) {
                        t->committed = issue.cycle;
                        t->commitPc = issue.pc;
                    }
                }
        }
        for (auto& [index, phase] : phases) {
            std::stable_sort(phase.parts.begin(), phase.parts.end(), [](const auto& a, const auto& b) { return a.cycle < b.cycle; });
            byAddress[m_timing.phases[index].address].phases.push_back(std::move(phase));
        }
        std::map<std::uint64_t, std::uint32_t> place;
        for (auto& [address, barrier] : byAddress) {
            if (barrier.slot == kNone)
                continue;
            barrier.address = address;
            barrier.name = mbarrierName(m_program, address);
            m_out.mbarriers.push_back(std::move(barrier));
        }
        std::stable_sort(m_out.mbarriers.begin(), m_out.mbarriers.end(),
                         [](const PipelineMbarrier& a, const PipelineMbarrier& b) { return a.countsBytes != b.countsBytes ? a.countsBytes : a.slot < b.slot; });
        for (std::uint32_t i = 0; i < m_out.mbarriers.size(); ++i)
            place[m_out.mbarriers[i].address] = i;
        for (const auto& [phase, tile] : m_tileOfPhase) {
            m_out.tiles[tile].mbarrier = place[m_timing.phases[phase].address];
            if (m_timing.phases[phase].end != kNone)
                m_out.tiles[tile].landed = m_timing.phases[phase].end;
        }
    }

    void findProducer() {
        const std::uint32_t warp = m_out.tiles.front().warp;
        if (m_tileOfPhase.empty() || std::any_of(m_out.tiles.begin(), m_out.tiles.end(), [&](const PipelineTile& t) { return t.warp != warp; }))
            return;
        for (const std::uint32_t index : m_warps[warp]) {
            const SharedTouches::Touch* touch = touchAt(m_timing.issues[index].event);
            if (touch != nullptr && !touch->isCopy)
                return;
        }
        m_out.producer = warp;
        for (const std::uint32_t index : m_warps[warp])
            if (const Issue& issue = m_timing.issues[index]; touchAt(issue.event) != nullptr) {
                m_out.askCycles.push_back(issue.cycle);
                m_out.askLength = m_instructions.instructions[issue.pc].latency;
            }
        std::sort(m_out.askCycles.begin(), m_out.askCycles.end());
    }
};

} // namespace

void TouchRecorder::access(const sim::AccessEvent& e) {
    if (e.space != ptx::Space::Shared || e.isMbarrier)
        return;
    const bool isCopy = (e.async || e.bulk) && e.kind == sim::AccessKind::Store, isRead = !e.async && !e.bulk && e.kind == sim::AccessKind::Load;
    const LaneMask active = e.active & ~e.outOfBounds;
    if ((!isCopy && !isRead) || active == 0)
        return;
    // An instruction's pieces together.
    if (m_open == m_out.touches.size() || m_out.touches.back().isCopy != isCopy) {
        if (m_out.touches.size() >= kMostTouches) {
            m_out.complete = false;
            return;
        }
        SharedTouches::Touch touch;
        touch.first = kNone;
        touch.warp = static_cast<std::uint16_t>(e.warp);
        touch.isCopy = isCopy;
        m_out.touches.push_back(touch);
    }
    SharedTouches::Touch& touch = m_out.touches.back();
    forEachLane(active, [&](int lane) {
        const auto address = static_cast<std::uint32_t>(e.addresses[lane]);
        extend(touch.first, touch.last, address, address + static_cast<std::uint32_t>(e.bytes) - 1);
        touch.bytes += static_cast<std::uint32_t>(e.bytes);
    });
}

void TouchRecorder::instruction(const sim::InstructionEvent&) {
    for (; m_open < m_out.touches.size(); ++m_open)
        m_out.touches[m_open].event = m_events;
    ++m_events;
}

PipelineTiming pipelineOf(const SmTiming& timing, const sim::Program& program, const ProgramTiming& instructions, const SharedTouches& touches, const device::Device& device) {
    PipelineTiming out;
    out.cycles = timing.cycles;
    double tensorCycles = 0;
    for (const Issue& issue : timing.issues) {
        const sim::OpKind kind = program.ops[issue.pc].kind;
        if (kind != sim::OpKind::MatrixProduct && kind != sim::OpKind::WarpgroupProduct)
            continue;
        const tensor::Product& product = program.tensors[program.ops[issue.pc].target].product;
        out.isTensor = true;
        if (const double rate = tensorRate(device, product.a); rate > 0)
            tensorCycles += static_cast<double>(product.shape.m) * product.shape.n * product.shape.k / rate;
    }
    out.busy = out.isTensor ? (timing.cycles > 0 ? std::min(1.0, tensorCycles / timing.cycles) : 0.0) : timing.pipeUtilisation(Pipe::Fma);
    if (std::any_of(touches.touches.begin(), touches.touches.end(), [](const auto& t) { return t.isCopy; }))
        Reader(timing, program, instructions, touches, out).read();
    return out;
}

PipelineMbarrier::State PipelineMbarrier::at(std::uint32_t cycle) const {
    State out;
    for (const Phase& phase : phases) {
        out = {};
        out.phase = phase.number;
        for (const Part& part : phase.parts) {
            (part.bytes != 0 ? out.expectedBytes : out.expectedArrivals) += part.bytes != 0 ? part.bytes : 1;
            if (part.cycle <= cycle)
                (part.bytes != 0 ? out.bytes : out.arrivals) += part.bytes != 0 ? part.bytes : 1;
        }
        for (const Wait& wait : phase.waits)
            if (wait.begin <= cycle && cycle < wait.end)
                out.waiting.push_back(wait.warp);
        if (phase.end == kNone || cycle < phase.end || !out.waiting.empty())
            return out;
    }
    // All phases that are known have ended: the next has begun.
    if (!phases.empty()) {
        out = {};
        out.phase = phases.back().number + 1;
    }
    return out;
}

std::vector<PipelineTiming::Slot> PipelineTiming::at(std::uint32_t cycle) const {
    std::vector<Slot> out(slotCount);
    for (const PipelineTile& tile : tiles) {
        if (tile.asked > cycle)
            continue;
        Slot& slot = out[tile.slot];
        slot.tile = tile.tile;
        if (cycle < tile.landed)
            slot = {SlotState::InFlight, tile.tile, tile.landed};
        else if (tile.firstRead == kNone || cycle < tile.firstRead)
            slot = {SlotState::Landed, tile.tile, tile.firstRead == kNone ? cycles : tile.firstRead};
        else if (cycle < std::max(tile.lastRead, tile.computeEnd))
            slot = {SlotState::InUse, tile.tile, std::max(tile.lastRead, tile.computeEnd)};
        else
            slot = {SlotState::Used, tile.tile, cycles};
    }
    return out;
}

std::uint32_t PipelineTiming::readSlot(std::uint32_t cycle) const {
    const std::vector<Slot> now = at(cycle);
    std::uint32_t found = kNone, oldest = kNone;
    for (std::uint32_t s = 0; s < now.size(); ++s)
        if ((now[s].state == SlotState::InUse || now[s].state == SlotState::Landed) && (oldest == kNone || now[s].tile < oldest)) {
            oldest = now[s].tile;
            found = s;
        }
    return found;
}

std::uint32_t PipelineTiming::writeSlot(std::uint32_t cycle) const {
    std::uint32_t found = kNone;
    for (const PipelineTile& tile : tiles)
        if (tile.asked <= cycle && cycle < tile.landed)
            found = tile.slot;
    return found;
}

} // namespace lanescope::timing
