// SPDX-License-Identifier: GPL-3.0-or-later
// Files of measured points: what a GPU really took, saved by `lanescope run`, `sweep` and `ladder` (--save), drawn beside the model.
//   {"gpu": "h200", "points": [{"kernel": "k01_naive", "time_s": 0.0012, "parameters": {"M": 4096}}, {"kernel":
//   "k02_coalesced", "flops_per_s": 6.2e12}]}
// "gpu" and "parameters" may be missing; a point has time_s or flops_per_s or both, and may have registers_per_thread,
// blocks_per_sm and clock_mhz.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/catalog/kernel.h"

namespace lanescope::session {

struct MeasuredPoint {
    std::string kernel;
    std::map<std::string, std::int64_t> parameters; ///< those it was launched with; empty: not said
    std::optional<double> seconds, flopsPerSecond;  ///< at least one, positive and finite
    std::optional<int> registersPerThread{}, blocksPerSm{}; ///< as the driver reports them
    std::optional<double> clockMhz{}; ///< of the SMs while it ran, median

    /// Whether it was launched with these values; a parameter that is not among them has its default.
    bool isOf(const catalog::Kernel& of, const std::map<std::string, std::int64_t>& values) const;
    /// A rate that is not said follows from the time, of work that is known.
    double rate(double flops) const { return flopsPerSecond ? *flopsPerSecond : flops / *seconds; }
};

struct MeasuredPoints {
    std::string gpu; ///< empty: not said
    std::vector<MeasuredPoint> points;

    /// Whether they may be drawn with the roofs of this device: the same GPU, as described or as calibrated.
    bool isOn(const std::string& deviceId) const { return gpu.empty() || deviceId == gpu || deviceId == gpu + "-measured"; }
};

/// Errors (code "measured", "file") name the file and the point.
Result<MeasuredPoints> readMeasured(const std::string& path);
/// The same of a text; `path` is what errors name.
Result<MeasuredPoints> parseMeasured(std::string_view text, const std::string& path);
std::string toJson(const MeasuredPoints& points);

/// Adds points to a file, which is made when there is none; those of the same kernel and parameters are replaced. Errors (code "measured",
/// "file"): the file holds something else, or points of another GPU, and is left alone.
Result<void> saveMeasured(const std::string& path, const MeasuredPoints& points);

} // namespace lanescope::session
