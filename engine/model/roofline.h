// SPDX-License-Identifier: GPL-3.0-or-later
// A roofline of several roofs: what each part of the GPU needs for a kernel's counts, and the
// slowest of them.
//
// Assumes that all parts overlap perfectly; latency and dependencies are not modelled, so the time
// is a lower bound. A measurement above a roof shows that an assumption is wrong (for instance
// loads that the compiler merged). The L1 has two roofs where its stages are measured (l1_tags,
// l1_data: memory/l1_stages.h); elsewhere one, l1_lines, whose one line a clock is a simplification,
// see the figure's source. Roofs whose figure the GPU's description lacks are absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/device/device.h"
#include "engine/model/explanation.h"

namespace lanescope::model {

/// Counts of a whole launch, from the simulator or scaled from sampled blocks. What is 0 puts no
/// load on its roof.
struct KernelCounts {
    double fma = 0;   ///< FP32 multiply-adds of all lanes
    double flops = 0; ///< all FP32 operations; a multiply-add is two. At least 2 * fma
    /// Warp instructions of the FP32 lanes. 0: (flops - fma) / 32, every lane active.
    double fp32WarpInstructions = 0;
    double tensorFma = 0; ///< multiply-adds of the tensor cores
    /// Key of the device figure with their rate: "tensor_f16_accumulate_f32", "tensor_tf32", ...
    std::string tensorFigure = "tensor_f16_accumulate_f32";
    double warpInstructions = 0;
    double l1Lines = 0; ///< distinct 128-byte lines, summed over global loads and stores
    double l1TagCycles = 0;  ///< of the busiest tag bank, summed over global accesses
    double l1DataCycles = 0; ///< of the busiest data bank, summed over global accesses
    double sharedWavefronts = 0;
    double globalSectors = 0; ///< distinct 32-byte sectors, summed over global loads and stores
    /// Bytes between L1 and L2. None: 32 * globalSectors, as if the L1 never hit.
    std::optional<double> l2Bytes;
    double dramBytes = 0; ///< compulsory traffic: distinct bytes read plus distinct bytes written
    double blocks = 0;    ///< 0: enough to fill every SM
    double warpsPerBlock = 0;
};

enum class RoofKind : std::uint8_t {
    Fp32,
    Tensor,
    Issue,
    L1Lines,
    L1Tags,
    L1Data,
    SharedWavefronts,
    L2,
    Dram
};
/// "fp32", "tensor", "issue", "l1_lines", "l1_tags", "l1_data", "shared_wavefronts", "l2", "dram":
/// names of the JSON.
const char* toString(RoofKind kind);

struct Roof {
    RoofKind kind = RoofKind::Fp32;
    double perSecond = 0; ///< units of work a second, whole GPU
    std::string
        unit; ///< the unit of work: "FMA", "warp instructions", "lines", "cycles", "wavefronts", "bytes"
    double bytesPerUnit = 0; ///< bytes that one unit moves at most; 0 for compute and issue
    double flopsPerUnit = 0; ///< 2 for the compute roofs
    Explanation explanation;
};

struct RooflineOptions {
    std::optional<double> clockMegahertz; ///< none: the description's boost clock
    std::optional<double> smsInUse;       ///< none: all of them
    std::string tensorFigure = "tensor_f16_accumulate_f32";
};

/// The roofs that the GPU's description has figures for. Error (code "device"): no SM count or
/// clock (a bare compute capability).
Result<std::vector<Roof>> roofsOf(const device::Device& device,
                                  const RooflineOptions& options = {});

struct RoofTime {
    RoofKind kind = RoofKind::Fp32;
    double work = 0; ///< in the roof's unit
    double seconds = 0;
    Explanation explanation;
};

/// Floating-point operations per byte at one level of the memory.
struct Intensity {
    std::string level; ///< "l1", "shared", "l2", "dram"
    double bytes = 0;
    double flopsPerByte = 0;
};

/// The account that the ladder's lessons compare: each count per 1000 FMA.
struct Per1000Fma {
    double warpInstructions = 0;
    double l1Lines = 0;
    double sharedWavefronts = 0;
    double globalSectors = 0;
    double l1BytesPerFma = 0;
};

struct RooflinePoint {
    std::string kernel;
    std::vector<RoofTime> times; ///< one for each roof with work, in the order of RoofKind
    double seconds = 0;          ///< the slowest
    RoofKind bottleneck = RoofKind::Fp32;
    double flopsPerSecond = 0;            ///< modelled, FP32 and tensor operations together
    std::vector<Intensity> intensities;   ///< levels with traffic only
    std::optional<Per1000Fma> per1000Fma; ///< none without FP32 multiply-adds
    Explanation explanation;
};

/// Errors (code "device", "model"): as roofsOf; negative or non-finite counts; no work at all.
Result<RooflinePoint> rooflinePoint(const device::Device& device, std::string kernel,
                                    const KernelCounts& counts, RooflineOptions options = {});

/// Whether a register tile reuses operands enough for shared memory to feed the FP32 lanes.
struct TileSupply {
    double neededBytesPerFma = 0;   ///< 4 (TM + TN) / (TM TN)
    double suppliedBytesPerFma = 0; ///< shared bytes per clock / FMA per clock
    bool enough = false;
    Explanation explanation;
};
/// Error (code "model", "device"): a tile below 1 x 1; a GPU without the figures.
Result<TileSupply> registerTileSupply(const device::Device& device, int rows, int columns);

} // namespace lanescope::model
