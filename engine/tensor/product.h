// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic of matrix products, bit for bit as the hardware of a generation does it.
//
// Floating point: the products of a group of k and c are exact, with exponent ea + eb (not renormalised); all are aligned to the
// largest exponent of the group (zero counts as -126, in wgmma as -133), cut to `fractionBits` bits after the point, added exactly, and the sum is cut to
// f32 or rounded to nearest f16. Longer k is a chain of groups. Measured on an H200 (25 bits, groups of 32 bytes: every result of
// tests/data/tensor); other generations: Fasi et al., "Numerical behavior of NVIDIA tensor cores" (2021), and MMA-Sim (arXiv
// 2511.10909). Integers are exact, f64 is a chain of IEEE fused multiply-adds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/device/device.h"
#include "engine/tensor/fragment.h"

namespace lanescope::tensor {

/// What differs between generations of tensor cores: figures of the GPU's description.
struct Generation {
    int fractionBits = 25;    ///< tensor_fraction_bits
    int groupBytes = 32;      ///< tensor_group_bytes: of A along k that one group adds
    int fp8FractionBits = 25; ///< tensor_fp8_fraction_bits: of e4m3 and e5m2 where the hardware multiplies them itself
    /// tensor_fp8_by_f16: mma.sync with e4m3 or e5m2 is compiled to conversions to f16, f16 products, and an addition of c (sm_90).
    bool fp8ByF16 = true;
    /// Without tensor_m8n8k4: m8n8k4 with f16 is compiled to f32 fused multiply-adds (after sm_75).
    bool m8n8k4ByFma = true;
};
Generation generationOf(const device::Device& device);

enum class BitOperation : std::uint8_t { None, AndPopc, XorPopc }; ///< of b1

struct Product {
    Family family = Family::Mma;
    Shape shape;
    Element a = Element::F16, b = Element::F16, c = Element::F32, d = Element::F32;
    bool columnMajorA = false, columnMajorB = true; ///< see findFragment
    bool saturate = false;                          ///< integers: .satfinite
    BitOperation operation = BitOperation::None;
    bool operator==(const Product&) const = default;
};

/// Tensor instructions of the machine that a product becomes, as Nsight Compute counts them by pipe.
struct MachineCount {
    enum class Pipe : std::uint8_t { None, Hmma, Imma, Dmma } pipe = Pipe::None;
    int instructions = 0;
};
MachineCount machineCount(const Product& product, const Generation& generation);

struct FusedRule;    ///< engine/tensor/fused_dot.h
struct ProductSteps; ///< engine/tensor/product_steps.h

/// Multiplies matrices of raw elements, row-major: a is [tile][m][k], b [tile][k][n], c and d [tile][m][n].
class Multiplier {
public:
    Multiplier(const Product& product, const Generation& generation);
    /// Elements of up to 32 bits, each in a word of its own.
    void multiply(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) const;
    /// f64.
    void multiply(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c, std::uint64_t* d) const;
    int tiles() const { return m_tiles; }
    /// How one element of d comes about: the row of A and the column of B, `shape.k` raw elements each, and c.
    ProductSteps steps(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::uint64_t c) const;

private:
    enum class Path : std::uint8_t { Fused, FusedThenAdd, FmaChain, Integer };
    Product m_product;
    Path m_path = Path::Fused;
    int m_tiles = 1;
    int m_group = 16;        ///< elements of k added at once
    int m_fractionBits = 25;
    int m_resultBits = 23;   ///< fraction bits that a f32 result keeps
    std::vector<int> m_order; ///< of k, group after group

    FusedRule fusedRule() const;
    void integers(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) const;
    void fmaChain(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) const;
    void fused(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) const;
    void fusedSteps(ProductSteps& out, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::uint64_t c) const;
};

} // namespace lanescope::tensor
