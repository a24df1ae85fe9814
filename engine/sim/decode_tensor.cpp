// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/tensor_op.h"

#include "engine/sim/program.h"

namespace lanescope::sim {

namespace {

using ptx::MatrixLayout;
using ptx::Opcode;
using ptx::WmmaOp;
using tensor::Element;

/// Type of the registers that hold elements of the type.
ptx::Type registerType(Element element) {
    return element == Element::F64   ? ptx::Type::F64
           : element == Element::F32 ? ptx::Type::F32
           : element == Element::S32 ? ptx::Type::S32
                                     : ptx::Type::B32;
}

} // namespace

Element elementOf(ptx::Type type) {
    switch (type) {
    case ptx::Type::F64: return Element::F64;
    case ptx::Type::F32: return Element::F32;
    case ptx::Type::TF32: return Element::TF32;
    case ptx::Type::BF16: return Element::BF16;
    case ptx::Type::E4M3: return Element::E4M3;
    case ptx::Type::E5M2: return Element::E5M2;
    case ptx::Type::S32: return Element::S32;
    case ptx::Type::S8: return Element::S8;
    case ptx::Type::U8: return Element::U8;
    case ptx::Type::S4: return Element::S4;
    case ptx::Type::U4: return Element::U4;
    case ptx::Type::B1: return Element::B1;
    default: return Element::F16;
    }
}

FragmentOperand fragmentOperand(std::shared_ptr<const tensor::FragmentMap> map, Element element, const ptx::Operand& operand, bool isDestination,
                                const TensorDecoding& decoding) {
    FragmentOperand out;
    if (map == nullptr) {
        decoding.fail("there is no such fragment");
        return out;
    }
    out.rows = decoding.rows(operand, isDestination, registerType(element));
    out.element = element;
    out.map = std::move(map);
    return out;
}

namespace {

/// mma and wmma.mma.
void decodeProduct(const ptx::Instruction& in, TensorOp& t, const TensorDecoding& decoding) {
    const ptx::Modifiers& m = in.modifiers;
    tensor::Product& p = t.product;
    p.family = in.opcode == Opcode::Wmma ? tensor::Family::Wmma : tensor::Family::Mma;
    p.shape = {m.shape.m, m.shape.n, m.shape.k};
    p.d = elementOf(in.type);
    // wmma with f16 writes the types of D and C alone.
    const bool isShort = in.type3 == ptx::Type::None;
    p.a = isShort ? Element::F16 : elementOf(in.type2);
    p.b = isShort ? Element::F16 : elementOf(in.type3);
    p.c = elementOf(isShort ? in.type2 : in.type4);
    p.columnMajorA = m.layoutA == MatrixLayout::Col;
    p.columnMajorB = m.layoutB == MatrixLayout::Col;
    p.saturate = m.satfinite;
    if (p.a == Element::B1)
        p.operation = m.boolOp == ptx::BoolOp::Xor ? tensor::BitOperation::XorPopc : tensor::BitOperation::AndPopc;
    const auto map = [&](tensor::Operand operand, Element element, bool columnMajor) {
        return tensor::findFragment(p.family, p.shape, operand, element, columnMajor);
    };
    t.operands = {fragmentOperand(map(tensor::Operand::A, p.a, p.columnMajorA), p.a, in.operands.at(1), false, decoding),
                  fragmentOperand(map(tensor::Operand::B, p.b, p.columnMajorB), p.b, in.operands.at(2), false, decoding),
                  fragmentOperand(map(tensor::Operand::C, p.c, false), p.c, in.operands.at(3), false, decoding),
                  fragmentOperand(map(tensor::Operand::C, p.d, false), p.d, in.operands.at(0), true, decoding)};
}

/// wmma.load and wmma.store.
void decodeFragmentMove(const ptx::Instruction& in, TensorOp& t, const TensorDecoding& decoding) {
    const ptx::Modifiers& m = in.modifiers;
    t.isStore = m.wmma == WmmaOp::StoreD;
    t.operand = m.wmma == WmmaOp::LoadA ? tensor::Operand::A : m.wmma == WmmaOp::LoadB ? tensor::Operand::B : tensor::Operand::C;
    t.columnMajor = m.layoutA == MatrixLayout::Col;
    const Element element = elementOf(in.type);
    t.operands[3] = fragmentOperand(tensor::findFragment(tensor::Family::Wmma, {m.shape.m, m.shape.n, m.shape.k}, t.operand, element, t.columnMajor),
                             element, in.operands.at(t.isStore ? 1 : 0), !t.isStore, decoding);
    t.memory = decoding.address(in.operands.at(t.isStore ? 0 : 1), m.space);
    t.hasStride = in.operands.size() > 2;
    if (t.hasStride)
        t.stride = decoding.rows(in.operands[2], false, ptx::Type::U32);
}

} // namespace

void decodeTensor(const ptx::Instruction& in, Op& op, Program& program, const TensorDecoding& decoding) {
    const ptx::Modifiers& m = in.modifiers;
    if (in.opcode == Opcode::Wgmma) {
        decodeWarpgroup(in, op, program, decoding);
        return;
    }
    TensorOp t;
    switch (in.opcode) {
    case Opcode::Ldmatrix:
    case Opcode::Stmatrix:
        op.kind = OpKind::FragmentMove;
        op.visible = true;
        t.isMatrix = true;
        t.isStore = in.opcode == Opcode::Stmatrix;
        t.operands[3] = fragmentOperand(tensor::matrixFragment(m.matrices, m.transposed), Element::F16, in.operands.at(t.isStore ? 1 : 0), !t.isStore,
                                 decoding);
        t.memory = decoding.address(in.operands.at(t.isStore ? 0 : 1), m.space);
        break;
    case Opcode::Movmatrix:
        op.kind = OpKind::TransposeFragment;
        t.operands[0] = fragmentOperand(tensor::matrixFragment(1, false), Element::F16, in.operands.at(1), false, decoding);
        t.operands[3] = fragmentOperand(tensor::matrixFragment(1, true), Element::F16, in.operands.at(0), true, decoding);
        break;
    case Opcode::Wmma:
        if (m.wmma != WmmaOp::Mma) {
            op.kind = OpKind::FragmentMove;
            op.visible = true;
            decodeFragmentMove(in, t, decoding);
            break;
        }
        [[fallthrough]];
    default:
        op.kind = OpKind::MatrixProduct;
        decodeProduct(in, t, decoding);
        break;
    }
    op.target = static_cast<std::uint32_t>(program.tensors.size());
    program.tensors.push_back(std::move(t));
}

} // namespace lanescope::sim
