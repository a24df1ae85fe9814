// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/sm.h"

#include <algorithm>

#include "engine/memory/access.h"
#include "engine/timing/sm_state.h"

namespace lanescope::timing {

namespace {

using namespace state;

class Sm {
public:
    Sm(const ProgramTiming& program, const Parameters& p, const SmInput& input)
        : m_program(program), m_p(p), m_input(input), m_path(p, input.l1Bytes, input.dramShare, input.busySms), m_schedulers(static_cast<std::size_t>(p.schedulers)) {
        m_codeLine.resize(program.instructions.size());
        std::uint32_t count = 0;
        for (std::size_t pc = 0; pc < program.instructions.size(); ++pc) {
            m_codeLine[pc] = count / static_cast<unsigned>(std::max(1, p.codeLineInstructions));
            count += program.instructions[pc].slotsUsed;
        }
        m_codeReady.assign(count / static_cast<unsigned>(std::max(1, p.codeLineInstructions)) + 1, kNever);
        for (Scheduler& s : m_schedulers) {
            s.mio.entries.resize(static_cast<std::size_t>(p.mioQueue));
            s.lg.entries.resize(static_cast<std::size_t>(p.lgQueue));
            s.wgmma.entries.resize(static_cast<std::size_t>(p.wgmmaQueue));
        }
        std::uint64_t records = 0;
        for (std::size_t b = 0; b < input.blocks.size(); ++b) {
            const BlockStream& stream = *input.blocks[b];
            m_out.complete = m_out.complete && stream.complete;
            m_barriers.emplace_back(stream.barrierArrivals.size());
            m_firstPhase.push_back(static_cast<std::uint32_t>(m_phases.size()));
            for (const MbarrierPhase& phase : stream.phases) {
                m_phases.push_back({phase.uses, {}});
                m_out.phases.push_back({static_cast<std::uint32_t>(b), phase.address, phase.number, kNone, kNone});
            }
            for (std::size_t w = 0; w < stream.warps.size(); ++w)
                addWarp(stream, b, w);
            records += stream.events;
        }
        m_out.issues.reserve(records);
        m_out.issueOfEvent.assign(input.blocks.empty() ? 0 : input.blocks.front()->events, kNone);
    }

    SmTiming run() {
        for (std::uint32_t w = 0; w < m_warps.size(); ++w)
            prepare(w);
        for (Scheduler& s : m_schedulers)
            choose(s);
        std::uint32_t issued = 0;
        for (;;) {
            Scheduler* first = nullptr;
            for (Scheduler& s : m_schedulers)
                if (s.candidate != kNever && (first == nullptr || s.candidate < first->candidate))
                    first = &s;
            if (first == nullptr)
                break;
            if ((++issued & 0x3fff) == 0 && m_input.cancel != nullptr && m_input.cancel->load(std::memory_order_relaxed)) {
                m_out.complete = false;
                break;
            }
            // Shared stages may have filled since the choice was made: then choose again.
            const Cycle was = first->candidate;
            choose(*first);
            if (first->candidate == was)
                issue(*first);
        }
        finish();
        return std::move(m_out);
    }

private:
    const ProgramTiming& m_program;
    const Parameters& m_p;
    const SmInput& m_input;
    SmTiming m_out;
    MemoryPath m_path;
    std::vector<Warp> m_warps;
    std::vector<std::uint32_t> m_position; ///< of a warp in its scheduler
    std::vector<Scheduler> m_schedulers;
    std::vector<std::vector<BarrierInstance>> m_barriers; ///< by block
    std::vector<Phase> m_phases;              ///< of all blocks, as SmTiming::phases
    std::vector<std::uint32_t> m_firstPhase;  ///< by block
    std::vector<std::uint32_t> m_codeLine;
    std::vector<Cycle> m_codeReady;
    Cycle m_constantsReady = kNever;
    std::uint32_t m_firstCodeLine = kNone; ///< the first that was fetched
    Cycle m_dataFree = 0, m_barrierFree = 0;

