// SPDX-License-Identifier: GPL-3.0-or-later
// How one element of a product comes about, in the order in which the hardware adds: what a view walks through. The results are those of
// Multiplier, bit for bit.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope::tensor {

struct ProductTerm {
    int k = 0;
    double a = 0, b = 0;
    double product = 0; ///< exact, of e4m3 and e5m2 too
    double kept = 0;    ///< what enters the sum after aligning and cutting
};

/// Terms that are added at once, exactly, to what the groups before gave.
struct ProductGroup {
    std::vector<ProductTerm> terms;
    double before = 0;     ///< c, or the result of the group before
    double beforeKept = 0; ///< aligned and cut like the terms
    /// Weight of the last bit that is kept: 2^unit. Of fused sums only.
    int unit = 0;
    double sum = 0;        ///< of what was kept
    double result = 0;     ///< cut or rounded to the format of the result
};

struct ProductSteps {
    enum class Rule : std::uint8_t {
        Fused,        ///< aligned to the largest exponent of the group, cut, added exactly, cut (f32) or rounded (f16)
        FusedThenAdd, ///< the same from zero; c is added at the end as a sum of its own
        Chain,        ///< fused multiply-adds, one after the other
        Integer       ///< exact
    } rule = Rule::Fused;
    std::vector<ProductGroup> groups;
    bool startsAtZero = false; ///< c is added to the last group's result
    double addend = 0;         ///< c
    bool hasSpecial = false; ///< infinities or NaN take part: terms are shown, not cut
    std::uint64_t raw = 0;   ///< of d
    double result = 0;
};

} // namespace lanescope::tensor
