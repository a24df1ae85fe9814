// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/check/checker.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/base/symbol.h"
#include "engine/check/clocks.h"
#include "engine/check/copy_waits.h"
#include "engine/check/shadow.h"
#include "engine/check/warpgroup.h"
#include "engine/sim/shared_variable.h"

namespace lanescope::check {

using ptx::Space;
using sim::AccessEvent;
using sim::AccessKind;

namespace {

/// Accesses of a block that are kept when another than the default schedule runs; past that they are judged as they are.
constexpr std::size_t kMaxLogged = 400'000;
/// Distinct threads that one finding lists.
constexpr std::size_t kMaxListedThreads = 4096;

FindingKind kindOf(sim::FaultKind fault) {
    using sim::FaultKind;
    switch (fault) {
    case FaultKind::PartialWarpSync:
    case FaultKind::PartialTensor:
    case FaultKind::TooManyArrivals:
    case FaultKind::PartialWarpgroup:
    case FaultKind::DifferentWarpgroup:
        return FindingKind::BarrierDivergence;
    case FaultKind::PendingResultRead:
    case FaultKind::NoWarpgroupFence:
        return FindingKind::RaceRaw;
    case FaultKind::PendingRegisterWrite:
        return FindingKind::RaceWaw;
    case FaultKind::BulkSize:
    case FaultKind::BoxStart:
        return FindingKind::Misaligned;
    case FaultKind::NegativeBox:
        return FindingKind::OutOfBounds;
    case FaultKind::BadTensorMap:
    case FaultKind::MapDimensions:
        return FindingKind::Unsupported;
    case FaultKind::Trap:
    case FaultKind::Budget:
    case FaultKind::CallStackOverflow:
    case FaultKind::BadCall:
        break;
    }
    return FindingKind::DidNotFinish;
}

/// The addresses of an event, to keep.
template <class Event>
std::array<std::uint64_t, kWarpSize> addressesOf(const Event& event) {
    std::array<std::uint64_t, kWarpSize> out;
    std::copy_n(event.addresses, kWarpSize, out.begin());
    return out;
}

std::string plural(std::uint64_t n, std::string_view noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

} // namespace

struct Checker::State {
    const sim::Launch& launch;
    const sim::Memory& memory;
    std::string file;
    Clocks clocks;
    std::vector<Shadow> global;
    Shadow shared;
    std::vector<std::uint8_t> localInitialised; ///< of the block: warp, lane, byte
    std::uint64_t localBytes = 0;
    std::uint32_t block = 0;
    /// Segments of the block's copies under way, by warp and number.
    std::map<std::pair<std::uint32_t, std::uint64_t>, SegmentId> copies;
    /// Of a bulk copy its read of shared memory and its write, which end apart.
    struct BulkSegments {
        SegmentId read = 0, write = 0;
    };
    std::map<std::pair<std::uint32_t, std::uint64_t>, BulkSegments> bulks;
    /// Of its wgmma, by warpgroup and number.
    std::map<std::pair<std::uint32_t, std::uint64_t>, SegmentId> products;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> productWaits; ///< warps that have waited for it and all before
    CopyWaits copyWaits;

    /// A finding being gathered. Grouped by kind and place.
    struct Gathered {
        Finding finding;
        /// (instruction, how-manieth time) of the present block that are counted already.
        std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
        std::uint32_t seenBlock = 0;
        std::vector<std::uint32_t> threads; ///< of the first block, linear
        std::uint64_t firstBlock = 0;
        std::uint32_t blocks = 0, lastBlock = 0;
        std::uint64_t extra = 0;
        int alignment = 0;
        std::uint32_t otherPc = 0; ///< races: of the other access
        bool otherPending = false; ///< races: the other access is a copy that nobody had waited for
        bool lacksProxyFence = false; ///< races: ordered, but the asynchronous proxy does not see it
    };
    std::map<std::tuple<FindingKind, std::uint32_t, std::uint32_t, std::string>, Gathered> gathered;

    /// Under another than the default schedule: what happened, to be judged in the default's order.
    struct Logged {
        std::uint64_t clock = 0;
        std::int64_t warp = 0;
        std::function<void()> judge;
    };
    std::vector<Logged> log;
    bool logging = false;
    /// Judges at once, or later in order. What `judge` refers to must outlive the block.
    template <class Judge>
    void happens(std::uint64_t clock, std::int64_t warp, Judge&& judge) {
        if (logging)
            log.push_back({clock, warp, std::forward<Judge>(judge)});
        else
            judge();
    }

    State(const sim::Launch& l, const sim::Memory& m, std::string f)
        : launch(l), memory(m), file(std::move(f)), copyWaits(l.sharedBytes()) {}

    std::uint32_t lineOf(std::uint32_t pc) const { return launch.program->cudaLines[pc]; }
    std::uint32_t ptxLineOf(std::uint32_t pc) const { return launch.program->instructions[pc]->ptxLine; }
    std::string place(std::uint32_t pc) const {
        return lineOf(pc) != 0 ? fmt::format("line {}", lineOf(pc)) : fmt::format("PTX line {}", ptxLineOf(pc));
    }

    ThreadId threadOf(std::uint32_t b, std::uint32_t warp, int lane) const {
        return {launch.blockAt(b), launch.threadAt(warp, lane)};
    }
    std::string text(const Dim3& d, const Dim3& extent) const {
        if (extent.z > 1)
            return fmt::format("({},{},{})", d.x, d.y, d.z);
        if (extent.y > 1)
            return fmt::format("({},{})", d.x, d.y);
        return fmt::format("{}", d.x);
    }
    std::string threadText(const Dim3& t) const { return text(t, launch.block); }
    std::string blockText(const Dim3& b) const { return text(b, launch.grid); }

    Finding findingAt(FindingKind kind, std::uint32_t pc) const {
        Finding f;
        f.kind = kind;
        f.line = lineOf(pc);
        f.ptxLine = ptxLineOf(pc);
        f.pc = pc;
        f.file = file;
        return f;
    }

    Gathered& gather(FindingKind kind, std::uint32_t pc, const std::string& array) {
        // One finding per source line and array; instructions without a line stand for themselves.
        const std::uint32_t line = lineOf(pc);
        const auto [at, isNew] = gathered.try_emplace({kind, line, line != 0 ? 0 : pc, array});
        Gathered& g = at->second;
        if (isNew) {
            g.finding = findingAt(kind, pc);
            g.finding.array = array;
            g.firstBlock = block;
            g.seenBlock = block;
        }
        return g;
    }

