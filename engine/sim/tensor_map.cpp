// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/tensor_map.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "engine/tensor/matrix_descriptor.h"

namespace lanescope::sim {

namespace {

struct TypeInfo {
    std::string_view name;
    int bytes;
    ptx::Type arithmetic;
};

constexpr TypeInfo kTypes[] = {{"u8", 1, ptx::Type::U8},      {"u16", 2, ptx::Type::U16},   {"u32", 4, ptx::Type::U32}, {"i32", 4, ptx::Type::S32},
                               {"u64", 8, ptx::Type::U64},    {"i64", 8, ptx::Type::S64},   {"f16", 2, ptx::Type::F16}, {"f32", 4, ptx::Type::F32},
                               {"f64", 8, ptx::Type::F64},    {"bf16", 2, ptx::Type::BF16}, {"f32_ftz", 4, ptx::Type::F32},
                               {"tf32", 4, ptx::Type::F32},   {"tf32_ftz", 4, ptx::Type::F32}};

const TypeInfo& info(TensorType type) { return kTypes[static_cast<std::size_t>(type)]; }

constexpr std::uint8_t kMagic[8] = {'L', 'S', 't', 'm', 'a', 'p', 0, 1};

/// The encoded form: magic, then these fields as they are.
struct Encoded {
    std::uint8_t magic[8];
    std::uint64_t address;
    std::uint64_t stride[4]; ///< of dimensions 1 to 4
    std::uint32_t sizeMinusOne[5];
    std::uint16_t box[5];
    std::uint8_t elementStride[5];
    std::uint8_t type, rank, swizzle, fillsWithNan;
    std::uint8_t unused[41];
};
static_assert(sizeof(Encoded) == TensorMap::kBytes);

} // namespace

std::optional<TensorType> tensorType(std::string_view text) {
    for (std::size_t i = 0; i < std::size(kTypes); ++i)
        if (kTypes[i].name == text)
            return static_cast<TensorType>(i);
    return std::nullopt;
}

std::string_view name(TensorType type) { return info(type).name; }
ptx::Type arithmeticType(TensorType type) { return info(type).arithmetic; }

int TensorMap::elementBytes() const { return info(type).bytes; }

std::uint32_t TensorMap::boxElements(int dimension) const {
    const auto d = static_cast<std::size_t>(dimension);
    return dimension == 0 ? box[0] : (box[d] + elementStride[d] - 1) / elementStride[d];
}

std::uint64_t TensorMap::boxBytes() const {
    std::uint64_t bytes = static_cast<unsigned>(elementBytes());
    for (int d = 0; d < rank; ++d)
        bytes *= boxElements(d);
    return bytes;
}

std::uint64_t TensorMap::extentBytes() const {
    std::uint64_t bytes = static_cast<unsigned>(elementBytes());
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
        bytes += (size[d] - 1) * stride[d];
    return bytes;
}

Result<void> TensorMap::check() const {
    Diagnostics errors;
    const auto refuse = [&](std::string message, std::string hint) {
        errors.push_back({Severity::Error, "tensor-map", std::move(message), {}, std::move(hint)});
    };
    if (rank < 1 || rank > kMaxRank) {
        refuse(fmt::format("a tensor map of {} dimensions, 1 to {} are possible", rank, kMaxRank), "fold dimensions together");
        return failure(std::move(errors));
    }
    if (address % 16 != 0)
        refuse(fmt::format("the tensor begins at byte {}, which is not a multiple of 16", address % (std::uint64_t{1} << 32)), "begin at a multiple of 16 bytes");
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
        if (size[d] == 0 || size[d] > std::uint64_t{1} << 32)
            refuse(fmt::format("dimension {} of the tensor has {} elements, 1 to 2^32 are possible", d, size[d]), "give its number of elements");
        if (box[d] == 0 || box[d] > 256)
            refuse(fmt::format("the box has {} elements along dimension {}, 1 to 256 are possible", box[d], d), "copy in several boxes");
        if (elementStride[d] == 0 || elementStride[d] > 8)
            refuse(fmt::format("the element stride of dimension {} is {}, 1 to 8 are possible", d, elementStride[d]), "use 1 for every element");
        if (d > 0 && (stride[d] % 16 != 0 || stride[d] >= std::uint64_t{1} << 40))
            refuse(fmt::format("the stride of dimension {} is {} bytes, which is not a multiple of 16 below 2^40", d, stride[d]),
                   fmt::format("pad the rows to a multiple of {} elements", std::max(1, 16 / elementBytes())));
    }
    const std::uint64_t inner = std::uint64_t{box[0]} * static_cast<unsigned>(elementBytes());
    if (inner % 16 != 0)
        refuse(fmt::format("a row of the box has {} x {} = {} bytes, which is not a multiple of 16", box[0], elementBytes(), inner),
               "widen the innermost dimension of the box");
    if (swizzleBytes != 0 && inner > swizzleBytes)
        refuse(fmt::format("a row of the box has {} bytes, the swizzle of {} bytes allows at most {}", inner, swizzleBytes, swizzleBytes),
               "make the innermost dimension of the box smaller or the swizzle wider");
    if (fillsWithNan && !ptx::isFloat(info(type).arithmetic))
        refuse(fmt::format("elements of type {} have no NaN to fill with", info(type).name), "fill with zero");
    if (!errors.empty())
        return failure(std::move(errors));
    return {};
}

