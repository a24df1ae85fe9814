// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/chart_source.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/catalog/catalog.h"
#include "engine/session/hardware_counters.h"
#include "engine/session/simulate.h"
#include "engine/session/snapshot.h"
#include "views/kit/environment.h"

namespace lanescope::views {
namespace {

using device::Device;
using model::RoofKind;

std::string roofName(std::string_view kind) {
    static const std::pair<std::string_view, const char*> names[] = {
        {"fp32", "FP32"},
        {"tensor", "Tensor"},
        {"issue", "Issue slots"},
        {"l1_lines", "L1 lines"},
        {"l1_tags", "L1 tags"},
        {"l1_data", "L1 data banks"},
        {"shared_wavefronts", "Shared"},
        {"l2", "L2"},
        {"dram", "DRAM"}};
    for (const auto& [key, name] : names)
        if (key == kind)
            return name;
    return std::string(kind);
}

std::string firstMessage(const Diagnostics& diagnostics) {
    return diagnostics.empty() ? std::string("unknown error") : diagnostics.front().message;
}

std::string kilobytes(double bytes) {
    const double kb = bytes / 1024;
    return kb == std::floor(kb) ? fmt::format("{:.0f}", kb) : fmt::format("{:.1f}", kb);
}

Result<void> addRoofs(RooflineData& data, const Device& device) {
    const auto roofs = model::roofsOf(device);
    if (!roofs)
        return failure(roofs.error());
    double l1 = 0, shared = 0;
    for (const model::Roof& roof : *roofs) {
        const double bytes = roof.perSecond * roof.bytesPerUnit;
        switch (roof.kind) {
        case RoofKind::Fp32:
            data.compute.push_back({"FP32", roof.perSecond * roof.flopsPerUnit});
            break;
        case RoofKind::L1Lines:
        case RoofKind::L1Data:
            l1 = bytes;
            break;
        case RoofKind::SharedWavefronts:
            shared = bytes;
            break;
        case RoofKind::L2:
            data.memory.push_back({MemoryLevel::L2, "L2", bytes});
            break;
        case RoofKind::Dram:
            data.memory.push_back({MemoryLevel::Dram, "DRAM", bytes});
            break;
        case RoofKind::Tensor:
            data.tensor = {"Tensor cores, f16", roof.perSecond * roof.flopsPerUnit};
            break;
        case RoofKind::L1Tags:
        case RoofKind::Issue:  // not bytes: named as the bound, not drawn
            break;
        }
    }
    if (l1 > 0 && shared > 0 && std::abs(l1 / shared - 1) < 0.01)
        data.memory.insert(data.memory.begin(), {MemoryLevel::L1, "Shared and L1", shared});
    else {
        if (shared > 0)
            data.memory.insert(data.memory.begin(), {MemoryLevel::L1, "Shared", shared});
        if (l1 > 0)
            data.memory.insert(data.memory.begin(), {MemoryLevel::L1, "L1", l1});
    }
    return {};
}

/// Bytes by level as the axes count them: L1 and shared memory together.
void setIntensity(KernelPoint& point, const std::map<std::string, double>& bytes, double flops) {
    const auto of = [&](const char* level) {
        const auto at = bytes.find(level);
        return at == bytes.end() ? 0.0 : at->second;
    };
    const double levels[] = {of("l1") + of("shared"), of("l2"), of("dram")};
    for (std::size_t i = 0; i < point.intensity.size(); ++i)
        if (levels[i] > 0 && flops > 0)
            point.intensity[i] = flops / levels[i];
}

KernelPoint pointOf(const model::RooflinePoint& from, std::string id, std::string title) {
    KernelPoint point;
    point.id = std::move(id);
    point.title = std::move(title);
    point.flopsPerSecond = from.flopsPerSecond;
    point.seconds = from.seconds;
    point.boundBy = roofName(model::toString(from.bottleneck));
    point.formula = from.explanation.formula;
    std::map<std::string, double> bytes;
    for (const model::Intensity& i : from.intensities)
        bytes[i.level] = i.bytes;
    setIntensity(point, bytes, from.flopsPerSecond * from.seconds);
    for (const model::RoofTime& time : from.times)
        point.parts.push_back({roofName(model::toString(time.kind)), time.seconds});
    std::stable_sort(point.parts.begin(), point.parts.end(),
                     [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    return point;
}

OccupancyCurveData curveOf(const Device& device, const model::OccupancyInput& input,
                           model::OccupancyAxis axis) {
    const model::OccupancyCurve curve = model::occupancyCurve(device, input, axis);
    OccupancyCurveData data;
    double scale = 1;
    switch (axis) {
    case model::OccupancyAxis::Registers:
        data.title = "Occupancy by registers per thread";
        data.axis = "Registers per thread";
        data.unit = "registers";
        data.currentX = input.registersPerThread;
        break;
    case model::OccupancyAxis::SharedBytes:
        data.title = "Occupancy by shared memory";
        data.axis = "Dynamic shared memory per block, KB";
        data.unit = "KB";
        scale = 1.0 / 1024;
        data.currentX = double(input.dynamicSharedBytes) / 1024;
        break;
    case model::OccupancyAxis::Threads:
        data.title = "Occupancy by block size";
        data.axis = "Threads per block";
        data.unit = "threads";
        data.currentX = input.threads;
        break;
    }
    for (const model::OccupancyPoint& p : curve.points) {
        data.x.push_back(double(p.x) * scale);
        data.occupancy.push_back(p.occupancy);
        data.blocks.push_back(p.blocksPerSm);
    }
    return data;
}

void addLimits(OccupancyData& data, const Device& device, const model::Occupancy& o) {
    const device::Limits& l = device.limits;
    const auto limits = [&](model::Resource r) {
        return std::find(o.limiters.begin(), o.limiters.end(), r) != o.limiters.end();
    };
    data.limits.push_back({"Warps",
                           fmt::format("{} of {} per block", o.warpsPerBlock, l.warpsPerSm()),
                           o.limits.warps, limits(model::Resource::Warps)});
    data.limits.push_back(
        {"Blocks", "hardware maximum", o.limits.blocks, limits(model::Resource::Blocks)});
    data.limits.push_back({"Registers",
                           fmt::format("{} of {} per block", session::figureText(double(o.registersAllocated)),
                                       session::figureText(l.registersPerSm)),
                           o.limits.registers, limits(model::Resource::Registers)});
    data.limits.push_back(
        {"Shared memory",
         fmt::format("{} of {} KB per block", kilobytes(double(o.sharedAllocated)),
                     kilobytes(double(o.sharedBytesPerSm))),
         o.limits.shared, limits(model::Resource::Shared)});
    if (o.limits.barriers && limits(model::Resource::Barriers))
        data.limits.push_back({"Barriers", "named barriers of a block", o.limits.barriers, true});
}

model::OccupancyInput inputOf(const KernelShape& shape) {
    model::OccupancyInput input;
    input.threads = shape.threads;
    input.registersPerThread = shape.registers;
    input.dynamicSharedBytes = std::int64_t(shape.sharedBytes);
    return input;
}

OccupancyData occupancyOf(const Device& device, const KernelShape& shape,
                          const std::string& kernel) {
    OccupancyData data;
    data.gpu = device.name;
    data.kernel = kernel;
    data.threads = shape.threads;
    data.registers = shape.registers;
    data.sharedBytes = shape.sharedBytes;
    data.maxWarps = device.limits.warpsPerSm();
    data.maxBlocks = device.limits.blocksPerSm;
    const model::OccupancyInput input = inputOf(shape);
    const auto o = model::occupancy(device, input);
    if (!o) {
        data.problem = firstMessage(o.error());
        return data;
    }
    data.blocksPerSm = o->blocksPerSm;
    data.warpsPerSm = o->warpsPerSm;
    data.occupancy = o->occupancy;
    addLimits(data, device, *o);
    data.curves = {curveOf(device, input, model::OccupancyAxis::Registers),
                   curveOf(device, input, model::OccupancyAxis::SharedBytes),
                   curveOf(device, input, model::OccupancyAxis::Threads)};
    return data;
}

/// "H100 SXM" of "NVIDIA H100 SXM": the maker's name tells nothing here.
Device named(Device device) {
    constexpr std::string_view maker = "NVIDIA ";
    if (device.name.starts_with(maker))
        device.name.erase(0, maker.size());
    return device;
}

/// Waves of this grid on one GPU; error when it does not fit there.
Result<model::Waves> wavesOn(const Device& device, const KernelShape& shape, std::int64_t blocks) {
    const auto o = model::occupancy(device, inputOf(shape));
    if (!o)
        return failure(o.error());
    return model::waves(blocks, std::int64_t(device.value("sm_count").value_or(0)), o->blocksPerSm);
}

WavesData wavesOf(const Device& device, const KernelShape& shape, std::int64_t blocks,
                  const std::string& kernel) {
    WavesData data;
    data.gpu = device.name;
    data.kernel = kernel;
    const auto own = wavesOn(device, shape, blocks);
    if (!own) {
        data.problem = firstMessage(own.error());
        return data;
    }
    data.blocks = own->blocks;
    data.sms = own->sms;
    data.blocksPerSm = own->blocksPerSm;
    data.capacity = own->capacity;
    data.waves = own->waves;
    data.fullWaves = own->fullWaves;
    data.tailBlocks = own->tailBlocks;
    data.idleSms = own->idleSmsInTail;
    data.slotsUsed = own->slotsUsed;
    const auto row = [&](const Device& d, const model::Waves& w) {
        data.rows.push_back(
            {d.name, w.sms, w.blocksPerSm, w.waves, w.tailBlocks, w.slotsUsed, d.id == device.id});
    };
    row(device, *own);
    if (const auto all = device::allDevices())
        for (const Device& other : *all)
            if (other.isProduct() && other.id != device.id)
                if (const auto w = wavesOn(other, shape, blocks))
                    row(named(other), *w);
    return data;
}

Result<Device> deviceOf(const std::string& id) {
    auto device = device::findDevice(id);
    if (!device)
        return failure(device.error());
    return named(std::move(*device));
}

KernelEntry entryOf(const Device& device, KernelPoint point, const KernelShape& shape,
                    std::int64_t blocks) {
    KernelEntry entry;
    entry.point = std::move(point);
    entry.shape = shape;
    entry.blocks = blocks;
    entry.occupancy = occupancyOf(device, shape, entry.point.id);
    entry.waves = wavesOf(device, shape, blocks, entry.point.id);
    return entry;
}

Result<Performance> emptyPerformance(const Device& device) {
    Performance performance;
    performance.deviceId = device.id;
    performance.gpu = device.name;
    performance.roofline.gpu = device.name;
    if (auto roofs = addRoofs(performance.roofline, device); !roofs)
        return failure(roofs.error());
    return performance;
}

void collectPoints(Performance& performance) {
    performance.roofline.points.clear();
    for (const KernelEntry& kernel : performance.kernels)
        performance.roofline.points.push_back(kernel.point);
    // The roof of the tensor cores would squeeze the others: it is there for kernels that reach above them.
    RooflineData& roofline = performance.roofline;
    const bool isDrawn = std::any_of(roofline.compute.begin(), roofline.compute.end(), [&](const ComputeRoof& roof) { return roof.label == roofline.tensor.label; });
    double highest = 0;
    for (const ComputeRoof& roof : roofline.compute)
        highest = std::max(highest, roof.flopsPerSecond);
    if (!isDrawn && roofline.tensor.flopsPerSecond > 0 &&
        std::any_of(roofline.points.begin(), roofline.points.end(), [&](const KernelPoint& point) { return point.flopsPerSecond > highest; }))
        roofline.compute.push_back(roofline.tensor);
}

} // namespace

const KernelEntry* Performance::find(const std::string& id) const {
    for (const KernelEntry& kernel : kernels)
        if (kernel.point.id == id)
            return &kernel;
    return nullptr;
}

Result<std::vector<DeviceEntry>> chartDevices() {
    const auto all = device::allDevices();
    if (!all)
        return failure(all.error());
    std::vector<DeviceEntry> entries;
    for (const Device& device : *all)
        if (device.isProduct())
            entries.push_back({device.id, named(device).name,
                               std::int64_t(device.value("sm_count").value_or(0))});
    return entries;
}

Result<Performance> roofsOnly(const std::string& deviceId) {
    const auto device = deviceOf(deviceId);
    if (!device)
        return failure(device.error());
    return emptyPerformance(*device);
}

Result<OccupancyData> occupancyData(const std::string& deviceId, const KernelShape& shape,
                                    const std::string& kernel) {
    const auto device = deviceOf(deviceId);
    if (!device)
        return failure(device.error());
    return occupancyOf(*device, shape, kernel);
}

Result<WavesData> wavesData(const std::string& deviceId, const KernelShape& shape,
                            std::int64_t blocks, const std::string& kernel) {
    const auto device = deviceOf(deviceId);
    if (!device)
        return failure(device.error());
    return wavesOf(*device, shape, blocks, kernel);
}

std::map<std::string, std::int64_t> chartSizes() {
    return {{"M", 1024}, {"N", 1024}, {"K", 1024}, {"n", 1 << 20}};
}

Result<Performance> modelPerformance(const PerformanceRequest& request) {
    const auto device = deviceOf(request.deviceId);
    if (!device)
        return failure(device.error());
    auto performance = emptyPerformance(*device);
    if (!performance)
        return performance;
    const auto catalog = session::builtInKernels();
    if (!catalog)
        return failure(catalog.error());
    std::vector<std::string> ids = request.kernelIds;
    if (ids.empty())
        for (const catalog::Kernel& kernel : **catalog)
            ids.push_back(kernel.id);
    const compile::Environment environment = ownEnvironment();
    Diagnostics errors;
    for (const std::string& id : ids) {
        auto parameters = request.sizes;
        if (id == request.tiledKernel)
            for (const auto& [name, value] : request.tile)
                parameters[name] = value;
        const auto modelled =
            session::rooflinePoints(request.deviceId, {id}, parameters, environment, request.form);
        if (!modelled) {
            errors.insert(errors.end(), modelled.error().begin(), modelled.error().end());
            performance->roofline.notes.push_back(id + ": " + firstMessage(modelled.error()));
            continue;
        }
        for (const session::ModelledKernel& kernel : *modelled) {
            KernelShape shape{int(kernel.occupancy.lanesRequested), kernel.registersPerThread,
                              double(kernel.occupancy.sharedRequested)};
            std::int64_t blocks = 0;
            if (const catalog::Kernel* entry = catalog::findKernel(**catalog, kernel.id)) {
                catalog::Overrides sizes;
                for (const auto& [name, value] : parameters)
                    if (entry->findParameter(name) != nullptr)
                        sizes[name] = value;
                if (const auto resolved = catalog::resolve(*entry, sizes))
                    blocks =
                        std::int64_t(resolved->grid[0]) * resolved->grid[1] * resolved->grid[2];
            }
            performance->kernels.push_back(
                entryOf(*device, pointOf(kernel.point, kernel.id, kernel.title), shape, blocks));
        }
    }
    if (performance->kernels.empty() && !errors.empty())
        return failure(std::move(errors));
    collectPoints(*performance);
    return performance;
}

bool addOpenKernel(Performance& performance, const session::Snapshot& snapshot) {
    if (!snapshot.program || !snapshot.run || snapshot.run->deviceId != performance.deviceId)
        return false;
    const auto report = nlohmann::json::parse(snapshot.run->json, nullptr, false);
    if (!report.is_object() || !report.contains("model"))
        return false;
    const auto device = deviceOf(performance.deviceId);
    if (!device)
        return false;
    const nlohmann::json& m = report["model"];
    KernelPoint point;
    point.id = snapshot.program->id;
    point.title = snapshot.program->title;
    KernelShape shape;
    const session::LaunchView& launch = snapshot.run->launch;
    shape.threads = int(launch.block.count());
    shape.sharedBytes = double(launch.sharedBytes + launch.staticSharedBytes);
    try {
        point.flopsPerSecond = m.value("flops_per_s", 0.0);
        point.seconds = m.value("time_s", 0.0);
        point.boundBy = roofName(m.value("bottleneck", std::string()));
        std::map<std::string, double> bytes;
        if (m.contains("intensity") && m["intensity"].is_object())
            for (const auto& [level, value] : m["intensity"].items())
                bytes[level] = value.value("bytes", 0.0);
        setIntensity(point, bytes, point.flopsPerSecond * point.seconds);
        if (m.contains("roofs") && m["roofs"].is_object())
            for (const auto& [roof, value] : m["roofs"].items()) {
                point.parts.push_back({roofName(roof), value.value("time_s", 0.0)});
                if (roof == m.value("bottleneck", std::string()))
                    point.formula = value.value("formula", std::string());
            }
        std::stable_sort(point.parts.begin(), point.parts.end(),
                         [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
        if (m.contains("occupancy"))
            shape.registers = m["occupancy"].value("registers_per_thread", 0);
    } catch (const nlohmann::json::exception&) {
        return false;
    }
    if (shape.registers == 0)
        return false;
    KernelEntry entry =
        entryOf(*device, std::move(point), shape, std::int64_t(launch.grid.count()));
    const auto at =
        std::find_if(performance.kernels.begin(), performance.kernels.end(),
                     [&](const KernelEntry& k) { return k.point.id == entry.point.id; });
    if (at != performance.kernels.end())
        *at = std::move(entry);
    else
        performance.kernels.push_back(std::move(entry));
    collectPoints(performance);
    return true;
}

void addMeasured(Performance& performance, const session::MeasuredPoints& measured, session::CodeForm form,
                 const std::function<std::map<std::string, std::int64_t>(const std::string&)>& valuesOf) {
    const auto kernels = session::builtInKernels();
    if (!kernels || !measured.isOn(performance.deviceId))
        return;
    constexpr double kAbove = 1.02; // of the roof: what is above it is no rounding
    for (KernelPoint& point : performance.roofline.points) {
        const catalog::Kernel* kernel = catalog::findKernel(**kernels, point.id);
        if (kernel == nullptr)
            continue;
        const std::map<std::string, std::int64_t> values = valuesOf(point.id);
        for (const session::MeasuredPoint& m : measured.points) {
            if (!m.isOf(*kernel, values))
                continue;
            // A rate that is not said follows from the time: both are of the same work.
            point.measuredFlopsPerSecond = m.rate(point.flopsPerSecond * point.seconds);
            point.measuredNote.clear();
            if (*point.measuredFlopsPerSecond > kAbove * point.flopsPerSecond)
                point.measuredNote = "Measured above the roof of " + point.boundBy + ": the kernel does less of that work than is counted, " +
                                     (form == session::CodeForm::Written ? "as when ptxas merges accesses of the PTX (see it as compiled)."
                                                                         : "or the roof is lower than this GPU's (measure it with calibrate).");
            for (KernelEntry& entry : performance.kernels)
                if (entry.point.id == point.id) {
                    entry.point.measuredFlopsPerSecond = point.measuredFlopsPerSecond;
                    entry.point.measuredNote = point.measuredNote;
                    entry.occupancy.driverRegisters = m.registersPerThread;
                    entry.occupancy.driverBlocksPerSm = m.blocksPerSm;
                }
        }
    }
}

} // namespace lanescope::views
