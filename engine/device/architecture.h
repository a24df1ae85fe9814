// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <fmt/format.h>

#include "engine/device/device.h"

namespace lanescope::device {

/// The name that compilers give a compute capability: "sm_90".
inline std::string architectureOf(ComputeCapability capability) { return fmt::format("sm_{}{}", capability.major, capability.minor); }

} // namespace lanescope::device
