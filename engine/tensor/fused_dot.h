// SPDX-License-Identifier: GPL-3.0-or-later
// The fused dot product of tensor cores: see product.h for the rule. Private to engine/tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/tensor/element.h"

namespace lanescope::tensor {

enum class Special : std::uint8_t { None, Infinity, Nan };

/// Elements taken apart: value = significand * 2^(exponent - 10), sign in the significand. Zero has a very small exponent.
struct Operands {
    std::vector<std::int32_t> significand, exponent;
    std::vector<Special> special; ///< by element; empty: there is none
    void read(Element element, const std::uint32_t* raw, std::size_t count);
};

struct FusedRule {
    int fractionBits = 25; ///< at most 25
    bool toF16 = false;    ///< results and c are f16, rounded to nearest even; else f32, cut
    int resultBits = 23;   ///< fraction bits that a f32 result keeps
    int zeroExponent = -126; ///< of an addend that is zero
};

/// d[j] = c[j] + sum over the group of a[k] * b[k][j], for `columns` columns. k of the group: order[0..group). a: one row of `a`,
/// starting at aAt; b: row-major, `columns` wide. c and d are raw f32 or f16 and may be the same.
void fusedDot(const FusedRule& rule, const Operands& a, std::size_t aAt, const Operands& b, const int* order, int group, int columns,
              const std::uint32_t* c, std::uint32_t* d);

/// Raw f32 or f16 to nearest even: what F2FP and HADD2 do. NaN is the hardware's canonical one.
std::uint32_t f32ToF16(std::uint32_t raw);
std::uint32_t f16ToF32(std::uint32_t raw);

inline constexpr std::uint32_t kNanF32 = 0x7fffffffu, kNanF16 = 0x7fffu;

} // namespace lanescope::tensor
