// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/launch_overhead.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace lanescope::model {

using device::Device;
using device::Figure;

namespace {

Result<void> notNegative(std::initializer_list<std::pair<const char*, double>> quantities) {
    for (const auto& [name, value] : quantities)
        if (!(value >= 0) || !std::isfinite(value))
            return failure("model", fmt::format("{} {}", value, name), {},
                           "give a number of 0 or more");
    return {};
}

} // namespace

Result<LaunchOverhead> launchOverhead(const Device& device, double kernels, double workSeconds,
                                      LaunchWay way, std::optional<double> overheadMicroseconds) {
    if (auto checked = notNegative({{"kernels", kernels},
                                    {"s of work", workSeconds},
                                    {"us of overhead", overheadMicroseconds.value_or(0)}});
        !checked)
        return failure(checked.error());
    const char* key = way == LaunchWay::Graph ? "launch_overhead_graph" : "launch_overhead";
    const Figure* figure = device.figure(key);
    if (figure == nullptr && !overheadMicroseconds)
        return failure("device", fmt::format("{} has no measured launch overhead", device.name), {},
                       "give the overhead of a launch in microseconds");
    const ExplanationInput overhead =
        overheadMicroseconds ? inputOf("overhead", *overheadMicroseconds, "us", "given")
                             : inputOf("overhead", *figure);
    LaunchOverhead result;
    result.kernels = kernels;
    result.workSeconds = workSeconds;
    result.overheadSeconds = 1e-6 * overhead.value;
    result.launchSeconds = kernels * result.overheadSeconds;
    result.serialSeconds = workSeconds + result.launchSeconds;
    result.overlappedSeconds = std::max(workSeconds, result.launchSeconds);
    result.serialShare =
        result.serialSeconds > 0 ? result.launchSeconds / result.serialSeconds : 0;
    result.launchBound = result.launchSeconds > workSeconds;
    const std::vector<ExplanationInput> inputs = {
        inputOf("work", workSeconds, "s", "given or modelled"),
        inputOf("kernels", kernels, "kernels", "given"), overhead};
    result.serial = {"time with nothing overlapped",
                     result.serialSeconds,
                     "s",
                     "work + kernels x overhead",
                     inputs,
                     {"each launch waits for the kernel before it: the upper bound"}};
    result.overlapped = {"time with launches ahead of the GPU",
                         result.overlappedSeconds,
                         "s",
                         "max(work, kernels x overhead)",
                         inputs,
                         {"the processor never waits for the GPU: the lower bound"}};
    return result;
}

Result<DecodeWork> decodeWork(const Device& device, const DecodeStep& step) {
    if (auto checked = notNegative({{"parameters", step.parameters},
                                    {"layers", step.layers},
                                    {"key-value heads", step.keyValueHeads},
                                    {"values in a head", step.headSize},
                                    {"tokens of context", step.context},
                                    {"requests", step.batch},
                                    {"bytes a value", step.bytesPerValue},
                                    {"kernels a layer", step.kernelsPerLayer},
                                    {"other kernels", step.otherKernels}});
        !checked)
        return failure(checked.error());
    const Figure* bandwidth = device.figure("dram_bandwidth");
    if (bandwidth == nullptr)
        return failure("device", fmt::format("{} has no memory bandwidth", device.name), {},
                       "choose a GPU, such as h100, instead of a bare compute capability");
    DecodeWork work;
    work.kernels = step.layers * step.kernelsPerLayer + step.otherKernels;
    work.weightBytes = step.parameters * step.bytesPerValue;
    work.cacheBytes = 2 * step.layers * step.keyValueHeads * step.headSize * step.context *
                      step.batch * step.bytesPerValue;
    work.seconds = (work.weightBytes + work.cacheBytes) / (bandwidth->value * 1e9);
    work.explanation = {
        "time of one step on the GPU",
        work.seconds,
        "s",
        "(parameters x bytes + 2 x layers x heads x size x context x batch x bytes) / bandwidth",
        {inputOf("parameters", step.parameters, "", "the model"),
         inputOf("layers", step.layers, "", "the model"),
         inputOf("heads", step.keyValueHeads, "", "the model"),
         inputOf("size", step.headSize, "values", "the model"),
         inputOf("context", step.context, "tokens", "given"),
         inputOf("batch", step.batch, "requests", "given"),
         inputOf("bytes", step.bytesPerValue, "bytes/value", "the model"),
         inputOf("bandwidth", *bandwidth)},
        {"memory-bound: every weight is read once, arithmetic is hidden behind it",
         "each kernel reaches the full bandwidth"}};
    return work;
}

} // namespace lanescope::model
