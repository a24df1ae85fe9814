// SPDX-License-Identifier: GPL-3.0-or-later
// From the engine's models to the values that charts paint. The only place in views/ that calls
// them; needs no window and may run on any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/session/code_form.h"
#include "engine/session/measured.h"
#include "views/export/chart_data.h"

namespace lanescope::session {
struct Snapshot;
}

namespace lanescope::views {

struct DeviceEntry {
    std::string id, name;
    std::int64_t sms = 0; ///< 0: unknown
};

/// GPUs with clocks, by name as the device list has them. Error as device::allDevices.
Result<std::vector<DeviceEntry>> chartDevices();

struct KernelShape {
    int threads = 0;        ///< per block
    int registers = 0;      ///< per thread
    double sharedBytes = 0; ///< per block
};

struct KernelEntry {
    KernelPoint point;
    KernelShape shape;
    std::int64_t blocks = 0;
    OccupancyData occupancy;
    WavesData waves;
};

/// Everything the performance page shows of a GPU.
struct Performance {
    std::string deviceId, gpu;
    RooflineData roofline; ///< its points are those of the kernels
    std::vector<KernelEntry> kernels;
    std::string error; ///< why there is nothing

    const KernelEntry* find(const std::string& id) const;
};

struct PerformanceRequest {
    std::string deviceId = "h100";
    std::vector<std::string> kernelIds;        ///< empty: all of the catalog
    std::map<std::string, std::int64_t> sizes; ///< used by the kernels that have the parameter
    /// The tile of one kernel, the open one; the others keep their own.
    std::string tiledKernel;
    std::map<std::string, std::int64_t> tile;
    session::CodeForm form = session::CodeForm::Written; ///< of all kernels
};

/// Sizes that charts model when none are given: large enough to fill a GPU, sampled in a fraction of a second.
std::map<std::string, std::int64_t> chartSizes();

/// Simulates sampled blocks of each kernel and models it. A kernel that cannot be modelled becomes
/// a note of the roofline. Error: unknown GPU or kernel; no kernel at all could be modelled.
Result<Performance> modelPerformance(const PerformanceRequest& request);

/// The kernel that is open, from its finished run; false when the run has no model.
bool addOpenKernel(Performance& performance, const session::Snapshot& snapshot);

/// What was measured over the points of the same kernel and parameters (`valuesOf` says with which a kernel was modelled), where it was
/// measured on the same GPU.
void addMeasured(Performance& performance, const session::MeasuredPoints& measured, session::CodeForm form,
                 const std::function<std::map<std::string, std::int64_t>(const std::string& kernel)>& valuesOf);

/// Roofs of a GPU without any point.
Result<Performance> roofsOnly(const std::string& deviceId);

/// Occupancy and its curves. A launch that does not fit gives `problem`.
Result<OccupancyData> occupancyData(const std::string& deviceId, const KernelShape& shape,
                                    const std::string& kernel);
Result<WavesData> wavesData(const std::string& deviceId, const KernelShape& shape,
                            std::int64_t blocks, const std::string& kernel);

} // namespace lanescope::views
