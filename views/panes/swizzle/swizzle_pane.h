// SPDX-License-Identifier: GPL-3.0-or-later
// The pane "Swizzle editor".
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makeSwizzlePane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
