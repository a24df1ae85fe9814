// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/result.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/symbol.h"
#include "engine/ptx/ir.h"
#include "engine/sim/shared_variable.h"

namespace lanescope::timing {

namespace {

struct StateText {
    const char* id;
    const char* label;
    const char* help;
};

/// Nsight Compute's names (Profiling Guide, warp stall reasons).
const StateText& text(WarpState state) {
    static constexpr StateText kTexts[kWarpStateCount] = {
        {"selected", "Issued", "The scheduler issues an instruction of the warp."},
        {"long_scoreboard", "Long scoreboard", "Waits for data of global or local memory."},
        {"short_scoreboard", "Short scoreboard", "Waits for the result of shared memory, a special function or a shuffle."},
        {"wait", "Wait", "Waits for a result of fixed latency."},
        {"math_pipe_throttle", "Math pipe throttle", "The pipe it needs is still taking another warp's instruction."},
        {"mio_throttle", "MIO throttle", "The queue in front of shared memory, shuffles and the like is full."},
        {"lg_throttle", "LG throttle", "The queue in front of global and local memory is full."},
        {"barrier", "Barrier", "Waits for the other warps at a barrier."},
        {"mbarrier", "mbarrier", "Waits for a phase of an mbarrier to end: for bytes of copies, or for others to arrive."},
        {"gmma", "wgmma", "Waits for products of its warpgroup (wgmma)."},
        {"membar", "Membar", "Waits for its stores to be seen, at a fence."},
        {"branch_resolving", "Branch resolving", "Waits for the target of a branch."},
        {"no_instruction", "No instruction", "Waits for code to come into the instruction cache."},
        {"imc_miss", "Constant miss", "Waits for a first value from constant memory or the kernel's parameters."},
        {"not_selected", "Not selected", "Could issue; the scheduler issues another warp's instruction."},
        {"drain", "Drain", "Has ended; its stores are still under way."},
        {"done", "Done", "Has ended, or its block has."},
    };
    return kTexts[static_cast<std::size_t>(state)];
}

} // namespace

const char* id(WarpState state) { return text(state).id; }
const char* label(WarpState state) { return text(state).label; }
const char* help(WarpState state) { return text(state).help; }

double SmTiming::issueUtilisation() const {
    return cycles == 0 ? 0.0 : static_cast<double>(issueSlots) / (static_cast<double>(cycles) * schedulers);
}

double SmTiming::pipeUtilisation(Pipe pipe) const {
    const auto p = static_cast<std::size_t>(pipe);
    return cycles == 0 || pipeUnits[p] == 0 ? 0.0 : static_cast<double>(pipeBusy[p]) / (static_cast<double>(cycles) * pipeUnits[p]);
}

double SmTiming::share(WarpState state) const {
    std::uint64_t all = 0;
    for (std::size_t s = 0; s < stateCycles.size(); ++s)
        all += s == static_cast<std::size_t>(WarpState::Done) ? 0 : stateCycles[s];
    return all == 0 ? 0.0 : static_cast<double>(stateCycles[static_cast<std::size_t>(state)]) / static_cast<double>(all);
}

std::vector<Interval> SmTiming::intervals(std::uint32_t warp) const {
    std::vector<Interval> out;
    std::uint32_t at = 0;
    const auto add = [&](std::uint32_t end, WarpState state, std::uint32_t issue) {
        if (end <= at)
            return;
        if (!out.empty() && out.back().state == state && (out.back().issue == issue || state == WarpState::Done))
            out.back().end = end;
        else
            out.push_back({at, end, state, issue});
        at = end;
    };
    const WarpTiming& w = warps[warp];
    for (const std::uint32_t i : w.issues) {
        const Issue& issue = issues[i];
        if (issue.slotsUsed == 0)
            continue;
        add(issue.ready, issue.waiting, i);
        add(issue.free, issue.throttle, i);
        add(issue.cycle, WarpState::NotSelected, i);
        add(issue.cycle + issue.slotsUsed, WarpState::Issued, i);
    }
    add(w.end, WarpState::Drain, w.issues.empty() ? kNone : w.issues.back());
    add(cycles, WarpState::Done, kNone);
    return out;
}

Interval SmTiming::at(std::uint32_t warp, std::uint32_t cycle) const {
    const WarpTiming& w = warps[warp];
    const auto found = std::partition_point(w.issues.begin(), w.issues.end(), [&](std::uint32_t i) { return issues[i].cycle + issues[i].slotsUsed <= cycle; });
    if (found == w.issues.end())
        return cycle < w.end ? Interval{w.issues.empty() ? 0 : issues[w.issues.back()].cycle + issues[w.issues.back()].slotsUsed, w.end, WarpState::Drain, kNone}
                             : Interval{w.end, cycles, WarpState::Done, kNone};
    const Issue& i = issues[*found];
    std::uint32_t previous = 0;
    if (found != w.issues.begin())
        previous = issues[*(found - 1)].cycle + issues[*(found - 1)].slotsUsed;
    if (cycle < i.ready)
        return {previous, i.ready, i.waiting, *found};
    if (cycle < i.free)
        return {std::max(previous, i.ready), i.free, i.throttle, *found};
    if (cycle < i.cycle)
        return {std::max(previous, i.free), i.cycle, WarpState::NotSelected, *found};
    return {i.cycle, i.cycle + i.slotsUsed, WarpState::Issued, *found};
}

std::span<const AsyncTiming> SmTiming::asyncOf(std::uint32_t issue) const {
    const auto [first, last] = std::equal_range(async.begin(), async.end(), AsyncTiming{issue, {}, kNone, 0, 0}, [](const AsyncTiming& a, const AsyncTiming& b) { return a.issue < b.issue; });
    return {first, last};
}

const AsyncTiming* SmTiming::waitBefore(const Issue& issue) const {
    const WarpTiming& w = warps[issue.warp];
    const auto index = static_cast<std::uint32_t>(&issue - issues.data());
    for (auto at = std::lower_bound(w.issues.begin(), w.issues.end(), index); at != w.issues.begin();) {
        --at;
        if (issues[*at].slotsUsed == 0)
            continue;
        for (const AsyncTiming& use : asyncOf(*at))
            if (use.what == AsyncUse::What::Wait && use.phase != kNone)
                return &use;
        return nullptr;
    }
    return nullptr;
}

double SmTiming::overlap() const {
    // Cycles with a load under way, as a union of stretches; arithmetic cycles within.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> loads;
    std::vector<std::uint32_t> math;
    for (const Issue& i : issues) {
        if (i.level >= Level::L2 && i.done > i.cycle)
            loads.emplace_back(i.cycle, std::min(i.done, cycles));
        if (i.slotsUsed != 0 && isArithmetic[i.pc] != 0)
            math.push_back(i.cycle);
    }
    math.erase(std::unique(math.begin(), math.end()), math.end());
    std::uint64_t under = 0, both = 0;
    std::uint32_t end = 0;
    std::size_t at = 0;
    for (const auto& [from, to] : loads) {
        const std::uint32_t begin = std::max(from, end);
        if (to <= begin)
            continue;
        under += to - begin;
        while (at < math.size() && math[at] < begin)
            ++at;
        while (at < math.size() && math[at] < to) {
            ++both;
            ++at;
        }
        end = to;
    }
    return under == 0 ? 0.0 : static_cast<double>(both) / static_cast<double>(under);
}

namespace {

std::string_view shortName(const sim::Program& program, std::uint32_t pc) {
    const sim::Op& op = program.ops[pc];
    switch (op.kind) {
    case sim::OpKind::CopyBulk: return "the bulk copy";
    case sim::OpKind::TrackCopies: return "cp.async.mbarrier.arrive";
    case sim::OpKind::Mbarrier: return ptx::isWait(program.mbarriers[op.target].what) ? "the wait at an mbarrier" : "the arrival";
    default: return ptx::mnemonic(program.instructions[pc]->opcode);
    }
}

std::string instructionName(const sim::Program& program, std::uint32_t pc) {
    const std::uint32_t line = program.cudaLines[pc];
    return line != 0 ? fmt::format("{} (line {})", shortName(program, pc), line)
                     : fmt::format("{} (PTX line {})", shortName(program, pc), program.instructions[pc]->ptxLine);
}

class Chain {
public:
    Chain(const SmTiming& timing, const sim::Program& program) : m_timing(timing), m_program(program) {}