    // --- names of what an access touches
    struct Element {
        std::string array;
        std::int64_t index = 0;
        std::uint64_t size = 0;
    };
    Element sharedElement(std::uint64_t address, std::uint64_t bytes) const {
        Element out;
        // Of a dynamic array without any bytes there is nothing to be past the end of.
        const sim::SharedVariable* best = sim::sharedVariableAt(*launch.program, address, launch.dynamicSharedBytes != 0);
        out.array = best != nullptr ? sourceName(best->name) : "shared memory";
        const std::uint64_t start = best != nullptr ? best->offset : 0;
        const std::uint64_t size = best != nullptr && best->bytes != 0 ? best->bytes : launch.sharedBytes() - std::min(start, launch.sharedBytes());
        out.index = static_cast<std::int64_t>((address - start) / bytes);
        out.size = size / bytes;
        return out;
    }

    Element elementOf(const AccessEvent& e, int lane) const {
        const std::uint64_t address = e.addresses[lane];
        const auto bytes = static_cast<std::uint64_t>(e.elementBytes);
        if (e.space == Space::Shared)
            return sharedElement(address, bytes);
        Element out;
        if (e.space == Space::Local) {
            out.array = "local memory";
            out.index = static_cast<std::int64_t>(address / bytes);
            out.size = launch.program->frameBytes / bytes;
            return out;
        }
        const int a = memory.global.find(address);
        if (a < 0) {
            out.array = address < 4096 ? "null pointer" : "no array";
            out.index = static_cast<std::int64_t>(address);
            return out;
        }
        const sim::Allocation& allocation = memory.global.at(static_cast<std::size_t>(a));
        out.array = sourceName(allocation.name);
        out.size = allocation.size() / bytes;
        const auto offset = static_cast<std::int64_t>(address - allocation.base);
        out.index = offset >= 0 ? offset / e.elementBytes : -((-offset + e.elementBytes - 1) / e.elementBytes);
        // A vector that begins inside: the first element past the end is what is wrong.
        if (offset >= 0 && static_cast<std::uint64_t>(out.index) < out.size)
            out.index = static_cast<std::int64_t>(out.size);
        return out;
    }

    void laneFinding(FindingKind kind, const AccessEvent& e, LaneMask lanes) {
        forEachLane(lanes, [&](int lane) {
            const Element element = elementOf(e, lane);
            Gathered& g = gather(kind, e.pc, element.array);
            Finding& f = g.finding;
            if (f.occurrences == 0) {
                f.space = e.space;
                f.thread = threadOf(e.block, e.warp, lane);
                f.index = element.index;
                f.size = element.size;
                f.address = e.addresses[lane];
                g.extra = static_cast<std::uint64_t>(e.bytes);
                g.alignment = e.alignment;
                g.blocks = 1;
                g.lastBlock = e.block;
            }
            ++f.occurrences;
            if (e.block != g.lastBlock) {
                ++g.blocks;
                g.lastBlock = e.block;
            }
            if (e.block == g.firstBlock && g.threads.size() < kMaxListedThreads) {
                const std::uint32_t t = e.warp * kWarpSize + static_cast<std::uint32_t>(lane);
                if (g.threads.empty() || std::find(g.threads.begin(), g.threads.end(), t) == g.threads.end())
                    g.threads.push_back(t);
            }
        });
    }

    // --- races
    void race(FindingKind kind, const AccessEvent& e, int lane, const Mark& other) {
        const Element element = elementOf(e, lane);
        Gathered& g = gather(kind, e.pc, element.array);
        Finding& f = g.finding;
        if (g.seenBlock != e.block) {
            g.seen.clear();
            g.seenBlock = e.block;
        }
        if (f.occurrences == 0) {
            f.space = e.space;
            f.thread = threadOf(e.block, e.warp, lane);
            f.otherThread = threadOf(clocks.block(other.segment), clocks.warp(other.segment), 0);
            g.extra = clocks.warp(other.segment);
            g.otherPending = clocks.isPending(other.segment);
            g.lacksProxyFence = !unordered(other, e.warp);
            g.otherPc = other.pc;
            f.otherLine = lineOf(other.pc);
            f.otherPtxLine = ptxLineOf(other.pc);
            f.index = rawIndex(e, lane);
            f.size = element.size;
            f.address = e.addresses[lane];
        }
        if (g.seen.insert({e.pc, e.nth}).second)
            ++f.occurrences;
    }
    std::int64_t rawIndex(const AccessEvent& e, int lane) const {
        if (e.space == Space::Shared)
            return elementOf(e, lane).index;
        const int a = memory.global.find(e.addresses[lane]);
        return a < 0 ? 0
                     : static_cast<std::int64_t>(e.addresses[lane] - memory.global.at(static_cast<std::size_t>(a)).base) / e.elementBytes;
    }

    bool unordered(const Mark& m, std::uint32_t warp) const {
        return m.segment != 0 && !clocks.ordered(m.segment, warp);
    }

    /// A generic write to shared memory without a fence.proxy.async before an access of the asynchronous proxy.
    bool isUnseenByProxy(const Mark& write, const AccessEvent& e) const {
        return e.asyncProxy && e.space == Space::Shared && write.segment != 0 && clocks.block(write.segment) == block && !clocks.isBulk(write.segment) &&
               !clocks.crossesProxyFence(write.segment, e.warp);
    }

    void noteRead(Shadow& s, std::size_t cell, SegmentId mine, std::uint32_t pc) {
        Mark& last = s.read(cell);
        if (last.segment == 0) {
            s.setRead(cell, {mine, pc});
            return;
        }
        if (clocks.actor(last.segment) != clocks.actor(mine)) {
            Mark& before = s.readBefore(cell);
            if (before.segment != 0 && clocks.block(before.segment) != block)
                s.foreign(cell) = before;
            before = last;
        }
        last = {mine, pc};
    }

    void plainRead(Shadow& s, std::size_t cell, bool ownBlockOnly, SegmentId mine, const AccessEvent& e, int lane) {
        if (s.written(cell)) {
            const Mark& w = s.write(cell);
            if (w.segment != mine && (unordered(w, e.warp) || isUnseenByProxy(w, e)))
                race(FindingKind::RaceRaw, e, lane, w);
            const Mark& a = s.atomic(cell);
            if (a.segment != 0 && a.segment != mine && (!ownBlockOnly || clocks.block(a.segment) == block) && unordered(a, e.warp))
                race(FindingKind::RaceRaw, e, lane, a);
        }
        if (s.read(cell).segment != mine)
            noteRead(s, cell, mine, e.pc);
    }

    /// Readers that this write does not come after.
    void againstReads(Shadow& s, std::size_t cell, bool ownBlockOnly, SegmentId mine, const AccessEvent& e, int lane) {
        for (const Mark* m : {&s.read(cell), &s.readBefore(cell), &s.foreign(cell)}) {
            if (m->segment == 0 || m->segment == mine || (ownBlockOnly && clocks.block(m->segment) != block))
                continue;
            if (clocks.actor(m->segment) != clocks.actor(mine) && unordered(*m, e.warp)) {
                race(FindingKind::RaceWar, e, lane, *m);
                return;
            }
        }
    }

