// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope sweep: a kernel over two or more of its parameters, modelled.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/code_form.h"
#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "engine/session/sweep.h"

namespace lanescope::cli {

namespace {

struct SweepArguments : MeasureArguments {
    std::string kernel, gpu, as = "written";
    std::vector<std::string> over, fixed;
    bool json = false, csv = false;
};

/// "BM=64,128", or "BM" for all choices of the manifest.
Result<session::SweepAxis> axisOf(const std::string& text) {
    const std::size_t equals = text.find('=');
    session::SweepAxis axis{text.substr(0, equals), {}};
    if (equals == std::string::npos)
        return axis;
    for (std::size_t at = equals + 1; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const Result<std::int64_t> value =
            wholeNumber("--over " + axis.parameter, text.substr(at, comma - at), INT64_MIN / 2,
                        INT64_MAX / 2);
        if (!value)
            return failure(value.error());
        axis.values.push_back(*value);
        at = comma + 1;
    }
    return axis;
}

std::string textOf(const session::Sweep& sweep) {
    const bool isMeasured = std::any_of(sweep.points.begin(), sweep.points.end(), [](const session::SweepPoint& p) { return p.measured.has_value(); });
    std::string out = fmt::format("{} on {}, modelled{}\n", sweep.title, sweep.gpu, isMeasured ? " and measured" : "");
    for (const session::SweepPoint& point : sweep.points) {
        for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
            out += fmt::format("{}={:<6}", sweep.axes[axis].parameter, point.values[axis]);
        if (!point.modelled) {
            out += fmt::format("  not possible: {}\n", point.problems.front().message);
            continue;
        }
        const session::ModelledKernel& m = *point.modelled;
        const auto wavefronts = figureOf(point, session::SweepFigure::SharedWavefronts);
        std::string measured;
        if (const auto rate = point.measuredFlopsPerSecond())
            measured = fmt::format("measured {:>8.2f}, model {:>+5.0f}%  ", *rate / 1e12, 100 * point.modelError().value_or(0));
        else if (!point.measureProblem.empty())
            measured = fmt::format("not measured: {}  ", point.measureProblem);
        else if (isMeasured)
            measured = fmt::format("{:<32}", "not measured");
        out += fmt::format("{:>8.2f} TFLOP/s  {}{:>3.0f}% occupancy  {:>3} registers  {:>6.2f} "
                           "wavefronts/1000 FMA  {}\n",
                           m.point.flopsPerSecond / 1e12, measured, 100 * m.occupancy.occupancy,
                           m.registersPerThread, wavefronts.value_or(0),
                           model::toString(m.point.bottleneck));
    }
    return out;
}

/// Runs what can launch, a point at a time. Points saved so far stay when a later one cannot be.
Result<void> measure(session::Sweep& sweep, const Measurer& measurer, const SweepArguments& a) {
    std::vector<session::SweepPoint*> launchable;
    for (session::SweepPoint& point : sweep.points)
        if (point.modelled)
            launchable.push_back(&point);
    for (std::size_t i = 0; i < launchable.size(); ++i) {
        showProgress(a, "measured", i, launchable.size());
        session::SweepPoint& point = *launchable[i];
        Result<session::MeasuredPoint> measured = measurer.kernel(sweep.kernel, parametersOf(sweep, point));
        if (!measured) {
            point.measureProblem = measured.error().front().message;
            if (Result<Measurer> again = Measurer::open(a); !again) // the GPU was taken away
                return failure(again.error());
            continue;
        }
        // The work is what the model counted.
        measured->flopsPerSecond = point.modelled->point.flopsPerSecond * point.modelled->point.seconds / *measured->seconds;
        point.measured = std::move(*measured);
        if (!a.save.empty())
            if (Result<void> saved = session::saveMeasured(a.save, {measurer.gpu(), {*point.measured}}); !saved)
                return saved;
    }
    showProgress(a, "measured", launchable.size(), launchable.size());
    return {};
}

Result<void> runSweep(const SweepArguments& a) {
    const Result<session::CodeForm> form = codeForm(a.as);
    if (!form)
        return failure(form.error());
    session::SweepRequest request;
    request.form = *form;
    request.kernel = a.kernel;
    if (!a.save.empty() && !a.run)
        return failure("argument", "--save keeps what --run measures", {}, "add --run");
    const Result<session::MeasuredPoints> files = measuredFiles(a);
    if (!files)
        return failure(files.error());
    std::optional<Measurer> measurer;
    if (a.run) {
        Result<Measurer> opened = Measurer::open(a);
        if (!opened)
            return failure(opened.error());
        measurer = std::move(*opened);
    }
    request.gpu = !a.gpu.empty() ? a.gpu : measurer ? measurer->gpu() : !files->gpu.empty() ? files->gpu : "h100";
    const Result<device::Device> device = device::findDevice(request.gpu);
    if (!device)
        return failure(device.error());
    if (measurer && !session::MeasuredPoints{measurer->gpu(), {}}.isOn(device->id))
        return failure("argument", fmt::format("this machine's GPU is {}, not {}", measurer->gpu(), request.gpu), {}, "leave --gpu out, or model without --run");
    if (!files->isOn(device->id))
        return failure("measured", fmt::format("the points were measured on \"{}\", {} is modelled", files->gpu, request.gpu), {a.measured.front(), 0, 0}, "choose that GPU with --gpu");
    for (const std::string& text : a.over) {
        Result<session::SweepAxis> axis = axisOf(text);
        if (!axis)
            return failure(axis.error());
        request.axes.push_back(std::move(*axis));
    }
    const Result<catalog::Overrides> fixed = catalog::parseOverrides(a.fixed);
    if (!fixed)
        return failure(fixed.error());
    request.fixed = *fixed;
    request.progress = [&](std::size_t done, std::size_t of) { showProgress(a, "modelled", done, of); };
    Result<session::Sweep> sweep = session::sweep(request, environment());
    if (!sweep)
        return failure(sweep.error());
    if (addMeasured(*sweep, *files) == 0 && !a.measured.empty() && !a.run)
        return failure("measured", "no point is of this sweep", {a.measured.front(), 0, 0}, "vary the parameters, with the fixed ones and sizes, that were measured");
    if (measurer)
        if (Result<void> measured = measure(*sweep, *measurer, a); !measured)
            return measured;
    print(a.json  ? toJson(*sweep) + "\n"
          : a.csv ? toCsv(*sweep)
                  : textOf(*sweep));
    return {};
}

} // namespace

void addSweep(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand(
        "sweep", "A kernel over two or more of its parameters: modelled speed, or what is broken");
    auto a = std::make_shared<SweepArguments>();
    sub->add_option("kernel", a->kernel, "A kernel of the catalog")->required();
    sub->add_option("--over", a->over,
                    "NAME=VALUE,VALUE,...: a parameter and its values; NAME alone: all its choices")
        ->required()
        ->allow_extra_args(false);
    sub->add_option("-D", a->fixed, "NAME=VALUE: the others (M, N and K are 1024)")
        ->allow_extra_args(false);
    sub->add_option("--gpu", a->gpu, "A GPU (see `lanescope devices`); without it the one measured, else h100");
    addMeasureOptions(*sub, *a);
    sub->add_option("--as", a->as, kFormHelp)->capture_default_str();
    CLI::Option* json = sub->add_flag("--json", a->json, "Print one JSON object");
    sub->add_flag("--csv", a->csv, "Print a table, a line for each combination")->excludes(json);
    sub->footer("Examples:\n  lanescope sweep k03_shared --over BS=8,16,32 --over K=256,1024 --gpu a100 --csv\n"
                "  lanescope sweep k05_tile2d --over BM --over BN --run --save points.json\n"
                "  lanescope sweep k05_tile2d --over BM --over BN --measured points.json");
    sub->callback([a, &status] {
        if (const Result<void> ran = runSweep(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

} // namespace lanescope::cli
