// SPDX-License-Identifier: GPL-3.0-or-later
// The usual shape of an access: neighbours a constant step apart, for which costs have a closed form.
#pragma once

#include <cstddef>

#include "engine/memory/access.h"

namespace lanescope::memory {

/// Active lanes that are neighbours, and whose addresses are first + i * step.
struct Stride {
    int firstLane = 0;
    int count = 0;
    std::uint64_t first = 0;
    std::uint64_t step = 0; ///< modulo 2^64
};

template <std::size_t kCount>
bool stepsAgree(const std::uint64_t* addresses, std::uint64_t step) {
    std::uint64_t difference = 0;
    for (std::size_t i = 1; i < kCount; ++i)
        difference |= (addresses[i] - addresses[i - 1]) ^ step;
    return difference == 0;
}

/// False when the active lanes have gaps or their steps differ.
inline bool findStride(Addresses addresses, LaneMask active, Stride& stride) {
    const int lane = firstLane(active);
    const LaneMask run = active >> lane;
    if ((run & (run + 1)) != 0)
        return false;
    stride.firstLane = lane;
    stride.count = laneCount(run);
    const std::uint64_t* lanes = addresses.data() + lane;
    stride.first = lanes[0];
    stride.step = stride.count > 1 ? lanes[1] - lanes[0] : 0;
    if (active == kFullMask)
        return stepsAgree<kWarpSize>(lanes, stride.step);
    for (int i = 2; i < stride.count; ++i)
        if (lanes[i] - lanes[i - 1] != stride.step)
            return false;
    return true;
}

} // namespace lanescope::memory
