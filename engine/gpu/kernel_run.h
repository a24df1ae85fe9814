// SPDX-License-Identifier: GPL-3.0-or-later
// A launch on a real GPU: the driver compiles the same PTX that is simulated, the kernel runs once for its results, then as often as its
// time needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/gpu/driver.h"
#include "engine/gpu/launch_time.h"
#include "engine/sim/launch.h"

namespace lanescope::gpu {

struct KernelRun {
    int registersPerThread = 0, staticSharedBytes = 0, localBytes = 0, blocksPerSm = 0; ///< as the driver reports them
    std::vector<std::vector<std::uint8_t>> buffers; ///< by argument, after the first launch; empty for scalars
    KernelTime time;
};

/// Errors: code "ptx_version" (the driver does not know this version of PTX; says which it knows), "ptx" (the driver's compiler, with its
/// log), "gpu" (out of memory, a launch that is refused, a kernel that faulted: what and where is unknown to the hardware).
Result<KernelRun> runKernel(const Gpu& gpu, const std::string& ptx, const std::string& entry, const sim::Launch& launch, const TimeOptions& options);

} // namespace lanescope::gpu
