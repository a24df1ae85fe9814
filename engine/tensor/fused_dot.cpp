// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/fused_dot.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace lanescope::tensor {

namespace {

/// Exponent of a zero: far below any product, so that it never is the largest.
constexpr std::int32_t kZeroExponent = -4096;
constexpr int kWidth = 8; ///< columns at a time: lanes of a vector register

struct Format {
    int exponentBits, fractionBits, drop; ///< drop: low bits that the hardware does not read
    bool hasInfinity;
};

Format formatOf(Element element) {
    switch (element) {
    case Element::F16: return {5, 10, 0, true};
    case Element::BF16: return {8, 7, 0, true};
    case Element::TF32: return {8, 10, 13, true};
    case Element::E4M3: return {4, 3, 0, false};
    case Element::E5M2: return {5, 2, 0, true};
    default: return {8, 23, 0, true};
    }
}

/// magnitude * 2^unit as f32, cut toward zero to `resultBits` fraction bits.
std::uint32_t cutToF32(std::uint64_t magnitude, int unit, bool negative, int resultBits) {
    const std::uint32_t sign = negative ? 0x80000000u : 0;
    if (magnitude == 0)
        return 0; // a sum of zero is positive
    const int top = 63 - std::countl_zero(magnitude);
    int exponent = top + unit;
    if (exponent > 127)
        return sign | 0x7f800000u;
    const int lowest = std::max(exponent, -126) - resultBits; // weight of the last bit that is kept
    const int shift = lowest - unit;
    std::uint64_t kept = shift > 63 ? 0 : shift > 0 ? magnitude >> shift : magnitude << -shift;
    if (kept == 0)
        return 0; // what is too small is a positive zero, as measured
    kept <<= 23 - resultBits;
    return sign | (exponent < -126 ? static_cast<std::uint32_t>(kept)
                                   : static_cast<std::uint32_t>(exponent + 127) << 23 | (static_cast<std::uint32_t>(kept) & 0x7fffffu));
}

/// magnitude * 2^unit as f16, to nearest even.
std::uint32_t roundToF16(std::uint64_t magnitude, int unit, bool negative) {
    const std::uint32_t sign = negative ? 0x8000u : 0;
    if (magnitude == 0)
        return 0;
    const int exponent = 63 - std::countl_zero(magnitude) + unit;
    if (exponent > 15)
        return sign | 0x7c00u;
    const int shift = std::max(exponent, -14) - 10 - unit;
    std::uint64_t kept = 0;
    if (shift <= 0) {
        kept = magnitude << -shift;
    } else if (shift < 64) {
        kept = magnitude >> shift;
        const std::uint64_t rest = magnitude & ((std::uint64_t{1} << shift) - 1), half = std::uint64_t{1} << (shift - 1);
        kept += static_cast<std::uint64_t>(rest > half || (rest == half && (kept & 1) != 0));
    }
    if (kept == 0)
        return 0; // what is too small is a positive zero, as measured
    // A carry out of the significand goes on into the exponent, as it must.
    return sign | (static_cast<std::uint32_t>(exponent < -14 ? 0 : exponent + 14) * 0x400u + static_cast<std::uint32_t>(kept));
}

struct Addend {
    std::int32_t significand = 0; ///< 23 fraction bits
    std::int32_t exponent = 0;
    Special special = Special::None;
    bool negative = false;
};

Addend addend(std::uint32_t raw, bool isF16, int zeroExponent = -126) {
    Addend c;
    c.exponent = zeroExponent;
    const int fractionBits = isF16 ? 10 : 23, top = isF16 ? 31 : 255, bias = isF16 ? 15 : 127;
    const std::uint32_t fraction = raw & ((1u << fractionBits) - 1);
    const int exponent = static_cast<int>(raw >> fractionBits) & top;
    c.negative = (raw >> (isF16 ? 15 : 31) & 1u) != 0;
    if (exponent == top) {
        c.special = fraction != 0 ? Special::Nan : Special::Infinity;
        return c;
    }
    if (exponent == 0 && fraction == 0)
        return c;
    const std::uint32_t significand = (fraction | (exponent != 0 ? 1u << fractionBits : 0u)) << (23 - fractionBits);
    c.exponent = std::max(exponent, 1) - bias;
    c.significand = c.negative ? -static_cast<std::int32_t>(significand) : static_cast<std::int32_t>(significand);
    return c;
}

Special specialOf(const Operands& o, std::size_t at) { return o.special.empty() ? Special::None : o.special[at]; }

/// The result of column j when an infinity or NaN takes part; false when none does.
bool specialResult(const FusedRule& rule, const Operands& a, std::size_t aAt, const Operands& b, const int* order, int group, int columns, int j,
                   const Addend& c, std::uint32_t& result) {
    bool any = c.special != Special::None, nan = c.special == Special::Nan;
    bool plus = c.special == Special::Infinity && !c.negative, minus = c.special == Special::Infinity && c.negative;
    for (int i = 0; i < group; ++i) {
        const std::size_t ia = aAt + static_cast<std::size_t>(order[i]);
        const auto ib = static_cast<std::size_t>(order[i] * columns + j);
        const Special sa = specialOf(a, ia), sb = specialOf(b, ib);
        if (sa == Special::None && sb == Special::None)
            continue;
        any = true;
        const bool zero = (sa == Special::None && a.significand[ia] == 0) || (sb == Special::None && b.significand[ib] == 0);
        if (sa == Special::Nan || sb == Special::Nan || zero)
            nan = true;
        else
            ((a.significand[ia] < 0) != (b.significand[ib] < 0) ? minus : plus) = true;
    }
    if (any)
        result = nan || (plus && minus) ? (rule.toF16 ? kNanF16 : kNanF32)
                                        : (rule.toF16 ? 0x7c00u | (minus ? 0x8000u : 0) : 0x7f800000u | (minus ? 0x80000000u : 0));
    return any;
}

} // namespace

