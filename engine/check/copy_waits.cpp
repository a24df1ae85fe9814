// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/check/copy_waits.h"

#include <algorithm>

namespace lanescope::check {

CopyWaits::Warp& CopyWaits::warp(std::uint32_t index) {
    if (index >= m_warps.size())
        m_warps.resize(index + std::size_t{1});
    return m_warps[index];
}

void CopyWaits::setGroup(LaneMask lanes, const std::uint64_t* addresses, int bytes, std::uint32_t number) {
    forEachLane(lanes, [&](int lane) {
        const std::uint64_t first = addresses[lane] / kGranule, last = (addresses[lane] + static_cast<unsigned>(bytes) - 1) / kGranule;
        for (std::uint64_t at = first; at <= last && at < m_groupAt.size(); ++at)
            m_groupAt[static_cast<std::size_t>(at)] = number;
    });
}

void CopyWaits::copyDone(const sim::CopyDoneEvent& event) {
    if (!m_isUniform || event.mbarrier >= 0) // what an mbarrier tells of, no wait for groups does
        return;
    warp(event.warp).copies = true;
    m_groupAt.resize(m_granules, 0);
    setGroup(event.lanes, event.addresses, event.bytes, static_cast<std::uint32_t>(event.group + 1));
}

void CopyWaits::waited(const sim::CopiesWaitedEvent& event) {
    if (!m_isUniform)
        return;
    Wait& wait = m_waits[event.pc];
    ++wait.executions;
    wait.allowed = event.mayBePending;
    Warp& by = warp(event.warp);
    by.last = &wait;
    by.committed = event.committed;
}

void CopyWaits::read(const sim::AccessEvent& event) {
    if (event.warp >= m_warps.size())
        return;
    const Warp& by = m_warps[event.warp];
    if (by.last == nullptr || by.last->couldAllow <= by.last->allowed)
        return;
    std::uint64_t newest = 0;
    forEachLane(event.active & ~event.outOfBounds, [&](int lane) {
        for (const std::uint64_t address : {event.addresses[lane], event.addresses[lane] + static_cast<unsigned>(event.bytes) - 1})
            if (address / kGranule < m_groupAt.size())
                newest = std::max<std::uint64_t>(newest, m_groupAt[static_cast<std::size_t>(address / kGranule)]);
    });
    if (newest != 0)
        by.last->couldAllow = std::min(by.last->couldAllow, std::max(by.committed - std::min(by.committed, newest), by.last->allowed));
}

void CopyWaits::written(const sim::AccessEvent& event) {
    if (!m_groupAt.empty())
        setGroup(event.active & ~event.outOfBounds, event.addresses, event.bytes, 0);
}

void CopyWaits::endBlock() {
    if (m_warps.empty())
        return;
    const Warp* first = nullptr;
    for (const Warp& w : m_warps) {
        if (!w.copies && w.last == nullptr)
            continue;
        first = first == nullptr ? &w : first;
        m_isUniform = m_isUniform && w.committed == first->committed;
    }
    if (!m_isUniform)
        m_waits.clear();
    m_warps.clear();
    std::fill(m_groupAt.begin(), m_groupAt.end(), 0u);
}

} // namespace lanescope::check
