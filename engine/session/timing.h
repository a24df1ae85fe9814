// SPDX-License-Identifier: GPL-3.0-or-later
// The timing of an SM for a launch: which blocks reside together, their events, and the model run over them.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/simulate.h"
#include "engine/timing/pipeline.h"
#include "engine/timing/sm.h"

namespace lanescope::session {

struct TimingOptions {
    std::uint64_t block = 0;          ///< linear index of the traced block
    std::optional<int> resident;      ///< blocks on the SM; none: what occupancy and grid give
    std::optional<int> registersPerThread; ///< none: the catalog's, or estimated from the PTX
    timing::Overrides figures;
    /// Events of all resident blocks together: of larger blocks the first part is timed, and the cycles of the rest follow from it.
    std::uint32_t maxEvents = 2'000'000;
    std::uint64_t maxInstructions = 200'000'000; ///< of a block
    const std::atomic<bool>* cancel = nullptr;
};

struct TimingReport {
    std::shared_ptr<const sim::Program> program;
    timing::SmTiming sm;
    timing::PipelineTiming pipeline;  ///< of the traced block
    timing::Parameters parameters;
    int registersPerThread = 0;
    int residentByOccupancy = 1;      ///< blocks that fit on an SM
    int residentWanted = 1;           ///< on an SM in the first wave of this grid
    std::int64_t l1Bytes = 0;
    double dramShare = 1;             ///< of the sectors that an SM touches first
    double shareTimed = 1;            ///< events timed / events of the resident blocks
    double waves = 1;                 ///< blocks of an SM in all / resident ones, at least 1
    double cycles = 0;                ///< of the launch: waves x cycles of the SM, those left out at the pace of the second half of those timed
    std::optional<double> seconds;    ///< none without a clock
    std::vector<std::string> notes;   ///< what was cut or left out
};

/// Runs the resident blocks (each on the launch's initial memory, one after the other) and times them. Errors: code "timing" for
/// figures and the number of blocks, "launch" for a block that does not fit on an SM.
Result<TimingReport> timeLaunch(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device,
                                const TimingOptions& options);

/// The report of `lanescope timing --json`, indented by two, and the same for people.
std::string toJson(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device, const TimingReport& report);
std::string toText(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device, const TimingReport& report);

} // namespace lanescope::session
