// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/ladder.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/base/embedded_file.h"
#include "engine/model/launch_time.h"
#include "engine/session/explanation_json.h"
#include "engine/session/timing.h"

namespace lanescope::embedded {
std::span<const EmbeddedFile> ladders();
}

namespace lanescope::session {

using nlohmann::json;

namespace {

constexpr double kClose = 0.15;
/// Events of the resident blocks that are timed: some 100,000 cycles of an SM, in which a loop has long come to its pace.
constexpr std::uint32_t kTimedEvents = 400'000;

catalog::Overrides numbers(const json& object) {
    catalog::Overrides out;
    for (const auto& [name, value] : object.items())
        out[name] = value.get<std::int64_t>();
    return out;
}

double sumOfRoofs(const model::RooflinePoint& point) {
    double seconds = 0;
    for (const model::RoofTime& time : point.times)
        seconds += time.seconds;
    return seconds;
}

std::string secondRoof(const model::RooflinePoint& point) {
    const model::RoofTime* second = nullptr;
    for (const model::RoofTime& time : point.times)
        if (time.kind != point.bottleneck && (second == nullptr || time.seconds > second->seconds))
            second = &time;
    if (second == nullptr)
        return {};
    return fmt::format("{} needs {:.0f}% of that time", toString(second->kind),
                       100 * second->seconds / point.seconds);
}

} // namespace

const char* toString(Agreement agreement) {
    switch (agreement) {
    case Agreement::Close:
        return "close";
    case Agreement::TooSlow:
        return "too_slow";
    case Agreement::Tail:
        return "tail";
    case Agreement::NoOverlap:
        return "no_overlap";
    case Agreement::Latency:
        return "latency";
    case Agreement::Clock:
        return "clock";
    case Agreement::TooFast:
        return "too_fast";
    case Agreement::NotModelled:
        return "not_modelled";
    case Agreement::NotMeasured:
        return "not_measured";
    }
    std::abort(); // the switch is complete
}

Result<MeasuredLadder> parseLadder(std::string_view text, const std::string& path) {
    try {
        const json root = json::parse(text);
        MeasuredLadder ladder;
        ladder.id = root.value("ladder", ladder.id);
        ladder.label = root.value("label", ladder.label);
        ladder.gpu = root.value("gpu", "");
        ladder.title = root.at("title").get<std::string>();
        ladder.source = root.at("source").get<std::string>();
        ladder.sizes = numbers(root.at("sizes"));
        ladder.bestName = root.at("best").at("name").get<std::string>();
        ladder.bestPoint = root.at("best").value("point", "");
        const bool isMeasured = !ladder.gpu.empty();
        if (isMeasured)
            ladder.bestFlopsPerSecond = 1e9 * root.at("best").at("gflops").get<double>();
        double flops = 2;
        for (const auto& [name, value] : ladder.sizes)
            flops *= double(value);
        for (const json& row : root.at("rungs")) {
            MeasuredRung rung;
            rung.kernel = row.at("kernel").get<std::string>();
            rung.name = row.at("name").get<std::string>();
            rung.parameters = numbers(row.value("parameters", json::object()));
            rung.note = row.value("note", "");
            rung.modelled = numbers(row.value("modelled", json::object()));
            if (isMeasured)
                rung.flopsPerSecond = row.contains("ms") ? flops / (1e-3 * row["ms"].get<double>())
                                                         : 1e9 * row.at("gflops").get<double>();
            if (isMeasured && !(rung.flopsPerSecond > 0 && std::isfinite(rung.flopsPerSecond)))
                return failure("ladder", fmt::format("{} has no rate above 0", rung.name),
                               {path, 0, 0}, "give \"gflops\" or \"ms\"");
            ladder.rungs.push_back(std::move(rung));
        }
        return ladder;
    } catch (const json::exception& e) {
        return failure("ladder", e.what(), {path, 0, 0},
                       "a table has title, source, sizes, best and rungs, and the gpu where it was measured");
    }
}

namespace {

/// Those of a GPU and those that are only lists of rungs.
Result<std::vector<MeasuredLadder>> allTables() {
    std::vector<MeasuredLadder> all;
    for (const EmbeddedFile& file : embedded::ladders()) {
        Result<MeasuredLadder> ladder = parseLadder(file.bytes, std::string(file.name));
        if (!ladder)
            return failure(ladder.error());
        all.push_back(std::move(*ladder));
    }
    return all;
}

double flopsOf(const catalog::Overrides& sizes) {
    double flops = 2;
    for (const auto& [name, value] : sizes)
        flops *= static_cast<double>(value);
    return flops;
}

/// Rates of points over the table's; how many rungs have one.
std::size_t takeMeasured(MeasuredLadder& table, const LadderOptions& options, const std::vector<catalog::Kernel>& kernels) {
    catalog::Overrides sizes = table.sizes;
    for (const auto& [name, value] : options.sizes)
        sizes[name] = value;
    std::size_t count = 0;
    for (const MeasuredPoint& point : options.measured->points) {
        if (point.kernel == table.bestPoint && point.parameters == std::map<std::string, std::int64_t>(sizes.begin(), sizes.end()))
            table.bestFlopsPerSecond = point.rate(flopsOf(sizes));
        for (MeasuredRung& rung : table.rungs) {
            const catalog::Kernel* kernel = rung.kernel == point.kernel ? catalog::findKernel(kernels, point.kernel) : nullptr;
            if (kernel == nullptr || !point.isOf(*kernel, parametersOf(table, rung, options)))
                continue;
            rung.flopsPerSecond = point.rate(flopsOf(sizes));
            rung.clockMhz = point.clockMhz.value_or(0);
            ++count;
        }
    }
    return count;
}

} // namespace

Result<std::vector<MeasuredLadder>> measuredLadders() {
    Result<std::vector<MeasuredLadder>> all = allTables();
    if (all)
        std::erase_if(*all, [](const MeasuredLadder& ladder) { return ladder.gpu.empty(); });
    return all;
}

std::vector<std::string> ladderIds() {
    std::vector<std::string> ids;
    if (const auto all = allTables())
        for (const MeasuredLadder& ladder : *all)
            if (std::find(ids.begin(), ids.end(), ladder.id) == ids.end())
                ids.push_back(ladder.id);
    return ids;
}

catalog::Overrides parametersOf(const MeasuredLadder& table, const MeasuredRung& rung, const LadderOptions& options) {
    catalog::Overrides parameters = rung.parameters;
    for (const catalog::Overrides* sizes : {&table.sizes, &options.sizes})
        for (const auto& [name, value] : *sizes)
            parameters[name] = value;
    return parameters;
}

Result<MeasuredLadder> ladderTable(const device::Device& device, const LadderOptions& options) {
    Result<std::vector<MeasuredLadder>> tables = allTables();
    if (!tables)
        return failure(tables.error());
    const Result<const std::vector<catalog::Kernel>*> kernels = builtInKernels();
    if (!kernels)
        return failure(kernels.error());
    std::erase_if(*tables, [&](const MeasuredLadder& t) { return t.id != options.id; });
    if (tables->empty())
        return failure("ladder", fmt::format("there is no ladder '{}'", options.id), {}, fmt::format("there are {}", fmt::join(ladderIds(), ", ")));
    auto at = std::find_if(tables->begin(), tables->end(), [&](const MeasuredLadder& t) { return t.gpu == device.id; });
    const bool isOwn = at != tables->end();
    if (!isOwn) // the rungs are the same on every GPU; the H200's are ours, kernel by kernel
        at = std::find_if(tables->begin(), tables->end(), [](const MeasuredLadder& t) { return t.gpu == "h200" || t.gpu.empty(); });
    if (at == tables->end())
        at = tables->begin();
    MeasuredLadder table = std::move(*at);
    if (!isOwn) {
        table.gpu = device.id;
        table.source.clear();
        table.bestFlopsPerSecond = 0;
        for (MeasuredRung& rung : table.rungs)
            rung.flopsPerSecond = 0;
    }
    if (!isOwn || !options.sizes.empty()) {
        std::vector<std::string> sizes;
        for (const auto& [name, value] : parametersOf(table, {}, options))
            sizes.push_back(fmt::format("{} = {}", name, value));
        table.title = fmt::format("{} on {}, {}", table.label, device.name, fmt::join(sizes, ", "));
    }
    const bool fits = options.measured != nullptr && options.measured->isOn(device.id);
    const std::size_t taken = fits ? takeMeasured(table, options, **kernels) : 0;
    if (taken > 0)
        table.source = fmt::format("{} of {} rungs measured by lanescope{}{}", taken, table.rungs.size(), table.source.empty() ? "" : "; the others: ", table.source);
    if (taken > 0 || isOwn || options.unmeasured)
        return table;
    const Result<std::vector<MeasuredLadder>> measured = measuredLadders();
    std::vector<std::string> gpus;
    for (const MeasuredLadder& t : *measured)
        if (t.id == options.id)
            gpus.push_back(t.gpu);
    return failure("ladder", fmt::format("no ladder was measured on {}", device.name), {},
                   gpus.empty() ? "measure it there with --run" : fmt::format("there are tables for {}; measure it there with --run", fmt::join(gpus, ", ")));
}

namespace {

std::string tera(double flops) { return fmt::format("{:.3g} TFLOP/s", flops / 1e12); }

/// "warps wait for data of global or local memory 42% of their time".
std::string waitText(const SmTime& sm) {
    std::string help = timing::help(sm.waits);
    help[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(help[0])));
    if (!help.empty() && help.back() == '.')
        help.pop_back();
    return fmt::format("{} ({:.0f}% of the warps' time: {})", timing::label(sm.waits), 100 * sm.waitShare, help);
}

/// Why roofs alone, as if everything overlapped, are above the measurement.
void judgeRoofs(LadderRung& rung) {
    const model::RooflinePoint& point = rung.modelled->point;
    const double measured = rung.measured.flopsPerSecond;
    const std::string bound = toString(point.bottleneck);
    const double used = rung.modelled->waves ? rung.modelled->waves->slotsUsed : 1;
    const double occupancy = rung.modelled->occupancy.occupancy;
    if (point.flopsPerSecond * used / measured - 1 <= kClose) {
        rung.agreement = Agreement::Tail;
        rung.reason = fmt::format("the blocks fill {:.0f}% of the slots of their {} waves, and the roof takes them as full", 100 * used,
                                  rung.modelled->waves->waves);
    } else if (measured >= rung.flopsPerSecondWithoutOverlap * (1 - kClose)) {
        rung.agreement = Agreement::NoOverlap;
        rung.reason = fmt::format("bound by {} if everything overlaps; {}. One after another all roofs give {}, the measurement lies between: at "
                                  "{:.0f}% occupancy parts of it wait for each other",
                                  bound, secondRoof(point), tera(rung.flopsPerSecondWithoutOverlap), 100 * occupancy);
    } else {
        rung.agreement = Agreement::Latency;
        rung.reason = fmt::format("below even {}, all roofs one after another: {} warps an SM ({:.0f}% occupancy) do not hide the latency of its "
                                  "loads and barriers, which a roof does not see",
                                  tera(rung.flopsPerSecondWithoutOverlap), rung.modelled->occupancy.warpsPerSm, 100 * occupancy);
    }
}

} // namespace

