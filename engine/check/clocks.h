// SPDX-License-Identifier: GPL-3.0-or-later
// Happens-before between warps. A *segment* is what one warp of one block does between two synchronisations; vector clocks say which
// segments of others a warp has seen the end of. Barriers join the clocks of those who pass; a fence followed by an atomic (or volatile)
// access publishes a clock at that address, and an atomic (or volatile) load there takes it over.
// After FastTrack (Flanagan and Freund, PLDI 2009), with warps for threads.
//
// A bulk copy is an actor beside the warps: nothing comes after it until it has ended and that has been seen. All copies that one mbarrier is
// told about share a clock component, whose value an mbarrier publishes phase by phase; copies out of shared memory have one a warp, whose
// waits read it. What generic instructions wrote is seen by the asynchronous proxy only across a proxy fence: a second vector says which
// segments come before a proxy fence that comes before now.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/base/lane_mask.h"

namespace lanescope::check {

using SegmentId = std::uint32_t; ///< 0: none

class Clocks {
public:
    void beginBlock(std::uint32_t block, std::uint32_t warps);

    /// The segment that the warp is in.
    SegmentId segment(std::uint32_t warp) {
        return m_current[warp] != 0 ? m_current[warp] : newSegment(warp);
    }
    std::uint32_t block(SegmentId s) const { return m_segments[s].block; }
    /// The warp whose segment it is, or that issued the copy.
    std::uint32_t warp(SegmentId s) const { return m_segments[s].warp; }
    /// The same for all segments of one warp of one block.
    std::uint64_t actor(SegmentId s) const { return m_segments[s].actor; }
    /// A segment of its own for a copy that the warp has issued: nothing comes after it, not even in the warp.
    SegmentId pending(std::uint32_t warp);
    /// One for a wgmma, which a whole warpgroup has issued: over for whoever comes after the wait of any of its warps.
    SegmentId pendingProduct(std::uint32_t warpgroup);
    void productWaited(SegmentId product, std::uint32_t warp);
    bool isPending(SegmentId s) const {
        const Segment& segment = m_segments[s];
        return segment.epoch == kPendingEpoch && (segment.product < 0 || m_waits[static_cast<std::size_t>(segment.product)] == Waits{});
    }
    /// The same for a bulk copy, whose segment stays apart from the warp's own when it has ended.
    SegmentId pendingBulk(std::uint32_t warp);
    bool isBulk(SegmentId s) const { return m_segments[s].isBulk; }
    /// Two segments of different warps from this one on are unordered, and only the next barrier of the whole block orders them: every
    /// segment since the last such barrier, as long as no other synchronisation happened.
    SegmentId firstUnordered() const { return m_firstUnordered; }

    /// Whether a segment of the present block happens before what any of its warps does now, as far as that is quick to say: it began
    /// before a barrier that all of them passed.
    bool settled(SegmentId s) const { return s < m_firstUnsettled && !(m_anyPending && (isPending(s) || isOfCopies(s))); }

    /// Whether everything of segment `earlier` happens before what `warp` of the current block does now.
    bool ordered(SegmentId earlier, std::uint32_t warp) const;

    /// All of `released` see what they and `arrivedOnly` did before. wholeBlock: every warp that has not ended is among them.
    void barrier(std::span<const std::uint32_t> released, std::span<const std::uint32_t> arrivedOnly, bool wholeBlock);
    /// What the warp did so far may be published by its later atomics.
    void fence(std::uint32_t warp);
    /// Publishes at the location: the clock of the last fence, or the present one when the access itself releases.
    void release(std::uint64_t location, std::uint32_t warp, bool accessReleases);
    void acquire(std::uint64_t location, std::uint32_t warp);
    /// A new segment that belongs to the phase that the mbarrier is in: seen by who sees the phase end.
    SegmentId phaseSegment(std::uint64_t mbarrier, std::uint32_t warp);
    /// A bulk copy has ended, as its mbarrier was told, or as a wait of the warp for its group has seen.
    void endBulk(SegmentId copy, std::uint64_t mbarrier);
    void endBulkFor(SegmentId copy, std::uint32_t warp);
    void initMbarrier(std::uint64_t mbarrier);
    void releaseToMbarrier(std::uint64_t mbarrier, std::uint32_t warp);
    /// A relaxed arrival: only what the warp's last fence covers.
    void releaseFencedToMbarrier(std::uint64_t mbarrier, std::uint32_t warp);
    void completePhase(std::uint64_t mbarrier);
    void acquireFromMbarrier(std::uint64_t mbarrier, std::uint32_t warp);
    void proxyFence(std::uint32_t warp);
    /// Whether a proxy fence stands between the segment of a warp of this block and what `warp` does now. Only of ordered segments.
    bool crossesProxyFence(SegmentId earlier, std::uint32_t warp) const;
    /// Marks locations of shared memory, which belong to one block.
    static constexpr std::uint64_t kSharedLocation = std::uint64_t{1} << 63;

private:
    struct Segment {
        std::uint32_t block = 0;
        std::uint32_t epoch = 0;
        std::uint64_t actor = 0;
        std::uint16_t warp = 0;
        std::uint32_t component = 0; ///< of the clocks: the warp, or one of the copies'
        bool isBulk = false;
        std::int32_t product = -1; ///< index into m_waits: a wgmma, which has no component
    };
    static constexpr std::uint32_t kNoComponent = 0xffff'ffffu;
    using Waits = std::array<std::uint32_t, kWarpsPerGroup>; ///< epoch in which each warp of the warpgroup waited, 0: not yet
    /// What is known: epochs of the own block's warps, and those of other blocks.
    struct Knowledge {
        std::vector<std::uint32_t> own;
        std::vector<std::uint32_t> fenced; ///< of own, what comes before a proxy fence
        std::uint32_t block = 0;
        std::shared_ptr<const std::map<std::uint32_t, std::vector<std::uint32_t>>> others;
    };
    static void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from);
    static void joinOthers(Knowledge& into, const Knowledge& from);
    SegmentId newSegment(std::uint32_t warp);
    std::uint32_t newComponent();
    struct Mbarrier {
        std::uint32_t component = 0; ///< 0: none yet
        std::uint32_t epoch = 0;
        Knowledge thisPhase, phasesBefore;
    };
    Mbarrier& mbarrierAt(std::uint64_t address);
    void newEpoch(std::uint32_t warp);
    bool isOfCopies(SegmentId s) const { return m_segments[s].component >= m_known.size(); }

    std::vector<Waits> m_waits;
    std::vector<Segment> m_segments{1};
    SegmentId m_firstUnordered = 1, m_firstUnsettled = 1;
    bool m_anyPending = false; ///< in the present block
    static constexpr SegmentId kNever = 0xffffffffu;
    static constexpr std::uint32_t kPendingEpoch = 0xffffffffu;
    std::uint32_t m_block = 0;
    std::vector<SegmentId> m_current;
    std::vector<Knowledge> m_known;  ///< by warp; own[w] of warp w is its epoch
    std::vector<std::shared_ptr<Knowledge>> m_fenced;
    std::unordered_map<std::uint64_t, Knowledge> m_published, m_sharedPublished;
    std::uint32_t m_components = 0;
    std::unordered_map<std::uint64_t, Mbarrier> m_mbarriers;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_groupComponents; ///< by warp: component (0: none yet) and epoch
};

} // namespace lanescope::check
