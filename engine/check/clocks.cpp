// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/check/clocks.h"

#include <algorithm>

namespace lanescope::check {

void Clocks::beginBlock(std::uint32_t block, std::uint32_t warps) {
    m_block = block;
    m_current.assign(warps, 0);
    m_known.resize(warps);
    for (std::uint32_t w = 0; w < warps; ++w) {
        m_known[w].own.assign(warps, 0);
        m_known[w].own[w] = 1;
        m_known[w].fenced.clear();
        m_known[w].block = block;
        m_known[w].others.reset();
    }
    m_components = warps;
    m_mbarriers.clear();
    m_groupComponents.assign(warps, {});
    m_fenced.assign(warps, nullptr);
    m_sharedPublished.clear();
    m_firstUnordered = m_firstUnsettled = static_cast<SegmentId>(m_segments.size());
    m_anyPending = false;
}

SegmentId Clocks::newSegment(std::uint32_t warp) {
    m_segments.push_back({m_block, m_known[warp].own[warp],
                          (std::uint64_t{m_block} << 32) | warp, static_cast<std::uint16_t>(warp), warp, false});
    return m_current[warp] = static_cast<SegmentId>(m_segments.size() - 1);
}

SegmentId Clocks::pending(std::uint32_t warp) {
    m_anyPending = true;
    m_segments.push_back({m_block, kPendingEpoch, (std::uint64_t{m_block} << 32) | warp, static_cast<std::uint16_t>(warp), warp, false});
    return static_cast<SegmentId>(m_segments.size() - 1);
}

std::uint32_t Clocks::newComponent() { return m_components++; }

SegmentId Clocks::pendingBulk(std::uint32_t warp) {
    const SegmentId s = pending(warp);
    // Each copy is an actor of its own.
    m_segments[s].actor = (std::uint64_t{m_block} << 32) | 0x8000'0000u | s;
    m_segments[s].isBulk = true;
    return s;
}

Clocks::Mbarrier& Clocks::mbarrierAt(std::uint64_t address) {
    Mbarrier& m = m_mbarriers[address];
    if (m.component == 0) {
        m.component = newComponent();
        m.thisPhase.block = m.phasesBefore.block = m_block;
    }
    return m;
}

void Clocks::endBulk(SegmentId copy, std::uint64_t mbarrier) {
    Mbarrier& m = mbarrierAt(mbarrier);
    Segment& s = m_segments[copy];
    s.component = m.component;
    s.epoch = ++m.epoch;
    if (m.thisPhase.own.size() <= m.component)
        m.thisPhase.own.resize(m.component + 1);
    m.thisPhase.own[m.component] = m.epoch;
}

SegmentId Clocks::phaseSegment(std::uint64_t mbarrier, std::uint32_t warp) {
    const SegmentId s = pendingBulk(warp);
    m_segments[s].isBulk = false; // cp.async writes as the thread does
    endBulk(s, mbarrier);
    return s;
}

void Clocks::endBulkFor(SegmentId copy, std::uint32_t warp) {
    auto& [component, epoch] = m_groupComponents[warp];
    if (component == 0)
        component = newComponent();
    Segment& s = m_segments[copy];
    s.component = component;
    s.epoch = ++epoch;
    std::vector<std::uint32_t>& own = m_known[warp].own;
    if (own.size() <= component)
        own.resize(component + 1);
    own[component] = epoch;
    m_firstUnordered = kNever;
}

void Clocks::initMbarrier(std::uint64_t mbarrier) {
    Mbarrier& m = mbarrierAt(mbarrier);
    m.thisPhase = m.phasesBefore = Knowledge{};
    m.thisPhase.block = m.phasesBefore.block = m_block;
}

void Clocks::releaseToMbarrier(std::uint64_t mbarrier, std::uint32_t warp) {
    joinOthers(mbarrierAt(mbarrier).thisPhase, m_known[warp]);
    newEpoch(warp);
}

void Clocks::releaseFencedToMbarrier(std::uint64_t mbarrier, std::uint32_t warp) {
    if (m_fenced[warp])
        joinOthers(mbarrierAt(mbarrier).thisPhase, *m_fenced[warp]);
}

void Clocks::completePhase(std::uint64_t mbarrier) {
    Mbarrier& m = mbarrierAt(mbarrier);
    joinOthers(m.phasesBefore, m.thisPhase);
    m.thisPhase = Knowledge{};
    m.thisPhase.block = m_block;
}

void Clocks::acquireFromMbarrier(std::uint64_t mbarrier, std::uint32_t warp) {
    m_firstUnordered = kNever;
    const std::uint32_t own = m_known[warp].own[warp];
    joinOthers(m_known[warp], mbarrierAt(mbarrier).phasesBefore);
    m_known[warp].own[warp] = own;
}

void Clocks::proxyFence(std::uint32_t warp) {
    Knowledge& known = m_known[warp];
    join(known.fenced, known.own);
    newEpoch(warp);
}

bool Clocks::crossesProxyFence(SegmentId earlier, std::uint32_t warp) const {
    const Segment& s = m_segments[earlier];
    const std::vector<std::uint32_t>& fenced = m_known[warp].fenced;
    return s.block != m_block || (s.component < fenced.size() && fenced[s.component] >= s.epoch);
}

SegmentId Clocks::pendingProduct(std::uint32_t warpgroup) {
    m_anyPending = true;
    // An actor of its own, so that no warp is taken for the reader itself.
    const std::uint64_t actor = (std::uint64_t{m_block} << 32) | 0x4000'0000u | warpgroup;
    m_segments.push_back({m_block, kPendingEpoch, actor, static_cast<std::uint16_t>(warpgroup * kWarpsPerGroup), kNoComponent, false,
                          static_cast<std::int32_t>(m_waits.size())});
    m_waits.emplace_back();
    return static_cast<SegmentId>(m_segments.size() - 1);
}

void Clocks::productWaited(SegmentId product, std::uint32_t warp) {
    const auto at = static_cast<std::size_t>(m_segments[product].product);
    m_waits[at][warp % kWarpsPerGroup] = m_known[warp].own[warp];
}

void Clocks::newEpoch(std::uint32_t warp) {
    ++m_known[warp].own[warp];
    m_current[warp] = 0;
}

bool Clocks::ordered(SegmentId earlier, std::uint32_t warp) const {
    const Segment& s = m_segments[earlier];
    const Knowledge& known = m_known[warp];
    if (s.epoch == kPendingEpoch) {
        if (s.product < 0 || s.block != m_block)
            return false;
        const Waits& waits = m_waits[static_cast<std::size_t>(s.product)];
        for (std::uint32_t i = 0; i < kWarpsPerGroup; ++i)
            if (waits[i] != 0 && (s.warp + i == warp || known.own[s.warp + i] >= waits[i]))
                return true;
        return false;
    }
    if (s.block == m_block)
        return s.component == warp || (s.component < known.own.size() && known.own[s.component] >= s.epoch);
    if (!known.others)
        return false;
    const auto it = known.others->find(s.block);
    return it != known.others->end() && s.component < it->second.size() && it->second[s.component] >= s.epoch;
}

void Clocks::join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
    if (into.size() < from.size())
        into.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
        into[i] = std::max(into[i], from[i]);
}