void judge(LadderRung& rung, CodeForm form) {
    rung.errorAtClock.reset();
    if (!rung.modelled)
        return;
    const model::RooflinePoint& point = rung.modelled->point;
    const double measured = rung.measured.flopsPerSecond;
    const model::LaunchTime time = model::launchTime(point.seconds, rung.sm ? std::optional(rung.sm->seconds) : std::nullopt);
    rung.flopsPerSecond = point.flopsPerSecond * point.seconds / time.seconds;
    if (measured > 0)
        rung.error = rung.flopsPerSecond / measured - 1;
    // DRAM has a clock of its own.
    if (measured > 0 && rung.measured.clockMhz > 0 && rung.clockMhz > 0 && (time.isBoundBySm || point.bottleneck != model::RoofKind::Dram))
        rung.errorAtClock = (1 + rung.error) * rung.measured.clockMhz / rung.clockMhz - 1;
    rung.flopsPerSecondWithoutOverlap = point.flopsPerSecond * point.seconds / sumOfRoofs(point);
    const std::string bound = toString(point.bottleneck);
    if (!(measured > 0)) {
        rung.agreement = Agreement::NotMeasured;
        rung.reason = fmt::format("not measured on this GPU; modelled: bound by {}; {}", time.isBoundBySm ? "waiting, " + waitText(*rung.sm) : bound, secondRoof(point));
        return;
    }
    const bool hidesMerging = form == CodeForm::Written && (rung.changesAsCompiled || !rung.sm);
    if (std::abs(rung.error) <= kClose) {
        rung.agreement = Agreement::Close;
        rung.reason = time.isBoundBySm
                          ? fmt::format("bound by waiting: {}; the {} roof alone would allow {}", waitText(*rung.sm), bound, tera(point.flopsPerSecond))
                          : fmt::format("bound by {}; {}", bound, secondRoof(point));
    } else if (rung.error < 0) {
        rung.agreement = Agreement::TooSlow;
        const std::string what = time.isBoundBySm ? fmt::format("measured faster than the timing of an SM, which waits for {}", waitText(*rung.sm))
                                                  : fmt::format("measured above the {} roof, so the kernel does less of that work than we count", bound);
        rung.reason = fmt::format("{}: {}", what,
                                  hidesMerging          ? "ptxas merges neighbouring accesses of the PTX into wider ones (see it as compiled)"
                                  : time.isBoundBySm    ? "ptxas orders the instructions of a loop further apart than we take it to"
                                                        : "the compiled form still has more of it than what ptxas made");
    } else if (rung.errorAtClock && std::abs(*rung.errorAtClock) <= kClose) {
        rung.agreement = Agreement::Clock;
        rung.reason = fmt::format("the SM clock was at {:.0f} MHz while it ran, {:.0f} are modelled: at the power limit it falls. At that clock the model is {:+.0f}% off",
                                  rung.measured.clockMhz, rung.clockMhz, 100 * *rung.errorAtClock);
    } else if (!rung.sm) {
        judgeRoofs(rung);
    } else {
        rung.agreement = Agreement::TooFast;
        rung.reason = fmt::format("roofs allow {}, the timing of an SM {}, where warps wait for {}. Neither has conflicts of register banks, misses of "
                                  "the instruction cache after the first, or a clock below its boost under load",
                                  tera(point.flopsPerSecond), tera(point.flopsPerSecond * point.seconds / rung.sm->seconds), waitText(*rung.sm));
        if (rung.errorAtClock && rung.measured.clockMhz < rung.clockMhz)
            rung.reason += fmt::format(". The clock was at {:.0f} MHz of {:.0f}: at that, {:+.0f}%", rung.measured.clockMhz, rung.clockMhz, 100 * *rung.errorAtClock);
    }
    if (!rung.measured.note.empty())
        rung.reason += fmt::format(" ({})", rung.measured.note);
}

