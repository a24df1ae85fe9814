// SPDX-License-Identifier: GPL-3.0-or-later
// globalCost, sharedCost and sharedPasses against a naive set-based oracle on families of random
// patterns, and known values.
#include <catch2/catch.hpp>

#include <random>

#include "tests/memory/access_oracle.h"

using namespace lanescope;
using namespace lanescope::memory;

namespace {

using Lanes = std::array<std::uint64_t, kWarpSize>;

struct Pattern {
    Lanes addresses{};
    LaneMask active = kFullMask;
    int bytes = 4;
};

class PatternMaker {
public:
    explicit PatternMaker(unsigned seed) : m_random(seed) {}

    Pattern make(bool aligned, int widestBytes) {
        Pattern pattern;
        do
            pattern.bytes = 1 << pick(6);
        while (pattern.bytes > widestBytes);
        const std::uint64_t grain = aligned ? static_cast<std::uint64_t>(pattern.bytes) : 1;
        const std::uint64_t base = bits(pick(2) ? 20 : 45) / grain * grain;
        const std::uint64_t spread = std::uint64_t{1} << (3 + pick(12));
        const std::uint64_t step = (bits(3 + pick(12)) - (std::uint64_t{1} << pick(10))) * grain;
        const int family = pick(8);
        const std::uint64_t divisor = std::uint64_t{1} << pick(6);
        const std::uint64_t mask = bits(5);
        for (std::uint64_t i = 0; i < kWarpSize; ++i) {
            std::uint64_t offset = 0;
            switch (family) {
            case 0:
                offset = i * step;
                break;
            case 1:
                offset = bits(6) * grain;
                break;
            case 2:
                offset = m_random() % spread * grain;
                break;
            case 3:
                offset = i / divisor * step + i % divisor * grain;
                break;
            case 4:
                offset = i % divisor * step + i / divisor * grain;
                break;
            case 5:
                offset = (i * 32 + (i ^ mask)) * grain;
                break;
            case 6:
                offset = (i ^ mask) * step;
                break;
            default:
                offset = pick(4) == 0 ? bits(40) * grain : 0;
                break;
            }
            pattern.addresses[i] = base + offset;
        }
        const LaneMask masks[] = {
            kFullMask,      kFullMask,   kFullMask << pick(32), kFullMask >> pick(32),
            1u << pick(32), 0x55555555u, 0x33333333u,           static_cast<LaneMask>(m_random())};
        pattern.active = masks[pick(8)];
        return pattern;
    }

