// SPDX-License-Identifier: GPL-3.0-or-later
// The time of a launch from the two models that know a part of it each: the roofs, which are throughput of the whole GPU as if everything
// overlapped, and one SM cycle by cycle (engine/timing), which waits for latencies, queues, schedulers and barriers but has only a share of
// L2 and device memory. A launch can be no faster than either, so the slower one is its time. Nothing is fitted to a kernel.
#pragma once

#include <optional>

#include "engine/model/explanation.h"

namespace lanescope::model {

struct LaunchTime {
    double seconds = 0;
    bool isBoundBySm = false; ///< by the SM's own timing, not by a roof
    Explanation explanation;
};

/// `smSeconds`: of the launch by the timing of an SM; none: it was not timed, and the slowest roof is the time.
LaunchTime launchTime(double roofSeconds, std::optional<double> smSeconds);

} // namespace lanescope::model
