// SPDX-License-Identifier: GPL-3.0-or-later
// The account per 1,000 multiply-adds: the figures of L10, sections 4 to 6.
#include <catch2/catch.hpp>

#include <cstdlib>

#include "engine/session/account.h"
#include "engine/session/simulate.h"

using namespace lanescope;
using namespace lanescope::session;

namespace {

std::vector<AccountRow> accountOf(const std::string& kernel, const catalog::Overrides& parameters) {
    const auto device = device::findDevice("rtx-a6000");
    REQUIRE(device);
    const auto modelled = modelKernel(
        *device, kernel, parameters,
        compile::environmentFrom([](const char* name) { return std::getenv(name); }));
    REQUIRE(modelled);
    return account(modelled->counters);
}

double rowOf(const std::vector<AccountRow>& rows, std::string_view id) {
    for (const AccountRow& row : rows)
        if (row.id == id)
            return row.per1000Fma;
    return 0;
}

} // namespace

TEST_CASE("naive and coalesced: lines and sectors for 1,000 multiply-adds") {
    const catalog::Overrides sizes = {{"M", 64}, {"N", 64}, {"K", 512}};
    const auto naive = accountOf("k01_naive", sizes), coalesced = accountOf("k02_coalesced", sizes);
    // 33 lines a warp step of 32 multiply-adds, and one store in 512 steps.
    CHECK(rowOf(naive, "l1_lines") == Approx(33 * 31.25).epsilon(0.003));
    CHECK(rowOf(coalesced, "l1_lines") == Approx(2 * 31.25).epsilon(0.003));
    CHECK(rowOf(coalesced, "sectors") == Approx(5 * 31.25).epsilon(0.003));
    CHECK(rowOf(naive, "float32") == Approx(31.25).epsilon(0.003));
    const auto both = compareAccounts(naive, coalesced);
    for (const AccountComparison& row : both)
        if (row.id == "l1_lines")
            CHECK(row.first / row.second == Approx(16.5).epsilon(0.01));
}

TEST_CASE("shared tiles: lines fall with the tile, wavefronts do not") {
    const catalog::Overrides sizes = {{"M", 64}, {"N", 64}, {"K", 64}, {"BS", 32}};
    const auto rows = accountOf("k03_shared", sizes);
    const double stores = rowOf(rows, "store_shared");
    CHECK(rowOf(rows, "shared_wavefronts") - stores == Approx(62.5));
    CHECK(rowOf(rows, "instructions") > 31.25 + 62.5);
}

TEST_CASE("accounts without multiply-adds or with different rows") {
    CHECK(account(sim::Counters{}).empty());
    const auto merged = compareAccounts({{"a", "A", true, 1}, {"b", "B", false, 2}},
                                        {{"b", "B", false, 3}, {"c", "C", true, 4}});
    REQUIRE(merged.size() == 3);
    CHECK(merged[0].second == 0);
    CHECK(merged[1].first == 2);
    CHECK(merged[1].second == 3);
    CHECK(merged[2].id == "c");
    CHECK(merged[2].first == 0);
}
