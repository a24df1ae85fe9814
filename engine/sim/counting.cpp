// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/counting.h"

#include <algorithm>
#include <vector>

#include "engine/ptx/instruction_set.h"

namespace lanescope::sim {

namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

/// Registers of the entry function whose values the counts depend on.
class Slice {
public:
    explicit Slice(const Program& program) : m_program(program), m_needed(program.entry().registers.size()) {
        for (std::size_t pc = 0; pc < program.ops.size(); ++pc)
            addRoots(pc);
        while (m_changed) {
            m_changed = false;
            for (std::size_t pc = 0; pc < program.ops.size(); ++pc)
                follow(pc);
        }
    }

    bool memoryMatters() const { return m_memory; }
    bool needsResult(std::size_t pc) const {
        const Instruction& in = *m_program.instructions[pc];
        bool needed = false;
        if (ptx::writesFirstOperand(in) && !in.operands.empty())
            ptx::forEachRegister(in.operands[0], [&](std::uint32_t r) { needed |= m_needed[r]; });
        return needed;
    }

private:
    void need(const Operand& operand) {
        ptx::forEachRegister(operand, [&](std::uint32_t r) {
            m_changed |= !m_needed[r];
            m_needed[r] = true;
        });
    }
    void needSources(const Instruction& in) {
        for (std::size_t i = ptx::writesFirstOperand(in) ? 1 : 0; i < in.operands.size(); ++i)
            need(in.operands[i]);
    }
    void needAddresses(const Instruction& in) {
        for (const Operand& operand : in.operands)
            if (operand.kind == OperandKind::Address)
                need(operand);
    }

    void addRoots(std::size_t pc) {
        const Instruction& in = *m_program.instructions[pc];
        if (in.guard >= 0) {
            m_changed |= !m_needed[static_cast<std::size_t>(in.guard)];
            m_needed[static_cast<std::size_t>(in.guard)] = true;
        }
        switch (m_program.ops[pc].kind) {
        case OpKind::Lane:
            if (in.modifiers.carryOut)
                needSources(in);
            break;
        case OpKind::WarpExchange: // the last is the member mask
            if (!in.operands.empty())
                need(in.operands.back());
            break;
        case OpKind::FragmentMove:     // the address and the distance between rows; a vector is data
        case OpKind::WarpgroupProduct: // descriptors, and whether sums are added to, which is data but small
            for (const Operand& operand : in.operands)
                if (operand.kind != OperandKind::Vector)
                    need(operand);
            break;
        case OpKind::Load:
        case OpKind::Store:
        case OpKind::Atomic:
        case OpKind::LoadParam: needAddresses(in); break;
        case OpKind::MatrixProduct:
        case OpKind::TransposeFragment:
        case OpKind::ToGeneric:
        case OpKind::FromGeneric:
        case OpKind::IsSpace:
        case OpKind::LocalAddress:
        case OpKind::Pack:
        case OpKind::Unpack: break;
        default: needSources(in);
        }
    }

    /// A result that is needed needs what it is made of.
    void follow(std::size_t pc) {
        const Instruction& in = *m_program.instructions[pc];
        const OpKind kind = m_program.ops[pc].kind;
        const bool readsMemory = kind == OpKind::Load || kind == OpKind::Atomic || kind == OpKind::WarpgroupProduct || (kind == OpKind::FragmentMove && ptx::writesFirstOperand(in));
        const bool writesMemory = kind == OpKind::Store || kind == OpKind::Atomic || (kind == OpKind::FragmentMove && !ptx::writesFirstOperand(in));
        const bool needed = needsResult(pc);
        if (needed && readsMemory && !m_memory)
            m_memory = m_changed = true;
        if (needed || (writesMemory && m_memory))
            needSources(in);
    }

    const Program& m_program;
    std::vector<bool> m_needed; ///< by register
    bool m_memory = false, m_changed = true;
};

void computeNothing(const LaneArguments&, LaneMask) {}

/// Kinds whose counts need no more than what Slice knows of them.
bool isUnderstood(OpKind kind) {
    switch (kind) {
    case OpKind::Lane:
    case OpKind::WarpExchange:
    case OpKind::WarpSync:
    case OpKind::Load:
    case OpKind::Store:
    case OpKind::Atomic:
    case OpKind::LoadParam:
    case OpKind::Branch:
    case OpKind::BranchIndexed:
    case OpKind::Return:
    case OpKind::Exit:
    case OpKind::Trap:
    case OpKind::Barrier:
    case OpKind::Fence:
    case OpKind::CopyAsync:
    case OpKind::CommitCopies:
    case OpKind::WaitForCopies:
    case OpKind::WaitForAllCopies:
    case OpKind::ToGeneric:
    case OpKind::FromGeneric:
    case OpKind::IsSpace:
    case OpKind::LocalAddress:
    case OpKind::Mbarrier:
    case OpKind::TrackCopies:
    case OpKind::CopyBulk:
    case OpKind::CommitBulk:
    case OpKind::WaitBulk:
    case OpKind::ProxyFence:
    case OpKind::ClusterArrive:
    case OpKind::ClusterWait:
    case OpKind::MapRank:
    case OpKind::RankOf:
    case OpKind::MatrixProduct:
    case OpKind::TransposeFragment:
    case OpKind::WarpgroupProduct:
    case OpKind::WarpgroupFence:
    case OpKind::WarpgroupCommit:
    case OpKind::WarpgroupWait:
    case OpKind::FragmentMove:
    case OpKind::Pack:
    case OpKind::Unpack:
    case OpKind::Nop: return true;
    default: return false;
    }
}

} // namespace

CountingProgram countingProgram(std::shared_ptr<const Program> program) {
    const bool understood = program->functions.size() == 1 && program->calls.empty() &&
                            std::all_of(program->ops.begin(), program->ops.end(), [](const Op& op) { return isUnderstood(op.kind); });
    if (!understood)
        return {std::move(program), true};
    const Slice slice(*program);
    auto out = std::make_shared<Program>(*program);
    for (std::size_t pc = 0; pc < out->ops.size(); ++pc) {
        Op& op = out->ops[pc];
        if (slice.needsResult(pc))
            continue;
        if (op.kind == OpKind::Lane && !out->instructions[pc]->modifiers.carryOut) {
            op.function = computeNothing;
            op.source[0] = {};
            op.negatedSources = 0;
        } else if (op.kind == OpKind::MatrixProduct || op.kind == OpKind::TransposeFragment || op.kind == OpKind::WarpgroupProduct) {
            op.isIdle = true;
        }
    }
    if (!slice.memoryMatters())
        for (MemoryOp& m : out->memory)
            m.movesData = false;
    return {std::move(out), slice.memoryMatters()};
}

} // namespace lanescope::sim
