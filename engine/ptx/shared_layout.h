// SPDX-License-Identifier: GPL-3.0-or-later
// Where ptxas places the arrays of a kernel in its shared memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/ptx/ir.h"

namespace lanescope::ptx {

struct SharedPlacement {
    VariableScope scope = VariableScope::Module; ///< Module or Function
    std::uint32_t function = 0; ///< module function that declares it, when scope is Function
    std::uint32_t variable = 0; ///< index into the module's or function's variables
    std::uint64_t offset = 0;   ///< bytes from the start of the block's shared memory
    bool isDynamic = false;     ///< extern: begins where the static arrays end
};

struct SharedLayout {
    std::vector<SharedPlacement> places;
    std::uint64_t staticBytes = 0;
};

/// Arrays that the functions (the entry first) name, in the order of their declarations: those of the
/// functions, then those of the module, each at the next multiple of its alignment; dynamic ones at
/// the next multiple of 16. As ptxas 13.0 does it.
SharedLayout layOutShared(const Module& module, std::span<const std::uint32_t> functions);

} // namespace lanescope::ptx