    void addWarp(const BlockStream& stream, std::size_t slot, std::size_t warp) {
        const auto index = static_cast<std::uint32_t>(m_warps.size());
        const auto scheduler = index % m_schedulers.size();
        Warp& w = m_warps.emplace_back();
        w.next = stream.warps[warp].data();
        w.end = w.next + stream.warps[warp].size();
        w.stream = &stream;
        w.slot = static_cast<std::uint32_t>(slot);
        w.registers.resize(static_cast<std::size_t>(m_program.registerCount) + 1);
        Scheduler& s = m_schedulers[scheduler];
        m_position.push_back(static_cast<std::uint32_t>(s.warps.size()));
        s.warps.push_back(index);
        s.ready.push_back(kNever);
        s.pipe.push_back(0);
        WarpTiming& t = m_out.warps.emplace_back();
        t.slot = static_cast<std::uint32_t>(slot);
        t.block = stream.block;
        t.warp = static_cast<std::uint32_t>(warp);
        t.scheduler = static_cast<int>(scheduler);
        t.issues.reserve(stream.warps[warp].size());
    }

    Scheduler& schedulerOf(std::uint32_t w) { return m_schedulers[w % m_schedulers.size()]; }

    /// Operands of an instruction: when the last is there, and what it comes from.
    Source operands(const Warp& w, const InstructionTiming& t, Cycle from, Source begin) const {
        Source last = begin;
        last.ready = from;
        const std::uint16_t* r = m_program.registers.data() + t.registers;
        const bool isProduct = t.copies == CopyRole::Product; // products follow each other into the same sums without a wait
        for (int i = 0, n = t.reads + t.writes; i < n; ++i)
            if (w.registers[r[i]].ready > last.ready && !(isProduct && w.registers[r[i]].state == WarpState::Products))
                last = w.registers[r[i]];
        return last;
    }

    void record(std::uint32_t warp, const Record& r, const Issue& issue) {
        const auto index = static_cast<std::uint32_t>(m_out.issues.size());
        m_out.issues.push_back(issue);
        m_out.warps[warp].issues.push_back(index);
        if (m_warps[warp].slot == 0)
            m_out.issueOfEvent[r.event] = index;
    }

    /// Finds when the warp's next instruction can go. What ptxas leaves no instruction of is passed over.
    void prepare(std::uint32_t index) {
        Warp& w = m_warps[index];
        Scheduler& s = schedulerOf(index);
        const std::uint32_t position = m_position[index];
        while (w.next != w.end) {
            const InstructionTiming& t = m_program.instructions[w.next->pc];
            if (t.pipe != Pipe::None && w.next->detail != Record::kPassedOver) {
                Source cause = operands(w, t, w.earliest, w.hold);
                fetchCode(w, cause);
                w.ready = cause.ready;
                w.cause = cause;
                s.ready[position] = w.ready;
                s.pipe[position] = static_cast<std::uint8_t>(t.pipe);
                return;
            }
            // Its readers wait for what it was made of.
            Source passed = operands(w, t, 0, {});
            if (t.usesConstants)
                constant(w, passed);
            for (const std::uint16_t r : m_program.writes(t))
                w.registers[r] = passed;
            Issue i;
            i.warp = index;
            i.pc = w.next->pc;
            i.event = w.next->event;
            i.cycle = i.ready = i.free = i.done = w.previous;
            i.slotsUsed = 0;
            record(index, *w.next, i);
            ++w.next;
        }
        s.ready[position] = kNever;
        m_out.warps[index].end = std::max(w.previous, w.stores);
    }

    void constant(const Warp& w, Source& s) {
        if (m_p.firstConstantCycles == 0)
            return;
        if (m_constantsReady == kNever)
            m_constantsReady = w.previous + static_cast<Cycle>(m_p.firstConstantCycles);
        if (m_constantsReady > s.ready)
            s = {m_constantsReady, kNone, WarpState::ConstantMiss};
    }

    /// The first warp that comes to a line of code waits for it when its operands are there; the others find it, or it is under way.
    void fetchCode(const Warp& w, Source& cause) {
        Cycle& ready = m_codeReady[m_codeLine[w.next->pc]];
        const std::uint32_t line = m_codeLine[w.next->pc];
        if (m_firstCodeLine == kNone)
            m_firstCodeLine = line;
        const Cycle own = cause.ready + static_cast<Cycle>(line == m_firstCodeLine ? m_p.firstCodeCycles : m_p.codeLineCycles);
        ready = std::min(ready, own); // a warp whose operands are there sooner has it fetched sooner
        if (ready <= cause.ready)
            return;
        // A wait has one reason: the longer part's.
        if (ready - cause.ready > cause.ready - std::min(cause.ready, w.previous))
            cause = {ready, kNone, WarpState::NoInstruction};
        else
            cause.ready = ready;
    }

