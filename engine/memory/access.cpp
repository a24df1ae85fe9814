// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of one warp-wide access. Called for every simulated memory instruction, so the common shapes (constant stride, sorted
// addresses) are answered in closed form, the others by branch-free all-pairs comparisons that the compiler vectorises;
// only misaligned accesses and lanes more than 1 GiB apart are sorted. No path allocates, except sharedPasses.
#include "engine/memory/access.h"

#include <algorithm>
#include <bit>

namespace lanescope::memory {
namespace {

using Offsets = std::array<std::uint32_t, kWarpSize>;

constexpr std::uint64_t unitsTouched(std::uint64_t address, std::uint64_t bytes,
                                     std::uint64_t unit) {
    return (address + bytes - 1) / unit - address / unit + 1;
}

// ------------------------------------------------------------------------------------------------ distinct values

/// No unit number and no offset below has this value, except that of an inactive lane.
constexpr std::uint32_t kNoUnit = ~0u;

/// duplicate[i] is all ones where an earlier lane has the same value, else zero. Every pair of lanes is compared.
Offsets findDuplicates(const Offsets& values) {
    std::array<std::uint32_t, 2 * kWarpSize> padded;
    for (int i = 0; i < kWarpSize; ++i) {
        padded[static_cast<std::size_t>(i)] = kNoUnit;
        padded[static_cast<std::size_t>(i + kWarpSize)] = values[static_cast<std::size_t>(i)];
    }
    Offsets duplicate{};
    for (std::size_t distance = 1; distance < kWarpSize; ++distance)
        for (std::size_t i = 0; i < kWarpSize; ++i)
            duplicate[i] |= values[i] == padded[i + kWarpSize - distance] ? ~0u : 0u;
    return duplicate;
}

int countDistinct(const Offsets& values) {
    const Offsets duplicate = findDuplicates(values);
    int count = kWarpSize;
    for (std::uint32_t mask : duplicate)
        count += static_cast<int>(mask); // minus one for a duplicate
    return count;
}

/// Whether all steps between neighbours are the same and small enough for the whole warp to stay clear of a wrap at 2^32.
bool hasConstantStep(const Offsets& values) {
    const std::uint32_t step = values[1] - values[0];
    constexpr std::uint32_t kLargest = 1u << 20;
    if (step + kLargest > 2 * kLargest)
        return false;
    std::uint32_t difference = 0;
    for (std::size_t i = 1; i < kWarpSize; ++i)
        difference |= (values[i] - values[i - 1]) ^ step;
    return difference == 0;
}

bool isSorted(const Offsets& values) {
    std::uint32_t descends = 0;
    for (std::size_t i = 1; i < kWarpSize; ++i)
        descends |= values[i] < values[i - 1] ? 1u : 0u;
    return descends == 0;
}

// -------------------------------------------------------------------------------------------------- global memory

/// Units of `unit` bytes touched by 32 accesses at first + i * step, step >= 0.
std::uint64_t unitsOfStride(std::uint64_t first, std::uint64_t step, std::uint64_t bytes,
                            std::uint64_t unit) {
    // No unit is left out between two neighbours: one contiguous range.
    if (step < unit + bytes)
        return unitsTouched(first, step * (kWarpSize - 1) + bytes, unit);
    if (step % unit == 0)
        return kWarpSize * unitsTouched(first, bytes, unit);
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < kWarpSize; ++i)
        count += unitsTouched(first + i * step, bytes, unit);
    return count;
}

GlobalCost costOfStride(std::uint32_t first, std::uint32_t last, std::uint64_t bytes) {
    const std::uint64_t low = std::min(first, last);
    const std::uint64_t step = (std::max(first, last) - low) / (kWarpSize - 1);
    const std::uint64_t asked = step < bytes ? step * (kWarpSize - 1) + bytes : kWarpSize * bytes;
    return {static_cast<int>(unitsOfStride(low, step, bytes, kSectorBytes)),
            static_cast<int>(unitsOfStride(low, step, bytes, kLineBytes)), static_cast<int>(asked)};
}

/// Sorted offsets whose accesses are aligned to their size, so that none crosses a sector.
GlobalCost costOfSorted(const Offsets& offsets, int accessBytes) {
    int sectors = 1, lines = 1, addresses = 1;
    for (std::size_t i = 1; i < kWarpSize; ++i) {
        sectors += (offsets[i] ^ offsets[i - 1]) >= kSectorBytes ? 1 : 0;
        lines += (offsets[i] ^ offsets[i - 1]) >= kLineBytes ? 1 : 0;
        addresses += offsets[i] != offsets[i - 1] ? 1 : 0;
    }
    return {sectors, lines, addresses * accessBytes};
}

GlobalCost costOfScattered(const Offsets& offsets, int accessBytes) {
    Offsets sectors, lines;
    for (std::size_t i = 0; i < kWarpSize; ++i) {
        sectors[i] = offsets[i] / kSectorBytes;
        lines[i] = offsets[i] / kLineBytes;
    }
    const int distinctSectors = countDistinct(sectors);
    const int addresses = distinctSectors == kWarpSize ? kWarpSize : countDistinct(offsets);
    return {distinctSectors, countDistinct(lines), addresses * accessBytes};
}

/// Any alignment, width and distance: merges sorted ranges.
GlobalCost costOfRanges(std::array<std::uint64_t, kWarpSize> addresses, std::size_t count,
                        std::uint64_t bytes) {
    std::sort(addresses.begin(), addresses.begin() + count);
    std::uint64_t sectors = 0, lines = 0, asked = 0;
    // The lowest sector, line and byte not counted yet.
    std::uint64_t nextSector = 0, nextLine = 0, nextByte = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t first = addresses[i];
        const std::uint64_t last = first + bytes - 1;
        const auto add = [](std::uint64_t from, std::uint64_t to, std::uint64_t& next) {
            from = std::max(from, next);
            if (from > to)
                return std::uint64_t{0};
            next = to + 1;
            return to - from + 1;
        };
        sectors += add(first / kSectorBytes, last / kSectorBytes, nextSector);
        lines += add(first / kLineBytes, last / kLineBytes, nextLine);
        asked += add(first, last, nextByte);
    }
    return {static_cast<int>(sectors), static_cast<int>(lines), static_cast<int>(asked)};
}

} // namespace

