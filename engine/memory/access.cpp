// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of one warp-wide access. Called for every simulated memory instruction, so the common
// shapes (constant stride, sorted addresses) are answered in closed form, the others by branch-free
// all-pairs comparisons that the compiler vectorises; only misaligned accesses and lanes more than
// 1 GiB apart are sorted. No path allocates, except sharedPasses.
#include "engine/memory/access.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/memory/stride.h"

namespace lanescope::memory {
namespace {

using Offsets = std::array<std::uint32_t, kWarpSize>;

constexpr std::uint64_t unitsTouched(std::uint64_t address, std::uint64_t bytes,
                                     std::uint64_t unit) {
    return (address + bytes - 1) / unit - address / unit + 1;
}

// ------------------------------------------------------------------------------------------------
// distinct values

/// No unit number and no offset below has this value, except that of an inactive lane.
constexpr std::uint32_t kNoUnit = ~0u;

// GCC and Clang vectors: plain arithmetic, split by the compiler where the machine's vectors are
// shorter.
using Vector32 [[gnu::vector_size(32)]] = std::uint32_t;
using Vector64 [[gnu::vector_size(32)]] = std::uint64_t;
using Vector8 [[gnu::vector_size(32)]] = std::uint8_t;

/// Any alignment. By reference: vectors passed by value depend on what the machine has.
template <class Vector, class Element>
void load(Vector& vector, const Element* from) {
    std::memcpy(&vector, from, sizeof vector);
}

/// duplicate[i] is all ones where an earlier lane has the same value, else zero. Every pair of
/// lanes is compared.
Offsets findDuplicates(const Offsets& values) {
    std::array<std::uint32_t, 2 * kWarpSize> padded; // in front of lane 0: a value that no lane has
    std::fill_n(padded.begin(), kWarpSize, kNoUnit);
    std::copy(values.begin(), values.end(), padded.begin() + kWarpSize);
    Offsets duplicate;
    for (std::size_t first = 0; first < kWarpSize; first += 8) {
        const auto* lanes = padded.data() + kWarpSize + first;
        Vector32 mine, earlier, found{};
        load(mine, lanes);
        for (std::size_t distance = 1; distance < first + 8; ++distance) {
            load(earlier, lanes - distance);
            found |= reinterpret_cast<Vector32>(mine == earlier);
        }
        std::memcpy(duplicate.data() + first, &found, sizeof found);
    }
    return duplicate;
}

int countDistinct(const Offsets& values) {
    const Offsets duplicate = findDuplicates(values);
    int count = kWarpSize;
    for (std::uint32_t mask : duplicate)
        count += static_cast<int>(mask); // minus one for a duplicate
    return count;
}

bool isSorted(const Offsets& values) {
    std::uint32_t descends = 0;
    for (std::size_t i = 1; i < kWarpSize; ++i)
        descends |= values[i] < values[i - 1] ? 1u : 0u;
    return descends == 0;
}

// --------------------------------------------------------------------------------------------------
// global memory

/// Units of `unit` bytes touched by `count` accesses at first + i * step.
std::uint64_t unitsOfStride(std::uint64_t first, std::uint64_t step, std::uint64_t count,
                            std::uint64_t bytes, std::uint64_t unit) {
    // No unit is left out between two neighbours: one contiguous range.
    if (step < unit + bytes)
        return unitsTouched(first, step * (count - 1) + bytes, unit);
    if (step % unit == 0)
        return count * unitsTouched(first, bytes, unit);
    std::uint64_t units = 0;
    for (std::uint64_t i = 0; i < count; ++i)
        units += unitsTouched(first + i * step, bytes, unit);
    return units;
}

GlobalCost costOfStride(Stride stride, std::uint64_t bytes) {
    const auto count = static_cast<std::uint64_t>(stride.count);
    if (stride.step >> 63 != 0) { // downwards: the same from the other end
        stride.first += stride.step * (count - 1);
        stride.step = 0 - stride.step;
    }
    const std::uint64_t step = stride.step;
    const std::uint64_t asked = step < bytes ? step * (count - 1) + bytes : count * bytes;
    return {static_cast<int>(unitsOfStride(stride.first, step, count, bytes, kSectorBytes)),
            static_cast<int>(unitsOfStride(stride.first, step, count, bytes, kLineBytes)),
            static_cast<int>(asked)};
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

/// Aligned offsets in any order; `count` lanes, the last of them repeated up to 32.
GlobalCost costOfScattered(const Offsets& offsets, int count, int accessBytes) {
    Offsets sectors, lines;
    for (std::size_t i = 0; i < kWarpSize; ++i) {
        sectors[i] = offsets[i] / kSectorBytes;
        lines[i] = offsets[i] / kLineBytes;
    }
    // Where the lines all differ, so do the sectors; where the sectors do, so do the addresses.
    const int distinctLines = countDistinct(lines);
    const int distinctSectors = distinctLines == count ? count : countDistinct(sectors);
    const int addresses = distinctSectors == count ? count : countDistinct(offsets);
    return {distinctSectors, distinctLines, addresses * accessBytes};
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
    if (Stride stride; findStride(addresses, active, stride))
        return costOfStride(stride, bytes);

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

    // 31-bit offsets from 1 GiB below the first lane; a whole number of lines, so sectors and lines
    // stay what they are.
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
    if (near && aligned)
        return isSorted(offsets) ? costOfSorted(offsets, accessBytes)
                                 : costOfScattered(offsets, static_cast<int>(count), accessBytes);
    if (lanes != packed.data())
        std::copy(addresses.begin(), addresses.end(), packed.begin());
    return costOfRanges(packed, count, bytes);
}

// ----------------------------------------------------------------------------------------------------
// shared memory

namespace {

/// How an access is cut into passes: pass p serves lanes [p * lanesPerPass, (p + 1) *
/// lanesPerPass).
int lanesPerPassOfWidth(int accessBytes) {
    return accessBytes <= 4 ? 32 : accessBytes <= 8 ? 16 : accessBytes <= 16 ? 8 : 4;
}

/// True when every active lane's partner (lane ^ distance) is inactive or has the same address.
bool partnersAgree(const Offsets& addresses, LaneMask active, unsigned distance) {
    const LaneMask pair = 1u | 1u << distance;
    if ((active & pair) == pair && addresses[0] != addresses[distance])
        return false; // the usual case
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
    const bool halved =
        kind == SharedKind::Load && lanes < kWarpSize &&
        (partnersAgree(addresses, active, 1) || partnersAgree(addresses, active, 2));
    return halved ? 2 * lanes : lanes;
}

LaneMask passMask(int lanes, int pass) {
    return lanes == kWarpSize ? kFullMask : ((LaneMask{1} << lanes) - 1) << (pass * lanes);
}

/// Wavefronts and passes from each lane's rank: a pass costs one more than its highest rank.
SharedCost sumOfBusiest(const Vector8& ranks, LaneMask active, int lanes) {
    Vector8 rank = ranks;
    // The highest of each eight lanes, by halving, into the low byte of each 64-bit part.
    for (int shift = 32; shift >= 8; shift /= 2) {
        const auto other = reinterpret_cast<Vector8>(reinterpret_cast<Vector64>(rank) >> shift);
        rank = rank > other ? rank : other;
    }
    const auto highest = reinterpret_cast<Vector64>(rank);
    SharedCost cost;
    for (int first = 0; first < kWarpSize; first += lanes) {
        if ((active & passMask(lanes, first / lanes)) == 0)
            continue;
        std::uint64_t busiest = 0;
        for (int eight = first / 8; eight < (first + lanes) / 8; ++eight)
            busiest = std::max(busiest, highest[eight] & 0xff);
        cost.wavefronts += 1 + static_cast<int>(busiest);
        ++cost.passes;
    }
    return cost;
}

/// Accesses aligned to their size, at most 16 bytes. A bank group is max(4, size) bytes wide, so
/// that an access lies in one group, and a pass of an unmerged width has as many groups as lanes:
/// (pass, group) numbers 32 at most.
SharedCost costOfAligned(const Offsets& addresses, LaneMask active, int unitShift, int lanes) {
    const std::uint32_t groupMask = (128u >> unitShift) - 1;
    const auto passShift = static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(lanes)));

    Offsets units;
    std::uint32_t occupied = 0; // bank groups by pass
    for (std::uint32_t i = 0; i < kWarpSize; ++i) {
        const std::uint32_t off = ((active >> i) & 1u) - 1u; // all ones when inactive
        // Never kNoUnit by itself: 4-byte units have pass 0 only, and pass 3 is of 16-byte units,
        // below 2^28.
        const std::uint32_t unit = addresses[i] >> unitShift, pass = i >> passShift;
        units[i] = (unit | pass << 30) | off;
        occupied |= (1u << (pass * (groupMask + 1) + (unit & groupMask))) & ~off;
    }
    if (std::popcount(occupied) == laneCount(active))
        return sumOfBusiest(Vector8{}, active, lanes); // a bank group each
    const Offsets duplicate = findDuplicates(units);

    // Rank of a lane: how many earlier lanes of its pass want another unit of the same bank group.
    // Lanes that do not count get a key that no lane asks for, and ask for one that no lane has
    // (0xfe).
    constexpr std::uint8_t kNobody = 0xff;
    std::array<std::uint8_t, 2 * kWarpSize> keys;
    std::array<std::uint8_t, kWarpSize> own;
    std::fill_n(keys.begin(), kWarpSize, kNobody);
    for (std::uint32_t i = 0; i < kWarpSize; ++i) {
        const std::uint32_t ignored = duplicate[i] | (units[i] == kNoUnit ? ~0u : 0u);
        const std::uint32_t key = (units[i] & groupMask) | (units[i] >> 30) << 5;
        keys[i + kWarpSize] = static_cast<std::uint8_t>(key | (ignored & kNobody));
        own[i] = static_cast<std::uint8_t>((key | (ignored & kNobody)) - (ignored & 1));
    }
    Vector8 mine, earlier, rank{};
    load(mine, own.data());
    for (std::size_t distance = 1; distance < kWarpSize; ++distance) {
        load(earlier, keys.data() + kWarpSize - distance);
        rank -= reinterpret_cast<Vector8>(mine == earlier);
    }
    return sumOfBusiest(rank, active, lanes);
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

/// Aligned, all units different or (step 0) all the same: a step of 2^k units collides 2^k-fold.
SharedCost costOfSharedStride(const Stride& stride, int unitShift, int lanes) {
    const int groups = 128 >> unitShift;
    const auto unitStep = static_cast<std::uint32_t>(stride.step >> unitShift);
    // Lanes that a wavefront can serve before a bank group comes up again.
    const int apart = unitStep == 0 ? kWarpSize : groups >> std::min(std::countr_zero(unitStep), 5);
    SharedCost cost;
    const int lastLane = stride.firstLane + stride.count;
    for (int first = stride.firstLane / lanes * lanes; first < lastLane; first += lanes) {
        const int served = std::min(lastLane, first + lanes) - std::max(stride.firstLane, first);
        cost.wavefronts += apart > 1 ? (served + apart - 1) / apart : served;
        ++cost.passes;
    }
    return cost;
}

/// Answers in closed form where it can: false when it cannot.
bool tryStride(Addresses addresses, LaneMask active, int accessBytes, SharedKind kind,
               SharedCost& cost) {
    Stride stride;
    const auto bytes = static_cast<std::uint64_t>(accessBytes);
    constexpr std::uint64_t kLargest = 1u << 20; // a warp's span stays clear of a wrap at 2^32
    if (!findStride(addresses, active, stride) || stride.step + kLargest > 2 * kLargest)
        return false;
    const int unitShift = std::countr_zero(std::max(bytes, std::uint64_t{4}));
    const std::uint64_t unit = std::uint64_t{1} << unitShift;
    if (stride.first % bytes != 0 || stride.step % unit != 0)
        return false;
    int lanes = kind == SharedKind::Matrix ? 8 : lanesPerPassOfWidth(accessBytes);
    if (kind == SharedKind::Load && lanes < kWarpSize) {
        if (stride.step == 0)
            lanes *= 2;
        else if (stride.count < 5) // partners may all be inactive; in a run of five some are not
            return false;
    }
    cost = costOfSharedStride(stride, unitShift, lanes);
    return true;
}

} // namespace

SharedCost sharedCost(Addresses addresses, LaneMask active, int accessBytes, SharedKind kind) {
    if (active == 0)
        return {};
    if (kind == SharedKind::Matrix)
        accessBytes = 16;
    const auto bytes = static_cast<std::uint32_t>(accessBytes);
    const bool regularWidth = std::has_single_bit(bytes) && bytes <= 16;
    if (SharedCost cost; regularWidth && tryStride(addresses, active, accessBytes, kind, cost))
        return cost;
    const Offsets low = lowWords(addresses);
    const int unitShift = std::countr_zero(std::max(bytes, 4u));
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
