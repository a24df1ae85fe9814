// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope timing: the timing of one SM, modelled, for a kernel's launch.
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/launch_options.h"
#include "engine/session/timing.h"

namespace lanescope::cli {

namespace {

struct TimingArguments : LaunchArguments {
    std::string traced = "0", resident, registers;
    std::vector<std::string> figures;
    bool json = false;
};

Result<timing::Overrides> figureOverrides(const std::vector<std::string>& texts) {
    timing::Overrides out;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        double value = 0;
        const char* const end = text.data() + text.size();
        const char* const from = equals == std::string::npos ? end : text.data() + equals + 1;
        const auto [next, error] = std::from_chars(from, end, value);
        if (equals == 0 || from == end || error != std::errc{} || next != end)
            return failure("argument", fmt::format("--set '{}' is not FIGURE=NUMBER", text), {},
                           "for example --set issue_latency_dram=700; --json lists the figures");
        out[text.substr(0, equals)] = value;
    }
    return out;
}

Result<void> runTiming(const TimingArguments& a) {
    const Result<device::Device> device = device::findDevice(a.gpu);
    if (!device)
        return failure(device.error());
    const Result<session::LoadRequest> load = loadRequest(a);
    if (!load)
        return failure(load.error());
    const Result<session::LaunchRequest> request = launchRequest(a);
    if (!request)
        return failure(request.error());
    session::TimingOptions options;
    const Result<std::int64_t> traced = wholeNumber("--trace-block", a.traced, 0, INT64_MAX);
    if (!traced)
        return failure(traced.error());
    options.block = static_cast<std::uint64_t>(*traced);
    if (!a.resident.empty()) {
        const Result<std::int64_t> resident = wholeNumber("--resident", a.resident, 1, 64);
        if (!resident)
            return failure(resident.error());
        options.resident = static_cast<int>(*resident);
    }
    if (!a.registers.empty()) {
        const Result<std::int64_t> registers = wholeNumber("--registers", a.registers, 1, 255);
        if (!registers)
            return failure(registers.error());
        options.registersPerThread = static_cast<int>(*registers);
    }
    Result<timing::Overrides> figures = figureOverrides(a.figures);
    if (!figures)
        return failure(figures.error());
    options.figures = std::move(*figures);
    const Result<session::LoadedProgram> program = session::load(*load, environment());
    if (!program)
        return failure(program.error());
    const Result<session::PreparedLaunch> prepared = session::prepare(*program, *request, *device);
    if (!prepared)
        return failure(prepared.error());
    const Result<session::TimingReport> report = session::timeLaunch(*program, *prepared, *device, options);
    if (!report)
        return failure(report.error());
    print(a.json ? session::toJson(*program, *prepared, *device, *report) + "\n" : session::toText(*program, *prepared, *device, *report));
    return {};
}

} // namespace

void addTiming(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand("timing", "Time an SM cycle by cycle: stalls, pipes, cycles (modelled)");
    auto a = std::make_shared<TimingArguments>();
    addLaunchOptions(*sub, *a);
    sub->add_option("--trace-block", a->traced, "The block that is traced, x fastest")->capture_default_str();
    sub->add_option("--resident", a->resident, "Blocks on the SM instead of what occupancy and grid give");
    sub->add_option("--registers", a->registers, "Registers of a thread, as ptxas -v prints them");
    sub->add_option("--set", a->figures, "FIGURE=NUMBER: a latency or rate instead of the GPU's (--json lists them)")->allow_extra_args(false);
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Examples:\n"
                "  lanescope timing k03_shared --gpu h200\n"
                "  lanescope timing k02_coalesced -D M=1024 -D N=1024 -D K=1024 --gpu rtx-a6000 --set issue_latency_dram=600 --json");
    sub->callback([a, &status] {
        if (const Result<void> ran = runTiming(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

} // namespace lanescope::cli
