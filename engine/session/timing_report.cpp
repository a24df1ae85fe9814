// SPDX-License-Identifier: GPL-3.0-or-later
// The report of `lanescope timing`.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/session/timing.h"

namespace lanescope::session {

namespace {

using Json = nlohmann::ordered_json;
using timing::Pipe;
using timing::WarpState;

constexpr Pipe kShownPipes[] = {Pipe::Fma, Pipe::Multiply, Pipe::Alu, Pipe::Add, Pipe::Fp64, Pipe::Special, Pipe::Convert, Pipe::Shared, Pipe::Global, Pipe::Exchange};

} // namespace

std::string toJson(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device, const TimingReport& r) {
    const timing::SmTiming& sm = r.sm;
    Json states = Json::object(), pipes = Json::object(), figures = Json::array();
    for (int s = 0; s < timing::kWarpStateCount; ++s) {
        const auto state = static_cast<WarpState>(s);
        if (state == WarpState::Done)
            continue;
        states[timing::id(state)] = {{"share", sm.share(state)}, {"warp_cycles", sm.stateCycles[static_cast<std::size_t>(s)]}};
    }
    for (const Pipe pipe : kShownPipes)
        pipes[timing::name(pipe)] = sm.pipeUtilisation(pipe);
    pipes["l1_data_stage"] = sm.dataStageUtilisation();
    for (const timing::NamedFigure& f : r.parameters.figures)
        figures.push_back({{"key", f.key}, {"value", f.figure.value}, {"unit", f.figure.unit}, {"source", f.figure.source}, {"assumed", f.figure.assumed}, {"set", f.overridden}});
    const auto known = [](std::uint32_t cycle) { return cycle == timing::kNone ? Json() : Json(cycle); };
    Json tiles = Json::array();
    for (const timing::PipelineTile& t : r.pipeline.tiles)
        tiles.push_back({{"slot", t.slot},
                         {"bytes", t.bytes},
                         {"group", t.group},
                         {"asked", t.asked},
                         {"landed", t.landed},
                         {"waited", known(t.waited)},
                         {"left_by_wait", t.pendingAtWait},
                         {"first_read", known(t.firstRead)},
                         {"compute_begin", known(t.computeBegin)},
                         {"compute_end", known(t.computeEnd)}});
    Json mbarriers = Json::array();
    for (const timing::PipelineMbarrier& b : r.pipeline.mbarriers) {
        Json phases = Json::array();
        for (const timing::PipelineMbarrier::Phase& phase : b.phases) {
            Json waits = Json::array();
            for (const timing::PipelineMbarrier::Wait& w : phase.waits)
                waits.push_back({{"warp", w.warp}, {"begin", w.begin}, {"end", w.end}});
            std::uint64_t bytes = 0, arrivals = 0;
            for (const timing::PipelineMbarrier::Part& part : phase.parts) {
                bytes += part.bytes;
                arrivals += part.bytes == 0;
            }
            phases.push_back({{"number", phase.number}, {"parity", phase.number % 2}, {"end", known(phase.end)}, {"bytes", bytes}, {"arrivals", arrivals}, {"waits", waits}});
        }
        mbarriers.push_back({{"name", b.name}, {"slot", b.slot}, {"phases", phases}});
    }
    Json out = {{"kernel", program.id},
                {"gpu", device.id},
                {"kind", "modelled"},
                {"grid", {prepared.launch.grid.x, prepared.launch.grid.y, prepared.launch.grid.z}},
                {"block", {prepared.launch.block.x, prepared.launch.block.y, prepared.launch.block.z}},
                {"cycles_sm", sm.cycles},
                {"resident_blocks", sm.resident},
                {"resident_blocks_wanted", r.residentWanted},
                {"blocks_per_sm", r.residentByOccupancy},
                {"warps", sm.warps.size()},
                {"instructions", sm.issueSlots},
                {"ipc", sm.cycles == 0 ? 0.0 : static_cast<double>(sm.issueSlots) / sm.cycles},
                {"issue_utilisation", sm.issueUtilisation()},
                {"overlap", sm.overlap()},
                {"stalls", states},
                {"pipes", pipes},
                {"pipeline", {{"slots", r.pipeline.slotCount}, {"busy", r.pipeline.busy}, {"tensor", r.pipeline.isTensor}, {"tiles", tiles}, {"mbarriers", mbarriers}, {"producer", known(r.pipeline.producer)}}},
                {"l1", {{"bytes", r.l1Bytes}, {"sectors", sm.traffic.l1Sectors}, {"hits", sm.traffic.l1Hits}}},
                {"l2_sectors", sm.traffic.l2Sectors},
                {"dram_sectors", sm.traffic.dramSectors},
                {"store_sectors", sm.traffic.storeSectors},
                {"dram_share", r.dramShare},
                {"share_timed", r.shareTimed},
                {"waves", r.waves},
                {"cycles", r.cycles},
                {"time_s", r.seconds ? Json(*r.seconds) : Json()},
                {"complete", sm.complete},
                {"notes", r.notes},
                {"figures", figures},
                {"assumptions", timing::assumptions()}};
    return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string toText(const LoadedProgram& program, const PreparedLaunch&, const device::Device& device, const TimingReport& r) {
    const timing::SmTiming& sm = r.sm;
    std::string out = fmt::format("{} on {} (modelled)\n  one SM: {} cycles, {} of {} blocks that fit, {} warps, {} instructions\n", program.id, device.name, sm.cycles,
                                  sm.resident, r.residentByOccupancy, sm.warps.size(), sm.issueSlots);
    out += fmt::format("  launch: {:.2f} waves, {:.0f} cycles{}\n", r.waves, r.cycles, r.seconds ? fmt::format(", {:.4g} ms", *r.seconds * 1e3) : std::string());
    out += fmt::format("  issue slots used {:.1f}%, arithmetic while loads are under way {:.1f}%\n  warps' time:\n", 100 * sm.issueUtilisation(), 100 * sm.overlap());
    for (int s = 0; s < timing::kWarpStateCount; ++s) {
        const auto state = static_cast<WarpState>(s);
        if (state != WarpState::Done && sm.share(state) >= 0.0005)
            out += fmt::format("    {:<20}{:>6.1f}%\n", timing::label(state), 100 * sm.share(state));
    }
    out += "  pipes busy:\n";
    for (const Pipe pipe : kShownPipes)
        if (sm.pipeUtilisation(pipe) >= 0.0005)
            out += fmt::format("    {:<20}{:>6.1f}%\n", timing::name(pipe), 100 * sm.pipeUtilisation(pipe));
    out += fmt::format("    {:<20}{:>6.1f}%\n", "L1 data stage", 100 * sm.dataStageUtilisation());
    for (const std::string& note : r.notes)
        out += "  note: " + note + "\n";
    return out;
}

} // namespace lanescope::session
