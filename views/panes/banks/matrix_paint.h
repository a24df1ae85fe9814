// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a MatrixScene.
#pragma once

#include "views/panes/banks/matrix_scene.h"

namespace lanescope::views {

class Canvas;

void paintMatrix(Canvas& canvas, const MatrixScene& scene);
QPointF paintMatrixLane(Canvas& canvas, const MatrixScene& scene, int lane);
QStringList matrixDetails(const MatrixScene& scene, int lane);

} // namespace lanescope::views
