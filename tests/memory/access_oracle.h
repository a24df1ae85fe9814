// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of engine/memory written down naively, with sets: what the implementation is compared
// with.
#pragma once

#include <algorithm>
#include <map>
#include <set>

#include "engine/memory/access.h"

namespace lanescope::memory::oracle {

inline GlobalCost globalCost(Addresses addresses, LaneMask active, int accessBytes) {
    std::set<std::uint64_t> sectors, lines, bytes;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!hasLane(active, lane))
            continue;
        for (int i = 0; i < accessBytes; ++i) {
            const std::uint64_t byte =
                addresses[static_cast<std::size_t>(lane)] + static_cast<std::uint64_t>(i);
            bytes.insert(byte);
            sectors.insert(byte / 32);
            lines.insert(byte / 128);
        }
    }
    return {static_cast<int>(sectors.size()), static_cast<int>(lines.size()),
            static_cast<int>(bytes.size())};
}

inline bool partnersRead(Addresses addresses, LaneMask active, int distance) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const int partner = lane ^ distance;
        if (hasLane(active, lane) && hasLane(active, partner) &&
            static_cast<std::uint32_t>(addresses[static_cast<std::size_t>(lane)]) !=
                static_cast<std::uint32_t>(addresses[static_cast<std::size_t>(partner)]))
            return false;
    }
    return true;
}

inline SharedCost sharedCost(Addresses addresses, LaneMask active, int accessBytes,
                             SharedKind kind) {
    if (kind == SharedKind::Matrix)
        accessBytes = 16;
    int passes = accessBytes == 8 ? 2 : accessBytes == 16 ? 4 : 1;
    if (kind == SharedKind::Load && passes > 1 &&
        (partnersRead(addresses, active, 1) || partnersRead(addresses, active, 2)))
        passes /= 2;
    SharedCost cost;
    for (int pass = 0; pass < passes; ++pass) {
        std::map<std::uint32_t, std::set<std::uint32_t>> wordsOfBank;
        for (int lane = pass * 32 / passes; lane < (pass + 1) * 32 / passes; ++lane) {
            if (!hasLane(active, lane))
                continue;
            const auto address =
                static_cast<std::uint32_t>(addresses[static_cast<std::size_t>(lane)]);
            for (int i = 0; i < accessBytes; ++i) {
                const std::uint32_t word = (address + static_cast<std::uint32_t>(i)) / 4;
                wordsOfBank[word % 32].insert(word);
            }
        }
        std::size_t busiest = 0;
        for (const auto& [bank, words] : wordsOfBank)
            busiest = std::max(busiest, words.size());
        cost.wavefronts += static_cast<int>(busiest);
        cost.passes += busiest > 0 ? 1 : 0;
    }
    return cost;
}

} // namespace lanescope::memory::oracle
