// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/occupancy.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanescope::model {

using device::Limits;

namespace {

std::int64_t roundUp(std::int64_t value, std::int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// What a block takes of an SM.
struct Footprint {
    int warps = 0;
    std::int64_t registersPerWarp = 0;
    std::int64_t registers = 0;
    std::int64_t registersChecked = 0; ///< as if all partitions allocated at once
    std::int64_t shared = 0;
};

Footprint footprintOf(const Limits& limits, const OccupancyInput& input) {
    Footprint block;
    block.warps = (input.threads + limits.warpSize - 1) / limits.warpSize;
    block.registersPerWarp = roundUp(std::int64_t{input.registersPerThread} * limits.warpSize,
                                     limits.registerAllocationUnit);
    block.registers = block.registersPerWarp * block.warps;
    block.registersChecked =
        block.registersPerWarp * roundUp(block.warps, limits.registerCheckPartitions);
    block.shared = roundUp(input.staticSharedBytes + input.dynamicSharedBytes +
                               limits.sharedBytesReservedPerBlock,
                           limits.sharedAllocationUnitBytes);
    return block;
}

/// The smallest carve-out that holds the bytes; the largest one when none does.
std::int64_t carveOutFor(const Limits& limits, std::int64_t bytes) {
    const auto& sizes = limits.carveOutBytes;
    const auto it = std::lower_bound(sizes.begin(), sizes.end(), bytes);
    return it != sizes.end() ? *it : sizes.back();
}

std::int64_t sharedInForce(const Limits& limits, const OccupancyInput& input,
                           const Footprint& block) {
    const std::int64_t percent = input.carveOutPercent.value_or(100);
    const std::int64_t preferred = carveOutFor(limits, percent * limits.sharedBytesPerSm / 100);
    // The preference is ignored when not even one block would fit.
    return preferred >= block.shared ? preferred : carveOutFor(limits, block.shared);
}

void checkThreads(const Limits& limits, const OccupancyInput& input, Diagnostics& errors) {
    const auto add = [&](std::string message, std::string hint) {
        errors.push_back({Severity::Error, "launch", std::move(message), {}, std::move(hint)});
    };
    if (input.threads <= 0)
        add(fmt::format("{} threads per block: a block needs at least one", input.threads),
            "give the block a size of 1 or more in each dimension");
    if (input.threads > limits.threadsPerBlock)
        add(fmt::format("{} threads per block exceed the limit of {}", input.threads,
                        limits.threadsPerBlock),
            "make the block smaller and the grid larger");
    if (input.registersPerThread < 0)
        add(fmt::format("{} registers per thread are negative", input.registersPerThread),
            "give 0 or more");
    if (input.registersPerThread > limits.registersPerThread)
        add(fmt::format("{} registers per thread exceed the limit of {}", input.registersPerThread,
                        limits.registersPerThread),
            "limit them with __launch_bounds__ or -maxrregcount; the compiler then spills");
    if (input.barriers < 0 || input.barriers > 16)
        add(fmt::format("{} named barriers: a block has 16", input.barriers), "give 0 to 16");
    if (input.carveOutPercent && (*input.carveOutPercent < 0 || *input.carveOutPercent > 100))
        add(fmt::format("a carve-out of {} per cent", *input.carveOutPercent), "give 0 to 100");
}

Diagnostics launchErrors(const Limits& limits, const OccupancyInput& input) {
    Diagnostics errors;
    checkThreads(limits, input, errors);
    const auto add = [&](std::string message, std::string hint) {
        errors.push_back({Severity::Error, "launch", std::move(message), {}, std::move(hint)});
    };
    const std::int64_t shared = input.staticSharedBytes + input.dynamicSharedBytes;
    if (input.staticSharedBytes < 0 || input.dynamicSharedBytes < 0)
        add("the shared memory of a block is negative", "give 0 bytes or more");
    else if (input.staticSharedBytes > limits.sharedBytesPerBlock)
        add(fmt::format("{} bytes of static shared memory exceed the limit of {}",
                        input.staticSharedBytes, limits.sharedBytesPerBlock),
            "make the array extern and pass its size at the launch (dynamic shared memory)");
    else if (shared > limits.sharedBytesPerBlockOptIn)
        add(fmt::format("{} bytes of shared memory per block exceed the limit of {} on compute "
                        "capability {}",
                        shared, limits.sharedBytesPerBlockOptIn, toString(limits.capability)),
            "use smaller tiles or fewer stages");
    if (!errors.empty())
        return errors;
    const Footprint block = footprintOf(limits, input);
    if (block.registersChecked > limits.registersPerBlock)
        add(fmt::format("{} threads of {} registers need {} registers per block, more than the "
                        "limit of {}",
                        input.threads, input.registersPerThread, block.registersChecked,
                        limits.registersPerBlock),
            "use fewer threads per block, or limit the registers with __launch_bounds__");
    return errors;
}

ResidencyLimits residencyLimits(const Limits& limits, const OccupancyInput& input,
                                const Footprint& block, std::int64_t sharedPerSm) {
    ResidencyLimits residency;
    residency.warps = limits.warpsPerSm() / block.warps;
    residency.blocks = limits.blocksPerSm;
    if (block.registersPerWarp > 0) {
        const std::int64_t perPartition = limits.registersPerSm / limits.subPartitions;
        const std::int64_t warps = perPartition / block.registersPerWarp * limits.subPartitions;
        residency.registers = static_cast<int>(warps / block.warps);
    }
    if (block.shared > 0)
        residency.shared = static_cast<int>(sharedPerSm / block.shared);
    if (limits.barriersPerSm && input.barriers > 0)
        residency.barriers = *limits.barriersPerSm / input.barriers;
    return residency;
}

struct NamedLimit {
    Resource resource;
    std::optional<int> blocks;
};

std::array<NamedLimit, 5> inOrder(const ResidencyLimits& limits) {
    return {{{Resource::Warps, limits.warps},
             {Resource::Blocks, limits.blocks},
             {Resource::Registers, limits.registers},
             {Resource::Shared, limits.shared},
             {Resource::Barriers, limits.barriers}}};
}

ExplanationInput given(const char* name, std::int64_t value, const char* unit) {
    return inputOf(name, static_cast<double>(value), unit, "the launch");
}

std::vector<Explanation> explain(const Limits& limits, const OccupancyInput& input,
                                 const Footprint& block, const Occupancy& result) {
    const auto limit = [&](const char* name, std::int64_t value, const char* unit) {
        return inputOf(name, static_cast<double>(value), unit, limits.source);
    };
    std::vector<Explanation> all;
    all.push_back({"blocks allowed by warps",
                   double(result.limits.warps),
                   "blocks/SM",
                   "floor(warps per SM / ceil(threads / warp size))",
                   {limit("warps per SM", limits.warpsPerSm(), "warps"),
                    given("threads", input.threads, "threads"),
                    limit("warp size", limits.warpSize, "threads")},
                   {}});
    all.push_back({"blocks allowed by block slots",
                   double(result.limits.blocks),
                   "blocks/SM",
                   "blocks per SM",
                   {limit("blocks per SM", limits.blocksPerSm, "blocks")},
                   {}});
    if (result.limits.registers)
        all.push_back({"blocks allowed by registers",
                       double(*result.limits.registers),
                       "blocks/SM",
                       "floor(floor(registers per SM / parts / ceil_unit(registers per thread x "
                       "warp size)) x parts / warps per block)",
                       {limit("registers per SM", limits.registersPerSm, "registers"),
                        limit("parts", limits.subPartitions, "sub-partitions"),
                        limit("unit", limits.registerAllocationUnit, "registers"),
                        given("registers per thread", input.registersPerThread, "registers"),
                        given("warps per block", block.warps, "warps")},
                       {}});
    if (result.limits.shared)
        all.push_back({"blocks allowed by shared memory",
                       double(*result.limits.shared),
                       "blocks/SM",
                       "floor(carve-out / ceil_unit(static + dynamic + reserved))",
                       {limit("carve-out", result.sharedBytesPerSm, "bytes"),
                        limit("unit", limits.sharedAllocationUnitBytes, "bytes"),
                        given("static", input.staticSharedBytes, "bytes"),
                        given("dynamic", input.dynamicSharedBytes, "bytes"),
                        limit("reserved", limits.sharedBytesReservedPerBlock, "bytes")},
                       {"the kernel has opted in to large shared memory where it needs to"}});
    if (result.limits.barriers)
        all.push_back({"blocks allowed by barriers",
                       double(*result.limits.barriers),
                       "blocks/SM",
                       "floor(barriers per SM / barriers per block)",
                       {limit("barriers per SM", *limits.barriersPerSm, "barriers"),
                        given("barriers per block", input.barriers, "barriers")},
                       {}});
    all.push_back({"occupancy",
                   result.occupancy,
                   "",
                   "blocks per SM x warps per block / warps per SM",
                   {inputOf("blocks per SM", result.blocksPerSm, "blocks", "the smallest limit"),
                    given("warps per block", block.warps, "warps"),
                    limit("warps per SM", limits.warpsPerSm(), "warps")},
                   {}});
    return all;
}

/// Everything but the explanations, for an input without launch errors.
Occupancy compute(const Limits& limits, const OccupancyInput& input, const Footprint& block) {
    Occupancy result;
    result.sharedBytesPerSm = sharedInForce(limits, input, block);
    if (limits.unifiedL1Bytes)
        result.l1BytesPerSm = *limits.unifiedL1Bytes - result.sharedBytesPerSm;
    result.limits = residencyLimits(limits, input, block, result.sharedBytesPerSm);
    int least = result.limits.blocks;
    for (const NamedLimit& limit : inOrder(result.limits))
        least = std::min(least, limit.blocks.value_or(least));
    for (const NamedLimit& limit : inOrder(result.limits)) {
        // Every kernel uses one barrier, and a block slot comes with one: name it only when there
        // are more.
        const bool usual = limit.resource == Resource::Barriers && input.barriers <= 1;
        if (limit.blocks == least && !usual)
            result.limiters.push_back(limit.resource);
    }
    result.blocksPerSm = least;
    result.warpsPerBlock = block.warps;
    result.warpsPerSm = least * block.warps;
    result.threadsPerSm = least * input.threads;
    result.occupancy = double(result.warpsPerSm) / limits.warpsPerSm();
    result.registersRequested = std::int64_t{input.registersPerThread} * input.threads;
    result.registersAllocated = block.registers;
    result.sharedRequested = input.staticSharedBytes + input.dynamicSharedBytes;
    result.sharedAllocated = block.shared;
    result.lanesRequested = input.threads;
    result.lanesAllocated = std::int64_t{block.warps} * limits.warpSize;
    return result;
}

} // namespace

const char* toString(Resource resource) {
    switch (resource) {
    case Resource::Warps:
        return "warps";
    case Resource::Blocks:
        return "blocks";
    case Resource::Registers:
        return "registers";
    case Resource::Shared:
        return "shared";
    case Resource::Barriers:
        return "barriers";
    }
    std::abort(); // the switch is complete
}

std::string Occupancy::limiterNames() const {
    std::vector<const char*> names;
    for (Resource resource : limiters)
        names.push_back(toString(resource));
    return fmt::format("{}", fmt::join(names, ", "));
}

Result<Occupancy> occupancy(const device::Device& device, const OccupancyInput& input) {
    if (Diagnostics errors = launchErrors(device.limits, input); !errors.empty())
        return failure(std::move(errors));
    const Footprint block = footprintOf(device.limits, input);
    Occupancy result = compute(device.limits, input, block);
    result.explanations = explain(device.limits, input, block, result);
    return result;
}

OccupancyCurve occupancyCurve(const device::Device& device, const OccupancyInput& input,
                              OccupancyAxis axis) {
    const Limits& limits = device.limits;
    std::int64_t first = 1, step = 1, last = limits.registersPerThread;
    std::int64_t own = input.registersPerThread;
    if (axis == OccupancyAxis::SharedBytes) {
        first = 0;
        step = limits.sharedAllocationUnitBytes;
        last = std::max<std::int64_t>(0, limits.sharedBytesPerBlockOptIn - input.staticSharedBytes);
        own = input.dynamicSharedBytes;
    } else if (axis == OccupancyAxis::Threads) {
        first = step = limits.warpSize;
        last = limits.threadsPerBlock;
        own = input.threads;
    }
    OccupancyCurve curve;
    curve.axis = axis;
    for (std::int64_t x = first; x <= last; x += step) {
        OccupancyInput at = input;
        switch (axis) {
        case OccupancyAxis::Registers:
            at.registersPerThread = static_cast<int>(x);
            break;
        case OccupancyAxis::SharedBytes:
            at.dynamicSharedBytes = x;
            break;
        case OccupancyAxis::Threads:
            at.threads = static_cast<int>(x);
            break;
        }
        OccupancyPoint point;
        point.x = x;
        if (launchErrors(limits, at).empty()) {
            const Occupancy result = compute(limits, at, footprintOf(limits, at));
            point.blocksPerSm = result.blocksPerSm;
            point.warpsPerSm = result.warpsPerSm;
            point.occupancy = result.occupancy;
        }
        curve.points.push_back(point);
    }
    const auto nearest = std::min_element(curve.points.begin(), curve.points.end(),
                                          [&](const auto& a, const auto& b) {
                                              return std::llabs(a.x - own) < std::llabs(b.x - own);
                                          });
    curve.current = static_cast<std::size_t>(nearest - curve.points.begin());
    return curve;
}

} // namespace lanescope::model
