// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline that is read off the timing of the catalog's kernels.
#include <algorithm>
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

TimingReport timed(const std::string& kernel, std::vector<std::pair<std::string, std::string>> defines, const char* gpu = "h100", const TimingOptions& options = {}) {
    LoadRequest request;
    request.subject = kernel;
    request.defines = std::move(defines);
    const auto program = load(request, compilers());
    REQUIRE(program);
    const auto device = device::findDevice(gpu);
    REQUIRE(device);
    const auto launch = prepare(*program, {}, *device);
    REQUIRE(launch);
    auto report = timeLaunch(*program, *launch, *device, options);
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

TEST_CASE("t5 and t6: a slot a stage, a tile a phase, passed on by mbarriers", "[session][pipeline]") {
    for (const char* kernel : {"t5_wgmma", "t6_specialised"})
        for (const char* stages : {"1", "2", "3"}) {
            INFO(kernel << " " << stages);
            const bool hasProducer = kernel == std::string("t6_specialised");
            const TimingReport r = timed(kernel, {{"STAGES", stages}, {"M", "128"}, {"N", "128"}, {"K", "512"}}, "h200");
            const timing::PipelineTiming& p = r.pipeline;
            CHECK(p.isTensor);
            CHECK(p.slotCount == static_cast<std::uint32_t>(std::atoi(stages)));
            REQUIRE(p.tiles.size() == 8);
            checkOrder(p);
            for (std::size_t i = 0; i < p.tiles.size(); ++i) {
                const timing::PipelineTile& tile = p.tiles[i];
                CHECK(tile.slot == i % p.slotCount);
                CHECK(tile.bytes == 2 * 64 * (128 + 128));
                CHECK(tile.group == i / p.slotCount);
                REQUIRE(tile.mbarrier != timing::kNone);
                CHECK(p.mbarriers[tile.mbarrier].slot == tile.slot);
                CHECK(p.mbarriers[tile.mbarrier].name == "full[" + std::to_string(tile.slot) + "]");
                // While the bytes come the phase is that of the tile and lacks some; when they have come, the next.
                const auto before = p.mbarriers[tile.mbarrier].at(tile.landed - 1);
                CHECK(before.phase == tile.group);
                CHECK(before.expectedBytes == tile.bytes);
                CHECK(before.bytes < before.expectedBytes);
                CHECK(before.expectedArrivals == 1);
                // A slot is asked for again only after its last tile was read.
                if (i >= p.slotCount)
                    CHECK(tile.asked >= p.tiles[i - p.slotCount].lastRead);
            }
            CHECK(p.mbarriers.size() == p.slotCount * (hasProducer ? 2 : 1));
            CHECK((p.producer != timing::kNone) == hasProducer);
            if (!hasProducer)
                continue;
            CHECK(p.producer == 0);
            CHECK(p.askCycles.size() == 8 * 3);
            const timing::PipelineMbarrier& empty = p.mbarriers[p.slotCount];
            CHECK(empty.name == "empty[0]");
            CHECK(empty.slot == 0);
            CHECK_FALSE(empty.countsBytes);
            CHECK(empty.at(p.tiles[0].landed).expectedArrivals == 8); // warps of two consumer warpgroups
            CHECK(p.readSlot(p.tiles[0].firstRead) == 0);
            CHECK(p.writeSlot(p.tiles[0].asked) == 0);
            CHECK(p.writeSlot(p.cycles - 1) == timing::kNone);
        }
}

TEST_CASE("t6: why a consumer waits leads from its tile to the producer and on to whoever freed the slot", "[session][pipeline]") {
    const TimingReport r = timed("t6_specialised", {{"STAGES", "1"}, {"M", "128"}, {"N", "128"}, {"K", "512"}}, "h200");
    // Warp 4 is a consumer; it waits for the third tile.
    const timing::PipelineMbarrier& full = r.pipeline.mbarriers[0];
    const auto wait = std::find_if(full.phases[2].waits.begin(), full.phases[2].waits.end(), [](const auto& w) { return w.warp == 4; });
    REQUIRE(wait != full.phases[2].waits.end());
    CHECK(r.sm.at(4, wait->end - 1).state == timing::WarpState::Mbarrier);
    const auto chain = timing::why(r.sm, *r.program, 4, wait->end - 1);
    REQUIRE(chain.size() > 6);
    std::string all;
    for (const timing::CauseLink& link : chain)
        all += link.what + "\n";
    INFO(all);
    std::size_t at = 0;
    for (const char* next : {"waits for phase 2 of full[0]: for the bytes of the bulk copy", "moves 8192 bytes, served by", "waits for phase 1 of empty[0]: for the arrival", "the arrival", "waits for the products of wgmma",
                             "waits for phase 1 of full[0]: for the bytes of the bulk copy", "waits for phase 0 of empty[0]"}) {
        at = all.find(next, at);
        REQUIRE(at != std::string::npos);
    }
    for (std::size_t i = 1; i < chain.size(); ++i)
        CHECK(chain[i].begin <= chain[i - 1].end);
}

TEST_CASE("t5 and t6: more stages are never slower, keep the tensor cores busier, and stay under the roofs", "[session][pipeline]") {
    // Cycles of a step of K = 64 of a 128x128 tile on an H200 at 1980 MHz, measured with CUDA events (the difference of K = 4096 and 2048,
    // the best of 20; operands in the L2): with one block on the GPU, and with 132. The model lies between: its latency is that of an idle
    // GPU, its bandwidth that of a busy one.
    struct Row {
        const char* kernel;
        const char* stages;
        double alone, all;
    };
    constexpr double kBelow = 0.85, kAbove = 1.05;
    const Row rows[] = {{"t6_specialised", "1", 1386, 2220}, {"t6_specialised", "2", 705, 1051}, {"t6_specialised", "3", 560, 701}, {"t6_specialised", "4", 559, 572},
                        {"t5_wgmma", "1", 1372, 2033},       {"t5_wgmma", "2", 847, 913},        {"t5_wgmma", "3", 883, 851},        {"t5_wgmma", "4", 840, 837}};
    std::string last;
    double before = 0, busyBefore = 0;
    for (const Row& row : rows) {
        INFO(row.kernel << " " << row.stages);
        CAPTURE(row.alone, row.all);
        const auto run = [&](const char* k) {
            std::vector<std::pair<std::string, std::string>> defines{{"STAGES", row.stages}, {"M", "1536"}, {"N", "1408"}, {"K", k}};
            if (row.kernel == std::string("t6_specialised"))
                defines.emplace_back("BLOCKS", "132");
            TimingOptions options;
            options.resident = 1;
            options.figures = {{"issue_latency_dram", 277}, {"dram_bandwidth", 100000}}; // as if from the L2
            return timed(row.kernel, defines, "h200", options);
        };
        const TimingReport shorter = run("512"), longer = run("1024");
        const double step = (longer.sm.cycles - shorter.sm.cycles) / 8.0;
        CHECK(step >= std::min(row.alone, row.all) * kBelow);
        CHECK(step <= std::max(row.alone, row.all) * kAbove);
        constexpr double kTensorRate = 2048;
        CHECK(longer.sm.cycles > 128.0 * 128 * 1024 / kTensorRate);
        CHECK(longer.pipeline.busy == Approx(128.0 * 128 * 1024 / kTensorRate / longer.sm.cycles));
        CHECK(longer.sm.cycles > 16 * longer.pipeline.tiles.front().bytes / longer.parameters.bulkCopyBytesPerCycle);
        if (last == row.kernel) {
            CHECK(longer.sm.cycles <= before * 1.002);
            CHECK(longer.pipeline.busy >= busyBefore * 0.998);
        }
        last = row.kernel;
        before = longer.sm.cycles;
        busyBefore = longer.pipeline.busy;
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