    void plainWrite(Shadow& s, std::size_t cell, bool ownBlockOnly, SegmentId mine, const AccessEvent& e, int lane) {
        againstReads(s, cell, ownBlockOnly, mine, e, lane);
        if (s.written(cell)) {
            const Mark& w = s.write(cell);
            if (w.segment != mine && (unordered(w, e.warp) || isUnseenByProxy(w, e)))
                race(FindingKind::RaceWaw, e, lane, w);
            const Mark& a = s.atomic(cell);
            if (a.segment != 0 && a.segment != mine && (!ownBlockOnly || clocks.block(a.segment) == block) && unordered(a, e.warp))
                race(FindingKind::RaceWaw, e, lane, a);
        }
        s.setWritten(cell);
        s.write(cell) = {mine, e.pc};
        s.forgetReads(cell);
    }

    /// Atomics and volatile accesses do not race with each other, only with plain ones.
    void atomicAccess(Shadow& s, std::size_t cell, bool ownBlockOnly, SegmentId mine, const AccessEvent& e, int lane) {
        if (s.written(cell)) {
            const Mark& w = s.write(cell);
            if (w.segment != 0 && w.segment != mine && unordered(w, e.warp))
                race(e.kind == AccessKind::Load ? FindingKind::RaceRaw : FindingKind::RaceWaw, e, lane, w);
        }
        if (e.kind == AccessKind::Load)
            return;
        againstReads(s, cell, ownBlockOnly, mine, e, lane);
        if (!s.written(cell)) {
            s.setWritten(cell);
            s.write(cell) = {};
        }
        s.setAtomic(cell, {mine, e.pc});
    }

    /// The lanes without those that have the address of an earlier one of them, as far as that is quick to see.
    static LaneMask distinct(const AccessEvent& e, LaneMask lanes) {
        std::uint64_t differ = 0;
        for (int lane = 1; lane < kWarpSize; ++lane)
            differ |= e.addresses[lane] ^ e.addresses[0];
        if (differ == 0)
            return lanes & (0 - lanes);
        LaneMask out = lanes;
        for (const int distance : {1, 2, 4, 8, 16}) {
            if (e.addresses[0] != e.addresses[distance])
                continue;
            LaneMask same = 0;
            for (int lane = distance; lane < kWarpSize; ++lane)
                same |= static_cast<LaneMask>(e.addresses[lane] == e.addresses[lane - distance]) << lane;
            out &= ~(same & lanes << distance);
        }
        return out;
    }

    /// plainRead for whole cells that no atomic has touched, without the calls. Most reads bring no news: two readers that no writer can be
    /// ordered with are as good as three, and what was written before the last barrier of the whole block is ordered.
    template <bool AnyWritten>
    void readCells(Shadow& s, const AccessEvent& e, LaneMask lanes, std::uint64_t base, bool ownBlockOnly) {
        lanes = distinct(e, lanes);
        const SegmentId mine = clocks.segment(e.warp), unordered = clocks.firstUnordered();
        const int shift = s.shift();
        const Mark *const reads = &s.read(0), *const readsBefore = &s.readBefore(0), *const writes = &s.write(0);
        const std::uint64_t* const written = s.writtenBits();
        const auto isSettled = [&](std::size_t cell) {
            return !AnyWritten || (written[cell >> 6] >> (cell & 63) & 1) == 0 || (ownBlockOnly && clocks.settled(writes[cell].segment));
        };
        const auto isKnown = [&](std::size_t cell) {
            const SegmentId last = reads[cell].segment;
            return (last == mine) | ((last >= unordered) & (readsBefore[cell].segment >= unordered));
        };
        const auto perCell = static_cast<std::size_t>(std::max(e.bytes >> shift, 1));
        if (!AnyWritten && lanes == kFullMask && perCell == 1) {
            bool all = true;
            for (int lane = 0; lane < kWarpSize; ++lane)
                all &= isKnown((e.addresses[lane] - base) >> shift);
            if (all)
                return;
        }
        for (; lanes != 0; lanes &= lanes - 1) {
            const int lane = firstLane(lanes);
            const auto first = static_cast<std::size_t>((e.addresses[lane] - base) >> shift);
            for (std::size_t cell = first; cell < first + perCell; ++cell)
                if (!isSettled(cell))
                    plainRead(s, cell, ownBlockOnly, mine, e, lane);
                else if (!isKnown(cell))
                    noteRead(s, cell, mine, e.pc);
        }
    }

    void cellsOf(Shadow& s, const AccessEvent& e, LaneMask lanes, std::uint64_t base, bool ownBlockOnly, std::uint64_t location) {
        if ((e.bytes < 4 || e.misaligned != 0) && s.shift() > 0) {
            std::uint64_t low = 0;
            forEachLane(lanes, [&](int lane) { low |= e.addresses[lane] - base; });
            s.refine(e.bytes, low);
        }
        const int shift = s.shift();
        const bool synchronises = e.kind == AccessKind::Atomic || e.ordering != ptx::Ordering::Weak;
        const bool orders = synchronises && !e.isMbarrier && !e.bulk;
        const bool acquires = orders && e.kind != AccessKind::Store;
        const bool releases = orders && e.kind != AccessKind::Load;
        const bool strong = e.ordering == ptx::Ordering::Release || e.ordering == ptx::Ordering::AcqRel || e.ordering == ptx::Ordering::SeqCst;
        if (e.kind == AccessKind::Load && !synchronises && e.misaligned == 0 && !e.asyncProxy && !s.anyAtomic()) {
            s.anyWritten() ? readCells<true>(s, e, lanes, base, ownBlockOnly) : readCells<false>(s, e, lanes, base, ownBlockOnly);
            return;
        }
        SegmentId mine = clocks.segment(e.warp);
        if (e.async && e.kind == AccessKind::Store)
            mine = copies[{e.warp, e.copy}] = clocks.pending(e.warp);
        if (e.bulk) {
            BulkSegments& bulk = bulks[{e.warp, e.copy}];
            SegmentId& side = e.kind == AccessKind::Load ? bulk.read : bulk.write;
            mine = side = side != 0 ? side : clocks.pendingBulk(e.warp);
        }
        if (e.isProduct)
            mine = productOf(e);
        const auto perCell = (static_cast<std::uint64_t>(e.bytes) + (1u << shift) - 1) >> shift;
        std::size_t previous = ~std::size_t{0};
        forEachLane(lanes, [&](int lane) {
            const auto first = static_cast<std::size_t>((e.addresses[lane] - base) >> shift);
            if (synchronises) {
                if (acquires)
                    clocks.acquire(location + (e.addresses[lane] - base), e.warp);
                for (std::size_t c = first; c < first + perCell; ++c)
                    atomicAccess(s, c, ownBlockOnly, mine, e, lane);
                if (releases) {
                    clocks.release(location + (e.addresses[lane] - base), e.warp, strong);
                    mine = clocks.segment(e.warp);
                }
                return;
            }
            if (first == previous && perCell == 1)
                return; // the same word as the lane before
            previous = first;
            for (std::size_t c = first; c < first + perCell && c < s.cells(); ++c) {
                if (e.kind == AccessKind::Load)
                    plainRead(s, c, ownBlockOnly, mine, e, lane);
                else
                    plainWrite(s, c, ownBlockOnly, mine, e, lane);
            }
        });
    }

