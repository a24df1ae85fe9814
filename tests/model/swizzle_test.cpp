// SPDX-License-Identifier: GPL-3.0-or-later
// Curriculum, "WMMA, then mma + ldmatrix": a row of 64 halves, padding, the XOR swizzle, exercise 8.
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "engine/model/swizzle.h"

using namespace lanescope;
using namespace lanescope::model;

namespace {

TileLayout tile(int rows, int rowBytes, Swizzle swizzle = {}, int pad = 0) { return {rows, rowBytes, 2, pad, swizzle}; }

TileCost costOfOrFail(const TileLayout& layout, TileAccess access) {
    const auto cost = costOf(layout, access);
    REQUIRE(cost);
    return *cost;
}

} // namespace

TEST_CASE("a row of 64 halves: eight-way conflicts in order, none padded or swizzled", "[swizzle]") {
    const TileCost linear = costOfOrFail(tile(64, 128), TileAccess::Ldmatrix);
    CHECK(linear.accesses == 16);
    CHECK(linear.degree == 8);
    CHECK(linear.wavefronts == 16 * 32);
    CHECK(linear.passes == 16 * 4);
    for (const TileAccess access : {TileAccess::Ldmatrix, TileAccess::LdmatrixTransposed, TileAccess::Stmatrix, TileAccess::Copy, TileAccess::Fragment}) {
        INFO(id(access));
        CHECK(costOfOrFail(tile(64, 128, {3, 4, 3}), access).excess() == 0);
        CHECK(costOfOrFail(tile(64, 128, {}, 16), access).excess() == 0);
    }
    CHECK(conflictFreePadding(tile(64, 128), {TileAccess::Ldmatrix}) == 16);
}

TEST_CASE("exercise 8: row 3, column 8 lies at byte 416", "[swizzle]") {
    CHECK(tile(64, 128).byteOf(3, 16) == 400);
    CHECK(tile(64, 128, {3, 4, 3}).byteOf(3, 16) == 416);
    CHECK(explainByte(tile(64, 128, {3, 4, 3}), 3, 8).value == 416);
    // The course's rule: chunk XOR (line mod 8).
    for (int row = 0; row < 64; ++row)
        for (int chunk = 0; chunk < 8; ++chunk)
            CHECK(tile(64, 128, {3, 4, 3}).byteOf(row, chunk * 16) == static_cast<std::uint64_t>(row * 128 + (chunk ^ row % 8) * 16));
}

TEST_CASE("the search finds the swizzles of the kernels' tiles, the smallest first", "[swizzle]") {
    const std::vector<TileAccess> ldmatrix{TileAccess::Ldmatrix};
    CHECK(conflictFreeSwizzles(tile(64, 128), ldmatrix).front() == Swizzle{3, 4, 3});
    CHECK(conflictFreeSwizzles(tile(64, 64), ldmatrix).front() == Swizzle{2, 4, 3});
    CHECK(conflictFreeSwizzles(tile(64, 32), ldmatrix).front() == Swizzle{1, 4, 3});
    CHECK(conflictFreeSwizzles(tile(64, 256), ldmatrix).front() == Swizzle{3, 4, 4});
    CHECK(conflictFreeSwizzles(tile(64, 16), ldmatrix) == std::vector{Swizzle{}});
    CHECK(conflictFreeSwizzles(tile(64, 128, {}, 16), ldmatrix) == std::vector{Swizzle{}});
    for (const int rowBytes : {32, 64, 128, 256, 512})
        for (const Swizzle& s : conflictFreeSwizzles(tile(64, rowBytes), {TileAccess::Ldmatrix, TileAccess::Copy})) {
            TileLayout layout = tile(64, rowBytes, s);
            CHECK(costOfOrFail(layout, TileAccess::Ldmatrix).excess() == 0);
            CHECK(costOfOrFail(layout, TileAccess::Copy).excess() == 0);
        }
}

