// SPDX-License-Identifier: GPL-3.0-or-later
// Curriculum, "Feeding them" and "How many stages" (L10, sections 8.3 and 8.4, exercises 7 and 9).
#include <catch2/catch.hpp>

#include "engine/model/feeding.h"

using namespace lanescope;
using namespace lanescope::model;

namespace {

device::Device gpu(const char* id) {
    const auto device = device::findDevice(id);
    REQUIRE(device);
    return *device;
}

TileTraffic traffic(int rows, int columns) {
    const auto t = tileTraffic(gpu("h100"), {}, rows, columns);
    REQUIRE(t);
    return *t;
}

} // namespace

TEST_CASE("the least warp tile is 32 x 32 on an A100 and 64 x 64 on an H100", "[feeding]") {
    const auto a100 = warpTile(gpu("a100"), 32, 32);
    REQUIRE(a100);
    CHECK(a100->reuse == 8.0);
    CHECK(a100->needed == 8.0);
    CHECK(a100->enough);
    CHECK(a100->leastSquare == 32);
    const auto h100 = warpTile(gpu("h100"), 64, 64);
    REQUIRE(h100);
    CHECK(h100->reuse == 16.0);
    CHECK(h100->needed == 16.0);
    CHECK(h100->enough);
    CHECK(h100->leastSquare == 64);
    CHECK(h100->accumulators == 128);
    CHECK_FALSE(warpTile(gpu("h100"), 64, 32)->enough);
    CHECK(warpTile(gpu("h100"), 64, 32)->reuse == Approx(64.0 * 32 / (2 * 96)));
}

TEST_CASE("device memory at 4096 cubed on an H100 by tile, against 140 us of arithmetic", "[feeding]") {
    // The course says about 340, 100 and 60 us. The wave model gives 326, 92 and 51 us of reading; with the writes of C 336, 102 and 61.
    CHECK(1e6 * traffic(64, 64).totalSeconds == Approx(340).epsilon(0.02));
    CHECK(1e6 * traffic(128, 128).totalSeconds == Approx(100).epsilon(0.05));
    CHECK(1e6 * traffic(128, 256).totalSeconds == Approx(60).epsilon(0.03));
    CHECK(traffic(64, 64).isBandwidthBound);
    CHECK_FALSE(traffic(128, 128).isBandwidthBound);
    CHECK(1e6 * traffic(128, 128).arithmeticSeconds == Approx(139).epsilon(0.005));
    // 4 waves: 9 rows of tiles (8 in the last) of 1 MiB and 16 columns of 2 MiB.
    CHECK(traffic(128, 256).bytesRead == 1048576.0 * (4 * 32 + 9 + 9 + 9 + 8));
}

TEST_CASE("exercise 9: 128 x 256 x 64 on an H100 takes 1,024 cycles, three stages are needed and four fit", "[feeding]") {
    const auto s = stages(gpu("h100"), {});
    REQUIRE(s);
    CHECK(s->cycles == 1024);
    CHECK(1e6 * s->seconds == Approx(0.56).epsilon(0.002));
    CHECK(s->bytes == 49152);
    CHECK(s->needed == 3);
    CHECK(s->fit == 4);
    CHECK(1e-9 * s->bytesPerSecond == Approx(87.8).epsilon(0.001));
    REQUIRE(s->busy.size() == 6);
    CHECK(s->busy[0] == Approx(0.359).epsilon(0.002));
    CHECK(s->busy[1] == Approx(0.718).epsilon(0.002));
    for (std::size_t i = 2; i < 6; ++i)
        CHECK(s->busy[i] == 1.0);
}

TEST_CASE("with a beginning the tensor cores wait for the first stage at least", "[feeding]") {
    StageInput input;
    input.tiles = 8;
    const auto s = stages(gpu("h100"), input);
    REQUIRE(s);
    CHECK(s->busy[2] == Approx(8 * s->seconds / (1e-6 + 8 * s->seconds)));
    CHECK(s->busy[0] == Approx(s->seconds / (1e-6 + s->seconds)));
    for (std::size_t i = 1; i < 6; ++i)
        CHECK(s->busy[i] >= s->busy[i - 1]);
    input.tiles = 100000;
    CHECK(stages(gpu("h100"), input)->busy[1] == Approx(2 * s->seconds / (1e-6 + s->seconds)).epsilon(1e-3));
}

TEST_CASE("what cannot be fed is refused with a reason", "[feeding]") {
    CHECK_FALSE(warpTile(gpu("h100"), 0, 64));
    CHECK_FALSE(warpTile(gpu("cc9.0"), 64, 64));
    CHECK_FALSE(tileTraffic(gpu("h100"), {0, 1, 1}, 64, 64));
    CHECK_FALSE(stages(gpu("h100"), {128, 256, 64, 2, 0.0}));
    CHECK_FALSE(stages(gpu("h100"), {128, 256, 64, 3}));
}
