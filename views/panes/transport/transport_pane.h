// SPDX-License-Identifier: GPL-3.0-or-later
// The transport: buttons that step and play, speed, warp strips and the scrubber.
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makeTransportPane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
