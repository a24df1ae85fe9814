// SPDX-License-Identifier: GPL-3.0-or-later
// Figures by device, overrides, errors and the report of the timing.
#include <nlohmann/json.hpp>

#include "tests/timing/timing_support.h"

using namespace lanescope;

TEST_CASE("every GPU has the figures of the timing, each with a source") {
    const Result<std::vector<device::Device>> devices = device::allDevices();
    REQUIRE(devices);
    for (const device::Device& d : *devices) {
        const Result<timing::Parameters> p = timing::parametersOf(d);
        REQUIRE(p);
        CHECK(p->figures.size() > 30);
        for (const timing::NamedFigure& f : p->figures) {
            INFO(d.id << " " << f.key);
            CHECK_FALSE(f.figure.source.empty());
            CHECK_FALSE(f.description.empty());
        }
        CHECK(p->fmaPipes * 16 * p->schedulers * 2 / p->fmaCycles == static_cast<int>(*d.value("fp32_lanes_per_sm")));
        CHECK(p->dramBytesPerCycle > 1);
        CHECK(p->dram > p->l2);
        CHECK(p->l2 > p->l1);
    }
}

TEST_CASE("figures can be set, and wrong ones are refused") {
    const Result<device::Device> h200 = device::findDevice("h200");
    const Result<timing::Parameters> p = timing::parametersOf(*h200, {{"issue_latency_math", 7}});
    REQUIRE(p);
    CHECK(p->math == 7);
    const auto set = std::find_if(p->figures.begin(), p->figures.end(), [](const timing::NamedFigure& f) { return f.overridden; });
    REQUIRE(set != p->figures.end());
    CHECK(set->figure.source == "set by the user");
    const Result<timing::Parameters> unknown = timing::parametersOf(*h200, {{"latency_of_nothing", 7}});
    REQUIRE_FALSE(unknown);
    CHECK(toString(unknown.error()).find("latency_of_nothing") != std::string::npos);
    CHECK_FALSE(timing::parametersOf(*h200, {{"issue_latency_math", -1}}));
    CHECK_FALSE(timing::parametersOf(*h200, {{"mio_queue", 0}}));
}

TEST_CASE("the report holds what the timing found") {
    test::TimedLaunch launch;
    launch.grid = 400;
    launch.threads = 256;
    const std::string body = "mad.lo.s32 %r1, %r0, 4, 0;\nld.shared.f32 %f1, [%r1];\nadd.f32 %f2, %f1, %f1;\nst.shared.f32 [%r1], %f2;\n";
    const test::Timed t = test::timeKernel(body, launch);
    CHECK(t.report.residentWanted == 4);              // 400 blocks on 132 SMs
    CHECK(t.report.waves == 1);
    CHECK(t.sm().resident == 4);
    CHECK(t.sm().warps.size() == 32);
    launch.options.resident = 2;
    const test::Timed two = test::timeKernel(body, launch);
    CHECK(two.sm().resident == 2);
    CHECK(two.report.waves == 2);
    REQUIRE(two.report.seconds);
    CHECK(*two.report.seconds == Approx(two.report.cycles / 1980e6));
    launch.gpu = "cc9.0";
    CHECK_FALSE(test::timeKernel(body, launch).report.seconds);
}

TEST_CASE("shared memory takes its part of the L1") {
    const Result<device::Device> h200 = device::findDevice("h200");
    CHECK(timing::l1BytesBeside(h200->limits, 0, 8) == 256 << 10);
    CHECK(timing::l1BytesBeside(h200->limits, 8192, 2) == (256 << 10) - (32 << 10));
    CHECK(timing::l1BytesBeside(h200->limits, 113 << 10, 2) == (256 << 10) - 233472);
}