std::array<std::uint8_t, TensorMap::kBytes> TensorMap::encode() const {
    Encoded e{};
    std::copy(std::begin(kMagic), std::end(kMagic), e.magic);
    e.address = address;
    for (std::size_t d = 0; d < kMaxRank; ++d) {
        if (d > 0)
            e.stride[d - 1] = stride[d];
        e.sizeMinusOne[d] = static_cast<std::uint32_t>(size[d] - 1);
        e.box[d] = static_cast<std::uint16_t>(box[d]);
        e.elementStride[d] = static_cast<std::uint8_t>(elementStride[d]);
    }
    e.type = static_cast<std::uint8_t>(type);
    e.rank = static_cast<std::uint8_t>(rank);
    e.swizzle = static_cast<std::uint8_t>(swizzleBytes);
    e.fillsWithNan = fillsWithNan ? 1 : 0;
    std::array<std::uint8_t, kBytes> bytes{};
    std::memcpy(bytes.data(), &e, sizeof e);
    return bytes;
}

std::optional<TensorMap> TensorMap::decode(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < kBytes || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
        return std::nullopt;
    Encoded e{};
    std::memcpy(&e, bytes.data(), sizeof e);
    TensorMap map;
    map.type = static_cast<TensorType>(e.type);
    map.rank = e.rank;
    map.address = e.address;
    for (std::size_t d = 0; d < kMaxRank; ++d) {
        map.size[d] = std::uint64_t{e.sizeMinusOne[d]} + 1;
        map.box[d] = e.box[d];
        map.elementStride[d] = e.elementStride[d];
        map.stride[d] = d == 0 ? static_cast<unsigned>(map.elementBytes()) : e.stride[d - 1];
    }
    map.swizzleBytes = e.swizzle;
    map.fillsWithNan = e.fillsWithNan != 0;
    return map;
}

std::uint64_t TensorMap::sharedAddress(std::uint64_t base, std::uint64_t offset) const {
    // Measured on an H200 (tests/data/sim/tma.json): with a swizzle each row of the box has as many bytes as the swizzle, and bits 4 to 6, 4
    // and 5, or 4 are changed by bits 7 to 9, 7 and 8, or 7.
    const std::uint64_t row = std::uint64_t{box[0]} * static_cast<unsigned>(elementBytes());
    if (swizzleBytes == 0)
        return base + offset;
    const std::uint64_t plain = base + offset / row * swizzleBytes + offset % row;
    return tensor::swizzled(static_cast<int>(swizzleBytes), plain);
}

} // namespace lanescope::sim
