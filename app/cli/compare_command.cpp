// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope compare: two launches, counter by counter, and whether they computed the same.
#include <charconv>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "engine/catalog/catalog.h"
#include "engine/session/comparison.h"
#include "engine/session/session.h"
#include "engine/session/simulate.h"

namespace lanescope::cli {

namespace {

struct CompareArguments {
    std::string left, right, gpu = "h100";
    std::vector<std::string> both, leftOnly, rightOnly;
    bool perFma = false, json = false;
};

Result<void> addParameters(std::map<std::string, std::int64_t>& into, const std::vector<std::string>& texts,
                           const catalog::Kernel& kernel, bool isShared) {
    const Result<std::vector<std::pair<std::string, std::string>>> defines = macros(texts);
    if (!defines)
        return failure(defines.error());
    for (const auto& [name, text] : *defines) {
        // -D is for both sides: a parameter that just one of them has goes to that one.
        if (isShared && kernel.findParameter(name) == nullptr)
            continue;
        const Result<std::int64_t> value = wholeNumber(name, text, INT64_MIN, INT64_MAX);
        if (!value)
            return failure(value.error());
        into[name] = *value;
    }
    return {};
}

struct SideResult {
    std::shared_ptr<const session::RunView> run;
    std::string name; ///< id and the parameters given
};

Result<SideResult> runSide(const std::string& subject, const std::vector<std::string>& both, const std::vector<std::string>& own,
                           const std::string& gpu) {
    const Result<const std::vector<catalog::Kernel>*> kernels = session::builtInKernels();
    if (!kernels)
        return failure(kernels.error());
    const catalog::Kernel* kernel = catalog::findKernel(**kernels, subject);
    if (kernel == nullptr) {
        const std::string near = catalog::nearestKernel(**kernels, subject);
        return failure("subject", fmt::format("'{}' is no kernel of the catalog", subject), {},
                       near.empty() ? "`lanescope kernels` lists the kernels" : fmt::format("did you mean {}? `lanescope kernels` lists them all", near));
    }
    std::map<std::string, std::int64_t> parameters;
    for (const auto& [texts, isShared] : {std::pair{&both, true}, std::pair{&own, false}})
        if (const Result<void> added = addParameters(parameters, *texts, *kernel, isShared); !added)
            return failure(added.error());
    session::SessionOptions options;
    options.environment = environment();
    options.deviceId = gpu;
    options.maxInstructions = 2'000'000'000;
    session::Session session(options);
    const auto snapshot = session.openKernel(subject, parameters);
    if (!snapshot->run)
        return failure(snapshot->program->diagnostics);
    std::string name = subject;
    for (const auto& [parameter, value] : parameters)
        name += fmt::format(" {}={}", parameter, value);
    return SideResult{snapshot->run, name};
}

Result<void> runCompare(const CompareArguments& a) {
    const Result<device::Device> device = device::findDevice(a.gpu);
    if (!device)
        return failure(device.error());
    const Result<std::vector<std::pair<std::string, std::string>>> shared = macros(a.both);
    if (!shared)
        return failure(shared.error());
    const Result<const std::vector<catalog::Kernel>*> kernels = session::builtInKernels();
    if (!kernels)
        return failure(kernels.error());
    const Result<SideResult> left = runSide(a.left, a.both, a.leftOnly, a.gpu);
    if (!left)
        return failure(left.error());
    const Result<SideResult> right = runSide(a.right, a.both, a.rightOnly, a.gpu);
    if (!right)
        return failure(right.error());
    for (const auto& [name, text] : *shared)
        if (catalog::findKernel(**kernels, a.left)->findParameter(name) == nullptr &&
            catalog::findKernel(**kernels, a.right)->findParameter(name) == nullptr)
            return failure("parameter", fmt::format("neither {} nor {} has a parameter {}", a.left, a.right, name), {},
                           "`lanescope kernels` lists the parameters");
    const session::Comparison comparison =
        session::compare(*left->run, *right->run, a.perFma ? session::CountBase::ThousandFma : session::CountBase::Launch);
    print(a.json ? session::toJson(comparison, left->name, right->name) + "\n" : session::toText(comparison, left->name, right->name));
    return {};
}

} // namespace

void addCompare(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand("compare", "Two launches side by side: counters, model, results");
    auto a = std::make_shared<CompareArguments>();
    sub->add_option("left", a->left, "A kernel of the catalog (see `lanescope kernels`)")->required();
    sub->add_option("right", a->right, "The other, or the same with other parameters")->required();
    sub->add_option("-D", a->both, "NAME=VALUE: a parameter of both (of the one that has it)")->allow_extra_args(false);
    sub->add_option("--left", a->leftOnly, "NAME=VALUE: a parameter of the left one")->allow_extra_args(false);
    sub->add_option("--right", a->rightOnly, "NAME=VALUE: a parameter of the right one")->allow_extra_args(false);
    sub->add_option("--gpu", a->gpu, "A GPU (see `lanescope devices`) or ccX.Y")->capture_default_str();
    sub->add_flag("--per-fma", a->perFma, "Counts per 1,000 multiply-adds");
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Examples:\n"
                "  lanescope compare k01_naive k02_coalesced -D M=128 -D N=128 -D K=64\n"
                "  lanescope compare k03_shared k03_shared --left BS=16 --right BS=32 --json");
    sub->callback([a, &status] {
        if (const Result<void> ran = runCompare(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

} // namespace lanescope::cli
