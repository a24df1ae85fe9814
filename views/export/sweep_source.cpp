// SPDX-License-Identifier: GPL-3.0-or-later
// From the engine's models to the cells of a sweep.
#include <algorithm>
#include <cmath>

#include "engine/catalog/catalog.h"
#include "engine/device/device.h"
#include "engine/session/simulate.h"
#include "engine/session/sweep.h"
#include "views/export/chart_source.h"
#include "views/export/sweep_data.h"
#include "views/kit/environment.h"

namespace lanescope::views {

namespace {

/// More columns than this are no map any more.
constexpr std::size_t kMostValues = 12;

const catalog::Kernel* kernelOf(const std::string& id) {
    const auto kernels = session::builtInKernels();
    return kernels ? catalog::findKernel(**kernels, id) : nullptr;
}

/// The parameter's choices, else powers of two within its range, the range's ends and its default.
std::vector<std::int64_t> valuesOf(const catalog::Parameter& p) {
    std::vector<std::int64_t> values = p.choices;
    if (values.empty()) {
        for (std::int64_t v = 1; v <= p.max && v > 0; v *= 2)
            if (v >= p.min)
                values.push_back(v);
        values.push_back(p.defaultValue);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    // Around the default, where the range is wide.
    if (values.size() > kMostValues) {
        const auto at = std::lower_bound(values.begin(), values.end(), p.defaultValue) - values.begin();
        const auto first = std::clamp<std::ptrdiff_t>(at - std::ptrdiff_t(kMostValues / 2), 0, std::ptrdiff_t(values.size() - kMostValues));
        values = {values.begin() + first, values.begin() + first + std::ptrdiff_t(kMostValues)};
    }
    return values;
}

std::string oneLine(const Diagnostics& diagnostics) {
    if (diagnostics.empty())
        return "cannot be modelled";
    const Diagnostic& first = diagnostics.front();
    return first.hint.empty() ? first.message : first.message + ": " + first.hint;
}

} // namespace

double SweepCell::value(SweepMeasure measure) const {
    switch (measure) {
    case SweepMeasure::Flops:
        return flopsPerSecond;
    case SweepMeasure::Occupancy:
        return occupancy;
    case SweepMeasure::Wavefronts:
        return wavefronts;
    case SweepMeasure::Registers:
        return registers;
    }
    return 0;
}

std::size_t SweepData::done() const {
    return static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), [](const SweepCell& c) { return c.state != SweepCell::State::Waiting; }));
}

std::optional<std::size_t> SweepData::best(SweepMeasure measure) const {
    const bool isMost = measure == SweepMeasure::Flops || measure == SweepMeasure::Occupancy;
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].state != SweepCell::State::Done)
            continue;
        const double v = cells[i].value(measure);
        if (!best || (isMost ? v > cells[*best].value(measure) : v < cells[*best].value(measure)))
            best = i;
    }
    return best;
}

std::map<std::string, std::int64_t> SweepData::parametersOf(std::size_t cell) const {
    std::map<std::string, std::int64_t> out = fixed;
    out[x.name] = x.values[cell % columns()];
    if (!y.name.empty())
        out[y.name] = y.values[cell / columns()];
    return out;
}

std::vector<std::string> sweepParameters(const std::string& kernelId) {
    std::vector<std::string> tile, problem;
    if (const catalog::Kernel* kernel = kernelOf(kernelId))
        for (const catalog::Parameter& p : kernel->parameters)
            if (valuesOf(p).size() > 1)
                (p.kind == catalog::ParameterKind::Problem ? problem : tile).push_back(p.name);
    tile.insert(tile.end(), problem.begin(), problem.end());
    return tile;
}

