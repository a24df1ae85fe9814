// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/sweep.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace lanescope::session {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostPoints = 4096;
constexpr std::int64_t kFillingSize = 1024;
constexpr std::array kFigures{SweepFigure::FlopsPerSecond,   SweepFigure::Seconds,
                              SweepFigure::Occupancy,        SweepFigure::Registers,
                              SweepFigure::SharedWavefronts, SweepFigure::Instructions};

Result<const catalog::Kernel*> kernelOf(const SweepRequest& request) {
    const Result<const std::vector<catalog::Kernel>*> kernels = builtInKernels();
    if (!kernels)
        return failure(kernels.error());
    const catalog::Kernel* kernel = catalog::findKernel(**kernels, request.kernel);
    if (kernel == nullptr)
        return failure("sweep", fmt::format("there is no kernel '{}'", request.kernel), {},
                       "`lanescope kernels` lists the kernels; a file has no parameters to vary");
    return kernel;
}

std::string parametersOf(const catalog::Kernel& kernel) {
    std::vector<std::string> names;
    for (const catalog::Parameter& parameter : kernel.parameters)
        names.push_back(parameter.name);
    return fmt::format("{} has {}", kernel.id, fmt::join(names, ", "));
}

/// The axes with their values, in the order given.
Result<std::vector<SweepAxis>> axesOf(const SweepRequest& request, const catalog::Kernel& kernel) {
    if (request.axes.empty())
        return failure("sweep", "no parameter is varied", {}, parametersOf(kernel));
    std::vector<SweepAxis> axes;
    std::size_t points = 1;
    for (const SweepAxis& axis : request.axes) {
        const catalog::Parameter* parameter = kernel.findParameter(axis.parameter);
        if (parameter == nullptr)
            return failure("sweep",
                           fmt::format("{} has no parameter '{}'", kernel.id, axis.parameter), {},
                           parametersOf(kernel));
        const bool isTwice =
            std::any_of(axes.begin(), axes.end(),
                        [&](const SweepAxis& a) { return a.parameter == axis.parameter; });
        if (isTwice || request.fixed.contains(axis.parameter))
            return failure("sweep",
                           fmt::format("{} is {}", axis.parameter,
                                       isTwice ? "varied twice" : "both varied and fixed"),
                           {}, "name each parameter once");
        SweepAxis own = axis;
        if (own.values.empty())
            own.values = parameter->choices;
        if (own.values.empty())
            return failure("sweep",
                           fmt::format("{} has no list of choices to vary over", axis.parameter),
                           {}, "name its values");
        points *= own.values.size();
        if (points > kMostPoints)
            return failure("sweep", fmt::format("more than {} combinations", kMostPoints), {},
                           "name fewer values");
        axes.push_back(std::move(own));
    }
    return axes;
}

SweepPoint pointAt(const Sweep& sweep, std::size_t index) {
    SweepPoint point;
    point.values.resize(sweep.axes.size());
    for (std::size_t axis = sweep.axes.size(); axis-- > 0;) {
        const auto& values = sweep.axes[axis].values;
        point.values[axis] = values[index % values.size()];
        index /= values.size();
    }
    return point;
}

std::string csvText(std::string_view text) {
    std::string out = "\"";
    for (const char c : text)
        out += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' ? ' ' : c);
    return out + '"';
}

bool hasMeasured(const Sweep& sweep) {
    return std::any_of(sweep.points.begin(), sweep.points.end(), [](const SweepPoint& p) { return p.measured || !p.measureProblem.empty(); });
}

std::string problemText(const SweepPoint& point) {
    std::string out;
    for (const Diagnostic& problem : point.problems)
        out += fmt::format("{}{}{}", out.empty() ? "" : "; ", problem.message,
                           problem.hint.empty() ? "" : fmt::format(" ({})", problem.hint));
    return out;
}

} // namespace

const char* toString(SweepFigure figure) {
    switch (figure) {
    case SweepFigure::FlopsPerSecond:
        return "flops_per_s";
    case SweepFigure::Seconds:
        return "time_s";
    case SweepFigure::Occupancy:
        return "occupancy";
    case SweepFigure::Registers:
        return "registers";
    case SweepFigure::SharedWavefronts:
        return "shared_wavefronts_per_1000_fma";
    case SweepFigure::Instructions:
        return "instructions_per_1000_fma";
    }
    std::abort(); // the switch is complete
}

