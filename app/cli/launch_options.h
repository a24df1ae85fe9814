// SPDX-License-Identifier: GPL-3.0-or-later
// The options of the subcommands that take a program and launch it: which kernel, how it is compiled, its launch.
#pragma once

#include <string>
#include <vector>

#include "app/cli/code_form.h"
#include "app/cli/commands.h"
#include "engine/session/simulate.h"

namespace lanescope::cli {

struct LaunchArguments {
    std::string subject, entry, grid, block, shared, with, gpu = "h100", as = "written";
    std::vector<std::string> specs, defines;
};

/// Adds subject, --kernel, --grid, --block, --shared, --arg, -D, --gpu, --as and --with.
void addLaunchOptions(CLI::App& sub, LaunchArguments& arguments);
/// Errors (code "argument"): a form, a macro or a compiler that there is not.
Result<session::LoadRequest> loadRequest(const LaunchArguments& arguments);
/// Errors (code "argument"): extents or bytes that are no numbers.
Result<session::LaunchRequest> launchRequest(const LaunchArguments& arguments);

} // namespace lanescope::cli
