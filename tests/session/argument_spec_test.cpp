// SPDX-License-Identifier: GPL-3.0-or-later
#include <bit>
#include <cmath>
#include <cstring>

#include <catch2/catch.hpp>

#include "engine/session/argument_spec.h"

using namespace lanescope;
using namespace lanescope::session;

namespace {

ptx::Parameter pointer() {
    ptx::Parameter p;
    p.type = ptx::Type::U64;
    p.sizeBytes = 8;
    return p;
}
ptx::Parameter scalar(std::uint64_t bytes) {
    ptx::Parameter p;
    p.type = ptx::Type::U32;
    p.sizeBytes = bytes;
    return p;
}

template <class T>
T at(const std::vector<std::uint8_t>& bytes, std::size_t i) {
    T v;
    std::memcpy(&v, bytes.data() + i * sizeof v, sizeof v);
    return v;
}

} // namespace

TEST_CASE("scalars have their type's bytes", "[argument]") {
    CHECK(at<std::int32_t>(parseArgument("i32:-5", 0, scalar(4))->argument.bytes, 0) == -5);
    CHECK(at<std::uint32_t>(parseArgument("u32:0xffffffff", 0, scalar(4))->argument.bytes, 0) == 0xffffffffu);
    CHECK(at<std::int64_t>(parseArgument("i64:-9223372036854775808", 0, pointer())->argument.bytes, 0) == INT64_MIN);
    CHECK(at<std::uint64_t>(parseArgument("u64:18446744073709551615", 0, pointer())->argument.bytes, 0) == UINT64_MAX);
    CHECK(at<float>(parseArgument("f32:0.1", 0, scalar(4))->argument.bytes, 0) == 0.1f);
    CHECK(at<double>(parseArgument("f64:-2.5e300", 0, pointer())->argument.bytes, 0) == -2.5e300);
    CHECK(parseArgument("i32:200", 0, scalar(1))->argument.bytes == std::vector<std::uint8_t>{200});
    CHECK_FALSE(parseArgument("i32:1", 0, scalar(4))->argument.isBuffer);
}

TEST_CASE("buffers have the type, count and values asked for", "[argument]") {
    const auto iota = parseArgument("iota:f16:2050", 0, pointer());
    REQUIRE(iota);
    CHECK(iota->argument.bytes.size() == 4100);
    CHECK(at<std::uint16_t>(iota->argument.bytes, 1) == 0x3c00);    // 1
    CHECK(at<std::uint16_t>(iota->argument.bytes, 3) == 0x4200);    // 3
    CHECK(at<std::uint16_t>(iota->argument.bytes, 2049) == 0x6800); // 2049 is a tie: to even, 2048
    CHECK(at<std::int8_t>(parseArgument("iota:i8:300", 0, pointer())->argument.bytes, 299) == 43);
    const auto random = parseArgument("random:f32:10000:3", 0, pointer());
    double sum = 0, low = 1, high = -1;
    for (std::size_t i = 0; i < 10000; ++i) {
        const double v = at<float>(random->argument.bytes, i);
        sum += v;
        low = std::min(low, v);
        high = std::max(high, v);
    }
    CHECK(low >= -1);
    CHECK(high <= 1);
    CHECK(low < -0.99);
    CHECK(high > 0.99);
    CHECK(std::fabs(sum / 10000) < 0.03);
    CHECK(parseArgument("random:f32:100:3", 0, pointer())->argument.bytes == parseArgument("random:f32:100:3", 1, pointer())->argument.bytes);
    CHECK_FALSE(parseArgument("random:f32:100:3", 0, pointer())->argument.bytes == parseArgument("random:f32:100:4", 0, pointer())->argument.bytes);
    CHECK(parseArgument("zeros:12", 0, pointer())->argument.bytes == std::vector<std::uint8_t>(12));
}

TEST_CASE("malformed arguments say what and which", "[argument]") {
    for (const char* spec : {"", "i32", "i32:", "i32:abc", "i32:1:2", "i32:3000000000", "u32:-1", "f32:x", "zeros", "zeros:-1", "iota:f32", "iota:f33:4", "random:f32:-4",
                             "random:f32:4:x", "file:", "file:/no/such/file", "zeros:99999999999999", "random:f64:18446744073709551615", "pi:3"}) {
        const auto result = parseArgument(spec, 7, pointer());
        INFO(spec);
        REQUIRE_FALSE(result);
        CHECK(result.error()[0].code == "argument");
        CHECK(result.error()[0].message.find("argument 7") != std::string::npos);
    }
}