GlobalCost globalCost(Addresses addresses, LaneMask active, int accessBytes) {
    if (active == 0)
        return {};
    const auto bytes = static_cast<std::uint64_t>(accessBytes);

    // Active lanes to the front; the last one repeated behind them changes none of the sets.
    std::array<std::uint64_t, kWarpSize> packed;
    std::size_t count = kWarpSize;
    const std::uint64_t* lanes = addresses.data();
    if (active != kFullMask) {
        count = 0;
        forEachLane(active,
                    [&](int lane) { packed[count++] = addresses[static_cast<std::size_t>(lane)]; });
        std::fill(packed.begin() + count, packed.end(), packed[count - 1]);
        lanes = packed.data();
    }

    // 31-bit offsets from 1 GiB below the first lane; a whole number of lines, so sectors and lines stay what they are.
    const std::uint64_t base = lanes[0] / kLineBytes * kLineBytes - (std::uint64_t{1} << 30);
    Offsets offsets;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kWarpSize; ++i) {
        const std::uint64_t offset = lanes[i] - base;
        bits |= offset;
        offsets[i] = static_cast<std::uint32_t>(offset);
    }
    const bool near = (bits >> 31) == 0;
    const bool aligned =
        std::has_single_bit(bytes) && bytes <= kSectorBytes && (bits & (bytes - 1)) == 0;
    if (near && hasConstantStep(offsets))
        return costOfStride(offsets.front(), offsets.back(), bytes);
    if (near && aligned)
        return isSorted(offsets) ? costOfSorted(offsets, accessBytes)
                                 : costOfScattered(offsets, accessBytes);
    if (lanes != packed.data())
        std::copy(addresses.begin(), addresses.end(), packed.begin());
    return costOfRanges(packed, count, bytes);
}

