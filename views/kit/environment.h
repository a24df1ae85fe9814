// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>

#include "engine/compile/compile.h"

namespace lanescope::views {

/// The compilers of this process, from its environment variables, which the engine does not read itself.
inline compile::Environment ownEnvironment() {
    return compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
}

} // namespace lanescope::views
