// SPDX-License-Identifier: GPL-3.0-or-later
// What one warp-wide access costs: sectors and lines in global memory, wavefronts in shared memory.
//
// Words used here: a *sector* is 32 bytes, a *line* 128 bytes (four sectors, one tag of the L1).
// Shared memory has 32 *banks* of 4-byte *words*; a *pass* is the part of an access that is served
// together, a *wavefront* one cycle of the data array. Rules: shared hardware notes, "Rules that
// explain all 383 of the counters measured" (NVIDIA H200, Nsight Compute 2025.3); the pair rule
// also NVIDIA developer forum 77228.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/lane_mask.h"

namespace lanescope::memory {

inline constexpr std::uint64_t kSectorBytes = 32;
inline constexpr std::uint64_t kLineBytes = 128;
inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;

using Addresses = std::span<const std::uint64_t, kWarpSize>;

struct GlobalCost {
    int sectors = 0;
    int lines = 0;
    /// Distinct bytes asked for by the active lanes.
    int bytes = 0;
};

/// Sizes of the sets of sectors, lines and bytes that the active lanes touch. accessBytes: bytes
/// per lane, 1 to 32.
GlobalCost globalCost(Addresses addresses, LaneMask active, int accessBytes);

/// Matrix is ldmatrix and stmatrix: the addresses are those of 16-byte rows, lanes 8m..8m+7 give
/// matrix m, and the active lanes are those whose addresses are used (0xff for .x1, 0xffff for
/// .x2); accessBytes is taken as 16.
enum class SharedKind : std::uint8_t { Load, Store, Atomic, Matrix };

struct SharedCost {
    int wavefronts = 0;
    /// Passes with an active lane: the least the width allows. wavefronts - passes are the bank
    /// conflicts.
    int passes = 0;
};

/// Wavefronts of a shared access. accessBytes per lane: 1, 2, 4, 8, 16. Only the bits of the
/// address below 2^32 matter.
SharedCost sharedCost(Addresses addresses, LaneMask active, int accessBytes, SharedKind kind);

/// Lanes served together, in order (each a lane mask, empty ones left out): what the bank view
/// draws as phases.
std::vector<LaneMask> sharedPasses(Addresses addresses, LaneMask active, int accessBytes,
                                   SharedKind kind);

} // namespace lanescope::memory