namespace {

/// The timing of an SM of the launch; nothing when it cannot be timed, which the roofs then stand for.
std::optional<SmTime> timeRung(const device::Device& device, const std::string& kernel, const catalog::Overrides& parameters,
                               const compile::Environment& environment, const LadderOptions& options, bool& changes) {
    LoadRequest request;
    request.subject = kernel;
    request.form = options.form;
    for (const auto& [name, value] : parameters)
        request.defines.emplace_back(name, std::to_string(value));
    const Result<LoadedProgram> program = load(request, environment);
    if (!program)
        return std::nullopt;
    changes = formChanges(*program).any();
    if (!options.timed)
        return std::nullopt;
    const Result<PreparedLaunch> prepared = prepare(*program, {}, device);
    if (!prepared)
        return std::nullopt;
    TimingOptions timingOptions;
    timingOptions.maxEvents = kTimedEvents;
    timingOptions.cancel = options.cancel;
    const Result<TimingReport> report = timeLaunch(*program, *prepared, device, timingOptions);
    if (!report || !report->seconds)
        return std::nullopt;
    SmTime out{*report->seconds, report->sm.issueUtilisation(), report->shareTimed, timing::WarpState::Issued, 0};
    for (int s = 0; s < timing::kWarpStateCount; ++s) {
        const auto state = static_cast<timing::WarpState>(s);
        if (state != timing::WarpState::Issued && state != timing::WarpState::Done && report->sm.share(state) > out.waitShare) {
            out.waits = state;
            out.waitShare = report->sm.share(state);
        }
    }
    return out;
}

} // namespace

