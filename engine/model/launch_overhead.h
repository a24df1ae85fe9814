// SPDX-License-Identifier: GPL-3.0-or-later
// What launching costs: a sequence of kernels against the time that the processor needs to launch
// each of them.
#pragma once

#include <optional>

#include "engine/base/diagnostic.h"
#include "engine/device/device.h"
#include "engine/model/explanation.h"

namespace lanescope::model {

enum class LaunchWay : std::uint8_t { Stream, Graph };

struct LaunchOverhead {
    double kernels = 0;
    double workSeconds = 0;     ///< of the GPU, all kernels
    double overheadSeconds = 0; ///< of one launch
    double launchSeconds = 0;   ///< kernels x overhead
    double serialSeconds = 0;   ///< work + launches, nothing overlaps: the upper bound
    double overlappedSeconds = 0; ///< max(work, launches): launches run ahead, the lower bound
    double serialShare = 0;     ///< launches / serial time, 0 to 1
    bool launchBound = false;   ///< even overlapped, launching takes longer than the work
    Explanation serial, overlapped;
};

/// overheadMicroseconds: none takes the GPU's measured figure for the way of launching. Errors (code
/// "model", "device"): counts or times that are negative or not finite; a GPU without the figure.
Result<LaunchOverhead> launchOverhead(const device::Device& device, double kernels,
                                      double workSeconds, LaunchWay way,
                                      std::optional<double> overheadMicroseconds = std::nullopt);

/// A transformer that generates one token a request. The defaults are a published model of 1.24
/// billion parameters: Llama 3.2 1B (config.json: 16 layers, 8 key-value heads of 64).
struct DecodeStep {
    double parameters = 1235814400;
    double layers = 16;
    double keyValueHeads = 8;
    double headSize = 64;
    double context = 1024; ///< tokens whose keys and values are read
    double batch = 1;
    double bytesPerValue = 2; ///< BF16
    double kernelsPerLayer = 12;
    double otherKernels = 3; ///< the last norm, the output layer, sampling
};

struct DecodeWork {
    double kernels = 0;
    double weightBytes = 0, cacheBytes = 0;
    double seconds = 0; ///< the bytes at the GPU's DRAM bandwidth
    Explanation explanation;
};

/// Lower bound of one step: every weight once, the keys and values of each request, from device
/// memory. Errors (code "model", "device"): a negative quantity; a GPU without bandwidth.
Result<DecodeWork> decodeWork(const device::Device& device, const DecodeStep& step);

} // namespace lanescope::model
