// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/launch_order.h"

#include <algorithm>

#include <fmt/format.h>

namespace lanescope::model {

namespace {

constexpr std::int64_t kMostBlocks = std::int64_t{1} << 24;

std::vector<LaunchOrderWave> wavesOf(const LaunchOrderInput& input, std::int64_t groupRows) {
    const auto index = [](std::int64_t v) { return static_cast<std::size_t>(v); };
    std::vector<LaunchOrderWave> waves;
    // The wave that last needed the row or column, so that each counts once a wave.
    std::vector<std::size_t> rowSeen(index(input.rows)), columnSeen(index(input.columns));
    const std::int64_t blocks = input.rows * input.columns;
    for (std::int64_t first = 0; first < blocks; first += input.wave) {
        LaunchOrderWave wave;
        wave.first = first;
        wave.blocks = std::min(input.wave, blocks - first);
        const std::size_t stamp = waves.size() + 1;
        for (std::int64_t p = first; p < first + wave.blocks; ++p) {
            const TileIndex tile = tileOf(p, input.rows, input.columns, groupRows);
            if (rowSeen[index(tile.row)] != stamp)
                ++wave.rows;
            if (columnSeen[index(tile.column)] != stamp)
                ++wave.columns;
            rowSeen[index(tile.row)] = columnSeen[index(tile.column)] = stamp;
        }
        wave.tiles = (wave.rows + wave.columns) * input.depth;
        waves.push_back(wave);
    }
    return waves;
}

struct Sum {
    std::int64_t tiles = 0;
    double bytes = 0;
};

Sum sumOf(const std::vector<LaunchOrderWave>& waves, const LaunchOrderInput& input) {
    Sum sum;
    for (const LaunchOrderWave& w : waves) {
        sum.tiles += w.tiles;
        sum.bytes += double(input.depth) *
                     (double(w.rows) * input.bytesOfA + double(w.columns) * input.bytesOfB);
    }
    return sum;
}

} // namespace

TileIndex tileOf(std::int64_t program, std::int64_t rows, std::int64_t columns,
                 std::int64_t groupRows) {
    const std::int64_t perGroup = groupRows * columns;
    const std::int64_t firstRow = program / perGroup * groupRows;
    const std::int64_t inGroup = std::min(rows - firstRow, groupRows);
    return {firstRow + program % perGroup % inGroup, program % perGroup / inGroup};
}

Result<LaunchOrder> launchOrder(const LaunchOrderInput& input) {
    if (input.rows < 1 || input.columns < 1 || input.depth < 1 || input.wave < 1 ||
        input.groupRows < 1)
        return failure("model",
                       fmt::format("{} x {} x {} tiles, {} blocks at once, GROUP_M {}", input.rows,
                                   input.columns, input.depth, input.wave, input.groupRows),
                       {}, "give 1 or more of each");
    if (input.rows > kMostBlocks / input.columns || input.depth > kMostBlocks ||
        input.groupRows > kMostBlocks)
        return failure("model", fmt::format("{} x {} tiles", input.rows, input.columns), {},
                       fmt::format("give at most {} blocks: larger tiles or a smaller problem",
                                   kMostBlocks));
    if (!(input.bytesOfA >= 0) || !(input.bytesOfB >= 0) || !(input.bytesOfC >= 0))
        return failure("model", "a tile has a negative size", {}, "give bytes of 0 or more");
    LaunchOrder result;
    result.waves = wavesOf(input, input.groupRows);
    const Sum own = sumOf(result.waves, input);
    const Sum rowMajor = sumOf(wavesOf(input, 1), input);
    result.tiles = own.tiles;
    result.rowMajorTiles = rowMajor.tiles;
    result.bytesRead = own.bytes;
    result.bytesWritten = double(input.rows) * double(input.columns) * input.bytesOfC;
    result.bytes = result.bytesRead + result.bytesWritten;
    result.rowMajorBytes = rowMajor.bytes + result.bytesWritten;
    result.ratio = result.rowMajorBytes > 0 ? result.bytes / result.rowMajorBytes
                                            : double(own.tiles) / double(rowMajor.tiles);
    result.explanation = {
        "traffic of this order / traffic of row-major order",
        result.ratio,
        "",
        "(sum over waves of rows x A + columns x B, + C) / (the same in row-major order)",
        {inputOf("rows of tiles", double(input.rows), "", "the problem"),
         inputOf("columns of tiles", double(input.columns), "", "the problem"),
         inputOf("tiles along K", double(input.depth), "", "the problem"),
         inputOf("blocks at once", double(input.wave), "blocks", "SMs x blocks per SM"),
         inputOf("GROUP_M", double(input.groupRows), "rows", "the kernel"),
         inputOf("A", input.bytesOfA, "bytes/tile", "the tile"),
         inputOf("B", input.bytesOfB, "bytes/tile", "the tile"),
         inputOf("C", result.bytesWritten, "bytes", "the problem")},
        {"blocks of a wave run in step, so that what they share is read once and still in the L2",
         "nothing of a wave is kept for the next", "C is written once"}};
    return result;
}

} // namespace lanescope::model