    std::vector<CauseLink> follow(std::uint32_t warp, std::uint32_t cycle) {
        Interval at = m_timing.at(warp, cycle);
        if (at.state == WarpState::Done || at.state == WarpState::Drain)
            return {};
        while (m_out.size() < kMost && add(at)) {
        }
        return std::move(m_out);
    }

private:
    static constexpr std::size_t kMost = 64;
    static constexpr std::uint32_t kBrief = 4; ///< cycles of waiting for a pipe or the scheduler that nothing hangs on
    const SmTiming& m_timing;
    const sim::Program& m_program;
    std::vector<CauseLink> m_out;

    std::string who(const Issue& i, std::uint32_t asker) const {
        const WarpTiming& w = m_timing.warps[i.warp];
        if (i.warp == asker)
            return instructionName(m_program, i.pc);
        const std::string block = w.slot == m_timing.warps[asker].slot ? "" : fmt::format(" of block {}", w.block);
        return fmt::format("{} of warp {}{}", instructionName(m_program, i.pc), w.warp, block);
    }

    /// What ended a phase, or will.
    std::string lastOf(const PhaseTiming& phase, std::uint32_t asker) const {
        if (phase.last == kNone)
            return "nothing before it";
        const Issue& i = m_timing.issues[phase.last];
        for (const AsyncTiming& use : m_timing.asyncOf(phase.last))
            if (use.bytes != 0)
                return fmt::format("the bytes of {}, asked for at cycle {}", who(i, asker), i.cycle);
        return fmt::format("{} at cycle {}", who(i, asker), i.cycle);
    }

