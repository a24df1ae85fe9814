// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a MapScene.
#pragma once

#include <QPointF>

#include "views/panes/map/map_scene.h"

namespace lanescope::views {

class Canvas;

void paintMap(Canvas& canvas, const MapScene& scene, const session::FrameView& frame);
/// The row of a hovered lane, lit, with its tooltip when `tip` is set.
void paintMapHover(Canvas& canvas, const MapScene& scene, const session::FrameView& frame, int lane,
                   bool tip);

} // namespace lanescope::views
