// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the performance charts. The same functions serve the panes and every export.
#pragma once

#include <QRectF>

#include "views/export/chart_data.h"

namespace lanescope::views {

class Canvas;

/// `axis`: the memory level whose bytes the intensity counts.
void paintRoofline(Canvas& canvas, const QRectF& rect, const RooflineData& data, MemoryLevel axis);
/// The kernel whose point is within 10 pixels, -1: none. Same geometry as paintRoofline.
int rooflineHit(const QRectF& rect, const RooflineData& data, MemoryLevel axis, double x, double y);

/// `curve`: 0 registers, 1 shared memory, 2 block size.
void paintOccupancy(Canvas& canvas, const QRectF& rect, const OccupancyData& data, int curve);

void paintWaves(Canvas& canvas, const QRectF& rect, const WavesData& data);

} // namespace lanescope::views
