// SPDX-License-Identifier: GPL-3.0-or-later
// A window as the program makes it, without settings, for a test.
#pragma once

#include <memory>

#include "engine/compile/compile.h"
#include "views/shell/main_window.h"

namespace lanescope::views::test {

std::unique_ptr<MainWindow> realWindow(ThemeKind theme, QSize size);
/// With these compilers and this cache, instead of the machine's.
std::unique_ptr<MainWindow> realWindow(ThemeKind theme, QSize size, const compile::Environment& environment);
/// Until the window's work has ended and stayed ended for two looks.
bool waitUntilReady(MainWindow& window);
/// Until the performance page shows every kernel of the catalog.
bool waitUntilModelled(MainWindow& window);

} // namespace lanescope::views::test
