// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommands: each adds itself to the application and, when it is chosen, runs and sets the
// exit status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/base/diagnostic.h"
#include "engine/base/lane_mask.h"
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
void addLadder(CLI::App& app, int& status);
void addSweep(CLI::App& app, int& status);
void addRoofline(CLI::App& app, int& status);
/// occupancy, waves and the other models that need no kernel.
void addModels(CLI::App& app, int& status);
void addCompile(CLI::App& app, int& status);
void addSass(CLI::App& app, int& status);
void addTiming(CLI::App& app, int& status);
/// run and calibrate.
void addRun(CLI::App& app, int& status);
void addFidelity(CLI::App& app, int& status);
void addCompare(CLI::App& app, int& status);

/// [{"code", "message", "hint", "file", "line", "column"}]
nlohmann::ordered_json errorsJson(const Diagnostics& diagnostics);
/// Prints the diagnostics, one line each, and returns kBadInput. With json, an object {"errors":
/// [...]} on standard output too.
int report(const Diagnostics& diagnostics, bool json);
void print(const std::string& text);
compile::Environment environment();

// Values of options are read here and not by the parser of options, so that each error says what is
// wrong and what to do.

/// A whole number within [least, most]. Errors (code "argument") name the option, the text and the
/// range.
Result<std::int64_t> wholeNumber(const std::string& option, const std::string& text,
                                 std::int64_t least, std::int64_t most);

/// "X[,Y[,Z]]". Extents of zero are let through: the launch check says what is wrong with them.
/// Errors (code "argument") name the option and the text.
Result<Dim3> extentsFrom(const std::string& option, const std::string& text);

/// "NAME=VALUE" or "NAME" (1), as a compiler's -D; the name may have a parameter list. Errors (code
/// "argument"): no name, a line break.
Result<std::vector<std::pair<std::string, std::string>>>
macros(const std::vector<std::string>& texts);

/// nvrtc, nvcc or clang; nothing for an empty text.
Result<std::optional<compile::Compiler>> compilerNamed(const std::string& text);

} // namespace lanescope::cli
