// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/fragment.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace lanescope::tensor {

namespace {

/// One bit of a map's text.
struct MapBit {
    char what = '-'; ///< 'r', 'c', 't' or '-'
    int bit = 0;
};

std::vector<MapBit> parseBits(const std::string& text) {
    std::vector<MapBit> out;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == ' ') {
            ++i;
            continue;
        }
        MapBit b{text[i++], 0};
        for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
            b.bit = 10 * b.bit + (text[i] - '0');
        out.push_back(b);
    }
    return out;
}

void place(const std::vector<MapBit>& bits, unsigned value, Position& p) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
        if ((value >> i & 1u) == 0)
            continue;
        const unsigned on = 1u << bits[i].bit;
        switch (bits[i].what) {
        case 'r': p.row = static_cast<std::uint16_t>(p.row | on); break;
        case 'c': p.column = static_cast<std::uint16_t>(p.column | on); break;
        case 't': p.tile = static_cast<std::uint8_t>(p.tile | on); break;
        default: break;
        }
    }
}

int log2Of(int value) { return std::bit_width(static_cast<unsigned>(value)) - 1; }

/// Text of consecutive bits: run('c', 1, 3) is "c1 c2".
std::string run(char what, int from, int to) {
    std::string out;
    for (int i = from; i < to; ++i)
        out += fmt::format("{}{}{}", out.empty() ? "" : " ", what, i);
    return out;
}

std::string join(const std::string& a, const std::string& b) { return a.empty() ? b : b.empty() ? a : a + " " + b; }

void swapRowsAndColumns(std::string& text) {
    for (char& c : text)
        c = c == 'r' ? 'c' : c == 'c' ? 'r' : c;
}

/// The rule of all shapes but m8n8k4 with f16. Groups of four lanes share a row of A and C, or a column of B; along k the elements of
/// a register come first, then the four lanes, then registers.
FragmentMap::Bits ruleBits(Operand operand, const Shape& s, int elementBits) {
    const int e = elementBits >= 32 ? 0 : log2Of(32 / elementBits);
    const int k = log2Of(s.k);
    FragmentMap::Bits b;
    switch (operand) {
    case Operand::A:
        b.element = run('c', 0, e);
        b.lane = join(run('c', e, e + 2), "r0 r1 r2");
        b.reg = join(s.m >= 16 ? "r3" : "", run('c', e + 2, k));
        break;
    case Operand::B:
        b.element = run('r', 0, e);
        b.lane = join(run('r', e, e + 2), "c0 c1 c2");
        b.reg = run('r', e + 2, k);
        break;
    case Operand::C:
        b.element = elementBits == 16 ? "c0" : "";
        b.lane = "c1 c2 r0 r1 r2";
        b.reg = join(elementBits == 16 ? "" : "c0", s.m >= 16 ? "r3" : "");
        break;
    }
    return b;
}

/// m8n8k4 with f16: four products, one for lanes 0-3 and 16-19, one for 4-7 and 20-23, ... (PTX ISA, "Matrix Fragments for
/// mma.m8n8k4 with .f16 floating point type").
FragmentMap::Bits quadPairBits(Operand operand, int elementBits, bool columnMajor) {
    if (operand == Operand::C)
        return elementBits == 16 ? FragmentMap::Bits{"r0 r1 t0 t1 r2", "c1 c2", "c0"} : FragmentMap::Bits{"r0 c1 t0 t1 r2", "c0 r1 c2", ""};
    // A lane's four elements follow each other in memory: down a column when column-major.
    const char lane = columnMajor ? 'c' : 'r', element = columnMajor ? 'r' : 'c';
    // The dimension that is 8 long gets its bit 2 from lane bit 4.
    const char eight = operand == Operand::A ? 'r' : 'c';
    return {fmt::format("{0}0 {0}1 t0 t1 {1}2", lane, eight), fmt::format("{}1", element), fmt::format("{}0", element)};
}

} // namespace

