// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor maps: what cuTensorMapEncodeTiled makes and cp.async.bulk.tensor reads. The driver's 128 bytes are not documented, so a map is
// encoded in a layout of our own when the launch begins.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/diagnostic.h"
#include "engine/ptx/ir.h"

namespace lanescope::sim {

/// CUtensorMapDataType, in its order.
enum class TensorType : std::uint8_t { U8, U16, U32, I32, U64, I64, F16, F32, F64, BF16, F32Ftz, TF32, TF32Ftz };

struct TensorMap {
    static constexpr std::size_t kBytes = 128, kAlignment = 64; ///< of a CUtensorMap
    static constexpr int kMaxRank = 5;

    TensorType type = TensorType::F32;
    int rank = 1;
    std::uint64_t address = 0; ///< of element 0, a multiple of 16
    std::array<std::uint64_t, kMaxRank> size{};   ///< elements, the innermost dimension first
    std::array<std::uint64_t, kMaxRank> stride{}; ///< bytes from one index to the next; stride[0] is the element's size
    std::array<std::uint32_t, kMaxRank> box{};    ///< boxDim
    std::array<std::uint32_t, kMaxRank> elementStride{1, 1, 1, 1, 1}; ///< every how-manieth element is taken; the innermost is not looked at
    std::uint32_t swizzleBytes = 0; ///< 0, 32, 64 or 128
    bool fillsWithNan = false;      ///< outside the tensor: NaN instead of zero

    int elementBytes() const;
    /// Elements that a box has along a dimension: box / elementStride, rounded up.
    std::uint32_t boxElements(int dimension) const;
    std::uint64_t boxBytes() const;
    /// Bytes of global memory from `address` to the end of the last element.
    std::uint64_t extentBytes() const;

    /// What cuTensorMapEncodeTiled would refuse, each with the rule (CUDA Driver API, "Tensor Map Object Management").
    Result<void> check() const;
    std::array<std::uint8_t, kBytes> encode() const;
    /// Nothing when the bytes are none of ours.
    static std::optional<TensorMap> decode(std::span<const std::uint8_t> bytes);
    /// Where byte `offset` of a box in shared memory lies: 16-byte chunks are moved by XOR with bits of the absolute address.
    std::uint64_t sharedAddress(std::uint64_t base, std::uint64_t offset) const;
};

/// "f16", "bf16", "tf32", "u8", ...; nothing for an unknown name.
std::optional<TensorType> tensorType(std::string_view name);
std::string_view name(TensorType type);
/// The PTX type that arithmetic of a reduction has.
ptx::Type arithmeticType(TensorType type);

} // namespace lanescope::sim
