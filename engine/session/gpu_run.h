// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel run for real, from the same PTX that is simulated: verified against its reference, compared with the simulator, timed, and set
// beside the model.
#pragma once

#include <optional>
#include <string>

#include "engine/gpu/kernel_run.h"
#include "engine/session/measured.h"
#include "engine/session/simulate.h"

namespace lanescope::session {

struct GpuRunRequest {
    LoadRequest load;
    LaunchRequest launch;
    gpu::TimeOptions time;
    bool compare = false; ///< simulates all of the launch and compares every buffer bit for bit
    bool model = true;    ///< false: no counts, no model and no rate, for whoever has them already
};

/// Buffers of the GPU against those of the simulator, by element of their type.
struct SimulatorComparison {
    std::uint64_t elements = 0, different = 0;
    std::string array;             ///< of the first difference
    std::uint64_t index = 0;
    std::string gpuBits, simulatorBits; ///< hexadecimal
    std::vector<std::string> findings;  ///< kinds, as `sim` names them: why a kernel that has some need not compute the same
};

struct GpuRunReport {
    gpu::GpuInfo gpu;
    std::string deviceId;   ///< the description of this GPU that there is; else its bare compute capability, which has no times
    LoadedProgram program;
    PreparedLaunch prepared;
    gpu::KernelRun run;
    std::optional<catalog::ReferenceReport> verification;
    std::optional<SimulatorComparison> comparison;
    std::optional<KernelResidency> residency; ///< as the model has it
    SimReport model;        ///< counts from sampled blocks, and the model where it has one
    double flops = 0;       ///< of the launch, counted; 0 when nothing is known
};

/// Loads for this GPU (its compute capability, and a PTX version that the driver knows), launches, reads back. Errors: those of loading and
/// launching, and those of gpu::runKernel.
Result<GpuRunReport> runOnGpu(const gpu::Gpu& gpu, const GpuRunRequest& request, const compile::Environment& environment);

/// Measured seconds of a launch (median) against modelled; 0 without a model. Above 0: the model is slower than the GPU.
double modelError(const GpuRunReport& report);

/// The description of a GPU that the driver names so; else its bare compute capability.
Result<device::Device> describedDevice(const gpu::GpuInfo& gpu);

/// What is saved of a timed run.
MeasuredPoint measuredPoint(const GpuRunReport& report);

/// The report of `lanescope run --json`. Its "gpu" and "points" are what `lanescope roofline --measured` reads.
std::string toJson(const GpuRunReport& report);
std::string toText(const GpuRunReport& report);

} // namespace lanescope::session
