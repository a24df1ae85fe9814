// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/gpu_run.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/symbol.h"
#include "engine/device/architecture.h"
#include "engine/session/verification_text.h"

namespace lanescope::session {

using Json = nlohmann::ordered_json;

namespace {

std::string hexadecimal(const std::uint8_t* bytes, std::size_t size) {
    std::string out = "0x";
    for (std::size_t i = size; i-- > 0;)
        out += fmt::format("{:02x}", bytes[i]);
    return out;
}

Result<SimulatorComparison> compareWithSimulator(const GpuRunReport& report, const device::Device& device) {
    sim::Memory memory = sim::makeMemory(report.prepared.launch);
    const SimulateOptions options;
    const Result<SimReport> simulated = simulate(report.program, report.prepared, device, memory, options);
    if (!simulated)
        return failure(simulated.error());
    if (!simulated->finished)
        return failure("gpu", "the simulation did not finish within its budget of instructions", {}, "compare at a smaller size");
    SimulatorComparison out;
    for (const check::Finding& f : simulated->findings)
        if (const std::string kind(check::name(f.kind)); check::isFault(f.kind) && std::find(out.findings.begin(), out.findings.end(), kind) == out.findings.end())
            out.findings.push_back(kind);
    for (std::size_t i = 0; i < report.run.buffers.size(); ++i) {
        const std::vector<std::uint8_t>& real = report.run.buffers[i];
        if (real.empty())
            continue;
        const std::vector<std::uint8_t>& own = memory.global.at(static_cast<std::size_t>(memory.allocationOfArgument[i])).bytes;
        const auto size = static_cast<std::size_t>(std::max(report.prepared.values[i].elementBytes, 1));
        for (std::size_t at = 0; at + size <= real.size(); at += size) {
            ++out.elements;
            if (std::memcmp(real.data() + at, own.data() + at, size) == 0)
                continue;
            if (out.different++ == 0) {
                out.array = report.prepared.launch.arguments[i].name;
                out.index = at / size;
                out.gpuBits = hexadecimal(real.data() + at, size);
                out.simulatorBits = hexadecimal(own.data() + at, size);
            }
        }
    }
    return out;
}

/// The program for this GPU, launched; once more with an older PTX where the driver asks for it.
Result<void> launchOn(const gpu::Gpu& gpu, const GpuRunRequest& request, LoadRequest load, const device::Device& device, const compile::Environment& environment,
                      GpuRunReport& out) {
    Result<LoadedProgram> program = session::load(load, environment);
    if (!program)
        return failure(program.error());
    out.program = std::move(*program);
    LaunchRequest onGpu = request.launch;
    onGpu.where = sim::Where::Gpu;
    Result<PreparedLaunch> prepared = prepare(out.program, onGpu, device);
    if (!prepared)
        return failure(prepared.error());
    out.prepared = std::move(*prepared);
    Result<gpu::KernelRun> run = gpu::runKernel(gpu, out.program.ptxText, out.program.program->entry().name, out.prepared.launch, request.time);
    if (!run && run.error().front().code == "ptx_version" && !out.program.cudaText.empty() && load.with != compile::Compiler::Clang) {
        load.with = compile::Compiler::Clang; // which writes an older PTX
        if (Result<void> older = launchOn(gpu, request, load, device, environment, out); older)
            return older;
    }
    if (!run)
        return failure(run.error());
    out.run = std::move(*run);
    return {};
}

} // namespace

Result<device::Device> describedDevice(const gpu::GpuInfo& gpu) {
    if (std::optional<device::Device> known = device::findDeviceByDriverName(gpu.name))
        return std::move(*known);
    return device::findDevice(fmt::format("cc{}.{}", gpu.major, gpu.minor));
}

Result<GpuRunReport> runOnGpu(const gpu::Gpu& gpu, const GpuRunRequest& request, const compile::Environment& environment) {
    GpuRunReport out;
    out.gpu = gpu.info();
    const Result<device::Device> device = describedDevice(out.gpu);
    if (!device)
        return failure(device.error());
    out.deviceId = device->id;
    LoadRequest load = request.load;
    load.form = CodeForm::Written; // the driver compiles what is written
    // The built-in PTX is for 9.0 and runs on what came later, too.
    if (out.gpu.major < 9)
        load.arch = device::architectureOf({out.gpu.major, out.gpu.minor});
    if (Result<void> launched = launchOn(gpu, request, std::move(load), *device, environment, out); !launched)
        return failure(launched.error());
    std::vector<std::span<const std::byte>> after;
    for (const std::vector<std::uint8_t>& buffer : out.run.buffers)
        after.push_back(std::as_bytes(std::span(buffer)));
    out.verification = verify(out.program, out.prepared, std::move(after));
    out.residency.emplace(residencyOf(out.program, out.prepared, *device));
    if (request.compare) {
        if (Result<void> simulated = sim::checkLaunch(out.prepared.launch); !simulated)
            return failure(simulated.error());
        Result<SimulatorComparison> comparison = compareWithSimulator(out, *device);
        if (!comparison)
            return failure(comparison.error());
        out.comparison = std::move(*comparison);
    }
    if (request.time.timed && request.model) {
        Result<SimReport> model = countSampled(out.program, request.launch, *device);
        if (!model) { // the GPU ran it: its time stands without a model
            out.model.modelNote = "none: " + toString(model.error().front());
            out.flops = out.program.resolved.flops;
            return out;
        }
        out.model = std::move(*model);
        out.flops = kernelCounts(out.model.counters, out.prepared.launch).flops + 2 * static_cast<double>(out.model.counters.tensorFma);
    }
    return out;
}

double modelError(const GpuRunReport& report) {
    return report.model.point && report.run.time.median > 0 ? report.model.point->seconds / report.run.time.median - 1 : 0;
}

namespace {

std::string kernelName(const GpuRunReport& r) {
    return r.program.kernel != nullptr ? r.program.id : sourceName(r.program.program->entry().name);
}

} // namespace

MeasuredPoint measuredPoint(const GpuRunReport& r) {
    MeasuredPoint out;
    out.kernel = kernelName(r);
    out.parameters = {r.program.resolved.values.begin(), r.program.resolved.values.end()};
    out.seconds = r.run.time.median;
    if (r.flops > 0)
        out.flopsPerSecond = r.flops / r.run.time.median;
    out.registersPerThread = r.run.registersPerThread;
    out.blocksPerSm = r.run.blocksPerSm;
    out.clockMhz = r.run.time.medianClockMhz();
    return out;
}

std::string toJson(const GpuRunReport& r) {
    const sim::Launch& l = r.prepared.launch;
    Json out;
    out["kind"] = "measured";
    out["gpu"] = r.deviceId;
    out["device"] = {{"name", r.gpu.name},
                     {"compute_capability", fmt::format("{}.{}", r.gpu.major, r.gpu.minor)},
                     {"sm_count", r.gpu.smCount},
                     {"l2_bytes", r.gpu.l2Bytes},
                     {"memory_bytes", r.gpu.memoryBytes},
                     {"driver_cuda", gpu::versionText(r.gpu.driverVersion)}};
    out["kernel"] = kernelName(r);
    out["entry"] = r.program.program->entry().name;
    out["compiler"] = r.program.compiler;
    out["target"] = r.program.module->target;
    out["launch"] = {{"grid", {l.grid.x, l.grid.y, l.grid.z}}, {"block", {l.block.x, l.block.y, l.block.z}}, {"dynamic_shared_bytes", l.dynamicSharedBytes}};
    out["function"] = {{"registers_per_thread", r.run.registersPerThread},
                       {"static_shared_bytes", r.run.staticSharedBytes},
                       {"local_bytes", r.run.localBytes},
                       {"blocks_per_sm", r.run.blocksPerSm}};
    if (r.verification)
        out["verification"] = verificationJson(*r.verification);
    if (r.comparison) {
        out["simulator"] = {{"elements", r.comparison->elements}, {"different", r.comparison->different}, {"findings", r.comparison->findings}};
        if (r.comparison->different != 0)
            out["simulator"]["first"] = {{"array", r.comparison->array}, {"index", r.comparison->index}, {"gpu", r.comparison->gpuBits}, {"simulator", r.comparison->simulatorBits}};
    }
    const gpu::KernelTime& t = r.run.time;
    if (!t.seconds.empty()) {
        out["time"] = {{"median_s", t.median},     {"min_s", t.least},
                       {"max_s", t.most},          {"quartiles_s", {t.lowerQuartile, t.upperQuartile}},
                       {"repeats", t.seconds.size()}, {"launches_per_repeat", t.launchesPerRepeat}};
        if (const std::optional<double> clock = t.medianClockMhz())
            out["clock_mhz"] = {{"median", *clock},
                                {"min", *std::min_element(t.clockMhz.begin(), t.clockMhz.end())},
                                {"max", *std::max_element(t.clockMhz.begin(), t.clockMhz.end())},
                                {"samples", t.clockMhz.size()}};
        out["points"] = Json::parse(toJson(MeasuredPoints{r.deviceId, {measuredPoint(r)}}))["points"];
    }
    if (r.model.point)
        out["model"] = {{"kind", "modelled"},
                        {"time_s", r.model.point->seconds},
                        {"flops_per_s", r.model.point->flopsPerSecond},
                        {"bottleneck", model::toString(r.model.point->bottleneck)},
                        {"error", modelError(r)}};
    if (r.model.occupancy)
        out["occupancy"] = {{"modelled_blocks_per_sm", r.model.occupancy->blocksPerSm},
                            {"driver_blocks_per_sm", r.run.blocksPerSm},
                            {"modelled_registers_per_thread", r.model.registersPerThread},
                            {"driver_registers_per_thread", r.run.registersPerThread},
                            {"registers_source", r.model.registersSource}};
    return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string toText(const GpuRunReport& r) {
    const sim::Launch& l = r.prepared.launch;
    const gpu::KernelTime& t = r.run.time;
    std::string out = fmt::format("{} on {} (CUDA {}; {})\n", kernelName(r), r.gpu.name, gpu::versionText(r.gpu.driverVersion), r.program.compiler);
    out += fmt::format("launch    {} x {} x {} blocks of {} x {} x {} threads; {} registers, {} bytes of shared and {} of local memory; {} blocks an SM (driver)\n", l.grid.x,
                       l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z, r.run.registersPerThread, static_cast<std::uint64_t>(r.run.staticSharedBytes) + l.dynamicSharedBytes,
                       r.run.localBytes, r.run.blocksPerSm);
    if (r.verification)
        out += verificationText(*r.verification);
    if (r.comparison && r.comparison->different == 0)
        out += fmt::format("simulator bit for bit the same in all {} elements\n", r.comparison->elements);
    else if (r.comparison)
        out += fmt::format("simulator DIFFERS in {} of {} elements, the first {}[{}]: {} on the GPU, {} simulated\n", r.comparison->different, r.comparison->elements,
                           r.comparison->array, r.comparison->index, r.comparison->gpuBits, r.comparison->simulatorBits);
    if (t.seconds.empty())
        return out;
    out += fmt::format("measured  {:.4g} ms median of {} repeats ({:.4g} to {:.4g}, quartiles {:.4g} and {:.4g}){}", 1e3 * t.median, t.seconds.size(), 1e3 * t.least, 1e3 * t.most,
                       1e3 * t.lowerQuartile, 1e3 * t.upperQuartile, r.flops > 0 ? fmt::format(", {:.4g} GFLOP/s", r.flops / t.median / 1e9) : "");
    const std::optional<double> clock = t.medianClockMhz();
    out += clock ? fmt::format(", SM clock {:.0f} MHz\n", *clock) : "\n";
    if (r.model.point)
        out += fmt::format("modelled  {:.4g} ms, bound by {}: {:+.0f}% of measured\n", 1e3 * r.model.point->seconds, model::toString(r.model.point->bottleneck), 100 * modelError(r));
    else if (!r.model.modelNote.empty())
        out += fmt::format("model     {}\n", r.model.modelNote);
    if (r.model.occupancy)
        out += fmt::format("residency {} blocks an SM with {} registers a thread by the driver; {} with {} modelled ({}){}\n", r.run.blocksPerSm, r.run.registersPerThread,
                           r.model.occupancy->blocksPerSm, r.model.registersPerThread, r.model.registersSource,
                           r.run.blocksPerSm == r.model.occupancy->blocksPerSm ? "" : ": the model's occupancy is not the driver's");
    return out;
}

} // namespace lanescope::session
