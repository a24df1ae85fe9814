// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "engine/ptx/ir.h"

namespace lanescope::ptx {

/// Functions of a module as a text to read: heads, variables, labels and instructions, without declarations of registers and .loc lines;
/// a comment names the line of the CUDA text where it changes.
struct Listing {
    std::string text;
    std::map<const Instruction*, std::uint32_t> lines; ///< line of the text (from 1) of each instruction
};

/// `functions`: indices into Module::functions, in the order in which they are listed.
Listing listing(const Module& module, std::span<const std::uint32_t> functions);

} // namespace lanescope::ptx