// ---------------------------------------------------------------------------------------------------- shared memory

namespace {

/// How an access is cut into passes: pass p serves lanes [p * lanesPerPass, (p + 1) * lanesPerPass).
int lanesPerPassOfWidth(int accessBytes) {
    return accessBytes <= 4 ? 32 : accessBytes <= 8 ? 16 : accessBytes <= 16 ? 8 : 4;
}

/// True when every active lane's partner (lane ^ distance) is inactive or has the same address.
bool partnersAgree(const Offsets& addresses, LaneMask active, unsigned distance) {
    std::uint32_t differs = 0;
    for (std::size_t i = 0; i < kWarpSize; ++i) {
        const std::uint32_t both = (active >> i) & (active >> (i ^ distance)) & 1u;
        differs |= (addresses[i] ^ addresses[i ^ distance]) & (0u - both);
    }
    return differs == 0;
}

int lanesPerPass(const Offsets& addresses, LaneMask active, int accessBytes, SharedKind kind) {
    if (kind == SharedKind::Matrix)
        return 8;
    const int lanes = lanesPerPassOfWidth(accessBytes);
    // Data return is 128 bytes a cycle; pairs that read the same bytes need half of it.
    const bool halved = kind == SharedKind::Load && lanes < kWarpSize &&
                        (partnersAgree(addresses, active, 1) || partnersAgree(addresses, active, 2));
    return halved ? 2 * lanes : lanes;
}

LaneMask passMask(int lanes, int pass) {
    return lanes == kWarpSize ? kFullMask : ((LaneMask{1} << lanes) - 1) << (pass * lanes);
}

/// Accesses aligned to their size, at most 16 bytes. A bank group is max(4, size) bytes wide, so that an access lies in
/// one group, and a pass of an unmerged width has as many groups as lanes: (pass, group) numbers 32 at most.
SharedCost costOfAligned(const Offsets& addresses, LaneMask active, int unitShift, int lanes) {
    const std::uint32_t groupMask = (128u >> unitShift) - 1;
    const auto passShift = static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(lanes)));

    Offsets units;
    for (std::uint32_t i = 0; i < kWarpSize; ++i) {
        const std::uint32_t off = ((active >> i) & 1u) - 1u; // all ones when inactive
        // Never kNoUnit by itself: 4-byte units have pass 0 only, and pass 3 is of 16-byte units, below 2^28.
        units[i] = ((addresses[i] >> unitShift) | (i >> passShift) << 30) | off;
    }
    const Offsets duplicate = findDuplicates(units);

    // Rank of a lane: how many earlier lanes of its pass want another unit of the same bank group.
    constexpr std::uint8_t kNobody = 0xff, kUncounted = 0xfe;
    std::array<std::uint8_t, 2 * kWarpSize> keys;
    std::array<std::uint8_t, kWarpSize> own;
    for (std::uint32_t i = 0; i < kWarpSize; ++i) {
        const bool counted = duplicate[i] == 0 && units[i] != kNoUnit;
        const auto key =
            static_cast<std::uint8_t>((units[i] & groupMask) | (units[i] >> 30) << 5);
        keys[i] = kNobody;
        keys[i + kWarpSize] = counted ? key : kNobody;
        own[i] = counted ? key : kUncounted;
    }
    std::array<std::uint8_t, kWarpSize> rank{};
    for (std::size_t distance = 1; distance < kWarpSize; ++distance)
        for (std::size_t i = 0; i < kWarpSize; ++i)
            rank[i] = static_cast<std::uint8_t>(
                rank[i] + (own[i] == keys[i + kWarpSize - distance] ? 1 : 0));

    SharedCost cost;
    for (int first = 0; first < kWarpSize; first += lanes) {
        if ((active & passMask(lanes, first / lanes)) == 0)
            continue;
        const auto begin = rank.begin() + first;
        cost.wavefronts += 1 + *std::max_element(begin, begin + lanes);
        ++cost.passes;
    }
    return cost;
}

