// SPDX-License-Identifier: GPL-3.0-or-later
// Measured figures over those of a description, and the descriptions of the user's own that are made of them.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/base/file.h"
#include "engine/session/gpu_profile.h"

using namespace lanescope;

namespace {

gpu::Calibration calibration() {
    gpu::Calibration out;
    out.figures = {{"dram_copy_bandwidth_measured", 4000, "copying"}, {"l2_bandwidth", 6000, "reading"}, {"latency_l1", 41.5, "a chase"}, {"fp32_lanes_per_sm", 126, "FMAs"}, {"l1_lines_per_clock", 4, "lines"}};
    out.clockMhz = 1755;
    return out;
}

} // namespace

TEST_CASE("measured figures replace described ones, which stay in the note") {
    const auto profile = session::gpuProfile({"NVIDIA H200", 9, 0, 132, 62914560, 0, 13000}, calibration());
    REQUIRE(profile);
    CHECK(profile->device.id == "h200-measured");
    CHECK(profile->device.value("dram_bandwidth") == 4000);
    CHECK(profile->device.value("boost_clock") == 1755);
    CHECK(profile->device.value("latency_l1") == 41.5);
    CHECK(profile->device.value("l1_lines_per_clock") == device::findDevice("h200")->value("l1_lines_per_clock"));
    CHECK(profile->rows.size() == 7); // shown all the same, with the roof of the DRAM and the clock
    CHECK(profile->device.value("l2_bandwidth") == device::findDevice("h200")->value("l2_bandwidth"));
    CHECK_THAT(profile->device.figure("dram_bandwidth")->source, Catch::Contains("measured on NVIDIA H200"));
    CHECK_THAT(profile->device.figure("dram_bandwidth")->note, Catch::Contains("the description says 4800"));
    CHECK(profile->device.figure("dram_bandwidth")->calibrated);
    CHECK(profile->device.figure("dram_bandwidth")->described == 4800);
    CHECK_FALSE(profile->device.figure("l1_lines_per_clock")->calibrated); // shown and not used
    CHECK_FALSE(device::findDevice("h200")->figure("dram_bandwidth")->calibrated);
    CHECK_FALSE(device::findDeviceByDriverName("NVIDIA H200")->id == "h200-measured");

    SECTION("the description reads back, by path and among the user's own") {
        const auto folder = std::filesystem::temp_directory_path() / "lanescope-own-gpus-test";
        std::filesystem::create_directories(folder);
        const auto file = folder / "h200-measured.json";
        REQUIRE(writeFile(file, device::toJson(profile->device)));
        const auto byPath = device::findDevice(file.string());
        REQUIRE(byPath);
        CHECK(byPath->figures.size() == profile->device.figures.size());
        CHECK(byPath->figure("dram_bandwidth")->calibrated);
        CHECK(byPath->figure("dram_bandwidth")->described == 4800);
        CHECK_FALSE(byPath->figure("sm_count")->described);
        REQUIRE(setenv("LANESCOPE_GPUS", folder.c_str(), 1) == 0);
        const auto byId = device::findDevice("H200-measured");
        const auto all = device::allDevices();
        std::ofstream(folder / "broken.json") << "{";
        const auto withBroken = device::allDevices();
        unsetenv("LANESCOPE_GPUS");
        REQUIRE(byId);
        CHECK(byId->value("latency_l1") == 41.5);
        REQUIRE(all);
        CHECK(std::count_if(all->begin(), all->end(), [](const device::Device& d) { return d.id == "h200-measured"; }) == 1);
        REQUIRE(withBroken);
        CHECK(withBroken->size() == all->size());
        CHECK_FALSE(device::findDevice((folder / "broken.json").string()));
        CHECK_FALSE(device::findDevice((folder / "missing.json").string()));
        std::filesystem::remove_all(folder);
    }
}

TEST_CASE("a GPU that is not described gets its capability's limits") {
    const auto profile = session::gpuProfile({"NVIDIA Test GPU 1", 8, 9, 40, 1 << 25, 0, 12040}, calibration());
    REQUIRE(profile);
    CHECK(profile->device.id == "nvidia-test-gpu-1-measured");
    CHECK(profile->device.isProduct());
    CHECK(profile->device.value("sm_count") == 40);
    const auto again = device::parseDevice(device::toJson(profile->device), "x.json");
    INFO((again ? std::string() : toString(again.error())));
    CHECK(again);
    CHECK_FALSE(session::gpuProfile({"NVIDIA Far Future", 99, 0, 1, 1, 0, 13000}, calibration()));
}