FragmentMap::FragmentMap(int rows, int columns, int elementBits, int registerBits, int registers, Bits bits)
    : m_rows(rows), m_columns(columns), m_elementBits(elementBits), m_registerBits(registerBits), m_registers(registers), m_bits(std::move(bits)) {
    const auto laneBits = parseBits(m_bits.lane), regBits = parseBits(m_bits.reg), elementMap = parseBits(m_bits.element);
    m_perRegister = 1 << elementMap.size();
    m_lanes = 1 << laneBits.size();
    for (const MapBit& b : laneBits)
        m_tiles = b.what == 't' ? std::max(m_tiles, 2 << b.bit) : m_tiles;
    m_distinct = m_registers;
    for (const MapBit& b : regBits) // copies are the highest bits
        m_distinct = b.what == '-' ? m_distinct / 2 : m_distinct;
    m_indices.resize(static_cast<std::size_t>(m_registers) * static_cast<std::size_t>(m_perRegister * m_lanes));
    std::size_t i = 0;
    for (int reg = 0; reg < m_registers; ++reg)
        for (int element = 0; element < m_perRegister; ++element)
            for (int lane = 0; lane < m_lanes; ++lane) {
                Position p;
                place(laneBits, static_cast<unsigned>(lane), p);
                place(regBits, static_cast<unsigned>(reg), p);
                place(elementMap, static_cast<unsigned>(element), p);
                m_indices[i++] = static_cast<std::uint16_t>((p.tile * m_rows + p.row) * m_columns + p.column);
            }
}

Position FragmentMap::at(const Place& p) const {
    const int index = m_indices[static_cast<std::size_t>((p.reg * m_perRegister + p.element) * m_lanes + p.lane)];
    return {static_cast<std::uint16_t>(index / m_columns % m_rows), static_cast<std::uint16_t>(index % m_columns),
            static_cast<std::uint8_t>(index / (m_columns * m_rows))};
}

std::vector<Place> FragmentMap::places(const Position& p) const {
    const auto wanted = static_cast<std::uint16_t>((p.tile * m_rows + p.row) * m_columns + p.column);
    std::vector<Place> out;
    for (std::size_t i = 0; i < m_indices.size(); ++i)
        if (m_indices[i] == wanted) {
            const int rest = static_cast<int>(i) / m_lanes;
            out.push_back({static_cast<std::uint8_t>(static_cast<int>(i) % m_lanes), static_cast<std::uint8_t>(rest % m_perRegister),
                           static_cast<std::uint16_t>(rest / m_perRegister)});
        }
    return out;
}

const std::vector<ProductKind>& productKinds() {
    using enum Element;
    static const std::vector<ProductKind> kinds{
        {Family::Mma, {8, 8, 4}, {F16}, {F16, F32}},
        {Family::Mma, {16, 8, 8}, {F16}, {F16, F32}},
        {Family::Mma, {16, 8, 16}, {F16}, {F16, F32}},
        {Family::Mma, {16, 8, 8}, {BF16}, {F32}},
        {Family::Mma, {16, 8, 16}, {BF16}, {F32}},
        {Family::Mma, {16, 8, 4}, {TF32}, {F32}},
        {Family::Mma, {16, 8, 8}, {TF32}, {F32}},
        {Family::Mma, {16, 8, 16}, {E4M3, E5M2}, {F16, F32}},
        {Family::Mma, {16, 8, 32}, {E4M3, E5M2}, {F16, F32}},
        {Family::Mma, {8, 8, 4}, {F64}, {F64}},
        {Family::Mma, {16, 8, 4}, {F64}, {F64}},
        {Family::Mma, {16, 8, 8}, {F64}, {F64}},
        {Family::Mma, {16, 8, 16}, {F64}, {F64}},
        {Family::Mma, {8, 8, 16}, {S8, U8}, {S32}},
        {Family::Mma, {16, 8, 16}, {S8, U8}, {S32}},
        {Family::Mma, {16, 8, 32}, {S8, U8}, {S32}},
        {Family::Mma, {8, 8, 32}, {S4, U4}, {S32}},
        {Family::Mma, {16, 8, 32}, {S4, U4}, {S32}},
        {Family::Mma, {16, 8, 64}, {S4, U4}, {S32}},
        {Family::Mma, {8, 8, 128}, {B1}, {S32}},
        {Family::Mma, {16, 8, 128}, {B1}, {S32}},
        {Family::Mma, {16, 8, 256}, {B1}, {S32}},
        {Family::Wmma, {16, 16, 16}, {F16}, {F16, F32}},
        {Family::Wmma, {32, 8, 16}, {F16}, {F16, F32}},
        {Family::Wmma, {8, 32, 16}, {F16}, {F16, F32}},
        {Family::Wmma, {16, 16, 16}, {BF16}, {F32}},
        {Family::Wmma, {32, 8, 16}, {BF16}, {F32}},
        {Family::Wmma, {8, 32, 16}, {BF16}, {F32}},
        {Family::Wmma, {16, 16, 16}, {S8, U8}, {S32}},
        {Family::Wmma, {32, 8, 16}, {S8, U8}, {S32}},
        {Family::Wmma, {8, 32, 16}, {S8, U8}, {S32}},
        {Family::Wmma, {16, 16, 8}, {TF32}, {F32}},
        {Family::Wmma, {8, 8, 4}, {F64}, {F64}},
        {Family::Wmma, {8, 8, 32}, {S4, U4}, {S32}},
        {Family::Wmma, {8, 8, 128}, {B1}, {S32}},
    };
    return kinds;
}