Result<Ladder> ladder(const std::string& gpu, const compile::Environment& environment,
                      const LadderOptions& options) {
    const Result<device::Device> device = device::findDevice(gpu);
    if (!device)
        return failure(device.error());
    const Result<MeasuredLadder> table = ladderTable(*device, options);
    if (!table)
        return failure(table.error());
    Ladder result;
    result.table = *table;
    result.form = options.form;
    for (const MeasuredRung& measured : table->rungs) {
        if (options.progress)
            options.progress(result.rungs.size(), table->rungs.size());
        LadderRung rung;
        rung.measured = measured;
        rung.clockMhz = device->value("boost_clock").value_or(0);
        catalog::Overrides parameters = parametersOf(*table, measured, options);
        for (const auto& [name, value] : measured.modelled)
            parameters[name] = value;
        Result<ModelledKernel> modelled =
            modelKernel(*device, measured.kernel, parameters, environment, options.form,
                        options.cancel);
        if (options.cancel != nullptr && options.cancel->load())
            return failure("cancelled", "cancelled");
        if (modelled)
            rung.modelled = std::move(*modelled);
        else
            rung.reason = toString(modelled.error().front());
        if (rung.modelled)
            rung.sm = timeRung(*device, measured.kernel, parameters, environment, options, rung.changesAsCompiled);
        if (options.cancel != nullptr && options.cancel->load())
            return failure("cancelled", "cancelled");
        judge(rung, options.form);
        result.rungs.push_back(std::move(rung));
    }
    if (options.progress)
        options.progress(result.rungs.size(), table->rungs.size());
    return result;
}

