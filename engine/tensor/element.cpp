// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/element.h"

#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace lanescope::tensor {

namespace {

struct ElementFacts {
    std::string_view name;
    int bits;
    /// Floating point: exponent and fraction bits; 0 for integers.
    int exponentBits, fractionBits;
};

constexpr ElementFacts kFacts[] = {{"f64", 64, 11, 52}, {"f32", 32, 8, 23}, {"tf32", 32, 8, 10}, {"f16", 16, 5, 10}, {"bf16", 16, 8, 7},
                                   {"e4m3", 8, 4, 3},   {"e5m2", 8, 5, 2},  {"s32", 32, 0, 0},   {"s8", 8, 0, 0},    {"u8", 8, 0, 0},
                                   {"s4", 4, 0, 0},     {"u4", 4, 0, 0},    {"b1", 1, 0, 0}};

const ElementFacts& facts(Element element) { return kFacts[static_cast<std::size_t>(element)]; }

} // namespace

int bits(Element element) { return facts(element).bits; }
std::string_view name(Element element) { return facts(element).name; }
bool isFloat(Element element) { return facts(element).exponentBits != 0; }

double toDouble(Element element, std::uint64_t raw) {
    if (element == Element::F64)
        return std::bit_cast<double>(raw);
    if (element == Element::F32)
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
    if (element == Element::TF32)
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw) & 0xffffe000u));
    const ElementFacts& f = facts(element);
    if (!isFloat(element)) {
        const bool isSigned = element == Element::S32 || element == Element::S8 || element == Element::S4;
        raw &= (std::uint64_t{1} << f.bits) - 1;
        const bool negative = isSigned && (raw >> (f.bits - 1)) != 0;
        return static_cast<double>(raw) - (negative ? std::ldexp(1.0, f.bits) : 0.0);
    }
    const std::uint64_t fraction = raw & ((std::uint64_t{1} << f.fractionBits) - 1);
    const int top = (1 << f.exponentBits) - 1, bias = top >> 1;
    const int exponent = static_cast<int>(raw >> f.fractionBits) & top;
    const double sign = (raw >> (f.bits - 1) & 1) != 0 ? -1.0 : 1.0;
    // e4m3 has no infinities: its top exponent holds numbers, and one NaN (PTX ISA, alternate floating-point formats).
    const bool isNan = element == Element::E4M3 ? exponent == top && fraction == 7 : exponent == top && fraction != 0;
    if (isNan)
        return std::numeric_limits<double>::quiet_NaN();
    if (exponent == top && element != Element::E4M3)
        return sign * std::numeric_limits<double>::infinity();
    const double significand = static_cast<double>(fraction) + (exponent == 0 ? 0.0 : std::ldexp(1.0, f.fractionBits));
    return sign * std::ldexp(significand, std::max(exponent, 1) - bias - f.fractionBits);
}

std::string toString(const Shape& shape) {
    return shape.k == 0 ? fmt::format("m{}n{}", shape.m, shape.n) : fmt::format("m{}n{}k{}", shape.m, shape.n, shape.k);
}

} // namespace lanescope::tensor
