// SPDX-License-Identifier: GPL-3.0-or-later
// The pane "Thread to address map".
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makeMapPane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
