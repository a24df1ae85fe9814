// SPDX-License-Identifier: GPL-3.0-or-later
// Lane executors against oracles that share no code with them: __int128 for integers, long double
// with exact rounding for halves, the PTX pseudocode for shuffles; and what holds for every
// executor (inactive lanes, the rounding mode).
#include <bit>
#include <cfenv>
#include <cmath>
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "tests/lanes/row_interpreter.h"

using namespace lanescope;
using namespace lanescope::test;

namespace {

__extension__ typedef __int128 Wide;

/// One instruction on registers %p0.. (pred), %h0.. (b16), %r0.. (b32), %d0.. (b64), as parsed, and
/// its executor.
struct Executor {
    ptx::Module module;
    sim::LaneFunction function = nullptr;
    explicit Executor(const std::string& text)
        : module(
              parseModule(".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(){\n"
                          ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<5>; .reg .b64 %d<4>;\n" +
                          text + "\nret; }\n")) {
        auto selected = sim::selectLaneFunction(module.functions.at(0).instructions.at(0),
                                                &module.functions[0]);
        if (!selected)
            throw std::runtime_error(toString(selected.error()));
        function = *selected;
    }
};

using Words = std::array<std::uint32_t, kWarpSize>;
using Longs = std::array<std::uint64_t, kWarpSize>;

template <class D, class... S>
void call(sim::LaneFunction function, LaneMask active, D& destination, const S&... sources) {
    LaneMask carry = 0;
    sim::LaneArguments arguments;
    arguments.carry = &carry;
    arguments.destination[0] = destination.data();
    int index = 0;
    ((arguments.source[index++] = sources.data()), ...);
    function(arguments, active);
}

/// Numbers near the edges of every width, and random ones.
std::uint64_t anyBits(std::mt19937_64& random) {
    const std::uint64_t bits = random() >> (random() % 64);
    switch (random() % 4) {
    case 0:
        return ~bits;
    case 1:
        return (std::uint64_t{1} << (random() % 64)) + random() % 3 - 1;
    default:
        return bits;
    }
}

/// The value of 16 bits in a format of e exponent and f fraction bits; NaN and infinities as such.
long double halfValue(std::uint32_t bits, int exponentBits, int fractionBits) {
    const int bias = (1 << (exponentBits - 1)) - 1;
    const int field = static_cast<int>((bits >> fractionBits) & ((1u << exponentBits) - 1u));
    const auto fraction = static_cast<long double>(bits & ((1u << fractionBits) - 1u));
    const long double sign = (bits & 0x8000u) != 0 ? -1.0L : 1.0L;
    if (field == (1 << exponentBits) - 1)
        return fraction != 0 ? std::nanl("") : sign * HUGE_VALL;
    const long double scale = std::ldexp(1.0L, -fractionBits);
    if (field == 0)
        return sign * std::ldexp(fraction * scale, 1 - bias);
    return sign * std::ldexp(1.0L + fraction * scale, field - bias);
}

/// Round to nearest even by search: the numbers of a format are ordered like their bits. `tail`
/// says on which side of `value` the exact result lies when value itself was rounded.
std::uint32_t roundBySearch(long double value, int tail, int exponentBits, int fractionBits) {
    if (std::isnan(value))
        return 0x7fffu;
    const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
    const long double magnitude = std::fabs(value);
    if (sign != 0)
        tail = -tail;
    const std::uint32_t infinity = ((1u << exponentBits) - 1u) << fractionBits;
    if (std::isinf(value))
        return sign | infinity;
    std::uint32_t low = 0, high = infinity; // value(low) <= magnitude < value(high)
    // Infinity stands for the number that would come after the largest one.
    const auto numberOf = [&](std::uint32_t bits) {
        if (bits < infinity)
            return halfValue(bits, exponentBits, fractionBits);
        return 2 * halfValue(infinity - 1, exponentBits, fractionBits) -
               halfValue(infinity - 2, exponentBits, fractionBits);
    };
    if (magnitude >= numberOf(infinity))
        return sign | infinity;
    while (high - low > 1) {
        const std::uint32_t middle = (low + high) / 2;
        (numberOf(middle) <= magnitude ? low : high) = middle;
    }
    // Both differences are exact or lose only what does not decide.
    const long double below = magnitude - numberOf(low), above = numberOf(high) - magnitude;
    const bool up =
        below > above || (below == above && (tail > 0 || (tail == 0 && (low & 1u) != 0)));
    return sign | (up ? high : low);
}

/// a * b + c to 64 significant bits, with the side of the exact result.
long double fused(long double a, long double b, long double c, int& tail) {
    const long double product = a * b; // at most 22 bits: exact
    const long double sum = product + c;
    const long double part = sum - product;
    const long double error = (product - (sum - part)) + (c - part);
    tail = error > 0 ? 1 : error < 0 ? -1 : 0;
    return sum;
}

std::uint32_t specialHalf(std::mt19937_64& random) {
    static const std::uint32_t specials[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,
                                             0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                             0x7e00, 0x7fff, 0xffff, 0x3f80, 0x7f80, 0xff80,
                                             0x7f7f, 0x80,   0x7f,   0x3555, 0x1000, 0x9000};
    return random() % 3 == 0 ? specials[random() % std::size(specials)]
                             : static_cast<std::uint32_t>(random() & 0xffffu);
}

void checkHalf(const std::string& type, int exponentBits, int fractionBits) {
    std::mt19937_64 random(11);
    const Executor add("add.rn." + type + " %h0,%h1,%h2;"), mul("mul.rn." + type + " %h0,%h1,%h2;"),
        fma("fma.rn." + type + " %h0,%h1,%h2,%h3;");
    int wrong = 0;
    for (int round = 0; round < 4000; ++round) {
        Words a{}, b{}, c{}, sum{}, product{}, both{};
        for (std::size_t i = 0; i < kWarpSize; ++i) {
            a[i] = specialHalf(random);
            b[i] = specialHalf(random);
            c[i] = specialHalf(random);
        }
        call(add.function, kFullMask, sum, a, b);
        call(mul.function, kFullMask, product, a, b);
        call(fma.function, kFullMask, both, a, b, c);
        for (std::size_t i = 0; i < kWarpSize; ++i) {
            const auto x = halfValue(a[i], exponentBits, fractionBits);
            const auto y = halfValue(b[i], exponentBits, fractionBits);
            const auto z = halfValue(c[i], exponentBits, fractionBits);
            int tail = 0;
            const long double s = fused(x, 1, y, tail);
            wrong += sum[i] != roundBySearch(s, tail, exponentBits, fractionBits);
            wrong += product[i] != roundBySearch(x * y, 0, exponentBits, fractionBits);
            const long double f = fused(x, y, z, tail);
            wrong += both[i] != roundBySearch(f, tail, exponentBits, fractionBits);
        }
    }
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE("integer arithmetic equals 128-bit arithmetic", "[lanes]") {
    std::mt19937_64 random(5);
    const auto check64 = [&](const std::string& text, auto oracle) {
        const Executor executor(text);
        INFO(text);
        int wrong = 0;
        for (int round = 0; round < 300; ++round) {
            Longs a{}, b{}, c{}, d{};
            for (std::size_t i = 0; i < kWarpSize; ++i) {
                a[i] = anyBits(random);
                b[i] = anyBits(random);
                c[i] = anyBits(random);
            }
            call(executor.function, kFullMask, d, a, b, c);
            for (std::size_t i = 0; i < kWarpSize; ++i)
                wrong += d[i] != static_cast<std::uint64_t>(oracle(a[i], b[i], c[i]));
        }
        CHECK(wrong == 0);
    };
    const auto check32 = [&](const std::string& text, auto oracle) {
        const Executor executor(text);
        INFO(text);
        int wrong = 0;
        for (int round = 0; round < 300; ++round) {
            Words a{}, b{}, c{}, d{};
            for (std::size_t i = 0; i < kWarpSize; ++i) {
                a[i] = static_cast<std::uint32_t>(anyBits(random));
                b[i] = static_cast<std::uint32_t>(anyBits(random));
                c[i] = static_cast<std::uint32_t>(anyBits(random));
            }
            call(executor.function, kFullMask, d, a, b, c);
            for (std::size_t i = 0; i < kWarpSize; ++i)
                wrong += d[i] != static_cast<std::uint32_t>(oracle(a[i], b[i], c[i]));
        }
        CHECK(wrong == 0);
    };
    using U = std::uint64_t;
    using W = std::uint32_t;
    const auto s64 = [](U v) { return static_cast<Wide>(static_cast<std::int64_t>(v)); };
    const auto s32 = [](W v) { return static_cast<Wide>(static_cast<std::int32_t>(v)); };
    check64("mul.hi.s64 %d0,%d1,%d2;", [&](U a, U b, U) { return (s64(a) * s64(b)) >> 64; });
    check64("mul.lo.s64 %d0,%d1,%d2;", [&](U a, U b, U) { return s64(a) * s64(b); });
    check64("mad.hi.s64 %d0,%d1,%d2,%d3;",
            [&](U a, U b, U c) { return ((s64(a) * s64(b)) >> 64) + s64(c); });
    check64("sad.s64 %d0,%d1,%d2,%d3;", [&](U a, U b, U c) {
        const Wide distance = s64(a) - s64(b);
        return s64(c) + (distance < 0 ? -distance : distance);
    });
    check64("div.s64 %d0,%d1,%d2;",
            [&](U a, U b, U) { return b == 0 ? Wide{-1} : s64(a) / s64(b); });
    check64("rem.s64 %d0,%d1,%d2;",
            [&](U a, U b, U) { return b == 0 ? Wide{-1} : s64(a) % s64(b); });
    check32("add.sat.s32 %r0,%r1,%r2;", [&](W a, W b, W) {
        const Wide sum = s32(a) + s32(b);
        return sum > 0x7fffffff          ? Wide{0x7fffffff}
               : sum < -Wide{0x80000000} ? -Wide{0x80000000}
                                         : sum;
    });
    check32("mul.hi.u32 %r0,%r1,%r2;", [&](W a, W b, W) { return (Wide{a} * b) >> 32; });
    check32("mad.lo.s32 %r0,%r1,%r2,%r3;", [&](W a, W b, W c) { return s32(a) * s32(b) + s32(c); });
    check32("rem.u32 %r0,%r1,%r2;", [&](W a, W b, W) { return b == 0 ? Wide{-1} : Wide{a} % b; });
    check32("shf.l.wrap.b32 %r0,%r1,%r2,%r3;",
            [&](W a, W b, W c) { return (((Wide{b} << 32) + a) << (c % 32)) >> 32; });
    check32("lop3.b32 %r0,%r1,%r2,%r3,0x6a;", [&](W a, W b, W c) { return (a & b) ^ c; });
    check32("dp4a.s32.u32 %r0,%r1,%r2,%r3;", [&](W a, W b, W c) {
        Wide sum = s32(c);
        for (int i = 0; i < 4; ++i)
            sum += static_cast<std::int8_t>(a >> (8 * i)) * static_cast<int>((b >> (8 * i)) & 255u);
        return sum;
    });
}

TEST_CASE("carry chains add 96-bit numbers", "[lanes]") {
    std::mt19937_64 random(3);
    const Executor add("add.cc.u32 %r0,%r1,%r2;"), addc("addc.cc.u32 %r0,%r1,%r2;"),
        sub("sub.cc.u32 %r0,%r1,%r2;"), subc("subc.cc.u32 %r0,%r1,%r2;");
    for (int round = 0; round < 200; ++round) {
        std::array<Words, 3> a{}, b{}, sum{}, difference{};
        for (auto* words : {&a, &b})
            for (auto& word : *words)
                for (auto& lane : word)
                    lane = static_cast<std::uint32_t>(anyBits(random));
        for (auto* result : {&sum, &difference}) {
            LaneMask carry =
                random() & kFullMask; // what is left of an earlier chain does not matter
            for (std::size_t k = 0; k < 3; ++k) {
                sim::LaneArguments arguments;
                arguments.carry = &carry;
                arguments.destination[0] = (*result)[k].data();
                arguments.source[0] = a[k].data();
                arguments.source[1] = b[k].data();
                const bool isSum = result == &sum;
                (k == 0  ? isSum ? add.function : sub.function
                 : isSum ? addc.function
                         : subc.function)(arguments, kFullMask);
            }
        }
        for (std::size_t i = 0; i < kWarpSize; ++i) {
            const auto whole = [&](const std::array<Words, 3>& w) {
                return (Wide{w[2][i]} << 64) + (Wide{w[1][i]} << 32) + w[0][i];
            };
            const Wide modulus = Wide{1} << 96;
            REQUIRE(whole(sum) == (whole(a) + whole(b)) % modulus);
            REQUIRE(whole(difference) == (whole(a) - whole(b) + modulus) % modulus);
        }
    }
}

TEST_CASE("halves are rounded once", "[lanes]") {
    checkHalf("f16", 5, 10);
    checkHalf("bf16", 8, 7);
}

TEST_CASE("f32 to f16 and back for every f16", "[lanes]") {
    const Executor widen("cvt.f32.f16 %r0,%h1;"), narrow("cvt.rn.f16.f32 %h0,%r1;");
    for (std::uint32_t first = 0; first < 0x10000u; first += kWarpSize) {
        Words half{}, wide{}, back{};
        for (std::uint32_t i = 0; i < kWarpSize; ++i)
            half[i] = first + i;
        call(widen.function, kFullMask, wide, half);
        call(narrow.function, kFullMask, back, wide);
        for (std::size_t i = 0; i < kWarpSize; ++i) {
            const long double value = halfValue(half[i], 5, 10);
            if (std::isnan(value)) {
                REQUIRE(wide[i] == 0x7fffffffu);
                REQUIRE(back[i] == 0x7fffu);
            } else {
                REQUIRE(static_cast<long double>(std::bit_cast<float>(wide[i])) == value);
                REQUIRE(back[i] == half[i]);
            }
        }
    }
}

TEST_CASE("shuffles follow the PTX pseudocode", "[lanes]") {
    std::mt19937_64 random(9);
    for (const std::string mode : {"up", "down", "bfly", "idx"}) {
        const Executor executor("shfl.sync." + mode + ".b32 %r0|%p0,%r1,%r2,%r3,%r4;");
        INFO(mode);
        for (int round = 0; round < 500; ++round) {
            Words a{}, b{}, c{}, members{}, d{};
            members.fill(kFullMask);
            for (std::size_t i = 0; i < kWarpSize; ++i) {
                a[i] = static_cast<std::uint32_t>(random());
                b[i] = static_cast<std::uint32_t>(random() % 40);
                c[i] = static_cast<std::uint32_t>(random() & 0x1f1fu);
            }
            LaneMask predicate = 0;
            sim::LaneArguments arguments;
            arguments.destination[0] = d.data();
            arguments.destination[1] = &predicate;
            const Words* sources[] = {&a, &b, &c, &members};
            for (int k = 0; k < 4; ++k)
                arguments.source[k] = sources[k]->data();
            executor.function(arguments, kFullMask);
            for (int lane = 0; lane < kWarpSize; ++lane) {
                const auto at = static_cast<std::size_t>(lane);
                const int bval = static_cast<int>(b[at] & 31u),
                          cval = static_cast<int>(c[at] & 31u),
                          segment = static_cast<int>((c[at] >> 8) & 31u);
                const int maxLane = (lane & segment) | (cval & ~segment), minLane = lane & segment;
                int j = 0;
                bool inRange = false;
                if (mode == "up") {
                    j = lane - bval;
                    inRange = j >= maxLane;
                } else if (mode == "down") {
                    j = lane + bval;
                    inRange = j <= maxLane;
                } else if (mode == "bfly") {
                    j = lane ^ bval;
                    inRange = j <= maxLane;
                } else {
                    j = minLane | (bval & ~segment);
                    inRange = j <= maxLane;
                }
                if (!inRange)
                    j = lane;
                REQUIRE(d[at] == a[static_cast<std::size_t>(j)]);
                REQUIRE(hasLane(predicate, lane) == inRange);
            }
        }
    }
}

TEST_CASE("warp-wide exchanges keep to the executing lanes of a mask", "[lanes]") {
    Words value{}, members{}, d{};
    for (std::uint32_t i = 0; i < kWarpSize; ++i) {
        value[i] = i % 3;
        members[i] = i < 16 ? 0x0000ffffu : 0xffff0000u; // two groups in one instruction
    }
    const LaneMask active = 0xfff0ff0fu;
    const Executor add("redux.sync.add.u32 %r0,%r1,%r2;"), any("match.any.sync.b32 %r0,%r1,%r2;");
    d.fill(99);
    call(add.function, active, d, value, members);
    for (std::uint32_t i = 0; i < kWarpSize; ++i) {
        std::uint32_t sum = 0;
        for (std::uint32_t k = 0; k < kWarpSize; ++k)
            sum += hasLane(active, static_cast<int>(k)) && k / 16 == i / 16 ? value[k] : 0;
        CHECK(d[i] == (hasLane(active, static_cast<int>(i)) ? sum : 99));
    }
    call(any.function, active, d, value, members);
    for (std::uint32_t i = 0; i < kWarpSize; ++i)
        if (hasLane(active, static_cast<int>(i))) {
            LaneMask equal = 0;
            for (std::uint32_t k = 0; k < kWarpSize; ++k)
                if (hasLane(active, static_cast<int>(k)) && k / 16 == i / 16 &&
                    value[k] == value[i])
                    equal |= LaneMask{1} << k;
            CHECK(d[i] == equal);
        }
    Words ballot{};
    LaneMask predicate = 0x12345678u;
    sim::LaneArguments arguments;
    arguments.destination[0] = ballot.data();
    arguments.source[0] = &predicate;
    arguments.source[1] = members.data();
    Executor("vote.sync.ballot.b32 %r0,%p0,%r2;").function(arguments, active);
    CHECK(ballot[0] == (predicate & active & 0xffffu));
    CHECK(ballot[31] == (predicate & active & 0xffff0000u));
    call(Executor("activemask.b32 %r0;").function, active, d);
    CHECK(d[0] == active);
}

TEST_CASE("inactive lanes keep their values and the rounding mode is left alone", "[lanes]") {
    std::mt19937_64 random(21);
    const std::string words[] = {"add.f32 %r0,%r1,%r2;",
                                 "fma.rm.f32 %r0,%r1,%r2,%r3;",
                                 "div.rp.ftz.f32 %r0,%r1,%r2;",
                                 "mad.lo.s32 %r0,%r1,%r2,%r3;",
                                 "div.u32 %r0,%r1,%r2;",
                                 "add.cc.u32 %r0,%r1,%r2;",
                                 "fma.rn.f16x2 %r0,%r1,%r2,%r3;",
                                 "max.NaN.bf16x2 %r0,%r1,%r2;",
                                 "lop3.b32 %r0,%r1,%r2,%r3,0x80;",
                                 "cvt.rz.f32.u32 %r0,%r1;",
                                 "sqrt.rz.f32 %r0,%r1;",
                                 "set.lt.u32.f32 %r0,%r1,%r2;",
                                 "prmt.b32 %r0,%r1,%r2,%r3;",
                                 "ex2.approx.f32 %r0,%r1;",
                                 "mov.b32 %r0,%r1;"};
    for (const std::string& text : words) {
        INFO(text);
        const Executor executor(text);
        for (int round = 0; round < 50; ++round) {
            Words a{}, b{}, c{}, d{}, all{};
            for (auto* row : {&a, &b, &c, &d})
                for (auto& lane : *row)
                    lane = static_cast<std::uint32_t>(random());
            const Words before = d;
            const auto active = static_cast<LaneMask>(random() & random());
            call(executor.function, kFullMask, all, a, b, c);
            call(executor.function, active, d, a, b, c);
            for (std::size_t i = 0; i < kWarpSize; ++i)
                REQUIRE(d[i] == (hasLane(active, static_cast<int>(i)) ? all[i] : before[i]));
            // The destination may be a source.
            call(executor.function, kFullMask, a, a, b, c);
            REQUIRE(a == all);
        }
        CHECK(std::fegetround() == FE_TONEAREST);
    }
}

TEST_CASE("predicates are written for active lanes only", "[lanes]") {
    Words a{}, b{};
    for (std::uint32_t i = 0; i < kWarpSize; ++i) {
        a[i] = i;
        b[i] = 10;
    }
    LaneMask p = 0xf0f0f0f0u, q = 0x0ff00ff0u, c = 0x3333cccc;
    const LaneMask oldP = p, oldQ = q, less = (1u << 10) - 1, active = 0x00ffff0fu;
    sim::LaneArguments arguments;
    arguments.destination[0] = &p;
    arguments.destination[1] = &q;
    arguments.source[0] = a.data();
    arguments.source[1] = b.data();
    arguments.source[2] = &c;
    Executor("setp.lt.and.s32 %p0|%p1,%r1,%r2,%p2;").function(arguments, active);
    CHECK(p == ((oldP & ~active) | (less & c & active)));
    CHECK(q == ((oldQ & ~active) | (~less & c & active)));
}

TEST_CASE("cvt extends to the register that it writes", "[lanes]") {
    Words a{};
    a.fill(0x12345680u);
    Words narrow{}, word{};
    Longs wide{};
    call(Executor("cvt.s8.s32 %h0,%r1;").function, kFullMask, narrow, a);
    CHECK(narrow[7] == 0xff80u);
    call(Executor("cvt.s8.s32 %r0,%r1;").function, kFullMask, word, a);
    CHECK(word[7] == 0xffffff80u);
    call(Executor("cvt.s8.s32 %d0,%r1;").function, kFullMask, wide, a);
    CHECK(wide[7] == 0xffffffffffffff80u);
    Longs source{};
    source.fill(0xaaaaaaaa000000f0u);
    call(Executor("cvt.s64.s8 %d0,%d1;").function, kFullMask, wide, source);
    CHECK(wide[31] == 0xfffffffffffffff0u);
}

TEST_CASE("what has no executor is an unsupported diagnostic with its line", "[lanes]") {
    ptx::Instruction instruction;
    instruction.opcode = ptx::Opcode::Add;
    instruction.type = ptx::Type::E4M3x2;
    instruction.ptxLine = 12;
    const auto selected = sim::selectLaneFunction(instruction);
    REQUIRE_FALSE(selected);
    CHECK(selected.error().at(0).code == "unsupported");
    CHECK(selected.error().at(0).where.line == 12);
    CHECK(selected.error().at(0).message.find("add") != std::string::npos);
}
