// SPDX-License-Identifier: GPL-3.0-or-later
// The roofline model on the SGEMM ladder's accounts: the lessons' figures for an RTX A6000 at 4096.
#include <catch2/catch.hpp>

#include "engine/model/roofline.h"

using namespace lanescope;
using namespace lanescope::model;

namespace {

device::Device gpu(const char* id) {
    auto device = device::findDevice(id);
    REQUIRE(device);
    return *device;
}

constexpr double kN = 4096;
constexpr double kFma = kN * kN * kN;

/// Counts per warp step (32 FMA) of a 4096^3 product.
KernelCounts perWarpStep(double lines, double sectors, double wavefronts, double instructions) {
    KernelCounts counts;
    counts.fma = kFma;
    counts.flops = 2 * kFma;
    counts.l1Lines = kFma / 32 * lines;
    counts.globalSectors = kFma / 32 * sectors;
    counts.sharedWavefronts = kFma / 32 * wavefronts;
    counts.warpInstructions = kFma / 32 * instructions;
    counts.dramBytes = 3 * kN * kN * 4;
    return counts;
}

RooflinePoint onA6000(const KernelCounts& counts) {
    const auto point = rooflinePoint(gpu("rtx-a6000"), "matmul", counts);
    REQUIRE(point);
    return *point;
}

} // namespace

TEST_CASE("naive matmul: one line a cycle is the bottleneck, about 290 GFLOP/s") {
    const RooflinePoint point = onA6000(perWarpStep(33, 33, 0, 3));
    CHECK(point.bottleneck == RoofKind::L1Lines);
    CHECK(point.flopsPerSecond / 1e9 == Approx(84 * 1.8 * 2 * 32 / 33).epsilon(1e-9));
    CHECK(point.flopsPerSecond / 1e9 == Approx(290).epsilon(0.02));
    REQUIRE(point.per1000Fma);
    CHECK(point.per1000Fma->l1BytesPerFma == Approx(33));
    CHECK(point.per1000Fma->l1Lines == Approx(1031.25));
}

TEST_CASE("coalesced matmul: 4.8 TFLOP/s, five bytes per FMA") {
    const RooflinePoint point = onA6000(perWarpStep(2, 5, 0, 3));
    CHECK(point.bottleneck == RoofKind::L1Lines);
    CHECK(point.flopsPerSecond / 1e12 == Approx(4.8).epsilon(0.01));
    CHECK(point.per1000Fma->l1BytesPerFma == Approx(5));
    CHECK(point.per1000Fma->warpInstructions == Approx(93.75));
}

TEST_CASE("shared-memory tiles: 62.5 wavefronts per 1000 FMA whatever the tile, 4.7 TFLOP/s") {
    for (const double tile : {8.0, 16.0, 32.0}) {
        // Loads: a warp covers 32 / tile rows of the tile, a line each, for A and B; one load pair
        // per tile step.
        const double lines = 2 * std::max(1.0, 32 / tile) / tile;
        const double stores = 2 / tile;
        const RooflinePoint point =
            onA6000(perWarpStep(lines, 4 * 2 / tile, 2 + stores, 3 + 2 * stores));
        INFO(tile);
        CHECK(point.bottleneck == RoofKind::SharedWavefronts);
        CHECK(point.per1000Fma->sharedWavefronts - 31.25 * stores == Approx(62.5));
        CHECK(point.per1000Fma->l1Lines == Approx(tile == 8    ? 31.25
                                                  : tile == 16 ? 7.8125
                                                               : 1.953125));
        if (tile == 32)
            CHECK(point.flopsPerSecond / 1e12 == Approx(4.7).epsilon(0.01));
    }
}

TEST_CASE(
    "register tiles: 1-D 8.4 TFLOP/s, 2-D below what Boehm measured until its loads are merged") {
    // 64 x 64 tile, BK 8, 8 results a thread: 9 LDS for 8 FMA, 2 STS for 64.
    const RooflinePoint one = onA6000(perWarpStep(2.0 / 64, 0.25, 9.0 / 8 + 2.0 / 64, 2.2));
    CHECK(one.bottleneck == RoofKind::SharedWavefronts);
    CHECK(one.flopsPerSecond / 1e12 == Approx(8.4).epsilon(0.01));

    // 23.4 wavefronts per 1000 FMA: a throughput bound below the 15.97 TFLOP/s measured, so an
    // assumption is wrong.
    const RooflinePoint two = onA6000(perWarpStep(2.0 / 128, 0.125, 0.75, 1.3));
    CHECK(two.per1000Fma->sharedWavefronts == Approx(23.4).epsilon(0.005));
    CHECK(two.flopsPerSecond / 1e12 < 15.97);
}

