// SPDX-License-Identifier: GPL-3.0-or-later
// A launch on a real GPU: the driver compiles the same PTX that is simulated, the kernel runs once for its results, then as often as its
// time needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/gpu/driver.h"
#include "engine/sim/launch.h"

namespace lanescope::gpu {

/// What is in the L2 when a timed launch begins: what the launch before left there, or nothing of the kernel's.
enum class L2 : std::uint8_t { Warm, Flushed };

struct TimeOptions {
    int warmUp = 3;           ///< launches before the first timed one
    int mostRepeats = 200;
    int leastRepeats = 10;
    double seconds = 0.5;     ///< timed repeats stop after about this long
    L2 l2 = L2::Warm;
    bool timed = true;        ///< false: one launch for the results
};

struct KernelTime {
    std::vector<double> seconds; ///< of one launch, by repeat, as measured
    int launchesPerRepeat = 1;   ///< short kernels are launched several times between two events
    double median = 0, least = 0, most = 0, lowerQuartile = 0, upperQuartile = 0; ///< seconds of a launch
    std::vector<double> clockMhz; ///< SM clock sampled while the repeats ran; empty without NVML
};

struct KernelRun {
    int registersPerThread = 0, staticSharedBytes = 0, localBytes = 0, blocksPerSm = 0; ///< as the driver reports them
    std::vector<std::vector<std::uint8_t>> buffers; ///< by argument, after the first launch; empty for scalars
    KernelTime time;
};

/// Errors: code "ptx_version" (the driver does not know this version of PTX; says which it knows), "ptx" (the driver's compiler, with its
/// log), "gpu" (out of memory, a launch that is refused, a kernel that faulted: what and where is unknown to the hardware).
Result<KernelRun> runKernel(const Gpu& gpu, const std::string& ptx, const std::string& entry, const sim::Launch& launch, const TimeOptions& options);

} // namespace lanescope::gpu
