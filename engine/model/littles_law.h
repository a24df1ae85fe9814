// SPDX-License-Identifier: GPL-3.0-or-later
// Little's law: to keep a memory busy, latency x bandwidth bytes must be in flight. How much of the
// bandwidth the resident warps of an SM can ask for, and what it would take to ask for all of it.
//
// Assumes that the SMs share the bandwidth evenly, that each warp waits for its requests before it
// issues the next ones, and that the latency does not grow with the load.
#pragma once

#include <optional>

#include "engine/base/diagnostic.h"
#include "engine/device/device.h"
#include "engine/model/explanation.h"

namespace lanescope::model {

/// The latency that the course assumes for device memory, for GPUs without a measured one.
inline constexpr double kAssumedDramLatencyNanoseconds = 500;

struct LatencyInput {
    double warpsPerSm = 0;      ///< resident warps; more than the GPU holds is refused
    double bytesPerLane = 4;    ///< of one request; 16 is a float4
    double requestsPerWarp = 1; ///< independent requests that a warp has in flight
    double activeLanes = 32;    ///< lanes of a request that ask for bytes of their own
    std::optional<double> latencyNanoseconds; ///< none: the GPU's latency_dram, else 500 ns
    std::optional<double> bandwidth;          ///< GB/s of the whole GPU; none: dram_bandwidth
};

struct LatencyHiding {
    double bandwidthPerSm = 0;  ///< GB/s
    double latencyNanoseconds = 0;
    double bytesNeeded = 0;     ///< in flight on an SM to use all of its share
    double bytesPerRequest = 0; ///< of a warp
    double bytesInFlight = 0;
    double share = 0;           ///< of the bandwidth, 0 to 1
    double occupancy = 0;       ///< warps / warps that the SM holds
    /// What one quantity alone would have to be, the others as they are; whole numbers.
    double warpsNeeded = 0;
    double requestsNeeded = 0;
    /// warpsNeeded / warps that the SM holds; above 1: occupancy alone cannot do it.
    double occupancyNeeded = 0;
    Explanation needed; ///< of bytesNeeded
    Explanation reached; ///< of share
};

/// Errors (code "device", "model"): a GPU without SM count or bandwidth; a quantity that is not
/// positive and finite; more warps or lanes than there can be.
Result<LatencyHiding> latencyHiding(const device::Device& device, const LatencyInput& input);

} // namespace lanescope::model