void Clocks::joinOthers(Knowledge& into, const Knowledge& from) {
    // What a block of others has passed on of this one's own warps.
    if (from.others && from.block != into.block)
        if (const auto own = from.others->find(into.block); own != from.others->end())
            join(into.own, own->second);
    if (from.others && from.others != into.others) {
        if (!into.others) {
            into.others = from.others;
        } else {
            auto merged = std::make_shared<std::map<std::uint32_t, std::vector<std::uint32_t>>>(*into.others);
            for (const auto& [block, epochs] : *from.others)
                join((*merged)[block], epochs);
            into.others = std::move(merged);
        }
    }
    if (from.block != into.block) {
        auto merged = into.others ? std::make_shared<std::map<std::uint32_t, std::vector<std::uint32_t>>>(*into.others)
                                  : std::make_shared<std::map<std::uint32_t, std::vector<std::uint32_t>>>();
        join((*merged)[from.block], from.own);
        into.others = std::move(merged);
    } else {
        join(into.own, from.own);
        join(into.fenced, from.fenced);
    }
}

void Clocks::barrier(std::span<const std::uint32_t> released, std::span<const std::uint32_t> arrivedOnly,
                     bool wholeBlock) {
    if (released.empty() && arrivedOnly.empty())
        return;
    Knowledge all;
    all.block = m_block;
    all.own.assign(m_known.size(), 0);
    for (const auto list : {released, arrivedOnly})
        for (const std::uint32_t w : list)
            joinOthers(all, m_known[w]);
    for (const std::uint32_t w : released) {
        m_known[w] = all;
        newEpoch(w);
    }
    for (const std::uint32_t w : arrivedOnly)
        newEpoch(w);
    if (released.size() == m_known.size())
        m_firstUnsettled = static_cast<SegmentId>(m_segments.size());
    m_firstUnordered = wholeBlock ? static_cast<SegmentId>(m_segments.size()) : kNever;
}

void Clocks::fence(std::uint32_t warp) {
    m_firstUnordered = kNever;
    m_fenced[warp] = std::make_shared<Knowledge>(m_known[warp]);
    newEpoch(warp);
}

void Clocks::release(std::uint64_t location, std::uint32_t warp, bool accessReleases) {
    auto& published = (location & kSharedLocation) != 0 ? m_sharedPublished : m_published;
    if (!accessReleases && !m_fenced[warp])
        return;
    const Knowledge& from = accessReleases ? m_known[warp] : *m_fenced[warp];
    auto [it, isNew] = published.try_emplace(location);
    if (isNew)
        it->second = from;
    else
        joinOthers(it->second, from);
    if (accessReleases)
        newEpoch(warp);
}

void Clocks::acquire(std::uint64_t location, std::uint32_t warp) {
    auto& published = (location & kSharedLocation) != 0 ? m_sharedPublished : m_published;
    const auto it = published.find(location);
    if (it == published.end())
        return;
    m_firstUnordered = kNever;
    const std::uint32_t own = m_known[warp].own[warp];
    joinOthers(m_known[warp], it->second);
    m_known[warp].own[warp] = own;
}

} // namespace lanescope::check
