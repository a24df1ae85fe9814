// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/roofline.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace lanescope::model {

using device::Device;
using device::Figure;

namespace {

constexpr const char* kCounted = "counted by the simulator";

struct Sms {
    ExplanationInput count;
    ExplanationInput clock; ///< MHz
};

Result<Sms> smsOf(const Device& device, const RooflineOptions& options) {
    const Figure* count = device.figure("sm_count");
    const Figure* clock = device.figure("boost_clock");
    if (count == nullptr || (clock == nullptr && !options.clockMegahertz))
        return failure("device",
                       fmt::format("{} has no SM count or clock to model times with", device.name),
                       {}, "choose a GPU, such as h100, instead of a bare compute capability");
    Sms sms{inputOf("SMs", *count), {}};
    if (options.smsInUse && *options.smsInUse < count->value)
        sms.count = inputOf("SMs in use", *options.smsInUse, "SMs",
                            "blocks of the launch, at most the GPU's SMs");
    sms.clock = options.clockMegahertz
                    ? inputOf("clock", *options.clockMegahertz, "MHz", "set by the user")
                    : inputOf("clock", *clock);
    return sms;
}

struct PerClockRoof {
    RoofKind kind;
    const char* figure;
    const char* unit;
    double unitsPerFigure; ///< units of work in one unit of the figure
    double bytesPerUnit;
    double flopsPerUnit;
};

void addPerClock(std::vector<Roof>& roofs, const Device& device, const Sms& sms,
                 const PerClockRoof& roof, const char* figureKey) {
    const Figure* figure = device.figure(figureKey);
    if (figure == nullptr)
        return;
    Roof added;
    added.kind = roof.kind;
    added.perSecond = sms.count.value * sms.clock.value * 1e6 * figure->value * roof.unitsPerFigure;
    added.unit = roof.unit;
    added.bytesPerUnit = roof.bytesPerUnit;
    added.flopsPerUnit = roof.flopsPerUnit;
    added.explanation = {fmt::format("{} roof", toString(roof.kind)),
                         added.perSecond,
                         fmt::format("{}/s", roof.unit),
                         roof.unitsPerFigure == 1
                             ? fmt::format("{} x clock x rate", sms.count.name)
                             : fmt::format("{} x clock x rate / 128 bytes", sms.count.name),
                         {sms.count, sms.clock, inputOf("rate", *figure)},
                         {}};
    if (figure->assumed)
        added.explanation.assumptions.push_back(fmt::format("rate: {}", figure->source));
    roofs.push_back(std::move(added));
}

void addBandwidth(std::vector<Roof>& roofs, const Device& device, RoofKind kind, const char* key) {
    const Figure* figure = device.figure(key);
    if (figure == nullptr)
        return;
    Roof roof;
    roof.kind = kind;
    roof.perSecond = figure->value * 1e9;
    roof.unit = "bytes";
    roof.bytesPerUnit = 1;
    roof.explanation = {fmt::format("{} roof", toString(kind)),
                        roof.perSecond,
                        "bytes/s",
                        "bandwidth",
                        {inputOf("bandwidth", *figure)},
                        {}};
    if (figure->assumed)
        roof.explanation.assumptions.push_back(fmt::format("bandwidth: {}", figure->source));
    roofs.push_back(std::move(roof));
}

double fp32LaneSlots(const KernelCounts& counts) {
    return counts.fp32WarpInstructions > 0 ? 32 * counts.fp32WarpInstructions
                                           : counts.flops - counts.fma;
}

double l2BytesOf(const KernelCounts& counts) {
    return counts.l2Bytes.value_or(32 * counts.globalSectors);
}

double workAt(RoofKind kind, const KernelCounts& counts) {
    switch (kind) {
    case RoofKind::Fp32:
        return fp32LaneSlots(counts);
    case RoofKind::Tensor:
        return counts.tensorFma;
    case RoofKind::Issue:
        return counts.warpInstructions;
    case RoofKind::L1Lines:
        return counts.l1Lines;
    case RoofKind::L1Tags:
        return counts.l1TagCycles;
    case RoofKind::L1Data:
        return counts.l1DataCycles;
    case RoofKind::SharedWavefronts:
        return counts.sharedWavefronts;
    case RoofKind::L2:
        return l2BytesOf(counts);
    case RoofKind::Dram:
        return counts.dramBytes;
    }
    std::abort(); // the switch is complete
}

void addError(Diagnostics& errors, std::string message, const char* hint) {
    Diagnostic error;
    error.code = "model";
    error.message = std::move(message);
    error.hint = hint;
    errors.push_back(std::move(error));
}

Diagnostics checkCounts(const KernelCounts& counts) {
    Diagnostics errors;
    const struct {
        const char* name;
        double value;
    } all[] = {{"fma", counts.fma},
               {"flops", counts.flops},
               {"fp32WarpInstructions", counts.fp32WarpInstructions},
               {"tensorFma", counts.tensorFma},
               {"warpInstructions", counts.warpInstructions},
               {"l1Lines", counts.l1Lines},
               {"l1TagCycles", counts.l1TagCycles},
               {"l1DataCycles", counts.l1DataCycles},
               {"sharedWavefronts", counts.sharedWavefronts},
               {"globalSectors", counts.globalSectors},
               {"l2Bytes", counts.l2Bytes.value_or(0)},
               {"dramBytes", counts.dramBytes},
               {"blocks", counts.blocks}};
    for (const auto& count : all)
        if (!(count.value >= 0) || !std::isfinite(count.value))
            addError(errors, fmt::format("the count {} is {}", count.name, count.value),
                     "give a number of 0 or more");
    if (errors.empty() && counts.flops < 2 * counts.fma)
        addError(errors,
                 fmt::format("{} operations are fewer than the two of each of {} FMA", counts.flops,
                             counts.fma),
                 "count each multiply-add as two operations");
    return errors;
}

RoofTime timeAt(const Roof& roof, const KernelCounts& counts) {
    RoofTime time;
    time.kind = roof.kind;
    time.work = workAt(roof.kind, counts);
    time.seconds = time.work / roof.perSecond;
    time.explanation = {fmt::format("time at the {} roof", toString(roof.kind)),
                        time.seconds,
                        "s",
                        "work / (" + roof.explanation.formula + ")",
                        {inputOf("work", time.work, roof.unit, kCounted)},
                        roof.explanation.assumptions};
    for (const ExplanationInput& input : roof.explanation.inputs)
        time.explanation.inputs.push_back(input);
    if (roof.kind == RoofKind::L2 && !counts.l2Bytes)
        time.explanation.assumptions.push_back("every sector comes from the L2: the L1 never hits");
    if (roof.kind == RoofKind::Dram)
        time.explanation.assumptions.push_back("every byte crosses the memory bus once");
    return time;
}

std::vector<Intensity> intensitiesOf(const KernelCounts& counts, double flops) {
    std::vector<Intensity> all;
    const auto add = [&](const char* level, double bytes) {
        if (bytes > 0)
            all.push_back({level, bytes, flops / bytes});
    };
    add("l1", 32 * counts.globalSectors);
    add("shared", 128 * counts.sharedWavefronts);
    add("l2", l2BytesOf(counts));
    add("dram", counts.dramBytes);
    return all;
}

} // namespace

