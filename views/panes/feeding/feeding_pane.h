// SPDX-License-Identifier: GPL-3.0-or-later
// The pane "Feeding calculator".
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makeFeedingPane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
