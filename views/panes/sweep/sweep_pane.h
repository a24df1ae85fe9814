// SPDX-License-Identifier: GPL-3.0-or-later
// The pane "Tile sweep": a heat map of the kernel over two of its parameters.
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makeSweepPane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