/// Any alignment and width: the distinct words of each pass, sorted by bank.
SharedCost costOfWords(const Offsets& addresses, LaneMask active, int accessBytes, int lanes) {
    SharedCost cost;
    for (int pass = 0; pass < kWarpSize / lanes; ++pass) {
        const LaneMask mask = active & passMask(lanes, pass);
        if (mask == 0)
            continue;
        std::array<std::uint32_t, kWarpSize * 9> words; // 32 bytes touch 9 words at most
        std::size_t count = 0;
        forEachLane(mask, [&](int lane) {
            const std::uint64_t address = addresses[static_cast<std::size_t>(lane)];
            const std::uint64_t last = address + static_cast<std::uint64_t>(accessBytes) - 1;
            for (std::uint64_t word = address / kBankBytes; word <= last / kBankBytes; ++word)
                words[count++] = static_cast<std::uint32_t>(word);
        });
        std::sort(words.begin(), words.begin() + count);
        const auto end = std::unique(words.begin(), words.begin() + count);
        std::array<int, kBanks> load{};
        std::for_each(words.begin(), end, [&](std::uint32_t word) { ++load[word % kBanks]; });
        cost.wavefronts += *std::max_element(load.begin(), load.end());
        ++cost.passes;
    }
    return cost;
}

Offsets lowWords(Addresses addresses) {
    Offsets low;
    for (std::size_t i = 0; i < kWarpSize; ++i)
        low[i] = static_cast<std::uint32_t>(addresses[i]);
    return low;
}

/// All lanes active, aligned, constant step: 2^k-unit steps collide 2^k-fold, up to the lanes of a pass.
SharedCost costOfSharedStride(std::uint32_t unitStep, int lanes) {
    const int passes = kWarpSize / lanes;
    if (unitStep == 0)
        return {passes, passes};
    const int ways = std::min(lanes, 1 << std::min(std::countr_zero(unitStep), 5));
    return {passes * ways, passes};
}

} // namespace

SharedCost sharedCost(Addresses addresses, LaneMask active, int accessBytes, SharedKind kind) {
    if (active == 0)
        return {};
    if (kind == SharedKind::Matrix)
        accessBytes = 16;
    const Offsets low = lowWords(addresses);
    const auto bytes = static_cast<std::uint32_t>(accessBytes);
    const int unitShift = std::countr_zero(std::max(bytes, 4u));
    const bool regularWidth = std::has_single_bit(bytes) && bytes <= 16;

    if (active == kFullMask && regularWidth && hasConstantStep(low)) {
        const std::uint32_t step = low[1] - low[0];
        const std::uint32_t unit = 1u << unitShift;
        if (low[0] % bytes == 0 && step % unit == 0) {
            const int lanes = kind == SharedKind::Matrix ? 8 : lanesPerPassOfWidth(accessBytes);
            const bool halved = step == 0 && kind == SharedKind::Load && lanes < kWarpSize;
            // An arithmetic shift of a negative step keeps its trailing zeros.
            return costOfSharedStride(step >> unitShift, halved ? 2 * lanes : lanes);
        }
    }
    std::uint32_t misaligned = 0;
    for (std::size_t i = 0; i < kWarpSize; ++i)
        misaligned |= low[i] & (0u - ((active >> i) & 1u));
    const int lanes = lanesPerPass(low, active, accessBytes, kind);
    if (regularWidth && (misaligned & (bytes - 1)) == 0)
        return costOfAligned(low, active, unitShift, lanes);
    return costOfWords(low, active, accessBytes, lanes);
}

std::vector<LaneMask> sharedPasses(Addresses addresses, LaneMask active, int accessBytes,
                                   SharedKind kind) {
    std::vector<LaneMask> passes;
    const int lanes = lanesPerPass(lowWords(addresses), active, accessBytes, kind);
    for (int pass = 0; pass < kWarpSize / lanes; ++pass)
        if (const LaneMask mask = active & passMask(lanes, pass); mask != 0)
            passes.push_back(mask);
    return passes;
}

} // namespace lanescope::memory
