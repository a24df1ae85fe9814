// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of the catalog timed on this machine's GPU, each in a process of its own: what `sweep --run` and `ladder --run` share.
#pragma once

#include <string>
#include <vector>

#include "engine/catalog/catalog.h"
#include "engine/gpu/cublas.h"
#include "engine/session/measured.h"

namespace CLI {
class App;
}

namespace lanescope::cli {

struct MeasureArguments {
    bool run = false, progress = false;
    std::string save, timeLimit = "60", repeats = "50";
    std::vector<std::string> measured;
};
/// --run, --save, --measured, --time-limit, --repeats and --progress.
void addMeasureOptions(CLI::App& sub, MeasureArguments& arguments);

class Measurer {
public:
    /// Errors: options that are no numbers; no driver, no GPU.
    static Result<Measurer> open(const MeasureArguments& arguments);
    const std::string& gpu() const { return m_gpu; } ///< id of this machine's GPU
    /// The result is checked against the kernel's reference, and a wrong one is an error.
    Result<session::MeasuredPoint> kernel(const std::string& id, const catalog::Overrides& parameters) const;
    Result<session::MeasuredPoint> cublas(const std::string& name, const gpu::CublasProduct& product) const;

private:
    std::string m_gpu;
    double m_limitSeconds = 60;
    gpu::TimeOptions m_time;
};

/// Points of all files of --measured together. Errors: those of readMeasured; files of different GPUs.
Result<session::MeasuredPoints> measuredFiles(const MeasureArguments& arguments);

/// "12 of 40" on standard error: where it is a terminal, or a line each with --progress.
void showProgress(const MeasureArguments& arguments, const char* what, std::size_t done, std::size_t of);

} // namespace lanescope::cli
