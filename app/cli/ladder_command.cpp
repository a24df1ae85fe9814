// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope ladder: the matmul kernels as measured on a GPU, beside what the model says of ours.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/code_form.h"
#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "engine/session/explanation_json.h"
#include "engine/session/ladder.h"

namespace lanescope::cli {

using Json = nlohmann::ordered_json;

namespace {

struct LadderArguments : MeasureArguments {
    std::string gpu, as = "compiled", ladder = "sgemm";
    std::vector<std::string> sizes;
    bool json = false;
};

/// Every rung and cuBLAS, one after another. Rungs that fail, and a machine without cuBLAS, are said on standard error and left out.
Result<session::MeasuredPoints> measure(const session::MeasuredLadder& table, const session::LadderOptions& options, const Measurer& measurer, const LadderArguments& a) {
    session::MeasuredPoints out;
    out.gpu = measurer.gpu();
    const auto keep = [&](const std::string& name, const Result<session::MeasuredPoint>& point) -> Result<void> {
        if (!point) {
            std::fprintf(stderr, "lanescope: %s is not measured: %s\n", name.c_str(), toString(point.error().front()).c_str());
            const Result<Measurer> again = Measurer::open(a); // or the GPU was taken away
            return again ? Result<void>() : failure(again.error());
        }
        out.points.push_back(*point);
        return a.save.empty() ? Result<void>() : session::saveMeasured(a.save, {measurer.gpu(), {*point}});
    };
    const std::size_t count = table.rungs.size() + 1;
    for (std::size_t i = 0; i < table.rungs.size(); ++i) {
        showProgress(a, "measured", i, count);
        const session::MeasuredRung& rung = table.rungs[i];
        if (Result<void> kept = keep(rung.name, measurer.kernel(rung.kernel, parametersOf(table, rung, options))); !kept)
            return failure(kept.error());
    }
    showProgress(a, "measured", count - 1, count);
    if (const std::optional<gpu::CublasProduct::Type> type = gpu::cublasType(table.bestPoint)) {
        catalog::Overrides sizes = parametersOf(table, {}, options);
        if (Result<void> kept = keep(table.bestName, measurer.cublas(table.bestPoint, {*type, sizes["M"], sizes["N"], sizes["K"]})); !kept)
            return failure(kept.error());
    }
    showProgress(a, "measured", count, count);
    return out;
}

std::string rateText(double flopsPerSecond) { return flopsPerSecond > 0 ? fmt::format("{:>10.2f}", flopsPerSecond / 1e12) : fmt::format("{:>10}", "-"); }

Result<void> runLadder(const LadderArguments& a) {
    const Result<catalog::Overrides> sizes = catalog::parseOverrides(a.sizes);
    if (!sizes)
        return failure(sizes.error());
    const Result<session::CodeForm> form = codeForm(a.as);
    if (!form)
        return failure(form.error());
    session::LadderOptions options;
    options.form = *form;
    options.sizes = *sizes;
    options.id = a.ladder;
    if (!a.save.empty() && !a.run)
        return failure("argument", "--save keeps what --run measures", {}, "add --run");
    Result<session::MeasuredPoints> measured = measuredFiles(a);
    if (!measured)
        return failure(measured.error());
    std::optional<Measurer> measurer;
    if (a.run) {
        Result<Measurer> opened = Measurer::open(a);
        if (!opened)
            return failure(opened.error());
        measurer = std::move(*opened);
    }
    const std::string gpu = !a.gpu.empty() ? a.gpu : measurer ? measurer->gpu() : !measured->gpu.empty() ? measured->gpu : "rtx-a6000";
    const Result<device::Device> device = device::findDevice(gpu);
    if (!device)
        return failure(device.error());
    if (measurer) {
        if (!session::MeasuredPoints{measurer->gpu(), {}}.isOn(device->id))
            return failure("argument", fmt::format("this machine's GPU is {}, not {}", measurer->gpu(), gpu), {}, "leave --gpu out, or model without --run");
        options.unmeasured = true;
        const Result<session::MeasuredLadder> table = ladderTable(*device, options);
        if (!table)
            return failure(table.error());
        Result<session::MeasuredPoints> here = measure(*table, options, *measurer, a);
        if (!here)
            return failure(here.error());
        measured->gpu = here->gpu;
        measured->points.insert(measured->points.end(), here->points.begin(), here->points.end());
    }
    if (!measured->points.empty() && !measured->isOn(device->id))
        return failure("measured", fmt::format("the points were measured on \"{}\", the ladder is of {}", measured->gpu, gpu), {a.measured.front(), 0, 0}, "choose that GPU with --gpu");
    options.measured = &*measured;
    const Result<session::Ladder> ladder = session::ladder(gpu, environment(), options);
    if (!ladder)
        return failure(ladder.error());
    const session::MeasuredLadder& table = ladder->table;
    std::string text = fmt::format("{}\n{:<34}{:>10}{:>10}{:>8}\n", table.title, "TFLOP/s",
                                   "measured", "modelled", "error");
    for (const session::LadderRung& rung : ladder->rungs) {
        text += fmt::format("{:<34}{}{}", rung.measured.name, rateText(rung.measured.flopsPerSecond), rateText(rung.modelled ? rung.flopsPerSecond : 0));
        text += rung.modelled && rung.measured.flopsPerSecond > 0 ? fmt::format("{:>+7.0f}%", 100 * rung.error) : fmt::format("{:>8}", "-");
        text += fmt::format("  {}\n", rung.reason);
    }
    if (table.bestFlopsPerSecond > 0)
        text += fmt::format("{:<34}{}\n", table.bestName, rateText(table.bestFlopsPerSecond));
    if (!table.source.empty())
        text += fmt::format("measured: {}\n", table.source);
    print(a.json ? session::toJson(*ladder) + "\n" : text);
    return {};
}

} // namespace

void addLadder(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand(
        "ladder", "The matmul kernels as measured on a GPU, beside the model of ours");
    auto a = std::make_shared<LadderArguments>();
    sub->add_option("ladder", a->ladder, "Which: sgemm, or tensor (kernels of the tensor cores)")->capture_default_str();
    sub->add_option("--gpu", a->gpu, "A GPU with a measured table (rtx-a6000, h200) or with points of --measured; without it that of the points, else rtx-a6000");
    addMeasureOptions(*sub, *a);
    sub->add_option("-D", a->sizes, "M=VALUE, N=VALUE, K=VALUE: model, and measure, a smaller problem")
        ->allow_extra_args(false);
    sub->add_option("--as", a->as, kFormHelp)->capture_default_str();
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Examples:\n  lanescope ladder --gpu h200\n"
                "  lanescope ladder --run --save points.json          measures the kernels and cuBLAS here\n"
                "  lanescope ladder tensor --run\n"
                "  lanescope ladder --measured points.json");
    sub->callback([a, &status] {
        if (const Result<void> ran = runLadder(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

} // namespace lanescope::cli