    /// The warp that issues next and when: of those that can soonest the one that could before the others, then the oldest.
    void choose(Scheduler& s) {
        s.candidate = kNever;
        s.chosen = -1;
        s.available[static_cast<std::size_t>(Pipe::Global)] = std::max(s.lg.oldest().free, lsuAllows());
        Cycle waiting = kNever;
        const auto count = static_cast<int>(s.warps.size());
        for (int i = 0; i < count; ++i) {
            const auto u = static_cast<std::size_t>(i);
            const Cycle ready = s.ready[u];
            if (ready == kNever)
                continue;
            const Cycle at = std::max({ready, s.available[s.pipe[u]], s.free});
            if (at < s.candidate || (at == s.candidate && ready < waiting)) {
                s.candidate = at;
                waiting = ready;
                s.chosen = i;
            }
        }
    }

    Cycle lsuAllows() const { return static_cast<Cycle>(m_path.backPressure()); }

    void hold(Unit& unit, Cycle from, int cycles, std::uint32_t issue, Pipe pipe) {
        unit.free = std::max(unit.free, from) + static_cast<Cycle>(cycles);
        unit.occupant = issue;
        m_out.pipeBusy[static_cast<std::size_t>(pipe)] += static_cast<std::uint64_t>(cycles);
    }

    void publishPipes(Scheduler& s) {
        const auto set = [&](Pipe pipe, Cycle free) { s.available[static_cast<std::size_t>(pipe)] = free; };
        set(Pipe::Fma, m_p.fmaPipes > 1 ? std::min(s.fma[0].free, s.fma[1].free) : s.fma[0].free);
        set(Pipe::Multiply, s.fma[0].free);
        set(Pipe::Alu, s.alu.free);
        set(Pipe::Add, std::min(s.alu.free, s.fma[0].free));
        set(Pipe::Fp64, s.fp64.free);
        set(Pipe::Special, s.special.free);
        set(Pipe::Convert, s.special.free);
        set(Pipe::Index, s.index.free);
        set(Pipe::Branch, s.branch.free);
        set(Pipe::Tensor, s.tensor.free);
        set(Pipe::Warpgroup, s.wgmma.oldest().free);
        set(Pipe::Shared, s.mio.oldest().free);
        set(Pipe::Exchange, s.mio.oldest().free);
        set(Pipe::Global, s.lg.oldest().free);
    }

    const Unit* unitOf(const Scheduler& s, Pipe pipe) const {
        switch (pipe) {
        case Pipe::Fma: return m_p.fmaPipes > 1 && s.fma[1].free < s.fma[0].free ? &s.fma[1] : &s.fma[0];
        case Pipe::Multiply: return &s.fma[0];
        case Pipe::Alu: return &s.alu;
        case Pipe::Add: return s.alu.free <= s.fma[0].free ? &s.alu : &s.fma[0];
        case Pipe::Fp64: return &s.fp64;
        case Pipe::Special:
        case Pipe::Convert: return &s.special;
        case Pipe::Index: return &s.index;
        case Pipe::Branch: return &s.branch;
        case Pipe::Tensor: return &s.tensor;
        case Pipe::Warpgroup: return &s.wgmma.oldest();
        case Pipe::Shared:
        case Pipe::Exchange: return &s.mio.oldest();
        case Pipe::Global: return &s.lg.oldest();
        case Pipe::None:
        case Pipe::Barrier:
        case Pipe::Fence:
        case Pipe::Copy:
        case Pipe::Mbarrier:
        case Pipe::Other: return nullptr;
        }
        return nullptr;
    }

