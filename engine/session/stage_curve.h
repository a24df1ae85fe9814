// SPDX-License-Identifier: GPL-3.0-or-later
// The busy fraction of a kernel's arithmetic against the number of its pipeline stages: the kernel timed once for each.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/compile/compile.h"

namespace lanescope::session {

struct StageCurveRequest {
    std::string kernel;  ///< of the catalog
    std::string gpu = "h100";
    std::map<std::string, std::int64_t> parameters; ///< others have their defaults
    int mostStages = 6;
    std::string parameter = "STAGES";
};

struct StagePoint {
    int stages = 0;
    std::optional<double> busy; ///< modelled, 0..1; none: it cannot be launched or timed
    std::uint32_t cycles = 0;   ///< of the SM
    std::string problem;        ///< why not
};

/// One point. Never fails: what is wrong is the point's problem.
StagePoint stagePoint(const StageCurveRequest& request, int stages, const compile::Environment& compilers, const std::atomic<bool>* cancel = nullptr);

/// The kernel has a parameter of this name that can have more than one value.
bool hasStages(const std::string& kernel, const std::string& parameter = "STAGES");

} // namespace lanescope::session
