// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/simulate.h"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "engine/check/checker.h"
#include "engine/compile/target.h"
#include "engine/session/block_sample.h"
#include "engine/sim/counting.h"
#include "engine/sim/register_estimate.h"

namespace lanescope::session {

namespace {

/// Blocks that a sample of a regular kernel needs, for the progress.
constexpr std::uint64_t kUsualSample = 12;

Result<void> runBlocks(const PreparedLaunch& prepared, sim::Memory& memory, const SimulateOptions& options, check::Checker* checker,
                       SimReport& report) {
    const sim::Launch& launch = prepared.launch;
    sim::RunOptions run;
    run.maxInstructions = options.maxInstructions;
    if (checker != nullptr)
        run.sinks = {checker};
    run.cancel = options.cancel;
    if (options.blocks != BlockChoice::Sample) {
        run.progress = options.progress;
        if (options.blocks == BlockChoice::List) {
            const std::set<std::uint64_t> sorted(options.blockList.begin(), options.blockList.end());
            if (sorted.empty())
                return failure("argument", "no block is named", {}, "--blocks takes all, sample or block numbers such as 0,5,17");
            if (*sorted.rbegin() >= launch.blockCount())
                return failure("argument", fmt::format("there is no block {}: the grid has {}", *sorted.rbegin(), launch.blockCount()), {},
                               "blocks are numbered from 0, x fastest");
            run.blocks.assign(sorted.begin(), sorted.end());
        }
        sim::RunResult result = sim::run(launch, memory, run);
        report.counters = std::move(result.counters);
        report.blocksSimulated = result.blocksRun;
        report.finished = result.finished;
        report.cancelled = result.cancelled;
        return {};
    }
    const SampledCounts sample = sampleGrid(launch.grid, [&](std::uint64_t block, sim::Counters& counters) {
        run.blocks = {block};
        sim::RunResult result = sim::run(launch, memory, run);
        counters = std::move(result.counters);
        report.cancelled |= result.cancelled;
        run.maxInstructions -= std::min(run.maxInstructions, counters.total.executions);
        ++report.blocksSimulated;
        if (options.progress)
            options.progress(report.blocksSimulated, std::max<std::uint64_t>(report.blocksSimulated + 1, kUsualSample));
        return result.finished;
    });
    report.counters = sample.counters;
    report.finished = sample.finished;
    report.scaled = report.blocksSimulated < launch.blockCount();
    report.isExact = sample.isExact;
    return {};
}

/// Why a device could never run PTX of this target, empty where it might: PTX ISA 9.0, section 11.1.2 (.target): a suffix a stands for this
/// architecture alone, f for its family. A plain target is no obstacle, for the same source can be compiled for a lower one.
std::string refusal(const std::string& target, const device::Device& device) {
    const device::ComputeCapability has = device.limits.capability;
    const Result<compile::Architecture> named = compile::parseArchitecture(target);
    if (!named || named->suffix.empty())
        return {};
    const device::ComputeCapability needs{named->number / 10, named->number % 10};
    const bool isMet = named->suffix == "a" ? has == needs : has.major == needs.major && has.minor >= needs.minor;
    return isMet ? std::string() : fmt::format("its PTX is for {}, compute capability {}, and {} has {}", target, toString(needs), device.name, toString(has));
}

void modelInto(SimReport& report, const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device) {
    KernelResidency residency = residencyOf(program, prepared, device);
    report.registersPerThread = residency.registersPerThread;
    report.registersSource = std::move(residency.registersSource);
    if (!residency.occupancy) {
        report.modelNote = toString(residency.occupancy.error());
        return;
    }
    report.occupancy = std::move(*residency.occupancy);
    if (!device.isProduct()) {
        report.modelNote = fmt::format("{} has no clock and no number of SMs: choose a GPU for times", device.name);
        return;
    }
    if (const auto sms = device.value("sm_count"))
        if (Result<model::Waves> w = model::waves(static_cast<std::int64_t>(prepared.launch.blockCount()), static_cast<std::int64_t>(*sms),
                                                  report.occupancy->blocksPerSm))
            report.waves = std::move(*w);
    if (report.counters.total.executions == 0)
        return;
    if (report.modelNote = refusal(program.module->target, device); !report.modelNote.empty())
        return;
    Result<model::RooflinePoint> point = model::rooflinePoint(device, program.id, kernelCounts(report.counters, prepared.launch));
    if (point)
        report.point = std::move(*point);
    else
        report.modelNote = toString(point.error());
}

/// The device figure with the rate of a product's type.
const char* tensorFigure(const tensor::Product& p) {
    switch (p.a) {
    case tensor::Element::F64: return "tensor_f64";
    case tensor::Element::TF32: return "tensor_tf32";
    case tensor::Element::BF16: return "tensor_bf16";
    case tensor::Element::E4M3:
    case tensor::Element::E5M2: return "tensor_fp8";
    case tensor::Element::F16: return p.d == tensor::Element::F16 ? "tensor_f16" : "tensor_f16_accumulate_f32";
    default: return "tensor_int8";
    }
}

} // namespace

KernelResidency residencyOf(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device,
                            std::optional<int> registers) {
    KernelResidency out;
    if (registers) {
        out.registersPerThread = *registers;
        out.registersSource = "given";
    }
    const bool asShipped = program.kernel && program.resolved.definesAreDefault && program.cudaText == program.kernel->text;
    if (asShipped && out.registersPerThread == 0)
        if (const auto known = program.kernel->registersFor(device.limits.capability.major, device.limits.capability.minor)) {
            out.registersPerThread = *known;
            out.registersSource = program.kernel->registersSource;
        }
    if (out.registersPerThread == 0) {
        out.registersPerThread = sim::estimateRegisters(*program.program);
        out.registersSource = "estimated from PTX";
    }
    model::OccupancyInput input;
    input.threads = static_cast<int>(prepared.launch.block.count());
    input.registersPerThread = out.registersPerThread;
    input.staticSharedBytes = static_cast<std::int64_t>(program.program->staticSharedBytes);
    input.dynamicSharedBytes = static_cast<std::int64_t>(prepared.launch.dynamicSharedBytes);
    out.occupancy = model::occupancy(device, input);
    return out;
}

model::KernelCounts kernelCounts(const sim::Counters& c, const sim::Launch& launch) {
    using ptx::InstructionClass;
    model::KernelCounts out;
    const auto number = [](std::uint64_t v) { return static_cast<double>(v); };
    const sim::InstructionCounts& loads = c.of(InstructionClass::LoadGlobal);
    const sim::InstructionCounts& stores = c.of(InstructionClass::StoreGlobal);
    const sim::InstructionCounts& atomics = c.of(InstructionClass::AtomicGlobal);
    const sim::InstructionCounts& copies = c.of(InstructionClass::CopyAsync);
    out.fma = number(c.ffmaLanes);
    out.flops = std::max(number(c.flops - c.tensorFlops), 2 * out.fma);
    out.tensorFma = number(c.tensorFma);
    for (const sim::TensorOp& t : launch.program->tensors) // kernels keep to one type
        if (t.product.shape.k != 0)
            out.tensorFigure = tensorFigure(t.product);
    out.fp32WarpInstructions = number(c.of(InstructionClass::Float32).executions);
    out.warpInstructions = number(c.total.executions);
    out.l1Lines = number(loads.lines + stores.lines + atomics.lines + copies.lines);
    out.l1TagCycles = number(loads.tagCycles + stores.tagCycles + atomics.tagCycles);
    out.l1DataCycles = number(loads.dataCycles + stores.dataCycles + atomics.dataCycles);
    out.sharedWavefronts = number(c.of(InstructionClass::LoadShared).wavefronts + c.of(InstructionClass::StoreShared).wavefronts +
                                  c.of(InstructionClass::AtomicShared).wavefronts + copies.wavefronts);
    out.globalSectors = number(loads.sectors + stores.sectors + atomics.sectors + copies.l2Sectors + c.of(InstructionClass::BulkCopy).sectors);
    out.dramBytes = 32 * number(c.distinctSectorsRead + c.distinctSectorsWritten);
    out.blocks = number(c.blocks);
    out.warpsPerBlock = launch.warpsPerBlock();
    return out;
}

Result<SimReport> simulate(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device, sim::Memory& memory,
                           const SimulateOptions& options) {
    SimReport report;
    report.blocksInGrid = prepared.launch.blockCount();
    const auto start = std::chrono::steady_clock::now();
    std::optional<check::Checker> checker;
    if (options.findings)
        checker.emplace(prepared.launch, memory, program.cudaFile);
    if (Result<void> ran = runBlocks(prepared, memory, options, checker ? &*checker : nullptr, report); !ran)
        return failure(ran.error());
    if (checker) {
        report.findings = checker->findings();
        const check::Checker::Traffic traffic = checker->traffic();
        report.counters.distinctSectorsRead = traffic.sectorsRead;
        report.counters.distinctSectorsWritten = traffic.sectorsWritten;
    }
    if (report.scaled || !checker) {
        // A sample touches a part of the buffers; the whole launch is taken to touch all that its arguments hold.
        std::uint64_t bytes = 0;
        for (const sim::Argument& a : prepared.launch.arguments)
            bytes += a.ownsMemory() ? a.size() : 0;
        report.counters.distinctSectorsRead = bytes / 32;
        report.counters.distinctSectorsWritten = 0;
    }
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (options.findings && report.finished && report.blocksSimulated == report.blocksInGrid) {
        std::vector<std::span<const std::byte>> after;
        for (const int allocation : memory.allocationOfArgument)
            after.push_back(allocation < 0 ? std::span<const std::byte>() : std::as_bytes(std::span(memory.global.at(static_cast<std::size_t>(allocation)).bytes)));
        report.verification = verify(program, prepared, std::move(after));
        if (report.verification)
            report.firstWrong = firstWrongElement(*program.resolved.reference, *report.verification, prepared.launch, options.maxInstructions);
    }
    modelInto(report, program, prepared, device);
    return report;
}

std::optional<catalog::ReferenceReport> verify(const LoadedProgram& program, const PreparedLaunch& prepared, std::vector<std::span<const std::byte>> after) {
    const std::vector<sim::Argument>& arguments = prepared.launch.arguments;
    if (program.kernel == nullptr || !program.resolved.reference || arguments.size() != program.kernel->arguments.size())
        return std::nullopt;
    std::vector<std::span<const std::byte>> before;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        before.push_back(std::as_bytes(std::span(arguments[i].bytes)));
        if (after[i].empty())
            after[i] = before[i];
    }
    Result<catalog::ReferenceReport> report = catalog::checkReference(*program.resolved.reference, before, after);
    return report ? std::optional(std::move(*report)) : std::nullopt;
}

