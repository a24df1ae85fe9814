// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a SwizzlePicture.
#pragma once

#include "views/panes/swizzle/swizzle_scene.h"

namespace lanescope::views {

class Canvas;

void paintSwizzle(Canvas& canvas, const SwizzlePicture& picture, const QRectF& rect);

} // namespace lanescope::views
