// SPDX-License-Identifier: GPL-3.0-or-later
#include <vector>

#include <catch2/catch.hpp>

#include "engine/base/lane_mask.h"

using namespace lanescope;

TEST_CASE("a mask has a bit a lane") {
    CHECK(laneCount(0) == 0);
    CHECK(laneCount(kFullMask) == kWarpSize);
    CHECK(firstLane(0) == kWarpSize);
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const LaneMask mask = 1u << lane;
        CHECK(laneCount(mask) == 1);
        CHECK(firstLane(mask) == lane);
        for (int other = 0; other < kWarpSize; ++other)
            CHECK(hasLane(mask, other) == (other == lane));
    }
}

TEST_CASE("lanes are visited lowest first, each once") {
    for (const LaneMask mask : {0u, 1u, 0x80000000u, 0x80000001u, 0xaaaaaaaau, kFullMask}) {
        std::vector<int> expected, seen;
        for (int lane = 0; lane < kWarpSize; ++lane)
            if (hasLane(mask, lane))
                expected.push_back(lane);
        forEachLane(mask, [&](int lane) { seen.push_back(lane); });
        CHECK(seen == expected);
    }
}

TEST_CASE("extents multiply in 64 bits") {
    CHECK(Dim3{}.count() == 1);
    CHECK(Dim3{4, 3, 2}.count() == 24);
    CHECK(Dim3{0, 3, 2}.count() == 0);
    CHECK(Dim3{2147483647u, 65535, 65535}.count() == std::uint64_t{2147483647} * 65535 * 65535);
    CHECK(Dim3{1, 2, 3} != Dim3{3, 2, 1});
}