const char* toString(RoofKind kind) {
    switch (kind) {
    case RoofKind::Fp32:
        return "fp32";
    case RoofKind::Tensor:
        return "tensor";
    case RoofKind::Issue:
        return "issue";
    case RoofKind::L1Lines:
        return "l1_lines";
    case RoofKind::L1Tags:
        return "l1_tags";
    case RoofKind::L1Data:
        return "l1_data";
    case RoofKind::SharedWavefronts:
        return "shared_wavefronts";
    case RoofKind::L2:
        return "l2";
    case RoofKind::Dram:
        return "dram";
    }
    std::abort(); // the switch is complete
}

Result<std::vector<Roof>> roofsOf(const Device& device, const RooflineOptions& options) {
    const auto sms = smsOf(device, options);
    if (!sms)
        return failure(sms.error());
    std::vector<Roof> roofs;
    const PerClockRoof perClock[] = {
        {RoofKind::Fp32, "fp32_lanes_per_sm", "FMA", 1, 0, 2},
        {RoofKind::Tensor, options.tensorFigure.c_str(), "FMA", 1, 0, 2},
        {RoofKind::Issue, "issue_slots_per_sm", "warp instructions", 1, 0, 0},
        {RoofKind::L1Lines, "l1_lines_per_clock", "lines", 1, 128, 0},
        {RoofKind::L1Tags, "l1_tag_stage", "cycles", 1, 0, 0},
        {RoofKind::L1Data, "l1_data_stage", "cycles", 1, 128, 0},
        {RoofKind::SharedWavefronts, "shared_bytes_per_clock", "wavefronts", 1.0 / 128, 128, 0},
    };
    // Lines a clock are the simplification for GPUs whose L1 stages are not measured.
    const bool hasStages = device.figure("l1_tag_stage") != nullptr;
    for (const PerClockRoof& roof : perClock)
        if (roof.kind != RoofKind::L1Lines || !hasStages)
            addPerClock(roofs, device, *sms, roof, roof.figure);
    addBandwidth(roofs, device, RoofKind::L2, "l2_bandwidth");
    addBandwidth(roofs, device, RoofKind::Dram, "dram_bandwidth");
    return roofs;
}

