// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope ladder: the matmul kernels as measured on a GPU, beside what the model says of ours.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/code_form.h"
#include "app/cli/commands.h"
#include "engine/session/explanation_json.h"
#include "engine/session/ladder.h"

namespace lanescope::cli {

using Json = nlohmann::ordered_json;

namespace {

struct LadderArguments {
    std::string gpu = "rtx-a6000", as = "compiled";
    std::vector<std::string> sizes;
    bool json = false;
};

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
    const Result<session::Ladder> ladder = session::ladder(a.gpu, environment(), options);
    if (!ladder)
        return failure(ladder.error());
    const session::MeasuredLadder& table = ladder->table;
    std::string text = fmt::format("{}\n{:<34}{:>10}{:>10}{:>8}\n", table.title, "TFLOP/s",
                                   "measured", "modelled", "error");
    for (const session::LadderRung& rung : ladder->rungs) {
        text += fmt::format("{:<34}{:>10.2f}", rung.measured.name,
                            rung.measured.flopsPerSecond / 1e12);
        text += rung.modelled ? fmt::format("{:>10.2f}{:>+7.0f}%",
                                            rung.flopsPerSecond / 1e12,
                                            100 * rung.error)
                              : fmt::format("{:>10}{:>8}", "-", "-");
        text += fmt::format("  {}\n", rung.reason);
    }
    text += fmt::format("{:<34}{:>10.2f}\nmeasured: {}\n", table.bestName,
                        table.bestFlopsPerSecond / 1e12, table.source);
    print(a.json ? session::toJson(*ladder) + "\n" : text);
    return {};
}

} // namespace

void addLadder(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand(
        "ladder", "The matmul kernels as measured on a GPU, beside the model of ours");
    auto a = std::make_shared<LadderArguments>();
    sub->add_option("--gpu", a->gpu, "A GPU with a measured table: rtx-a6000 or h200")
        ->capture_default_str();
    sub->add_option("-D", a->sizes, "M=VALUE, N=VALUE, K=VALUE: model a smaller problem")
        ->allow_extra_args(false);
    sub->add_option("--as", a->as, kFormHelp)->capture_default_str();
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Example:\n  lanescope ladder --gpu h200");
    sub->callback([a, &status] {
        if (const Result<void> ran = runLadder(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

} // namespace lanescope::cli
