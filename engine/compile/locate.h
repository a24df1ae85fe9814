// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the compilers of this machine without starting any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compile/compile.h"

namespace lanescope::compile {

struct Located {
    Compiler compiler = Compiler::Clang;
    std::filesystem::path path; ///< of the program or library, as found
    std::filesystem::path
        toolkitRoot; ///< the folder whose include/ has cuda_runtime.h; empty: not known
    /// Real path, size and time of change: changes when the compiler does.
    std::string identity;
};

/// A program of the Toolkit, by name ("ptxas"), in the order in which nvcc is looked for; empty: not there.
std::filesystem::path locateToolkitProgram(const Environment& environment, std::string_view name);

/// One entry a compiler that is there, in the order in which they are tried.
std::vector<Located> locateCompilers(const Environment& environment);

} // namespace lanescope::compile
