// SPDX-License-Identifier: GPL-3.0-or-later
// The matmul ladder: what was measured on a GPU, kernel by kernel, beside what our model says of our
// kernels with the same tiles on that GPU. Tables: assets/ladders/*.json, each with its source; one without a GPU is a list of rungs to
// measure, on whatever GPU. Points measured here (`lanescope ladder --run`) stand over a table's.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/catalog/catalog.h"
#include "engine/compile/compile.h"
#include "engine/session/measured.h"
#include "engine/session/simulate.h"
#include "engine/timing/result.h"

namespace lanescope::session {

struct MeasuredRung {
    std::string kernel; ///< of the catalog
    std::string name;   ///< as the source calls it
    catalog::Overrides parameters;
    double flopsPerSecond = 0; ///< 0: not measured
    double clockMhz = 0;       ///< of the SMs while it was measured; 0: not known
    std::string note; ///< where our kernel differs from the one measured
    catalog::Overrides modelled; ///< what is modelled instead, where these parameters cannot be
};

struct MeasuredLadder {
    std::string id = "sgemm"; ///< what is climbed: "sgemm", "tensor", "tensor-bf16"
    std::string label = "SGEMM"; ///< for a reader
    std::string gpu, title, source;
    catalog::Overrides sizes; ///< of the problem
    std::string bestName;     ///< "cuBLAS"
    std::string bestPoint;    ///< its name among measured points: "cublas_sgemm"
    double bestFlopsPerSecond = 0; ///< 0: not measured
    std::vector<MeasuredRung> rungs;
};

/// The tables built into the program that were measured on a GPU.
Result<std::vector<MeasuredLadder>> measuredLadders();
/// Names of the ladders that there are: "sgemm", "tensor", "tensor-bf16".
std::vector<std::string> ladderIds();
/// Reads one table. Errors (code "ladder") name file and field.
Result<MeasuredLadder> parseLadder(std::string_view json, const std::string& path);

/// What the model and the measurement have to do with each other.
enum class Agreement : std::uint8_t {
    Close,      ///< within 15 per cent
    TooSlow,    ///< measured faster than the roof: an assumption is wrong
    Tail,       ///< the last wave explains the rest
    NoOverlap,  ///< between the slowest roof and all of them one after another
    Latency,    ///< slower than that: waiting, which a roof does not see
    Clock,      ///< at the clock that was measured, below the one that is modelled, within 15 per cent
    TooFast,    ///< slower than roofs and the timing of an SM allow
    NotModelled, ///< see the reason
    NotMeasured
};
/// "close", "too_slow", "tail", "no_overlap", "latency", "clock", "too_fast", "not_modelled", "not_measured".
const char* toString(Agreement agreement);

/// What the timing of one SM says of a rung.
struct SmTime {
    double seconds = 0; ///< of the launch
    double issueUtilisation = 0, shareTimed = 1;
    timing::WarpState waits = timing::WarpState::Issued; ///< why warps wait longest
    double waitShare = 0;                                ///< of the warps' time
};

struct LadderRung {
    MeasuredRung measured;
    std::optional<ModelledKernel> modelled; ///< the roofs
    std::optional<SmTime> sm;
    double flopsPerSecond = 0; ///< modelled: model::launchTime of both
    bool changesAsCompiled = false; ///< ptxas makes other accesses to shared memory of it than the PTX has
    double error = 0; ///< modelled / measured FLOP/s - 1; above 0: the model is faster
    double clockMhz = 0; ///< that is modelled
    std::optional<double> errorAtClock; ///< the same at the clock that was measured; nothing where that is not known or does not matter
    /// If the roofs were worked off one after another, FLOP/s.
    double flopsPerSecondWithoutOverlap = 0;
    Agreement agreement = Agreement::NotModelled;
    std::string reason; ///< one or two sentences, with the figures that they rest on
};

struct Ladder {
    MeasuredLadder table;
    CodeForm form = CodeForm::Written; ///< of the kernels that were modelled
    std::vector<LadderRung> rungs;
};

struct LadderOptions {
    CodeForm form = CodeForm::Compiled; ///< what was measured is compiled code
    bool timed = true; ///< with the timing of an SM, about a second a rung
    const std::atomic<bool>* cancel = nullptr;
    std::function<void(std::size_t done, std::size_t of)> progress;
    catalog::Overrides sizes; ///< instead of the table's, to be quicker; the rates are compared
    std::string id = "sgemm";
    const MeasuredPoints* measured = nullptr; ///< stand over the table's, by kernel and parameters
    bool unmeasured = false; ///< also on a GPU of which nothing was measured
};

/// The rungs of a ladder on a GPU, as its table or as points say how fast they are; nothing is modelled. Errors (code "ladder"): no ladder of
/// this name; nothing was measured on this GPU (unless options.unmeasured).
Result<MeasuredLadder> ladderTable(const device::Device& device, const LadderOptions& options = {});
/// The rung's parameters at the sizes that are measured.
catalog::Overrides parametersOf(const MeasuredLadder& table, const MeasuredRung& rung, const LadderOptions& options);

/// Rungs whose kernel cannot be modelled stay in the list, with the reason. Errors (code "ladder"):
/// no table for the GPU; code "cancelled".
Result<Ladder> ladder(const std::string& gpu, const compile::Environment& environment,
                      const LadderOptions& options = {});

/// The same models beside other measurements (options.measured). Errors: those of ladderTable.
Result<void> setMeasured(Ladder& ladder, const LadderOptions& options);

/// The report of `lanescope ladder --json`, indented by two.
std::string toJson(const Ladder& ladder);

/// Of one rung, from the modelled point; public for the tests.
void judge(LadderRung& rung, CodeForm form = CodeForm::Written);

} // namespace lanescope::session
