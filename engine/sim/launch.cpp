// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/launch.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "engine/sim/block_machine.h"

namespace lanescope::sim {

Dim3 Launch::blockAt(std::uint64_t linear) const {
    const std::uint64_t plane = std::uint64_t{grid.x} * grid.y;
    return {static_cast<std::uint32_t>(linear % grid.x), static_cast<std::uint32_t>(linear % plane / grid.x),
            static_cast<std::uint32_t>(linear / plane)};
}

Dim3 Launch::threadAt(std::uint32_t warp, int lane) const {
    const std::uint64_t linear = std::uint64_t{warp} * kWarpSize + static_cast<unsigned>(lane);
    const std::uint64_t plane = std::uint64_t{block.x} * block.y;
    return {static_cast<std::uint32_t>(linear % block.x), static_cast<std::uint32_t>(linear % plane / block.x),
            static_cast<std::uint32_t>(linear / plane)};
}

namespace {

/// Local and constant memory beyond what a device has, global memory beyond what is held here.
template <class Refuse>
void refuseMemory(const Launch& launch, const Refuse& refuse) {
    std::uint64_t local = 0, constant = 0, global = 0;
    const auto count = [&](const ptx::Variable& v) {
        std::uint64_t& sum = v.space == ptx::Space::Local ? local : v.space == ptx::Space::Const ? constant : global;
        if (v.space == ptx::Space::Local || v.space == ptx::Space::Const || v.space == ptx::Space::Global)
            sum = std::min(sum + std::min(v.sizeBytes, std::uint64_t{1} << 60), std::uint64_t{1} << 60);
    };
    for (const ptx::Variable& v : launch.program->module->variables)
        count(v);
    for (const FunctionLayout& f : launch.program->functions)
        for (const ptx::Variable& v : launch.program->module->functions[f.moduleIndex].variables)
            count(v);
    for (const Argument& a : launch.arguments)
        global += a.ownsMemory() ? a.size() : 0;
    const LaunchLimits& limits = launch.limits;
    if (local > limits.localBytes)
        refuse(fmt::format("{} bytes of local memory a thread, the limit is {}", local, limits.localBytes), "make the thread's own arrays smaller");
    if (constant > limits.constantBytes)
        refuse(fmt::format("{} bytes of constant memory, the limit is {}", constant, limits.constantBytes), "keep large tables in global memory");
    if (global > limits.globalBytes)
        refuse(fmt::format("{} bytes of buffers and global variables, the simulator holds {}", global, limits.globalBytes), "simulate a smaller problem");
}

/// A tensor map that cuTensorMapEncodeTiled would refuse, or whose tensor is larger than its buffer.
void checkTensorMap(const Launch& launch, std::size_t index, Diagnostics& errors) {
    const Argument& a = launch.arguments[index];
    const ptx::Parameter& p = launch.program->entry().parameters[index];
    const auto refuse = [&](std::string message, std::string hint) {
        errors.push_back({Severity::Error, "argument", fmt::format("argument {}: {}", index, message), {}, std::move(hint)});
    };
    if (p.sizeBytes != TensorMap::kBytes && p.sizeBytes != 8) {
        refuse(fmt::format("a tensor map has 128 bytes (or its address 8), but parameter {} has {}", p.name, p.sizeBytes),
               "take it as const __grid_constant__ CUtensorMap or const CUtensorMap*");
        return;
    }
    TensorMap map = a.tensorMap->map;
    map.address = a.tensorMap->offset;
    if (const Result<void> checked = map.check(); !checked) {
        for (const Diagnostic& d : checked.error())
            refuse(d.message, d.hint);
        return;
    }
    const int buffer = a.tensorMap->buffer;
    if (buffer >= 0 && (static_cast<std::size_t>(buffer) >= launch.arguments.size() || !launch.arguments[static_cast<std::size_t>(buffer)].isBuffer)) {
        refuse(fmt::format("the tensor is to lie in argument {}, which is no buffer", buffer), "name a buffer's argument in of=, or give data=");
        return;
    }
    const std::uint64_t size = buffer >= 0 ? launch.arguments[static_cast<std::size_t>(buffer)].size() : a.size();
    const std::uint64_t extent = map.extentBytes();
    if (a.tensorMap->offset > size || extent > size - a.tensorMap->offset)
        refuse(fmt::format("the tensor takes {} bytes from byte {} on, its buffer has {}", extent, a.tensorMap->offset, size), "give a larger buffer or smaller sizes");
}

} // namespace

Result<void> checkLaunch(const Launch& launch, Where where) {
    Diagnostics errors;
    const LaunchLimits& limits = launch.limits;
    const ptx::Function& entry = launch.program->entry();
    const auto refuse = [&](std::string message, std::string hint) {
        errors.push_back({Severity::Error, "launch", std::move(message), {}, std::move(hint)});
    };
    const Dim3& b = launch.block;
    const Dim3& g = launch.grid;
    // In 64 bits the product of three large extents wraps around; the extents themselves are then refused below.
    const auto isLarge = [](const Dim3& d) { return d.x > 1u << 31 || std::uint64_t{d.x} * d.y > 1u << 31; };
    if (b.x == 0 || b.y == 0 || b.z == 0 || g.x == 0 || g.y == 0 || g.z == 0)
        refuse(fmt::format("a launch needs at least one block and one thread, this one has {} x {} x {} blocks of {} x {} x {} threads",
                           g.x, g.y, g.z, b.x, b.y, b.z),
               "make every extent at least 1 (cudaErrorInvalidConfiguration)");
    else if (!isLarge(b) && b.count() > limits.threadsPerBlock)
        refuse(fmt::format("{} x {} x {} = {} threads a block, the limit is {}", b.x, b.y, b.z, b.count(), limits.threadsPerBlock),
               "make the block smaller (cudaErrorInvalidConfiguration)");
    if (b.x > limits.block.x || b.y > limits.block.y || b.z > limits.block.z)
        refuse(fmt::format("a block of {} x {} x {} threads, the limits are {} x {} x {}", b.x, b.y, b.z, limits.block.x,
                           limits.block.y, limits.block.z),
               "fold the large dimension into another (cudaErrorInvalidConfiguration)");
    if (g.x > limits.grid.x || g.y > limits.grid.y || g.z > limits.grid.z)
        refuse(fmt::format("a grid of {} x {} x {} blocks, the limits are {} x {} x {}", g.x, g.y, g.z, limits.grid.x,
                           limits.grid.y, limits.grid.z),
               "put the large dimension into x (cudaErrorInvalidConfiguration)");
    if (launch.sharedBytes() > limits.sharedBytes)
        refuse(fmt::format("{} bytes of shared memory a block ({} static, {} dynamic), the limit is {}", launch.sharedBytes(),
                           launch.program->staticSharedBytes, launch.dynamicSharedBytes, limits.sharedBytes),
               "use a smaller tile or another GPU (cudaErrorInvalidValue)");
    else if (launch.program->staticSharedBytes > limits.staticSharedBytes)
        refuse(fmt::format("{} bytes of static shared memory a block, the limit is {}", launch.program->staticSharedBytes, limits.staticSharedBytes),
               "make the arrays dynamic: extern __shared__, and give the size at the launch (--shared)");
    refuseMemory(launch, refuse);
    const ptx::LaunchBounds& bounds = entry.bounds;
    const Dim3 cluster{bounds.clusterX.value_or(1), bounds.clusterY.value_or(1), bounds.clusterZ.value_or(1)};
    if (where == Where::Simulator && (cluster.x != 1 || cluster.y != 1 || cluster.z != 1))
        errors.push_back({Severity::Error, "unsupported",
                          fmt::format("clusters of {} x {} x {} blocks (.reqnctapercluster) are not simulated, only clusters of one block", cluster.x, cluster.y, cluster.z),
                          {}, "compile the kernel with __cluster_dims__(1)"});
    else if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0 || g.x % cluster.x != 0 || g.y % cluster.y != 0 || g.z % cluster.z != 0)
        refuse(fmt::format("a grid of {} x {} x {} blocks does not consist of whole clusters of {} x {} x {} (.reqnctapercluster)", g.x, g.y, g.z, cluster.x, cluster.y, cluster.z),
               "make every extent of the grid a multiple of the cluster's (cudaErrorInvalidClusterSize)");
    if (bounds.maxThreadsX) {
        const std::uint64_t most = std::uint64_t{*bounds.maxThreadsX} * bounds.maxThreadsY.value_or(1) * bounds.maxThreadsZ.value_or(1);
        if (b.count() > most)
            refuse(fmt::format("{} threads a block, but the kernel was compiled for at most {} (.maxntid)", b.count(), most),
                   "launch fewer threads or change __launch_bounds__ (cudaErrorInvalidConfiguration)");
    }
    if (bounds.requiredX) {
        const Dim3 required{*bounds.requiredX, bounds.requiredY.value_or(1), bounds.requiredZ.value_or(1)};
        if (b != required)
            refuse(fmt::format("a block of {} x {} x {} threads, but the kernel requires {} x {} x {} (.reqntid)", b.x, b.y, b.z,
                               required.x, required.y, required.z),
                   "launch exactly that block (cudaErrorInvalidConfiguration)");
    }
    if (launch.arguments.size() != entry.parameters.size()) {
        std::string names;
        for (const ptx::Parameter& p : entry.parameters)
            names += fmt::format("{}{} ({} bytes)", names.empty() ? "" : ", ", p.name, p.sizeBytes);
        errors.push_back({Severity::Error, "argument",
                          fmt::format("kernel {} takes {} argument{}, {} given", entry.name, entry.parameters.size(),
                                      entry.parameters.size() == 1 ? "" : "s", launch.arguments.size()),
                          {},
                          names.empty() ? std::string("it takes none") : "it takes " + names});
    } else {
        for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
            const ptx::Parameter& p = entry.parameters[i];
            const Argument& a = launch.arguments[i];
            if (a.tensorMap)
                checkTensorMap(launch, i, errors);
            else if (a.isBuffer ? p.sizeBytes != 8 : a.bytes.size() != p.sizeBytes)
                errors.push_back({Severity::Error, "argument",
                                  a.isBuffer
                                      ? fmt::format("argument {} is a buffer, whose address has 8 bytes, but parameter {} has {}", i, p.name, p.sizeBytes)
                                      : fmt::format("argument {} has {} bytes, but parameter {} has {}", i, a.bytes.size(), p.name, p.sizeBytes),
                                  {},
                                  p.sizeBytes == 8 ? "give a buffer (zeros:, iota:, random:, file:) or a 64-bit scalar (i64:, u64:, f64:)"
                                  : p.sizeBytes == 1 || p.sizeBytes == 2 || p.sizeBytes == 4
                                      ? fmt::format("give a scalar of {} bytes", p.sizeBytes)
                                      : fmt::format("give the {} bytes of the structure (zeros:, iota:, random:, file:)", p.sizeBytes)});
        }
    }
    if (!errors.empty())
        return failure(std::move(errors));
    return {};
}

