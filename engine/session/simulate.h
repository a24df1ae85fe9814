// SPDX-License-Identifier: GPL-3.0-or-later
// From a kernel id or a file to a report: load, compile, decode, launch, simulate, check, model. `lanescope sim` is this and little more;
// the window's session uses the same steps one by one.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/catalog/catalog.h"
#include "engine/check/finding.h"
#include "engine/compile/compile.h"
#include "engine/compiled/compiled.h"
#include "engine/device/device.h"
#include "engine/model/occupancy.h"
#include "engine/model/roofline.h"
#include "engine/model/waves.h"
#include "engine/session/argument_spec.h"
#include "engine/session/code_form.h"
#include "engine/session/wrong_element.h"
#include "engine/sim/launch.h"

namespace lanescope::session {

/// A program text and what became of it. CUDA text is empty for a PTX file.
struct LoadedProgram {
    std::string id;       ///< kernel id or file name
    std::string title;
    std::string cudaFile, cudaText;
    std::string ptxText;
    std::string compiler; ///< "nvcc 13.0.88", "built in", empty for a PTX file
    CodeForm form = CodeForm::Written;
    std::vector<compiled::Changes> changes;    ///< of the compiled form: by function of the module
    std::shared_ptr<const ptx::Module> module; ///< in that form
    std::shared_ptr<const sim::Program> program;
    /// The kernel of the catalog and its resolved parameters, when it is one.
    std::shared_ptr<const catalog::Kernel> kernel;
    catalog::ResolvedKernel resolved;
};

/// The catalog built into the program. The first call parses it; an error in it is reported by every call.
Result<const std::vector<catalog::Kernel>*> builtInKernels();

struct LoadRequest {
    std::string subject;                ///< kernel id, or path of a .cu or .ptx file
    std::optional<std::string> text;    ///< edited CUDA text instead of the kernel's or the file's own
    std::string entry;                  ///< empty: the only one
    std::vector<std::pair<std::string, std::string>> defines; ///< -D: a kernel's parameters, or macros of a file
    std::string arch = "sm_90";
    std::optional<compile::Compiler> with;
    CodeForm form = CodeForm::Written;
    std::stop_token stop;
};
Result<LoadedProgram> load(const LoadRequest& request, const compile::Environment& environment);

/// Names of the kernel's arguments: the catalog's, else those of the CUDA text, else the PTX parameters'.
std::vector<std::string> argumentNames(const LoadedProgram& program);

/// What the compiled form changes in the kernel and what it calls. Of a program as written it is compiled for that.
compiled::Changes formChanges(const LoadedProgram& program);

/// Loads PTX text as it is.
Result<LoadedProgram> loadPtx(std::string ptxText, std::string path, const std::string& entry, CodeForm form = CodeForm::Written);

struct LaunchRequest {
    std::optional<Dim3> grid, block; ///< required for files; kernels of the catalog have their own
    std::optional<std::uint64_t> dynamicSharedBytes;
    std::vector<std::string> arguments; ///< specs; empty: the catalog's
    sim::Schedule schedule = sim::Schedule::InTurn;
    std::uint64_t seed = 1;
    Contents contents = Contents::Filled;
    sim::Where where = sim::Where::Simulator;
};

struct PreparedLaunch {
    sim::Launch launch;
    std::vector<ArgumentValue> values; ///< types and texts of the arguments; the bytes are in launch.arguments
};
/// Errors: code "argument", "launch", "parameter".
Result<PreparedLaunch> prepare(const LoadedProgram& program, const LaunchRequest& request, const device::Device& device);

enum class BlockChoice : std::uint8_t { All, Sample, List };

struct SimulateOptions {
    BlockChoice blocks = BlockChoice::All;
    std::vector<std::uint64_t> blockList;
    std::uint64_t maxInstructions = 2'000'000'000;
    bool findings = true; ///< false: counts only, several times as fast; no races, bounds, ... are reported and nothing is verified
    const std::atomic<bool>* cancel = nullptr;
    std::function<void(std::uint64_t done, std::uint64_t of)> progress;
};

struct SimReport {
    sim::Counters counters; ///< of the blocks simulated; scaled to the grid when they were sampled
    std::vector<check::Finding> findings;
    std::uint64_t blocksSimulated = 0, blocksInGrid = 0;
    bool scaled = false;    ///< counters stand for the whole grid, from a sample
    bool isExact = true;    ///< false: blocks of the sample differ in ways that were not told apart; an estimate
    bool finished = true, cancelled = false;
    double seconds = 0;     ///< wall time of the simulation
    std::optional<catalog::ReferenceReport> verification; ///< all blocks ran and the kernel has a reference
    std::optional<WrongElement> firstWrong; ///< where it does not match
    // model
    int registersPerThread = 0;
    std::string registersSource; ///< "ptxas 13.0 ..." or "estimated from PTX"
    std::optional<model::Occupancy> occupancy;
    std::optional<model::Waves> waves;
    std::optional<model::RooflinePoint> point; ///< none when the device has no clock, or nothing ran
    std::string modelNote;                     ///< why a part of the model is missing
};

/// Runs the launch; `memory` (from sim::makeMemory) keeps the results.
Result<SimReport> simulate(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device,
                           sim::Memory& memory, const SimulateOptions& options);

/// The report of `lanescope sim --json`: one object, indented by two.
std::string toJson(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device, const SimReport& report);

/// The same for people.
std::string toText(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device, const SimReport& report);

/// Registers of a program on a device, and the occupancy of a launch with them.
struct KernelResidency {
    int registersPerThread = 0;
    std::string registersSource; ///< "ptxas 13.0 ..." or "estimated from PTX"
    Result<model::Occupancy> occupancy;
};
/// `registers`: what the user says instead.
KernelResidency residencyOf(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device,
                            std::optional<int> registers = std::nullopt);

/// Counts and model of a launch from sampled blocks: without values (sim::countingProgram), findings or verification.
Result<SimReport> countSampled(LoadedProgram program, LaunchRequest request, const device::Device& device, const std::atomic<bool>* cancel = nullptr);

/// The outputs against the kernel's reference; nothing for a program that has none. `after`: bytes of each argument after the launch, empty
/// for one without memory.
std::optional<catalog::ReferenceReport> verify(const LoadedProgram& program, const PreparedLaunch& prepared, std::vector<std::span<const std::byte>> after);

/// What the roofline takes from counters.
model::KernelCounts kernelCounts(const sim::Counters& counters, const sim::Launch& launch);

/// What the models say of a kernel of the catalog, from sampled blocks (counts only).
struct ModelledKernel {
    std::string id, title;
    model::RooflinePoint point;
    model::Occupancy occupancy;
    std::optional<model::Waves> waves;
    int registersPerThread = 0;
    std::string registersSource;
    sim::Counters counters;
    std::uint64_t blocksSimulated = 0;
    bool isExact = true; ///< as SimReport
};

/// Errors: those of loading, launching and modelling; code "cancelled" when `cancel` was set.
Result<ModelledKernel> modelKernel(const device::Device& device, const std::string& id, const catalog::Overrides& parameters,
                                   const compile::Environment& environment, CodeForm form = CodeForm::Written,
                                   const std::atomic<bool>* cancel = nullptr);

/// Modelled points of kernels of the catalog at their default sizes, for the roofline chart; sizes are set where a kernel has them.
Result<std::vector<ModelledKernel>> rooflinePoints(const std::string& deviceId, const std::vector<std::string>& kernelIds,
                                                   const catalog::Overrides& sizes, const compile::Environment& environment,
                                                   CodeForm form = CodeForm::Written);

} // namespace lanescope::session
