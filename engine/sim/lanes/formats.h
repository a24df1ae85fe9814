// SPDX-License-Identifier: GPL-3.0-or-later
// Bits of floating-point formats: NaNs, flushing of subnormals, and rounding of an exact value to
// any IEEE-like format in any direction. Everything here is integer arithmetic, so it does not
// depend on the floating-point environment. NaN rules were measured on an H200 (compute
// capability 9.0): f32, f16 and bf16 results are one canonical NaN with all fraction bits set; f64
// keeps the payload of a NaN operand and makes 0xfff8000000000000 when there is none.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/ptx/ir.h"

namespace lanescope::sim::lanes {

inline constexpr std::uint32_t kNanF32 = 0x7fffffffu;
inline constexpr std::uint32_t kNanF16 = 0x7fffu; // also bf16
inline constexpr std::uint64_t kNanF64 = 0xfff8000000000000u;

inline std::uint32_t bitsOf(float value) {
    return std::bit_cast<std::uint32_t>(value);
}
inline std::uint64_t bitsOf(double value) {
    return std::bit_cast<std::uint64_t>(value);
}
inline float floatOf(std::uint32_t bits) {
    return std::bit_cast<float>(bits);
}
inline double doubleOf(std::uint64_t bits) {
    return std::bit_cast<double>(bits);
}

inline bool isNanF32(std::uint32_t bits) {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}
inline bool isNanF64(std::uint64_t bits) {
    return (bits & ~(1ull << 63)) > (0x7ffull << 52);
}

/// The quiet NaN of a NaN, payload and sign kept.
inline double quietNan(double nan) {
    return doubleOf(bitsOf(nan) | (1ull << 51));
}

/// .ftz: a subnormal becomes a zero of its sign.
inline float flush(float value) {
    const std::uint32_t bits = bitsOf(value);
    return floatOf((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
inline float canonical(float value) {
    const std::uint32_t bits = bitsOf(value);
    return floatOf(isNanF32(bits) ? kNanF32 : bits);
}
/// .sat: [0, 1], NaN gives +0.
inline float saturate(float value) {
    const std::uint32_t bits = bitsOf(value);
    const std::uint32_t low = bits > 0x7f800000u ? 0u : bits; // negative (or NaN): +0
    return floatOf(low > 0x3f800000u ? 0x3f800000u : low);
}

/// An IEEE-like format of up to 32 bits: fraction bits, exponent bits.
template <int Fraction, int Exponent>
struct Format {
    static constexpr int kFraction = Fraction;
    static constexpr int kBias = (1 << (Exponent - 1)) - 1;
    static constexpr int kMinimumExponent = 1 - kBias;
    static constexpr int kMaximumExponent = kBias;
    static constexpr std::uint32_t kSign = 1u << (Fraction + Exponent);
    static constexpr std::uint32_t kInfinity = ((1u << Exponent) - 1u) << Fraction;
    static constexpr std::uint32_t kLargest = kInfinity - 1u;
    static constexpr std::uint32_t kOne = static_cast<std::uint32_t>(kBias) << Fraction;
    static constexpr std::uint32_t kNan = kSign - 1u;
    static bool isNan(std::uint32_t bits) { return (bits & (kSign - 1u)) > kInfinity; }
    static bool isInfinite(std::uint32_t bits) { return (bits & (kSign - 1u)) == kInfinity; }
};
using Binary16 = Format<10, 5>;
using BFloat16 = Format<7, 8>;
using Binary32 = Format<23, 8>;
using Tensor32 = Format<10, 8>; // tf32, without the 13 low bits of its f32 container
using Float8E5M2 = Format<2, 5>;
/// e4m3 has no infinity: the largest exponent holds numbers up to 448, and one NaN (0x7f), here
/// also the mark of an overflow.
struct Float8E4M3 {
    static constexpr int kFraction = 3, kBias = 7, kMinimumExponent = -6, kMaximumExponent = 8;
    static constexpr std::uint32_t kSign = 0x80u, kInfinity = 0x7fu, kLargest = 0x7eu, kNan = 0x7fu;
};

/// |value| = magnitude * 2^exponent, exactly.
struct Exact {
    bool negative = false;
    std::uint64_t magnitude = 0;
    int exponent = 0;
};

/// The finite value of 64 bits of a double.
inline Exact exactOf(double value) {
    const std::uint64_t bits = bitsOf(value);
    const int field = static_cast<int>((bits >> 52) & 0x7ffu);
    const std::uint64_t fraction = bits & ((1ull << 52) - 1);
    return {(bits >> 63) != 0, field == 0 ? fraction : fraction | (1ull << 52),
            (field == 0 ? 1 : field) - 1075};
}

/// Whether a magnitude is rounded up, given its lowest kept bit, the first dropped bit and whether
/// any later one is set.
inline bool roundsUp(ptx::Rounding rounding, bool negative, bool odd, bool half, bool sticky) {
    switch (rounding) {
    case ptx::Rounding::Rz:
    case ptx::Rounding::Rzi:
        return false;
    case ptx::Rounding::Rm:
    case ptx::Rounding::Rmi:
        return negative && (half || sticky);
    case ptx::Rounding::Rp:
    case ptx::Rounding::Rpi:
        return !negative && (half || sticky);
    case ptx::Rounding::Rna:
        return half;
    case ptx::Rounding::None:
    case ptx::Rounding::Rn:
    case ptx::Rounding::Rni:
    case ptx::Rounding::Rs:
        return half && (sticky || odd);
    }
    return false;
}

/// magnitude / 2^shift rounded to an integer (shift may be any non-negative number).
inline std::uint64_t shiftRounded(std::uint64_t magnitude, int shift, bool negative,
                                  ptx::Rounding rounding) {
    if (shift == 0)
        return magnitude;
    if (shift > 64)
        return roundsUp(rounding, negative, false, false, magnitude != 0) ? 1 : 0;
    const bool half = ((magnitude >> (shift - 1)) & 1u) != 0;
    const bool sticky = (magnitude & ((1ull << (shift - 1)) - 1)) != 0;
    const std::uint64_t kept = shift == 64 ? 0 : magnitude >> shift;
    return kept + (roundsUp(rounding, negative, (kept & 1u) != 0, half, sticky) ? 1 : 0);
}

/// Rounds an exact finite value to a format; overflow gives infinity or the largest number as IEEE
/// 754 has it.
template <class F>
inline std::uint32_t roundTo(Exact value, ptx::Rounding rounding) {
    const std::uint32_t sign = value.negative ? F::kSign : 0u;
    if (value.magnitude == 0)
        return sign;
    const int top =
        63 - std::countl_zero(value.magnitude) + value.exponent; // exponent of the value
    const int exponent = top > F::kMinimumExponent ? top : F::kMinimumExponent;
    const int shift = exponent - F::kFraction - value.exponent;
    const std::uint64_t significand =
        shift <= 0 ? value.magnitude << -shift
                   : shiftRounded(value.magnitude, shift, value.negative, rounding);
    if (exponent > F::kMaximumExponent)
        return sign |
               (roundsUp(rounding, value.negative, true, true, true) ? F::kInfinity : F::kLargest);
    // The hidden bit adds one to the exponent field; a carry out of the fraction does so too.
    const std::uint64_t bits =
        (static_cast<std::uint64_t>(exponent - F::kMinimumExponent) << F::kFraction) + significand;
    if (bits >= F::kInfinity)
        return sign |
               (roundsUp(rounding, value.negative, true, true, true) ? F::kInfinity : F::kLargest);
    return sign | static_cast<std::uint32_t>(bits);
}

/// As roundTo, with infinities and NaN (the format's canonical NaN).
template <class F>
inline std::uint32_t roundDouble(double value, ptx::Rounding rounding) {
    const std::uint64_t bits = bitsOf(value);
    if (((bits >> 52) & 0x7ffu) == 0x7ffu)
        return isNanF64(bits) ? F::kNan : ((bits >> 63) != 0 ? F::kSign : 0u) | F::kInfinity;
    return roundTo<F>(exactOf(value), rounding);
}

/// Exact; a NaN keeps its payload in the upper bits. No step meets a subnormal f32, which would be
/// slow.
inline float halfToFloat(std::uint32_t half) {
    const std::uint32_t magnitude = half & 0x7fffu;
    const std::uint32_t sign = (half & 0x8000u) << 16;
    const std::uint32_t normal = (magnitude << 13) + (112u << 23); // exponent bias 15 to 127
    const std::uint32_t subnormal =
        bitsOf(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
    std::uint32_t bits = magnitude < 0x400u ? subnormal : normal;
    bits = magnitude >= 0x7c00u ? (magnitude << 13) | 0x7f800000u : bits;
    return floatOf(bits | sign);
}
inline float bfloatToFloat(std::uint32_t bits) {
    return floatOf(bits << 16);
}

/// Round to nearest even, without branches; NaN gives 0x7fff.
inline std::uint32_t floatToHalf(float value) {
    const std::uint32_t bits = bitsOf(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    // Normal: round at bit 13 after moving the exponent bias from 127 to 15. Subnormal: adding 0.5
    // lets the addition round at 2^-24, which is then the lowest bit of the sum.
    const std::uint32_t normal =
        (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    const std::uint32_t subnormal = bitsOf(floatOf(magnitude) + 0.5f) - bitsOf(0.5f);
    std::uint32_t result = magnitude < (113u << 23) ? subnormal : normal;
    result = magnitude >= 0x477ff000u ? 0x7c00u : result;
    result = magnitude > 0x7f800000u ? kNanF16 : sign | result;
    return result;
}
inline std::uint32_t floatToBfloat(float value) {
    const std::uint32_t bits = bitsOf(value);
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return isNanF32(bits) ? kNanF16 : rounded;
}

} // namespace lanescope::sim::lanes
