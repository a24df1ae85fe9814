// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

#include "engine/catalog/reference.h"

using namespace lanescope;
using namespace lanescope::catalog;

namespace {

std::vector<float> randomFloats(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> values(count);
    for (float& value : values)
        value = uniform(generator);
    return values;
}

template <class T>
std::span<const std::byte> bytesOf(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

std::vector<float> multiply(std::size_t m, std::size_t n, std::size_t k,
                            const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<float> c(m * n);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            float sum = 0;
            for (std::size_t p = 0; p < k; ++p)
                sum = std::fma(a[i * k + p], b[p * n + j], sum);
            c[i * n + j] = sum;
        }
    return c;
}

ResolvedReference matmul(std::int64_t m, std::int64_t n, std::int64_t k, std::size_t outputs = 1) {
    ResolvedReference reference{
        "matmul", {{"M", m}, {"N", n}, {"K", k}}, {{0, "A", "f32"}, {1, "B", "f32"}}, {}};
    for (std::size_t i = 0; i < outputs; ++i)
        reference.outputs.push_back({2 + i, i == 0 ? "C" : "D", "f32"});
    return reference;
}

} // namespace

TEST_CASE("matmul: a float product passes, a wrong element is found where it is") {
    for (const auto& [m, n, k] :
         {std::array<std::size_t, 3>{1, 1, 1}, {5, 7, 3}, {64, 64, 64}, {17, 33, 500}}) {
        const auto a = randomFloats(m * k, 1), b = randomFloats(k * n, 2);
        std::vector<float> c = multiply(m, n, k, a, b), d = c;
        const auto reference = matmul(static_cast<std::int64_t>(m), static_cast<std::int64_t>(n),
                                      static_cast<std::int64_t>(k), 2);
        std::vector<std::span<const std::byte>> arguments{bytesOf(a), bytesOf(b), bytesOf(c),
                                                          bytesOf(d)};
        auto report = checkReference(reference, arguments, arguments);
        REQUIRE(report);
        CHECK(report->matches);
        CHECK(report->outputs[0].checkedElements == m * n);
        CHECK(report->outputs[0].maxError <= report->outputs[0].tolerance);

        const std::size_t wrong = m * n / 2;
        d[wrong] += 0.01f;
        if (wrong + 1 < m * n)
            d[wrong + 1] = std::numeric_limits<float>::quiet_NaN();
        report = checkReference(reference, arguments, arguments);
        REQUIRE(report);
        CHECK_FALSE(report->matches);
        CHECK(report->outputs[0].mismatches == 0);
        CHECK(report->outputs[1].firstIndex == wrong);
        CHECK(report->outputs[1].mismatches == (wrong + 1 < m * n ? 2 : 1));
        CHECK(report->outputs[1].got == static_cast<double>(d[wrong]));
        CHECK(std::fabs(report->outputs[1].expected - static_cast<double>(c[wrong])) < 1e-4);
    }
}

TEST_CASE("matmul: an output of halves may be rounded, not more") {
    const std::vector<float> a{1}, b{3.0009f}; // between 3 and the next half, 3.00195
    for (const auto& [half, right] : {std::pair<std::uint16_t, bool>{0x4200, true}, {0x4201, false}, {0x41ff, false}}) {
        const std::vector<std::uint16_t> c{half};
        auto reference = matmul(1, 1, 1);
        reference.outputs[0].type = "f16";
        const std::vector<std::span<const std::byte>> arguments{bytesOf(a), bytesOf(b), bytesOf(c)};
        const auto report = checkReference(reference, arguments, arguments);
        REQUIRE(report);
        CHECK(report->matches == right);
    }
}

