// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of one element: their results are the multiplier's, and the sums they show are what the rule says.
#include <bit>
#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "engine/tensor/product_steps.h"
#include "engine/tensor/product.h"

using namespace lanescope;
using namespace lanescope::tensor;

namespace {

Generation generation(const char* id) {
    const Result<device::Device> device = device::findDevice(id);
    REQUIRE(device);
    return generationOf(*device);
}

/// Random bits of an element, finite and of moderate size when it is a float.
std::uint64_t someElement(Element element, std::mt19937_64& random) {
    for (;;) {
        std::uint64_t raw = random() & (bits(element) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits(element)) - 1);
        if (!isFloat(element))
            return raw;
        const double value = toDouble(element, raw);
        if (std::isfinite(value) && std::abs(value) < 1e4 && (value == 0 || std::abs(value) > 1e-30))
            return raw;
    }
}

} // namespace

TEST_CASE("the steps of an element end in the bits that the multiplier gives", "[tensor]") {
    std::mt19937_64 random(5);
    for (const char* gpu : {"h200", "a100", "v100"})
        for (const ProductKind& kind : productKinds())
            for (const Element ab : kind.ab)
                for (const Element cd : kind.cd)
                    for (int round = 0; round < 6; ++round) {
                        Product p{kind.family, kind.shape, ab, ab, cd, cd};
                        p.operation = ab == Element::B1 ? (round % 2 == 0 ? BitOperation::AndPopc : BitOperation::XorPopc) : BitOperation::None;
                        std::vector<std::uint64_t> a, b;
                        for (int k = 0; k < kind.shape.k; ++k) {
                            a.push_back(someElement(ab, random));
                            b.push_back(someElement(ab, random));
                        }
                        const std::uint64_t c = someElement(cd, random);
                        const ProductSteps steps = Multiplier(p, generation(gpu)).steps(a, b, c);
                        INFO(gpu << " " << toString(kind.shape) << " " << name(ab) << " " << name(cd) << " family " << int(kind.family));
                        int terms = 0;
                        for (const ProductGroup& group : steps.groups)
                            terms += static_cast<int>(group.terms.size());
                        CHECK(terms == kind.shape.k);
                        REQUIRE_FALSE(steps.groups.empty());
                        // Each group goes on from the one before.
                        double before = steps.startsAtZero ? 0.0 : steps.addend;
                        for (const ProductGroup& group : steps.groups) {
                            CHECK(group.before == before);
                            before = group.result;
                        }
                        if (cd == Element::S32) {
                            CHECK(static_cast<std::int32_t>(static_cast<std::int64_t>(steps.groups.back().sum)) == static_cast<std::int32_t>(steps.raw));
                        } else if (!std::isfinite(steps.result)) {
                            CHECK((steps.hasSpecial || cd == Element::F16)); // too large for f16
                        } else if (steps.startsAtZero) {
                            const double sum = steps.addend + before;
                            CHECK(steps.result == Approx(sum).epsilon(2e-3).margin(1e-6));
                        } else {
                            CHECK(std::bit_cast<std::uint64_t>(before) == std::bit_cast<std::uint64_t>(steps.result));
                        }
                        if (steps.rule == ProductSteps::Rule::Fused && !steps.hasSpecial && cd == Element::F32 && ab != Element::E4M3 && ab != Element::E5M2)
                            for (const ProductGroup& group : steps.groups) {
                                // What was kept adds up exactly to a number whose first 24 bits are the result.
                                const int exponent = group.sum == 0 ? 0 : std::ilogb(group.sum);
                                CHECK(group.result == std::ldexp(std::trunc(std::ldexp(group.sum, 23 - exponent)), exponent - 23));
                            }
                    }
}

TEST_CASE("a small product beside a large one loses what lies below the last kept bit", "[tensor]") {
    Product p;
    p.shape = {16, 8, 16};
    std::vector<std::uint64_t> a(16, 0), b(16, 0x3c00);
    a[0] = 0x3c00; // 1
    a[1] = 0x0001; // 2^-24
    a[2] = 0x0003;
    const ProductSteps steps = Multiplier(p, generation("v100")).steps(a, b, 0);
    const auto& terms = steps.groups.front().terms;
    CHECK(steps.groups.front().unit == -23);
    CHECK(terms[0].kept == 1.0);
    CHECK(terms[1].product == std::ldexp(1.0, -24));
    CHECK(terms[1].kept == 0.0);
    CHECK(terms[2].kept == std::ldexp(1.0, -23));
    CHECK(steps.groups.size() == 4);
    CHECK(Multiplier(p, generation("a100")).steps(a, b, 0).groups.size() == 2);
    CHECK(Multiplier(p, generation("h200")).steps(a, b, 0).groups.size() == 1);
}
