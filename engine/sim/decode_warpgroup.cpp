// SPDX-License-Identifier: GPL-3.0-or-later
// wgmma: decoding, and which instructions touch the registers that it uses asynchronously.
#include <map>
#include <set>

#include "engine/sim/program.h"
#include "engine/sim/tensor_op.h"

namespace lanescope::sim {

namespace {

using ptx::WgmmaOp;
using tensor::Element;

/// 1 or -1, 0 or 1: the constants at the end of a wgmma.
bool constant(const ptx::Operand& o, std::int64_t first, std::int64_t second, std::int64_t& value) {
    value = static_cast<std::int32_t>(o.bits);
    return o.kind == ptx::OperandKind::Immediate && (value == first || value == second);
}

void decodeConstants(const ptx::Instruction& in, TensorOp& t, std::size_t at, const TensorDecoding& decoding) {
    const bool isTransposable = t.product.a == Element::F16 || t.product.a == Element::BF16;
    if (!tensor::isFloat(t.product.a))
        return;
    for (bool& negates : t.negates) {
        std::int64_t scale = 1;
        if (!constant(in.operands.at(at++), 1, -1, scale))
            decoding.fail("imm-scale-a and imm-scale-b are 1 or -1");
        negates = scale < 0;
    }
    for (std::size_t i = isTransposable ? 0 : 2; i < 2; ++i) {
        std::int64_t trans = 0;
        if (!t.descriptors[i].valid)
            continue; // A in registers has no imm-trans-a
        if (!constant(in.operands.at(at++), 0, 1, trans))
            decoding.fail("imm-trans-a and imm-trans-b are 0 or 1");
        t.descriptors[i].isMnMajor = trans != 0;
    }
}

void decodeProduct(const ptx::Instruction& in, TensorOp& t, const TensorDecoding& decoding) {
    const ptx::Modifiers& m = in.modifiers;
    tensor::Product& p = t.product;
    p.family = tensor::Family::Wgmma;
    p.shape = {16, m.shape.n, m.shape.k}; // one warp's part of the 64 rows
    p.c = p.d = elementOf(in.type);
    p.a = elementOf(in.type2);
    p.b = elementOf(in.type3);
    p.saturate = m.satfinite;
    if (p.a == Element::B1)
        p.operation = tensor::BitOperation::AndPopc;
    const auto sums = tensor::findFragment(p.family, p.shape, tensor::Operand::C, p.d, false);
    t.operands[3] = fragmentOperand(sums, p.d, in.operands.at(0), true, decoding);
    t.operands[2] = t.operands[3];
    const ptx::Operand& a = in.operands.at(1);
    if (a.kind == ptx::OperandKind::Vector)
        t.operands[0] = fragmentOperand(tensor::findFragment(p.family, p.shape, tensor::Operand::A, p.a, false), p.a, a, false, decoding);
    else
        t.descriptors[0] = {decoding.rows(a, false, ptx::Type::U64), true, false};
    t.descriptors[1] = {decoding.rows(in.operands.at(2), false, ptx::Type::U64), true, false};
    const ptx::Operand& scale = in.operands.at(3);
    t.hasScaleD = scale.isRegister();
    t.scaleDNegated = scale.negated;
    if (t.hasScaleD)
        t.scaleD = decoding.rows(scale, false, ptx::Type::Pred);
    else
        t.addsD = (scale.bits != 0) != scale.negated;
    t.counter = decoding.counter();
    decodeConstants(in, t, 4, decoding);
}

} // namespace

void decodeWarpgroup(const ptx::Instruction& in, Op& op, Program& program, const TensorDecoding& decoding) {
    switch (in.modifiers.wgmma) {
    case WgmmaOp::Fence: op.kind = OpKind::WarpgroupFence; return;
    case WgmmaOp::CommitGroup: op.kind = OpKind::WarpgroupCommit; return;
    case WgmmaOp::WaitGroup:
        op.kind = OpKind::WarpgroupWait;
        op.visible = true;
        if (in.operands.at(0).kind != ptx::OperandKind::Immediate || in.operands[0].bits > 7)
            decoding.fail("the number of groups is a constant from 0 to 7");
        op.target = static_cast<std::uint32_t>(in.operands[0].bits);
        return;
    case WgmmaOp::MmaAsync:
    case WgmmaOp::None: break;
    }
    op.kind = OpKind::WarpgroupProduct;
    op.visible = true;
    TensorOp t;
    decodeProduct(in, t, decoding);
    op.target = static_cast<std::uint32_t>(program.tensors.size());
    program.tensors.push_back(std::move(t));
}

namespace {

/// A register of a function of the program.
using RegisterKey = std::pair<std::uint32_t, std::uint32_t>;

bool isRegisterMove(const ptx::Instruction& in) {
    return in.opcode == ptx::Opcode::Mov && in.operands.size() == 2 && in.operands[0].isRegister();
}

/// Registers of D and A of every wgmma, and those that moves connect them with.
std::set<RegisterKey> fragmentRegisters(const Program& program) {
    std::set<RegisterKey> tracked;
    for (std::uint32_t pc = 0; pc < program.ops.size(); ++pc)
        if (program.ops[pc].kind == OpKind::WarpgroupProduct)
            for (const std::size_t operand : {0u, 1u})
                if (const ptx::Operand& o = program.instructions[pc]->operands[operand]; o.kind == ptx::OperandKind::Vector)
                    ptx::forEachRegister(o, [&](std::uint32_t r) { tracked.insert({program.functionOf[pc], r}); });
    for (bool grew = !tracked.empty(); grew;) {
        grew = false;
        for (std::uint32_t pc = 0; pc < program.ops.size(); ++pc) {
            const ptx::Instruction& in = *program.instructions[pc];
            if (!isRegisterMove(in) || !in.operands[1].isRegister())
                continue;
            const RegisterKey to{program.functionOf[pc], in.operands[0].index}, from{to.first, in.operands[1].index};
            if ((tracked.count(to) != 0) != (tracked.count(from) != 0)) {
                tracked.insert({to, from});
                grew = true;
            }
        }
    }
    return tracked;
}

} // namespace

void trackFragmentRegisters(Program& program) {
    std::map<RegisterKey, std::uint32_t> ids;
    for (const RegisterKey& key : fragmentRegisters(program)) {
        ids.emplace(key, static_cast<std::uint32_t>(ids.size()));
        program.fragmentRegisterNames.push_back(
            program.module->functions[program.functions[key.first].moduleIndex].registers[key.second].name);
    }
    program.fragmentRegisterCount = static_cast<std::uint32_t>(ids.size());
    if (ids.empty())
        return;
    for (std::uint32_t pc = 0; pc < program.ops.size(); ++pc) {
        const ptx::Instruction& in = *program.instructions[pc];
        FragmentUse use;
        for (std::size_t i = 0; i < in.operands.size(); ++i)
            ptx::forEachRegister(in.operands[i], [&](std::uint32_t r) {
                const auto id = ids.find({program.functionOf[pc], r});
                if (id == ids.end())
                    return;
                const bool isWritten = i == 0 && ptx::writesFirstOperand(in) && in.operands[0].kind != ptx::OperandKind::Address;
                (isWritten ? use.writes : use.reads).push_back(id->second);
            });
        if (use.reads.empty() && use.writes.empty())
            continue;
        use.isCopy = isRegisterMove(in) && in.operands[1].isRegister();
        use.isConstant = isRegisterMove(in) && in.operands[1].kind == ptx::OperandKind::Immediate;
        program.ops[pc].usesFragments = program.ops[pc].kind != OpKind::WarpgroupProduct;
        program.fragmentUses.emplace(pc, std::move(use));
    }
}

} // namespace lanescope::sim
