// SPDX-License-Identifier: GPL-3.0-or-later
// The pane "Ladder": every kernel of the matmul ladder, modelled and measured.
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makeLadderPane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
