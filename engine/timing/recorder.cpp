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
    : m_program(program), m_maxEvents(maxEvents), m_pending(static_cast<std::size_t>(warps)), m_failed(static_cast<std::size_t>(warps), kNone) {
    m_stream.warps.resize(static_cast<std::size_t>(warps));
}

void Recorder::access(const sim::AccessEvent& e) {
    if (m_stream.events >= m_maxEvents)
        return;
    if (e.isMbarrier)
        return mbarrierAccess(e);
    if (e.asyncProxy) // past the load-store unit
        return bulkAccess(e);
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

/// The phase of the mbarrier that is under way.
std::uint32_t Recorder::presentPhase(std::uint64_t address) {
    Tracked& tracked = m_mbarriers[address];
    if (tracked.present == kNone) {
        tracked.present = static_cast<std::uint32_t>(m_stream.phases.size());
        m_stream.phases.push_back({address, tracked.number, 0});
    }
    return tracked.present;
}

AsyncUse& Recorder::addUse(AsyncUse::What what) {
    if (m_firstUse == kNone)
        m_firstUse = static_cast<std::uint32_t>(m_stream.asyncUses.size());
    else
        m_stream.asyncUses.back().isLast = false;
    AsyncUse& use = m_stream.asyncUses.emplace_back();
    use.what = what;
    return use;
}

void Recorder::addArrival(AsyncUse::What what, std::uint64_t address) {
    const std::uint32_t phase = presentPhase(address);
    addUse(what).phase = phase;
    ++m_stream.phases[phase].uses;
}

/// An operation on mbarriers: each one once.
void Recorder::mbarrierAccess(const sim::AccessEvent& e) {
    const sim::Op& op = m_program.ops[e.pc];
    if (op.kind == sim::OpKind::CopyBulk) // its bytes are told of when they have come
        return;
    if (op.kind == sim::OpKind::Mbarrier && e.kind == sim::AccessKind::Store) // init, inval
        return;
    std::uint64_t last = ~std::uint64_t{0};
    forEachLane(e.active & ~e.outOfBounds, [&](int lane) {
        const std::uint64_t address = e.addresses[lane];
        if (address == last)
            return;
        last = address;
        if (e.kind == sim::AccessKind::Load) {
            addUse(AsyncUse::What::Wait).phase = m_mbarriers[address].ended;
            return;
        }
        addArrival(op.kind == sim::OpKind::TrackCopies ? AsyncUse::What::TrackCopies : AsyncUse::What::Arrive, address);
    });
}

/// A part of a bulk copy, or of what a wgmma reads.
void Recorder::bulkAccess(const sim::AccessEvent& e) {
    if (e.isProduct)
        return;
    const bool isStoreOut = e.space == ptx::Space::Global && e.kind != sim::AccessKind::Load;
    const auto key = std::pair(e.warp, e.copy);
    auto found = m_copies.find(key);
    if (found == m_copies.end()) {
        addUse(AsyncUse::What::Copy);
        found = m_copies.emplace(key, static_cast<std::uint32_t>(m_stream.asyncUses.size() - 1)).first;
        m_stream.asyncUses.back().firstLine = static_cast<std::uint32_t>(m_stream.lines.size());
    }
    AsyncUse& use = m_stream.asyncUses[found->second];
    if (isStoreOut)
        use.what = AsyncUse::What::Store;
    const LaneMask active = e.active & ~e.outOfBounds;
    if (e.space != ptx::Space::Global) {
        if (e.kind != sim::AccessKind::Load)
            use.bytes += static_cast<std::uint32_t>(laneCount(active) * e.bytes);
        return;
    }
    forEachLane(active, [&](int lane) {
        const std::uint64_t end = e.addresses[lane] + static_cast<unsigned>(e.bytes);
        if (isStoreOut)
            use.bytes += static_cast<std::uint32_t>(e.bytes);
        for (std::uint64_t s = e.addresses[lane] / memory::kSectorBytes; s * memory::kSectorBytes < end; ++s) {
            const std::uint64_t entry = s / 4 << 4 | std::uint64_t{1} << (s % 4);
            m_stream.touchedSectors += static_cast<unsigned>(std::popcount(m_touched.add(entry)));
            addSector(m_stream.lines, use.firstLine, s / 4, std::uint64_t{1} << (s % 4));
        }
    });
    use.lines = static_cast<std::uint32_t>(m_stream.lines.size()) - use.firstLine;
}

void Recorder::bulkDone(const sim::BulkDoneEvent& e) {
    const auto found = m_copies.find(std::pair(e.warp, e.copy));
    if (found == m_copies.end() || e.onlyRead)
        return;
    if (e.mbarrier >= 0) {
        const std::uint32_t phase = presentPhase(static_cast<std::uint64_t>(e.mbarrier));
        m_stream.asyncUses[found->second].phase = phase;
        ++m_stream.phases[phase].uses;
    }
    m_copies.erase(found);
}

void Recorder::mbarrier(const sim::MbarrierEvent& e) {
    if (m_stream.events >= m_maxEvents)
        return;
    using What = sim::MbarrierEvent::What;
    const bool isCluster = e.address == sim::MbarrierEvent::kClusterBarrier; // barrier.cluster has no accesses, only this
    switch (e.what) {
    case What::Init: m_mbarriers[e.address] = {}; break;
    case What::Release:
    case What::RelaxedArrive:
        if (isCluster)
            addArrival(AsyncUse::What::Arrive, e.address);
        break;
    case What::Acquire:
        if (isCluster)
            addUse(AsyncUse::What::Wait).phase = m_mbarriers[e.address].ended;
        break;
    case What::Complete: {
        Tracked& tracked = m_mbarriers[e.address];
        tracked.ended = presentPhase(e.address);
        tracked.present = kNone;
        ++tracked.number;
        break;
    }
    }
}

/// The rounds of a loop about a wait from the first that found the phase unfinished to the one that begins with this record.
void Recorder::passOverFailed(std::uint32_t warp, std::size_t index) {
    constexpr std::size_t kMost = 64; ///< instructions of a loop that only waits
    std::vector<Record>& records = m_stream.warps[warp];
    const std::size_t first = m_failed[warp];
    m_failed[warp] = kNone;
    if (records[first].pc != records[index].pc || index - first > kMost)
        return;
    for (std::size_t i = first; i < index; ++i)
        if (records[i].detail != kNone)
            return;
    for (std::size_t i = first; i < index; ++i)
        records[i].detail = Record::kPassedOver;
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
    const std::uint32_t access = m_firstAccess != kNone ? m_firstAccess : m_firstUse;
    m_firstAccess = m_firstUse = kNone;
    ++m_stream.allEvents;
    if (m_stream.events >= m_maxEvents) {
        m_stream.complete = false;
        return;
    }
    std::vector<Record>& records = m_stream.warps[e.warp];
    const auto index = static_cast<std::uint32_t>(records.size());
    records.push_back({e.pc, m_stream.events, access});
    ++m_stream.events;
    const sim::Op& op = m_program.ops[e.pc];
    if (m_failed[e.warp] != kNone && records[m_failed[e.warp]].pc == e.pc)
        passOverFailed(e.warp, index);
    if (op.kind == sim::OpKind::Mbarrier && ptx::isWait(m_program.mbarriers[op.target].what) && access == kNone)
        m_failed[e.warp] = index;
    using Event = sim::InstructionEvent;
    if ((e.flags & Event::kBarrierArrive) == 0 || op.kind == sim::OpKind::ClusterArrive)
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
    m_mbarriers.clear();
    m_copies.clear();
    m_failed.assign(m_failed.size(), kNone);
    BlockStream out = std::move(m_stream);
    m_stream = {};
    m_stream.warps.resize(out.warps.size());
    return out;
}

} // namespace lanescope::timing
