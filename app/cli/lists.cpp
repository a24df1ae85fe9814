// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope kernels, devices, lessons: what there is.
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/supervise.h"
#include "engine/device/device.h"
#include "engine/base/file.h"
#include "engine/session/fidelity.h"
#include "engine/session/gpu_run.h"
#include "engine/session/simulate.h"

namespace lanescope::cli {

using Json = nlohmann::ordered_json;

namespace {

Result<std::string> kernelsText(bool json) {
    const Result<const std::vector<catalog::Kernel>*> kernels = session::builtInKernels();
    if (!kernels)
        return failure(kernels.error());
    Json list = Json::array();
    std::string text;
    for (const catalog::Kernel& k : **kernels) {
        Json parameters = Json::array();
        std::string short_;
        for (const catalog::Parameter& p : k.parameters) {
            parameters.push_back(
                {{"name", p.name},
                 {"label", p.label},
                 {"kind", p.kind == catalog::ParameterKind::Define ? "define" : p.kind == catalog::ParameterKind::Launch ? "launch" : "problem"},
                 {"default", p.defaultValue},
                 {"min", p.min},
                 {"max", p.max},
                 {"choices", p.choices},
                 {"help", p.help}});
            short_ += fmt::format("{}{}={}", short_.empty() ? "" : " ", p.name, p.defaultValue);
        }
        list.push_back({{"id", k.id},
                        {"title", k.title},
                        {"family", k.family},
                        {"entry", k.entry},
                        {"parameters", parameters},
                        {"notes", k.notes}});
        text += fmt::format("{:<26}{:<40}{}\n", k.id, k.title, short_);
    }
    return json ? Json{{"kernels", list}}.dump(2) + "\n" : text;
}

Result<std::string> devicesText(bool json) {
    const Result<std::vector<device::Device>> devices = device::allDevices();
    if (!devices)
        return failure(devices.error());
    Json list = Json::array();
    std::string text = fmt::format("{:<12}{:<28}{:>5}{:>6}{:>10}{:>12}\n", "id", "name", "cc",
                                   "SMs", "MHz", "DRAM GB/s");
    for (const device::Device& d : *devices) {
        Json row = Json::parse(device::toJson(d));
        row["id"] = d.id;
        list.push_back(std::move(row));
        text +=
            fmt::format("{:<12}{:<28}{:>5}{:>6.0f}{:>10.0f}{:>12.0f}\n", d.id, d.name,
                        device::toString(d.limits.capability), d.value("sm_count").value_or(0),
                        d.value("boost_clock").value_or(0), d.value("dram_bandwidth").value_or(0));
    }
    return json ? Json{{"devices", list}}.dump(2) + "\n"
                : text + "Or ccX.Y for the limits of a bare compute capability.\n";
}

Result<void> writeKernels(const std::string& path) {
    const Result<const std::vector<catalog::Kernel>*> kernels = session::builtInKernels();
    if (!kernels)
        return failure(kernels.error());
    std::string table;
    std::error_code none;
    if (std::filesystem::exists(path, none)) {
        const Result<std::string> before = readFile(path, std::uintmax_t{16} << 20);
        if (!before)
            return failure(before.error());
        if (const std::size_t at = before->find(session::kFidelityHeading); at != std::string::npos)
            table = before->substr(at);
    }
    return writeFile(path, session::kernelsReadme(**kernels, table));
}

Result<std::string> deviceHere(bool json) {
    constexpr double kLimitSeconds = 60;
    return supervised(
        [&]() -> Result<std::string> {
            const Result<gpu::Gpu> gpu = gpu::Gpu::open();
            if (!gpu)
                return failure(gpu.error());
            const gpu::GpuInfo& info = gpu->info();
            const Result<device::Device> described = session::describedDevice(info);
            if (!described)
                return failure(described.error());
            if (json)
                return Json{{"id", described->id},
                            {"name", info.name},
                            {"compute_capability", fmt::format("{}.{}", info.major, info.minor)},
                            {"sm_count", info.smCount},
                            {"l2_bytes", info.l2Bytes},
                            {"memory_bytes", info.memoryBytes},
                            {"driver_cuda", gpu::versionText(info.driverVersion)}}
                           .dump(2) +
                       "\n";
            return fmt::format("{}: {}, compute capability {}.{}, {} SMs, driver of CUDA {}\n", described->id, info.name, info.major, info.minor, info.smCount,
                               gpu::versionText(info.driverVersion));
        },
        kLimitSeconds);
}

} // namespace

void addKernels(CLI::App& app, int& status) {
    CLI::App* sub =
        app.add_subcommand("kernels", "List the kernels of the catalog with their parameters");
    auto json = std::make_shared<bool>(false);
    auto markdown = std::make_shared<std::string>();
    CLI::Option* flag = sub->add_flag("--json", *json, "Print one JSON object");
    sub->add_option("--markdown", *markdown, "FILE.md: write there what every kernel is, and leave what `lanescope fidelity` wrote below it")->excludes(flag);
    sub->footer("Examples:\n  lanescope kernels --json\n  lanescope kernels --markdown kernels/README.md");
    sub->callback([json, markdown, &status] {
        if (!markdown->empty()) {
            if (const Result<void> written = writeKernels(*markdown); !written)
                status = report(written.error(), false);
            return;
        }
        if (const Result<std::string> text = kernelsText(*json); text)
            print(*text);
        else
            status = report(text.error(), *json);
    });
}

void addDevices(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand("devices", "List the GPUs that are described");
    auto json = std::make_shared<bool>(false), here = std::make_shared<bool>(false);
    sub->add_flag("--json", *json, "Print one JSON object, each figure with its source");
    sub->add_flag("--here", *here, "This machine's GPU only, as its driver reports it");
    sub->footer("Examples:\n  lanescope devices\n  lanescope devices --here");
    sub->callback([json, here, &status] {
        if (const Result<std::string> text = *here ? deviceHere(*json) : devicesText(*json); text)
            print(*text);
        else
            status = report(text.error(), *json);
    });
}

} // namespace lanescope::cli
