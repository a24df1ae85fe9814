// SPDX-License-Identifier: GPL-3.0-or-later
// A warp is 32 lanes; a LaneMask has bit i set when lane i takes part.
#pragma once

#include <bit>
#include <cstdint>

namespace lanescope {

inline constexpr int kWarpSize = 32;
inline constexpr std::uint32_t kWarpsPerGroup = 4; ///< of a warpgroup

using LaneMask = std::uint32_t;
inline constexpr LaneMask kFullMask = 0xffffffffu;

constexpr int laneCount(LaneMask mask) { return std::popcount(mask); }
constexpr bool hasLane(LaneMask mask, int lane) { return ((mask >> lane) & 1u) != 0; }
/// The lowest lane of a mask, 32 when the mask is empty.
constexpr int firstLane(LaneMask mask) { return std::countr_zero(mask); }

/// Calls f(lane) for each lane of the mask, lowest first.
template <class F>
constexpr void forEachLane(LaneMask mask, F&& f) {
    for (; mask != 0; mask &= mask - 1)
        f(std::countr_zero(mask));
}

/// x, y, z extents or coordinates, as in CUDA's dim3.
struct Dim3 {
    std::uint32_t x = 1, y = 1, z = 1;
    constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
    bool operator==(const Dim3&) const = default;
};

} // namespace lanescope
