// SPDX-License-Identifier: GPL-3.0-or-later
// Amdahl's and Gustafson's laws: what more processors give when a share of the work stays serial.
#pragma once

#include "engine/base/diagnostic.h"
#include "engine/model/explanation.h"

namespace lanescope::model {

struct Scaling {
    double amdahl = 0;    ///< the same problem on n processors: 1 / (s + (1 - s) / n)
    double limit = 0;     ///< Amdahl without end of processors: 1 / s; infinite for s = 0
    double gustafson = 0; ///< a problem grown with the processors: s + (1 - s) n
    /// Processors at which Amdahl's speed-up is half of its limit, (1 - s) / s; infinite for s = 0.
    double halfAt = 0;
    Explanation amdahlExplanation, gustafsonExplanation;
};

/// serialShare: part of the time on one processor that cannot be split, 0 to 1. Errors (code
/// "model"): a share outside that range, fewer than one processor.
Result<Scaling> scaling(double serialShare, double processors);

} // namespace lanescope::model
