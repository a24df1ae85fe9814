// SPDX-License-Identifier: GPL-3.0-or-later
// The two stages of the L1 against an H200: 324 patterns, and the naive matmul at 50 sizes.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/memory/l1_stages.h"

using namespace lanescope;
using namespace lanescope::memory;
using nlohmann::json;

namespace {

constexpr std::uint64_t kBase = std::uint64_t{1} << 32;

const json& measured() {
    static const json all = [] {
        std::ifstream file(LANESCOPE_TEST_DATA "/memory/l1_stages.json");
        return json::parse(file);
    }();
    return all;
}

L1Cost costOf(const json& row) {
    std::array<std::uint64_t, kWarpSize> addresses{};
    for (std::size_t i = 0; i < kWarpSize; ++i)
        addresses[i] = kBase + row["offsets"][i].get<std::uint64_t>();
    const std::string op = row["op"];
    const std::size_t digits = op.find_first_of("0123456789");
    const GlobalKind kind = op.starts_with("ld")   ? GlobalKind::Load
                            : op.starts_with("st") ? GlobalKind::Store
                                                   : GlobalKind::Reduction;
    return l1Cost(addresses, row["mask"].get<LaneMask>(), std::stoi(op.substr(digits)), kind);
}

std::vector<const json*> rowsOf(std::string_view prefix) {
    std::vector<const json*> rows;
    for (const json& row : measured()["patterns"])
        if (row["op"].get<std::string>().starts_with(prefix))
            rows.push_back(&row);
    return rows;
}

/// Cycles of one step of the naive matmul for a warp: its load of A at each of some places, and the
/// broadcast of B.
double cyclesOfNaive(std::uint64_t n) {
    double tag = 0, data = 0;
    int places = 0;
    for (std::uint64_t row = 0; row + kWarpSize <= n; row += 32 * 13)
        for (std::uint64_t k = 0; k < n; k += 97, ++places) {
            std::array<std::uint64_t, kWarpSize> addresses{};
            for (std::size_t lane = 0; lane < kWarpSize; ++lane)
                addresses[lane] = kBase + 4 * ((row + lane) * n + k);
            const L1Cost cost = l1Cost(addresses, kFullMask, 4, GlobalKind::Load);
            tag += cost.tagCycles;
            data += cost.dataCycles;
        }
    return std::max(tag, data) / places + 1;
}

double measuredCycles(const json& row) {
    const double n = row["n"].get<double>();
    const double blocks = std::ceil(n / 32);
    // Warps of the grid whose columns are all within the matrix, and their steps.
    return row["ms"].get<double>() * 1e-3 * 1980e6 * 132 / (n * blocks * n);
}

} // namespace

TEST_CASE("loads: both stages equal the counters of an H200") {
    const auto rows = rowsOf("ld");
    REQUIRE(rows.size() == 259);
    for (const json* row : rows) {
        INFO((*row)["op"] << " " << (*row)["name"]);
        const L1Cost cost = costOf(*row);
        CHECK(cost.tagCycles == (*row)["tag_cycles"].get<int>());
        CHECK(cost.wavefronts == (*row)["wavefronts"].get<int>());
    }
}

TEST_CASE("stores: tag cycles equal, wavefronts but for four patterns") {
    // Bytes that lie far apart cost more, and crowded tag banks sometimes a cycle less, than the
    // rule says; why is not known.
    const std::set<std::string> unexplained = {"st1 stride 128", "st1 stride 132",
                                               "st4 random in 16384 masked",
                                               "st4 random in 131072, 1"};
    for (const json* row : rowsOf("st")) {
        const std::string name =
            (*row)["op"].get<std::string>() + " " + (*row)["name"].get<std::string>();
        INFO(name);
        const L1Cost cost = costOf(*row);
        CHECK(cost.tagCycles == (*row)["tag_cycles"].get<int>());
        CHECK((cost.wavefronts == (*row)["wavefronts"].get<int>()) == !unexplained.contains(name));
    }
}

TEST_CASE("reductions: at most two wavefronts fewer than the counter") {
    int equal = 0, equalTags = 0;
    for (const json* row : rowsOf("red")) {
        INFO((*row)["name"]);
        const L1Cost cost = costOf(*row);
        const int wavefronts = (*row)["wavefronts"].get<int>();
        const int tagCycles = (*row)["tag_cycles"].get<int>();
        CHECK(cost.tagCycles <= tagCycles);
        CHECK(cost.tagCycles >= tagCycles - 1);
        equalTags += cost.tagCycles == tagCycles ? 1 : 0;
        CHECK(cost.wavefronts <= wavefronts);
        CHECK(cost.wavefronts >= wavefronts - 2);
        equal += cost.wavefronts == wavefronts ? 1 : 0;
    }
    CHECK(equal >= 18);
    CHECK(equalTags >= 22);
}

TEST_CASE("the naive matmul takes what the busier stage takes, at 50 sizes") {
    double worst = 0;
    for (const json& row : measured()["naive"]["times"]) {
        const double modelled = cyclesOfNaive(row["n"].get<std::uint64_t>());
        const double ratio = measuredCycles(row) / modelled;
        INFO("n = " << row["n"] << ": measured " << measuredCycles(row) << " cycles a step, modelled "
                    << modelled);
        CHECK(ratio > 0.95);
        CHECK(ratio < 1.16);
        worst = std::max(worst, std::abs(ratio - 1));
    }
    CHECK(worst > 0); // the times are read, not made up
}

TEST_CASE("a leading dimension of 4092 is three times as fast as 4096") {
    CHECK(cyclesOfNaive(4096) == Approx(33));
    CHECK(cyclesOfNaive(4064) == Approx(33));
    CHECK(cyclesOfNaive(4128) == Approx(33));
    CHECK(cyclesOfNaive(4096) / cyclesOfNaive(4092) == Approx(1.57 / 0.50).epsilon(0.05));
    CHECK(cyclesOfNaive(4096) / cyclesOfNaive(4088) == Approx(1.35 / 0.50).epsilon(0.06));
}

TEST_CASE("the ends of the rule") {
    std::array<std::uint64_t, kWarpSize> addresses{};
    CHECK(l1Cost(addresses, 0, 4, GlobalKind::Load) == L1Cost{});
    CHECK(l1Cost(addresses, kFullMask, 4, GlobalKind::Load) == L1Cost{1, 1, 2});
    CHECK(l1Cost(addresses, kFullMask, 16, GlobalKind::Load) == L1Cost{1, 4, 5});
    CHECK(l1Cost(addresses, kFullMask, 4, GlobalKind::Reduction).tagCycles == 32);
    for (std::size_t i = 0; i < kWarpSize; ++i)
        addresses[i] = 4096 - 128 * i; // downwards
    CHECK(l1Cost(addresses, kFullMask, 4, GlobalKind::Load).dataCycles == 32);
    // The hash spreads each aligned run of four lines over the banks.
    for (std::uint64_t line = 0; line < 4096; line += 4) {
        std::set<int> banks;
        for (std::uint64_t i = 0; i < 4; ++i)
            banks.insert(tagBank((line + i) * kLineBytes));
        CHECK(banks.size() == 4);
    }
}
