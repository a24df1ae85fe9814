// SPDX-License-Identifier: GPL-3.0-or-later
// Launch order and the L2: how much of A and B the blocks of a tiled matmul read from device memory
// when those that run at once share what they read.
//
// Wave model: the blocks of a wave run together, each row of tiles of A and each column of tiles of
// B that any of them needs is read once a wave, nothing is kept for the next wave, C is written
// once. Blocks in grouped order: Triton's matmul tutorial (groups of GROUP_M rows of tiles, within a
// group column by column).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/model/explanation.h"

namespace lanescope::model {

struct TileIndex {
    std::int64_t row = 0, column = 0;
    bool operator==(const TileIndex&) const = default;
};

/// Tile of C that program `program` takes in a grid of rows x columns tiles. groupRows 1 is
/// row-major order. Program numbers are 0 to rows x columns - 1.
TileIndex tileOf(std::int64_t program, std::int64_t rows, std::int64_t columns,
                 std::int64_t groupRows);

struct LaunchOrderInput {
    std::int64_t rows = 0, columns = 0; ///< tiles of C
    std::int64_t depth = 1;             ///< tiles along K
    std::int64_t wave = 0;              ///< blocks that run at once
    std::int64_t groupRows = 1;         ///< GROUP_M
    double bytesOfA = 0;                ///< of one tile of A; 0: tiles are counted only
    double bytesOfB = 0;
    double bytesOfC = 0;
};

struct LaunchOrderWave {
    std::int64_t first = 0, blocks = 0;
    std::int64_t rows = 0, columns = 0; ///< distinct rows of A and columns of B
    std::int64_t tiles = 0;             ///< (rows + columns) x depth
};

struct LaunchOrder {
    std::vector<LaunchOrderWave> waves;
    std::int64_t tiles = 0; ///< of A and B, read from device memory
    double bytesRead = 0, bytesWritten = 0, bytes = 0;
    std::int64_t rowMajorTiles = 0;
    double rowMajorBytes = 0;
    double ratio = 0; ///< bytes / row-major bytes (tiles, where there are no bytes)
    Explanation explanation;
};

/// Error (code "model"): sizes below 1, more than 2^24 blocks.
Result<LaunchOrder> launchOrder(const LaunchOrderInput& input);

} // namespace lanescope::model