Memory makeMemory(const Launch& launch) {
    Memory memory;
    addProgramVariables(*launch.program, memory.global);
    const ptx::Function& entry = launch.program->entry();
    memory.parameters.assign(launch.program->parameterBytes, 0);
    std::vector<std::size_t> maps;
    for (std::size_t i = 0; i < launch.arguments.size() && i < entry.parameters.size(); ++i) {
        const Argument& a = launch.arguments[i];
        const ptx::Parameter& p = entry.parameters[i];
        int allocation = -1;
        if (a.tensorMap) {
            maps.push_back(i);
            if (a.tensorMap->buffer < 0)
                allocation = static_cast<int>(memory.global.add(a.name, AllocationKind::Argument, a.bytes, static_cast<int>(i)));
        } else if (a.isBuffer) {
            allocation = static_cast<int>(memory.global.add(a.name, AllocationKind::Argument, a.bytes, static_cast<int>(i), a.unbackedBytes));
            const std::uint64_t base = memory.global.at(static_cast<std::size_t>(allocation)).base;
            std::memcpy(memory.parameters.data() + p.offset, &base, sizeof base);
        } else {
            std::memcpy(memory.parameters.data() + p.offset, a.bytes.data(), std::min<std::size_t>(a.bytes.size(), p.sizeBytes));
        }
        memory.allocationOfArgument.push_back(allocation);
    }
    for (const std::size_t i : maps) {
        const TensorMapArgument& argument = *launch.arguments[i].tensorMap;
        const ptx::Parameter& p = entry.parameters[i];
        const int tensor = memory.allocationOfArgument[argument.buffer >= 0 ? static_cast<std::size_t>(argument.buffer) : i];
        TensorMap map = argument.map;
        map.address = memory.global.at(static_cast<std::size_t>(tensor)).base + argument.offset;
        const auto encoded = map.encode();
        if (p.sizeBytes == encoded.size()) {
            std::memcpy(memory.parameters.data() + p.offset, encoded.data(), encoded.size());
            continue;
        }
        const std::size_t holder = memory.global.add(launch.arguments[i].name + " (tensor map)", AllocationKind::Argument,
                                                     std::vector<std::uint8_t>(encoded.begin(), encoded.end()), static_cast<int>(i));
        std::memcpy(memory.parameters.data() + p.offset, &memory.global.at(holder).base, sizeof(std::uint64_t));
    }
    return memory;
}

