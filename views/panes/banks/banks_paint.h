// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a BankScene.
#pragma once

#include "views/panes/banks/banks_scene.h"

namespace lanescope::views {

class Canvas;

void paintBanks(Canvas& canvas, const BankScene& scene, const session::FrameView& frame);
/// Marks the lane's cells; returns where its tooltip stands.
QPointF paintBanksLane(Canvas& canvas, const BankScene& scene, int lane);

} // namespace lanescope::views
