// SPDX-License-Identifier: GPL-3.0-or-later
// Waves: how often the blocks of a grid fill the GPU, and how full the last filling is. Assumes
// that all blocks take equally long.
#pragma once

#include <cstdint>

#include "engine/base/diagnostic.h"
#include "engine/model/explanation.h"

namespace lanescope::model {

struct Waves {
    std::int64_t blocks = 0;
    std::int64_t sms = 0;
    std::int64_t blocksPerSm = 0;
    std::int64_t capacity = 0; ///< blocks of a full wave
    std::int64_t fullWaves = 0;
    std::int64_t waves = 0;
    std::int64_t tailBlocks = 0;    ///< blocks of the last wave when it is not full, else 0
    std::int64_t idleSmsInTail = 0; ///< SMs without a block in that wave, blocks spread evenly
    double slotsUsed = 0;           ///< blocks / (waves x capacity), 0 to 1
    Explanation explanation;
};

/// Error (code "launch"): no blocks, no SMs, or a block that does not fit an SM.
Result<Waves> waves(std::int64_t blocks, std::int64_t sms, std::int64_t blocksPerSm);

/// Sizes of a tiled matmul: C is m x n, a block takes a tile of tileM x tileN and 1 / splitK of K.
struct TiledMatmul {
    std::int64_t m = 0, n = 0;
    std::int64_t tileM = 0, tileN = 0;
    std::int64_t splitK = 1;
};

struct TileWaves {
    std::int64_t blocks = 0;
    Waves waves;
    /// Multiply-adds per element of A and B that a block reads, tileM tileN / (tileM + tileN):
    /// what larger tiles gain where they lose blocks.
    double reuse = 0;
};

/// Blocks ceil(m / tileM) x ceil(n / tileN) x splitK and their waves. Error (code "launch"): a size
/// below 1, or too many blocks; as waves.
Result<TileWaves> tileWaves(const TiledMatmul& matmul, std::int64_t sms, std::int64_t blocksPerSm);

} // namespace lanescope::model
