// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/launch_time.h"

#include <algorithm>

namespace lanescope::model {

LaunchTime launchTime(double roofSeconds, std::optional<double> smSeconds) {
    LaunchTime out;
    out.seconds = std::max(roofSeconds, smSeconds.value_or(0));
    out.isBoundBySm = smSeconds && *smSeconds > roofSeconds;
    out.explanation = {"time of the launch", out.seconds, "s", smSeconds ? "max(roofs, sm)" : "roofs",
                       {inputOf("roofs", roofSeconds, "s", "the slowest roof of the launch's counts")},
                       {"every SM works as the one that is timed", "the waves of blocks follow one another"}};
    if (smSeconds)
        out.explanation.inputs.push_back(inputOf("sm", *smSeconds, "s", "the timing of one SM, for all waves of blocks"));
    return out;
}

} // namespace lanescope::model
