// SPDX-License-Identifier: GPL-3.0-or-later
// Little's law: the figures of P2, section 7.2 and its exercise 8.
#include <catch2/catch.hpp>

#include <limits>

#include "engine/model/littles_law.h"

using namespace lanescope;
using namespace lanescope::model;

namespace {

device::Device gpu(const char* id) {
    const auto device = device::findDevice(id);
    REQUIRE(device);
    return *device;
}

LatencyHiding hiding(double warps, double bytes, double requests) {
    LatencyInput input;
    input.warpsPerSm = warps;
    input.bytesPerLane = bytes;
    input.requestsPerWarp = requests;
    input.latencyNanoseconds = 500;
    const auto result = latencyHiding(gpu("h100"), input);
    REQUIRE(result);
    return *result;
}

} // namespace

TEST_CASE("an SM of an H100 needs 12.7 KB in flight at 500 ns") {
    const LatencyHiding h = hiding(64, 4, 1);
    CHECK(h.bandwidthPerSm == Approx(3350.0 / 132));
    CHECK(h.bytesNeeded == Approx(12689.4).epsilon(1e-5));
    CHECK(h.needed.value == h.bytesNeeded);
}

TEST_CASE("every warp with one request of 128 bytes reaches 65 per cent of the bandwidth") {
    const LatencyHiding h = hiding(64, 4, 1);
    CHECK(h.occupancy == 1);
    CHECK(h.bytesInFlight == 64 * 128);
    CHECK(h.share == Approx(8192 / 12689.4).epsilon(1e-5));
    CHECK(h.warpsNeeded == 100);
    CHECK(h.occupancyNeeded > 1);
    CHECK(h.requestsNeeded == 2);
}

TEST_CASE("at a quarter of the occupancy: 16 per cent, and all of it with wider and more requests") {
    CHECK(hiding(16, 4, 1).share == Approx(0.161).epsilon(0.01));
    CHECK(hiding(16, 4, 1).requestsNeeded == 7);
    // Wider requests alone are as good as full occupancy, two of them are enough.
    CHECK(hiding(16, 16, 1).share == Approx(hiding(64, 4, 1).share));
    CHECK(hiding(16, 16, 2).share == 1);
    CHECK(hiding(16, 16, 2).bytesInFlight == 16384);
    CHECK(hiding(16, 16, 1).requestsNeeded == 2);
    CHECK(hiding(64, 4, 2).share == 1);
}

TEST_CASE("the latency is the GPU's own unless it has none") {
    LatencyInput input;
    input.warpsPerSm = 32;
    const auto own = latencyHiding(gpu("h100"), input);
    REQUIRE(own);
    CHECK(own->latencyNanoseconds == Approx(571e3 / 1980));
    const auto assumed = latencyHiding(gpu("t4"), input);
    REQUIRE(assumed);
    CHECK(assumed->latencyNanoseconds == kAssumedDramLatencyNanoseconds);
    CHECK(assumed->needed.inputs.back().assumed);
}

TEST_CASE("bandwidth scales what is needed") {
    LatencyInput input;
    input.warpsPerSm = 32;
    input.latencyNanoseconds = 100;
    input.bandwidth = 132 * 20;
    const auto h = latencyHiding(gpu("h100"), input);
    REQUIRE(h);
    CHECK(h->bytesNeeded == Approx(2000));
    CHECK(h->share == 1);
    CHECK(h->warpsNeeded == 16);
}

TEST_CASE("what cannot be is refused with its name") {
    const auto refused = [](auto change, const char* id = "h100") {
        LatencyInput input;
        input.warpsPerSm = 16;
        change(input);
        const auto result = latencyHiding(gpu(id), input);
        REQUIRE_FALSE(result);
        return toString(result.error());
    };
    CHECK_THAT(refused([](LatencyInput& i) { i.warpsPerSm = 65; }), Catch::Contains("warps"));
    CHECK_THAT(refused([](LatencyInput& i) { i.warpsPerSm = 49; }, "rtx-a6000"),
               Catch::Contains("48"));
    CHECK_THAT(refused([](LatencyInput& i) { i.bytesPerLane = 0; }), Catch::Contains("bytes"));
    CHECK_THAT(refused([](LatencyInput& i) { i.requestsPerWarp = -1; }),
               Catch::Contains("requests"));
    CHECK_THAT(refused([](LatencyInput& i) {
                   i.latencyNanoseconds = std::numeric_limits<double>::quiet_NaN();
               }),
               Catch::Contains("latency"));
    CHECK_THAT(refused([](LatencyInput&) {}, "cc9.0"), Catch::Contains("bandwidth"));
}
