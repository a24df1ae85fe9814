// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommands: each adds itself to the application and, when it is chosen, runs and sets the exit status.
#pragma once

#include <string>

#include "engine/base/diagnostic.h"
#include "engine/compile/compile.h"

namespace CLI {
class App;
}

namespace lanescope::cli {

inline constexpr int kOk = 0, kBadInput = 1, kUsage = 2;

void addSim(CLI::App& app, int& status);
void addKernels(CLI::App& app, int& status);
void addDevices(CLI::App& app, int& status);
void addLessons(CLI::App& app, int& status);
void addOccupancy(CLI::App& app, int& status);
void addRoofline(CLI::App& app, int& status);
void addWaves(CLI::App& app, int& status);
void addCompile(CLI::App& app, int& status);

/// Prints the diagnostics, one line each, and returns kBadInput. With json, an object {"errors": [...]} on standard output too.
int report(const Diagnostics& diagnostics, bool json);
void print(const std::string& text);
compile::Environment environment();

} // namespace lanescope::cli
