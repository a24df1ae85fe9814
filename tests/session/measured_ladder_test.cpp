// SPDX-License-Identifier: GPL-3.0-or-later
// The measured ladders and what is said of each rung.
#include <catch2/catch.hpp>

#include <cstdlib>

#include "engine/session/ladder.h"

using namespace lanescope;
using namespace lanescope::session;

namespace {

compile::Environment compilers() {
    return compile::environmentFrom([](const char* name) { return std::getenv(name); });
}

/// A rung whose model has an FP32 roof of one second and a DRAM roof of `dram`, at 1 TFLOP/s.
LadderRung rungOf(double measured, double dram, double slotsUsed = 1) {
    LadderRung rung;
    rung.measured.flopsPerSecond = measured;
    ModelledKernel kernel;
    kernel.point.times.push_back({model::RoofKind::Fp32, 1, 1, {}});
    kernel.point.times.push_back({model::RoofKind::Dram, 1, dram, {}});
    kernel.point.seconds = 1;
    kernel.point.flopsPerSecond = 1e12;
    kernel.occupancy.occupancy = 0.25;
    kernel.waves = model::Waves{};
    kernel.waves->waves = 2;
    kernel.waves->slotsUsed = slotsUsed;
    rung.modelled = kernel;
    judge(rung);
    return rung;
}

} // namespace

TEST_CASE("Boehm's table and the H200's are whole") {
    const auto tables = measuredLadders();
    REQUIRE(tables);
    REQUIRE(tables->size() == 2);
    for (const MeasuredLadder& table : *tables) {
        INFO(table.gpu);
        CHECK(device::findDevice(table.gpu));
        CHECK_FALSE(table.source.empty());
        for (const MeasuredRung& rung : table.rungs) {
            CHECK(rung.flopsPerSecond > 1e11);
            CHECK(rung.flopsPerSecond < 1.05 * table.bestFlopsPerSecond); // k13 is as fast as cuBLAS
        }
    }
    const MeasuredLadder& h200 = tables->front().gpu == "h200" ? tables->front() : tables->back();
    const MeasuredLadder& a6000 = tables->front().gpu == "h200" ? tables->back() : tables->front();
    REQUIRE(a6000.rungs.size() == 11);
    CHECK(a6000.rungs[0].flopsPerSecond == 309e9);
    CHECK(a6000.bestFlopsPerSecond == Approx(23249.6e9));
    // Milliseconds become the rate that the table states beside them.
    CHECK(h200.rungs[0].flopsPerSecond / 1e12 == Approx(0.50).epsilon(0.01));
    CHECK(h200.rungs[1].flopsPerSecond / 1e12 == Approx(6.23).epsilon(0.01));
}

TEST_CASE("a rung says why the model is off") {
    CHECK(rungOf(0.9e12, 0.5).agreement == Agreement::Close);
    CHECK(rungOf(0.9e12, 0.5).error == Approx(1 / 0.9 - 1));
    CHECK(rungOf(1.3e12, 0.5).agreement == Agreement::TooSlow);
    CHECK_THAT(rungOf(1.3e12, 0.5).reason, Catch::Contains("fp32") && Catch::Contains("ptxas"));
    CHECK(rungOf(0.6e12, 0.5, 0.6).agreement == Agreement::Tail);
    CHECK(rungOf(0.7e12, 0.5).agreement == Agreement::NoOverlap);
    CHECK(rungOf(0.7e12, 0.5).flopsPerSecondWithoutOverlap == Approx(1e12 / 1.5));
    CHECK(rungOf(0.3e12, 0.5).agreement == Agreement::Latency);
    CHECK_THAT(rungOf(0.3e12, 0.5).reason, Catch::Contains("25% occupancy"));
}

TEST_CASE("a clock that fell below the modelled one explains what it explains") {
    const auto at = [](double measured, double clock, double dram = 0.5) {
        LadderRung rung = rungOf(measured, dram);
        rung.modelled->point.bottleneck = dram > 1 ? model::RoofKind::Dram : model::RoofKind::Fp32;
        rung.sm = SmTime{1, 0.5, 1, timing::WarpState::Issued, 0};
        rung.clockMhz = 2000;
        rung.measured.clockMhz = clock;
        judge(rung);
        return rung;
    };
    const LadderRung throttled = at(0.7e12, 1500); // the model gives 1 TFLOP/s: 0.75 at 1500 of 2000 MHz
    CHECK(throttled.agreement == Agreement::Clock);
    CHECK(throttled.error == Approx(1 / 0.7 - 1));
    CHECK(*throttled.errorAtClock == Approx(0.75 / 0.7 - 1));
    CHECK(throttled.reason.find("1500 MHz") != std::string::npos);
    const LadderRung slower = at(0.5e12, 1500); // no more than a part of it
    CHECK(slower.agreement == Agreement::TooFast);
    CHECK(slower.reason.find("1500 MHz of 2000: at that, +50%") != std::string::npos);
    CHECK(at(0.95e12, 1900).agreement == Agreement::Close);
    CHECK_FALSE(at(0.7e12, 0).errorAtClock);        // not known
    CHECK_FALSE(at(0.7e12, 1500, 2).errorAtClock);  // DRAM has a clock of its own
}

TEST_CASE("measured points keep the clock") {
    const MeasuredPoints points{"h200", {MeasuredPoint{"k01_naive", {{"M", 64}}, 1e-3, {}, {}, {}, 1470.0}}};
    const Result<MeasuredPoints> again = parseMeasured(toJson(points), "points.json");
    REQUIRE(again);
    CHECK(again->points.at(0).clockMhz == 1470.0);
    CHECK_FALSE(parseMeasured(R"({"points": [{"kernel": "k", "time_s": 1, "clock_mhz": 0}]})", "points.json"));
}