Result<SweepData> planSweep(const SweepRequest& request) {
    const auto devices = chartDevices();
    if (!devices)
        return failure(devices.error());
    SweepData data;
    data.deviceId = request.deviceId;
    data.kernel = request.kernelId;
    data.form = request.form;
    for (const DeviceEntry& d : *devices)
        if (d.id == request.deviceId)
            data.gpu = d.name;
    if (data.gpu.empty())
        return failure("device", "there is no GPU '" + request.deviceId + "' with a clock", {}, "`lanescope devices` lists them");
    const catalog::Kernel* kernel = kernelOf(request.kernelId);
    if (kernel == nullptr) {
        data.problem = "Sweeps are of kernels of the catalog: open one";
        return data;
    }
    const std::vector<std::string> names = sweepParameters(request.kernelId);
    if (names.empty()) {
        data.problem = request.kernelId + " has no parameter to sweep";
        return data;
    }
    for (const std::string& asked : {request.x, request.y})
        if (!asked.empty() && std::find(names.begin(), names.end(), asked) == names.end())
            return failure("parameter", request.kernelId + " has no parameter '" + asked + "' to sweep", {}, "`lanescope kernels` lists the parameters");
    const std::string x = request.x.empty() ? names[0] : request.x;
    std::string y = request.y;
    if (y.empty() || y == x) {
        const auto other = std::find_if(names.begin(), names.end(), [&](const std::string& n) { return n != x; });
        y = other == names.end() ? std::string() : *other;
    }
    const auto axis = [&](const std::string& name) {
        const catalog::Parameter* p = kernel->findParameter(name);
        return p ? SweepAxis{name, p->label, valuesOf(*p)} : SweepAxis{{}, {}, {0}};
    };
    data.x = axis(x);
    data.y = axis(y);
    const auto sizes = chartSizes();
    for (const catalog::Parameter& p : kernel->parameters) {
        const auto given = request.parameters.find(p.name);
        const auto size = sizes.find(p.name);
        const std::int64_t value = given != request.parameters.end() ? given->second
                                   : p.kind == catalog::ParameterKind::Problem && size != sizes.end() ? size->second
                                                                                                     : p.defaultValue;
        const auto index = [value](const SweepAxis& a) -> std::optional<std::size_t> {
            const auto at = std::find(a.values.begin(), a.values.end(), value);
            return at == a.values.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - a.values.begin()));
        };
        if (p.name == x)
            data.currentX = index(data.x);
        else if (p.name == y)
            data.currentY = index(data.y);
        else
            data.fixed[p.name] = value;
    }
    if (y.empty())
        data.currentY = 0;
    data.cells.resize(data.columns() * data.rows());
    return data;
}

SweepCell sweepCell(const SweepData& plan, std::size_t cell) {
    session::SweepRequest request;
    request.kernel = plan.kernel;
    request.gpu = plan.deviceId;
    request.form = plan.form;
    request.axes.push_back({plan.x.name, {plan.x.values[cell % plan.columns()]}});
    if (!plan.y.name.empty())
        request.axes.push_back({plan.y.name, {plan.y.values[cell / plan.columns()]}});
    for (const auto& [name, value] : plan.fixed)
        request.fixed[name] = value;
    const auto swept = session::sweep(request, ownEnvironment());
    SweepCell out;
    out.state = SweepCell::State::Broken;
    if (!swept) {
        out.problem = oneLine(swept.error());
        return out;
    }
    const session::SweepPoint& point = swept->points.front();
    if (!point.modelled) {
        out.problem = oneLine(point.problems);
        return out;
    }
    using session::SweepFigure;
    const auto value = [&](SweepFigure figure) { return session::figureOf(point, figure).value_or(0); };
    out.state = SweepCell::State::Done;
    out.flopsPerSecond = value(SweepFigure::FlopsPerSecond);
    out.seconds = value(SweepFigure::Seconds);
    out.occupancy = value(SweepFigure::Occupancy);
    out.registers = value(SweepFigure::Registers);
    out.wavefronts = value(SweepFigure::SharedWavefronts);
    out.boundBy = model::toString(point.modelled->point.bottleneck);
    std::replace(out.boundBy.begin(), out.boundBy.end(), '_', ' ');
    return out;
}

void runSweep(SweepData& data, const std::atomic<bool>* cancel, const std::function<void(std::size_t)>& onCell) {
    for (std::size_t i = 0; i < data.cells.size(); ++i) {
        if (cancel != nullptr && cancel->load())
            return;
        data.cells[i] = sweepCell(data, i);
        if (onCell)
            onCell(i);
    }
}

bool SweepData::hasMeasured() const {
    return std::any_of(cells.begin(), cells.end(), [](const SweepCell& cell) { return cell.measuredFlopsPerSecond.has_value(); });
}

void addMeasured(SweepData& data, const session::MeasuredPoints& measured) {
    const catalog::Kernel* kernel = kernelOf(data.kernel);
    for (std::size_t i = 0; i < data.cells.size(); ++i) {
        SweepCell& cell = data.cells[i];
        cell.measuredFlopsPerSecond.reset();
        cell.driverRegisters.reset();
        if (kernel == nullptr || cell.state != SweepCell::State::Done || !measured.isOn(data.deviceId))
            continue;
        const auto parameters = data.parametersOf(i);
        for (const session::MeasuredPoint& m : measured.points) {
            // A point that does not name what is varied would stand for every cell.
            if (!m.parameters.contains(data.x.name) || (!data.y.name.empty() && !m.parameters.contains(data.y.name)) || !m.isOf(*kernel, parameters))
                continue;
            cell.measuredFlopsPerSecond = m.rate(cell.flopsPerSecond * cell.seconds);
            cell.driverRegisters = m.registersPerThread;
        }
    }
}

const char* measureName(SweepMeasure measure) {
    switch (measure) {
    case SweepMeasure::Flops:
        return "TFLOP/s";
    case SweepMeasure::Occupancy:
        return "Occupancy";
    case SweepMeasure::Wavefronts:
        return "Wavefronts per 1,000 FMA";
    case SweepMeasure::Registers:
        return "Registers a thread";
    }
    return "";
}

} // namespace lanescope::views
