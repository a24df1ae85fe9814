// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/measure.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/supervise.h"
#include "engine/compile/process.h"
#include "engine/session/gpu_run.h"

namespace lanescope::cli {

void addMeasureOptions(CLI::App& sub, MeasureArguments& a) {
    sub.add_flag("--run", a.run, "Measure on this machine's GPU what can launch, and set it beside the model");
    sub.add_option("--save", a.save, "FILE.json: add what was measured to a file");
    sub.add_option("--measured", a.measured, "FILE.json: points measured earlier, or on another machine")->allow_extra_args(false);
    sub.add_option("--time-limit", a.timeLimit, "Seconds until a kernel that does not end is stopped")->capture_default_str();
    sub.add_option("--repeats", a.repeats, "The most timed repeats of a kernel")->capture_default_str();
    sub.add_flag("--progress", a.progress, "Tell how far it is, a line each on standard error");
}

Result<Measurer> Measurer::open(const MeasureArguments& a) {
    const Result<std::int64_t> limit = wholeNumber("--time-limit", a.timeLimit, 1, 86400);
    if (!limit)
        return failure(limit.error());
    const Result<std::int64_t> repeats = wholeNumber("--repeats", a.repeats, 1, 100000);
    if (!repeats)
        return failure(repeats.error());
    Measurer out;
    out.m_limitSeconds = static_cast<double>(*limit);
    out.m_time.mostRepeats = static_cast<int>(*repeats);
    out.m_time.leastRepeats = std::min(out.m_time.leastRepeats, out.m_time.mostRepeats);
    Result<std::string> gpu = supervised(
        []() -> Result<std::string> {
            const Result<gpu::Gpu> opened = gpu::Gpu::open();
            if (!opened)
                return failure(opened.error());
            const Result<device::Device> device = session::describedDevice(opened->info());
            return device ? Result<std::string>(device->id) : failure(device.error());
        },
        out.m_limitSeconds);
    if (!gpu)
        return failure(gpu.error());
    out.m_gpu = std::move(*gpu);
    return out;
}

namespace {

Result<session::MeasuredPoint> onlyPoint(const Result<std::string>& json) {
    if (!json)
        return failure(json.error());
    Result<session::MeasuredPoints> points = session::parseMeasured(*json, {});
    if (!points)
        return failure(points.error());
    return std::move(points->points.front());
}

} // namespace

Result<session::MeasuredPoint> Measurer::kernel(const std::string& id, const catalog::Overrides& parameters) const {
    // A new program, not a fork of this one: the driver does not start in a fork of a process that has used NVRTC (seen on an H200, CUDA 13.0).
    compile::ProcessRequest process;
    std::error_code none; // an empty path cannot be started, and says so
    process.program = std::filesystem::read_symlink("/proc/self/exe", none);
    process.arguments = {"run", id, "--only-point", "--json", "--repeats", std::to_string(m_time.mostRepeats), "--time-limit", fmt::format("{:.0f}", m_limitSeconds)};
    for (const auto& [name, value] : parameters)
        process.arguments.insert(process.arguments.end(), {"-D", fmt::format("{}={}", name, value)});
    for (char** variable = environ; *variable != nullptr; ++variable)
        process.environment.emplace_back(*variable);
    constexpr double kStartSeconds = 30;
    process.timeLimit = std::chrono::milliseconds(static_cast<std::int64_t>((m_limitSeconds + kStartSeconds) * 1e3));
    const Result<compile::ProcessOutput> output = compile::runProcess(process);
    if (!output)
        return failure(output.error());
    if (output->exitStatus != 0)
        return failure(errorsFrom(output->standardOutput));
    return onlyPoint(output->standardOutput);
}

Result<session::MeasuredPoint> Measurer::cublas(const std::string& name, const gpu::CublasProduct& product) const {
    return onlyPoint(supervised(
        [&]() -> Result<std::string> {
            const Result<gpu::Gpu> gpu = gpu::Gpu::open();
            if (!gpu)
                return failure(gpu.error());
            const Result<gpu::CublasRun> run = gpu::timeCublas(*gpu, product, m_time, compile::libraryFolders(environment()));
            if (!run)
                return failure(run.error());
            session::MeasuredPoint point;
            point.kernel = name;
            point.parameters = {{"M", product.m}, {"N", product.n}, {"K", product.k}};
            point.seconds = run->time.median;
            point.clockMhz = run->time.medianClockMhz();
            point.flopsPerSecond = 2.0 * static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k) / run->time.median;
            return session::toJson(session::MeasuredPoints{m_gpu, {point}});
        },
        m_limitSeconds));
}

Result<session::MeasuredPoints> measuredFiles(const MeasureArguments& a) {
    session::MeasuredPoints all;
    for (const std::string& path : a.measured) {
        Result<session::MeasuredPoints> file = session::readMeasured(path);
        if (!file)
            return failure(file.error());
        if (!all.points.empty() && file->gpu != all.gpu)
            return failure("measured", fmt::format("the points are of {}, those of the files before of {}", file->gpu.empty() ? "a GPU not named" : file->gpu, all.gpu.empty() ? "a GPU not named" : all.gpu),
                           {path, 0, 0}, "give files of one GPU");
        all.gpu = file->gpu;
        all.points.insert(all.points.end(), file->points.begin(), file->points.end());
    }
    return all;
}

void showProgress(const MeasureArguments& a, const char* what, std::size_t done, std::size_t of) {
    if (a.progress)
        std::fprintf(stderr, "%s %zu of %zu\n", what, done, of);
    else if (isatty(STDERR_FILENO) != 0)
        std::fprintf(stderr, "\r%s %zu of %zu%s", what, done, of, done == of ? "\n" : "");
}

} // namespace lanescope::cli
