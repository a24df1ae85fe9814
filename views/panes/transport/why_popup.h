// SPDX-License-Identifier: GPL-3.0-or-later
// The chain of causes of a waiting warp as a list: each link jumps to its event.
#pragma once

#include <cstdint>

#include "views/kit/pane.h"

class QListWidget;

namespace lanescope::views {

/// Opens the list above `at` (global); a link of the traced block, activated, selects its warp and seeks there. It goes away with
/// Escape or a click elsewhere.
QListWidget* showWhy(QWidget* parent, Intents* intents, const SnapshotPtr& snapshot, std::uint32_t warp,
                     std::uint32_t cycle, const QPoint& at);

} // namespace lanescope::views