    void issue(Scheduler& s) {
        const std::uint32_t index = s.warps[static_cast<std::size_t>(s.chosen)];
        Warp& w = m_warps[index];
        const Record r = *w.next;
        const InstructionTiming& t = m_program.instructions[r.pc];
        const Cycle now = s.candidate;
        const auto number = static_cast<std::uint32_t>(m_out.issues.size());
        Issue out;
        out.warp = index;
        out.pc = r.pc;
        out.event = r.event;
        out.cycle = now;
        out.slotsUsed = t.slotsUsed;
        out.ready = std::max(w.ready, w.previous);
        out.waiting = w.cause.state;
        out.cause = w.cause.producer;
        out.free = std::clamp(s.available[static_cast<std::size_t>(t.pipe)], out.ready, now);
        if (out.free > out.ready) {
            out.throttle = throttleOf(t.pipe);
            if (const Unit* unit = unitOf(s, t.pipe))
                out.occupant = unit->occupant;
        }
        w.previous = w.earliest = now + t.slotsUsed;
        w.hold = {0, kNone, WarpState::Wait};
        s.free = now + t.slotsUsed;
        m_out.issueSlots += t.slotsUsed;

        Cycle done = now + t.latency;
        switch (t.pipe) {
        case Pipe::Fma: hold(m_p.fmaPipes > 1 && s.fma[1].free < s.fma[0].free ? s.fma[1] : s.fma[0], now, t.pipeCycles, number, t.pipe); break;
        case Pipe::Multiply: hold(s.fma[0], now, t.pipeCycles, number, t.pipe); break;
        case Pipe::Alu: hold(s.alu, now, t.pipeCycles * t.slotsUsed, number, t.pipe); break;
        case Pipe::Add:
            for (int i = 0; i < t.slotsUsed; ++i)
                hold(s.alu.free <= s.fma[0].free ? s.alu : s.fma[0], now, t.pipeCycles, number, t.pipe);
            break;
        case Pipe::Fp64: hold(s.fp64, now, t.pipeCycles, number, t.pipe); break;
        case Pipe::Special:
        case Pipe::Convert: hold(s.special, now, t.pipeCycles, number, t.pipe); break;
        case Pipe::Index: hold(s.index, now, t.pipeCycles, number, t.pipe); break;
        case Pipe::Branch: hold(s.branch, now, 1, number, t.pipe); break;
        case Pipe::Tensor: hold(s.tensor, now, t.pipeCycles, number, t.pipe); break;
        case Pipe::Warpgroup:
            done = std::max(now, s.tensor.free) + t.latency;
            hold(s.tensor, now, t.pipeCycles, number, Pipe::Tensor);
            s.wgmma.push(s.tensor.free, number);
            break;
        case Pipe::Copy:
            w.earliest = now + t.latency;
            w.hold = {w.earliest, number, WarpState::Wait};
            break;
        case Pipe::Shared:
        case Pipe::Exchange:
        case Pipe::Global: done = memory(s, w, t, r, now, number, out); break;
        case Pipe::Barrier: break;
        case Pipe::Fence:
            done = std::max(done, w.stores);
            w.earliest = done;
            w.hold = {done, number, WarpState::Membar};
            break;
        case Pipe::None:
        case Pipe::Mbarrier:
        case Pipe::Other: break;
        }
        const bool isAsync = (t.pipe == Pipe::Copy || t.pipe == Pipe::Mbarrier) && r.detail != kNone;
        if (isAsync)
            done = startAsync(w, r.detail, now, done, number, out);
        out.done = done;
        copyGroups(w, t, now, done, number);
        for (const std::uint16_t reg : m_program.writes(t))
            w.registers[reg] = {done, number, scoreboardOf(t.pipe)};
        if (t.isControl && w.next + 1 != w.end && (w.next + 1)->pc != r.pc + 1) { // taken
            w.earliest = now + t.latency;
            w.hold = {w.earliest, number, WarpState::BranchResolving};
        }
        record(index, r, out);
        publishPipes(s);
        ++w.next;
        if (t.pipe == Pipe::Barrier && r.detail != kNone)
            arrive(index, r.detail, now, number);
        else if (!isAsync || !takePart(index, r.detail, now, number))
            prepare(index);
        choose(s);
    }

