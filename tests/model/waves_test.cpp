// SPDX-License-Identifier: GPL-3.0-or-later
// Waves of the lessons.
#include <catch2/catch.hpp>

#include "engine/model/waves.h"

using namespace lanescope;
using namespace lanescope::model;

TEST_CASE("one block too many costs a second wave") {
    const auto full = waves(132, 132, 1);
    REQUIRE(full);
    CHECK(full->waves == 1);
    CHECK(full->tailBlocks == 0);
    CHECK(full->idleSmsInTail == 0);
    CHECK(full->slotsUsed == 1.0);
    const auto more = waves(133, 132, 1);
    REQUIRE(more);
    CHECK(more->fullWaves == 1);
    CHECK(more->waves == 2);
    CHECK(more->tailBlocks == 1);
    CHECK(more->idleSmsInTail == 131);
    CHECK(more->slotsUsed == Approx(133.0 / 264));
}

TEST_CASE("160 blocks on 148 SMs: a second wave of 12") {
    const auto result = waves(160, 148, 1);
    REQUIRE(result);
    CHECK(result->waves == 2);
    CHECK(result->tailBlocks == 12);
}

TEST_CASE("a 1024 x 1024 matrix in tiles of 128 and 64") {
    CHECK(waves(64, 132, 2)->waves == 1);
    CHECK(waves(64, 132, 2)->slotsUsed == Approx(0.2424).epsilon(0.001));
    CHECK(waves(256, 132, 4)->slotsUsed == Approx(0.4848).epsilon(0.001));
}

TEST_CASE("tiles of a matmul: blocks, reuse and split-K") {
    const auto large = tileWaves({1024, 1024, 128, 128, 1}, 132, 2);
    const auto small = tileWaves({1024, 1024, 64, 64, 1}, 132, 4);
    const auto split = tileWaves({1024, 1024, 128, 128, 4}, 132, 2);
    REQUIRE(large);
    REQUIRE(small);
    REQUIRE(split);
    CHECK(large->blocks == 64);
    CHECK(large->waves.slotsUsed == Approx(0.24).margin(0.005));
    CHECK(large->reuse == 64);
    CHECK(small->blocks == 256);
    CHECK(small->waves.slotsUsed == Approx(0.48).margin(0.005));
    CHECK(small->reuse == 32);
    CHECK(split->blocks == 256);
    CHECK(split->waves.slotsUsed == Approx(256.0 / 264));
    CHECK(tileWaves({100, 70, 64, 64, 1}, 132, 1)->blocks == 4);
    CHECK_FALSE(tileWaves({1024, 1024, 0, 128, 1}, 132, 2));
    CHECK_FALSE(tileWaves({1024, 1024, 128, 128, 0}, 132, 2));
    CHECK_FALSE(tileWaves({1 << 20, 1 << 20, 1, 1, 1 << 20}, 132, 0));
}

TEST_CASE("a grid or a GPU that is empty is an error") {
    CHECK_FALSE(waves(0, 132, 1));
    CHECK_FALSE(waves(1, 0, 1));
    CHECK_FALSE(waves(1, 132, 0));
    CHECK_FALSE(waves(-1, 132, 1));
    CHECK(waves(std::int64_t{1} << 60, 132, 16)->fullWaves == (std::int64_t{1} << 60) / (132 * 16));
}