std::optional<double> figureOf(const SweepPoint& point, SweepFigure figure) {
    if (!point.modelled)
        return std::nullopt;
    const ModelledKernel& m = *point.modelled;
    switch (figure) {
    case SweepFigure::FlopsPerSecond:
        return m.point.flopsPerSecond;
    case SweepFigure::Seconds:
        return m.point.seconds;
    case SweepFigure::Occupancy:
        return m.occupancy.occupancy;
    case SweepFigure::Registers:
        return m.registersPerThread;
    case SweepFigure::SharedWavefronts:
        return m.point.per1000Fma ? std::optional(m.point.per1000Fma->sharedWavefronts)
                                  : std::nullopt;
    case SweepFigure::Instructions:
        return m.point.per1000Fma ? std::optional(m.point.per1000Fma->warpInstructions)
                                  : std::nullopt;
    }
    std::abort(); // the switch is complete
}

std::optional<double> SweepPoint::measuredFlopsPerSecond() const {
    if (!measured || (!measured->flopsPerSecond && !modelled))
        return std::nullopt;
    return measured->rate(modelled ? modelled->point.flopsPerSecond * modelled->point.seconds : 0);
}

std::optional<double> SweepPoint::modelError() const {
    const std::optional<double> rate = measuredFlopsPerSecond();
    if (!rate || *rate <= 0 || !modelled)
        return std::nullopt;
    return modelled->point.flopsPerSecond / *rate - 1;
}

catalog::Overrides parametersOf(const Sweep& sweep, const SweepPoint& point) {
    catalog::Overrides out = sweep.fixed;
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
        out[sweep.axes[axis].parameter] = point.values[axis];
    return out;
}

std::size_t addMeasured(Sweep& sweep, const MeasuredPoints& measured) {
    const Result<const std::vector<catalog::Kernel>*> kernels = builtInKernels();
    const catalog::Kernel* kernel = kernels ? catalog::findKernel(**kernels, sweep.kernel) : nullptr;
    if (kernel == nullptr || !measured.isOn(sweep.gpu))
        return 0;
    std::size_t count = 0;
    for (SweepPoint& point : sweep.points) {
        const catalog::Overrides parameters = parametersOf(sweep, point);
        for (const MeasuredPoint& m : measured.points) {
            // A point that does not name what is varied would stand for every cell.
            const bool isNamed = std::all_of(sweep.axes.begin(), sweep.axes.end(), [&](const SweepAxis& axis) { return m.parameters.contains(axis.parameter); });
            if (isNamed && m.isOf(*kernel, parameters))
                point.measured = m;
        }
        count += point.measured ? 1 : 0;
    }
    return count;
}

Result<Sweep> sweep(const SweepRequest& request, const compile::Environment& environment) {
    const Result<device::Device> device = device::findDevice(request.gpu);
    if (!device)
        return failure(device.error());
    if (!device->isProduct())
        return failure("device", fmt::format("{} has no clock or number of SMs", device->name), {},
                       "name a GPU: `lanescope devices` lists them");
    const Result<const catalog::Kernel*> kernel = kernelOf(request);
    if (!kernel)
        return failure(kernel.error());
    Result<std::vector<SweepAxis>> axes = axesOf(request, **kernel);
    if (!axes)
        return failure(axes.error());
    for (const auto& [name, value] : request.fixed)
        if ((*kernel)->findParameter(name) == nullptr)
            return failure("sweep", fmt::format("{} has no parameter '{}'", (*kernel)->id, name),
                           {}, parametersOf(**kernel));
    Sweep result;
    result.kernel = (*kernel)->id;
    result.title = (*kernel)->title;
    result.gpu = device->id;
    result.form = request.form;
    result.axes = std::move(*axes);
    result.fixed = request.fixed;
    for (const char* size : {"M", "N", "K"}) {
        const catalog::Parameter* parameter = (*kernel)->findParameter(size);
        const bool isVaried =
            std::any_of(result.axes.begin(), result.axes.end(),
                        [&](const SweepAxis& a) { return a.parameter == size; });
        if (parameter != nullptr && parameter->kind == catalog::ParameterKind::Problem && !isVaried)
            result.fixed.try_emplace(size, std::min(kFillingSize, parameter->max));
    }
    std::size_t count = 1;
    for (const SweepAxis& axis : result.axes)
        count *= axis.values.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (request.progress)
            request.progress(i, count);
        SweepPoint point = pointAt(result, i);
        Result<ModelledKernel> modelled =
            modelKernel(*device, result.kernel, parametersOf(result, point), environment, request.form,
                        request.cancel);
        if (request.cancel != nullptr && request.cancel->load())
            return failure("cancelled", fmt::format("cancelled after {} of {} points", i, count));
        if (modelled)
            point.modelled = std::move(*modelled);
        else
            point.problems = modelled.error();
        const auto speed = figureOf(point, SweepFigure::FlopsPerSecond);
        if (speed && (!result.best || *speed > *figureOf(result.points[*result.best],
                                                         SweepFigure::FlopsPerSecond)))
            result.best = i;
        result.points.push_back(std::move(point));
    }
    if (request.progress)
        request.progress(count, count);
    return result;
}

