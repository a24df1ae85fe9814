// SPDX-License-Identifier: GPL-3.0-or-later
// The modelled timing of the SM on which the traced block resides: cycles, stalls, why the selected warp waits, and the figures it is made
// of, which can be edited.
#pragma once

#include "views/kit/pane.h"

namespace lanescope::views {

Pane* makeTimingPane(Intents* intents, QWidget* parent);

} // namespace lanescope::views
