// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/hardware_counters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/symbol.h"

namespace lanescope::session {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kAchieved = "sm__warps_active.avg.pct_of_peak_sustained_active";

/// A name in parts: "smsp__inst_executed" and ".sum".
std::pair<std::string, std::string> split(const std::string& name) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    return {name.substr(0, dot), name.substr(dot)};
}

/// Units of the GPU that count for themselves, by the metric's prefix; 0: not known.
double instancesOf(const std::string& name, const NcuLaunch& launch) {
    constexpr double kPartitions = 4; // of an SM, since Maxwell
    const auto sms = launch.metrics.find("device__attribute_multiprocessor_count");
    if (sms == launch.metrics.end())
        return 0;
    if (name.starts_with("smsp__"))
        return kPartitions * sms->second.value;
    return name.starts_with("sm__") || name.starts_with("l1tex__") ? sms->second.value : 0;
}

struct Found {
    NcuValue value;
    std::string from;
};

/// The metric itself; else a sum counted by SM for one counted by its partitions, or the other way round; else the sum that follows from an
/// average.
std::optional<Found> findMetric(const std::string& name, const NcuLaunch& launch) {
    if (const auto at = launch.metrics.find(name); at != launch.metrics.end())
        return Found{at->second, {}};
    const auto [base, rollUp] = split(name);
    if (rollUp != ".sum")
        return std::nullopt;
    std::vector<std::string> bases{base};
    if (base.starts_with("smsp__"))
        bases.push_back(fmt::format("sm__{}", base.substr(6)));
    else if (base.starts_with("sm__"))
        bases.push_back(fmt::format("smsp__{}", base.substr(4)));
    for (const std::string& other : bases)
        if (const auto at = launch.metrics.find(other + rollUp); at != launch.metrics.end())
            return Found{at->second, at->first};
    for (const std::string& other : bases) {
        const auto at = launch.metrics.find(other + ".avg");
        const double instances = instancesOf(other, launch);
        if (at == launch.metrics.end() || instances == 0)
            continue;
        NcuValue value = at->second;
        value.value = std::round(value.value * instances); // it counts
        value.resolution = std::max(value.resolution, 1e-6) * instances;
        return Found{value, fmt::format("{} of {:.0f}", at->first, instances)};
    }
    return std::nullopt;
}

/// Why a figure need not be the hardware's.
std::string remarkOf(const NamedMetric& metric, const SimulatedLaunch& launch) {
    if (metric.kind == NamedMetric::Kind::Modelled)
        return metric.ncuName == kAchieved ? "ours is the most that can reside; the hardware's was reached" : "modelled";
    // Both seen on an H200, CUDA 13.0.
    if (metric.ncuName == "launch__occupancy_limit_shared_mem")
        return "the hardware's is of the part of the L1 that the driver made shared memory for this launch, ours of the most that it can be";
    if (metric.ncuName.find("pipe_tensor") != std::string::npos && metric.value == 0)
        return "ptxas also sets constants with HFMA2.MMA, which counts as a tensor instruction";
    if (metric.kind == NamedMetric::Kind::Launch)
        return {};
    if (metric.ncuName == "l1tex__data_pipe_lsu_wavefronts.sum" && launch.isAsWritten)
        return "holds those of shared accesses, which ptxas merges: see it as compiled";
    if (metric.ncuName.find("bank_conflicts") != std::string::npos)
        return "the hardware's counter holds arbitration, too";
    if (metric.unit != "warp instructions" && metric.unit != "thread instructions" && metric.unit != "branches")
        return launch.isAsWritten && metric.ncuName.find("mem_shared") != std::string::npos ? "ptxas merges shared accesses of the PTX: see it as compiled" : "";
    const bool isShared = metric.ncuName.find("op_shared") != std::string::npos;
    if (isShared && !launch.isAsWritten)
        return {};
    return isShared ? "ptxas merges shared accesses of the PTX: see it as compiled" : "instructions of PTX; the hardware executes what ptxas makes of them";
}

std::string extents(const Dim3& d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); }