TEST_CASE("matmul: the tolerance grows with K and is not so wide that a lost product fits") {
    double previous = 0;
    for (std::size_t k : {8u, 64u, 512u, 4096u}) {
        const auto a = randomFloats(4 * k, 3), b = randomFloats(k * 4, 4);
        std::vector<float> c = multiply(4, 4, k, a, b);
        const auto reference = matmul(4, 4, static_cast<std::int64_t>(k));
        std::vector<std::span<const std::byte>> arguments{bytesOf(a), bytesOf(b), bytesOf(c)};
        auto report = checkReference(reference, arguments, arguments);
        REQUIRE(report);
        CHECK(report->matches);
        CHECK(report->outputs[0].tolerance > previous);
        previous = report->outputs[0].tolerance;
        // The largest product of one sum is lost.
        float largest = 0;
        for (std::size_t p = 0; p < k; ++p)
            if (const float product = a[1 * k + p] * b[p * 4 + 3];
                std::fabs(product) > std::fabs(largest))
                largest = product;
        c[7] -= largest;
        report = checkReference(reference, arguments, arguments);
        REQUIRE(report);
        CHECK_FALSE(report->matches);
        CHECK(report->outputs[0].firstIndex == 7);
    }
}

TEST_CASE("a large product is checked by a sample that is spread out") {
    const std::size_t m = 700, n = 700, k = 700;
    const std::vector<float> a(m * k, 1.0f), b(k * n, 2.0f);
    std::vector<float> c(m * n, 1400.0f);
    std::vector<std::span<const std::byte>> arguments{bytesOf(a), bytesOf(b), bytesOf(c)};
    auto report = checkReference(matmul(700, 700, 700), arguments, arguments);
    REQUIRE(report);
    CHECK(report->matches);
    CHECK(report->outputs[0].checkedElements < m * n);
    CHECK(report->outputs[0].checkedElements > 100'000);
    for (std::size_t column = 0; column < n; ++column) // one wrong row of 700 cannot hide
        c[350 * n + column] = 0;
    report = checkReference(matmul(700, 700, 700), arguments, arguments);
    REQUIRE(report);
    CHECK_FALSE(report->matches);
    CHECK(report->outputs[0].firstIndex / n == 350);
}

TEST_CASE("vector_add, copy and transpose are exact, in every element type") {
    const auto a = randomFloats(1001, 5), b = randomFloats(1001, 6);
    std::vector<float> c(1001);
    for (std::size_t i = 0; i < c.size(); ++i)
        c[i] = a[i] + b[i];
    const ResolvedReference add{
        "vector_add", {{"n", 1001}}, {{0, "a", "f32"}, {1, "b", ""}}, {{2, "c", "f32"}}};
    std::vector<std::span<const std::byte>> arguments{bytesOf(a), bytesOf(b), bytesOf(c)};
    CHECK(checkReference(add, arguments, arguments)->matches);
    c[1000] = std::nextafter(c[1000], 2.0f);
    auto report = checkReference(add, arguments, arguments);
    CHECK_FALSE(report->matches);
    CHECK(report->outputs[0].firstIndex == 1000);
    CHECK(report->outputs[0].tolerance == 0);

    const std::vector<std::int32_t> x{1, 2, 3, 4, 5, 6}, t{1, 4, 2, 5, 3, 6};
    std::vector<std::span<const std::byte>> pair{bytesOf(x), bytesOf(t)};
    const ResolvedReference transpose{
        "transpose", {{"M", 2}, {"N", 3}}, {{0, "x", "i32"}}, {{1, "t", "i32"}}};
    CHECK(checkReference(transpose, pair, pair)->matches);
    const ResolvedReference copy{"copy", {{"n", 6}}, {{0, "x", "i32"}}, {{1, "t", "i32"}}};
    report = checkReference(copy, pair, pair);
    CHECK(report->outputs[0].mismatches == 4);
    CHECK(report->outputs[0].firstIndex == 1);
    CHECK(report->outputs[0].got == 4);
    CHECK(report->outputs[0].expected == 2);

    const std::vector<double> y{0.5, -1, std::numeric_limits<double>::quiet_NaN()}, z = y;
    std::vector<std::span<const std::byte>> doubles{bytesOf(y), bytesOf(z)};
    CHECK(checkReference({"copy", {{"n", 3}}, {{0, "y", "f64"}}, {{1, "z", "f64"}}}, doubles, doubles)
              ->matches);
    const std::vector<float> total{-0.5f};
    const std::vector<float> parts{0.5f, -1.0f};
    std::vector<std::span<const std::byte>> sums{bytesOf(parts), bytesOf(total)};
    CHECK(checkReference({"sum", {{"n", 2}}, {{0, "x", "f32"}}, {{1, "s", "f32"}}}, sums, sums)->matches);
}

TEST_CASE("a reference that does not fit its arguments is an error") {
    const std::vector<float> a(4), b(4), c(3);
    std::vector<std::span<const std::byte>> arguments{bytesOf(a), bytesOf(b), bytesOf(c)};
    auto report = checkReference(matmul(2, 2, 2), arguments, arguments);
    REQUIRE_FALSE(report);
    CHECK(report.error().front().message == "argument 'C' has 3 elements, but 4 are needed");
    CHECK_FALSE(checkReference(matmul(2, 2, 3), arguments, arguments));
    CHECK_FALSE(checkReference({"magic", {}, {}, {}}, arguments, arguments));
    CHECK_FALSE(checkReference({"copy", {}, {{0, "a", ""}}, {{1, "b", ""}}}, arguments, arguments));
    CHECK_FALSE(checkReference({"copy", {{"n", 4}}, {}, {{1, "b", ""}}}, arguments, arguments));
    CHECK_FALSE(checkReference({"copy", {{"n", 4}}, {{0, "a", ""}}, {{9, "b", ""}}}, arguments, arguments));
    CHECK(checkReference({"copy", {{"n", 0}}, {{0, "a", ""}}, {{1, "b", ""}}}, arguments, arguments)->matches);
}

TEST_CASE("block sums: one for each part, the last of what is left") {
    const std::vector<float> in{1, 2, 3, 4, 5, 6, 7};
    std::vector<float> out{6, 15, 7};
    const ResolvedReference sums{
        "block_sum", {{"n", 7}, {"per", 3}}, {{0, "x", "f32"}}, {{1, "sums", "f32"}}};
    std::vector<std::span<const std::byte>> arguments{bytesOf(in), bytesOf(out)};
    CHECK(checkReference(sums, arguments, arguments)->matches);
    out[2] = 8;
    const auto report = checkReference(sums, arguments, arguments);
    REQUIRE_FALSE(report->matches);
    CHECK(report->outputs[0].firstIndex == 2);
    CHECK(report->outputs[0].expected == 7);
}

TEST_CASE("map: an expression over elements of the inputs, as they were before the launch") {
    const std::vector<float> before{1, 2, 3, 4}, bias{10, 20};
    std::vector<float> after{11, 12, 23, 24};
    const std::vector<std::span<const std::byte>> in{bytesOf(before), bytesOf(bias)};
    std::vector<std::span<const std::byte>> out{bytesOf(after), bytesOf(bias)};
    ResolvedReference add{"map",
                          {{"n", 4}},
                          {{0, "X", "f32"}, {1, "bias", "f32"}},
                          {{0, "X", "f32"}},
                          "X + bias",
                          {{"bias", "floor(i / N)"}},
                          {{"N", 2}}};
    CHECK(checkReference(add, in, out)->matches);
    after[3] = 25;
    const auto report = checkReference(add, in, out);
    CHECK(report->outputs[0].mismatches == 1);
    CHECK(report->outputs[0].firstIndex == 3);
    CHECK(report->outputs[0].expected == 24);
    after[3] = 24;
    add.index["bias"] = std::string("i"); // past its end from 2 on
    CHECK(checkReference(add, in, out)->outputs[0].mismatches == 3);
    add.value = "X + nothing";
    CHECK(checkReference(add, in, out).error().front().message.find("nothing") !=
          std::string::npos);

    const std::vector<std::uint8_t> bytes{7, 8, 9, 10}, flipped{8, 7, 10, 9};
    const std::vector<std::span<const std::byte>> pair{bytesOf(bytes), bytesOf(flipped)};
    const ResolvedReference flip{
        "map", {{"n", 4}}, {{0, "in", "u8"}}, {{1, "out", "u8"}}, "in", {{"in", "xor(i, 1)"}}, {}};
    CHECK(checkReference(flip, pair, pair)->matches);
}
