// SPDX-License-Identifier: GPL-3.0-or-later
// Replacing a function's list of instructions. Private to engine/compiled.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ptx/ir.h"

namespace lanescope::compiled {

/// Puts `body` in place of the instructions. `movedTo` has, for each old instruction and for one past the last, the new index of what
/// stands in its place; labels and tables follow.
void replaceBody(ptx::Function& function, std::vector<ptx::Instruction> body, const std::vector<std::uint32_t>& movedTo);

/// A new register of the type, named after another with a suffix that no PTX text has.
std::uint32_t addRegister(ptx::Function& function, std::uint32_t like, ptx::Type type, std::string_view suffix);

} // namespace lanescope::compiled
