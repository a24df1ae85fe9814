// SPDX-License-Identifier: GPL-3.0-or-later
// Work in a process of its own: a kernel that faults, hangs or takes the driver with it ends that process and not this one.
#pragma once

#include <functional>
#include <string>

#include "engine/base/diagnostic.h"

namespace lanescope::cli {

/// The errors of {"errors": [...]}; of a text that has none, that the process ended without a result.
Diagnostics errorsFrom(const std::string& text);

/// Runs `work` in a child process and returns the text that it makes. Errors: those of `work`; code "gpu" when the child did not end within
/// the limit (it is killed then) or died. Call before this process has touched the driver: a forked context is of no use.
Result<std::string> supervised(const std::function<Result<std::string>()>& work, double limitSeconds);

} // namespace lanescope::cli