    /// Adds the link of a stretch and moves on to the one before it. False at a root.
    bool add(Interval& at) {
        const Issue& i = m_timing.issues[at.issue];
        CauseLink link{at.issue, at.state, at.begin, at.end, {}};
        const auto go = [&](std::uint32_t cause, std::string what) {
            link.what = std::move(what);
            m_out.push_back(link);
            return cause != kNone && producer(cause, at);
        };
        const auto named = [&](std::uint32_t cause) { return cause == kNone ? std::string("nothing before it") : who(m_timing.issues[cause], i.warp); };
        switch (at.state) {
        case WarpState::Issued:
            link.what = fmt::format("{} is issued", instructionName(m_program, i.pc));
            m_out.push_back(link);
            return before(i, at);
        case WarpState::LongScoreboard:
        case WarpState::ShortScoreboard:
        case WarpState::Wait:
            if (i.cause != kNone && m_program.ops[m_timing.issues[i.cause].pc].kind == sim::OpKind::CopyBulk)
                return go(i.cause, fmt::format("{} waits until {} has been asked for", instructionName(m_program, i.pc), named(i.cause)));
            return go(i.cause, fmt::format("{} waits for the result of {}", instructionName(m_program, i.pc), named(i.cause)));
        case WarpState::MathPipeThrottle:
        case WarpState::MioThrottle:
        case WarpState::LgThrottle:
            return go(i.occupant, fmt::format("{} waits for its pipe, which {} holds", instructionName(m_program, i.pc), named(i.occupant)));
        case WarpState::Barrier:
            return go(i.cause, fmt::format("waits at the barrier for the last to arrive: {}", named(i.cause)));
        case WarpState::Mbarrier: {
            const AsyncTiming* wait = m_timing.waitBefore(i);
            if (wait == nullptr)
                return go(i.cause, fmt::format("waits at an mbarrier for {}", named(i.cause)));
            const PhaseTiming& phase = m_timing.phases[wait->phase];
            return go(i.cause, fmt::format("waits for phase {} of {}: for {}", phase.number, mbarrierName(m_program, phase.address), lastOf(phase, i.warp)));
        }
        case WarpState::Products:
            return go(i.cause, fmt::format("waits for the products of {}", named(i.cause)));
        case WarpState::Membar:
            return go(i.cause, fmt::format("waits for the stores before {}", named(i.cause)));
        case WarpState::BranchResolving:
            return go(i.cause, fmt::format("waits for the target of {}", named(i.cause)));
        case WarpState::NoInstruction:
            return go(kNone, "waits for code that no warp of the SM has executed before");
        case WarpState::ConstantMiss:
            return go(kNone, "waits for the kernel's parameters: the first to read them");
        case WarpState::NotSelected: {
            const std::uint32_t other = selectedAt(i, at.end == 0 ? 0 : at.end - 1);
            link.what = other == kNone ? "could issue; the scheduler issues another" : fmt::format("could issue; the scheduler issues {}", who(m_timing.issues[other], i.warp));
            m_out.push_back(link);
            return false;
        }
        case WarpState::Drain:
        case WarpState::Done:
            return false;
        }
        return false;
    }

