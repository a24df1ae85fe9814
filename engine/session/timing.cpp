// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/timing.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/sim/block_machine.h"

namespace lanescope::session {

namespace {

/// Blocks that share the traced block's SM: blocks are dealt to SMs in turn.
std::vector<std::uint64_t> residentBlocks(std::uint64_t traced, int count, std::uint64_t sms, std::uint64_t blocks) {
    std::vector<std::uint64_t> out{traced};
    for (std::uint64_t i = 1; static_cast<int>(out.size()) < count; ++i) {
        std::uint64_t block = (traced + i * sms) % blocks;
        while (std::find(out.begin(), out.end(), block) != out.end())
            block = (block + 1) % blocks;
        out.push_back(block);
    }
    return out;
}

timing::BlockStream record(const PreparedLaunch& prepared, sim::Memory& memory, std::uint64_t block, const timing::ProgramTiming& program,
                           std::uint32_t maxEvents, std::uint64_t maxInstructions, const std::atomic<bool>* cancel, timing::TouchRecorder* touches) {
    timing::Recorder recorder(*prepared.launch.program, prepared.launch.warpsPerBlock(), maxEvents);
    recorder.beginBlock(static_cast<std::uint32_t>(block));
    std::vector<sim::EventSink*> sinks{&recorder};
    if (touches != nullptr)
        sinks.push_back(touches);
    sim::BlockMachine machine(prepared.launch, memory, sinks, nullptr);
    machine.start(block);
    machine.run(maxInstructions, cancel);
    timing::BlockStream stream = recorder.take(program);
    stream.complete = stream.complete && machine.ended();
    return stream;
}

/// Cycles of the events that were not timed: they go at the pace of the second half of those that were, which has the loop's and not the start's.
double cyclesLeft(const timing::SmTiming& sm, std::uint64_t events) {
    if (events == 0 || sm.issues.size() < 2)
        return 0;
    const std::size_t half = sm.issues.size() / 2;
    return static_cast<double>(events) * (sm.cycles - sm.issues[half].cycle) / static_cast<double>(sm.issues.size() - half);
}

} // namespace

Result<TimingReport> timeLaunch(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device,
                                const TimingOptions& options) {
    const sim::Launch& launch = prepared.launch;
    Result<timing::Parameters> parameters = timing::parametersOf(device, options.figures);
    if (!parameters)
        return failure(parameters.error());
    const std::uint64_t blocks = launch.blockCount();
    if (options.block >= blocks)
        return failure("timing", fmt::format("there is no block {}: the grid has {}", options.block, blocks), {}, "blocks are numbered from 0, x fastest");
    TimingReport out;
    out.program = launch.program;
    out.parameters = std::move(*parameters);
    const timing::Parameters& p = out.parameters;
    const KernelResidency residency = residencyOf(program, prepared, device, options.registersPerThread);
    if (!residency.occupancy)
        return failure(residency.occupancy.error());
    out.registersPerThread = residency.registersPerThread;
    out.residentByOccupancy = residency.occupancy->blocksPerSm;
    if (out.residentByOccupancy < 1)
        return failure("launch", fmt::format("a block of {} does not fit on an SM of {}", program.id, device.name), {}, "use a smaller block or tile, or another GPU");
    const std::uint64_t sms = p.smCount > 0 ? static_cast<std::uint64_t>(p.smCount) : 1;
    const std::uint64_t perSm = (blocks + sms - 1) / sms;
    out.residentWanted = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(out.residentByOccupancy), p.smCount > 0 ? perSm : blocks));
    if (options.resident) {
        if (*options.resident < 1 || *options.resident > out.residentByOccupancy || static_cast<std::uint64_t>(*options.resident) > blocks)
            return failure("timing", fmt::format("{} blocks on an SM is out of range", *options.resident), {},
                           fmt::format("give 1 to {}: what occupancy and the grid allow", std::min<std::uint64_t>(static_cast<std::uint64_t>(out.residentByOccupancy), blocks)));
        out.residentWanted = *options.resident;
    }
    const timing::ProgramTiming programTiming = timing::analyse(*launch.program, p);
    timing::SmInput input;
    input.cancel = options.cancel;
    sim::Memory memory = sim::makeMemory(launch);
    timing::TouchRecorder touches;
    const bool copies = std::any_of(launch.program->ops.begin(), launch.program->ops.end(), [](const sim::Op& op) { return op.kind == sim::OpKind::CopyAsync || op.kind == sim::OpKind::CopyBulk; });
    std::uint64_t events = 0, allEvents = 0, touched = 0;
    const std::uint32_t perBlock = std::max(1u, options.maxEvents / static_cast<std::uint32_t>(out.residentWanted));
    for (const std::uint64_t block : residentBlocks(options.block, out.residentWanted, sms, blocks)) {
        auto stream = std::make_shared<timing::BlockStream>(record(prepared, memory, block, programTiming, perBlock, options.maxInstructions, options.cancel,
                                                                              copies && block == options.block ? &touches : nullptr));
        events += stream->events;
        allEvents += stream->allEvents;
        touched += stream->touchedSectors;
        input.blocks.push_back(std::move(stream));
    }
    // Touches beyond the recorded part are like those within.
    out.shareTimed = allEvents == 0 ? 1.0 : static_cast<double>(events) / static_cast<double>(allEvents);
    if (events < allEvents)
        out.notes.push_back(fmt::format("the first {} of {} events of the resident blocks are timed; the rest is taken to go at the pace of the second half of these", events, allEvents));
    // Device memory serves a sector once for the whole grid; the others that touch it first find it in the L2.
    std::uint64_t bufferSectors = 0;
    for (const sim::Argument& a : launch.arguments)
        bufferSectors += a.ownsMemory() ? (a.size() + 31) / 32 : 0;
    const double allTouches = static_cast<double>(touched) / out.shareTimed / static_cast<double>(input.blocks.size()) * static_cast<double>(blocks);
    out.dramShare = allTouches > 0 ? std::min(1.0, static_cast<double>(bufferSectors) / allTouches) : 1.0;
    out.l1Bytes = timing::l1BytesBeside(device.limits, static_cast<std::int64_t>(launch.sharedBytes()), out.residentWanted);
    input.l1Bytes = out.l1Bytes;
    input.dramShare = out.dramShare;
    input.busySms = static_cast<int>(std::min(blocks, sms));
    out.sm = timing::timeSm(programTiming, p, input);
    out.pipeline = timing::pipelineOf(out.sm, *launch.program, programTiming, touches.take(), device);
    out.waves = std::max(1.0, static_cast<double>(perSm) / static_cast<double>(input.blocks.size()));
    out.cycles = out.waves * (out.sm.cycles + cyclesLeft(out.sm, allEvents - events));
    if (p.clockMegahertz > 0 && p.smCount > 0)
        out.seconds = out.cycles / (p.clockMegahertz * 1e6);
    return out;
}

} // namespace lanescope::session
