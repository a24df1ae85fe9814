// SPDX-License-Identifier: GPL-3.0-or-later
// From one lesson.json and its two texts to a Lesson. Private to the module.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/lesson/lesson.h"

namespace lanescope::lesson {

struct LessonFiles {
    std::string folder; ///< "matmul/naive-vs-coalesced"
    std::string_view json, english, chinese;
};

/// Every problem found goes to `problems`; a lesson with a problem is not to be used.
std::optional<Lesson> readLesson(const LessonFiles& files, std::span<const catalog::Kernel> kernels,
                                 Diagnostics& problems);

} // namespace lanescope::lesson
