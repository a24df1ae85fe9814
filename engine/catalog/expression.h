// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic over named whole numbers, as manifests use it for launches, sizes and constraints: + -
// * / ^ %, comparisons,
// && || ?:, min, max, ceil_div(a, b), floor, ceil, xor(a, b) of bits. Exact for whole numbers up to
// 2^53; '/' is real division.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// An expression that is evaluated many times with other values of its variables. Not for several
/// threads at once.
class Formula {
public:
    /// Errors (code "expression"): syntax, a name that is neither a constant nor a variable.
    static Result<Formula> make(const std::string& expression, const Values& constants,
                                std::span<const std::string> variables);
    Formula(Formula&&) noexcept;
    Formula& operator=(Formula&&) noexcept;
    ~Formula();

    /// `values`: of the variables, in their order. May be infinite or not a number.
    double operator()(std::span<const double> values) const;

private:
    struct State;
    explicit Formula(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace lanescope::catalog
