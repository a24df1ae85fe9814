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

/// An operand of wgmma in shared memory.
struct DescriptorOperand {
    std::uint32_t row = 0; ///< entry in Program::rowList: its matrix descriptor
    bool valid = false;
    bool isMnMajor = false; ///< .trans: rows or columns are contiguous, not k
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
    /// wgmma, the part of one warp: 16 rows. Operands C and D are the same registers; what is in shared memory has no fragment.
    std::array<DescriptorOperand, 2> descriptors; ///< of A and B
    bool negates[2] = {false, false};             ///< imm-scale of A and B is -1
    std::uint32_t scaleD = 0;                     ///< entry in Program::rowList: lanes whose D is added; see hasScaleD
    bool hasScaleD = false;                       ///< else `addsD` says
    bool scaleDNegated = false, addsD = true;
    std::uint32_t counter = 0; ///< dense index among memory instructions

    const FragmentOperand& of(Operand which) const { return operands[static_cast<std::size_t>(which)]; }
};

/// What the decoder of programs lends: rows of an operand's registers (the first index in rowList), the address of a memory operand
/// (index into Program::memory), and how to report an instruction.
struct TensorDecoding {
    std::function<std::uint32_t(const ptx::Operand&, bool isDestination, ptx::Type)> rows;
    std::function<std::uint32_t(const ptx::Operand& address, ptx::Space)> address;
    std::function<std::uint32_t()> counter; ///< of one more memory instruction
    std::function<void(std::string)> fail;
};

/// wgmma of all kinds.
void decodeWarpgroup(const ptx::Instruction& in, Op& op, Program& program, const TensorDecoding& decoding);
/// After all else: registers that wgmma uses, see Program::fragmentRegisters.
void trackFragmentRegisters(Program& program);
tensor::Element elementOf(ptx::Type type);
FragmentOperand fragmentOperand(std::shared_ptr<const tensor::FragmentMap> map, tensor::Element element, const ptx::Operand& operand,
                                bool isDestination, const TensorDecoding& decoding);

/// Decodes an instruction of family Tensor into `op` and Program::tensors.
void decodeTensor(const ptx::Instruction& in, Op& op, Program& program, const TensorDecoding& decoding);

} // namespace lanescope::sim
