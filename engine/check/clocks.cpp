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
        m_known[w].block = block;
        m_known[w].others.reset();
    }
    m_fenced.assign(warps, nullptr);
    m_sharedPublished.clear();
    m_firstUnordered = m_firstUnsettled = static_cast<SegmentId>(m_segments.size());
    m_anyPending = false;
}

SegmentId Clocks::newSegment(std::uint32_t warp) {
    m_segments.push_back({m_block, m_known[warp].own[warp],
                          (std::uint64_t{m_block} << 16) | warp, static_cast<std::uint16_t>(warp)});
    return m_current[warp] = static_cast<SegmentId>(m_segments.size() - 1);
}

SegmentId Clocks::pending(std::uint32_t warp) {
    m_anyPending = true;
    m_segments.push_back({m_block, kPendingEpoch, (std::uint64_t{m_block} << 16) | warp, static_cast<std::uint16_t>(warp)});
    return static_cast<SegmentId>(m_segments.size() - 1);
}

void Clocks::newEpoch(std::uint32_t warp) {
    ++m_known[warp].own[warp];
    m_current[warp] = 0;
}

bool Clocks::ordered(SegmentId earlier, std::uint32_t warp) const {
    const Segment& s = m_segments[earlier];
    const Knowledge& known = m_known[warp];
    if (s.epoch == kPendingEpoch)
        return false;
    if (s.block == m_block)
        return s.warp == warp || known.own[s.warp] >= s.epoch;
    if (!known.others)
        return false;
    const auto it = known.others->find(s.block);
    return it != known.others->end() && s.warp < it->second.size() && it->second[s.warp] >= s.epoch;
}

void Clocks::join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
    if (into.size() < from.size())
        into.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
        into[i] = std::max(into[i], from[i]);
}

void Clocks::joinOthers(Knowledge& into, const Knowledge& from) {
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
