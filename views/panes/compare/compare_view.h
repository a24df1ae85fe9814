// SPDX-License-Identifier: GPL-3.0-or-later
// What the panes of the compare page paint: both sides and what the engine says of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <QString>

#include "engine/session/comparison.h"
#include "views/kit/pane.h"

namespace lanescope::views {

struct CompareView {
    struct SideView {
        SnapshotPtr snapshot; ///< null: nothing is open
        /// Instructions that the selected warp has executed, and all of it.
        std::uint32_t position = 0, length = 0;
    };
    std::array<SideView, 2> sides;
    std::shared_ptr<const session::Comparison> comparison; ///< null: a side is missing or at work

    /// "k01_naive", with the parameters that differ when both sides are the same kernel: "k03_shared, BS 16".
    QString name(std::size_t side) const;
};

} // namespace lanescope::views
