// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/littles_law.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace lanescope::model {

namespace {

using device::Device;
using device::Figure;

Result<void> check(const Device& device, const LatencyInput& input) {
    Diagnostics errors;
    const auto add = [&](std::string message, std::string hint) {
        errors.push_back({Severity::Error, "model", std::move(message), {}, std::move(hint)});
    };
    const struct {
        const char* name;
        double value;
        double most;
    } quantities[] = {
        {"warps on an SM", input.warpsPerSm, double(device.limits.warpsPerSm())},
        {"bytes a lane", input.bytesPerLane, 16},
        {"requests a warp", input.requestsPerWarp, 1024},
        {"active lanes", input.activeLanes, 32},
        {"ns of latency", input.latencyNanoseconds.value_or(1), 1e9},
        {"GB/s", input.bandwidth.value_or(1), 1e9},
    };
    for (const auto& q : quantities)
        if (!(q.value > 0) || !(q.value <= q.most))
            add(fmt::format("{} {} are out of range", q.value, q.name),
                fmt::format("give more than 0 and at most {}", q.most));
    if (!errors.empty())
        return failure(std::move(errors));
    return {};
}

ExplanationInput latencyOf(const Device& device, const LatencyInput& input) {
    if (input.latencyNanoseconds)
        return inputOf("latency", *input.latencyNanoseconds, "ns", "given");
    const Figure* cycles = device.figure("latency_dram");
    const Figure* clock = device.figure("boost_clock");
    if (cycles != nullptr && clock != nullptr)
        return inputOf("latency", 1e3 * cycles->value / clock->value, "ns",
                       fmt::format("{} cycles at {} MHz: {}", cycles->value, clock->value,
                                   cycles->source));
    ExplanationInput assumed = inputOf("latency", kAssumedDramLatencyNanoseconds, "ns",
                                       "assumed: the description of the GPU has none");
    assumed.assumed = true;
    return assumed;
}

} // namespace

Result<LatencyHiding> latencyHiding(const Device& device, const LatencyInput& input) {
    if (auto checked = check(device, input); !checked)
        return failure(checked.error());
    const Figure* sms = device.figure("sm_count");
    const Figure* dram = device.figure("dram_bandwidth");
    if (sms == nullptr || (dram == nullptr && !input.bandwidth))
        return failure("device",
                       fmt::format("{} has no number of SMs or bandwidth", device.name), {},
                       "choose a GPU, such as h100, instead of a bare compute capability");
    const ExplanationInput bandwidth =
        input.bandwidth ? inputOf("bandwidth", *input.bandwidth, "GB/s", "given")
                        : inputOf("bandwidth", *dram);
    const ExplanationInput latency = latencyOf(device, input);

    LatencyHiding result;
    result.bandwidthPerSm = bandwidth.value / sms->value;
    result.latencyNanoseconds = latency.value;
    result.bytesNeeded = result.bandwidthPerSm * latency.value; // GB/s x ns = bytes
    result.bytesPerRequest = input.bytesPerLane * input.activeLanes;
    const double perWarp = result.bytesPerRequest * input.requestsPerWarp;
    result.bytesInFlight = perWarp * input.warpsPerSm;
    result.share = std::min(1.0, result.bytesInFlight / result.bytesNeeded);
    const double most = device.limits.warpsPerSm();
    result.occupancy = input.warpsPerSm / most;
    result.warpsNeeded = std::ceil(result.bytesNeeded / perWarp);
    result.requestsNeeded =
        std::ceil(result.bytesNeeded / (result.bytesPerRequest * input.warpsPerSm));
    result.occupancyNeeded = result.warpsNeeded / most;

    const std::vector<std::string> assumptions = {
        "the SMs share the bandwidth evenly", "the latency does not grow with the load"};
    result.needed = {"bytes in flight that an SM needs",
                     result.bytesNeeded,
                     "bytes",
                     "bandwidth / SMs x latency",
                     {bandwidth, inputOf("SMs", *sms), latency},
                     assumptions};
    result.reached = {
        "share of the bandwidth",
        result.share,
        "",
        "min(1, warps x requests x lanes x bytes / bytes in flight needed)",
        {inputOf("warps", input.warpsPerSm, "warps/SM", "occupancy"),
         inputOf("requests", input.requestsPerWarp, "requests/warp", "given"),
         inputOf("lanes", input.activeLanes, "lanes", "given"),
         inputOf("bytes", input.bytesPerLane, "bytes/lane", "given"),
         inputOf("bytes in flight needed", result.bytesNeeded, "bytes", result.needed.formula)},
        {"a warp waits for its requests before it issues the next ones"}};
    return result;
}

} // namespace lanescope::model
