// SPDX-License-Identifier: GPL-3.0-or-later
// The built-in GPU descriptions are complete and agree with themselves; errors in descriptions of
// users' own are clear.
#include <catch2/catch.hpp>

#include <cmath>

#include "engine/device/device.h"

using namespace lanescope;
using namespace lanescope::device;

TEST_CASE("every id of the command line is a GPU") {
    for (const char* id : {"v100", "t4", "a100", "a100-80", "rtx-a6000", "rtx-3090", "rtx-4090",
                           "l4", "l40s", "h100", "h100-pcie", "h200", "b200", "rtx-5090"}) {
        INFO(id);
        const auto found = findDevice(id);
        REQUIRE(found);
        CHECK(found->id == id);
        CHECK(found->isProduct());
        CHECK(found->limits.threadsPerSm % 32 == 0);
        for (const char* figure : {"sm_count", "boost_clock", "fp32_lanes_per_sm", "tensor_f16",
                                   "l2_size", "dram_size", "dram_bandwidth", "issue_slots_per_sm",
                                   "l1_lines_per_clock", "shared_bytes_per_clock"}) {
            INFO(figure);
            REQUIRE(found->figure(figure) != nullptr);
            CHECK_FALSE(found->figure(figure)->source.empty());
        }
    }
    CHECK(allDevices()->size() >= 14);
    CHECK(findDevice("H200")->id == "h200");
}

TEST_CASE("stated peaks are SMs x FMA/clk x 2 x clock") {
    const auto devices = allDevices();
    REQUIRE(devices);
    for (const Device& d : *devices) {
        INFO(d.id);
        const auto peak = [&](const char* lanes, double megahertz) {
            return *d.value("sm_count") * *d.value(lanes) * 2 * megahertz * 1e6 / 1e12;
        };
        const double clock = *d.value("boost_clock");
        if (const auto stated = d.value("peak_fp32"))
            CHECK(peak("fp32_lanes_per_sm", clock) == Approx(*stated).epsilon(0.01));
        if (const auto stated = d.value("peak_f16_tensor"))
            CHECK(peak("tensor_f16", d.value("tensor_clock").value_or(clock)) ==
                  Approx(*stated).epsilon(d.figure("boost_clock")->assumed ? 0.08 : 0.02));
    }
}

TEST_CASE("a bare compute capability has limits and no clock") {
    const auto hopper = findDevice("cc9.0");
    REQUIRE(hopper);
    CHECK(hopper->limits.warpsPerSm() == 64);
    CHECK(hopper->limits.sharedBytesPerBlockOptIn == 227 * 1024);
    CHECK(hopper->limits.carveOutBytes.back() == 228 * 1024);
    CHECK(hopper->figure("boost_clock") == nullptr);
    CHECK_FALSE(hopper->isProduct());
    CHECK(findDevice("cc12.1")->limits.blocksPerSm == 24);
    CHECK(findDevice("cc8.6")->limits.blocksPerSm == 16);
    CHECK(findDevice("cc7.5")->value("shared_bytes_per_clock") == 64.0);
}

TEST_CASE("limits are consistent for every compute capability") {
    const auto limits = allLimits();
    REQUIRE(limits);
    CHECK(limits->size() >= 12);
    for (const Limits& l : *limits) {
        INFO(toString(l.capability));
        CHECK(l.carveOutBytes.back() == l.sharedBytesPerSm);
        CHECK(l.sharedBytesPerBlockOptIn + l.sharedBytesReservedPerBlock <= l.sharedBytesPerSm);
        CHECK(l.sharedBytesPerBlockOptIn >= l.sharedBytesPerBlock);
        if (l.unifiedL1Bytes)
            CHECK(*l.unifiedL1Bytes > l.sharedBytesPerSm);
        CHECK_FALSE(l.source.empty());
    }
}

TEST_CASE("unknown GPUs are told what there is") {
    for (const char* id : {"h300", "", "limits", "cc", "cc9", "cc9.x", "../h100"}) {
        INFO(id);
        const auto found = findDevice(id);
        REQUIRE_FALSE(found);
        CHECK(found.error()[0].code == "device");
        CHECK(found.error()[0].hint.find("rtx-a6000") != std::string::npos);
    }
    const auto capability = findDevice("cc9.9");
    REQUIRE_FALSE(capability);
    CHECK(capability.error()[0].hint.find("12.0") != std::string::npos);
}

TEST_CASE("a description survives writing and reading") {
    const auto original = findDevice("h200");
    REQUIRE(original);
    const auto again = parseDevice(toJson(*original), "copy.json");
    REQUIRE(again);
    CHECK(toJson(*again) == toJson(*original));
    CHECK(again->value("dram_bandwidth") == 4800.0);
}

TEST_CASE("errors in a description name the file, the member and what to do") {
    const auto broken = parseDevice("{\n \"id\": \"x\",\n oops\n}", "mine.json");
    REQUIRE_FALSE(broken);
    CHECK(broken.error()[0].where.file == "mine.json");
    CHECK(broken.error()[0].where.line == 3);

    const auto incomplete = parseDevice(R"({"id": "x", "compute_capability": "9.0", "figures": {
        "sm_count": {"value": -1, "unit": "SMs", "source": "me"},
        "boost_clock": {"value": 1.9, "unit": "GHz", "source": "me"},
        "fp32_lanes_per_sm": {"value": 128, "unit": "FMA/clk/SM"},
        "speed": {"value": 1, "unit": "m/s", "source": "me"}}})",
                                        "mine.json");
    REQUIRE_FALSE(incomplete);
    const std::string all = toString(incomplete.error());
    for (const char* part : {"\"name\" is missing", "figures.sm_count", "give the value in MHz",
                             "\"source\" is missing", "figures.speed: there is no such figure"}) {
        INFO(all);
        CHECK(all.find(part) != std::string::npos);
    }
    CHECK_FALSE(parseDevice("[1]", "mine.json"));
    CHECK_FALSE(parseDevice("", "mine.json"));
    CHECK_FALSE(
        parseDevice(R"({"id": 3, "name": [], "compute_capability": "1.0", "figures": 7})", "m"));
}
