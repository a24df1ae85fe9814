// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope fidelity: every kernel of the course on this machine's GPU, compared with the simulator.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/supervise.h"
#include "engine/base/file.h"
#include "engine/session/fidelity.h"

namespace lanescope::cli {

namespace {

struct FidelityArguments : MeasureArguments {
    std::string out;
    std::vector<std::string> kernels;
};

/// Kernels named, or all of the catalog.
Result<std::vector<catalog::Kernel>> chosen(const std::vector<std::string>& ids) {
    const Result<const std::vector<catalog::Kernel>*> all = session::builtInKernels();
    if (!all)
        return failure(all.error());
    if (ids.empty())
        return **all;
    std::vector<catalog::Kernel> out;
    for (const std::string& id : ids) {
        const catalog::Kernel* kernel = catalog::findKernel(**all, id);
        if (kernel == nullptr)
            return failure("subject", fmt::format("there is no kernel '{}' in the catalog", id), {}, "`lanescope kernels` lists them");
        out.push_back(*kernel);
    }
    return out;
}

session::FidelityRow rowOf(const std::string& kernel, double limitSeconds) {
    session::GpuRunRequest request;
    request.load.subject = kernel;
    request.compare = true;
    request.time.timed = false;
    const Result<std::string> text = supervised(
        [&]() -> Result<std::string> {
            const Result<gpu::Gpu> gpu = gpu::Gpu::open();
            if (!gpu)
                return failure(gpu.error());
            const Result<session::GpuRunReport> report = session::runOnGpu(*gpu, request, environment());
            if (!report)
                return failure(report.error());
            return session::toJson(session::fidelityRow(*report));
        },
        limitSeconds);
    const Result<session::FidelityRow> row = text ? session::parseFidelityRow(*text) : failure(text.error());
    if (row)
        return *row;
    session::FidelityRow problem;
    problem.kernel = kernel;
    problem.problem = row.error().front().message;
    return problem;
}

Result<void> runFidelity(const FidelityArguments& a) {
    const Result<std::int64_t> limit = wholeNumber("--time-limit", a.timeLimit, 1, 86400);
    if (!limit)
        return failure(limit.error());
    const Result<std::vector<catalog::Kernel>> kernels = chosen(a.kernels);
    if (!kernels)
        return failure(kernels.error());
    if (!a.out.empty() && !a.kernels.empty())
        return failure("argument", "--out writes the record of all kernels, not of some", {}, "leave the names out, or --out");
    const auto seconds = static_cast<double>(*limit);
    const Result<std::string> gpu = supervised(
        []() -> Result<std::string> {
            const Result<gpu::Gpu> opened = gpu::Gpu::open();
            if (!opened)
                return failure(opened.error());
            return nlohmann::json{{"name", opened->info().name}, {"driver", opened->info().driverVersion}}.dump();
        },
        seconds);
    if (!gpu)
        return failure(gpu.error());
    std::vector<session::FidelityRow> rows;
    for (const catalog::Kernel& kernel : *kernels) {
        showProgress(a, "compared", rows.size(), kernels->size());
        rows.push_back(rowOf(kernel.id, seconds));
    }
    showProgress(a, "compared", rows.size(), kernels->size());
    const nlohmann::json info = nlohmann::json::parse(*gpu);
    const std::string table = session::fidelityMarkdown(info["name"], info["driver"], rows);
    if (a.out.empty()) {
        print(table);
        return {};
    }
    if (Result<void> written = writeFile(a.out, session::kernelsReadme(*kernels, table)); !written)
        return written;
    print(fmt::format("{} kernels, written to {}\n", rows.size(), a.out));
    return {};
}

} // namespace

void addFidelity(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand("fidelity", "Every kernel of the course on this machine's GPU, against its reference and the simulator: a table");
    auto a = std::make_shared<FidelityArguments>();
    sub->add_option("kernels", a->kernels, "Only these");
    sub->add_option("--out", a->out, "FILE.md: the whole record, with what every kernel is (kernels/README.md)");
    sub->add_option("--time-limit", a->timeLimit, "Seconds for a kernel")->capture_default_str();
    sub->add_flag("--progress", a->progress, "Tell how far it is, a line each on standard error");
    sub->footer("Examples:\n  lanescope fidelity k01_naive t3_swizzled\n  lanescope fidelity --out kernels/README.md");
    sub->callback([a, &status] {
        if (const Result<void> ran = runFidelity(*a); !ran)
            status = report(ran.error(), false);
    });
}

} // namespace lanescope::cli
