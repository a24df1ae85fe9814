// SPDX-License-Identifier: GPL-3.0-or-later
// What tensor instructions multiply and add: element types, and the shapes m x n x k of their products.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope::tensor {

enum class Element : std::uint8_t { F64, F32, TF32, F16, BF16, E4M3, E5M2, S32, S8, U8, S4, U4, B1 };

/// Bits that an element takes in a register or in memory (tf32 takes 32, of which the hardware reads the top 19).
int bits(Element element);
/// As in PTX, without the dot: "tf32".
std::string_view name(Element element);
bool isFloat(Element element);
/// The value of raw bits as a number: what a view shows.
double toDouble(Element element, std::uint64_t raw);

/// D (m x n) = A (m x k) B (k x n) + C (m x n).
struct Shape {
    std::uint16_t m = 0, n = 0, k = 0;
    bool operator==(const Shape&) const = default;
};
/// "m16n8k16".
std::string toString(const Shape& shape);

/// A matrix of the product. D has C's place.
enum class Operand : std::uint8_t { A, B, C };

} // namespace lanescope::tensor