void Operands::read(Element element, const std::uint32_t* raw, std::size_t count) {
    const Format f = formatOf(element);
    const int top = (1 << f.exponentBits) - 1, bias = top >> 1, up = 10 - f.fractionBits;
    const int signBit = f.exponentBits + f.fractionBits;
    const std::uint32_t fractionMask = (1u << f.fractionBits) - 1;
    significand.resize(count);
    exponent.resize(count);
    special.clear();
    std::int32_t* const s = significand.data();
    std::int32_t* const x = exponent.data();
    std::int32_t highest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t v = raw[i] >> f.drop;
        const auto fraction = static_cast<std::int32_t>(v & fractionMask);
        const auto e = static_cast<std::int32_t>(v >> f.fractionBits) & top;
        const std::int32_t magnitude = (fraction | (e != 0 ? 1 << f.fractionBits : 0)) << up;
        const std::int32_t negative = -static_cast<std::int32_t>(v >> signBit & 1u);
        s[i] = (magnitude ^ negative) - negative;
        x[i] = magnitude == 0 ? kZeroExponent : (e == 0 ? 1 : e) - bias;
        highest = std::max(highest, e);
    }
    if (highest != top)
        return;
    // e4m3 has no infinities: its highest exponent holds numbers, and one NaN.
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t v = raw[i] >> f.drop, fraction = v & fractionMask;
        if ((static_cast<int>(v >> f.fractionBits) & top) != top || (!f.hasInfinity && fraction != fractionMask))
            continue;
        special.resize(count, Special::None);
        special[i] = f.hasInfinity && fraction == 0 ? Special::Infinity : Special::Nan;
    }
}

