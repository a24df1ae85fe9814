// SPDX-License-Identifier: GPL-3.0-or-later
// Occupancy against the CUDA Toolkit's own calculator (cuda_occupancy.h) on random configurations
// of every compute capability.
#include <catch2/catch.hpp>

#include "engine/model/occupancy.h"

#ifdef LANESCOPE_HAS_CUDA_OCCUPANCY

#include <climits>
#include <random>

#include <cuda_occupancy.h>

using namespace lanescope;

namespace {

cudaOccDeviceProp propertiesOf(const device::Limits& limits) {
    cudaOccDeviceProp p;
    p.computeMajor = limits.capability.major;
    p.computeMinor = limits.capability.minor;
    p.maxThreadsPerBlock = limits.threadsPerBlock;
    p.maxThreadsPerMultiprocessor = limits.threadsPerSm;
    p.regsPerBlock = limits.registersPerBlock;
    p.regsPerMultiprocessor = limits.registersPerSm;
    p.warpSize = limits.warpSize;
    p.sharedMemPerBlock = static_cast<std::size_t>(limits.sharedBytesPerBlock);
    p.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.sharedBytesPerSm);
    p.numSms = 100;
    p.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.sharedBytesPerBlockOptIn);
    p.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.sharedBytesReservedPerBlock);
    return p;
}

cudaOccError runHeader(const device::Limits& limits, const model::OccupancyInput& input,
                       cudaOccResult& result) {
    const cudaOccDeviceProp properties = propertiesOf(limits);
    cudaOccFuncAttributes function;
    function.maxThreadsPerBlock = INT_MAX;
    function.numRegs = input.registersPerThread;
    function.sharedSizeBytes = static_cast<std::size_t>(input.staticSharedBytes);
    function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    function.maxDynamicSharedSizeBytes = static_cast<std::size_t>(input.dynamicSharedBytes);
    function.numBlockBarriers = input.barriers;
    cudaOccDeviceState state;
    state.carveoutConfig = input.carveOutPercent.value_or(SHAREDMEM_CARVEOUT_DEFAULT);
    return cudaOccMaxActiveBlocksPerMultiprocessor(
        &result, &properties, &function, &state, input.threads,
        static_cast<std::size_t>(input.dynamicSharedBytes));
}

int orUnlimited(const std::optional<int>& limit) {
    return limit.value_or(INT_MAX);
}

} // namespace

TEST_CASE("occupancy equals cuda_occupancy.h") {
    std::mt19937 random(7);
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    const auto limits = device::allLimits();
    REQUIRE(limits);
    int compared = 0, failing = 0, differing = 0;
    for (const device::Limits& l : *limits) {
        device::Device device;
        device.limits = l;
        for (int i = 0; i < 6000; ++i) {
            model::OccupancyInput input;
            input.threads = pick(0, 3) == 0 ? pick(1, 1100) : 32 << pick(0, 5);
            input.registersPerThread = pick(0, 9) == 0   ? 0
                                       : pick(1, 3) == 1 ? pick(1, 255)
                                                         : pick(1, 96);
            if (pick(0, 3) == 0)
                input.staticSharedBytes = pick(0, 49152);
            if (pick(0, 2) == 0)
                input.dynamicSharedBytes =
                    pick(0, 2) == 0 ? pick(0, 240 * 1024) : pick(0, 96 * 1024);
            else if (pick(0, 1) == 0)
                input.dynamicSharedBytes = 128 * pick(0, 500);
            input.barriers = pick(0, 2) == 0 ? pick(0, 16) : 1;
            if (pick(0, 1) == 0)
                input.carveOutPercent = pick(0, 100);
            cudaOccResult header{};
            const cudaOccError error = runHeader(l, input, header);
            REQUIRE(error != CUDA_OCC_ERROR_UNKNOWN_DEVICE);
            const int wanted = error == CUDA_OCC_SUCCESS ? header.activeBlocksPerMultiprocessor : 0;
            const auto ours = model::occupancy(device, input);
            ++compared;
            failing += ours ? 0 : 1;
            bool same = (ours ? ours->blocksPerSm : 0) == wanted;
            if (ours && same)
                same = ours->limits.warps == header.blockLimitWarps &&
                       ours->limits.blocks == header.blockLimitBlocks &&
                       orUnlimited(ours->limits.registers) == header.blockLimitRegs &&
                       orUnlimited(ours->limits.shared) == header.blockLimitSharedMem &&
                       orUnlimited(ours->limits.barriers) == header.blockLimitBarriers &&
                       ours->registersAllocated == header.allocatedRegistersPerBlock &&
                       ours->sharedAllocated ==
                           static_cast<std::int64_t>(header.allocatedSharedMemPerBlock);
            if (!same && ++differing <= 5) {
                CAPTURE(toString(l.capability), input.threads, input.registersPerThread,
                        input.staticSharedBytes, input.dynamicSharedBytes, input.barriers,
                        input.carveOutPercent.value_or(-1), wanted, int(error),
                        header.blockLimitWarps, header.blockLimitRegs, header.blockLimitSharedMem,
                        header.blockLimitBarriers);
                CHECK((ours ? ours->blocksPerSm : 0) == wanted);
                CHECK(same);
            }
        }
    }
    CHECK(differing == 0);
    CHECK(compared >= 50000);
    CHECK(failing > 1000); // launches that cannot run were among them
    CHECK(failing < compared / 2);
}

#else

TEST_CASE("occupancy equals cuda_occupancy.h") {
    WARN("skipped: cuda_occupancy.h was not found; set CUDA_HOME to compare with it");
}

#endif
