// SPDX-License-Identifier: GPL-3.0-or-later
// Where the bytes of a tile in shared memory lie - in order, with padded rows, or moved by an XOR swizzle - and what reading and
// writing the tile costs then.
//
// A swizzle <B, M, S> is CuTe's cute::Swizzle<B, M, S> (CUTLASS, include/cute/swizzle.hpp) on *byte* offsets: B bits from bit M on are
// XORed with the B bits that lie S places above them (S < 0: below). On offsets that count elements, M is smaller by log2 of the
// element's bytes: <3, 4, 3> in bytes is <3, 3, 3> in halves.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/memory/access.h"
#include "engine/model/explanation.h"

namespace lanescope::model {

struct Swizzle {
    int bits = 0;  ///< B; 0: nothing is moved
    int base = 4;  ///< M, in bits of a byte offset
    int shift = 3; ///< S

    /// Its own inverse.
    std::uint64_t apply(std::uint64_t byte) const;
    std::uint64_t changedBits() const; ///< mask of the bits that are XORed
    std::uint64_t sourceBits() const;  ///< mask of the bits they are XORed with
    bool operator==(const Swizzle&) const = default;
};
/// "<3, 4, 3>".
std::string toString(const Swizzle& swizzle);
/// `unitBytes`: M counts bits of an offset in units of so many bytes. Errors (code "model"): bits that overlap or lie above 2^20 bytes.
Result<Swizzle> makeSwizzle(int b, int m, int s, int unitBytes = 1);

/// A way in which warps go over a whole tile.
enum class TileAccess : std::uint8_t {
    Ldmatrix,   ///< x4: four 8x8 matrices of 16-byte rows
    LdmatrixTransposed, ///< the same rows; the lanes get columns
    Stmatrix,
    Copy,       ///< 16 bytes a lane, chunks in the order of the tile: cp.async and 128-bit stores
    Fragment,   ///< the fragment of an mma by 4-byte loads, without ldmatrix
    Row,        ///< lane i reads element i of a row
    Column      ///< lane i reads one column of row i
};
inline constexpr int kTileAccesses = 7;
std::string_view id(TileAccess access);          ///< "ldmatrix"
std::string_view description(TileAccess access); ///< one sentence without a full stop
std::optional<TileAccess> findTileAccess(std::string_view id);

struct TileLayout {
    int rows = 64;
    int rowBytes = 128;
    int elementBytes = 2;
    int padBytes = 0; ///< added to each row
    Swizzle swizzle;

    int pitch() const { return rowBytes + padBytes; }
    std::uint64_t bytes() const { return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(pitch()); }
    /// Byte of shared memory, from the start of the tile.
    std::uint64_t byteOf(int row, int byteInRow) const;
};
/// Errors (code "model"): sizes out of range or that do not fit each other; a swizzle that leaves the tile.
Result<void> check(const TileLayout& layout);

/// One access of a warp.
struct WarpAccess {
    std::array<std::uint64_t, kWarpSize> addresses{};
    LaneMask active = 0;
    int bytesPerLane = 16;
    memory::SharedKind kind = memory::SharedKind::Matrix;
    /// Row of the tile and byte in it of each lane's first byte.
    std::array<int, kWarpSize> row{}, byteInRow{};
};
int accessCount(const TileLayout& layout, TileAccess access);
WarpAccess accessAt(const TileLayout& layout, TileAccess access, int index);

struct TileCost {
    int accesses = 0, wavefronts = 0;
    int passes = 0; ///< the minimum
    int degree = 1; ///< wavefronts of the worst pass
    int worst = 0;  ///< an access with such a pass
    int excess() const { return wavefronts - passes; }
};
/// Errors: those of check(), and (code "model") a swizzle or pitch that tears what a lane accesses at once apart.
Result<TileCost> costOf(const TileLayout& layout, TileAccess access);

/// All swizzles with B <= 5 and S <= 7 that leave the accesses without conflicts, those with few bits first, then low M, then low S; only
/// <0, ...> when there is nothing to mend. The layout's own swizzle does not matter; its padding does.
std::vector<Swizzle> conflictFreeSwizzles(const TileLayout& layout, const std::vector<TileAccess>& accesses);
/// Least padding of a row, in bytes, that leaves the accesses without conflicts when nothing is swizzled; none: no such up to the row's own length.
std::optional<int> conflictFreePadding(const TileLayout& layout, const std::vector<TileAccess>& accesses);

/// The layout that addresses of 16-byte rows follow: rows `pitch` bytes apart once the swizzle is undone.
struct FoundLayout {
    Swizzle swizzle;
    int pitch = 0;
    /// Offsets with the swizzle undone, and those without padding: pitch less what it is above a multiple of 128.
    std::array<std::uint64_t, kWarpSize> linear{};
    int unpaddedPitch() const;
};
/// From the rows that ldmatrix or stmatrix reads: the smallest swizzle under which the rows of each matrix are equally far from each
/// other. None: there is no such, or a lane is missing.
std::optional<FoundLayout> findLayout(const std::array<std::uint64_t, kWarpSize>& addresses, LaneMask active);

/// How the byte of an element comes about, and how many wavefronts the accesses take.
Explanation explainByte(const TileLayout& layout, int row, int column);
Explanation explainCost(const TileLayout& layout, TileAccess access, const TileCost& cost);

} // namespace lanescope::model
