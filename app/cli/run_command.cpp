// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope run, fidelity, calibrate: the GPU of this machine.
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/launch_options.h"
#include "app/cli/supervise.h"
#include "engine/base/file.h"
#include "engine/session/gpu_profile.h"
#include "engine/session/gpu_run.h"

namespace lanescope::cli {

namespace {

using nlohmann::ordered_json;

struct RunArguments : LaunchArguments {
    std::string l2 = "warm", repeats = "200", timeLimit = "60", save, text;
    bool compare = false, json = false;
};

Result<session::GpuRunRequest> requestFrom(const RunArguments& a) {
    session::GpuRunRequest out;
    Result<session::LoadRequest> load = loadRequest(a);
    if (!load)
        return failure(load.error());
    Result<session::LaunchRequest> launch = launchRequest(a);
    if (!launch)
        return failure(launch.error());
    const Result<std::int64_t> repeats = wholeNumber("--repeats", a.repeats, 1, 100000);
    if (!repeats)
        return failure(repeats.error());
    if (a.l2 != "warm" && a.l2 != "flushed")
        return failure("argument", fmt::format("--l2 '{}' is not known", a.l2), {}, "warm or flushed");
    out.load = std::move(*load);
    if (!a.text.empty()) {
        Result<std::string> text = readFile(a.text, std::uintmax_t{16} << 20);
        if (!text)
            return failure(text.error());
        out.load.text = std::move(*text);
    }
    out.launch = std::move(*launch);
    out.time.mostRepeats = static_cast<int>(*repeats);
    out.time.leastRepeats = std::min(out.time.leastRepeats, out.time.mostRepeats);
    out.time.l2 = a.l2 == "warm" ? gpu::L2::Warm : gpu::L2::Flushed;
    out.compare = a.compare;
    return out;
}

/// Puts the points of a report into a file of measured points; those of the same kernel and parameters are replaced.
Result<void> savePoints(const std::string& path, const std::string& report) {
    const ordered_json run = ordered_json::parse(report);
    ordered_json file{{"gpu", run["gpu"]}, {"points", ordered_json::array()}};
    if (const Result<std::string> old = readFile(path)) {
        ordered_json before = ordered_json::parse(*old, nullptr, false);
        if (!before.is_object() || !before.contains("points") || !before["points"].is_array())
            return failure("measured", "the file holds no measured points and is left alone", {path, 0, 0}, "choose another name for --save");
        if (before.value("gpu", "") != run["gpu"])
            return failure("measured", fmt::format("the file holds points of {}, this was measured on {}", before.value("gpu", "another GPU"), run["gpu"].get<std::string>()),
                           {path, 0, 0}, "choose another name for --save");
        file = std::move(before);
    }
    for (const ordered_json& point : run["points"]) {
        ordered_json kept = ordered_json::array();
        for (const ordered_json& other : file["points"])
            if (other.value("kernel", "") != point["kernel"] || other.value("parameters", ordered_json()) != point.value("parameters", ordered_json()))
                kept.push_back(other);
        kept.push_back(point);
        file["points"] = std::move(kept);
    }
    return writeFile(path, file.dump(1) + "\n");
}

Result<void> runRun(const RunArguments& a) {
    const Result<session::GpuRunRequest> request = requestFrom(a);
    if (!request)
        return failure(request.error());
    const Result<std::int64_t> limit = wholeNumber("--time-limit", a.timeLimit, 1, 86400);
    if (!limit)
        return failure(limit.error());
    const auto work = [&]() -> Result<std::string> {
        const Result<gpu::Gpu> gpu = gpu::Gpu::open();
        if (!gpu)
            return failure(gpu.error());
        const Result<session::GpuRunReport> report = session::runOnGpu(*gpu, *request, environment());
        if (!report)
            return failure(report.error());
        const std::string json = session::toJson(*report);
        if (!a.save.empty())
            if (Result<void> saved = savePoints(a.save, json); !saved)
                return failure(saved.error());
        return a.json ? json + "\n" : session::toText(*report);
    };
    const Result<std::string> text = supervised(work, static_cast<double>(*limit));
    if (!text)
        return failure(text.error());
    print(*text);
    return {};
}

Result<void> runFidelity(std::int64_t limit) {
    const Result<const std::vector<catalog::Kernel>*> kernels = session::builtInKernels();
    if (!kernels)
        return failure(kernels.error());
    const Result<std::string> header = supervised(
        []() -> Result<std::string> {
            const Result<gpu::Gpu> gpu = gpu::Gpu::open();
            if (!gpu)
                return failure(gpu.error());
            return session::fidelityHeader(gpu->info());
        },
        static_cast<double>(limit));
    if (!header)
        return failure(header.error());
    print(*header);
    for (const catalog::Kernel& kernel : **kernels) {
        session::GpuRunRequest request;
        request.load.subject = kernel.id;
        request.compare = true;
        request.time.timed = false;
        const Result<std::string> row = supervised(
            [&]() -> Result<std::string> {
                const Result<gpu::Gpu> gpu = gpu::Gpu::open();
                if (!gpu)
                    return failure(gpu.error());
                const Result<session::GpuRunReport> report = session::runOnGpu(*gpu, request, environment());
                if (!report)
                    return failure(report.error());
                return session::fidelityRow(*report);
            },
            static_cast<double>(limit));
        print(row ? *row : fmt::format("| {} | {} | | | |\n", kernel.id, row.error().front().message));
    }
    return {};
}

struct CalibrateArguments {
    std::string save, timeLimit = "120";
    bool json = false;
};

Result<void> runCalibrate(const CalibrateArguments& a) {
    const Result<std::int64_t> limit = wholeNumber("--time-limit", a.timeLimit, 1, 86400);
    if (!limit)
        return failure(limit.error());
    const auto work = [&]() -> Result<std::string> {
        const Result<gpu::Gpu> gpu = gpu::Gpu::open();
        if (!gpu)
            return failure(gpu.error());
        const Result<gpu::Calibration> calibration = gpu::calibrate(*gpu);
        if (!calibration)
            return failure(calibration.error());
        const Result<session::GpuProfile> profile = session::gpuProfile(gpu->info(), *calibration);
        if (!profile)
            return failure(profile.error());
        const std::filesystem::path path = !a.save.empty() ? std::filesystem::path(a.save) : device::ownDevicesFolder() / (profile->device.id + ".json");
        if (path.has_parent_path()) {
            std::error_code none; // writeFile says what is wrong
            std::filesystem::create_directories(path.parent_path(), none);
        }
        if (Result<void> written = writeFile(path, device::toJson(profile->device)); !written)
            return failure(written.error());
        return a.json ? session::toJson(*profile) + "\n"
                      : session::toText(*profile) + fmt::format("written to {}: use it with --gpu {}\n", path.string(), a.save.empty() ? profile->device.id : path.string());
    };
    const Result<std::string> text = supervised(work, static_cast<double>(*limit));
    if (!text)
        return failure(text.error());
    print(*text);
    return {};
}

} // namespace

void addRun(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand("run", "Run a kernel on this machine's GPU: verify, time, compare with the model");
    auto a = std::make_shared<RunArguments>();
    addLaunchOptions(*sub, *a);
    sub->remove_option(sub->get_option("--gpu"));
    sub->remove_option(sub->get_option("--as"));
    sub->add_option("--l2", a->l2, "What is in the L2 when a timed launch begins: warm or flushed")->capture_default_str();
    sub->add_option("--repeats", a->repeats, "The most timed repeats")->capture_default_str();
    sub->add_flag("--compare", a->compare, "Simulate all of it and compare every element bit for bit");
    sub->add_option("--text", a->text, "FILE.cu: an edited text instead of the kernel's own");
    sub->add_option("--save", a->save, "FILE.json: add the point to a file for `roofline --measured`");
    sub->add_option("--time-limit", a->timeLimit, "Seconds until a kernel that does not end is stopped")->capture_default_str();
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Examples:\n"
                "  lanescope run k02_coalesced -D M=4096 -D N=4096 -D K=4096\n"
                "  lanescope run saxpy.cu --grid 4 --block 256 --arg f32:2 --arg iota:f32:1000 --arg random:f32:1000:7 --arg i32:1000 --compare\n"
                "  lanescope run k01_naive --save points.json && lanescope roofline k01_naive --gpu h200 --measured points.json");
    sub->callback([a, &status] {
        if (const Result<void> ran = runRun(*a); !ran)
            status = report(ran.error(), a->json);
    });