Result<SimReport> countSampled(LoadedProgram program, LaunchRequest request, const device::Device& device, const std::atomic<bool>* cancel) {
    sim::CountingProgram counting = sim::countingProgram(std::move(program.program));
    program.program = std::move(counting.program);
    request.contents = counting.movesData ? Contents::Filled : Contents::Sized;
    const Result<PreparedLaunch> prepared = prepare(program, request, device);
    if (!prepared)
        return failure(prepared.error());
    sim::Memory memory = sim::makeMemory(prepared->launch);
    SimulateOptions options;
    options.blocks = BlockChoice::Sample;
    options.findings = false;
    options.cancel = cancel;
    return simulate(program, *prepared, device, memory, options);
}

Result<ModelledKernel> modelKernel(const device::Device& device, const std::string& id, const catalog::Overrides& parameters,
                                   const compile::Environment& environment, CodeForm form, const std::atomic<bool>* cancel) {
    LoadRequest request;
    request.subject = id;
    request.form = form;
    for (const auto& [name, value] : parameters)
        request.defines.emplace_back(name, std::to_string(value));
    Result<LoadedProgram> program = load(request, environment);
    if (!program)
        return failure(program.error());
    const std::string loadedId = program->id, title = program->title;
    Result<SimReport> report = countSampled(std::move(*program), {}, device, cancel);
    if (!report)
        return failure(report.error());
    if (report->cancelled)
        return failure("cancelled", "cancelled");
    if (!report->finished)
        return failure("model", fmt::format("{} did not finish within its budget of instructions", id), {}, "use smaller sizes");
    if (!report->point || !report->occupancy)
        return failure("model", fmt::format("{} has no modelled point on {}: {}", id, device.name, report->modelNote), {},
                       "choose another GPU");
    return ModelledKernel{loadedId,
                          title,
                          std::move(*report->point),
                          std::move(*report->occupancy),
                          std::move(report->waves),
                          report->registersPerThread,
                          std::move(report->registersSource),
                          std::move(report->counters),
                          report->blocksSimulated,
                          report->isExact};
}

Result<std::vector<ModelledKernel>> rooflinePoints(const std::string& deviceId, const std::vector<std::string>& kernelIds,
                                                   const catalog::Overrides& sizes, const compile::Environment& environment, CodeForm form) {
    const Result<device::Device> device = device::findDevice(deviceId);
    if (!device)
        return failure(device.error());
    const Result<const std::vector<catalog::Kernel>*> kernels = builtInKernels();
    if (!kernels)
        return failure(kernels.error());
    std::vector<ModelledKernel> out;
    for (const std::string& id : kernelIds) {
        const catalog::Kernel* kernel = catalog::findKernel(**kernels, id);
        catalog::Overrides own;
        for (const auto& [name, value] : sizes)
            if (kernel != nullptr && kernel->findParameter(name) != nullptr)
                own.emplace(name, value);
        Result<ModelledKernel> modelled = modelKernel(*device, id, own, environment, form);
        if (!modelled)
            return failure(modelled.error());
        out.push_back(std::move(*modelled));
    }
    return out;
}

} // namespace lanescope::session