TEST_CASE("a swizzle moves every byte of a tile to a place of its own and undoes itself", "[swizzle]") {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        const int b = static_cast<int>(random() % 5), s = b + static_cast<int>(random() % 3), m = static_cast<int>(random() % 5);
        const auto swizzle = makeSwizzle(b, m, random() % 2 == 0 ? s : -s, 1);
        if (!swizzle) {
            CHECK((m - s < 0 || s == 0));
            continue;
        }
        std::set<std::uint64_t> seen;
        for (std::uint64_t byte = 0; byte < 16384; byte += 8)
            seen.insert(swizzle->apply(byte));
        for (std::uint64_t byte = 0; byte < 16384; ++byte)
            REQUIRE(swizzle->apply(swizzle->apply(byte)) == byte);
        CHECK(seen.size() == 2048);
        CHECK((swizzle->changedBits() & swizzle->sourceBits()) == 0);
    }
}

TEST_CASE("units: <3, 3, 3> in halves is <3, 4, 3> in bytes", "[swizzle]") {
    CHECK(*makeSwizzle(3, 3, 3, 2) == *makeSwizzle(3, 4, 3, 1));
    CHECK(*makeSwizzle(2, 0, 3, 16) == *makeSwizzle(2, 4, 3, 1));
}

TEST_CASE("swizzles and tiles that cannot be are refused with a reason", "[swizzle]") {
    const auto message = [](const auto& result) {
        REQUIRE_FALSE(result);
        return toString(result.error());
    };
    CHECK(message(makeSwizzle(3, 4, 2)).find("overlap") != std::string::npos);
    CHECK(message(makeSwizzle(-1, 4, 3)).find("negative") != std::string::npos);
    CHECK(message(makeSwizzle(3, 4, 3, 3)).find("unit") != std::string::npos);
    CHECK(message(makeSwizzle(3, 18, 3)).find("outside") != std::string::npos);
    CHECK(message(costOf(tile(64, 128, {3, 3, 3}), TileAccess::Ldmatrix)).find("M must be at least 4") != std::string::npos);
    CHECK(message(costOf(tile(5, 128), TileAccess::Ldmatrix)).find("8 rows") != std::string::npos);
    CHECK(message(costOf(tile(64, 128, {}, 8), TileAccess::Ldmatrix)).find("multiple") != std::string::npos);
    CHECK(message(costOf(tile(8, 336, {4, 4, 4}), TileAccess::Ldmatrix)).find("past the tile") != std::string::npos);
    CHECK(message(check(tile(0, 128))).find("rows") != std::string::npos);
}

TEST_CASE("the layout of an ldmatrix is found from its addresses", "[swizzle]") {
    for (const int rowBytes : {32, 64, 128, 256})
        for (const int pad : {0, 16})
            for (const bool isSwizzled : {false, true}) {
                TileLayout layout = tile(64, rowBytes, {}, pad);
                if (isSwizzled && pad == 0)
                    layout.swizzle = conflictFreeSwizzles(layout, {TileAccess::Ldmatrix}).front();
                for (int i = 0; i < accessCount(layout, TileAccess::Ldmatrix); ++i) {
                    const WarpAccess access = accessAt(layout, TileAccess::Ldmatrix, i);
                    const auto found = findLayout(access.addresses, access.active);
                    INFO(rowBytes << " + " << pad << ", access " << i);
                    REQUIRE(found);
                    CHECK(found->swizzle == layout.swizzle);
                    CHECK(found->pitch == layout.pitch());
                    for (std::size_t lane = 0; lane < 32; ++lane)
                        CHECK(found->linear[lane] == static_cast<std::uint64_t>(access.row[lane] * layout.pitch() + access.byteInRow[lane]));
                }
            }
    std::array<std::uint64_t, 32> anywhere{};
    for (std::size_t lane = 0; lane < 32; ++lane)
        anywhere[lane] = 16 * ((lane * lane * 7 + 3 * lane) % 91);
    CHECK_FALSE(findLayout(anywhere, kFullMask));
    CHECK_FALSE(findLayout(anywhere, 0x7f));
}