RunResult run(const Launch& launch, Memory& memory, const RunOptions& options) {
    RunResult result;
    std::vector<InstructionCounts> raw(rawCountersSize(*launch.program));
    BlockMachine machine(launch, memory, options.sinks, &raw);
    const std::uint64_t blocks = options.blocks.empty() ? launch.blockCount() : options.blocks.size();
    std::uint64_t budget = options.maxInstructions;
    for (std::uint64_t i = 0; i < blocks && result.finished; ++i) {
        const std::uint64_t block = options.blocks.empty() ? i : options.blocks[i];
        machine.start(block);
        budget -= machine.run(budget, options.cancel);
        if (options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed)) {
            result.finished = false;
            result.cancelled = true;
        } else if (!machine.ended()) {
            machine.reportBudget();
            result.finished = false;
        } else if (machine.state().stopped) {
            result.finished = false; // a trap ends the whole launch
        }
        for (EventSink* sink : options.sinks)
            sink->endBlock(static_cast<std::uint32_t>(block));
        ++result.blocksRun;
        if (options.progress)
            options.progress(i + 1, blocks);
    }
    result.counters = fold(*launch.program, launch.limits.tensor, raw);
    result.counters.blocks = result.blocksRun;
    result.counters.warps = result.blocksRun * static_cast<std::uint64_t>(launch.warpsPerBlock());
    result.counters.threads = result.blocksRun * launch.block.count();
    return result;
}

} // namespace lanescope::sim
