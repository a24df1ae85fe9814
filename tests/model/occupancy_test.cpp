// SPDX-License-Identifier: GPL-3.0-or-later
// Occupancy: known vectors, launch errors, curves.
#include <catch2/catch.hpp>

#include "engine/model/occupancy.h"

using namespace lanescope;
using namespace lanescope::model;

namespace {

Occupancy at(const char* id, int threads, int registers, std::int64_t shared,
             std::int64_t staticShared = 0) {
    const auto device = device::findDevice(id);
    REQUIRE(device);
    OccupancyInput input;
    input.threads = threads;
    input.registersPerThread = registers;
    input.dynamicSharedBytes = shared;
    input.staticSharedBytes = staticShared;
    const auto result = occupancy(*device, input);
    REQUIRE(result);
    return *result;
}

} // namespace

TEST_CASE("the lessons' occupancies") {
    const Occupancy h100 = at("h100", 128, 96, 32 * 1024);
    CHECK(h100.blocksPerSm == 5);
    CHECK(h100.warpsPerSm == 20);
    CHECK(h100.occupancy == Approx(0.3125));
    CHECK(h100.limiterNames() == "registers");
    CHECK(h100.limits.shared == 6);
    CHECK(h100.sharedAllocated == 33 * 1024);
    CHECK(at("h100", 128, 96, 16 * 1024).blocksPerSm == 5);

    const Occupancy a6000 = at("rtx-a6000", 256, 104, 0);
    CHECK(a6000.blocksPerSm == 2);
    CHECK(a6000.occupancy == Approx(1.0 / 3));
    const Occupancy wide = at("h100", 128, 160, 0);
    CHECK(wide.blocksPerSm == 3);
    CHECK(wide.warpsPerSm == 12);
    CHECK(wide.occupancy == Approx(0.1875));
    CHECK(at("rtx-a6000", 256, 176, 0).occupancy == Approx(8.0 / 48));

    const Occupancy tiled = at("rtx-a6000", 1024, 37, 0, 8192);
    CHECK(tiled.blocksPerSm == 1);
    CHECK(tiled.occupancy == Approx(2.0 / 3));
    CHECK(tiled.limits.shared == 11);
    CHECK(tiled.limiterNames() == "warps, registers");
    CHECK(tiled.registersAllocated == 40960);
}

TEST_CASE("published vectors") {
    CHECK(at("a100", 224, 92, 0).warpsPerSm == 14);
    CHECK(at("a100", 160, 92, 0).warpsPerSm == 20);
    CHECK(at("h100", 256, 64, 57 * 1024).blocksPerSm == 3);
    CHECK(at("h100", 256, 64, 56 * 1024).blocksPerSm == 4);
    const Occupancy hopper = at("h100", 384, 168, 200 * 1024);
    CHECK(hopper.blocksPerSm == 1);
    CHECK(hopper.warpsPerSm == 12);
    CHECK(hopper.occupancy == Approx(0.1875));
}

TEST_CASE(
    "the SGEMM ladder: registers of today's compiler, blocks and warps per SM on 8.6, 8.0, 9.0") {
    struct Row {
        int threads, shared;
        int registers[3], blocks[3], warps[3];
    };
    const Row rows[] = {
        {1024, 0, {36, 32, 32}, {1, 2, 2}, {32, 64, 64}},
        {1024, 0, {40, 32, 32}, {1, 2, 2}, {32, 64, 64}},
        {1024, 8192, {36, 32, 32}, {1, 2, 2}, {32, 64, 64}},
        {512, 4096, {44, 52, 56}, {2, 2, 2}, {32, 32, 32}},
        {256, 8192, {128, 127, 96}, {2, 2, 2}, {16, 16, 16}},
        {256, 8192, {116, 118, 94}, {2, 2, 2}, {16, 16, 16}},
        {256, 8352, {108, 104, 94}, {2, 2, 2}, {16, 16, 16}},
        {256, 16384, {100, 102, 92}, {2, 2, 2}, {16, 16, 16}},
        {128, 16384, {168, 167, 168}, {3, 3, 3}, {12, 12, 12}},
        {256, 49152, {170, 169, 172}, {1, 1, 1}, {8, 8, 8}},
        {128, 32784, {210, 200, 196}, {2, 2, 2}, {8, 8, 8}},
    };
    const char* capabilities[] = {"cc8.6", "cc8.0", "cc9.0"};
    for (const Row& row : rows)
        for (int i = 0; i < 3; ++i) {
            INFO(capabilities[i] << " " << row.threads << " threads, " << row.registers[i]);
            const Occupancy result =
                at(capabilities[i], row.threads, row.registers[i], 0, row.shared);
            CHECK(result.blocksPerSm == row.blocks[i]);
            CHECK(result.warpsPerSm == row.warps[i]);
        }
}

