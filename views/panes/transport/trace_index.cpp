// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/transport/trace_index.h"

#include <algorithm>
#include <limits>

namespace lanescope::views {
namespace {

using session::TraceEvent;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// The CUDA line of each instruction, 0 unknown.
std::vector<std::uint32_t> linesOf(const session::ProgramView* program) {
    std::vector<std::uint32_t> lines;
    if (program != nullptr)
        for (const auto& instruction : program->instructions)
            lines.push_back(instruction.cudaLine);
    return lines;
}

} // namespace

QString Phase::label() const {
    if (firstLine == 0)
        return QStringLiteral("Phase");
    return firstLine == lastLine ? QStringLiteral("Line %1").arg(firstLine)
                                 : QStringLiteral("Lines %1–%2").arg(firstLine).arg(lastLine);
}

TraceIndex::TraceIndex(std::shared_ptr<const session::TraceView> trace,
                       const session::ProgramView* program)
    : m_trace(std::move(trace)), m_events(std::uint32_t(m_trace->events.size())),
      m_warps(m_trace->warps) {
    const std::vector<std::uint32_t> lines = linesOf(program);
    const auto warps = std::size_t(m_warps);
    m_waits.resize(warps);
    m_end.assign(warps, m_events);
    std::vector<std::uint32_t> since(warps, kNone);
    std::size_t barrier = 0;
    Phase phase;
    const auto close = [&](std::uint32_t at, bool atBarrier) {
        phase.events.to = at;
        phase.endsAtBarrier = atBarrier;
        if (phase.events.to > phase.events.from)
            m_phases.push_back(phase);
        phase = {};
        phase.events.from = at;
    };
    for (std::uint32_t i = 0; i < m_events; ++i) {
        const TraceEvent& event = m_trace->events[i];
        if (event.pc < lines.size()) {
            if (const std::uint32_t line = lines[event.pc]; line != 0) {
                phase.firstLine = phase.firstLine == 0 ? line : std::min(phase.firstLine, line);
                phase.lastLine = std::max(phase.lastLine, line);
            }
        }
        if (event.flags != 0 && event.warp < warps) {
            std::uint32_t& from = since[event.warp];
            if (from != kNone) { // any further event of the warp means that it was let go
                m_waits[event.warp].push_back({from, i});
                from = kNone;
            }
            if ((event.flags & TraceEvent::kBarrierArrive) != 0)
                from = i + 1;
            if ((event.flags & TraceEvent::kExit) != 0)
                m_end[event.warp] = i;
        } else if (event.warp < warps && since[event.warp] != kNone) {
            m_waits[event.warp].push_back({since[event.warp], i});
            since[event.warp] = kNone;
        }
        if (barrier < m_trace->barriers.size() && m_trace->barriers[barrier] == i) {
            ++barrier;
            close(i + 1, true);
        }
    }
    close(m_events, false);
    // A wait ends when the barrier completes, not at the warp's next turn.
    const auto& barriers = m_trace->barriers;
    for (std::size_t w = 0; w < warps; ++w) {
        if (since[w] != kNone)
            m_waits[w].push_back({since[w], m_events});
        for (Span& span : m_waits[w]) {
            const auto done = std::lower_bound(barriers.begin(), barriers.end(), span.from - 1);
            if (done != barriers.end())
                span.to = std::min(span.to, std::max(span.from, *done + 1));
        }
    }
}

std::uint32_t TraceIndex::issued(int warp, std::uint32_t from, std::uint32_t to) const {
    const auto& own = m_trace->eventsOfWarp[std::size_t(warp)];
    const auto first = std::lower_bound(own.begin(), own.end(), from);
    return std::uint32_t(std::lower_bound(first, own.end(), to) - first);
}

bool TraceIndex::waits(int warp, std::uint32_t from, std::uint32_t to) const {
    const auto& spans = m_waits[std::size_t(warp)];
    const auto at = std::upper_bound(spans.begin(), spans.end(), from,
                                     [](std::uint32_t v, const Span& s) { return v < s.to; });
    return at != spans.end() && at->from < to;
}

} // namespace lanescope::views
