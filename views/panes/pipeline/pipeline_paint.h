// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a PipelineScene and the chart over stages.
#pragma once

#include "views/panes/pipeline/pipeline_scene.h"

namespace lanescope::views {

class Canvas;

void paintTimeline(Canvas& canvas, const PipelineScene& scene);
void paintGroups(Canvas& canvas, const PipelineScene& scene);
void paintStages(Canvas& canvas, const StageChart& chart, const QRectF& rect);

} // namespace lanescope::views
