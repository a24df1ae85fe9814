// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/tensor/fused_dot.h"

namespace lanescope::tensor {

namespace {

/// Exponents that an addend of zero counts with. Which one shows only where all products of a group are smaller still: measured on an
/// H200, wgmma with bf16 and tf32.
constexpr int kZeroOfMma = -126, kZeroOfWgmma = -133;

bool isFp8(Element e) { return e == Element::E4M3 || e == Element::E5M2; }
bool isQuadPair(const Product& p) { return p.family == Family::Mma && p.shape == Shape{8, 8, 4} && p.a == Element::F16; }

std::int64_t integerValue(Element element, std::uint32_t raw) {
    switch (element) {
    case Element::S8: return static_cast<std::int8_t>(raw);
    case Element::U8: return static_cast<std::uint8_t>(raw);
    case Element::S4: return static_cast<std::int32_t>(raw << 28) >> 28;
    case Element::U4: return raw & 15u;
    default: return raw & 1u;
    }
}

std::uint32_t addF32(std::uint32_t x, std::uint32_t y) {
    const float sum = std::bit_cast<float>(x) + std::bit_cast<float>(y);
    return std::isnan(sum) ? kNanF32 : std::bit_cast<std::uint32_t>(sum);
}

/// HADD2: the exact sum, rounded once; f32 holds every sum of two f16 numbers well enough for that (24 >= 2 * 11 + 2 bits).
std::uint32_t addF16(std::uint32_t x, std::uint32_t y) { return f32ToF16(addF32(f16ToF32(x), f16ToF32(y))); }

/// F2FP.F16.E4M3.UNPACK and its e5m2 brother: exact. A subnormal e4m3 becomes a normal f16.
std::uint32_t fp8ToF16(Element element, std::uint32_t raw) {
    if (element == Element::E5M2)
        return raw << 8;
    const std::uint32_t sign = (raw & 0x80u) << 8, fraction = raw & 7u, exponent = raw >> 3 & 15u;
    if (exponent == 15 && fraction == 7)
        return kNanF16;
    if (exponent != 0)
        return sign | (exponent + 8) << 10 | fraction << 7;
    if (fraction == 0)
        return sign;
    const int top = 31 - std::countl_zero(fraction); // value: fraction * 2^-9
    return sign | static_cast<std::uint32_t>(top - 9 + 15) << 10 | (fraction << (10 - top) & 0x3ffu);
}

void readOperands(Operands& to, Element element, bool byF16, const std::uint32_t* raw, std::size_t count) {
    if (!byF16) {
        to.read(element, raw, count);
        return;
    }
    std::vector<std::uint32_t> halves(count);
    for (std::size_t i = 0; i < count; ++i)
        halves[i] = fp8ToF16(element, raw[i]);
    to.read(Element::F16, halves.data(), count);
}

double figureOr(const device::Device& device, const char* key, double value) { return device.value(key).value_or(value); }

} // namespace

Generation generationOf(const device::Device& device) {
    Generation g;
    g.fractionBits = static_cast<int>(figureOr(device, "tensor_fraction_bits", g.fractionBits));
    g.groupBytes = static_cast<int>(figureOr(device, "tensor_group_bytes", g.groupBytes));
    g.fp8FractionBits = static_cast<int>(figureOr(device, "tensor_fp8_fraction_bits", g.fractionBits));
    g.fp8ByF16 = device.figure("tensor_fp8_by_f16") != nullptr;
    g.m8n8k4ByFma = device.figure("tensor_m8n8k4") == nullptr;
    return g;
}

MachineCount machineCount(const Product& p, const Generation& generation) {
    using Pipe = MachineCount::Pipe;
    if (p.family == Family::Wgmma) // one in each warp, measured on an H200 with every type
        return {isFloat(p.a) ? Pipe::Hmma : Pipe::Imma, 1};
    const int halves = p.family == Family::Wmma && p.shape.m * p.shape.n == 256 ? 2 : 1;
    switch (p.a) {
    case Element::F64:
        return {Pipe::Dmma, 1};
    case Element::S8:
    case Element::U8:
        return {Pipe::Imma, halves};
    case Element::S4: // as two products of s8 (ptxas 13.0, sm_90)
    case Element::U4:
        return {Pipe::Imma, 2};
    case Element::B1: // xor as popc(a) + popc(b) - 2 popc(a & b)
        return {Pipe::Imma, p.operation == BitOperation::XorPopc ? 2 : 1};
    case Element::E4M3:
    case Element::E5M2:
        return {Pipe::Hmma, generation.fp8ByF16 ? 2 : 1};
    case Element::TF32: // wmma's k8 is two k4
        return {Pipe::Hmma, p.family == Family::Wmma ? 4 : 1};
    default:
        if (isQuadPair(p)) // HMMA.884 in two steps for f16, four for f32
            return generation.m8n8k4ByFma ? MachineCount{} : MachineCount{Pipe::Hmma, p.d == Element::F16 ? 2 : 4};
        return {Pipe::Hmma, halves};
    }
}

Multiplier::Multiplier(const Product& product, const Generation& generation) : m_product(product) {
    const Product& p = m_product;
    const int k = p.shape.k;
    for (int i = 0; i < k; ++i)
        m_order.push_back(i);
    if (isQuadPair(p))
        m_tiles = 4;
    m_fractionBits = generation.fractionBits;
    m_group = std::min(k, std::max(1, generation.groupBytes * 8 / bits(p.a)));
    if (!isFloat(p.a)) {
        m_path = Path::Integer;
    } else if (isQuadPair(p) && generation.m8n8k4ByFma) {
        m_path = Path::FmaChain;
    } else if (isFp8(p.a) && p.family == Family::Wgmma) {
        m_fractionBits = generation.fp8FractionBits;
        m_resultBits = std::min(23, generation.fp8FractionBits);
    } else if (isFp8(p.a) && generation.fp8ByF16) {
        // A register's low two elements make one f16 product, its high two another.
        m_path = Path::FusedThenAdd;
        m_group = std::min(k / 2, generation.groupBytes / 2);
        std::stable_partition(m_order.begin(), m_order.end(), [](int i) { return i % 4 < 2; });
    } else if (isFp8(p.a)) {
        m_fractionBits = generation.fp8FractionBits;
        m_resultBits = std::min(23, generation.fp8FractionBits);
    } else if (p.family == Family::Wmma && p.a == Element::TF32) {
        m_group = std::min(m_group, 4);
    }
}

void Multiplier::multiply(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) const {
    const Shape& s = m_product.shape;
    for (int tile = 0; tile < m_tiles; ++tile) {
        switch (m_path) {
        case Path::Integer: integers(a, b, c, d); break;
        case Path::FmaChain: fmaChain(a, b, c, d); break;
        case Path::Fused:
        case Path::FusedThenAdd: fused(a, b, c, d); break;
        }
        a += s.m * s.k;
        b += s.k * s.n;
        c += s.m * s.n;
        d += s.m * s.n;
    }
}

void Multiplier::multiply(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c, std::uint64_t* d) const {
    const Shape& s = m_product.shape;
    for (int i = 0; i < s.m; ++i)
        for (int j = 0; j < s.n; ++j) {
            double sum = std::bit_cast<double>(c[i * s.n + j]);
            for (int k = 0; k < s.k; ++k)
                sum = std::fma(std::bit_cast<double>(a[i * s.k + k]), std::bit_cast<double>(b[k * s.n + j]), sum);
            d[i * s.n + j] = std::isnan(sum) ? 0x7ff8000000000000ull : std::bit_cast<std::uint64_t>(sum);
        }
}

void Multiplier::integers(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) const {
    const Product& p = m_product;
    const Shape& s = p.shape;
    std::vector<std::int32_t> x(static_cast<std::size_t>(s.m * s.k)), y(static_cast<std::size_t>(s.k * s.n));
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<std::int32_t>(integerValue(p.a, a[i]));
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = static_cast<std::int32_t>(integerValue(p.b, b[i]));
    std::vector<std::int32_t> sum(s.n);
    for (int i = 0; i < s.m; ++i) {
        std::fill(sum.begin(), sum.end(), 0);
        for (int k = 0; k < s.k; ++k) {
            const std::int32_t left = x[static_cast<std::size_t>(i * s.k + k)];
            const std::int32_t* const right = &y[static_cast<std::size_t>(k * s.n)];
            for (int j = 0; j < s.n; ++j)
                sum[static_cast<std::size_t>(j)] += p.operation == BitOperation::XorPopc ? left ^ right[j] : left * right[j];
        }
        for (int j = 0; j < s.n; ++j) {
            const std::int64_t total = std::int64_t{sum[static_cast<std::size_t>(j)]} + static_cast<std::int32_t>(c[i * s.n + j]);
            constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min(), kMost = std::numeric_limits<std::int32_t>::max();
            d[i * s.n + j] = static_cast<std::uint32_t>(p.saturate ? std::clamp(total, kLeast, kMost) : total);
        }
    }
}

/// m8n8k4 where there is no instruction for it: a chain of f32 fused multiply-adds from zero, then c (ptxas 13.0, sm_90).
void Multiplier::fmaChain(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) const {
    const Product& p = m_product;
    const Shape& s = p.shape;
    for (int i = 0; i < s.m; ++i)
        for (int j = 0; j < s.n; ++j) {
            float sum = 0;
            for (int k = 0; k < s.k; ++k)
                sum = std::fma(std::bit_cast<float>(f16ToF32(a[i * s.k + k])), std::bit_cast<float>(f16ToF32(b[k * s.n + j])), sum);
            const std::uint32_t addend = p.c == Element::F16 ? f16ToF32(c[i * s.n + j]) : c[i * s.n + j];
            const std::uint32_t total = addF32(addend, std::bit_cast<std::uint32_t>(sum));
            d[i * s.n + j] = p.d == Element::F16 ? f32ToF16(total) : total;
        }
}

FusedRule Multiplier::fusedRule() const {
    const Product& p = m_product;
    // Where c and d differ, the product is one of f32 with conversions around it.
    return {m_fractionBits, p.c == Element::F16 && p.d == Element::F16, m_resultBits, p.family == Family::Wgmma ? kZeroOfWgmma : kZeroOfMma};
}

void Multiplier::fused(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) const {
    const Product& p = m_product;
    const Shape& s = p.shape;
    Operands x, y;
    readOperands(x, p.a, m_path == Path::FusedThenAdd, a, static_cast<std::size_t>(s.m * s.k));
    readOperands(y, p.b, m_path == Path::FusedThenAdd, b, static_cast<std::size_t>(s.k * s.n));
    const FusedRule rule = fusedRule();
    const bool inF16 = rule.toF16;
    const bool separate = m_path == Path::FusedThenAdd;
    std::vector<std::uint32_t> sums(s.n);
    for (int i = 0; i < s.m; ++i) {
        const std::uint32_t* const cRow = c + i * s.n;
        for (int j = 0; j < s.n; ++j)
            sums[static_cast<std::size_t>(j)] = separate ? 0 : !inF16 && p.c == Element::F16 ? f16ToF32(cRow[j]) : cRow[j];
        for (int k = 0; k < s.k; k += m_group)
            fusedDot(rule, x, static_cast<std::size_t>(i * s.k), y, &m_order[static_cast<std::size_t>(k)], std::min(m_group, s.k - k), s.n,
                     sums.data(), sums.data());
        for (int j = 0; j < s.n; ++j) {
            std::uint32_t v = sums[static_cast<std::size_t>(j)];
            if (separate)
                v = inF16 ? addF16(cRow[j], v) : addF32(cRow[j], v);
            d[i * s.n + j] = !inF16 && p.d == Element::F16 ? f32ToF16(v) : v;
        }
    }
}

} // namespace lanescope::tensor
