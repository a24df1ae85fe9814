// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline that is read off the timing of the catalog's kernels.
#include <cstdlib>

#include <catch2/catch.hpp>

#include "engine/session/stage_curve.h"
#include "engine/session/timing.h"

using namespace lanescope;
using namespace lanescope::session;

namespace {

compile::Environment compilers() {
    return compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
}

TimingReport timed(const std::string& kernel, std::vector<std::pair<std::string, std::string>> defines) {
    LoadRequest request;
    request.subject = kernel;
    request.defines = std::move(defines);
    const auto program = load(request, compilers());
    REQUIRE(program);
    const auto device = device::findDevice("h100");
    REQUIRE(device);
    const auto launch = prepare(*program, {}, *device);
    REQUIRE(launch);
    auto report = timeLaunch(*program, *launch, *device, {});
    REQUIRE(report);
    return std::move(*report);
}

void checkOrder(const timing::PipelineTiming& p) {
    for (const timing::PipelineTile& tile : p.tiles) {
        INFO("tile " << tile.tile);
        CHECK(tile.asked < tile.landed);
        REQUIRE(tile.firstRead != timing::kNone);
        CHECK(tile.landed <= tile.firstRead);
        REQUIRE(tile.waited != timing::kNone);
        CHECK(tile.committed < tile.waited);
        CHECK(tile.computeBegin < tile.computeEnd);
    }
}

} // namespace

TEST_CASE("t4: as many slots as stages, a tile for each step along K", "[session][pipeline]") {
    for (const char* stages : {"1", "2", "3", "4"}) {
        INFO(stages);
        const TimingReport r = timed("t4_multistage", {{"STAGES", stages}, {"BM", "64"}, {"BN", "64"}, {"WM", "32"}, {"WN", "32"}, {"M", "64"}, {"N", "64"}, {"K", "512"}});
        const timing::PipelineTiming& p = r.pipeline;
        CHECK(p.isTensor);
        CHECK(p.slotCount == static_cast<std::uint32_t>(std::atoi(stages)));
        REQUIRE(p.tiles.size() == 8);
        for (std::size_t i = 0; i < p.tiles.size(); ++i) {
            CHECK(p.tiles[i].slot == i % p.slotCount);
            CHECK(p.tiles[i].bytes == 2 * 64 * 64 * 2);
        }
        checkOrder(p);
        // A slot is asked for again only after its last tile was read.
        for (std::size_t i = p.slotCount; i < p.tiles.size(); ++i)
            CHECK(p.tiles[i].asked >= p.tiles[i - p.slotCount].lastRead);
        CHECK(p.busy > 0);
        CHECK(p.busy < 1);
        const auto at = p.at(p.tiles[3].asked + 1);
        CHECK(at[p.tiles[3].slot].state == timing::PipelineTiming::SlotState::InFlight);
        CHECK(at[p.tiles[3].slot].tile == 3);
        CHECK(p.at(0).size() == p.slotCount);
    }
}

TEST_CASE("k11: two buffers, FMA lanes instead of tensor cores", "[session][pipeline]") {
    const TimingReport r = timed("k11_double_buffered", {{"M", "128"}, {"N", "128"}, {"K", "64"}});
    CHECK(r.pipeline.slotCount == 2);
    CHECK(r.pipeline.tiles.size() == 4);
    CHECK_FALSE(r.pipeline.isTensor);
    checkOrder(r.pipeline);
}

TEST_CASE("a kernel that copies nothing asynchronously has no pipeline", "[session][pipeline]") {
    const TimingReport r = timed("t2_mma", {{"M", "64"}, {"N", "64"}, {"K", "64"}});
    CHECK(r.pipeline.tiles.empty());
    CHECK(r.pipeline.isTensor);
    CHECK(r.pipeline.busy > 0);
}

TEST_CASE("more stages keep the tensor cores busier until the latency is hidden", "[session][pipeline]") {
    StageCurveRequest request;
    request.kernel = "t4_multistage";
    request.parameters = {{"BM", 64}, {"BN", 64}, {"WM", 32}, {"WN", 32}, {"M", 64}, {"N", 64}, {"K", 512}};
    const StagePoint one = stagePoint(request, 1, compilers()), three = stagePoint(request, 3, compilers());
    REQUIRE(one.busy);
    REQUIRE(three.busy);
    CHECK(*three.busy > 1.2 * *one.busy);
    CHECK(three.cycles < one.cycles);
    request.parameters["K"] = 500;
    CHECK_FALSE(stagePoint(request, 3, compilers()).problem.empty());
    CHECK(hasStages("t4_multistage"));
    CHECK_FALSE(hasStages("k01_naive"));
    CHECK_FALSE(hasStages("no_such_kernel"));
}
