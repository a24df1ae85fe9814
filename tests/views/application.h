// SPDX-License-Identifier: GPL-3.0-or-later
// One QApplication of the offscreen platform for all tests of a program, and waiting for what
// happens later.
#pragma once

#include <functional>

class QApplication;

namespace lanescope::views::test {

/// Made at the first call; lives until the program ends.
QApplication& application();
/// Lets events run until the condition holds; false after the time limit.
bool waitFor(const std::function<bool()>& condition, int limitMs = 10'000);
/// Lets events run for this long.
void settle(int ms);

} // namespace lanescope::views::test