void fusedDot(const FusedRule& rule, const Operands& a, std::size_t aAt, const Operands& b, const int* order, int group, int columns,
              const std::uint32_t* c, std::uint32_t* d) {
    const std::int32_t* const sa = a.significand.data() + aAt;
    const std::int32_t* const ea = a.exponent.data() + aAt;
    const int down = 25 - rule.fractionBits;
    for (int j0 = 0; j0 < columns; j0 += kWidth) {
        const std::int32_t* const sb = b.significand.data() + j0;
        const std::int32_t* const eb = b.exponent.data() + j0;
        alignas(32) std::int32_t largest[kWidth], low[kWidth], high[kWidth] = {};
        Addend addends[kWidth];
        bool special = !a.special.empty() || !b.special.empty();
        for (int j = 0; j < kWidth; ++j) {
            addends[j] = addend(c[j0 + j], rule.toF16, rule.zeroExponent);
            largest[j] = addends[j].exponent;
            special = special || addends[j].special != Special::None;
        }
        for (int i = 0; i < group; ++i) {
            const std::int32_t* const e = eb + order[i] * columns;
            for (int j = 0; j < kWidth; ++j)
                largest[j] = std::max(largest[j], ea[order[i]] + e[j]);
        }
        for (int j = 0; j < kWidth; ++j) {
            const std::uint32_t magnitude = static_cast<std::uint32_t>(std::abs(addends[j].significand)) << 2;
            const auto cut = static_cast<std::int32_t>(magnitude >> std::min(31, largest[j] - addends[j].exponent + down));
            low[j] = addends[j].negative ? -cut : cut;
        }
        // Products below 2^27: sixteen of them and c would not fit into 32 bits with certainty, eight and c do.
        std::int32_t* sums[2] = {low, high};
        for (int i = 0; i < group; ++i) {
            const std::int32_t x = sa[order[i]], e0 = ea[order[i]];
            const std::int32_t* const y = sb + order[i] * columns;
            const std::int32_t* const e = eb + order[i] * columns;
            std::int32_t* const sum = sums[i >> 3 & 1];
            for (int j = 0; j < kWidth; ++j) {
                const std::int32_t product = x * y[j];
                const std::int32_t negative = product >> 31;
                const std::uint32_t magnitude = static_cast<std::uint32_t>((product ^ negative) - negative) << 5;
                const std::int32_t shift = std::min(31, largest[j] - (e0 + e[j]) + down);
                const auto cut = static_cast<std::int32_t>(magnitude >> shift);
                sum[j] += (cut ^ negative) - negative;
            }
        }
        for (int j = 0; j < kWidth; ++j) {
            const std::int64_t total = std::int64_t{low[j]} + high[j];
            const auto magnitude = static_cast<std::uint64_t>(total < 0 ? -total : total);
            const int unit = largest[j] - rule.fractionBits;
            std::uint32_t result = rule.toF16 ? roundToF16(magnitude, unit, total < 0) : cutToF32(magnitude, unit, total < 0, rule.resultBits);
            if (special)
                specialResult(rule, a, aAt, b, order, group, columns, j0 + j, addends[j], result);
            d[j0 + j] = result;
        }
    }
}

std::uint32_t f32ToF16(std::uint32_t raw) {
    const Addend v = addend(raw, false);
    if (v.special == Special::Nan)
        return kNanF16;
    const std::uint32_t sign = v.negative ? 0x8000u : 0;
    if (v.special == Special::Infinity)
        return sign | 0x7c00u;
    return sign | roundToF16(static_cast<std::uint64_t>(std::abs(v.significand)), v.exponent - 23, false);
}

std::uint32_t f16ToF32(std::uint32_t raw) {
    const std::uint32_t sign = (raw & 0x8000u) << 16, fraction = raw & 0x3ffu;
    const int exponent = static_cast<int>(raw >> 10 & 31u);
    if (exponent == 31)
        return fraction != 0 ? kNanF32 : sign | 0x7f800000u;
    if (exponent == 0) {
        if (fraction == 0)
            return sign;
        const int top = 31 - std::countl_zero(fraction);
        return sign | static_cast<std::uint32_t>(top - 24 + 127) << 23 | (fraction << (23 - top) & 0x7fffffu);
    }
    return sign | static_cast<std::uint32_t>(exponent - 15 + 127) << 23 | fraction << 13;
}

} // namespace lanescope::tensor