    /// The event waited for: what it does until its result is there; a memory access is a root.
    bool producer(std::uint32_t cause, Interval& at) {
        const Issue& i = m_timing.issues[cause];
        if (at.state == WarpState::Wait && m_program.ops[i.pc].kind == sim::OpKind::CopyBulk) { // asking holds up the warp, not the copy
            m_out.push_back({cause, WarpState::Issued, i.cycle, at.end, fmt::format("{} is asked for", instructionName(m_program, i.pc))});
            return before(i, at);
        }
        std::uint32_t bytes = 0;
        for (const AsyncTiming& use : m_timing.asyncOf(cause))
            bytes += use.bytes;
        if (bytes != 0) {
            m_out.push_back({cause, WarpState::Issued, i.cycle, std::max(i.cycle + i.slotsUsed, i.done),
                             fmt::format("{} moves {} bytes, served by {}: {} cycles", instructionName(m_program, i.pc), bytes, name(i.level), i.done - i.cycle)});
            return before(i, at);
        }
        if (i.level >= Level::L1 && i.done > i.cycle) {
            m_out.push_back({cause, WarpState::Issued, i.cycle, i.done, fmt::format("{} is served by {}: {} cycles", instructionName(m_program, i.pc), name(i.level), i.done - i.cycle)});
            return false;
        }
        m_out.push_back({cause, WarpState::Issued, i.cycle, std::max(i.cycle + i.slotsUsed, i.done), fmt::format("{} is issued", instructionName(m_program, i.pc))});
        return before(i, at);
    }

    /// The last stretch of waiting in the warp up to and with the issue i.
    bool before(const Issue& i, Interval& at) {
        const WarpTiming& w = m_timing.warps[i.warp];
        auto here = std::partition_point(w.issues.begin(), w.issues.end(), [&](std::uint32_t x) { return m_timing.issues[x].cycle < i.cycle; });
        for (;; --here) {
            if (here == w.issues.end())
                return false;
            const Issue& x = m_timing.issues[*here];
            std::uint32_t previous = 0;
            if (here != w.issues.begin())
                previous = m_timing.issues[*(here - 1)].cycle + m_timing.issues[*(here - 1)].slotsUsed;
            if (x.slotsUsed != 0 && x.cycle > previous) {
                // The longest of its waits.
                const std::uint32_t ready = std::max(previous, x.ready), free = std::max(ready, x.free);
                if (ready > previous && ready - previous >= free - ready && ready - previous >= x.cycle - free)
                    at = {previous, ready, x.waiting, *here};
                else if (free > ready + kBrief && free - ready >= x.cycle - free)
                    at = {ready, free, x.throttle, *here};
                else if (x.cycle - free > kBrief)
                    at = {free, x.cycle, WarpState::NotSelected, *here};
                else
                    at = {};
                if (at.end != 0)
                    return true;
            }
            if (here == w.issues.begin()) {
                m_out.push_back({kNone, WarpState::Issued, 0, 0, "the start of the block"});
                return false;
            }
        }
    }

    std::uint32_t selectedAt(const Issue& i, std::uint32_t cycle) const {
        std::uint32_t found = kNone;
        for (const WarpTiming& w : m_timing.warps) {
            if (w.scheduler != m_timing.warps[i.warp].scheduler)
                continue;
            auto x = std::partition_point(w.issues.begin(), w.issues.end(), [&](std::uint32_t n) { return m_timing.issues[n].cycle <= cycle; });
            while (x != w.issues.begin() && m_timing.issues[*(x - 1)].slotsUsed == 0)
                --x;
            if (x != w.issues.begin() && m_timing.issues[*(x - 1)].cycle + m_timing.issues[*(x - 1)].slotsUsed > cycle)
                found = *(x - 1);
        }
        return found;
    }
};

} // namespace

std::string mbarrierName(const sim::Program& program, std::uint64_t address) {
    const sim::SharedVariable* variable = sim::sharedVariableAt(program, address);
    if (variable == nullptr)
        return fmt::format("the mbarrier at byte {}", address);
    constexpr std::uint64_t kBytes = 8;
    return fmt::format("{}[{}]", sourceName(variable->name), (address - variable->offset) / kBytes);
}

std::vector<CauseLink> why(const SmTiming& timing, const sim::Program& program, std::uint32_t warp, std::uint32_t cycle) {
    if (warp >= timing.warps.size() || cycle >= timing.cycles)
        return {};
    return Chain(timing, program).follow(warp, cycle);
}

} // namespace lanescope::timing
