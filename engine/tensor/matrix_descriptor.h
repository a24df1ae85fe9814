// SPDX-License-Identifier: GPL-3.0-or-later
// Where wgmma finds its operands in shared memory: the 64-bit matrix descriptor (PTX ISA 9.0, "Matrix Descriptor Format" of
// wgmma.mma_async) and the address of every 16 bytes of a matrix.
//
// The unit is a chunk of 16 bytes. A core matrix is eight chunks, one of each of eight rows (K-major) or eight k (MN-major). Strides are
// added first; then the swizzle exchanges chunks by exclusive or: bits 4.. of the sum with bits 7.. of the sum, so a pattern that starts off
// its alignment is still swizzled by absolute address. Measured on an H200 with matrices of distinct values (tests/sim/wgmma_test.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lanescope::tensor {

enum class SwizzleMode : std::uint8_t { None = 0, Bytes128 = 1, Bytes64 = 2, Bytes32 = 3 }; ///< as encoded in bits 62-63

/// "128-byte", "no".
std::string_view name(SwizzleMode mode);
/// Bytes of a row of the swizzle's pattern: 16 (none), 32, 64, 128.
int rowBytes(SwizzleMode mode);
/// The address that the swizzle with this many bytes in a row of its pattern puts an address at: bits 4.. exclusive or bits 7.. less the
/// base offset.
std::uint64_t swizzled(int rowBytes, std::uint64_t address, unsigned baseOffset = 0);

struct MatrixDescriptor {
    std::uint32_t start = 0;               ///< bytes, a multiple of 16 below 256 KiB
    std::uint32_t leadingBytes = 0;        ///< from chunk to chunk along the leading dimension; what that is: see chunkAddress
    std::uint32_t strideBytes = 0;
    std::uint8_t baseOffset = 0;           ///< rows of 128 bytes by which the pattern starts off its alignment; bits 49-51
    SwizzleMode swizzle = SwizzleMode::None;
    bool operator==(const MatrixDescriptor&) const = default;
};
MatrixDescriptor decodeDescriptor(std::uint64_t bits);
std::uint64_t encodeDescriptor(const MatrixDescriptor& descriptor);

/// Address of a chunk of an operand that is `isMnMajor` or K-major. K-major: chunk `along` (0, 1) of the 32 bytes of k of row or column
/// `across`. MN-major: k is `across`, and `along` counts eights of rows or columns.
///   K-major  none: 16 (across % 8) + stride (across / 8) + leading along
///        swizzled: row (across % 8) + stride (across / 8) + 16 along, row = rowBytes
///   MN-major none: 16 (across % 8) + leading (across / 8) + stride along
///        swizzled: row (across % 8) + stride (across / 8) + 16 (along % c) + leading (along / c), c = rowBytes / 16
std::uint64_t chunkAddress(const MatrixDescriptor& descriptor, bool isMnMajor, int along, int across);

} // namespace lanescope::tensor
