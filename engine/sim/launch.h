// SPDX-License-Identifier: GPL-3.0-or-later
// A launch: the program, its shape and arguments, and running it block after block.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/base/lane_mask.h"
#include "engine/sim/address_space.h"
#include "engine/sim/counters.h"
#include "engine/sim/event.h"
#include "engine/sim/program.h"
#include "engine/sim/tensor_map.h"
#include "engine/tensor/product.h"

namespace lanescope::sim {

/// Order in which the warps of a block take turns. Findings and results of race-free kernels do not depend on it.
enum class Schedule : std::uint8_t {
    InTurn,  ///< every warp executes its next visible instruction (shared, global, barrier) before any goes on to the one after
    Reverse, ///< the same, last warp first
    Random   ///< a random warp each turn
};

/// What a launch may not exceed. From the device description.
struct LaunchLimits {
    std::uint32_t threadsPerBlock = 1024;
    Dim3 block{1024, 1024, 64};
    Dim3 grid{2147483647u, 65535, 65535};
    std::uint64_t sharedBytes = 232448; ///< static + dynamic, opt-in
    std::uint64_t staticSharedBytes = 49152; ///< more must be dynamic: ptxas refuses it on every compute capability
    std::uint64_t localBytes = 512 << 10;  ///< local memory of a thread (CUDA Programming Guide, technical specifications)
    std::uint64_t constantBytes = 64 << 10; ///< .const variables (the same table)
    std::uint64_t globalBytes = std::uint64_t{4} << 30; ///< .global variables and buffers together: what we are willing to hold
    tensor::Generation tensor;          ///< arithmetic of the tensor cores
    std::uint32_t smCount = 132;        ///< for %nsmid and %smid
};

/// A tensor map as an argument: 128 bytes by value, or where the parameter is a pointer its address.
struct TensorMapArgument {
    TensorMap map;        ///< its address is filled in when the launch has memory
    int buffer = -1;      ///< the argument whose buffer holds the tensor; -1: the argument's own bytes
    std::uint64_t offset = 0; ///< bytes from its start to the tensor's element 0
};

struct Argument {
    std::string name; ///< "A"; the PTX parameter's name when nothing better is known
    /// A buffer: its contents. A scalar or structure: the parameter's bytes. A tensor map: the contents of the tensor's own buffer.
    std::vector<std::uint8_t> bytes;
    bool isBuffer = false;
    std::optional<TensorMapArgument> tensorMap;
    /// Has an allocation: a buffer, or the tensor of a tensor map.
    bool ownsMemory() const { return isBuffer || (tensorMap && tensorMap->buffer < 0); }
    /// A buffer without contents: its size. For programs that move no data (countingProgram).
    std::uint64_t unbackedBytes = 0;
    std::uint64_t size() const { return bytes.size() + unbackedBytes; }
};

struct Launch {
    std::shared_ptr<const Program> program;
    Dim3 grid, block;
    std::uint64_t dynamicSharedBytes = 0;
    std::vector<Argument> arguments;
    LaunchLimits limits;
    Schedule schedule = Schedule::InTurn;
    std::uint64_t seed = 1;

    std::uint64_t sharedBytes() const { return program->staticSharedBytes + dynamicSharedBytes; }
    int warpsPerBlock() const { return static_cast<int>((block.count() + kWarpSize - 1) / kWarpSize); }
    std::uint64_t blockCount() const { return grid.count(); }
    /// Coordinates of a linear block index (x fastest).
    Dim3 blockAt(std::uint64_t linear) const;
    /// Coordinates of a thread of the block.
    Dim3 threadAt(std::uint32_t warp, int lane) const;
};

/// Where a launch shall run: a GPU also runs clusters of several blocks.
enum class Where : std::uint8_t { Simulator, Gpu };
/// Refuses what the device would refuse (threads, grid, clusters, shared memory, launch bounds, arguments), each with what, limit and what to do;
/// the simulator also what it does not do.
Result<void> checkLaunch(const Launch& launch, Where where = Where::Simulator);

/// Global memory with the program's variables and the buffers, and the kernel's parameter block with their addresses in it.
struct Memory {
    GlobalMemory global;
    std::vector<std::uint8_t> parameters;
    /// Allocation of each argument (of a tensor map: of its own tensor), -1 for others.
    std::vector<int> allocationOfArgument;
};
Memory makeMemory(const Launch& launch);

struct RunOptions {
    std::uint64_t maxInstructions = 2'000'000'000; ///< warp instructions in all
    /// Linear indices of the blocks to run, ascending; empty: all.
    std::vector<std::uint64_t> blocks;
    std::vector<EventSink*> sinks;
    const std::atomic<bool>* cancel = nullptr;
    /// Called after each block with (blocks done, blocks to do).
    std::function<void(std::uint64_t, std::uint64_t)> progress;
};

struct RunResult {
    Counters counters;
    std::uint64_t blocksRun = 0;
    bool finished = true;  ///< false: stopped at the budget or cancelled
    bool cancelled = false;
};

/// Runs the launch on `memory` (which keeps the results).
RunResult run(const Launch& launch, Memory& memory, const RunOptions& options);

} // namespace lanescope::sim
