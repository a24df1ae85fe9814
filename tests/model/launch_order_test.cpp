// SPDX-License-Identifier: GPL-3.0-or-later
// Launch order and the L2: the figures of L10, section 10.2, exercise 10, and section 8.3.
#include <catch2/catch.hpp>

#include <set>
#include <utility>

#include "engine/model/launch_order.h"

using namespace lanescope;
using namespace lanescope::model;

namespace {

std::int64_t firstTiles(std::int64_t groupRows) {
    const auto order = launchOrder({9, 9, 9, 9, groupRows, 0, 0, 0});
    REQUIRE(order);
    return order->waves[0].tiles;
}

/// 4096 x 4096 x 4096 in half precision.
LaunchOrder halfMatmul(std::int64_t bm, std::int64_t bn, std::int64_t wave, std::int64_t group) {
    const auto order = launchOrder({4096 / bm, 4096 / bn, 1, wave, group, double(bm) * 4096 * 2,
                                    double(bn) * 4096 * 2, double(bm * bn) * 2});
    REQUIRE(order);
    return *order;
}

} // namespace

TEST_CASE("the first nine programs of a 9 x 9 grid read 90 tiles row by row and 54 in groups of 3") {
    CHECK(firstTiles(1) == 90);
    CHECK(firstTiles(3) == 54);
    CHECK(firstTiles(9) == 90);
}

TEST_CASE("4096 cubed: what GROUP_M saves") {
    CHECK(halfMatmul(128, 128, 108, 8).ratio == Approx(0.69).margin(0.005)); // A100
    CHECK(halfMatmul(128, 128, 132, 8).ratio == Approx(0.77).margin(0.005)); // H100
    CHECK(halfMatmul(128, 256, 108, 16).ratio == Approx(0.87).margin(0.005));
    CHECK(halfMatmul(128, 256, 132, 16).ratio == Approx(0.89).margin(0.005));
    CHECK(halfMatmul(128, 128, 132, 4).ratio > 1);
    CHECK(halfMatmul(128, 128, 132, 1).ratio == 1);
}

TEST_CASE("larger tiles read less: 340, 100 and 60 us at 3350 GB/s") {
    const auto microseconds = [](std::int64_t bm, std::int64_t bn) {
        return halfMatmul(bm, bn, 132, 1).bytes / 3350e9 * 1e6;
    };
    CHECK(microseconds(64, 64) == Approx(340).margin(5));
    CHECK(microseconds(128, 128) == Approx(100).margin(5));
    CHECK(microseconds(128, 256) == Approx(60).margin(5));
}

TEST_CASE("every order takes each tile of C once") {
    for (const auto& [rows, columns, group] :
         {std::array{9, 9, 3}, std::array{7, 5, 3}, std::array{1, 8, 4}, std::array{6, 4, 1},
          std::array{5, 3, 100}}) {
        std::set<std::pair<std::int64_t, std::int64_t>> seen;
        for (std::int64_t p = 0; p < rows * columns; ++p) {
            const TileIndex tile = tileOf(p, rows, columns, group);
            CHECK(tile.row >= 0);
            CHECK(tile.row < rows);
            CHECK(tile.column >= 0);
            CHECK(tile.column < columns);
            seen.insert({tile.row, tile.column});
        }
        CHECK(seen.size() == std::size_t(rows * columns));
    }
    CHECK(tileOf(10, 4, 8, 1) == TileIndex{1, 2});
}

TEST_CASE("one wave reads A and B once") {
    const auto order = launchOrder({8, 8, 1, 64, 4, 10, 20, 1});
    REQUIRE(order);
    CHECK(order->bytesRead == 8 * 10 + 8 * 20);
    CHECK(order->bytesWritten == 64);
    CHECK(order->ratio == 1);
}

TEST_CASE("empty and endless grids are refused") {
    CHECK_FALSE(launchOrder({0, 9, 1, 9, 1, 0, 0, 0}));
    CHECK_FALSE(launchOrder({9, 9, 1, 0, 1, 0, 0, 0}));
    CHECK_FALSE(launchOrder({9, 9, 1, 9, 0, 0, 0, 0}));
    CHECK_FALSE(launchOrder({std::int64_t{1} << 40, std::int64_t{1} << 40, 1, 9, 1, 0, 0, 0}));
    CHECK_FALSE(launchOrder({9, 9, 1, 9, 1, -1, 0, 0}));
}
