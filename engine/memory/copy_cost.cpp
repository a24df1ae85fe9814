// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/memory/copy_cost.h"

#include <algorithm>
#include <tuple>

namespace lanescope::memory {

namespace {

/// Lines whose tags one cycle of the L1 opens.
constexpr int kLinesOpen = 4;

template <class Key>
int countDistinct(LaneMask lanes, const Key& keyOf) {
    std::vector<decltype(keyOf(0))> keys;
    forEachLane(lanes, [&](int lane) { keys.push_back(keyOf(lane)); });
    std::sort(keys.begin(), keys.end());
    return static_cast<int>(std::unique(keys.begin(), keys.end()) - keys.begin());
}

std::uint64_t at(Addresses addresses, int lane) { return addresses[static_cast<std::size_t>(lane)]; }

std::uint32_t banksOf(std::uint64_t address, int bytes) {
    const auto words = (std::uint64_t{1} << (bytes / kBankBytes)) - 1;
    const std::uint64_t banks = words << (address / kBankBytes % kBanks);
    return static_cast<std::uint32_t>(banks | banks >> kBanks); // an address that is not aligned may run over the last bank
}

/// Cycles in which the lanes move their words: in each, the first lane that wants a bank of the destination has it, and goes when the
/// banks of its source are free as well.
int cyclesToMove(Addresses source, Addresses destination, LaneMask lanes, int bytes) {
    int cycles = 0;
    while (lanes != 0) {
        ++cycles;
        std::uint32_t wanted = 0, giving = 0;
        LaneMask gone = 0;
        forEachLane(lanes, [&](int lane) {
            const std::uint32_t to = banksOf(at(destination, lane), bytes), from = banksOf(at(source, lane), bytes);
            const bool first = (wanted & to) == 0;
            wanted |= to;
            if (!first || (giving & from) != 0)
                return;
            giving |= from;
            gone |= LaneMask{1} << lane;
        });
        lanes &= ~gone;
    }
    return cycles;
}

/// The lanes of `lanes` whose lines are opened together, in order of their first lanes.
std::vector<LaneMask> groupsByOpenLines(Addresses source, LaneMask lanes) {
    std::vector<LaneMask> groups;
    std::vector<std::uint64_t> open;
    for (LaneMask left = lanes; left != 0;) {
        const std::uint64_t line = at(source, firstLane(left)) / kLineBytes;
        LaneMask here = 0;
        forEachLane(left, [&](int lane) { here |= at(source, lane) / kLineBytes == line ? LaneMask{1} << lane : 0; });
        if (open.size() % kLinesOpen == 0)
            groups.push_back(0);
        open.push_back(line);
        groups.back() |= here;
        left &= ~here;
    }
    return groups;
}

} // namespace

CopyCost copyCost(Addresses source, Addresses destination, LaneMask reading, LaneMask zero, int bytes, bool bypass) {
    CopyCost cost;
    if (reading != 0) {
        const GlobalCost global = globalCost(source, reading, bytes);
        cost.requests = 1;
        cost.bytes = global.bytes;
        if (!bypass) {
            cost.lines = global.lines;
            cost.sectors = cost.l2Sectors = global.sectors;
        } else {
            const auto lineOf = [&](int lane) { return at(source, lane) / kLineBytes; };
            cost.lines = countDistinct(reading, [&](int lane) { return std::pair(lineOf(lane), at(destination, lane) / kLineBytes); });
            // Of lanes that write one place, the last one's data count.
            LaneMask last = reading;
            forEachLane(reading, [&](int lane) {
                forEachLane(reading, [&](int other) {
                    if (other < lane && at(destination, other) == at(destination, lane))
                        last &= ~(LaneMask{1} << other);
                });
            });
            cost.sectors = countDistinct(last, [&](int lane) { return std::pair(lineOf(lane), at(destination, lane) / kSectorBytes); });
            cost.l2Sectors = countDistinct(last, [&](int lane) {
                return std::tuple(at(source, lane) / kSectorBytes, at(destination, lane) / kSectorBytes,
                                  (at(source, lane) ^ at(destination, lane)) % kSectorBytes);
            });
        }
    }
    if (!bypass)
        for (const LaneMask group : groupsByOpenLines(source, reading))
            for (const LaneMask pass : sharedPasses(destination, group, bytes, SharedKind::Store)) {
                ++cost.passes;
                cost.wavefronts += cyclesToMove(source, destination, pass, bytes);
            }
    if (zero != 0) {
        const SharedCost fill = sharedCost(destination, zero, bytes, SharedKind::Store);
        cost.passes += fill.passes;
        cost.wavefronts += fill.wavefronts;
    }
    return cost;
}

} // namespace lanescope::memory
