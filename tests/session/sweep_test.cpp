// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps over the parameters of a kernel.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "engine/session/sweep.h"

using namespace lanescope;
using namespace lanescope::session;
using nlohmann::json;

namespace {

compile::Environment compilers() {
    return compile::environmentFrom([](const char* name) { return std::getenv(name); });
}

SweepRequest request(std::vector<SweepAxis> axes, catalog::Overrides fixed = {}) {
    SweepRequest r;
    r.kernel = "k03_shared";
    r.axes = std::move(axes);
    r.fixed = std::move(fixed);
    r.gpu = "rtx-a6000";
    return r;
}

std::string refusal(const SweepRequest& r) {
    const auto result = sweep(r, compilers());
    REQUIRE_FALSE(result);
    return toString(result.error());
}

} // namespace

TEST_CASE("a sweep over sizes has every combination, the last parameter fastest") {
    SweepRequest r = request({{"M", {256, 512}}, {"K", {32, 64}}}, {{"N", 256}});
    std::vector<std::size_t> progress;
    r.progress = [&](std::size_t done, std::size_t of) {
        CHECK(of == 4);
        progress.push_back(done);
    };
    const auto result = sweep(r, compilers());
    REQUIRE(result);
    CHECK(progress == std::vector<std::size_t>{0, 1, 2, 3, 4});
    REQUIRE(result->points.size() == 4);
    CHECK(result->points[1].values == std::vector<std::int64_t>{256, 64});
    CHECK(result->points[2].values == std::vector<std::int64_t>{512, 32});
    for (const SweepPoint& point : result->points) {
        REQUIRE(point.modelled);
        CHECK(point.problems.empty());
        CHECK(point.modelled->counters.flops ==
              std::uint64_t(2 * 256 * point.values[0] * point.values[1]));
    }
    CHECK(result->best);
}

TEST_CASE("combinations that are not allowed stay, with the constraint") {
    const auto result =
        sweep(request({{"BS", {32, 33}}}, {{"M", 256}, {"N", 256}, {"K", 32}}), compilers());
    REQUIRE(result);
    REQUIRE(result->points.size() == 2);
    CHECK(result->points[0].modelled);
    CHECK_FALSE(result->points[1].modelled);
    REQUIRE_FALSE(result->points[1].problems.empty());
    CHECK_THAT(toString(result->points[1].problems), Catch::Contains("33"));
    CHECK(result->best == 0u);
    const json parsed = json::parse(toJson(*result));
    CHECK(parsed["points"][0]["possible"] == true);
    CHECK(parsed["points"][0]["flops_per_s"].get<double>() > 0);
    CHECK(parsed["points"][1]["possible"] == false);
    CHECK(parsed["points"][1]["problems"][0]["message"].get<std::string>().find("33") !=
          std::string::npos);
    const std::string csv = toCsv(*result);
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 3);
    CHECK(csv.starts_with("BS,flops_per_s,"));
    const auto commas = [](const std::string& line) {
        return std::count(line.begin(), line.end(), ',');
    };
    CHECK(commas(csv.substr(0, csv.find('\n'))) == 9);
}

TEST_CASE("sizes that are not named fill the GPU") {
    const auto result = sweep(request({{"K", {32}}}), compilers());
    REQUIRE(result);
    CHECK(result->fixed.at("M") == 1024);
    CHECK(result->fixed.at("N") == 1024);
    CHECK_FALSE(result->fixed.contains("K"));
}

TEST_CASE("requests that make no sense are one clear message") {
    CHECK_THAT(refusal(request({})), Catch::Contains("BS"));
    CHECK_THAT(refusal(request({{"BX", {1}}})), Catch::Contains("'BX'") && Catch::Contains("BS"));
    CHECK_THAT(refusal(request({{"BS", {8}}, {"BS", {16}}})), Catch::Contains("twice"));
    CHECK_THAT(refusal(request({{"BS", {8}}}, {{"BS", 16}})), Catch::Contains("fixed"));
    CHECK_THAT(refusal(request({{"M", {}}})), Catch::Contains("values"));
    CHECK_THAT(refusal(request({{"M", std::vector<std::int64_t>(100, 1)},
                                {"N", std::vector<std::int64_t>(100, 1)}})),
               Catch::Contains("4096"));
    CHECK_THAT(refusal(request({{"K", {8}}}, {{"Q", 1}})), Catch::Contains("'Q'"));
    SweepRequest bare = request({{"K", {8}}});
    bare.gpu = "cc9.0";
    CHECK_THAT(refusal(bare), Catch::Contains("clock"));
    bare.gpu = "h100";
    bare.kernel = "nope";
    CHECK_THAT(refusal(bare), Catch::Contains("nope"));
}

TEST_CASE("a sweep that is cancelled gives nothing") {
    std::atomic<bool> cancel{false};
    SweepRequest r = request({{"K", {32, 64, 96}}});
    r.cancel = &cancel;
    r.progress = [&](std::size_t done, std::size_t) { cancel = done == 1; };
    const auto result = sweep(r, compilers());
    REQUIRE_FALSE(result);
    CHECK(result.error().front().code == "cancelled");
}