TEST_CASE("the roofs of an RTX A6000") {
    const auto roofs = roofsOf(gpu("rtx-a6000"));
    REQUIRE(roofs);
    const auto rate = [&](RoofKind kind) {
        for (const Roof& roof : *roofs)
            if (roof.kind == kind)
                return roof.perSecond;
        return 0.0;
    };
    CHECK(rate(RoofKind::Fp32) * 2 / 1e12 == Approx(38.7).epsilon(0.001));
    CHECK(rate(RoofKind::Issue) == Approx(84 * 1.8e9 * 4));
    CHECK(rate(RoofKind::L1Lines) == Approx(84 * 1.8e9));
    CHECK(rate(RoofKind::SharedWavefronts) == Approx(84 * 1.8e9));
    CHECK(rate(RoofKind::Dram) == Approx(768e9));
    CHECK(rate(RoofKind::L2) == 0); // no figure: no roof
    for (const Roof& roof : *roofs) {
        CHECK_FALSE(roof.explanation.inputs.empty());
        for (const ExplanationInput& input : roof.explanation.inputs)
            CHECK_FALSE(input.source.empty());
        CHECK(roof.explanation.assumptions.empty() == (roof.kind != RoofKind::L1Lines));
    }
    // A T4's data path is half as wide: a wavefront takes two clocks.
    const auto t4 = roofsOf(gpu("t4"));
    for (const Roof& roof : *t4)
        if (roof.kind == RoofKind::SharedWavefronts)
            CHECK(roof.perSecond == Approx(40 * 1.59e9 / 2));
}

TEST_CASE("a copy is bound by device memory") {
    KernelCounts counts;
    counts.globalSectors = 2e6;
    counts.l1Lines = 5e5;
    counts.warpInstructions = 1e6;
    counts.dramBytes = 64e6;
    const auto point = rooflinePoint(gpu("h200"), "copy", counts);
    REQUIRE(point);
    CHECK(point->bottleneck == RoofKind::Dram);
    CHECK(point->seconds == Approx(64e6 / 4.8e12));
    CHECK(point->flopsPerSecond == 0);
    CHECK_FALSE(point->per1000Fma);
    CHECK(point->explanation.inputs.size() == point->times.size());
}

TEST_CASE("a small grid uses only as many SMs as it has blocks") {
    KernelCounts counts = perWarpStep(0, 0, 2, 3);
    counts.blocks = 42;
    const RooflinePoint half = onA6000(counts);
    counts.blocks = 84;
    const RooflinePoint whole = onA6000(counts);
    counts.blocks = 10000;
    CHECK(half.seconds == Approx(2 * whole.seconds));
    CHECK(onA6000(counts).seconds == Approx(whole.seconds));
}

TEST_CASE("a user's clock and tensor rates") {
    KernelCounts counts;
    counts.tensorFma = kFma;
    counts.dramBytes = 3 * kN * kN * 2;
    RooflineOptions options;
    options.clockMegahertz = 1830;
    const auto point = rooflinePoint(gpu("h100"), "hgemm", counts, options);
    REQUIRE(point);
    CHECK(point->bottleneck == RoofKind::Tensor);
    CHECK(point->flopsPerSecond / 1e12 == Approx(989.4).epsilon(0.001));
    CHECK(point->seconds * 1e6 == Approx(139).epsilon(0.01)); // about 140 us of arithmetic
}

TEST_CASE("intensities per level") {
    const RooflinePoint point = onA6000(perWarpStep(2, 5, 2, 3));
    REQUIRE(point.intensities.size() == 4);
    CHECK(point.intensities[0].level == "l1");
    CHECK(point.intensities[0].flopsPerByte == Approx(2.0 / 5));
    CHECK(point.intensities[1].flopsPerByte == Approx(64.0 / 256));
    CHECK(point.intensities[3].flopsPerByte == Approx(kN / 6));
}

TEST_CASE("what cannot be modelled is said") {
    CHECK_FALSE(rooflinePoint(gpu("cc9.0"), "k", perWarpStep(1, 1, 1, 1)));
    CHECK_FALSE(rooflinePoint(gpu("h100"), "k", KernelCounts{}));
    KernelCounts negative;
    negative.l1Lines = -1;
    CHECK(rooflinePoint(gpu("h100"), "k", negative).error()[0].message.find("l1Lines") !=
          std::string::npos);
    KernelCounts few;
    few.fma = 10;
    CHECK_FALSE(rooflinePoint(gpu("h100"), "k", few));
}

TEST_CASE("the register tile that shared memory can feed: 8 x 8 on the A6000, 4 x 4 on the A100") {
    CHECK(registerTileSupply(gpu("rtx-a6000"), 8, 8)->enough);
    CHECK_FALSE(registerTileSupply(gpu("rtx-a6000"), 8, 4)->enough);
    CHECK(registerTileSupply(gpu("a100"), 4, 4)->enough);
    CHECK_FALSE(registerTileSupply(gpu("a100"), 4, 2)->enough);
    CHECK_FALSE(registerTileSupply(gpu("a100"), 0, 2));
}
