// SPDX-License-Identifier: GPL-3.0-or-later
// The figures that the timing of an SM is made of: latencies in cycles, rates a cycle. All of them come from the description of the
// GPU (assets/devices), each with its source or marked as assumed, and each can be overridden by its key.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/device/device.h"

namespace lanescope::timing {

/// Values for figures by key ("latency_dram" -> 700) instead of the description's.
using Overrides = std::map<std::string, double, std::less<>>;

/// A figure in use: what the user sees and may edit.
struct NamedFigure {
    std::string key;
    std::string description;
    device::Figure figure;
    bool overridden = false;
    std::optional<double> published; ///< overridden: the description's own value
    double least = 0, most = 0;      ///< what it may be set to
};

struct Parameters {
    int schedulers = 4;
    // Cycles for which a warp instruction holds its pipe in one sub-partition: 32 lanes / (lanes an SM / sub-partitions).
    int fmaPipes = 2;      ///< of 16 lanes each
    int fmaCycles = 2, integerCycles = 2, fp64Cycles = 2, specialCycles = 8, convertCycles = 4;
    // Latencies from issue to the earliest issue of a dependent instruction.
    int math = 4, half = 4, fp64 = 8, wide = 5, special = 17, convert = 12, specialRegister = 40, specialRegisterCycles = 16, vote = 13, shuffle = 24;
    int shared = 24, l1 = 33, l2 = 277, dram = 650, atomicShared = 32, atomicGlobal = 517, constant = 8;
    int barrier = 13, barrierArrival = 2, warpSync = 2, fenceBlock = 25, fenceGpu = 590, branch = 6;
    // Bulk copies (TMA), mbarrier, wgmma.
    int bulkCopyIssue = 48;        ///< for which asking for a copy holds up its warp
    int bulkCopyLatency = 10;      ///< beyond a load's from the same place
    double bulkCopyBytesPerCycle = 57; ///< to one SM from the L2
    int mbarrierTest = 15;         ///< a wait that finds its phase over
    int mbarrierWake = 80;         ///< from the last arrival or byte until a waiting warp goes on
    int wgmmaQueue = 6;            ///< entries a sub-partition
    // The load/store unit.
    int lsuPortCycles = 4;         ///< for which a sub-partition's port is held at least
    int lsuPortWavefrontCycles = 2; ///< for each wavefront of an instruction in a sub-partition
    int mioQueue = 8, lgQueue = 8; ///< entries a sub-partition
    double l2BytesPerCycle = 33;   ///< of one SM when all are busy
    double l2StoreBytesPerCycle = 15;
    double dramBytesPerCycle = 16.8;
    int l1Bytes = 0;               ///< unified L1 and shared memory, 0: not known
    int codeLineInstructions = 8, codeLineCycles = 3, firstCodeCycles = 160, firstConstantCycles = 137;
    int scheduleWindow = 32;       ///< instructions within which ptxas is taken to move loads up
    double clockMegahertz = 0;     ///< 0: a bare compute capability
    int smCount = 0;
    /// What went in, in the order in which tables show it.
    std::vector<NamedFigure> figures;
};

/// Errors (code "timing"): an override of a figure that the timing does not use, or out of range.
Result<Parameters> parametersOf(const device::Device& device, const Overrides& overrides = {});

/// What the model leaves out or takes for granted, a sentence each.
const std::vector<std::string>& assumptions();

} // namespace lanescope::timing
