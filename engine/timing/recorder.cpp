// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/recorder.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/memory/access.h"
#include "engine/memory/l1_stages.h"

namespace lanescope::timing {

namespace {

/// Adds the sector's bit to its line's entry, lines kept in the order in which lanes touch them.
void addSector(std::vector<std::uint64_t>& lines, std::size_t first, std::uint64_t line, std::uint64_t bit) {
    for (std::size_t i = lines.size(); i-- > first;)
        if (lines[i] >> 4 == line) {
            lines[i] |= bit;
            return;
        }
    lines.push_back(line << 4 | bit);
}

/// Lanes of the busiest bank: atomics serve one lane after another also where they share a word (measured on an H200: 32 cycles for 32
/// lanes on one word).
int atomicWavefronts(const std::uint64_t* addresses, LaneMask active) {
    std::array<int, memory::kBanks> lanes{};
    int most = 0;
    forEachLane(active, [&](int lane) { most = std::max(most, ++lanes[addresses[lane] / memory::kBankBytes % memory::kBanks]); });
    return most;
}

} // namespace

Recorder::Recorder(const sim::Program& program, int warps, std::uint32_t maxEvents)
    : m_program(program), m_maxEvents(maxEvents), m_pending(static_cast<std::size_t>(warps)) {
    m_stream.warps.resize(static_cast<std::size_t>(warps));
}

void Recorder::access(const sim::AccessEvent& e) {
    if (m_stream.events >= m_maxEvents)
        return;
    if (e.asyncProxy || e.isMbarrier) { // past the load-store unit
        if (e.space == ptx::Space::Global)
            forEachLane(e.active & ~e.outOfBounds, [&](int lane) {
                for (std::uint64_t s = e.addresses[lane] / memory::kSectorBytes; s * memory::kSectorBytes < e.addresses[lane] + static_cast<unsigned>(e.bytes); ++s)
                    m_stream.touchedSectors += static_cast<unsigned>(std::popcount(m_touched.add(s / 4 << 4 | std::uint64_t{1} << (s % 4))));
            });
        return;
    }
    const auto index = static_cast<std::uint32_t>(m_stream.accesses.size());
    if (m_firstAccess == kNone)
        m_firstAccess = index;
    else
        m_stream.accesses.back().isLast = false;
    Access& a = m_stream.accesses.emplace_back();
    const LaneMask active = e.active & ~e.outOfBounds;
    if (active == 0)
        return;
    if (e.space == ptx::Space::Shared) {
        a.isShared = true;
        const int cost = e.kind == sim::AccessKind::Atomic
                             ? atomicWavefronts(e.addresses, active)
                             : memory::sharedCost(memory::Addresses(e.addresses, kWarpSize), active, std::min(e.bytes, 16),
                                                  sim::sharedKind(e))
                                   .wavefronts;
        a.wavefronts = static_cast<std::uint16_t>(cost);
        return;
    }
    std::vector<std::uint64_t>& lines = m_stream.lines;
    const std::size_t first = lines.size();
    a.firstLine = static_cast<std::uint32_t>(first);
    if (e.space == ptx::Space::Local) {
        // Interleaved: word w of the 32 lanes is one line. Block and warp keep theirs apart from each other and from global memory.
        const std::uint64_t own = std::uint64_t{1} << 59 | std::uint64_t{e.block & 0xffff} << 40 | std::uint64_t{e.warp} << 34;
        forEachLane(active, [&](int lane) {
            for (std::uint64_t w = e.addresses[lane] / 4; w <= (e.addresses[lane] + static_cast<unsigned>(e.bytes) - 1) / 4; ++w)
                addSector(lines, first, own | (w & 0x3'ffff'ffff), std::uint64_t{1} << (lane / 8));
        });
    } else {
        forEachLane(active, [&](int lane) {
            const std::uint64_t last = (e.addresses[lane] + static_cast<unsigned>(e.bytes) - 1) / memory::kSectorBytes;
            for (std::uint64_t s = e.addresses[lane] / memory::kSectorBytes; s <= last; ++s)
                addSector(lines, first, s / 4, std::uint64_t{1} << (s % 4));
        });
    }
    a.lines = static_cast<std::uint16_t>(lines.size() - first);
    for (std::size_t i = first; i < lines.size(); ++i) {
        a.sectors = static_cast<std::uint16_t>(a.sectors + std::popcount(lines[i] & 15));
        if (e.space != ptx::Space::Local)
            m_stream.touchedSectors += static_cast<unsigned>(std::popcount(m_touched.add(lines[i])));
    }
    int cycles = std::max<int>(1, a.lines);
    if (e.space != ptx::Space::Local) {
        const memory::L1Cost cost = memory::l1Cost(memory::Addresses(e.addresses, kWarpSize), active & ~e.misaligned, e.bytes, sim::globalKind(e));
        cycles = std::max({1, cost.tagCycles, cost.dataCycles});
    }
    a.wavefronts = static_cast<std::uint16_t>(cycles);
}

void Recorder::barrier(const sim::BarrierEvent& e) {
    const auto instance = static_cast<std::uint32_t>(m_stream.barrierArrivals.size());
    std::uint32_t arrivals = 0;
    const auto assign = [&](std::uint32_t warp, bool waits) {
        std::vector<std::uint32_t>& pending = m_pending[warp];
        for (std::size_t i = 0; i < pending.size(); ++i)
            // A warp that came in parts waits with the last of them.
            m_stream.warps[warp][pending[i]].detail = waits && i + 1 == pending.size() ? instance : instance | Record::kArriveOnly;
        arrivals += static_cast<std::uint32_t>(pending.size());
        pending.clear();
    };
    for (const std::uint32_t warp : e.released)
        assign(warp, true);
    for (const std::uint32_t warp : e.arrivedOnly)
        assign(warp, false);
    m_stream.barrierArrivals.push_back(arrivals);
}

void Recorder::instruction(const sim::InstructionEvent& e) {
    const std::uint32_t access = m_firstAccess;
    m_firstAccess = kNone;
    ++m_stream.allEvents;
    if (m_stream.events >= m_maxEvents) {
        m_stream.complete = false;
        return;
    }
    std::vector<Record>& records = m_stream.warps[e.warp];
    const auto index = static_cast<std::uint32_t>(records.size());
    records.push_back({e.pc, m_stream.events, access});
    ++m_stream.events;
    using Event = sim::InstructionEvent;
    if ((e.flags & Event::kBarrierArrive) == 0)
        return;
    if ((e.flags & Event::kBarrierRelease) == 0 || m_stream.barrierArrivals.empty()) {
        m_pending[e.warp].push_back(index);
        return;
    }
    // The last to arrive: the barrier was reported before this instruction.
    const auto instance = static_cast<std::uint32_t>(m_stream.barrierArrivals.size() - 1);
    ++m_stream.barrierArrivals.back();
    for (std::size_t i = records.size() - 1; i-- > 0 && records.size() - i < 256;)
        if (records[i].detail == instance && m_program.ops[records[i].pc].kind == sim::OpKind::Barrier)
            records[i].detail |= Record::kArriveOnly;
    const bool arriveOnly = static_cast<ptx::BarrierMode>(m_program.ops[e.pc].target) == ptx::BarrierMode::Arrive;
    records.back().detail = arriveOnly ? instance | Record::kArriveOnly : instance;
}

BlockStream Recorder::take(const ProgramTiming& timing) {
    std::vector<Record> block;
    for (std::vector<Record>& records : m_stream.warps)
        for (std::size_t at = 0; at < records.size();) {
            const std::uint32_t first = records[at].pc, end = timing.blockEnd[first];
            // A basic block that the warp ran through from end to end.
            std::size_t run = 1;
            while (end != 0 && at + run < records.size() && first + run < end && records[at + run].pc == first + run)
                ++run;
            if (end != 0 && run == end - first && run > 2) {
                const auto begin = records.begin() + static_cast<std::ptrdiff_t>(at);
                block.assign(begin, begin + static_cast<std::ptrdiff_t>(run));
                for (std::size_t i = 0; i < run; ++i)
                    begin[static_cast<std::ptrdiff_t>(i)] = block[timing.scheduled[first + i] - first];
            }
            at += run;
        }
    m_pending.assign(m_pending.size(), {});
    m_touched = {};
    BlockStream out = std::move(m_stream);
    m_stream = {};
    m_stream.warps.resize(out.warps.size());
    return out;
}

} // namespace lanescope::timing
