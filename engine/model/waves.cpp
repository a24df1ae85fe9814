// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/waves.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace lanescope::model {

Result<Waves> waves(std::int64_t blocks, std::int64_t sms, std::int64_t blocksPerSm) {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    if (sms < 1 || sms > kMost || blocksPerSm > kMost)
        return failure("launch", fmt::format("{} SMs with {} blocks each", sms, blocksPerSm), {},
                       "give the SMs of a GPU");
    if (blocksPerSm < 1)
        return failure("launch", "no block fits on an SM", {},
                       "see the occupancy: use fewer registers, threads or less shared memory");
    if (blocks < 1)
        return failure("launch", fmt::format("a grid of {} blocks", blocks), {},
                       "give the grid a size of 1 or more in each dimension");
    Waves result;
    result.blocks = blocks;
    result.sms = sms;
    result.blocksPerSm = blocksPerSm;
    result.capacity = sms * blocksPerSm;
    result.fullWaves = blocks / result.capacity;
    result.tailBlocks = blocks % result.capacity;
    result.waves = result.fullWaves + (result.tailBlocks > 0 ? 1 : 0);
    result.idleSmsInTail =
        result.tailBlocks > 0 ? std::max<std::int64_t>(0, sms - result.tailBlocks) : 0;
    result.slotsUsed = double(blocks) / (double(result.waves) * double(result.capacity));
    result.explanation = {"slots used",
                          result.slotsUsed,
                          "",
                          "blocks / (ceil(blocks / (SMs x blocks per SM)) x SMs x blocks per SM)",
                          {inputOf("blocks", double(blocks), "blocks", "the launch"),
                           inputOf("SMs", double(sms), "SMs", "the GPU"),
                           inputOf("blocks per SM", double(blocksPerSm), "blocks", "occupancy")},
                          {"all blocks take equally long"}};
    return result;
}

Result<TileWaves> tileWaves(const TiledMatmul& matmul, std::int64_t sms, std::int64_t blocksPerSm) {
    constexpr std::int64_t kMost = std::int64_t{1} << 20;
    for (const std::int64_t size :
         {matmul.m, matmul.n, matmul.tileM, matmul.tileN, matmul.splitK})
        if (size < 1 || size > kMost)
            return failure("launch",
                           fmt::format("C of {} x {} in tiles of {} x {}, K in {} parts", matmul.m,
                                       matmul.n, matmul.tileM, matmul.tileN, matmul.splitK),
                           {}, fmt::format("give sizes from 1 to {}", kMost));
    const auto ceilDiv = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    TileWaves result;
    result.blocks =
        ceilDiv(matmul.m, matmul.tileM) * ceilDiv(matmul.n, matmul.tileN) * matmul.splitK;
    Result<Waves> w = waves(result.blocks, sms, blocksPerSm);
    if (!w)
        return failure(w.error());
    result.waves = std::move(*w);
    result.reuse = double(matmul.tileM) * double(matmul.tileN) / double(matmul.tileM + matmul.tileN);
    return result;
}

} // namespace lanescope::model
