// SPDX-License-Identifier: GPL-3.0-or-later
// Reading rows of lanes: a mask, or one lane of uint32_t[32] or uint64_t[32].
#pragma once

#include <cstdint>
#include <cstring>

#include "engine/base/lane_mask.h"

namespace lanescope::sim {

inline LaneMask loadMask(const std::uint8_t* p) {
    LaneMask mask;
    std::memcpy(&mask, p, sizeof mask);
    return mask;
}

inline std::uint32_t laneValue32(const std::uint8_t* row, int lane) {
    std::uint32_t v;
    std::memcpy(&v, row + 4 * lane, sizeof v);
    return v;
}

inline std::uint64_t laneValue64(const std::uint8_t* row, int lane) {
    std::uint64_t v;
    std::memcpy(&v, row + 8 * lane, sizeof v);
    return v;
}

} // namespace lanescope::sim
