// SPDX-License-Identifier: GPL-3.0-or-later
// What it takes to feed tensor cores: how often a warp must use what it reads from shared memory, what device memory must deliver for
// tiles of C, and how many stages a pipeline of input tiles needs.
//
// The rules are the course's (L10, sections 8.3 and 8.4); every result carries its formula, inputs and assumptions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/device/device.h"
#include "engine/model/explanation.h"

namespace lanescope::model {

struct WarpTile {
    double reuse = 0;     ///< FMA per byte of shared memory: W_M W_N / (bytes x (W_M + W_N))
    double needed = 0;    ///< FMA per byte that keep the tensor cores busy
    bool enough = false;
    int leastSquare = 0;  ///< W of the smallest W x W that is enough, a multiple of 8
    int accumulators = 0; ///< f32 registers a thread for the warp's tile
    Explanation reuseExplanation, neededExplanation;
};
/// Errors (code "model", "device"): sizes that are not positive; a GPU without tensor cores for elements of this size.
Result<WarpTile> warpTile(const device::Device& device, int rows, int columns, int elementBytes = 2);

struct TileTraffic {
    double bytesRead = 0, bytesWritten = 0;     ///< of device memory, in waves of blocks in row-major order
    double readSeconds = 0, totalSeconds = 0;   ///< at the GPU's bandwidth
    double arithmeticSeconds = 0;               ///< at the peak of the tensor cores
    double flopPerByte = 0;
    bool isBandwidthBound = false;              ///< totalSeconds > arithmeticSeconds
    Explanation read, arithmetic;
};
struct MatmulSize {
    std::int64_t m = 4096, n = 4096, k = 4096;
};
/// C of f32 is written where elements have 4 bytes, of their own size elsewhere.
Result<TileTraffic> tileTraffic(const device::Device& device, const MatmulSize& size, int rows, int columns, int elementBytes = 2);

struct StageInput {
    int rows = 128, columns = 256, depth = 64; ///< B_M, B_N, B_K
    int elementBytes = 2;
    double latencySeconds = 1e-6;              ///< from asking for a stage until it is there
    int mostStages = 6;                        ///< of the curve
    std::int64_t tiles = 0;                    ///< stages to be worked through in all; 0: without a beginning
};
struct Stages {
    double cycles = 0;       ///< of the tensor cores for one stage
    double seconds = 0;
    std::int64_t bytes = 0;  ///< of shared memory a stage
    int needed = 0;          ///< stages that keep the tensor cores busy
    int fit = 0;             ///< into the shared memory of a block
    double bytesPerSecond = 0; ///< that an SM must receive
    std::vector<double> busy;  ///< busy fraction of the tensor cores with 1, 2, ... stages
    Explanation cyclesExplanation, neededExplanation, fitExplanation, busyExplanation;
};
Result<Stages> stages(const device::Device& device, const StageInput& input);

} // namespace lanescope::model
