// SPDX-License-Identifier: GPL-3.0-or-later
// The pane "Pipeline".
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makePipelinePane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
