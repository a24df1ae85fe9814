// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/matrix_descriptor.h"

namespace lanescope::tensor {

std::string_view name(SwizzleMode mode) {
    switch (mode) {
    case SwizzleMode::None: return "no";
    case SwizzleMode::Bytes128: return "128-byte";
    case SwizzleMode::Bytes64: return "64-byte";
    case SwizzleMode::Bytes32: return "32-byte";
    }
    return "no";
}

int rowBytes(SwizzleMode mode) {
    switch (mode) {
    case SwizzleMode::None: return 16;
    case SwizzleMode::Bytes128: return 128;
    case SwizzleMode::Bytes64: return 64;
    case SwizzleMode::Bytes32: return 32;
    }
    return 16;
}

std::uint64_t swizzled(int rowBytes, std::uint64_t address, unsigned baseOffset) {
    const auto chunks = static_cast<unsigned>(rowBytes / 16 - 1); // a mask of as many bits as change
    return address ^ ((((address >> 7) - baseOffset) & chunks) << 4);
}

MatrixDescriptor decodeDescriptor(std::uint64_t bits) {
    const auto field = [&](int at) { return static_cast<std::uint32_t>(bits >> at & 0x3fff) << 4; };
    return {field(0), field(16), field(32), static_cast<std::uint8_t>(bits >> 49 & 7), static_cast<SwizzleMode>(bits >> 62)};
}

std::uint64_t encodeDescriptor(const MatrixDescriptor& d) {
    const auto field = [](std::uint32_t bytes) { return std::uint64_t{bytes >> 4 & 0x3fff}; };
    return field(d.start) | field(d.leadingBytes) << 16 | field(d.strideBytes) << 32 | std::uint64_t{d.baseOffset} << 49 |
           static_cast<std::uint64_t>(d.swizzle) << 62;
}

std::uint64_t chunkAddress(const MatrixDescriptor& d, bool isMnMajor, int along, int across) {
    const auto row = static_cast<std::uint64_t>(rowBytes(d.swizzle)), a = static_cast<std::uint64_t>(along), in = static_cast<std::uint64_t>(across % 8),
               group = static_cast<std::uint64_t>(across / 8);
    std::uint64_t offset = row * in;
    if (!isMnMajor) {
        offset += group * d.strideBytes + a * (d.swizzle == SwizzleMode::None ? d.leadingBytes : 16);
    } else if (d.swizzle == SwizzleMode::None) {
        offset += group * d.leadingBytes + a * d.strideBytes;
    } else {
        const std::uint64_t perRow = row / 16;
        offset += group * d.strideBytes + a % perRow * 16 + a / perRow * d.leadingBytes;
    }
    return swizzled(rowBytes(d.swizzle), d.start + offset, d.baseOffset);
}

} // namespace lanescope::tensor