Result<void> setMeasured(Ladder& ladder, const LadderOptions& options) {
    const Result<device::Device> device = device::findDevice(ladder.table.gpu);
    if (!device)
        return failure(device.error());
    Result<MeasuredLadder> table = ladderTable(*device, options);
    if (!table)
        return failure(table.error());
    ladder.table = std::move(*table);
    for (std::size_t i = 0; i < std::min(ladder.rungs.size(), ladder.table.rungs.size()); ++i) {
        ladder.rungs[i].measured = ladder.table.rungs[i];
        judge(ladder.rungs[i], ladder.form);
    }
    return {};
}

namespace {

using Json = nlohmann::ordered_json;

Json rungJson(const LadderRung& rung) {
    Json row{{"kernel", rung.measured.kernel},
             {"name", rung.measured.name},
             {"parameters", rung.measured.parameters},
             {"measured_flops_per_s", rung.measured.flopsPerSecond > 0 ? Json(rung.measured.flopsPerSecond) : Json()}};
    row["modelled_flops_per_s"] = rung.modelled ? Json(rung.flopsPerSecond) : Json();
    row["error"] = rung.modelled && rung.measured.flopsPerSecond > 0 ? Json(rung.error) : Json();
    row["clock_mhz"] = rung.measured.clockMhz > 0 ? Json(rung.measured.clockMhz) : Json();
    row["error_at_clock"] = rung.errorAtClock ? Json(*rung.errorAtClock) : Json();
    row["agreement"] = toString(rung.agreement);
    row["reason"] = rung.reason;
    if (!rung.modelled)
        return row;
    const ModelledKernel& m = *rung.modelled;
    row["roofs_flops_per_s"] = m.point.flopsPerSecond;
    row["bottleneck"] = model::toString(m.point.bottleneck);
    if (rung.sm)
        row["sm_timing"] = {{"time_s", rung.sm->seconds},
                            {"flops_per_s", m.point.flopsPerSecond * m.point.seconds / rung.sm->seconds},
                            {"issue_utilisation", rung.sm->issueUtilisation},
                            {"share_timed", rung.sm->shareTimed},
                            {"longest_stall", timing::id(rung.sm->waits)},
                            {"longest_stall_share", rung.sm->waitShare}};
    row["without_overlap_flops_per_s"] = rung.flopsPerSecondWithoutOverlap;
    Json times = Json::object();
    for (const model::RoofTime& time : m.point.times)
        times[model::toString(time.kind)] = time.seconds;
    row["times_s"] = times;
    row["occupancy"] = m.occupancy.occupancy;
    row["registers"] = m.registersPerThread;
    row["registers_source"] = m.registersSource;
    row["blocks_simulated"] = m.blocksSimulated;
    row["exact"] = m.isExact;
    row["explanation"] = explanationJson(m.point.explanation);
    return row;
}

} // namespace

std::string toJson(const Ladder& ladder) {
    Json rungs = Json::array();
    for (const LadderRung& rung : ladder.rungs)
        rungs.push_back(rungJson(rung));
    const MeasuredLadder& table = ladder.table;
    const Json out{{"ladder", table.id},
                   {"gpu", table.gpu},
                   {"title", table.title},
                   {"source", table.source},
                   {"as", name(ladder.form)},
                   {"sizes", table.sizes},
                   {"best", {{"name", table.bestName}, {"flops_per_s", table.bestFlopsPerSecond > 0 ? Json(table.bestFlopsPerSecond) : Json()}}},
                   {"rungs", rungs}};
    return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace lanescope::session
