// SPDX-License-Identifier: GPL-3.0-or-later
// The pane "Shared-memory banks".
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makeBanksPane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
