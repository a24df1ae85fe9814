// SPDX-License-Identifier: GPL-3.0-or-later
// Waits for groups of asynchronous copies (cp.async) that wait for more than they must: what the newest groups brought is read only after
// a later wait, which would have vouched for it. After the wait that a warp executed last, everything that the warp reads must be of
// groups which that wait has let come; the newest of them says how many might still have been under way.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/sim/event.h"

namespace lanescope::check {

class CopyWaits {
public:
    /// `sharedBytes`: of a block.
    explicit CopyWaits(std::uint64_t sharedBytes) : m_granules(static_cast<std::size_t>((sharedBytes + kGranule - 1) / kGranule)) {}

    void copyDone(const sim::CopyDoneEvent& event);
    void waited(const sim::CopiesWaitedEvent& event);
    /// A read of shared memory.
    void read(const sim::AccessEvent& event);
    /// A write of shared memory other than by cp.async: no group brought what is there now.
    void written(const sim::AccessEvent& event);
    void endBlock();

    struct Wait {
        std::uint64_t executions = 0;
        std::uint64_t allowed = 0;       ///< groups that it leaves under way at most
        std::uint64_t couldAllow = ~0ull; ///< that would do for every read after it; ~0: nothing was read
    };
    /// By instruction. Empty where warps of a block committed different numbers of groups: whose group is whose is not known then.
    const std::map<std::uint32_t, Wait>& waits() const { return m_waits; }

private:
    static constexpr std::uint64_t kGranule = 4; ///< bytes: the least that cp.async copies
    struct Warp {
        Wait* last = nullptr;
        std::uint64_t committed = 0; ///< groups, at the last wait
        bool copies = false;
    };
    std::size_t m_granules;
    std::vector<std::uint32_t> m_groupAt; ///< by granule: number of the group that brought it, from 1; 0: none did. Empty before the first copy
    std::vector<Warp> m_warps;
    std::map<std::uint32_t, Wait> m_waits;
    bool m_isUniform = true;

    Warp& warp(std::uint32_t index);
    /// What brought the bytes of these lanes.
    void setGroup(LaneMask lanes, const std::uint64_t* addresses, int bytes, std::uint32_t number);
};

} // namespace lanescope::check
