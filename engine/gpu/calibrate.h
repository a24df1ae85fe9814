// SPDX-License-Identifier: GPL-3.0-or-later
// A GPU's own figures, measured: what its memories, pipes and latencies really give, under the keys of device descriptions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/gpu/driver.h"

namespace lanescope::gpu {

struct MeasuredFigure {
    std::string key;  ///< of device::figureKinds()
    double value = 0; ///< in the unit of that kind
    std::string how;  ///< one sentence
};

struct Calibration {
    std::vector<MeasuredFigure> figures;
    std::vector<std::string> skipped; ///< "figure: why"
    std::optional<double> clockMhz;   ///< SM clock under load, median
};

/// Measures for about two seconds, on Hopper for six: its tensor cores are measured at the power limit. Bandwidths are of whole launches by
/// events; rates and latencies are cycles of the SM's own clock. Errors as runKernel.
Result<Calibration> calibrate(const Gpu& gpu);

} // namespace lanescope::gpu
