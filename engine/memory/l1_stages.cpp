// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/memory/l1_stages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "engine/memory/stride.h"

namespace lanescope::memory {
namespace {

constexpr int kTagBanks = 4;
constexpr int kMostPasses = 8;

// Bits of the line number whose parity is bit 0 and bit 1 of the tag bank. Columns 1, 2, 1, 2, 3, 1,
// 2, 3, 2, 1, 2, 1 from bit 0 up.
constexpr std::uint32_t kBankBit0 = 0b1010'1011'0101;
constexpr std::uint32_t kBankBit1 = 0b0101'1101'1010;
constexpr std::size_t kHashedLines = 4096; ///< the hash repeats after them

constexpr std::array<std::uint8_t, kHashedLines> kTagBank = [] {
    std::array<std::uint8_t, kHashedLines> banks{};
    for (std::uint32_t line = 0; line < kHashedLines; ++line)
        banks[line] = static_cast<std::uint8_t>((std::popcount(line & kBankBit0) & 1) |
                                                (std::popcount(line & kBankBit1) & 1) << 1);
    return banks;
}();

/// A one in the byte of the line's tag bank.
constexpr std::array<std::uint32_t, kHashedLines> kTagBankOne = [] {
    std::array<std::uint32_t, kHashedLines> ones{};
    for (std::size_t line = 0; line < kHashedLines; ++line)
        ones[line] = 1u << (8 * kTagBank[line]);
    return ones;
}();

/// Counts set bits of every column of 32-bit masks; kBits bits hold up to 2^kBits - 1.
template <std::size_t kBits>
class ColumnCounter {
public:
    void add(std::uint32_t mask) {
        for (std::size_t i = 0; i < kBits && mask != 0; ++i) {
            const std::uint32_t carry = m_bits[i] & mask;
            m_bits[i] ^= mask;
            mask = carry;
        }
    }
    int most() const {
        std::uint32_t candidates = ~0u;
        int value = 0;
        for (std::size_t i = kBits; i-- > 0;) {
            const std::uint32_t with = candidates & m_bits[i];
            value *= 2;
            if (with != 0) {
                candidates = with;
                ++value;
            }
        }
        return value;
    }

private:
    std::array<std::uint32_t, kBits> m_bits{};
};

/// The lines of an access in the order of lanes, and the words that each pass asks of them, one bit
/// a bank. Arrays stay uninitialised beyond the lines that there are.
class Lines {
public:
    explicit Lines(std::size_t passes) : m_passes(passes) {}

    void add(std::uint64_t line, int duplicate, std::size_t pass, std::uint32_t words) {
        m_words[indexOf(line, duplicate)][pass] |= words;
    }
    std::size_t count() const { return m_count; }
    int cycleOf(std::size_t i) const { return m_cycle[i]; }
    std::uint32_t words(std::size_t i, std::size_t pass) const { return m_words[i][pass]; }
    int cycles() const { return *std::max_element(m_cycles.begin(), m_cycles.end()); }

private:
    std::size_t indexOf(std::uint64_t line, int duplicate) {
        // Most accesses go upwards: a line above all others is new.
        if (m_count > 0 && line <= m_highest)
            for (std::size_t i = m_count; i-- > 0;)
                if (m_lines[i] == line && m_duplicate[i] == duplicate)
                    return i;
        m_highest = m_count == 0 ? line : std::max(m_highest, line);
        m_lines[m_count] = line;
        m_duplicate[m_count] = duplicate;
        m_cycle[m_count] = m_cycles[static_cast<std::size_t>(tagBank(line * kLineBytes))]++;
        std::fill_n(m_words[m_count].begin(), m_passes, 0u);
        return m_count++;
    }

