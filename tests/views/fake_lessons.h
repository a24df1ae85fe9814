// SPDX-License-Identifier: GPL-3.0-or-later
// A course of two short lessons over the fake session's kernel.
#pragma once

#include "views/bridge/lesson_source.h"

namespace lanescope::views::test {

std::unique_ptr<LessonSource> fakeLessons();

} // namespace lanescope::views::test