TEST_CASE("launch errors say what, the limit and what to do") {
    const auto device = device::findDevice("h100");
    REQUIRE(device);
    struct Case {
        OccupancyInput input;
        const char* text;
    };
    const Case cases[] = {
        {{0, 32, 0, 0, 1, {}}, "at least one"},
        {{1025, 32, 0, 0, 1, {}}, "limit of 1024"},
        {{128, 256, 0, 0, 1, {}}, "limit of 255"},
        {{128, 32, 0, 227 * 1024 + 1, 1, {}}, "limit of 232448"},
        {{128, 32, 48 * 1024 + 4, 0, 1, {}}, "limit of 49152"},
        {{128, 32, 0, -1, 1, {}}, "negative"},
        {{1024, 128, 0, 0, 1, {}}, "limit of 65536"},
        {{128, 32, 0, 0, 17, {}}, "16"},
        {{128, 32, 0, 0, 1, 101}, "101 per cent"},
    };
    for (const Case& c : cases) {
        INFO(c.text);
        const auto result = occupancy(*device, c.input);
        REQUIRE_FALSE(result);
        CHECK(result.error()[0].code == "launch");
        CHECK(result.error()[0].message.find(c.text) != std::string::npos);
        CHECK_FALSE(result.error()[0].hint.empty());
    }
    CHECK(occupancy(*device, {128, 32, 0, 227 * 1024, 1, {}})->blocksPerSm == 1);
    CHECK(occupancy(*device, {2000, 300, 0, 1 << 20, 1, {}}).error().size() == 3);
}

TEST_CASE("the carve-out preference limits residency and leaves the rest to the L1") {
    const auto device = device::findDevice("h100");
    REQUIRE(device);
    const auto none = occupancy(*device, {128, 32, 0, 10 * 1024, 1, 0});
    CHECK(none->sharedBytesPerSm == 16 * 1024);
    CHECK(none->l1BytesPerSm == 240 * 1024);
    CHECK(none->blocksPerSm == 1);
    CHECK(none->limiterNames() == "shared");
    CHECK(occupancy(*device, {128, 32, 0, 10 * 1024, 1, 50})->sharedBytesPerSm == 132 * 1024);
    CHECK(occupancy(*device, {128, 32, 0, 10 * 1024, 1, {}})->sharedBytesPerSm == 228 * 1024);
}

TEST_CASE("barriers limit residency where they are scarce") {
    const auto device = device::findDevice("rtx-5090");
    REQUIRE(device);
    const auto many = occupancy(*device, {64, 32, 0, 0, 8, {}});
    CHECK(many->blocksPerSm == 3);
    CHECK(many->limiterNames() == "barriers");
    CHECK(occupancy(*device, {32, 32, 0, 0, 1, {}})->limiterNames() == "blocks");
}

TEST_CASE("curves agree with single points and never rise with more registers or shared memory") {
    const auto device = device::findDevice("rtx-a6000");
    REQUIRE(device);
    const OccupancyInput input{256, 104, 0, 16 * 1024, 1, {}};
    for (OccupancyAxis axis :
         {OccupancyAxis::Registers, OccupancyAxis::SharedBytes, OccupancyAxis::Threads}) {
        const OccupancyCurve curve = occupancyCurve(*device, input, axis);
        REQUIRE(curve.points.size() >= 32);
        CHECK(curve.points[curve.current].blocksPerSm == 2);
        if (axis != OccupancyAxis::Threads)
            CHECK(std::is_sorted(
                curve.points.rbegin(), curve.points.rend(),
                [](const auto& a, const auto& b) { return a.blocksPerSm < b.blocksPerSm; }));
    }
    const auto shared = occupancyCurve(*device, input, OccupancyAxis::SharedBytes);
    CHECK(shared.points.back().x == 99 * 1024);
    CHECK(shared.points.back().blocksPerSm == 1);
    CHECK(occupancyCurve(*device, input, OccupancyAxis::Registers).points.back().blocksPerSm == 1);
}

TEST_CASE("each figure of an occupancy is explained") {
    const Occupancy result = at("h200", 256, 64, 40 * 1024);
    CHECK(result.explanations.size() == 6);
    for (const Explanation& e : result.explanations) {
        CHECK_FALSE(e.formula.empty());
        REQUIRE_FALSE(e.inputs.empty());
        for (const ExplanationInput& input : e.inputs)
            CHECK_FALSE(input.source.empty());
    }
    CHECK(result.explanations.back().value == result.occupancy);
}