std::shared_ptr<const FragmentMap> findFragment(Family family, const Shape& shape, Operand operand, Element element, bool columnMajor) {
    const int size = bits(element);
    const int registerBits = std::max(size, 32);
    const int rows = operand == Operand::B ? shape.k : shape.m, columns = operand == Operand::A ? shape.k : shape.n;
    FragmentMap::Bits text;
    if (family == Family::Wgmma) {
        if (operand == Operand::B || (shape.m != 64 && shape.m != 16) || shape.n % 8 != 0)
            return nullptr; // B is in shared memory
        text = ruleBits(operand, shape, size);
        if (shape.m == 64)
            text.lane += " r4 r5";
        if (operand == Operand::C)
            text.reg = join(text.reg, run('c', 3, std::bit_width(static_cast<unsigned>(shape.n - 1))));
        const int held = rows * columns / (2 * shape.m) * size / registerBits;
        return std::make_shared<FragmentMap>(rows, columns, size, registerBits, held, text);
    }
    const auto isKind = [&](const ProductKind& kind) {
        const auto& types = operand == Operand::C ? kind.cd : kind.ab;
        return kind.family == family && kind.shape == shape && std::find(types.begin(), types.end(), element) != types.end();
    };
    const auto kind = std::find_if(productKinds().begin(), productKinds().end(), isKind);
    if (kind == productKinds().end())
        return nullptr;
    const bool isHalf = kind->ab.front() == Element::F16;
    if (family == Family::Mma && shape == Shape{8, 8, 4} && (size == 16 || (operand == Operand::C && size == 32))) {
        text = quadPairBits(operand, size, columnMajor);
    } else if (family == Family::Wmma && shape.m == 8 && shape.n == 32) {
        // The transposed product of m32n8: what is A there is B here.
        const Operand swapped = operand == Operand::A ? Operand::B : operand == Operand::B ? Operand::A : Operand::C;
        text = ruleBits(swapped, Shape{32, 8, shape.k}, size);
        if (operand != Operand::A)
            text.reg = join(text.reg, "r4");
        for (std::string* part : {&text.lane, &text.reg, &text.element})
            swapRowsAndColumns(*part);
    } else {
        text = ruleBits(operand, shape, size);
        if (shape.m == 32 && operand != Operand::B)
            text.reg = join(text.reg, "r4");
        if (shape.n == 16 && operand != Operand::A)
            text.reg = join(text.reg, "c3");
    }
    int registers = 1 << parseBits(text.reg).size();
    // wmma gives f16 eight registers for A and B in every shape; sm_70 needed them, later GPUs fill them with copies.
    for (; family == Family::Wmma && isHalf && operand != Operand::C && registers < 8; registers *= 2)
        text.reg = join(text.reg, "-");
    return std::make_shared<FragmentMap>(rows, columns, size, registerBits, registers, text);
}

std::shared_ptr<const FragmentMap> matrixFragment(int matrices, bool transposed) {
    FragmentMap::Bits text{"c1 c2 r0 r1 r2", run('r', 3, 3 + log2Of(matrices)), "c0"};
    if (transposed)
        text = {"r1 r2 c0 c1 c2", run('r', 3, 3 + log2Of(matrices)), "r0"};
    return std::make_shared<FragmentMap>(8 * matrices, 8, 16, 32, matrices, text);
}

} // namespace lanescope::tensor