std::string toJson(const Sweep& sweep) {
    Json axes = Json::array(), points = Json::array();
    for (const SweepAxis& axis : sweep.axes)
        axes.push_back({{"parameter", axis.parameter}, {"values", axis.values}});
    for (const SweepPoint& point : sweep.points) {
        Json row = Json::object();
        for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
            row["parameters"][sweep.axes[axis].parameter] = point.values[axis];
        row["possible"] = point.modelled.has_value();
        if (point.modelled) {
            const ModelledKernel& m = *point.modelled;
            for (const SweepFigure figure : kFigures)
                if (const auto value = figureOf(point, figure))
                    row[toString(figure)] = *value;
            row["bottleneck"] = model::toString(m.point.bottleneck);
            row["blocks_per_sm"] = m.occupancy.blocksPerSm;
            row["limiter"] = m.occupancy.limiterNames();
            row["registers_source"] = m.registersSource;
            if (m.waves)
                row["slots_used"] = m.waves->slotsUsed;
            row["exact"] = m.isExact;
        } else {
            Json problems = Json::array();
            for (const Diagnostic& problem : point.problems)
                problems.push_back({{"message", problem.message}, {"hint", problem.hint}});
            row["problems"] = std::move(problems);
        }
        if (point.measured) {
            if (const auto rate = point.measuredFlopsPerSecond())
                row["measured_flops_per_s"] = *rate;
            if (point.measured->seconds)
                row["measured_time_s"] = *point.measured->seconds;
            if (point.measured->registersPerThread)
                row["driver_registers"] = *point.measured->registersPerThread;
            if (point.measured->blocksPerSm)
                row["driver_blocks_per_sm"] = *point.measured->blocksPerSm;
            if (const auto error = point.modelError())
                row["model_error"] = *error;
        } else if (!point.measureProblem.empty()) {
            row["measure_problem"] = point.measureProblem;
        }
        points.push_back(std::move(row));
    }
    Json out{{"kernel", sweep.kernel}, {"title", sweep.title}, {"gpu", sweep.gpu},
             {"as", name(sweep.form)}, {"kind", hasMeasured(sweep) ? "modelled and measured" : "modelled"}, {"axes", axes},         {"fixed", sweep.fixed},
             {"points", points}};
    out["best"] = sweep.best ? Json(*sweep.best) : Json();
    return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string toCsv(const Sweep& sweep) {
    std::string out;
    for (const SweepAxis& axis : sweep.axes)
        out += axis.parameter + ",";
    for (const SweepFigure figure : kFigures)
        out += fmt::format("{},", toString(figure));
    const bool isMeasured = hasMeasured(sweep);
    out += fmt::format("{}bottleneck,registers_source,problem\n", isMeasured ? "measured_flops_per_s,measured_time_s,model_error,driver_registers," : "");
    for (const SweepPoint& point : sweep.points) {
        for (const std::int64_t value : point.values)
            out += fmt::format("{},", value);
        for (const SweepFigure figure : kFigures) {
            const auto value = figureOf(point, figure);
            out += value ? fmt::format("{:.9g},", *value) : std::string(",");
        }
        if (isMeasured) {
            const auto field = [](const std::optional<double>& value) { return value ? fmt::format("{:.9g},", *value) : std::string(","); };
            const auto registers = point.measured ? point.measured->registersPerThread : std::nullopt;
            out += field(point.measuredFlopsPerSecond()) + field(point.measured ? point.measured->seconds : std::nullopt) + field(point.modelError()) +
                   field(registers ? std::optional<double>(*registers) : std::nullopt);
        }
        if (point.modelled)
            out += fmt::format("{},{},{}\n", model::toString(point.modelled->point.bottleneck),
                               csvText(point.modelled->registersSource),
                               point.measureProblem.empty() ? std::string() : csvText(point.measureProblem));
        else
            out += fmt::format(",,{}\n", csvText(problemText(point)));
    }
    return out;
}

} // namespace lanescope::session
