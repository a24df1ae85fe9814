// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/measure.h"

#include <algorithm>
#include <cstdio>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/supervise.h"
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
    session::GpuRunRequest request;
    request.load.subject = id;
    for (const auto& [name, value] : parameters)
        request.load.defines.emplace_back(name, std::to_string(value));
    request.time = m_time;
    request.model = false;
    return onlyPoint(supervised(
        [&]() -> Result<std::string> {
            const Result<gpu::Gpu> gpu = gpu::Gpu::open();
            if (!gpu)
                return failure(gpu.error());
            const Result<session::GpuRunReport> report = session::runOnGpu(*gpu, request, environment());
            if (!report)
                return failure(report.error());
            if (report->verification && !report->verification->matches)
                return failure("gpu", "the result on the GPU is not the reference's", {}, "lanescope run says where it differs");
            return session::toJson(session::MeasuredPoints{report->deviceId, {session::measuredPoint(*report)}});
        },
        m_limitSeconds));
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
