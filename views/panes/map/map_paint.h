// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a MapScene.
#pragma once

#include <QPointF>

#include "views/panes/map/map_scene.h"

namespace lanescope::views {

class Canvas;

void paintMap(Canvas& canvas, const MapScene& scene, const session::FrameView& frame);
/// Marks a lane's chip and bytes; returns where its tooltip stands.
QPointF paintMapLane(Canvas& canvas, const MapScene& scene, const session::FrameView& frame,
                     int lane);

} // namespace lanescope::views
