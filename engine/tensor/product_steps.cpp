// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/product_steps.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/tensor/fused_dot.h"
#include "engine/tensor/product.h"

namespace lanescope::tensor {

namespace {

constexpr int kColumns = 8; ///< that fusedDot works on at a time

double cutAt(double value, int unit) { return std::ldexp(std::trunc(std::ldexp(value, -unit)), unit); }

/// Exponent of an addend as the hardware aligns it.
int addendExponent(double value, const FusedRule& rule) {
    if (value == 0)
        return rule.zeroExponent;
    return std::max(std::ilogb(value), rule.toF16 ? -14 : -126);
}

std::uint32_t asF16(Element element, std::uint64_t raw) { return f32ToF16(std::bit_cast<std::uint32_t>(static_cast<float>(toDouble(element, raw)))); }

} // namespace

ProductSteps Multiplier::steps(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::uint64_t c) const {
    const Product& p = m_product;
    ProductSteps out;
    const double addend = toDouble(p.c, c);
    out.hasSpecial = !std::isfinite(addend);
    const auto term = [&](int k) {
        const auto i = static_cast<std::size_t>(k);
        ProductTerm t{k, toDouble(p.a, a[i]), toDouble(p.b, b[i]), 0, 0};
        t.product = p.operation == BitOperation::XorPopc ? (t.a != t.b ? 1.0 : 0.0) : t.a * t.b;
        t.kept = t.product;
        out.hasSpecial = out.hasSpecial || !std::isfinite(t.product);
        return t;
    };
    // One element: the first of a product whose first row and column these are.
    const Shape& s = p.shape;
    const auto multiplyOne = [&](auto word) {
        using Word = decltype(word);
        const auto tiles = static_cast<std::size_t>(m_tiles), m = std::size_t{s.m}, n = std::size_t{s.n}, k = std::size_t{s.k};
        std::vector<Word> as(tiles * m * k), bs(tiles * k * n), cs(tiles * m * n), ds(tiles * m * n);
        for (std::size_t i = 0; i < k; ++i) {
            as[i] = static_cast<Word>(a[i]);
            bs[i * n] = static_cast<Word>(b[i]);
        }
        cs[0] = static_cast<Word>(c);
        multiply(as.data(), bs.data(), cs.data(), ds.data());
        return std::uint64_t{ds[0]};
    };
    out.raw = p.a == Element::F64 ? multiplyOne(std::uint64_t{}) : multiplyOne(std::uint32_t{});
    out.result = toDouble(p.d, out.raw);
    if (p.a == Element::F64 || m_path == Path::FmaChain) {
        out.rule = ProductSteps::Rule::Chain;
        const bool isDouble = p.a == Element::F64;
        double sum = isDouble ? addend : 0.0;
        for (const int k : m_order) {
            ProductGroup group;
            group.terms.push_back(term(k));
            group.before = group.beforeKept = sum;
            const ProductTerm& t = group.terms.front();
            group.sum = sum + t.product;
            sum = isDouble ? std::fma(t.a, t.b, sum) : static_cast<double>(std::fma(static_cast<float>(t.a), static_cast<float>(t.b), static_cast<float>(sum)));
            group.result = sum;
            out.groups.push_back(std::move(group));
        }
    } else if (m_path == Path::Integer) {
        out.rule = ProductSteps::Rule::Integer;
        ProductGroup group;
        group.before = group.beforeKept = group.sum = addend;
        for (const int k : m_order) {
            group.terms.push_back(term(k));
            group.sum += group.terms.back().product;
        }
        group.result = out.result;
        out.groups.push_back(std::move(group));
    } else {
        for (const int k : m_order)
            term(k); // infinities and NaN are known before anything is cut
        fusedSteps(out, a, b, c);
    }
    out.startsAtZero = m_path == Path::FmaChain || m_path == Path::FusedThenAdd;
    out.addend = addend;
    return out;
}

void Multiplier::fusedSteps(ProductSteps& out, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::uint64_t c) const {
    const Product& p = m_product;
    const FusedRule rule = fusedRule();
    const bool byF16 = m_path == Path::FusedThenAdd, inF16 = rule.toF16;
    out.rule = byF16 ? ProductSteps::Rule::FusedThenAdd : ProductSteps::Rule::Fused;
    std::vector<std::uint32_t> row, columns(a.size() * kColumns);
    for (std::size_t i = 0; i < a.size(); ++i) {
        row.push_back(byF16 ? asF16(p.a, a[i]) : static_cast<std::uint32_t>(a[i]));
        columns[i * kColumns] = byF16 ? asF16(p.b, b[i]) : static_cast<std::uint32_t>(b[i]);
    }
    Operands x, y;
    x.read(byF16 ? Element::F16 : p.a, row.data(), row.size());
    y.read(byF16 ? Element::F16 : p.b, columns.data(), columns.size());
    const auto valueOf = [&](std::uint32_t raw) { return toDouble(inF16 ? Element::F16 : Element::F32, raw); };
    std::vector<std::uint32_t> sums(kColumns);
    sums[0] = byF16 ? 0 : !inF16 && p.c == Element::F16 ? f16ToF32(static_cast<std::uint32_t>(c)) : static_cast<std::uint32_t>(c);
    for (std::size_t first = 0; first < m_order.size(); first += static_cast<std::size_t>(m_group)) {
        ProductGroup group;
        group.before = valueOf(sums[0]);
        int largest = addendExponent(group.before, rule);
        const std::size_t end = std::min(m_order.size(), first + static_cast<std::size_t>(m_group));
        for (std::size_t i = first; i < end; ++i) {
            const auto k = static_cast<std::size_t>(m_order[i]);
            ProductTerm t{m_order[i], toDouble(p.a, a[k]), toDouble(p.b, b[k]), 0, 0};
            t.product = t.a * t.b;
            largest = std::max(largest, x.exponent[k] + y.exponent[k * kColumns]);
            group.terms.push_back(t);
        }
        group.unit = largest - m_fractionBits;
        group.beforeKept = out.hasSpecial ? group.before : cutAt(group.before, group.unit);
        group.sum = group.beforeKept;
        for (ProductTerm& t : group.terms) {
            t.kept = out.hasSpecial ? t.product : cutAt(t.product, group.unit);
            group.sum += t.kept;
        }
        fusedDot(rule, x, 0, y, &m_order[first], static_cast<int>(end - first), kColumns, sums.data(), sums.data());
        group.result = valueOf(sums[0]);
        out.groups.push_back(std::move(group));
    }
}

} // namespace lanescope::tensor