void addNotes(HardwareComparison& out, const SimulatedLaunch& ours, const NcuLaunch& theirs) {
    if (theirs.function != ours.function)
        out.notes.push_back(fmt::format("the hardware ran {}, not {}", theirs.function, ours.function));
    if (!theirs.grid || !theirs.block)
        out.notes.push_back("the CSV does not say its grid and block, so that counts may be of another size");
    else if (*theirs.grid != ours.grid || *theirs.block != ours.block)
        out.notes.push_back(fmt::format("the hardware launched {} blocks of {}, ours are {} of {}: counts are of different launches", extents(*theirs.grid),
                                        extents(*theirs.block), extents(ours.grid), extents(ours.block)));
    if (!theirs.capability.empty() && !ours.capability.empty() && theirs.capability != ours.capability)
        out.notes.push_back(fmt::format("measured on compute capability {}, simulated for {}", theirs.capability, ours.capability));
    if (!ours.isFinished)
        out.notes.push_back("the simulation was stopped at its budget: our counts are too small");
    else if (ours.isScaled)
        out.notes.push_back(fmt::format("our counts are scaled from {} of {} blocks{}", ours.blocksSimulated, ours.blocksInGrid, ours.isExact ? "" : ", an estimate"));
    else if (ours.blocksSimulated < ours.blocksInGrid)
        out.notes.push_back(fmt::format("our counts are of {} of {} blocks", ours.blocksSimulated, ours.blocksInGrid));
}

} // namespace

std::vector<NamedMetric> namedMetrics(const SimReport& report) {
    using Kind = NamedMetric::Kind;
    std::vector<NamedMetric> out;
    for (const sim::Metric& m : sim::metrics())
        if (!m.ncuName.empty())
            out.push_back({std::string(m.ncuName), std::string(m.id), std::string(m.label), std::string(m.unit), std::string(m.help), m.value(report.counters), Kind::Counted});
    const auto add = [&](const char* name, const char* label, const char* unit, std::string help, double value, Kind kind = Kind::Launch) {
        out.push_back({name, {}, label, unit, std::move(help), value, kind});
    };
    if (report.occupancy) {
        const model::Occupancy& o = *report.occupancy;
        add("launch__registers_per_thread", "Registers a thread", "registers", "From " + report.registersSource + ".", report.registersPerThread);
        add("launch__occupancy_limit_warps", "Blocks an SM, by warps", "blocks", "Blocks that the SM's warps allow.", o.limits.warps);
        add("launch__occupancy_limit_blocks", "Blocks an SM, at most", "blocks", "Blocks that an SM holds whatever they need.", o.limits.blocks);
        if (o.limits.registers)
            add("launch__occupancy_limit_registers", "Blocks an SM, by registers", "blocks", "Blocks that the SM's registers allow.", *o.limits.registers);
        if (o.limits.shared)
            add("launch__occupancy_limit_shared_mem", "Blocks an SM, by shared memory", "blocks", "Blocks that the SM's shared memory allows.", *o.limits.shared);
        add("sm__maximum_warps_per_active_cycle_pct", "Theoretical occupancy", "%", "Resident warps of the most that an SM holds.", 100.0 * o.occupancy);
    }
    if (report.waves && report.waves->capacity > 0)
        add("launch__waves_per_multiprocessor", "Waves", "waves", "Blocks / blocks that reside at once.",
            static_cast<double>(report.waves->blocks) / static_cast<double>(report.waves->capacity));
    if (report.occupancy)
        add(kAchieved, "Achieved occupancy", "%", "Warps that were resident on average. Ours is the theoretical occupancy, the most.", 100.0 * report.occupancy->occupancy,
            Kind::Modelled);
    if (report.point)
        add("gpu__time_duration.sum", "Time", "s", "Modelled time of the launch: its slowest roof.", report.point->seconds, Kind::Modelled);
    return out;
}

std::optional<double> HardwareFigure::relative() const {
    if (!hardware || *hardware == 0)
        return std::nullopt;
    return difference() / *hardware;
}

const HardwareFigure* HardwareComparison::find(std::string_view ncuName) const {
    const auto at = std::find_if(figures.begin(), figures.end(), [&](const HardwareFigure& f) { return f.ours.ncuName == ncuName; });
    return at == figures.end() ? nullptr : &*at;
}

HardwareSide hardwareSide(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device, const SimReport& report) {
    return {{sourceName(program.program->entry().name), prepared.launch.grid, prepared.launch.block, device::toString(device.limits.capability), report.blocksSimulated,
             report.blocksInGrid, report.scaled, report.isExact, report.finished, program.form == CodeForm::Written},
            namedMetrics(report)};
}

