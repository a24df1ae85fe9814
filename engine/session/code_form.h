// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace lanescope::session {

/// The PTX as it is, or as ptxas compiles it: loops unrolled, accesses to shared memory merged (engine/compiled).
enum class CodeForm : std::uint8_t { Written, Compiled };
/// "written", "compiled".
std::string_view name(CodeForm form);

} // namespace lanescope::session