Result<RooflinePoint> rooflinePoint(const Device& device, std::string kernel,
                                    const KernelCounts& counts, RooflineOptions options) {
    if (Diagnostics errors = checkCounts(counts); !errors.empty())
        return failure(std::move(errors));
    options.tensorFigure = counts.tensorFigure;
    if (counts.blocks > 0 && !options.smsInUse)
        options.smsInUse = counts.blocks;
    const auto roofs = roofsOf(device, options);
    if (!roofs)
        return failure(roofs.error());

    RooflinePoint point;
    point.kernel = std::move(kernel);
    for (const Roof& roof : *roofs)
        if (workAt(roof.kind, counts) > 0)
            point.times.push_back(timeAt(roof, counts));
    const auto slowest = std::max_element(
        point.times.begin(), point.times.end(),
        [](const RoofTime& a, const RoofTime& b) { return a.seconds < b.seconds; });
    if (slowest == point.times.end())
        return failure(
            "model",
            fmt::format("{} does no work that a roof of {} limits", point.kernel, device.name), {},
            "give counts of a kernel that ran");
    point.seconds = slowest->seconds;
    point.bottleneck = slowest->kind;
    const double flops = counts.flops + 2 * counts.tensorFma;
    point.flopsPerSecond = flops / point.seconds;
    point.intensities = intensitiesOf(counts, flops);
    if (counts.fma > 0) {
        const double scale = 1000 / counts.fma;
        point.per1000Fma = {counts.warpInstructions * scale, counts.l1Lines * scale,
                            counts.sharedWavefronts * scale, counts.globalSectors * scale,
                            32 * counts.globalSectors / counts.fma};
    }
    point.explanation = {
        "modelled time",
        point.seconds,
        "s",
        "the slowest roof",
        {},
        {"all parts of the GPU overlap perfectly; latency and dependencies cost nothing"}};
    for (const RoofTime& time : point.times)
        point.explanation.inputs.push_back(
            inputOf(toString(time.kind), time.seconds, "s", time.explanation.formula));
    return point;
}

Result<TileSupply> registerTileSupply(const Device& device, int rows, int columns) {
    if (rows < 1 || columns < 1)
        return failure("model", fmt::format("a register tile of {} x {}", rows, columns), {},
                       "give at least 1 x 1");
    const Figure* bytes = device.figure("shared_bytes_per_clock");
    const Figure* lanes = device.figure("fp32_lanes_per_sm");
    if (bytes == nullptr || lanes == nullptr)
        return failure("device", fmt::format("{} has no FP32 lanes per SM", device.name), {},
                       "choose a GPU, such as h100, instead of a bare compute capability");
    TileSupply supply;
    supply.neededBytesPerFma = 4.0 * (rows + columns) / (double(rows) * columns);
    supply.suppliedBytesPerFma = bytes->value / lanes->value;
    supply.enough = supply.neededBytesPerFma <= supply.suppliedBytesPerFma;
    supply.explanation = {"shared bytes per FMA that a register tile needs",
                          supply.neededBytesPerFma,
                          "bytes/FMA",
                          "4 (TM + TN) / (TM TN), to compare with width / lanes",
                          {inputOf("TM", rows, "", "the tile"),
                           inputOf("TN", columns, "", "the tile"), inputOf("width", *bytes),
                           inputOf("lanes", *lanes)},
                          {"each operand is read once per tile and thread, without conflicts"}};
    return supply;
}

} // namespace lanescope::model
