// SPDX-License-Identifier: GPL-3.0-or-later
// The pane "Occupancy" of the performance page.
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makeOccupancyPane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
