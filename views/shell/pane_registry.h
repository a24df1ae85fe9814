// SPDX-License-Identifier: GPL-3.0-or-later
// All panes of the window: one line each.
#pragma once

#include <QString>

#include <vector>

#include "views/kit/pane.h"

namespace lanescope::views {

class LessonModel;

enum class Page { Stepper, Performance, Compare };

/// Where a pane stands until the user moves it: column and place in it; panes of the same place are
/// tabs of each other.
enum class Place {
    Left,
    LeftLower,
    LeftLowest,
    Centre,
    CentreLower,
    CentreLowest,
    Right,
    RightMiddle,
    RightLower,
    Bottom
};

struct PaneEntry {
    QString id;
    Page page;
    Place place;
    PaneFactory make;
};

/// In the order in which they are laid out: of tabs, the first is in front.
std::vector<PaneEntry> paneRegistry(LessonModel* lessons);

} // namespace lanescope::views
