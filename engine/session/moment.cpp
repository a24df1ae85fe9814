// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/moment.h"

#include <algorithm>

namespace lanescope::session {

WarpHistory::WarpHistory(const ProgramView& program, const TraceView& trace, int warp) : m_length(trace.events.size()) {
    m_events = trace.eventsOfWarp.at(static_cast<std::size_t>(warp));
    for (const std::uint32_t event : m_events) {
        const std::uint32_t line = program.instructions.at(trace.events[event].pc).writtenLine;
        m_lines.push_back(line);
        if (m_eventsOfLine.size() <= line)
            m_eventsOfLine.resize(line + 1);
        m_eventsOfLine[line].push_back(event);
    }
}

std::uint32_t WarpHistory::indexFrom(const WarpHistory& other, std::uint32_t index) const {
    if (index == 0)
        return 0;
    const auto end = std::lower_bound(other.m_events.begin(), other.m_events.end(), index);
    for (auto at = end; at != other.m_events.begin();) {
        --at;
        const std::uint32_t line = other.m_lines[static_cast<std::size_t>(at - other.m_events.begin())];
        const std::vector<std::uint32_t>& there = other.m_eventsOfLine[line];
        if (line >= m_eventsOfLine.size() || m_eventsOfLine[line].size() != there.size())
            continue;
        const auto times = std::lower_bound(there.begin(), there.end(), *at) - there.begin();
        return m_eventsOfLine[line][static_cast<std::size_t>(times)] + 1;
    }
    if (other.m_length == 0)
        return 0;
    return static_cast<std::uint32_t>(std::uint64_t{index} * m_length / other.m_length);
}

} // namespace lanescope::session
