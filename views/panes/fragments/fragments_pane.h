// SPDX-License-Identifier: GPL-3.0-or-later
// The panes "Fragment ownership" and, beside it, "Fragment of the lane".
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makeFragmentsPane(Intents* intents, QWidget* parent);
Pane* makeLaneFragmentPane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
