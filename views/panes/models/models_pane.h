// SPDX-License-Identifier: GPL-3.0-or-later
// The pane "Models": Little's law, launch overhead, Amdahl and Gustafson, the order of blocks in the L2.
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makeModelsPane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
