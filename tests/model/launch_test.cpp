// SPDX-License-Identifier: GPL-3.0-or-later
// Launch overhead, Amdahl and Gustafson: the figures of P2, sections 1.2 and 8.
#include <catch2/catch.hpp>

#include <cmath>

#include "engine/model/launch_overhead.h"
#include "engine/model/scaling.h"

using namespace lanescope;
using namespace lanescope::model;

namespace {

device::Device gpu(const char* id) {
    const auto device = device::findDevice(id);
    REQUIRE(device);
    return *device;
}

LaunchOverhead decode(double kernelsPerLayer, double overhead) {
    DecodeStep step;
    step.kernelsPerLayer = kernelsPerLayer;
    const auto work = decodeWork(gpu("h100"), step);
    REQUIRE(work);
    const auto result =
        launchOverhead(gpu("h100"), work->kernels, work->seconds, LaunchWay::Stream, overhead);
    REQUIRE(result);
    return *result;
}

} // namespace

TEST_CASE("a step of a 1B model is 0.75 ms of reading on an H100") {
    const auto work = decodeWork(gpu("h100"), {});
    REQUIRE(work);
    CHECK(work->kernels == 195);
    CHECK(work->weightBytes == 2 * 1235814400.0);
    CHECK(work->cacheBytes == 32 * 1024 * 1024);
    CHECK(work->seconds == Approx(0.7478e-3).epsilon(1e-3));
}

TEST_CASE("at 8 us a launch, launching takes 1.0 to 1.6 ms, even overlapped") {
    const LaunchOverhead twelve = decode(12, 8), eight = decode(8, 8);
    CHECK(twelve.overlappedSeconds == Approx(1.56e-3));
    CHECK(eight.overlappedSeconds == Approx(1.048e-3));
    CHECK(twelve.launchBound);
    CHECK(eight.launchBound);
    CHECK(twelve.serialSeconds == Approx(2.3078e-3).epsilon(1e-3));
    // At 2 us the GPU is the slower side.
    CHECK_FALSE(decode(12, 2).launchBound);
    CHECK(decode(12, 2).overlappedSeconds == Approx(0.7478e-3).epsilon(1e-3));
    CHECK(decode(12, 4).launchBound);
    CHECK_FALSE(decode(8, 4).launchBound);
    CHECK(decode(12, 2).serialShare == Approx(0.39 / (0.39 + 0.7478)).epsilon(1e-3));
}

TEST_CASE("a graph costs what was measured on an H200") {
    const auto stream = launchOverhead(gpu("h200"), 100, 1e-3, LaunchWay::Stream);
    const auto graph = launchOverhead(gpu("h200"), 100, 1e-3, LaunchWay::Graph);
    REQUIRE(stream);
    REQUIRE(graph);
    CHECK(stream->launchSeconds == Approx(350e-6));
    CHECK(graph->launchSeconds == Approx(50e-6));
    CHECK(graph->serial.inputs.back().source.find("H200") != std::string::npos);
}

TEST_CASE("a GPU without a measured overhead needs one given") {
    CHECK_FALSE(launchOverhead(gpu("t4"), 10, 1e-3, LaunchWay::Stream));
    CHECK(launchOverhead(gpu("t4"), 10, 1e-3, LaunchWay::Stream, 5));
    CHECK_FALSE(launchOverhead(gpu("h200"), -1, 1e-3, LaunchWay::Stream));
    CHECK_FALSE(launchOverhead(gpu("h200"), 1, std::nan(""), LaunchWay::Stream));
    CHECK_FALSE(decodeWork(gpu("cc9.0"), {}));
}

TEST_CASE("1 per cent serial on the lanes of an H100: 99 times, or 16,727") {
    const auto s = scaling(0.01, 132 * 128);
    REQUIRE(s);
    CHECK(s->amdahl == Approx(99.417).epsilon(1e-4));
    CHECK(s->limit == Approx(100));
    CHECK(s->gustafson == Approx(16727.05).epsilon(1e-6));
    CHECK(s->halfAt == Approx(99));
}

TEST_CASE("the ends of scaling") {
    CHECK(scaling(0, 64)->amdahl == Approx(64));
    CHECK(scaling(0, 64)->gustafson == Approx(64));
    CHECK(std::isinf(scaling(0, 64)->limit));
    CHECK(scaling(1, 64)->amdahl == Approx(1));
    CHECK(scaling(1, 64)->gustafson == Approx(1));
    CHECK(scaling(0.3, 1)->amdahl == Approx(1));
    // Half of the limit where halfAt says.
    const auto s = scaling(0.05, scaling(0.05, 2)->halfAt);
    CHECK(s->amdahl == Approx(s->limit / 2));
    CHECK_FALSE(scaling(-0.1, 2));
    CHECK_FALSE(scaling(1.1, 2));
    CHECK_FALSE(scaling(std::nan(""), 2));
    CHECK_FALSE(scaling(0.5, 0));
}
