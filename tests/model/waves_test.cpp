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

TEST_CASE("a grid or a GPU that is empty is an error") {
    CHECK_FALSE(waves(0, 132, 1));
    CHECK_FALSE(waves(1, 0, 1));
    CHECK_FALSE(waves(1, 132, 0));
    CHECK_FALSE(waves(-1, 132, 1));
    CHECK(waves(std::int64_t{1} << 60, 132, 16)->fullWaves == (std::int64_t{1} << 60) / (132 * 16));
}