    CLI::App* calibrate = app.add_subcommand("calibrate", "Measure this machine's GPU: bandwidths, rates, latencies, launch overhead; the models then use them");
    auto c = std::make_shared<CalibrateArguments>();
    calibrate->add_option("--save", c->save, "FILE.json: where the description goes instead of the user's own GPUs");
    calibrate->add_option("--time-limit", c->timeLimit, "Seconds")->capture_default_str();
    calibrate->add_flag("--json", c->json, "Print one JSON object");
    calibrate->footer("Examples:\n"
                      "  lanescope calibrate                  then: lanescope roofline k02_coalesced --gpu h200-measured\n"
                      "  lanescope calibrate --save my.json   then: lanescope roofline k02_coalesced --gpu my.json");
    calibrate->callback([c, &status] {
        if (const Result<void> ran = runCalibrate(*c); !ran)
            status = report(ran.error(), c->json);
    });

    CLI::App* fidelity = app.add_subcommand("fidelity", "Every kernel of the course on this machine's GPU, against its reference and the simulator: a table");
    auto limit = std::make_shared<std::string>("60");
    fidelity->add_option("--time-limit", *limit, "Seconds for a kernel")->capture_default_str();
    fidelity->callback([limit, &status] {
        const Result<std::int64_t> seconds = wholeNumber("--time-limit", *limit, 1, 86400);
        const Result<void> ran = seconds ? runFidelity(*seconds) : Result<void>(failure(seconds.error()));
        if (!ran)
            status = report(ran.error(), false);
    });
}

} // namespace lanescope::cli
