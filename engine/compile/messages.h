// SPDX-License-Identifier: GPL-3.0-or-later
// A compiler's output as Diagnostics.
#pragma once

#include <string_view>

#include "engine/base/diagnostic.h"

namespace lanescope::compile {

/// Every error, warning and note in the text, in order, with code "compile". Understands the forms
/// of nvcc and NVRTC
/// ("file(12): error: ..."), clang and gcc ("file:12:5: error: ..."), and lines without a place
/// ("error: ...", "nvcc fatal : ..."). Other lines are left out. `source` is the text that was
/// compiled, for the column in nvcc's form.
Diagnostics parseMessages(std::string_view text, std::string_view source = {});

} // namespace lanescope::compile
