// SPDX-License-Identifier: GPL-3.0-or-later
// `lanescope roofline --measured FILE.json`: what a GPU really took.
//   {"gpu": "h200", "points": [{"kernel": "k01_naive", "time_s": 0.0012}, {"kernel":
//   "k02_coalesced", "flops_per_s": 6.2e12}]}
// "gpu" may be missing; a point has time_s or flops_per_s or both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"

namespace lanescope::cli {

struct MeasuredPoint {
    std::string kernel;
    std::optional<double> seconds, flopsPerSecond; ///< at least one, positive and finite
};

/// Errors (code "measured", "file") name the file and the point. `gpu`: the one whose roofs are
/// drawn.
Result<std::vector<MeasuredPoint>> readMeasured(const std::string& path, const std::string& gpu);

} // namespace lanescope::cli
