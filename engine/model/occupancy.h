// SPDX-License-Identifier: GPL-3.0-or-later
// How many blocks of a kernel reside on an SM, what limits them, and what rounding costs.
//
// Equals cudaOccMaxActiveBlocksPerMultiprocessor of the CUDA Toolkit's cuda_occupancy.h (tests
// compare the two where the header is installed), with the opt-in of large shared memory taken as
// given, as cudaFuncSetAttribute would.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/device/device.h"
#include "engine/model/explanation.h"

namespace lanescope::model {

struct OccupancyInput {
    int threads = 256; ///< per block
    int registersPerThread = 32;
    std::int64_t staticSharedBytes = 0;
    std::int64_t dynamicSharedBytes = 0;
    int barriers = 1; ///< named barriers that a block uses, 0 to 16
    /// cudaFuncAttributePreferredSharedMemoryCarveout: per cent of the largest shared memory; none:
    /// the largest.
    std::optional<int> carveOutPercent;
};

enum class Resource : std::uint8_t { Warps, Blocks, Registers, Shared, Barriers };
/// "warps", "blocks", "registers", "shared", "barriers".
const char* toString(Resource resource);

/// Blocks that each resource alone would allow. No value: the resource does not limit.
struct ResidencyLimits {
    int warps = 0;
    int blocks = 0;
    std::optional<int> registers;
    std::optional<int> shared;
    std::optional<int> barriers;
};

struct Occupancy {
    int blocksPerSm = 0;
    int warpsPerBlock = 0;
    int warpsPerSm = 0;
    int threadsPerSm = 0;
    double occupancy = 0; ///< resident warps / most resident warps, 0 to 1
    ResidencyLimits limits;
    /// The resources that allow the fewest blocks, in the order of Resource.
    std::vector<Resource> limiters;

    // Rounding: what a block asks for and what it gets.
    std::int64_t registersRequested = 0; ///< per block
    std::int64_t registersAllocated = 0;
    std::int64_t sharedRequested = 0;  ///< bytes per block
    std::int64_t sharedAllocated = 0;  ///< with the driver's reservation, rounded up
    std::int64_t lanesRequested = 0;   ///< threads per block
    std::int64_t lanesAllocated = 0;   ///< whole warps
    std::int64_t sharedBytesPerSm = 0; ///< the carve-out in force
    std::int64_t l1BytesPerSm = 0;     ///< what is left of the unified memory; 0 when not known
    std::vector<Explanation> explanations;

    std::string limiterNames() const; ///< "registers", "warps, blocks"
};

/// Errors (code "launch"): no threads, too many threads, registers or shared memory for a block;
/// all that apply.
Result<Occupancy> occupancy(const device::Device& device, const OccupancyInput& input);

enum class OccupancyAxis : std::uint8_t { Registers, SharedBytes, Threads };

struct OccupancyPoint {
    std::int64_t x =
        0; ///< registers per thread, bytes of dynamic shared memory, or threads per block
    int blocksPerSm = 0; ///< 0 where the launch would fail
    int warpsPerSm = 0;
    double occupancy = 0;
};

struct OccupancyCurve {
    OccupancyAxis axis = OccupancyAxis::Registers;
    std::vector<OccupancyPoint> points;
    /// Index of the point nearest to the input's own value.
    std::size_t current = 0;
};

/// Occupancy over one quantity, the others as in the input: registers 1 to the most, shared memory
/// in allocation units, threads in warps.
OccupancyCurve occupancyCurve(const device::Device& device, const OccupancyInput& input,
                              OccupancyAxis axis);

} // namespace lanescope::model
