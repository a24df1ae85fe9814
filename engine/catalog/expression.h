// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic over named whole numbers, as manifests use it for launches, sizes and constraints: + -
// * / ^ %, comparisons,
// && || ?:, min, max, ceil_div(a, b), floor, ceil. Exact for whole numbers up to 2^53; '/' is real
// division.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/base/diagnostic.h"

namespace lanescope::catalog {

using Values = std::map<std::string, std::int64_t>;

/// Errors (code "expression"): syntax, an unknown name, a result that is not finite.
Result<double> evaluate(const std::string& expression, const Values& values);

/// As evaluate; a result that is not a whole number of at most 2^53 is an error too.
Result<std::int64_t> evaluateWhole(const std::string& expression, const Values& values);

/// The text with every {expression} replaced by its whole value: "random:f32:{M*K}:1" becomes
/// "random:f32:4096:1".
Result<std::string> substitute(std::string_view text, const Values& values);

} // namespace lanescope::catalog