    SegmentId productOf(const AccessEvent& e) {
        const auto [it, isNew] = products.try_emplace({e.warp / kWarpsPerGroup, e.copy}, SegmentId{0});
        if (isNew)
            it->second = clocks.pendingProduct(e.warp / kWarpsPerGroup);
        return it->second;
    }

    void productsWaited(const sim::ProductsDoneEvent& e) {
        const std::uint32_t group = e.warp / kWarpsPerGroup;
        const auto end = products.upper_bound({group, e.upTo});
        for (auto p = products.lower_bound({group, 0}); p != end; ++p)
            clocks.productWaited(p->second, e.warp);
        // The last warp to wait is done with them. Warps wait in the same order for the same products.
        std::uint64_t& waited = productWaits[{group, e.upTo}];
        if (++waited == kWarpsPerGroup) {
            products.erase(products.lower_bound({group, 0}), end);
            productWaits.erase(productWaits.lower_bound({group, 0}), productWaits.upper_bound({group, e.upTo}));
        }
    }

    /// What was copied is from now on as if the warp had written it itself.
    void copyArrives(const sim::CopyDoneEvent& e) {
        const auto copy = copies.find({e.warp, e.copy});
        if (copy == copies.end())
            return;
        const SegmentId mine = e.mbarrier >= 0 ? clocks.phaseSegment(static_cast<std::uint64_t>(e.mbarrier), e.warp) : clocks.segment(e.warp);
        forEachLane(e.lanes, [&](int lane) {
            const std::uint64_t end = e.addresses[lane] + static_cast<unsigned>(e.bytes);
            for (auto c = static_cast<std::size_t>(e.addresses[lane] >> shared.shift()); c << shared.shift() < end && c < shared.cells(); ++c)
                if (shared.write(c).segment == copy->second)
                    shared.write(c).segment = mine;
        });
        if (e.last)
            copies.erase(copy);
    }

    void bulkEnds(const sim::BulkDoneEvent& e) {
        const auto bulk = bulks.find({e.warp, e.copy});
        if (bulk == bulks.end())
            return;
        for (SegmentId* side : {&bulk->second.read, &bulk->second.write}) {
            if (*side == 0 || (e.onlyRead && side == &bulk->second.write))
                continue;
            if (e.mbarrier >= 0)
                clocks.endBulk(*side, static_cast<std::uint64_t>(e.mbarrier));
            else
                clocks.endBulkFor(*side, e.warp);
            *side = 0;
        }
        if (!e.onlyRead)
            bulks.erase(bulk);
    }

    void follow(const sim::MbarrierEvent& e) {
        using What = sim::MbarrierEvent::What;
        switch (e.what) {
        case What::Init: clocks.initMbarrier(e.address); return;
        case What::Release: clocks.releaseToMbarrier(e.address, e.warp); return;
        case What::RelaxedArrive: clocks.releaseFencedToMbarrier(e.address, e.warp); return;
        case What::Complete: clocks.completePhase(e.address); return;
        case What::Acquire: clocks.acquireFromMbarrier(e.address, e.warp); return;
        }
    }

    void uninitialised(const AccessEvent& e, LaneMask lanes) {
        LaneMask bad = 0;
        if (e.space == Space::Shared) {
            if (shared.allWritten())
                return;
            const int shift = shared.shift();
            const auto isBad = [&](int lane) {
                const auto first = static_cast<std::size_t>(e.addresses[lane] >> shift);
                const auto last = static_cast<std::size_t>((e.addresses[lane] + static_cast<unsigned>(e.bytes) - 1) >> shift);
                for (std::size_t c = first; c <= last && c < shared.cells(); ++c)
                    if (!shared.written(c))
                        return true;
                return false;
            };
            bool any = false;
            forEachLane(distinct(e, lanes), [&](int lane) { any = any || isBad(lane); });
            if (any)
                forEachLane(lanes, [&](int lane) { bad |= isBad(lane) ? LaneMask{1} << lane : 0; });
        } else if (!localInitialised.empty()) {
            forEachLane(lanes, [&](int lane) {
                const std::uint8_t* bytes = &localInitialised[(std::uint64_t{e.warp} * kWarpSize + static_cast<unsigned>(lane)) * localBytes];
                for (int i = 0; i < e.bytes; ++i)
                    if (e.addresses[lane] + static_cast<unsigned>(i) < localBytes && bytes[e.addresses[lane] + static_cast<unsigned>(i)] == 0)
                        bad |= LaneMask{1} << lane;
            });
        }
        if (bad != 0)
            laneFinding(FindingKind::Uninitialized, e, bad);
    }

    void judge(const AccessEvent& e) {
        block = e.block;
        if (e.outOfBounds != 0)
            laneFinding(FindingKind::OutOfBounds, e, e.outOfBounds);
        if (e.misaligned != 0)
            laneFinding(FindingKind::Misaligned, e, e.misaligned & ~e.outOfBounds);
        const LaneMask lanes = e.active & ~e.outOfBounds;
        if (lanes == 0)
            return;
        if (e.space == Space::Local) {
            if (e.kind != AccessKind::Store)
                uninitialised(e, lanes);
            if (e.kind != AccessKind::Load && localBytes != 0)
                forEachLane(lanes, [&](int lane) {
                    const std::uint64_t at = (std::uint64_t{e.warp} * kWarpSize + static_cast<unsigned>(lane)) * localBytes + e.addresses[lane];
                    if (e.addresses[lane] + static_cast<unsigned>(e.bytes) <= localBytes)
                        std::memset(&localInitialised[at], 1, static_cast<std::size_t>(e.bytes));
                });
            return;
        }
        if (e.space == Space::Shared) {
            if (e.kind != AccessKind::Store)
                uninitialised(e, lanes);
            cellsOf(shared, e, lanes, 0, true, Clocks::kSharedLocation);
            return;
        }
        if (e.space != Space::Global && e.space != Space::Const)
            return;
        if (e.allocation >= 0) {
            const auto a = static_cast<std::size_t>(e.allocation);
            cellsOf(shadowOf(a), e, lanes, memory.global.at(a).base, false, std::uint64_t{a + 1} << 40);
            return;
        }
        forEachLane(lanes, [&](int lane) {
            const auto a = static_cast<std::size_t>(memory.global.find(e.addresses[lane]));
            cellsOf(shadowOf(a), e, LaneMask{1} << lane, memory.global.at(a).base, false, std::uint64_t{a + 1} << 40);
        });
    }

