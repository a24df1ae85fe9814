// SPDX-License-Identifier: GPL-3.0-or-later
// Fragments: which element of a matrix each lane holds in which register, and back. PTX ISA 9.0, section "Warp Level Matrix
// Multiply-Accumulate Instructions"; what wmma leaves open is sm_90's: its products are m16n8 halves of mma (read from ptxas 13.0's
// code and confirmed with registers read on an H200, tests/data/tensor).
//
// Every map is linear in the bits of lane, register and place in the register, so one short text describes it: "c1 c2 r0 r1 r2" says
// that bit 0 of the lane is bit 1 of the column, and so on; '-' is a bit that only makes copies, t a bit of the tile.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/tensor/element.h"

namespace lanescope::tensor {

enum class Family : std::uint8_t {
    Mma,   ///< mma.sync
    Wmma,  ///< wmma
    Wgmma, ///< wgmma: 128 lanes, those of four warps; with m = 16 the 32 lanes of one of them
    Matrix ///< ldmatrix, stmatrix, movmatrix: register i holds the 8x8 matrix i of 16-bit elements, rows below each other
};

/// A place in the registers. element: which of the elements that share a register, the lowest bits first.
struct Place {
    std::uint8_t lane = 0, element = 0;
    std::uint16_t reg = 0;
    bool operator==(const Place&) const = default;
};

/// A place in the matrix. tile: m8n8k4 with f16 multiplies four pairs of matrices, one for each quad pair of lanes; else 0.
struct Position {
    std::uint16_t row = 0, column = 0;
    std::uint8_t tile = 0;
    bool operator==(const Position&) const = default;
};

class FragmentMap {
public:
    /// Bits of lane, register and element, as in the head of this file.
    struct Bits {
        std::string lane, reg, element;
    };
    FragmentMap(int rows, int columns, int elementBits, int registerBits, int registers, Bits bits);

    int rows() const { return m_rows; }
    int columns() const { return m_columns; }
    int tiles() const { return m_tiles; }
    int lanes() const { return m_lanes; }
    int registers() const { return m_registers; }
    int registerBits() const { return m_registerBits; } ///< 32, 64 for f64
    int elementBits() const { return m_elementBits; }
    int elementsPerRegister() const { return m_perRegister; }
    const Bits& bits() const { return m_bits; }

    Position at(const Place& place) const;
    /// Where an element is held: one place, or several where registers are copies of each other.
    std::vector<Place> places(const Position& position) const;
    /// (tile * rows + row) * columns + column of each place: [(register * elementsPerRegister + element) * lanes + lane].
    std::span<const std::uint16_t> indices() const { return m_indices; }
    /// The first so many registers hold every element once; the others are copies.
    int distinctRegisters() const { return m_distinct; }

private:
    int m_rows, m_columns, m_elementBits, m_registerBits, m_registers;
    int m_perRegister = 1, m_lanes = 32, m_tiles = 1, m_distinct = 1;
    Bits m_bits;
    std::vector<std::uint16_t> m_indices;
};

/// The map of an operand of a product. columnMajor matters to m8n8k4 with f16 alone: elsewhere a layout only says how memory or the
/// product is ordered. Null: the instruction set has no such fragment.
std::shared_ptr<const FragmentMap> findFragment(Family family, const Shape& shape, Operand operand, Element element, bool columnMajor);

/// Registers of ldmatrix.x1/.x2/.x4 and its like.
std::shared_ptr<const FragmentMap> matrixFragment(int matrices, bool transposed);

/// One kind of product that the instruction set has, for lists and tests. Types are independent: any of `ab` for A and (of the same
/// group) for B, any of `cd` for C and D that PTX allows together.
struct ProductKind {
    Family family = Family::Mma;
    Shape shape;
    std::vector<Element> ab, cd;
};
const std::vector<ProductKind>& productKinds();

} // namespace lanescope::tensor
