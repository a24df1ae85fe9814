// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/scaling.h"

#include <cmath>

#include <fmt/format.h>

namespace lanescope::model {

Result<Scaling> scaling(double serialShare, double processors) {
    if (!(serialShare >= 0 && serialShare <= 1))
        return failure("model", fmt::format("a serial share of {}", serialShare), {},
                       "give a share from 0 to 1, such as 0.01");
    if (!(processors >= 1) || !std::isfinite(processors))
        return failure("model", fmt::format("{} processors", processors), {}, "give 1 or more");
    Scaling result;
    const double parallel = 1 - serialShare;
    result.amdahl = 1 / (serialShare + parallel / processors);
    result.limit = 1 / serialShare;
    result.gustafson = serialShare + parallel * processors;
    result.halfAt = parallel / serialShare;
    const std::vector<ExplanationInput> inputs = {
        inputOf("s", serialShare, "", "given"), inputOf("n", processors, "processors", "given")};
    result.amdahlExplanation = {"Amdahl's speed-up",
                                result.amdahl,
                                "",
                                "1 / (s + (1 - s) / n)",
                                inputs,
                                {"the problem keeps its size",
                                 "the rest of the work splits without loss"}};
    result.gustafsonExplanation = {"Gustafson's speed-up",
                                   result.gustafson,
                                   "",
                                   "s + (1 - s) n",
                                   inputs,
                                   {"the parallel part grows with the processors, the serial part "
                                    "does not"}};
    return result;
}

} // namespace lanescope::model