    std::size_t m_passes, m_count = 0;
    std::uint64_t m_highest = 0;
    std::array<std::uint64_t, kWarpSize> m_lines;
    std::array<int, kWarpSize> m_duplicate; ///< of a reduction: lanes before it on the word
    std::array<int, kWarpSize> m_cycle;     ///< of the tag stage
    std::array<std::array<std::uint32_t, kMostPasses>, kWarpSize> m_words;
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
    const auto last = static_cast<std::size_t>(std::bit_width(active) - 1);
    if ((addresses[last] ^ first) >= kLineBytes)
        return false; // the usual case
    std::uint64_t difference = 0;
    for (int lane = 0; lane < kWarpSize; ++lane)
        difference |= (active >> lane & 1) != 0
                          ? addresses[static_cast<std::size_t>(lane)] ^ first
                          : 0;
    return difference < kLineBytes;
}

/// All lanes on one bank of the data array, each in a line above the last: a column of a matrix whose
/// rows are whole lines.
bool isColumn(const Stride& stride, int accessBytes) {
    return stride.count == kWarpSize && accessBytes <= kBankBytes && stride.step % kLineBytes == 0 &&
           stride.step != 0 && stride.step >> 63 == 0;
}

/// Look-ups of the busiest tag bank when each lane has a line of its own.
int tagCyclesOfLanes(Addresses addresses) {
    std::uint32_t counts = 0; // a byte a bank
    for (const std::uint64_t address : addresses)
        counts += kTagBankOne[address / kLineBytes % kHashedLines];
    int most = 0;
    for (int bank = 0; bank < kTagBanks; ++bank)
        most = std::max(most, static_cast<int>(counts >> (8 * bank) & 0xff));
    return most;
}

/// Of a store, from the cycles of its stages: lines that crowd a tag bank add to those of the data stage.
int storeWavefronts(const L1Cost& cost, LaneMask active) {
    return 1 + cost.dataCycles + std::max(0, cost.tagCycles - (laneCount(active) + 3) / 4);
}

std::uint32_t wordsOf(std::uint64_t address, int accessBytes) {
    const std::uint32_t words =
        accessBytes <= kBankBytes ? 1u : (1u << (accessBytes / kBankBytes)) - 1;
    return words << (address % kLineBytes / kBankBytes);
}

} // namespace

int tagBank(std::uint64_t address) { return kTagBank[address / kLineBytes % kHashedLines]; }

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
    if (Stride stride; findStride(addresses, active, stride) && isColumn(stride, accessBytes)) {
        L1Cost cost{tagCyclesOfLanes(addresses), kWarpSize, 1 + kWarpSize};
        if (kind == GlobalKind::Store)
            cost.wavefronts = storeWavefronts(cost, active);
        return cost;
    }
    Lines lines(static_cast<std::size_t>(passes));
    for (LaneMask left = active; left != 0; left &= left - 1) {
        const int lane = firstLane(left);
        const std::uint64_t address = addresses[static_cast<std::size_t>(lane)];
        const int duplicate =
            kind == GlobalKind::Reduction ? lanesBefore(addresses, active, lane) : 0;
        lines.add(address / kLineBytes, duplicate, static_cast<std::size_t>(lane / lanesPerPass),
                  wordsOf(address, accessBytes));
    }
    L1Cost cost;
    cost.tagCycles = lines.cycles();
    cost.wavefronts = 1;
    for (std::size_t pass = 0; pass < static_cast<std::size_t>(passes); ++pass) {
        ColumnCounter<6> whole;
        std::array<ColumnCounter<3>, kWarpSize> byCycle; // at most a line of each tag bank
        for (std::size_t i = 0; i < lines.count(); ++i) {
            whole.add(lines.words(i, pass));
            byCycle[static_cast<std::size_t>(lines.cycleOf(i))].add(lines.words(i, pass));
        }
        cost.dataCycles += whole.most();
        if (kind != GlobalKind::Store)
            for (int cycle = 0; cycle < cost.tagCycles; ++cycle)
                cost.wavefronts += byCycle[static_cast<std::size_t>(cycle)].most();
    }
    if (kind == GlobalKind::Store)
        cost.wavefronts = storeWavefronts(cost, active);
    return cost;
}

} // namespace lanescope::memory
