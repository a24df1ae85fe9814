// SPDX-License-Identifier: GPL-3.0-or-later
// Fragment maps: every element has its place, in every shape.
#include <map>
#include <set>
#include <tuple>

#include <catch2/catch.hpp>

#include "engine/tensor/fragment.h"

using namespace lanescope::tensor;

namespace {

/// Both ways agree; every element of the matrix is held, each the same number of times.
void checkBijection(const FragmentMap& map) {
    std::map<std::tuple<int, int, int>, int> held;
    for (int reg = 0; reg < map.registers(); ++reg)
        for (int element = 0; element < map.elementsPerRegister(); ++element)
            for (int lane = 0; lane < map.lanes(); ++lane) {
                const Place place{static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(element), static_cast<std::uint16_t>(reg)};
                const Position p = map.at(place);
                REQUIRE((p.row < map.rows() && p.column < map.columns() && p.tile < map.tiles()));
                ++held[{p.tile, p.row, p.column}];
            }
    REQUIRE(held.size() == static_cast<std::size_t>(map.tiles() * map.rows() * map.columns()));
    const int copies = map.registers() / map.distinctRegisters();
    for (const auto& [position, count] : held)
        REQUIRE(count == copies);
    const Position corner = map.at({static_cast<std::uint8_t>(map.lanes() - 1), 0, 0});
    const auto places = map.places(corner);
    REQUIRE(places.size() == static_cast<std::size_t>(copies));
    for (const Place& place : places)
        REQUIRE(map.at(place) == corner);
}

} // namespace

TEST_CASE("every fragment of every product holds each element once, or in equal copies") {
    int maps = 0;
    for (const ProductKind& kind : productKinds())
        for (const Operand operand : {Operand::A, Operand::B, Operand::C})
            for (const Element element : operand == Operand::C ? kind.cd : kind.ab)
                for (const bool columnMajor : {false, true}) {
                    const auto map = findFragment(kind.family, kind.shape, operand, element, columnMajor);
                    INFO(toString(kind.shape) << " " << name(element) << " " << static_cast<int>(operand));
                    REQUIRE(map != nullptr);
                    checkBijection(*map);
                    ++maps;
                }
    CHECK(maps > 200);
    for (const int n : {8, 24, 96, 128, 256})
        for (const auto& [k, element] : {std::pair(16, Element::F16), std::pair(8, Element::TF32), std::pair(32, Element::E4M3)}) {
            const Shape shape{64, static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(k)};
            const auto d = findFragment(Family::Wgmma, shape, Operand::C, Element::F32, false);
            const auto a = findFragment(Family::Wgmma, shape, Operand::A, element, false);
            REQUIRE((d != nullptr && a != nullptr));
            CHECK(d->registers() == n / 2);
            CHECK(a->registers() == 4);
            checkBijection(*d);
            checkBijection(*a);
        }
    for (const int matrices : {1, 2, 4})
        for (const bool transposed : {false, true})
            checkBijection(*matrixFragment(matrices, transposed));
}

TEST_CASE("places that the PTX ISA spells out") {
    // m16n8k16 with 16-bit elements: a0, a1 (row groupID, column 2 tid), a2, a3 eight rows below, a4, a5 eight columns right.
    const auto a = findFragment(Family::Mma, {16, 8, 16}, Operand::A, Element::F16, false);
    CHECK(a->at({13, 1, 0}) == Position{3, 3, 0});
    CHECK(a->at({13, 1, 1}) == Position{11, 3, 0});
    CHECK(a->at({13, 1, 2}) == Position{3, 11, 0});
    CHECK(a->places({11, 11, 0}) == std::vector<Place>{{13, 1, 3}});
    const auto b = findFragment(Family::Mma, {16, 8, 16}, Operand::B, Element::F16, true);
    CHECK(b->at({13, 1, 0}) == Position{3, 3, 0});
    CHECK(b->at({13, 0, 1}) == Position{10, 3, 0});
    const auto c = findFragment(Family::Mma, {16, 8, 16}, Operand::C, Element::F32, false);
    CHECK(c->at({13, 0, 1}) == Position{3, 3, 0});
    CHECK(c->at({13, 0, 2}) == Position{11, 2, 0});
    // m16n8k32 with s8: element i of lane 31, register 3.
    CHECK(findFragment(Family::Mma, {16, 8, 32}, Operand::A, Element::S8, false)->at({31, 2, 3}) == Position{15, 30, 0});
    // m8n8k4 with f16: C in f32, lane 5 is of the second quad pair; X = (lane & 1) + (i & 2), column (i & 4) + (lane & 2) + (i & 1).
    const auto quad = findFragment(Family::Mma, {8, 8, 4}, Operand::C, Element::F32, false);
    CHECK(quad->at({5, 0, 3}) == Position{3, 1, 1});
    CHECK(quad->at({18, 0, 4}) == Position{4, 6, 0});
    CHECK(findFragment(Family::Mma, {8, 8, 4}, Operand::A, Element::F16, true)->at({21, 1, 1}) == Position{7, 1, 1});
    // ldmatrix: matrix 2, row 3, columns 4 and 5 go to lane 14; transposed, rows and columns trade places.
    CHECK(matrixFragment(4, false)->at({14, 1, 2}) == Position{19, 5, 0});
    CHECK(matrixFragment(4, true)->at({14, 1, 2}) == Position{21, 3, 0});
    // wgmma: warp 2's lane 5 has row 33.
    CHECK(findFragment(Family::Wgmma, {64, 24, 16}, Operand::C, Element::F32, false)->at({69, 0, 9}) == Position{33, 19, 0});
}

TEST_CASE("C of m16n8k16 looks like the left half of A") {
    const auto a = findFragment(Family::Mma, {16, 8, 16}, Operand::A, Element::F16, false);
    const auto c = findFragment(Family::Mma, {16, 8, 16}, Operand::C, Element::F16, false);
    for (int reg = 0; reg < 2; ++reg)
        for (int lane = 0; lane < 32; ++lane)
            for (int element = 0; element < 2; ++element) {
                const Place place{static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(element), static_cast<std::uint16_t>(reg)};
                CHECK(a->at(place) == c->at(place));
            }
}

TEST_CASE("shapes that do not exist have no fragment") {
    CHECK(findFragment(Family::Mma, {16, 8, 12}, Operand::A, Element::F16, false) == nullptr);
    CHECK(findFragment(Family::Mma, {16, 8, 16}, Operand::A, Element::F64, false) != nullptr);
    CHECK(findFragment(Family::Mma, {16, 8, 32}, Operand::A, Element::F16, false) == nullptr);
    CHECK(findFragment(Family::Wmma, {16, 16, 16}, Operand::C, Element::S32, false) != nullptr);
    CHECK(findFragment(Family::Wgmma, {64, 8, 16}, Operand::B, Element::F16, false) == nullptr);
}
