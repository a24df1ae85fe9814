// SPDX-License-Identifier: GPL-3.0-or-later
// Warp strips, axis and scrubber of the transport, placed and painted.
#pragma once

#include <QRectF>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

#include "engine/session/snapshot.h"
#include "views/panes/transport/trace_index.h"

namespace lanescope::views {

class Canvas;

/// Where things are for a view of the events [from, to).
struct StripLayout {
    QRectF rect;
    double left = 0, right = 0; ///< of the time axis
    double top = 0, pitch = 13, bar = 11;
    int warps = 0;
    double axisY = 0, scrubY = 0, scrubHeight = 14;
    double from = 0, to = 1; ///< events in view
    std::uint32_t events = 0;

    double x(double event) const { return left + (event - from) / (to - from) * (right - left); }
    double event(double x) const { return from + (x - left) / (right - left) * (to - from); }
    /// On the scrubber, which always shows the whole trace.
    double scrubX(double event) const {
        return left + event / std::max(1u, events) * (right - left);
    }
    double scrubEvent(double x) const { return (x - left) / (right - left) * events; }
    QRectF row(int warp) const { return {left, top + warp * pitch, right - left, bar}; }
    QRectF scrub() const { return {left, scrubY, right - left, scrubHeight}; }
    /// The warp whose row or label is at y, -1: none.
    int warpAt(double y) const;
};

StripLayout stripLayout(const QRectF& rect, int warps, std::uint32_t events, double from,
                        double to);

/// Strips, axis, scrubber: all that does not move with the playhead.
void paintStrips(Canvas& canvas, const StripLayout& layout, const TraceIndex& index);
/// Labels with states, the veil over the future, the playhead.
/// `position`: where the present moment is on the axis. `states`: what each warp does there, in a word; none: as the frame has it.
void paintPlayhead(Canvas& canvas, const StripLayout& layout, const session::FrameView& frame,
                   double position, const QStringList& states = {});
/// "Issued, ready, at barrier, done" with their textures from x on; returns the right end.
double paintStripLegend(Canvas& canvas, double x, double baseline, double right);

/// The time axis; its first label carries the unit.
void paintStripAxis(Canvas& canvas, const StripLayout& layout, const QString& unit);
/// The scrubber with `content` painted on it and the part in view around it.
void paintScrubBar(Canvas& canvas, const StripLayout& layout, const std::function<void()>& content);

/// A number from 1, 2, 5 times a power of ten such that at most `most` steps fill the range.
double niceStep(double range, int most);

} // namespace lanescope::views
