// SPDX-License-Identifier: GPL-3.0-or-later
// The window without a display: a picture of it, or the first lesson played with pictures of all
// panes and charts.
#pragma once

#include <QString>

namespace lanescope::views {
class MainWindow;
}

namespace lanescope::gui {

/// Lets events run until the window's work has ended and its panes have painted; false after the
/// time limit.
bool waitUntilReady(views::MainWindow& window, int limitMs = 60'000);

/// Exit status: 0 written, 1 not.
int writeScreenshot(views::MainWindow& window, const QString& path);

/// Plays the lesson that is open: a picture a step, then each pane and each chart. Exit status as
/// above.
int playDemo(views::MainWindow& window, const QString& folder, const QString& gpu);

} // namespace lanescope::gui
