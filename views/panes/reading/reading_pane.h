// SPDX-License-Identifier: GPL-3.0-or-later
// The pane "Reading" of the performance page.
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makeReadingPane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