    SharedKind kind() {
        const SharedKind kinds[] = {SharedKind::Load, SharedKind::Load, SharedKind::Store,
                                    SharedKind::Atomic, SharedKind::Matrix};
        return kinds[pick(5)];
    }

private:
    int pick(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
    std::uint64_t bits(int n) { return m_random() & ((std::uint64_t{1} << n) - 1); }
    std::mt19937_64 m_random;
};

Lanes stride(std::uint64_t step, std::uint64_t base = 0) {
    Lanes lanes;
    for (std::uint64_t i = 0; i < kWarpSize; ++i)
        lanes[i] = base + i * step;
    return lanes;
}

void checkGlobal(const Pattern& pattern) {
    const GlobalCost got = globalCost(pattern.addresses, pattern.active, pattern.bytes);
    const GlobalCost want = oracle::globalCost(pattern.addresses, pattern.active, pattern.bytes);
    if (got.sectors != want.sectors || got.lines != want.lines || got.bytes != want.bytes) {
        CAPTURE(pattern.addresses, pattern.active, pattern.bytes);
        CHECK(got.sectors == want.sectors);
        CHECK(got.lines == want.lines);
        CHECK(got.bytes == want.bytes);
    }
}

void checkShared(Pattern pattern, SharedKind kind) {
    if (kind == SharedKind::Matrix)
        for (auto& address : pattern.addresses)
            address &= ~std::uint64_t{15};
    const SharedCost got = sharedCost(pattern.addresses, pattern.active, pattern.bytes, kind);
    const SharedCost want =
        oracle::sharedCost(pattern.addresses, pattern.active, pattern.bytes, kind);
    if (got.wavefronts != want.wavefronts || got.passes != want.passes) {
        CAPTURE(pattern.addresses, pattern.active, pattern.bytes, static_cast<int>(kind));
        CHECK(got.wavefronts == want.wavefronts);
        CHECK(got.passes == want.passes);
    }
    const auto passes = sharedPasses(pattern.addresses, pattern.active, pattern.bytes, kind);
    LaneMask together = 0;
    for (const LaneMask pass : passes) {
        if (pass == 0 || (together & pass) != 0)
            FAIL("a pass is empty or overlaps another");
        together |= pass;
    }
    if (together != pattern.active || static_cast<int>(passes.size()) != got.passes)
        FAIL("the passes are not a partition of the active lanes");
}

} // namespace

TEST_CASE("random patterns cost what the set-based oracle says") {
    PatternMaker maker(1);
    int done = 0;
    for (; done < 60000; ++done) {
        const bool aligned = done % 4 != 0;
        checkGlobal(maker.make(aligned, 32));
        checkShared(maker.make(aligned, 16), maker.kind());
    }
    CHECK(done == 60000);
}

TEST_CASE("every constant stride and offset") {
    int done = 0;
    for (int bytes = 1; bytes <= 16; bytes *= 2)
        for (int step = -300; step <= 300; ++step)
            for (int base = 0; base < 128; base += base < 8 ? 1 : 20) {
                Pattern pattern;
                pattern.bytes = bytes;
                pattern.addresses = stride(static_cast<std::uint64_t>(std::int64_t{step}),
                                           static_cast<std::uint64_t>(1 << 20 | base));
                checkGlobal(pattern);
                checkShared(pattern, SharedKind::Load);
                checkShared(pattern, SharedKind::Store);
                ++done;
            }
    CHECK(done > 30000);
}

TEST_CASE("no active lane costs nothing") {
    const Lanes lanes = stride(4);
    CHECK(globalCost(lanes, 0, 4).sectors == 0);
    CHECK(globalCost(lanes, 0, 4).lines == 0);
    CHECK(sharedCost(lanes, 0, 16, SharedKind::Load).wavefronts == 0);
    CHECK(sharedCost(lanes, 0, 16, SharedKind::Load).passes == 0);
    CHECK(sharedPasses(lanes, 0, 16, SharedKind::Load).empty());
}

TEST_CASE("addresses far apart and at both ends of the address space") {
    Pattern pattern;
    pattern.addresses = stride(0x40000000);
    checkGlobal(pattern);
    pattern.addresses = stride(0x4000000000000000 / 8);
    checkGlobal(pattern);
    pattern.addresses = stride(4, ~std::uint64_t{0} - 255);
    checkGlobal(pattern);
    checkShared(pattern, SharedKind::Load);
    pattern.addresses = stride(static_cast<std::uint64_t>(-4), 124);
    checkGlobal(pattern);
    pattern.addresses = stride(0x40000000); // repeats modulo 2^32
    checkShared(pattern, SharedKind::Store);
}

TEST_CASE("a power-of-two stride of words conflicts that many ways, an odd one not at all") {
    for (std::uint64_t words = 1; words <= 33; ++words) {
        const int ways = std::min(32, 1 << std::countr_zero(words));
        CHECK(sharedCost(stride(4 * words), kFullMask, 4, SharedKind::Load).wavefronts == ways);
    }
    CHECK(sharedCost(stride(0), kFullMask, 4, SharedKind::Load).wavefronts == 1);
}

TEST_CASE("pairs that read the same bytes halve the passes of wide loads, not of stores") {
    Lanes pairs;
    for (std::uint64_t i = 0; i < kWarpSize; ++i)
        pairs[i] = i / 2 * 16;
    CHECK(sharedCost(pairs, kFullMask, 16, SharedKind::Load).passes == 2);
    CHECK(sharedCost(pairs, kFullMask, 16, SharedKind::Store).passes == 4);
    CHECK(sharedPasses(pairs, kFullMask, 16, SharedKind::Load) ==
          std::vector<LaneMask>{0x0000ffff, 0xffff0000});
    CHECK(sharedPasses(stride(8), kFullMask, 8, SharedKind::Load) ==
          std::vector<LaneMask>{0x0000ffff, 0xffff0000});
    CHECK(sharedPasses(stride(16), 0x00ff00ff, 16, SharedKind::Store) ==
          std::vector<LaneMask>{0x000000ff, 0x00ff0000});
    // One lane of each pair: the partner is inactive, so its address does not matter.
    CHECK(sharedCost(stride(8), 0x55555555, 8, SharedKind::Load).passes == 1);
}

TEST_CASE("an exchange of rows and columns of a 32 x 32 tile") {
    CHECK(globalCost(stride(4), kFullMask, 4).sectors == 4);
    CHECK(globalCost(stride(4, 4), kFullMask, 4).sectors == 5);
    CHECK(globalCost(stride(512 * 4), kFullMask, 4).sectors == 32);
    CHECK(globalCost(stride(12), kFullMask, 4).sectors == 12);
    CHECK(sharedCost(stride(128), kFullMask, 4, SharedKind::Store).wavefronts == 32);
    CHECK(sharedCost(stride(132), kFullMask, 4, SharedKind::Store).wavefronts == 1);
}
