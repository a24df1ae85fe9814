// SPDX-License-Identifier: GPL-3.0-or-later
// The record of how true the simulator is: every kernel of the catalog, and what a GPU made of it beside the simulation. kernels/README.md is
// written with this, by `lanescope fidelity --out`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/session/gpu_run.h"

namespace lanescope::session {

/// What a program leaves to the hardware, so that its bits need not be the simulator's: "approximate instructions", "products and sums that may
/// be fused", "the order of atomics"; empty: PTX fixes every bit.
std::vector<std::string> freedomsOf(const sim::Program& program);

struct FidelityRow {
    std::string kernel;
    std::string problem; ///< why it did not run; the others are empty then
    std::string reference, simulator, freedoms, findings, registers, blocks; ///< cells of the table
    bool isEqual = false;    ///< bit for bit
    bool isExplained = true; ///< equal, or there is a freedom or a finding that lets it differ
};
FidelityRow fidelityRow(const GpuRunReport& report);
/// Between processes, as one JSON object.
std::string toJson(const FidelityRow& row);
Result<FidelityRow> parseFidelityRow(const std::string& json);

/// With which fidelityMarkdown begins.
inline constexpr std::string_view kFidelityHeading = "## On a GPU";
/// Kernels by family, what each is and its parameters: Markdown.
std::string catalogMarkdown(const std::vector<catalog::Kernel>& kernels);
/// The table of a GPU with what its columns mean and how many agree: Markdown.
std::string fidelityMarkdown(const std::string& gpuName, int driverVersion, const std::vector<FidelityRow>& rows);
/// The whole of kernels/README.md.
std::string kernelsReadme(const std::vector<catalog::Kernel>& kernels, const std::string& fidelity);

} // namespace lanescope::session
