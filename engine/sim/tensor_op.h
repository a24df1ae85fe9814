// SPDX-License-Identifier: GPL-3.0-or-later
// Decoded products of matrices, and loads and stores of their fragments.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/ptx/ir.h"
#include "engine/tensor/product.h"

namespace lanescope::sim {

struct Op;
struct Program;

/// One operand of a tensor instruction: where its registers are and what they hold.
struct FragmentOperand {
    std::shared_ptr<const tensor::FragmentMap> map;
    tensor::Element element = tensor::Element::F16;
    std::uint32_t rows = 0; ///< first of map->registers() entries in Program::rowList
    bool valid() const { return map != nullptr; }
};

struct TensorOp {
    enum class Operand : std::uint8_t { A, B, C, D };
    /// mma, wmma.mma: all four. Loads, stores, movmatrix: D is what they fill or take (movmatrix reads A).
    std::array<FragmentOperand, 4> operands;
    tensor::Product product; ///< of mma and wmma.mma
    std::uint32_t memory = 0; ///< loads and stores: index into Program::memory, which has address, space and counter
    bool isStore = false;
    bool isMatrix = false;   ///< ldmatrix, stmatrix: lanes give addresses of rows
    /// wmma: which operand, how it lies in memory, elements from one row or column to the next.
    tensor::Operand operand = tensor::Operand::A;
    bool columnMajor = false;
    std::uint32_t stride = 0; ///< entry in Program::rowList; without one the matrix is packed
    bool hasStride = false;

    const FragmentOperand& of(Operand which) const { return operands[static_cast<std::size_t>(which)]; }
};

/// What the decoder of programs lends: rows of an operand's registers (the first index in rowList), the address of a memory operand
/// (index into Program::memory), and how to report an instruction.
struct TensorDecoding {
    std::function<std::uint32_t(const ptx::Operand&, bool isDestination, ptx::Type)> rows;
    std::function<std::uint32_t(const ptx::Operand& address, ptx::Space)> address;
    std::function<void(std::string)> fail;
};

/// Decodes an instruction of family Tensor into `op` and Program::tensors.
void decodeTensor(const ptx::Instruction& in, Op& op, Program& program, const TensorDecoding& decoding);

} // namespace lanescope::sim
