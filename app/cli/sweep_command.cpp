// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope sweep: a kernel over two or more of its parameters, modelled.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/code_form.h"
#include "app/cli/commands.h"
#include "engine/session/sweep.h"

namespace lanescope::cli {

namespace {

struct SweepArguments {
    std::string kernel, gpu = "h100", as = "written";
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
    std::string out = fmt::format("{} on {}, modelled\n", sweep.title, sweep.gpu);
    for (const session::SweepPoint& point : sweep.points) {
        for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
            out += fmt::format("{}={:<6}", sweep.axes[axis].parameter, point.values[axis]);
        if (!point.modelled) {
            out += fmt::format("  not possible: {}\n", point.problems.front().message);
            continue;
        }
        const session::ModelledKernel& m = *point.modelled;
        const auto wavefronts = figureOf(point, session::SweepFigure::SharedWavefronts);
        out += fmt::format("{:>8.2f} TFLOP/s  {:>3.0f}% occupancy  {:>3} registers  {:>6.2f} "
                           "wavefronts/1000 FMA  {}\n",
                           m.point.flopsPerSecond / 1e12, 100 * m.occupancy.occupancy,
                           m.registersPerThread, wavefronts.value_or(0),
                           model::toString(m.point.bottleneck));
    }
    return out;
}

Result<void> runSweep(const SweepArguments& a) {
    const Result<session::CodeForm> form = codeForm(a.as);
    if (!form)
        return failure(form.error());
    session::SweepRequest request;
    request.form = *form;
    request.kernel = a.kernel;
    request.gpu = a.gpu;
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
    if (isatty(STDERR_FILENO) != 0)
        request.progress = [](std::size_t done, std::size_t of) {
            std::fprintf(stderr, "\r%zu of %zu points%s", done, of, done == of ? "\n" : "");
        };
    const Result<session::Sweep> sweep = session::sweep(request, environment());
    if (!sweep)
        return failure(sweep.error());
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
    sub->add_option("--gpu", a->gpu, "A GPU (see `lanescope devices`)")->capture_default_str();
    sub->add_option("--as", a->as, kFormHelp)->capture_default_str();
    CLI::Option* json = sub->add_flag("--json", a->json, "Print one JSON object");
    sub->add_flag("--csv", a->csv, "Print a table, a line for each combination")->excludes(json);
    sub->footer("Example:\n  lanescope sweep k03_shared --over BS=8,16,32 --over K=256,1024 --gpu "
                "a100 --csv");
    sub->callback([a, &status] {
        if (const Result<void> ran = runSweep(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

} // namespace lanescope::cli
