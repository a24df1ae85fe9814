// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/memory/l1_stages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace lanescope::memory {
namespace {

constexpr int kTagBanks = 4;
constexpr int kMostPasses = 8;

// Bits of the line number whose parity is bit 0 and bit 1 of the tag bank. Columns 1, 2, 1, 2, 3, 1,
// 2, 3, 2, 1, 2, 1 from bit 0 up.
constexpr std::uint32_t kBankBit0 = 0b1010'1011'0101;
constexpr std::uint32_t kBankBit1 = 0b0101'1101'1010;

/// A line of an access and the words that each pass asks of it, one bit a bank.
struct TouchedLine {
    std::uint64_t line = 0;
    int duplicate = 0; ///< of a reduction: the how-manieth lane on a word
    int cycle = 0;     ///< of the tag stage
    std::array<std::uint32_t, kMostPasses> words{};
};

/// Counts set bits of every column of 32-bit masks; six bits hold up to 63.
class ColumnCounter {
public:
    void add(std::uint32_t mask) {
        for (std::uint32_t& bit : m_bits) {
            const std::uint32_t carry = bit & mask;
            bit ^= mask;
            mask = carry;
        }
    }
    int most() const {
        std::uint32_t candidates = ~0u;
        int value = 0;
        for (int i = static_cast<int>(m_bits.size()) - 1; i >= 0; --i) {
            const std::uint32_t with = candidates & m_bits[static_cast<std::size_t>(i)];
            value *= 2;
            if (with != 0) {
                candidates = with;
                ++value;
            }
        }
        return value;
    }

private:
    std::array<std::uint32_t, 6> m_bits{};
};

/// The lines of an access in the order of lanes.
class Lines {
public:
    TouchedLine& of(std::uint64_t line, int duplicate) {
        // Most accesses go upwards: a line above all others is new.
        if (m_count == 0 || line > m_highest || duplicate > 0) {
            for (std::size_t i = 0; duplicate > 0 && i < m_count; ++i)
                if (m_lines[i].line == line && m_lines[i].duplicate == duplicate)
                    return m_lines[i];
            m_highest = m_count == 0 ? line : std::max(m_highest, line);
        } else {
            for (std::size_t i = m_count; i-- > 0;)
                if (m_lines[i].line == line && m_lines[i].duplicate == 0)
                    return m_lines[i];
        }
        TouchedLine& added = m_lines[m_count++];
        added.line = line;
        added.duplicate = duplicate;
        int& ofBank = m_cycles[static_cast<std::size_t>(tagBank(line * kLineBytes))];
        added.cycle = ofBank++;
        return added;
    }
    std::span<const TouchedLine> all() const { return {m_lines.data(), m_count}; }
    int cycles() const { return *std::max_element(m_cycles.begin(), m_cycles.end()); }

private:
    std::array<TouchedLine, kWarpSize> m_lines;
    std::size_t m_count = 0;
    std::uint64_t m_highest = 0;
    std::array<int, kTagBanks> m_cycles{};
};

/// Lanes before this one on the same 4-byte word.
int lanesBefore(Addresses addresses, LaneMask active, int lane) {
    int count = 0;
    for (int i = 0; i < lane; ++i)
        count += (active >> i & 1) != 0 && addresses[static_cast<std::size_t>(i)] / kBankBytes ==
                                               addresses[static_cast<std::size_t>(lane)] / kBankBytes
                     ? 1
                     : 0;
    return count;
}

bool isOneLine(Addresses addresses, LaneMask active) {
    const std::uint64_t first = addresses[static_cast<std::size_t>(firstLane(active))];
    std::uint64_t difference = 0;
    for (int lane = 0; lane < kWarpSize; ++lane)
        difference |= (active >> lane & 1) != 0
                          ? addresses[static_cast<std::size_t>(lane)] ^ first
                          : 0;
    return difference < kLineBytes;
}

std::uint32_t wordsOf(std::uint64_t address, int accessBytes) {
    const std::uint32_t words =
        accessBytes <= kBankBytes ? 1u : (1u << (accessBytes / kBankBytes)) - 1;
    return words << (address % kLineBytes / kBankBytes);
}

} // namespace

int tagBank(std::uint64_t address) {
    const auto line = static_cast<std::uint32_t>(address / kLineBytes);
    return (std::popcount(line & kBankBit0) & 1) | (std::popcount(line & kBankBit1) & 1) << 1;
}

L1Cost l1Cost(Addresses addresses, LaneMask active, int accessBytes, GlobalKind kind) {
    if (active == 0)
        return {};
    const int lanesPerPass = accessBytes <= kBankBytes ? kWarpSize : kBanks * kBankBytes / accessBytes;
    const int passes = kWarpSize / lanesPerPass;
    if (kind != GlobalKind::Reduction && isOneLine(addresses, active)) {
        int busy = 0;
        const LaneMask pass = lanesPerPass == kWarpSize ? kFullMask : (1u << lanesPerPass) - 1;
        for (int i = 0; i < passes; ++i)
            busy += (active >> (i * lanesPerPass) & pass) != 0 ? 1 : 0;
        return {1, busy, 1 + busy};
    }
    Lines lines;
    for (LaneMask left = active; left != 0; left &= left - 1) {
        const int lane = firstLane(left);
        const std::uint64_t address = addresses[static_cast<std::size_t>(lane)];
        const int duplicate =
            kind == GlobalKind::Reduction ? lanesBefore(addresses, active, lane) : 0;
        TouchedLine& line = lines.of(address / kLineBytes, duplicate);
        line.words[static_cast<std::size_t>(lane / lanesPerPass)] |= wordsOf(address, accessBytes);
    }
    L1Cost cost;
    cost.tagCycles = lines.cycles();
    cost.wavefronts = 1;
    for (std::size_t pass = 0; pass < static_cast<std::size_t>(passes); ++pass) {
        ColumnCounter whole;
        std::array<ColumnCounter, kWarpSize> byCycle;
        for (const TouchedLine& line : lines.all()) {
            whole.add(line.words[pass]);
            byCycle[static_cast<std::size_t>(line.cycle)].add(line.words[pass]);
        }
        cost.dataCycles += whole.most();
        if (kind != GlobalKind::Store)
            for (int cycle = 0; cycle < cost.tagCycles; ++cycle)
                cost.wavefronts += byCycle[static_cast<std::size_t>(cycle)].most();
    }
    if (kind == GlobalKind::Store)
        cost.wavefronts +=
            cost.dataCycles + std::max(0, cost.tagCycles - (laneCount(active) + 3) / 4);
    return cost;
}

} // namespace lanescope::memory
