// SPDX-License-Identifier: GPL-3.0-or-later
// The pane "Kernels" of the performance page.
#pragma once

class QWidget;

namespace lanescope::views {

class Intents;
class Pane;

Pane* makeKernelsPane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
