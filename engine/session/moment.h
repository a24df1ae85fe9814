// SPDX-License-Identifier: GPL-3.0-or-later
// The same moment in two traces of one launch, of the program as written and as compiled.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/session/snapshot.h"

namespace lanescope::session {

/// How often each line of the PTX as written has an instruction executed by one warp, in the order of its events.
class WarpHistory {
public:
    WarpHistory(const ProgramView& program, const TraceView& trace, int warp);

    /// The index in this trace for `index` in `other`'s, of the same warp: after the latest instruction before it that both traces
    /// execute equally often, as often as there. Without one the same share of the trace.
    std::uint32_t indexFrom(const WarpHistory& other, std::uint32_t index) const;

private:
    std::vector<std::uint32_t> m_events; ///< of the warp
    std::vector<std::uint32_t> m_lines;  ///< by event of the warp
    std::vector<std::vector<std::uint32_t>> m_eventsOfLine; ///< by line
    std::size_t m_length = 0;            ///< of the trace
};

} // namespace lanescope::session
