// SPDX-License-Identifier: GPL-3.0-or-later
// How long a launch takes: by events, repeated, with what is in the L2 as asked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/gpu/driver.h"

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
    std::optional<double> medianClockMhz() const;
};

/// Times what `launch` puts into the default stream. Errors: those of `launch`, and code "gpu".
Result<KernelTime> timeLaunches(const Gpu& gpu, const TimeOptions& options, const std::function<Result<void>()>& launch);

} // namespace lanescope::gpu
