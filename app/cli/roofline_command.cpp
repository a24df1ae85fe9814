// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope roofline: roofs of a GPU and modelled points of kernels, with what was measured beside
// them.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "engine/session/measured.h"
#include "engine/session/explanation_json.h"
#include "engine/session/simulate.h"

namespace lanescope::cli {

using Json = nlohmann::ordered_json;

namespace {

struct RooflineArguments {
    std::vector<std::string> kernels, sizes;
    std::string gpu = "h100", measured;
    bool json = false;
};

/// Every kernel is one of the catalog, and every size is a parameter of at least one of them.
Result<catalog::Overrides> checkedSizes(const RooflineArguments& a) {
    const Result<const std::vector<catalog::Kernel>*> all = session::builtInKernels();
    if (!all)
        return failure(all.error());
    std::vector<const catalog::Kernel*> chosen;
    for (const std::string& id : a.kernels) {
        const catalog::Kernel* kernel = catalog::findKernel(**all, id);
        if (kernel == nullptr) {
            const std::string near = catalog::nearestKernel(**all, id);
            return failure(
                "subject", fmt::format("there is no kernel '{}' in the catalog", id), {},
                near.empty()
                    ? "`lanescope kernels` lists them"
                    : fmt::format("did you mean {}? `lanescope kernels` lists them all", near));
        }
        chosen.push_back(kernel);
    }
    Result<catalog::Overrides> sizes = catalog::parseOverrides(a.sizes);
    if (!sizes)
        return sizes;
    for (const auto& [name, value] : *sizes)
        if (std::none_of(chosen.begin(), chosen.end(), [&](const catalog::Kernel* k) {
                return k->findParameter(name) != nullptr;
            }))
            return failure("parameter",
                           fmt::format("none of these kernels has a parameter '{}'", name), {},
                           "`lanescope kernels` lists the parameters of each");
    return sizes;
}

Json pointJson(const session::ModelledKernel& k) {
    Json times = Json::object(), intensity = Json::object();
    for (const model::RoofTime& t : k.point.times)
        times[model::toString(t.kind)] = t.seconds;
    for (const model::Intensity& i : k.point.intensities)
        intensity[i.level] = i.flopsPerByte;
    return {{"kernel", k.id},
            {"title", k.title},
            {"kind", "modelled"},
            {"time_s", k.point.seconds},
            {"flops_per_s", k.point.flopsPerSecond},
            {"bottleneck", model::toString(k.point.bottleneck)},
            {"times_s", times},
            {"flops_per_byte", intensity}};
}

/// The measurement of a modelled kernel. What the file leaves out follows from the kernel's
/// floating-point operations.
Json measuredJson(const session::MeasuredPoint& m, const session::ModelledKernel& k) {
    const double flops = k.point.flopsPerSecond * k.point.seconds;
    const double seconds = m.seconds ? *m.seconds : flops / *m.flopsPerSecond;
    Json out = pointJson(k);
    out["kind"] = "measured";
    out["time_s"] = seconds;
    out["flops_per_s"] = m.rate(flops);
    out["of_model"] = k.point.seconds / seconds; // above 1: faster than the model says is possible
    out.erase("bottleneck");
    out.erase("times_s");
    return out;
}

Result<void> runRoofline(const RooflineArguments& a) {
    const Result<device::Device> device = device::findDevice(a.gpu);
    if (!device)
        return failure(device.error());
    if (!device->isProduct())
        return failure(
            "device",
            fmt::format("{} is a bare compute capability, without a clock or bandwidth", a.gpu), {},
            "name a GPU: `lanescope devices` lists them");
    const Result<catalog::Overrides> sizes = checkedSizes(a);
    if (!sizes)
        return failure(sizes.error());
    Result<session::MeasuredPoints> measured = session::MeasuredPoints();
    if (!a.measured.empty())
        measured = session::readMeasured(a.measured);
    if (!measured)
        return failure(measured.error());
    if (!measured->isOn(device->id))
        return failure("measured", fmt::format("the points were measured on \"{}\", the roofs are those of {}", measured->gpu, device->id), {a.measured, 0, 0},
                       "choose that GPU with --gpu");
    const Result<const std::vector<catalog::Kernel>*> kernels = session::builtInKernels();
    if (!kernels)
        return failure(kernels.error());
    const Result<std::vector<model::Roof>> roofs = model::roofsOf(*device);
    if (!roofs)
        return failure(roofs.error());
    const Result<std::vector<session::ModelledKernel>> points =
        session::rooflinePoints(a.gpu, a.kernels, *sizes, environment());
    if (!points)
        return failure(points.error());
    Json roofList = Json::array(), pointList = Json::array();
    std::string text = fmt::format("{}\n", device->name);
    for (const model::Roof& r : *roofs) {
        roofList.push_back({{"roof", model::toString(r.kind)},
                            {"per_second", r.perSecond},
                            {"unit", r.unit},
                            {"bytes_per_unit", r.bytesPerUnit},
                            {"explanation", session::explanationJson(r.explanation)}});
        text += fmt::format("  roof {:<20}{:>12.4g} {} a second\n", model::toString(r.kind),
                            r.perSecond, r.unit);
    }
    bool anyMeasured = false;
    for (const session::ModelledKernel& k : *points) {
        pointList.push_back(pointJson(k));
        text += fmt::format("{:<26}modelled {:>10.4g} GFLOP/s, bound by {}\n", k.id,
                            k.point.flopsPerSecond / 1e9, model::toString(k.point.bottleneck));
        const catalog::Kernel* kernel = catalog::findKernel(**kernels, k.id);
        for (const session::MeasuredPoint& m : measured->points)
            if (kernel != nullptr && m.isOf(*kernel, *sizes)) {
                anyMeasured = true;
                pointList.push_back(measuredJson(m, k));
                text += fmt::format("{:<26}measured {:>10.4g} GFLOP/s, {:.0f}% of the model\n",
                                    k.id, pointList.back()["flops_per_s"].get<double>() / 1e9,
                                    100 * pointList.back()["of_model"].get<double>());
                // A point above its roof says that the roof rests on something that is not so.
                if (constexpr double kAbove = 1.02; pointList.back()["of_model"].get<double>() > kAbove) {
                    const std::string note = fmt::format("above the {} roof: the kernel does less of that work than is counted, as when ptxas merges accesses of the PTX, or the "
                                                         "roof is lower than this GPU's (lanescope calibrate measures it)",
                                                         model::toString(k.point.bottleneck));
                    pointList.back()["note"] = note;
                    text += fmt::format("{:<26}{}\n", "", note);
                }
            }
    }
    if (!a.measured.empty() && !anyMeasured)
        return failure("measured", "no point is of one of these kernels at these sizes", {a.measured, 0, 0},
                       "name the kernels that were measured, with their sizes");
    print(a.json ? Json{{"gpu", device->id},
                        {"gpu_name", device->name},
                        {"roofs", roofList},
                        {"points", pointList}}
                           .dump(2) +
                       "\n"
                 : text);
    return {};
}

} // namespace

void addRoofline(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand("roofline", "Points of kernels under the roofs of a GPU");
    auto a = std::make_shared<RooflineArguments>();
    sub->add_option("kernels", a->kernels, "Kernels of the catalog")->required();
    sub->add_option("--gpu", a->gpu, "A GPU (see `lanescope devices`)")->capture_default_str();
    sub->add_option("-D", a->sizes,
                    "NAME=VALUE: a size or tile parameter of the kernels that have it")
        ->allow_extra_args(false);
    sub->add_option("--measured", a->measured,
                    "FILE.json: measured points, shown beside the modelled ones");
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Example:\n  lanescope roofline k01_naive k02_coalesced k03_shared --gpu rtx-a6000 "
                "-D M=4096 -D N=4096 -D K=256\n\n"
                "FILE.json is like\n"
                "  {\"gpu\": \"h200\", \"points\": [{\"kernel\": \"k01_naive\", \"time_s\": "
                "0.0012}, {\"kernel\": \"k02_coalesced\", \"flops_per_s\": 6.2e12}]}");
    sub->callback([a, &status] {
        if (const Result<void> ran = runRoofline(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

} // namespace lanescope::cli
