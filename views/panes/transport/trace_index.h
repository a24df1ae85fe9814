// SPDX-License-Identifier: GPL-3.0-or-later
// What the warp strips need to know of a trace, folded once when the trace arrives: barrier waits
// and ends per warp, phases between barriers. Queries are logarithmic in the number of events, so
// that a strip costs its pixels, not its events.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <QString>

#include "engine/session/snapshot.h"

namespace lanescope::views {

struct Span {
    std::uint32_t from = 0, to = 0; ///< events [from, to)
};

struct Phase {
    Span events;
    std::uint32_t firstLine = 0, lastLine = 0; ///< CUDA lines it runs through, 0: unknown
    bool endsAtBarrier = false;
    QString label() const; ///< "Lines 7–9"
};

class TraceIndex {
public:
    TraceIndex(std::shared_ptr<const session::TraceView> trace,
               const session::ProgramView* program);

    std::uint32_t events() const { return m_events; }
    int warps() const { return m_warps; }
    const std::vector<Phase>& phases() const { return m_phases; }
    const session::TraceView& trace() const { return *m_trace; }

    /// Events of the warp in [from, to).
    std::uint32_t issued(int warp, std::uint32_t from, std::uint32_t to) const;
    /// Whether the warp waits at a barrier somewhere in [from, to).
    bool waits(int warp, std::uint32_t from, std::uint32_t to) const;
    /// Index of the event with which the warp ended, events() if it does not end in this trace.
    std::uint32_t end(int warp) const { return m_end[std::size_t(warp)]; }

private:
    std::shared_ptr<const session::TraceView> m_trace;
    std::uint32_t m_events = 0;
    int m_warps = 0;
    std::vector<std::vector<Span>> m_waits;
    std::vector<std::uint32_t> m_end;
    std::vector<Phase> m_phases;
};

} // namespace lanescope::views
