// SPDX-License-Identifier: GPL-3.0-or-later
// Files built into the program (GPU descriptions, kernels with their PTX, lessons). See lanescope_embed in cmake/Lanescope.cmake.
#pragma once

#include <string_view>

namespace lanescope {

struct EmbeddedFile {
    std::string_view name; ///< path relative to the folder it was embedded from, with '/'
    std::string_view bytes;
};

} // namespace lanescope
