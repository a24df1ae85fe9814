// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope run, calibrate: the GPU of this machine.
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/launch_options.h"
#include "app/cli/supervise.h"
#include "engine/base/file.h"
#include "engine/session/gpu_profile.h"
#include "engine/session/gpu_run.h"

namespace lanescope::cli {

namespace {

struct RunArguments : LaunchArguments {
    std::string l2 = "warm", repeats = "200", timeLimit = "60", save, text;
    bool compare = false, json = false, onlyPoint = false;
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
    out.model = !a.onlyPoint;
    return out;
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
        if (!a.save.empty())
            if (Result<void> saved = session::saveMeasured(a.save, {report->deviceId, {session::measuredPoint(*report)}}); !saved)
                return failure(saved.error());
        if (a.onlyPoint) {
            if (report->verification && !report->verification->matches)
                return failure("gpu", "the result on the GPU is not the reference's", {}, "lanescope run says where it differs");
            return session::toJson(session::MeasuredPoints{report->deviceId, {session::measuredPoint(*report)}}) + "\n";
        }
        return a.json ? session::toJson(*report) + "\n" : session::toText(*report);
    };
    const Result<std::string> text = supervised(work, static_cast<double>(*limit));
    if (!text)
        return failure(text.error());
    print(*text);
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
    sub->add_flag("--only-point", a->onlyPoint)->group(""); // what Measurer asks for
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
}

} // namespace lanescope::cli
