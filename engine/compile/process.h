// SPDX-License-Identifier: GPL-3.0-or-later
// One child process, started from an argument vector (no shell), with a time limit and
// cancellation.
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"

namespace lanescope::compile {

struct ProcessRequest {
    std::filesystem::path program;        ///< absolute path
    std::vector<std::string> arguments;   ///< without the program itself
    std::vector<std::string> environment; ///< "NAME=value"; the child sees only these
    std::filesystem::path workingDir;     ///< empty: the caller's
    std::chrono::milliseconds timeLimit{60'000};
    std::stop_token stop;
};

struct ProcessOutput {
    int exitStatus = 0; ///< 128 + signal when a signal ended it
    std::string standardOutput;
    std::string standardError;
};

/// Runs the program to its end. At most 16 MiB of each stream are kept. Errors: "compiler" (cannot
/// be started), "timeout", "cancelled"; in the last two the child and its children have been
/// killed.
Result<ProcessOutput> runProcess(const ProcessRequest& request);

} // namespace lanescope::compile