    /// Groups of asynchronous copies, of wgmma and of bulk copies from shared memory: a wait holds the warp until all but the newest that
    /// it allows have arrived.
    void copyGroups(Warp& w, const InstructionTiming& t, Cycle now, Cycle done, std::uint32_t number) {
        const auto commit = [](Source& open, std::vector<Source>& groups) {
            groups.push_back(open);
            open = {};
        };
        const auto wait = [&](std::vector<Source>& groups) {
            while (groups.size() > t.copyGroups) {
                if (groups.front().ready > std::max(now, w.hold.ready)) {
                    w.hold = groups.front();
                    w.earliest = std::max(w.earliest, w.hold.ready);
                }
                groups.erase(groups.begin());
            }
        };
        switch (t.copies) {
        case CopyRole::None: break;
        case CopyRole::Copy:
            if (done > w.copies.ready)
                w.copies = {done, number, WarpState::LongScoreboard};
            if (done > w.everyCopy.ready)
                w.everyCopy = {done, number, WarpState::LongScoreboard};
            break;
        case CopyRole::Product:
            if (done > w.products.ready)
                w.products = {done, number, WarpState::Products};
            break;
        case CopyRole::Commit: commit(w.copies, w.groups); break;
        case CopyRole::CommitProducts: commit(w.products, w.productGroups); break;
        case CopyRole::CommitBulk:
            commit(w.bulk, w.bulkGroups);
            commit(w.bulkRead, w.bulkReadGroups);
            break;
        case CopyRole::WaitAll: commit(w.copies, w.groups); [[fallthrough]];
        case CopyRole::Wait: wait(w.groups); break;
        case CopyRole::WaitForProducts: wait(w.productGroups); break;
        case CopyRole::WaitForBulk: wait(w.bulkGroups); break;
        case CopyRole::WaitForBulkRead: wait(w.bulkReadGroups); break;
        }
    }

    /// The bulk copies that an instruction asks for. Returns when the last of them, or what else the instruction does, is done.
    Cycle startAsync(Warp& w, std::uint32_t first, Cycle now, Cycle done, std::uint32_t number, Issue& out) {
        Cycle last = done;
        for (const AsyncUse* use = &w.stream->asyncUses[first];; ++use) {
            Cycle end = done;
            if (use->what == AsyncUse::What::Copy) {
                const MemoryPath::Arrival arrival = m_path.copy(*w.stream, *use, now);
                end = static_cast<Cycle>(arrival.cycle);
                out.level = std::max(out.level, arrival.level);
            } else if (use->what == AsyncUse::What::Store) {
                end = static_cast<Cycle>(m_path.copyOut(*w.stream, *use, now));
                const Cycle read = now + static_cast<Cycle>(m_p.bulkCopyLatency + m_p.shared) + static_cast<Cycle>(use->bytes / memory::kLineBytes);
                if (read > w.bulkRead.ready)
                    w.bulkRead = {read, number, WarpState::LongScoreboard};
                if (end > w.bulk.ready)
                    w.bulk = {end, number, WarpState::LongScoreboard};
                out.level = Level::L2;
                w.stores = std::max(w.stores, end);
            } else if (use->what == AsyncUse::What::TrackCopies) {
                end = std::max(done, w.everyCopy.ready);
            }
            const std::uint32_t phase = use->phase == kNone ? kNone : m_firstPhase[w.slot] + use->phase;
            m_out.async.push_back({number, use->what, phase, use->bytes, end});
            last = std::max(last, end);
            if (use->isLast)
                return last;
        }
    }

    /// Brings what the instruction just issued adds to phases of mbarriers, or has the warp wait for their ends. True when the warp waits
    /// for a phase that has not all of its arrivals yet.
    bool takePart(std::uint32_t index, std::uint32_t first, Cycle now, std::uint32_t number) {
        Warp& w = m_warps[index];
        bool waits = false;
        auto entry = static_cast<std::uint32_t>(m_out.async.size());
        while (entry > 0 && m_out.async[entry - 1].issue == number)
            --entry;
        for (const AsyncUse* use = &w.stream->asyncUses[first];; ++use, ++entry) {
            const AsyncTiming timing = m_out.async[entry];
            if (timing.phase != kNone && use->what == AsyncUse::What::Wait) {
                if (m_phases[timing.phase].left != 0) {
                    m_phases[timing.phase].waiting.emplace_back(index, entry);
                    schedulerOf(index).ready[m_position[index]] = kNever;
                    waits = true;
                } else {
                    wake(w, entry, now);
                }
            } else if (timing.phase != kNone) {
                // Of copies that are tracked it is the copy that comes last, not the instruction that has them tracked.
                const bool isCopy = use->what == AsyncUse::What::TrackCopies && timing.done == w.everyCopy.ready;
                bring(timing.phase, timing.done, isCopy ? w.everyCopy.producer : number);
            }
            if (use->isLast)
                return waits;
        }
    }