TEST_CASE("rungs in clusters of two are modelled as clusters of one, and say so") {
    LadderOptions options;
    options.id = "tensor";
    options.unmeasured = true;
    const Result<MeasuredLadder> table = ladderTable(*device::findDevice("h200"), options);
    REQUIRE(table);
    const MeasuredRung& top = table->rungs.back();
    CHECK(top.kernel == "t11_frugal");
    CHECK(parametersOf(*table, top, options).at("CLUSTER") == 2);
    CHECK(top.modelled.at("CLUSTER") == 1);
    CHECK_FALSE(top.note.empty());
    options.sizes = {{"M", 256}, {"N", 512}, {"K", 128}};
    CHECK(ladderTable(*device::findDevice("h200"), options)->title == "Tensor cores, f16 with f32 sums, on NVIDIA H200 SXM, K = 128, M = 256, N = 512");
}

TEST_CASE("the first rungs on an A6000 and on an H200") {
    // The rate does not depend on the size once the GPU is full; K is short to be quick.
    LadderOptions options;
    options.form = CodeForm::Written;
    options.timed = false; // the beginning of so short a K is all that would be timed
    options.sizes = {{"M", 4096}, {"N", 4096}, {"K", 128}};
    std::size_t steps = 0;
    options.progress = [&](std::size_t, std::size_t) { ++steps; };
    const auto a6000 = ladder("rtx-a6000", compilers(), options);
    REQUIRE(a6000);
    CHECK(steps == a6000->rungs.size() + 1);
    const LadderRung& naive = a6000->rungs[0];
    REQUIRE(naive.modelled);
    CHECK(naive.modelled->point.flopsPerSecond / 1e9 == Approx(293).epsilon(0.02));
    CHECK(naive.agreement == Agreement::Close);
    CHECK(a6000->rungs[1].modelled->point.flopsPerSecond / 1e12 == Approx(4.8).epsilon(0.03));
    CHECK(a6000->rungs[1].error > 1);
    CHECK_FALSE(a6000->rungs[1].reason.empty());
    const auto h200 = ladder("H200", compilers(), options);
    REQUIRE(h200);
    CHECK(h200->rungs[0].modelled->point.bottleneck == model::RoofKind::L1Data);
    CHECK(h200->rungs[0].agreement == Agreement::Close);
    CHECK(std::abs(h200->rungs[0].error) < 0.05);
    for (const Ladder* ladder : {&*a6000, &*h200})
        for (const LadderRung& rung : ladder->rungs)
            CHECK_FALSE(rung.reason.empty());
}

TEST_CASE("the slower of the roofs and an SM's timing is the time of a rung") {
    LadderRung rung = rungOf(0.5e12, 0.5);
    CHECK(rung.error == Approx(1));
    CHECK(rung.flopsPerSecond == Approx(1e12));
    rung.sm = SmTime{1.9, 0.4, 1, timing::WarpState::LongScoreboard, 0.6};
    judge(rung, CodeForm::Compiled);
    CHECK(rung.flopsPerSecond == Approx(1e12 / 1.9));
    CHECK(rung.agreement == Agreement::Close);
    CHECK_THAT(rung.reason, Catch::Contains("waiting") && Catch::Contains("Long scoreboard (60%") && Catch::Contains("fp32"));
    rung.sm->seconds = 0.7; // the roof binds
    judge(rung, CodeForm::Compiled);
    CHECK(rung.flopsPerSecond == Approx(1e12));
    CHECK(rung.agreement == Agreement::TooFast);
    CHECK_THAT(rung.reason, Catch::Contains("register banks"));
    rung.sm->seconds = 3;
    judge(rung, CodeForm::Compiled);
    CHECK(rung.agreement == Agreement::TooSlow);
    CHECK_THAT(rung.reason, !Catch::Contains("merges"));
    rung.changesAsCompiled = true;
    judge(rung, CodeForm::Written);
    CHECK_THAT(rung.reason, Catch::Contains("ptxas merges"));
}

TEST_CASE("as compiled, with an SM's timing, the rungs of an H200 come near to what was measured") {
    LadderOptions options;
    options.sizes = {{"M", 4096}, {"N", 4096}, {"K", 1024}};
    const auto h200 = ladder("h200", compilers(), options);
    REQUIRE(h200);
    int near = 0;
    for (const LadderRung& rung : h200->rungs) {
        INFO(rung.measured.name << ": " << rung.error << ", " << rung.reason);
        CHECK(rung.sm);
        CHECK(std::abs(rung.error) < 0.25); // double buffered is the worst, at +23%
        near += std::abs(rung.error) < 0.15 ? 1 : 0;
        CHECK(rung.flopsPerSecond <= rung.modelled->point.flopsPerSecond * (1 + 1e-12));
    }
    CHECK(near >= 8); // of eleven
}

TEST_CASE("ladders that are not there or are broken") {
    const auto none = ladder("t4", compilers());
    REQUIRE_FALSE(none);
    CHECK_THAT(toString(none.error()), Catch::Contains("rtx-a6000") && Catch::Contains("h200"));
    std::atomic<bool> cancel{true};
    LadderOptions options;
    options.cancel = &cancel;
    CHECK_FALSE(ladder("h200", compilers(), options));
    CHECK_FALSE(parseLadder("{}", "x.json"));
    CHECK_FALSE(parseLadder("no JSON", "x.json"));
    CHECK_FALSE(parseLadder(R"({"gpu":"h200","title":"","source":"","sizes":{"M":1},
        "best":{"name":"b","gflops":1},"rungs":[{"kernel":"k","name":"n","gflops":0}]})",
                            "x.json"));
}