Result<HardwareComparison> compareWithHardware(const HardwareSide& ours, const NcuReport& report, const std::string& launchId) {
    const SimulatedLaunch& launch = ours.launch;
    const Result<const NcuLaunch*> chosen = chooseLaunch(report, launch.function, launch.grid, launch.block, launchId);
    if (!chosen)
        return failure(chosen.error());
    const NcuLaunch& theirs = **chosen;
    HardwareComparison out;
    out.file = report.path;
    out.launchId = theirs.id;
    out.kernel = theirs.kernel;
    out.grid = theirs.grid;
    out.block = theirs.block;
    out.launches = static_cast<std::size_t>(std::count_if(report.launches.begin(), report.launches.end(), [&](const NcuLaunch& l) { return l.function == theirs.function; }));
    addNotes(out, launch, theirs);
    out.others = theirs.metrics.size();
    for (const NamedMetric& metric : ours.metrics) {
        HardwareFigure figure{metric, {}, 0, {}, false, {}};
        if (const std::optional<Found> found = findMetric(metric.ncuName, theirs)) {
            figure.hardware = found->value.value;
            figure.resolution = found->value.resolution;
            figure.from = found->from;
            // Beside the digits printed there is the rounding of the last bits.
            figure.isEqual = std::fabs(figure.difference()) <= figure.resolution + 1e-9 * std::fabs(metric.value);
            if (!figure.isEqual)
                figure.remark = remarkOf(metric, launch);
            ++(figure.isEqual ? out.equal : out.different);
            out.others -= out.others > 0 ? 1 : 0;
        } else {
            ++out.missing;
        }
        out.figures.push_back(std::move(figure));
    }
    const auto rank = [](const HardwareFigure& f) { return !f.hardware ? 3 : f.isEqual ? 2 : f.remark.empty() ? 0 : 1; };
    const auto size = [](const HardwareFigure& f) {
        return !f.hardware || f.isEqual ? 0.0 : *f.hardware == 0 ? std::numeric_limits<double>::infinity() : std::fabs(*f.relative());
    };
    std::stable_sort(out.figures.begin(), out.figures.end(), [&](const HardwareFigure& a, const HardwareFigure& b) {
        return rank(a) != rank(b) ? rank(a) < rank(b) : size(a) > size(b);
    });
    return out;
}

std::string figureText(double value) {
    if (std::floor(value) != value || std::fabs(value) >= 9e15)
        return fmt::format("{:.6g}", value);
    const std::string digits = fmt::format("{:.0f}", std::fabs(value));
    std::string out = value < 0 ? "-" : "";
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0)
            out += ',';
        out += digits[i];
    }
    return out;
}

std::string toJson(const HardwareComparison& c) {
    Json figures = Json::array();
    const auto dim = [](const std::optional<Dim3>& d) { return d ? Json::array({d->x, d->y, d->z}) : Json(); };
    for (const HardwareFigure& f : c.figures) {
        constexpr const char* kKinds[] = {"counted", "launch", "modelled"};
        Json row{{"metric", f.ours.ncuName}, {"label", f.ours.label}, {"unit", f.ours.unit}, {"kind", kKinds[static_cast<std::size_t>(f.ours.kind)]}, {"ours", f.ours.value}};
        row["hardware"] = f.hardware ? Json(*f.hardware) : Json();
        if (f.hardware) {
            row["difference"] = f.difference();
            row["relative"] = f.relative() ? Json(*f.relative()) : Json();
            row["equal"] = f.isEqual;
            if (!f.from.empty())
                row["from"] = f.from;
            if (!f.remark.empty())
                row["remark"] = f.remark;
        }
        figures.push_back(std::move(row));
    }
    return Json{{"file", c.file},           {"launch", c.launchId},   {"kernel", c.kernel},       {"launches_of_kernel", c.launches},
                {"grid", dim(c.grid)},      {"block", dim(c.block)},  {"notes", c.notes},         {"equal", c.equal},
                {"different", c.different}, {"missing", c.missing},   {"not_compared", c.others}, {"figures", figures}}
        .dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string toText(const HardwareComparison& c) {
    std::string out = fmt::format("Nsight Compute: {}, {}{}{}\n", c.file, c.launchId.empty() ? "the launch of " : fmt::format("launch {} of ", c.launchId), c.kernel,
                                  c.launches > 1 ? fmt::format(" ({} launches of it)", c.launches) : "");
    for (const std::string& note : c.notes)
        out += fmt::format("  note: {}\n", note);
    out += fmt::format("  {:<30}{:>18}{:>18}{:>16}{:>9}\n", "", "simulated", "hardware", "difference", "%");
    for (const HardwareFigure& f : c.figures) {
        if (!f.hardware)
            break; // these come last
        out += fmt::format("  {:<30}{:>18}{:>18}", f.ours.label, figureText(f.ours.value), figureText(*f.hardware));
        if (f.isEqual)
            out += fmt::format("{:>16}{:>9}", "equal", "");
        else
            out += fmt::format("{:>16}{:>9}", figureText(f.difference()), f.relative() ? fmt::format("{:+.2f}", 100 * *f.relative()) : "-");
        out += fmt::format("  {}{}{}\n", f.ours.ncuName, f.from.empty() ? "" : fmt::format(" (from {})", f.from), f.remark.empty() ? "" : ": " + f.remark);
    }
    return out + fmt::format("  {} equal, {} different, {} of ours not in the file, {} metrics of the file not ours\n", c.equal, c.different, c.missing, c.others);
}

} // namespace lanescope::session