    /// A warp's wait for a phase that has all of its arrivals: it goes on when the last has come.
    void wake(Warp& w, std::uint32_t entry, Cycle now) {
        AsyncTiming& wait = m_out.async[entry];
        const PhaseTiming& phase = m_out.phases[wait.phase];
        const Cycle woken = phase.end > now ? phase.end + static_cast<Cycle>(m_p.mbarrierWake) : 0;
        if (woken <= wait.done)
            return;
        wait.done = woken;
        m_out.issues[wait.issue].done = std::max(m_out.issues[wait.issue].done, woken);
        if (woken > w.earliest) {
            w.earliest = woken;
            w.hold = {woken, phase.last, WarpState::Mbarrier};
        }
    }

    void bring(std::uint32_t index, Cycle done, std::uint32_t number) {
        Phase& phase = m_phases[index];
        PhaseTiming& timing = m_out.phases[index];
        if (timing.end == kNone || done > timing.end) {
            timing.end = done;
            timing.last = number;
        }
        if (phase.left == 0 || --phase.left != 0)
            return;
        for (const auto& [waiting, entry] : phase.waiting) {
            wake(m_warps[waiting], entry, m_out.issues[m_out.async[entry].issue].cycle);
            prepare(waiting);
            choose(schedulerOf(waiting));
        }
        phase.waiting.clear();
    }

    /// Load/store unit: the queue's head goes through the sub-partition's port to the stage that all share. Returns when the result
    /// is there.
    Cycle memory(Scheduler& s, Warp& w, const InstructionTiming& t, const Record& r, Cycle now, std::uint32_t number, Issue& out) {
        int wavefronts = 1;
        if (t.pipe != Pipe::Exchange) {
            wavefronts = 0;
            if (r.detail != kNone)
                for (const Access* a = &w.stream->accesses[r.detail];; ++a) {
                    wavefronts += a->wavefronts;
                    if (a->isLast)
                        break;
                }
        }
        // All four ports together give the shared stage more than it takes; what is queued there goes in order of issue.
        const Cycle shared = std::max(m_dataFree, now);
        const int portCycles = wavefronts == 0 ? 1 : std::max(m_p.lsuPortCycles, m_p.lsuPortWavefrontCycles * wavefronts);
        const Cycle start = std::max({now, s.port.free, shared});
        s.port.free = start + static_cast<Cycle>(portCycles);
        s.port.occupant = number;
        m_dataFree = shared + static_cast<Cycle>(wavefronts);
        m_out.dataStageBusy += static_cast<std::uint64_t>(wavefronts);
        m_out.pipeBusy[static_cast<std::size_t>(t.pipe)] += static_cast<std::uint64_t>(portCycles);
        (t.pipe == Pipe::Global ? s.lg : s.mio).push(start, number);
        const Cycle extra = static_cast<Cycle>(m_p.lsuPortWavefrontCycles * std::max(0, wavefronts - 1));
        Cycle done = start + t.latency + extra;
        if (t.pipe == Pipe::Shared && wavefronts != 0)
            out.level = Level::Shared;
        if (t.pipe != Pipe::Global || r.detail == kNone)
            return done;
        for (const Access* a = &w.stream->accesses[r.detail];; ++a) {
            if (a->isShared) {
                out.level = std::max(out.level, Level::Shared);
            } else if (a->wavefronts != 0) {
                if (t.isLoad) {
                    const MemoryPath::Arrival arrival = m_path.load(*w.stream, *a, start);
                    done = std::max(done, static_cast<Cycle>(arrival.cycle) + t.latency + (arrival.level == Level::L1 ? extra : 0));
                    out.level = std::max(out.level, arrival.level);
                } else {
                    m_path.store(*w.stream, *a, start);
                    w.stores = std::max(w.stores, start + static_cast<Cycle>(wavefronts) + static_cast<Cycle>(m_p.l1));
                    out.level = std::max(out.level, Level::L2);
                }
            }
            if (a->isLast)
                break;
        }
        return done;
    }

