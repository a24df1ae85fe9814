// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic at its edges, and what differs between generations. All shapes against an H200: tests/sim/tensor_test.cpp.
#include <bit>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/tensor/product.h"

using namespace lanescope;
using namespace lanescope::tensor;

namespace {

constexpr std::uint32_t kOneF16 = 0x3c00;

std::uint32_t bitsOf(float v) { return std::bit_cast<std::uint32_t>(v); }
float valueOf(std::uint32_t v) { return std::bit_cast<float>(v); }

/// d[0][0] of m16n8k16 with f16: a row times ones, plus c.
std::uint32_t sumOf(const std::vector<std::uint32_t>& row, std::uint32_t c, const Generation& generation, Product p = {}) {
    p.shape = {16, 8, 16};
    std::vector<std::uint32_t> a(16 * 16), b(16 * 8, kOneF16), cs(16 * 8, c), d(16 * 8);
    std::copy(row.begin(), row.end(), a.begin());
    Multiplier(p, generation).multiply(a.data(), b.data(), cs.data(), d.data());
    return d[0];
}

Generation generation(const char* id) {
    const Result<device::Device> device = device::findDevice(id);
    REQUIRE(device);
    return generationOf(*device);
}

} // namespace

TEST_CASE("sums keep so many bits after the point of the largest term as the generation has") {
    // 1 and 2^-24, 2^-24: 25 bits keep both halves of an ulp, whose sum shows; 24 keep them too, 23 keep neither.
    const std::vector<std::uint32_t> row{kOneF16, 0x0001, 0x0001}; // 0x0001 is 2^-24
    CHECK(valueOf(sumOf(row, 0, generation("h200"))) == 1.0f + std::ldexp(1.0f, -23));
    CHECK(valueOf(sumOf(row, 0, generation("a100"))) == 1.0f + std::ldexp(1.0f, -23));
    CHECK(valueOf(sumOf(row, 0, generation("v100"))) == 1.0f);
    // Beside 2 the terms are an exponent further down: 2^-24 is the last bit of 25, and lost with 24.
    const std::vector<std::uint32_t> four{0x0001, 0x0001, 0x0001, 0x0001};
    CHECK(valueOf(sumOf(four, bitsOf(2.0f), generation("h200"))) == 2.0f + std::ldexp(1.0f, -22));
    CHECK(valueOf(sumOf(four, bitsOf(2.0f), generation("a100"))) == 2.0f);
}

TEST_CASE("Ampere adds k16 as two halves, one after the other") {
    // The small terms of the first half are whole among themselves, and lost where a large one is in their group.
    std::vector<std::uint32_t> row(16, 0);
    row[0] = row[1] = 0x0001;
    row[15] = 0x7800; // 32768
    CHECK(valueOf(sumOf(row, 0, generation("a100"))) == 32768.0f);
    row[15] = 0x1000; // 2^-11
    CHECK(valueOf(sumOf(row, 0, generation("a100"))) == std::ldexp(1.0f, -11) + std::ldexp(1.0f, -23));
}

TEST_CASE("results are cut, not rounded, in f32 and rounded to even in f16") {
    const Generation hopper = generation("h200");
    CHECK(valueOf(sumOf({kOneF16, 0x0001}, 0, hopper)) == 1.0f);
    CHECK(valueOf(sumOf({0xbc00, 0x8001}, 0, hopper)) == -1.0f);
    Product half;
    half.c = half.d = Element::F16;
    CHECK(sumOf({kOneF16, 0x1000, 0x0001}, 0, hopper, half) == 0x3c01);         // above half an ulp
    CHECK(sumOf({kOneF16, 0x1000}, 0, hopper, half) == kOneF16);                // the tie, to even
    CHECK(sumOf({0x3c01, 0x1000}, 0, hopper, half) == 0x3c02);                  // the tie, to even
    CHECK(sumOf({0x7bff, 0x7bff}, 0, hopper, half) == 0x7c00);                  // too large
}

TEST_CASE("infinities and NaN") {
    const Generation hopper = generation("h200");
    CHECK(sumOf({0x7c00}, 0, hopper) == 0x7f800000);
    CHECK(sumOf({0xfc00}, 0, hopper) == 0xff800000);
    CHECK(sumOf({0x7c00, 0xfc00}, 0, hopper) == 0x7fffffff);
    CHECK(sumOf({0x7e00}, 0, hopper) == 0x7fffffff);
    CHECK(sumOf({kOneF16}, 0xff800000, hopper) == 0xff800000);
    CHECK(sumOf({0x7c00}, 0xff800000, hopper) == 0x7fffffff);
}

TEST_CASE("integers wrap, or stop at the ends when asked") {
    Product p;
    p.shape = {8, 8, 16};
    p.a = p.b = Element::S8;
    p.c = p.d = Element::S32;
    std::vector<std::uint32_t> a(8 * 16, 0x7f), b(16 * 8, 0x7f), c(64, 0x7ffffff0), d(64);
    Multiplier(p, Generation{}).multiply(a.data(), b.data(), c.data(), d.data());
    CHECK(d[5] == 0x7ffffff0u + 16u * 127u * 127u);
    p.saturate = true;
    Multiplier(p, Generation{}).multiply(a.data(), b.data(), c.data(), d.data());
    CHECK(d[5] == 0x7fffffffu);
    for (std::uint32_t& v : a)
        v = 0x80;
    for (std::uint32_t& v : c)
        v = 0x80000010;
    Multiplier(p, Generation{}).multiply(a.data(), b.data(), c.data(), d.data());
    CHECK(d[5] == 0x80000000u);
}

TEST_CASE("machine instructions of a product, as ptxas 13.0 makes them for sm_90") {
    const Generation hopper = generation("h200");
    using Pipe = MachineCount::Pipe;
    const auto count = [&](Family family, Shape shape, Element a, Element d, BitOperation operation = BitOperation::None) {
        Product p;
        p.family = family;
        p.shape = shape;
        p.a = p.b = a;
        p.c = p.d = d;
        p.operation = operation;
        const MachineCount m = machineCount(p, hopper);
        return std::pair(m.pipe, m.instructions);
    };
    CHECK(count(Family::Mma, {16, 8, 16}, Element::F16, Element::F32) == std::pair(Pipe::Hmma, 1));
    CHECK(count(Family::Wmma, {16, 16, 16}, Element::F16, Element::F32) == std::pair(Pipe::Hmma, 2));
    CHECK(count(Family::Wmma, {16, 16, 8}, Element::TF32, Element::F32) == std::pair(Pipe::Hmma, 4));
    CHECK(count(Family::Mma, {16, 8, 32}, Element::E4M3, Element::F32) == std::pair(Pipe::Hmma, 2));
    CHECK(count(Family::Mma, {16, 8, 64}, Element::S4, Element::S32) == std::pair(Pipe::Imma, 2));
    CHECK(count(Family::Mma, {16, 8, 256}, Element::B1, Element::S32, BitOperation::AndPopc) == std::pair(Pipe::Imma, 1));
    CHECK(count(Family::Mma, {16, 8, 16}, Element::F64, Element::F64) == std::pair(Pipe::Dmma, 1));
    CHECK(count(Family::Mma, {8, 8, 4}, Element::F16, Element::F32) == std::pair(Pipe::None, 0));
}
