// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a FragmentScene.
#pragma once

#include "views/panes/fragments/fragments_scene.h"

namespace lanescope::views {

class Canvas;

void paintFragments(Canvas& canvas, const FragmentScene& scene);
/// Outlines the lane's cells; returns where its tooltip stands.
QPointF paintFragmentLane(Canvas& canvas, const FragmentScene& scene, int lane);

} // namespace lanescope::views
