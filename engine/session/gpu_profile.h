// SPDX-License-Identifier: GPL-3.0-or-later
// A device description with the figures that this machine's GPU measured itself.
#pragma once

#include <string>
#include <vector>

#include "engine/device/device.h"
#include "engine/gpu/calibrate.h"

namespace lanescope::session {

struct GpuProfile {
    device::Device device; ///< id "h200-measured"; every measured figure says so in its source
    struct Row {
        std::string key, unit, how, specSource;
        std::optional<double> spec; ///< what the description says
        double measured = 0;
    };
    std::vector<Row> rows;
    std::vector<std::string> skipped;
};

/// Figures of `calibration` over those of the GPU's description; a GPU without one gets its limits from its compute capability, and its
/// number of SMs and clock as measured. Errors (code "device"): a compute capability that is not known.
Result<GpuProfile> gpuProfile(const gpu::GpuInfo& gpu, const gpu::Calibration& calibration);

std::string toJson(const GpuProfile& profile);
std::string toText(const GpuProfile& profile);

} // namespace lanescope::session