    void arrive(std::uint32_t index, std::uint32_t detail, Cycle now, std::uint32_t number) {
        Warp& w = m_warps[index];
        BarrierInstance& b = m_barriers[w.slot][detail & ~Record::kArriveOnly];
        const Cycle at = std::max(now, m_barrierFree);
        m_barrierFree = at + static_cast<Cycle>(m_p.barrierArrival);
        ++b.arrived;
        b.arrivals.push_back(number);
        if ((detail & Record::kArriveOnly) == 0) {
            b.waiting.push_back(index);
            w.atBarrier = true;
            schedulerOf(index).ready[m_position[index]] = kNever;
        } else {
            prepare(index);
        }
        if (b.arrived < w.stream->barrierArrivals[detail & ~Record::kArriveOnly])
            return;
        const Cycle released = m_barrierFree + static_cast<Cycle>(m_p.barrier);
        for (const std::uint32_t arrival : b.arrivals)
            m_out.issues[arrival].done = released;
        for (const std::uint32_t waiting : b.waiting) {
            Warp& other = m_warps[waiting];
            other.atBarrier = false;
            other.earliest = std::max(other.earliest, released);
            other.hold = {released, number, WarpState::Barrier};
            prepare(waiting);
            if (&schedulerOf(waiting) != &schedulerOf(index))
                choose(schedulerOf(waiting));
        }
    }

    void finish() {
        m_out.resident = static_cast<std::uint32_t>(m_input.blocks.size());
        m_out.warpsPerBlock = m_input.blocks.empty() ? 0 : static_cast<std::uint32_t>(m_input.blocks.front()->warps.size());
        m_out.schedulers = static_cast<int>(m_schedulers.size());
        m_out.traffic = m_path.traffic();
        for (std::size_t w = 0; w < m_warps.size(); ++w) {
            WarpTiming& t = m_out.warps[w];
            if (!t.issues.empty() && t.end == 0) // cut or cancelled
                t.end = m_warps[w].previous;
            m_out.cycles = std::max(m_out.cycles, t.end);
            m_out.complete = m_out.complete && m_warps[w].next == m_warps[w].end; // else it waits for what was not recorded
        }
        for (const InstructionTiming& t : m_program.instructions)
            m_out.isArithmetic.push_back(t.pipe == Pipe::Fma || t.pipe == Pipe::Fp64);
        const int units = static_cast<int>(m_schedulers.size());
        m_out.pipeUnits.fill(units);
        m_out.pipeUnits[static_cast<std::size_t>(Pipe::Fma)] = units * m_p.fmaPipes;
        m_out.pipeUnits[static_cast<std::size_t>(Pipe::Add)] = units * 2;
        for (std::size_t i = 0; i < m_phases.size(); ++i) // not all of it was recorded
            if (m_phases[i].left != 0)
                m_out.phases[i].end = kNone;
        for (std::uint32_t w = 0; w < m_out.warps.size(); ++w)
            for (const Interval& i : m_out.intervals(w))
                m_out.stateCycles[static_cast<std::size_t>(i.state)] += i.end - i.begin;
    }
};

} // namespace

SmTiming timeSm(const ProgramTiming& program, const Parameters& parameters, const SmInput& input) {
    return Sm(program, parameters, input).run();
}

std::int64_t l1BytesBeside(const device::Limits& limits, std::int64_t sharedBytes, int resident) {
    const std::int64_t unified = limits.unifiedL1Bytes.value_or(64 << 10);
    const std::int64_t needed = (sharedBytes + (sharedBytes > 0 ? limits.sharedBytesReservedPerBlock : 0)) * resident;
    std::int64_t carveOut = needed;
    for (const int size : limits.carveOutBytes)
        if (size >= needed) {
            carveOut = size;
            break;
        }
    return limits.unifiedL1Bytes ? std::max<std::int64_t>(unified - carveOut, 8 << 10) : unified;
}

} // namespace lanescope::timing