    Shadow& shadowOf(std::size_t allocation) {
        Shadow& s = global[allocation];
        if (s.cells() == 0)
            s.reset(memory.global.at(allocation).size());
        return s;
    }

    void judgeLog() {
        std::vector<std::uint32_t> order(log.size());
        for (std::uint32_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(log[a].clock, log[a].warp) < std::pair(log[b].clock, log[b].warp);
        });
        for (const std::uint32_t i : order)
            log[i].judge();
        log.clear();
    }

    std::string listThreads(const Gathered& g) const;
    std::string message(const Gathered& g) const;
    std::string raceMessage(const Gathered& g) const;
    const char* whatIsMissing(const Gathered& g, bool sameBlock) const;
    bool isBulk(std::uint32_t pc) const { return launch.program->ops[pc].kind == sim::OpKind::CopyBulk; }
    std::string arrivalsText(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& arrivals) const;
    std::string mbarrierName(std::uint64_t at) const;
    std::vector<Finding> excessiveWaits() const;
    std::string deadlockMessage(const sim::DeadlockEvent& event) const;
    std::string productRaceMessage(const Gathered& g, const std::string& other, const char* verb, const std::string& otherPlace) const;
};

std::string Checker::State::listThreads(const Gathered& g) const {
    const Finding& f = g.finding;
    if (g.threads.size() <= 1)
        return fmt::format("Thread {}", threadText(f.thread->thread));
    std::vector<std::uint32_t> threads = g.threads;
    std::sort(threads.begin(), threads.end());
    const bool contiguous = threads.back() - threads.front() + 1 == threads.size();
    const auto name = [&](std::uint32_t t) {
        return threadText(launch.threadAt(t / kWarpSize, static_cast<int>(t % kWarpSize)));
    };
    if (contiguous && launch.block.y == 1 && launch.block.z == 1)
        return fmt::format("Threads {}-{}", name(threads.front()), name(threads.back()));
    return fmt::format("{} threads, the first {},", threads.size(), name(threads.front()));
}

std::string Checker::State::raceMessage(const Gathered& g) const {
    const Finding& f = g.finding;
    const bool sameBlock = f.otherThread->block == f.thread->block;
    const std::string reader = sameBlock ? fmt::format("warp {}", g.extra)
                                         : fmt::format("block {}", blockText(f.otherThread->block));
    const auto isCopy = [&](std::uint32_t pc) { return launch.program->ops[pc].kind == sim::OpKind::CopyAsync || isBulk(pc); };
    const char* verb = f.kind == FindingKind::RaceRaw   ? "reads"
                       : f.kind == FindingKind::RaceWar ? "overwrites"
                       : isCopy(f.pc)                   ? "copies to"
                                                        : "writes";
    const char* did = f.kind == FindingKind::RaceRaw   ? "wrote"
                      : f.kind == FindingKind::RaceWar ? "read"
                                                       : "wrote";
    const std::string otherPlace = f.otherLine != 0 ? fmt::format("line {}", f.otherLine)
                                                    : fmt::format("PTX line {}", f.otherPtxLine);
    const auto isProduct = [&](std::uint32_t pc) { return launch.program->ops[pc].kind == sim::OpKind::WarpgroupProduct; };
    if (isProduct(f.pc) || isProduct(g.otherPc))
        return productRaceMessage(g, reader, verb, otherPlace);
    if (isCopy(g.otherPc))
        did = f.kind == FindingKind::RaceWar ? "copies away" : "copies asynchronously";
    return fmt::format("Thread {} of block {} {} {}[{}] at {}, which {} {} at {}: {}.", threadText(f.thread->thread),
                       blockText(f.thread->block), verb, f.array, *f.index, place(f.pc), reader, did, otherPlace, whatIsMissing(g, sameBlock));
}

/// What would have ordered the two accesses of a race.
const char* Checker::State::whatIsMissing(const Gathered& g, bool sameBlock) const {
    const Finding& f = g.finding;
    const sim::Op& other = launch.program->ops[g.otherPc];
    if (g.lacksProxyFence)
        return "no fence.proxy.async stands between the two, without which the asynchronous proxy does not see what generic instructions wrote";
    if (isBulk(g.otherPc)) {
        if (launch.program->bulks[other.target].completion == ptx::BulkCompletion::Mbarrier)
            return "the copy is still under way, for this thread has not waited for the phase of its mbarrier that it belongs to";
        return f.kind == FindingKind::RaceWar ? "the copy may still be reading, for no cp.async.bulk.wait_group.read has waited for it"
                                              : "the copy may still be writing, for no cp.async.bulk.wait_group has waited for it";
    }
    if (g.otherPending)
        return "the copy is still under way, for no cp.async.wait_group has waited for it";
    if (other.kind == sim::OpKind::CopyAsync)
        return "no __syncthreads() stands between the wait for the copy and this";
    if (!sameBlock)
        return "no order between blocks is guaranteed";
    return f.space == Space::Shared ? "no __syncthreads() stands between the two" : "nothing orders the two";
}

/// A race in which a wgmma takes part; it only reads shared memory.
std::string Checker::State::productRaceMessage(const Gathered& g, const std::string& other, const char* verb, const std::string& otherPlace) const {
    const Finding& f = g.finding;
    const std::string at = place(f.pc), in = blockText(f.thread->block);
    if (f.kind == FindingKind::RaceWar)
        return fmt::format("Thread {} of block {} {} {}[{}] at {}, which the wgmma at {} reads: {}.", threadText(f.thread->thread), in, verb, f.array,
                           *f.index, at, otherPlace,
                           g.otherPending ? "it is still under way, for no wgmma.wait_group has waited for it"
                                          : "nothing orders this after the wait for the wgmma");
    const char* need = g.lacksProxyFence ? "a fence.proxy.async of those who wrote is missing before the barrier, without which the tensor cores may read "
                                     "what was there before"
                       : g.otherPending ? "the copy is still under way"
                                        : "no barrier stands between the two";
    return fmt::format("The wgmma at {} (warp of thread {}, block {}) reads {}[{}], which {} wrote at {}: {}.", at, threadText(f.thread->thread), in, f.array,
                       *f.index, other, otherPlace, need);
}

std::string Checker::State::message(const Gathered& g) const {
    const Finding& f = g.finding;
    const sim::Op& op = launch.program->ops[f.pc];
    // A copy reads one space and writes the other.
    const Space copied = op.kind == sim::OpKind::CopyAsync ? Space::Global
                         : op.kind == sim::OpKind::CopyBulk ? launch.program->bulks[op.target].source
                                                            : Space::Generic;
    const bool isLoad = op.kind == sim::OpKind::Load || op.kind == sim::OpKind::WarpgroupProduct || (copied != Space::Generic && f.space == copied) ||
                        (op.kind == sim::OpKind::FragmentMove && !launch.program->tensors[op.target].isStore);
    const char* verb = op.kind == sim::OpKind::Atomic ? (g.threads.size() > 1 ? "update" : "updates")
                       : isLoad ? (g.threads.size() > 1 ? "read" : "reads")
                                : (g.threads.size() > 1 ? "write" : "writes");
    const std::string where = f.thread ? fmt::format("of block {}", blockText(f.thread->block)) : "";
    switch (f.kind) {
    case FindingKind::RaceRaw:
    case FindingKind::RaceWar:
    case FindingKind::RaceWaw:
        return f.message.empty() ? raceMessage(g) : f.message; // of registers the fault has said it
    case FindingKind::OutOfBounds: {
        if (!f.message.empty())
            return f.message;
        const std::string others = g.blocks > 1 ? fmt::format(" The same happens in {} more.", plural(g.blocks - 1, "block")) : "";
        if (f.size.value_or(0) == 0 && f.space == Space::Global)
            return fmt::format("{} {} {} address 0x{:x} at {}, which belongs to no array.{}", listThreads(g), where, verb,
                               f.address.value_or(0), place(f.pc), others);
        return fmt::format("{} {} {} past the {} of {} at {}: thread {}, index {} of {}.{}", listThreads(g), where, verb,
                           *f.index < 0 ? "start" : "end", f.array, place(f.pc), threadText(f.thread->thread), *f.index, *f.size, others);
    }
    case FindingKind::Misaligned:
        if (!f.message.empty())
            return f.message;
        return fmt::format("{} {} {} {} bytes of {} at address 0x{:x}, which is not a multiple of {}, at {}: the hardware stops the kernel there "
                           "(misaligned address).",
                           listThreads(g), where, verb, g.extra, f.array, f.address.value_or(0), g.alignment, place(f.pc));
    case FindingKind::Uninitialized:
        return fmt::format("{} {} {} {} element {} at {}, which nothing has written before.", listThreads(g), where, verb, f.array, *f.index,
                           place(f.pc));
    default:
        return f.message;
    }
}

Checker::Checker(const sim::Launch& launch, const sim::Memory& memory, std::string sourceFile)
    : m_state(std::make_unique<State>(launch, memory, std::move(sourceFile))) {
    State& s = *m_state;
    s.global.resize(memory.global.count());
    s.shared.reset(launch.sharedBytes());
    s.logging = launch.schedule != sim::Schedule::InTurn;
    s.localBytes = launch.program->hasRecursion ? 0 : launch.program->frameBytes;
}

Checker::~Checker() = default;

void Checker::beginBlock(std::uint32_t block) {
    State& s = *m_state;
    s.block = block;
    const auto warps = static_cast<std::uint32_t>(s.launch.warpsPerBlock());
    s.clocks.beginBlock(block, warps);
    s.copies.clear();
    s.bulks.clear();
    s.products.clear();
    s.productWaits.clear();
    s.shared.clearWritten();
    if (s.localBytes != 0)
        s.localInitialised.assign(std::uint64_t{warps} * kWarpSize * s.localBytes, 0);
}

void Checker::endBlock(std::uint32_t) {
    if (!m_state->log.empty())
        m_state->judgeLog();
    m_state->copyWaits.endBlock();
}

void Checker::access(const sim::AccessEvent& event) {
    State& s = *m_state;
    if (event.unchecked != 0 || event.outOfBoundsOfElement != nullptr) {
        elements(event);
        return;
    }
    // In each warp's own order, which every schedule has.
    if (event.space == Space::Shared && event.kind == AccessKind::Load)
        s.copyWaits.read(event);
    else if (event.space == Space::Shared && !event.async)
        s.copyWaits.written(event);
    if (!s.logging) {
        s.judge(event);
        return;
    }
    s.happens(event.clock, event.warp, [&s, copy = event, addresses = addressesOf(event)]() mutable {
        copy.addresses = addresses.data();
        s.judge(copy);
    });
    if (s.log.size() > kMaxLogged)
        s.judgeLog();
}

/// Of an access that stands for several instructions each element is judged as one of its own.
void Checker::elements(const sim::AccessEvent& event) {
    sim::AccessEvent one = event;
    std::uint64_t addresses[kWarpSize];
    one.bytes = event.elementBytes;
    one.addresses = addresses;
    one.unchecked = 0;
    one.outOfBoundsOfElement = nullptr;
    for (int e = 0; e * event.elementBytes < event.bytes; ++e) {
        if ((event.unchecked >> e & 1) != 0)
            continue;
        one.misaligned = 0;
        for (int lane = 0; lane < kWarpSize; ++lane) {
            addresses[lane] = event.addresses[lane] + static_cast<unsigned>(e * event.elementBytes);
            one.misaligned |= addresses[lane] % static_cast<unsigned>(event.elementBytes) != 0 ? event.active & LaneMask{1} << lane : 0;
        }
        one.outOfBounds = event.outOfBoundsOfElement != nullptr ? event.outOfBoundsOfElement[e] : 0;
        access(one);
    }
}

void Checker::barrier(const sim::BarrierEvent& event) {
    State& s = *m_state;
    const bool different = event.otherPc != event.pc;
    if (event.partial || event.exitedThreads != 0 || event.hung || different) {
        State::Gathered& g = s.gather(FindingKind::BarrierDivergence, event.pc, "");
        Finding& f = g.finding;
        if (f.occurrences++ == 0) {
            const std::uint32_t warp = event.partial ? event.partialWarp : event.released.empty() ? 0 : event.released[0];
            f.thread = s.threadOf(event.block, warp, event.partial ? firstLane(event.partialWarpLanes) : 0);
            const std::string at = s.place(event.pc);
            const std::string in = s.blockText(f.thread->block);
            if (event.hung)
                f.message = fmt::format("The barrier at {} of block {} waits for threads that never come: only {} arrived. The hardware may hang here; "
                                        "the simulation lets them go on.",
                                        at, in, plural(event.released.size(), "warp"));
            else if (event.partial)
                f.message = fmt::format("Only {} of warp {} in block {} reach the barrier at {} together: a barrier must be reached by all threads "
                                        "of the block.",
                                        plural(static_cast<std::uint64_t>(laneCount(event.partialWarpLanes)), "lane"), event.partialWarp, in, at);
            else if (event.exitedThreads == 0)
                f.message = fmt::format("Threads of block {} come to different barriers, at {} and {}: one barrier must be reached by all threads of "
                                        "the block.",
                                        in, at, s.place(event.otherPc));
            else
                f.message = fmt::format("{} of block {} had already returned when the others passed the barrier at {}.",
                                        plural(event.exitedThreads, "thread"), in, at);
        }
    }
    if (!s.logging) {
        s.clocks.barrier(event.released, event.arrivedOnly, event.wholeBlock);
        return;
    }
    const auto owned = [](std::span<const std::uint32_t> warps) { return std::vector(warps.begin(), warps.end()); };
    s.happens(event.clock, -1, [&s, released = owned(event.released), arrivedOnly = owned(event.arrivedOnly), wholeBlock = event.wholeBlock] {
        s.clocks.barrier(released, arrivedOnly, wholeBlock);
    });
}

void Checker::fence(std::uint32_t, std::uint32_t warp, std::uint64_t clock, ptx::Scope) {
    m_state->happens(clock, warp, [&s = *m_state, warp] { s.clocks.fence(warp); });
}

void Checker::copiesWaited(const sim::CopiesWaitedEvent& event) { m_state->copyWaits.waited(event); }

void Checker::copyDone(const sim::CopyDoneEvent& event) {
    m_state->copyWaits.copyDone(event);
    m_state->happens(event.clock, event.warp, [&s = *m_state, copy = event, addresses = addressesOf(event)]() mutable {
        copy.addresses = addresses.data();
        s.copyArrives(copy);
    });
}

void Checker::bulkDone(const sim::BulkDoneEvent& event) {
    m_state->happens(event.clock, event.warp, [&s = *m_state, event] { s.bulkEnds(event); });
}

void Checker::mbarrier(const sim::MbarrierEvent& event) {
    // A phase ends after all that belongs to it.
    const std::int64_t warp = event.what == sim::MbarrierEvent::What::Complete ? std::int64_t{1} << 32 : event.warp;
    m_state->happens(event.clock, warp, [&s = *m_state, event] { s.follow(event); });
}

void Checker::proxyFence(std::uint32_t, std::uint32_t warp, std::uint64_t clock) {
    m_state->happens(clock, warp, [&s = *m_state, warp] { s.clocks.proxyFence(warp); });
}

/// "warp 0 at line 12 and warp 3 at line 40"
std::string Checker::State::arrivalsText(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& arrivals) const {
    std::map<std::string, std::set<std::uint32_t>> byPlace;
    for (const auto& [warp, pc] : arrivals)
        byPlace[place(pc)].insert(warp);
    std::string text;
    for (const auto& [where, arrived] : byPlace) {
        const std::vector<std::uint32_t> warps(arrived.begin(), arrived.end());
        const bool isRange = warps.size() > 1 && warps.back() - warps.front() + 1 == warps.size();
        std::string who = fmt::format("warp {}", warps.front());
        if (isRange)
            who = fmt::format("warps {}-{}", warps.front(), warps.back());
        else if (warps.size() > 1)
            who = fmt::format("warps {}", fmt::join(warps, ", "));
        text += fmt::format("{}{} at {}", text.empty() ? "" : " and ", who, where);
    }
    return text;
}

/// "full[2]"
std::string Checker::State::mbarrierName(std::uint64_t at) const {
    constexpr std::uint64_t kBytes = 8;
    const Element element = sharedElement(at, kBytes);
    return fmt::format("{}[{}]", element.array, element.index);
}

std::string Checker::State::deadlockMessage(const sim::DeadlockEvent& e) const {
    const std::string who = e.warps.size() == 1 ? fmt::format("Warp {} of block {} waits", e.warp, blockText(launch.blockAt(e.block)))
                                                : fmt::format("Warps {} of block {} wait", fmt::join(e.warps, ", "), blockText(launch.blockAt(e.block)));
    if (e.address == sim::MbarrierEvent::kClusterBarrier)
        return fmt::format("Deadlock: {} at {} for barrier.cluster, at which {} of {} threads have not arrived.", who, place(e.pc), e.pending, e.expected);
    std::string text = fmt::format("Deadlock: {} at {} for the phase of parity {} of the mbarrier {} (byte {} of shared memory), which is in phase {}: ", who,
                                   place(e.pc), e.waitsForParity ? 1 : 0, mbarrierName(e.address), e.address, e.phases);
    if (e.pending != 0)
        text += fmt::format("{} of {} {} missing", e.pending, plural(e.expected, "arrival"), e.pending == 1 ? "is" : "are");
    if (e.bytes != 0)
        text += fmt::format("{}{}", e.pending != 0 ? ", and " : "",
                            e.bytes > 0 ? fmt::format("{} bytes that were expected have not been copied", e.bytes)
                                        : fmt::format("{} more bytes were copied than expected", -e.bytes));
    if (e.expected == 0)
        text += "nobody has initialised it";
    text += ".";
    if (!e.arrivedNow.empty())
        text += fmt::format(" In this phase arrived: {}.", arrivalsText(e.arrivedNow));
    if (e.pending != 0 && !e.arrivedBefore.empty())
        text += fmt::format(" In the phase before arrived: {}.", arrivalsText(e.arrivedBefore));
    else if (e.pending != 0 && e.arrivedNow.empty() && e.phases == 0)
        text += " Nobody has ever arrived at it.";
    return text;
}

void Checker::deadlock(const sim::DeadlockEvent& event) {
    State& s = *m_state;
    s.block = event.block;
    // Waits for different mbarriers may be one line, that of a function.
    const bool isMbarrier = event.address != sim::MbarrierEvent::kClusterBarrier;
    State::Gathered& g = s.gather(FindingKind::DidNotFinish, event.pc, isMbarrier ? s.mbarrierName(event.address) : std::string());
    Finding& f = g.finding;
    if (f.occurrences++ != 0)
        return;
    f.thread = s.threadOf(event.block, event.warp, event.lanes != 0 ? firstLane(event.lanes) : 0);
    f.space = Space::Shared;
    f.address = event.address;
    f.message = s.deadlockMessage(event);
}

void Checker::productsDone(const sim::ProductsDoneEvent& event) {
    m_state->happens(event.clock, event.warp, [&s = *m_state, event] { s.productsWaited(event); });
}

void Checker::fault(const sim::FaultEvent& event) {
    State& s = *m_state;
    using sim::FaultKind;
    State::Gathered& g = s.gather(kindOf(event.kind), event.pc, "");
    Finding& f = g.finding;
    if (f.occurrences++ != 0)
        return;
    const int lane = event.lanes != 0 ? firstLane(event.lanes) : 0;
    f.thread = s.threadOf(event.block, event.warp, lane);
    const std::string who = fmt::format("warp {} of block {}", event.warp, s.blockText(f.thread->block));
    const std::string at = s.place(event.pc);
    switch (event.kind) {
    case FaultKind::PartialWarpgroup:
    case FaultKind::DifferentWarpgroup:
    case FaultKind::PendingResultRead:
    case FaultKind::PendingRegisterWrite:
    case FaultKind::NoWarpgroupFence:
        f.otherLine = s.lineOf(static_cast<std::uint32_t>(event.value));
        f.otherPtxLine = s.ptxLineOf(static_cast<std::uint32_t>(event.value));
        f.otherThread = f.thread;
        f.message = warpgroupMessage(event, at, s.place(static_cast<std::uint32_t>(event.value)), who);
        break;
    case FaultKind::Trap:
        f.message = fmt::format("Thread {} of block {} stopped the kernel with a trap at {} (a failed assertion or __trap).",
                                s.threadText(f.thread->thread), s.blockText(f.thread->block), at);
        break;
    case FaultKind::Budget:
        f.message = fmt::format("The kernel did not end within its budget of warp instructions: {} is at {}. It may be endless; "
                                "blocks are simulated one after another, so that one which waits for a later block never ends; raise the limit if it is only long.",
                                who, at);
        break;
    case FaultKind::PartialWarpSync:
        f.message = fmt::format("The member mask at {} names lanes that never come: {} has lanes 0x{:08x} there, 0x{:08x} are missing.", at, who,
                                event.lanes, event.missing);
        break;
    case FaultKind::PartialTensor:
        f.message = fmt::format("Tensor instructions need all 32 lanes of a warp: {} has only lanes 0x{:08x} at {}.", who, event.lanes, at);
        break;
    case FaultKind::CallStackOverflow:
        f.message = fmt::format("The call stack of {} overflows at {}: the recursion is deeper than its limit.", who, at);
        break;
    case FaultKind::BulkSize:
        f.message = fmt::format("Thread {} of block {} copies {} bytes at {}: bulk copies are of a multiple of 16 bytes, only {} are copied here.",
                                s.threadText(f.thread->thread), s.blockText(f.thread->block), event.value, at, event.value / 16 * 16);
        break;
    case FaultKind::BadTensorMap:
        f.message = fmt::format("Thread {} of block {} finds no tensor map at address 0x{:x}, which {} names. The driver's 128 bytes are not documented, so "
                                "the simulator reads only maps that the launch makes: give that argument as tensormap:..., passed as a "
                                "__grid_constant__ const CUtensorMap or by pointer.",
                                s.threadText(f.thread->thread), s.blockText(f.thread->block), event.value, at);
        break;
    case FaultKind::MapDimensions:
        f.message = fmt::format("Thread {} of block {} uses a tensor map of {} dimensions at {}, whose instruction is for another number.",
                                s.threadText(f.thread->thread), s.blockText(f.thread->block), event.value, at);
        break;
    case FaultKind::BoxStart:
        f.message = fmt::format("Thread {} of block {} copies a box at {} that begins {} bytes along the innermost dimension, which is not a multiple of 16: "
                                "the hardware stops the kernel there (illegal instruction).",
                                s.threadText(f.thread->thread), s.blockText(f.thread->block), at, static_cast<std::int64_t>(event.value));
        break;
    case FaultKind::NegativeBox:
        f.message = fmt::format("Thread {} of block {} writes a box at a negative coordinate at {}: only loads may begin before the tensor, the hardware stops "
                                "the kernel there (illegal instruction).",
                                s.threadText(f.thread->thread), s.blockText(f.thread->block), at);
        break;
    case FaultKind::TooManyArrivals:
        f.message = fmt::format("Thread {} of block {} arrives at {} at the mbarrier at byte {} of shared memory, whose present phase has all its arrivals: "
                                "more threads arrive than mbarrier.init was told, which is undefined.",
                                s.threadText(f.thread->thread), s.blockText(f.thread->block), at, event.value);
        break;
    case FaultKind::BadCall:
        f.message = fmt::format("A call through a pointer at {} of {} goes to no function.", at, who);
        break;
    }
}

/// Waits of one line are one finding: what all of them could leave under way. None where some wait for too little: what was read then says
/// nothing.
std::vector<Finding> Checker::State::excessiveWaits() const {
    if (std::any_of(gathered.begin(), gathered.end(), [](const auto& entry) { return entry.second.otherPending; }))
        return {};
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, CopyWaits::Wait>> byLine; // or by instruction
    for (const auto& [pc, wait] : copyWaits.waits()) {
        const auto [at, isNew] = byLine.try_emplace({lineOf(pc), lineOf(pc) != 0 ? 0 : pc}, pc, wait);
        CopyWaits::Wait& all = at->second.second;
        if (isNew)
            continue;
        all.executions += wait.executions;
        all.allowed = std::max(all.allowed, wait.allowed);
        all.couldAllow = std::min(all.couldAllow, wait.couldAllow);
    }
    std::vector<Finding> out;
    for (const auto& [line, found] : byLine) {
        const auto& [pc, wait] = found;
        if (wait.couldAllow == ~0ull || wait.couldAllow <= wait.allowed)
            continue;
        Finding f = findingAt(FindingKind::WaitExcess, pc);
        f.occurrences = wait.executions;
        f.space = Space::Shared;
        const bool isAll = launch.program->ops[pc].kind == sim::OpKind::WaitForAllCopies;
        const std::uint64_t more = wait.couldAllow - wait.allowed;
        f.message = fmt::format("{} at {} waits for more than is read before the next wait: {} would do, and the newest {} could still be under way while the "
                                "warp works on what has come.",
                                isAll ? "cp.async.wait_all" : fmt::format("cp.async.wait_group {}", wait.allowed), place(pc),
                                fmt::format("{}cp.async.wait_group {}", isAll ? "a commit and " : "", wait.couldAllow), more == 1 ? "group" : plural(more, "group"));
        out.push_back(std::move(f));
    }
    return out;
}

std::vector<Finding> Checker::findings() const {
    std::vector<Finding> out = m_state->excessiveWaits();
    for (const auto& [key, g] : m_state->gathered) {
        Finding f = g.finding;
        f.message = m_state->message(g);
        out.push_back(std::move(f));
    }
    std::stable_sort(out.begin(), out.end(), [](const Finding& a, const Finding& b) {
        const auto rank = [](const Finding& f) { return f.kind == FindingKind::DidNotFinish ? 0 : f.kind == FindingKind::OutOfBounds ? 1 : 2; };
        return std::tuple(rank(a), a.kind, a.line, a.ptxLine) < std::tuple(rank(b), b.kind, b.line, b.ptxLine);
    });
    return out;
}

Checker::Traffic Checker::traffic() const {
    Traffic t;
    for (const Shadow& s : m_state->global) {
        t.sectorsRead += s.sectorsRead();
        t.sectorsWritten += s.sectorsWritten();
    }
    return t;
}

} // namespace lanescope::check
