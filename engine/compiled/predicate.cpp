// SPDX-License-Identifier: GPL-3.0-or-later
// Measured with ptxas 13.0: a branch around a basic block of at most 8 instructions becomes guards, unless the block has a barrier, a
// fence, an atomic, an exchange between lanes, a call or an operation that is one (division, square root), unless a load from global
// memory is all it is for, and unless the branch goes to the function's end, where a guarded exit does instead.
#include "engine/compiled/predicate.h"

#include <algorithm>
#include <optional>

#include "engine/compiled/rewrite.h"
#include "engine/compiled/values.h"
#include "engine/ptx/control_flow.h"

namespace lanescope::compiled {

using ptx::Family;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Space;

namespace {

constexpr int kMostInstructions = 8;

bool becomesCall(const Instruction& in) {
    return (in.opcode == Opcode::Div && !in.modifiers.approx && !in.modifiers.full) ||
           (in.opcode == Opcode::Rem) ||
           ((in.opcode == Opcode::Sqrt || in.opcode == Opcode::Rcp || in.opcode == Opcode::Rsqrt) && !in.modifiers.approx);
}

bool mayHaveGuard(const Instruction& in) {
    switch (ptx::family(in.opcode)) {
    case Family::Barrier:
    case Family::Fence:
    case Family::Async:
    case Family::Atomic:
    case Family::Warp:
    case Family::Tensor:
    case Family::Mbarrier:
    case Family::Control:
    case Family::Hint:
    case Family::Unsupported:
        return false;
    default:
        return in.guard < 0 && !becomesCall(in);
    }
}

/// Whether the instruction takes no place in machine code: constants and addresses of variables are operands there, and a product or
/// shift is added to a base in one instruction.
bool isFree(const Instruction& in, const Instruction* before) {
    if (in.opcode == Opcode::Mov || in.opcode == Opcode::Cvta)
        return true;
    if (in.opcode != Opcode::Add || before == nullptr || before->operands.empty())
        return false;
    const bool scales = before->opcode == Opcode::Shl || (before->opcode == Opcode::Mul && before->modifiers.wide);
    return scales && (in.operands[1] == before->operands[0] || in.operands[2] == before->operands[0]);
}

/// The block behind a branch that becomes guards; nothing when it stays.
std::optional<std::uint32_t> guardedBlock(const ptx::Function& function, const ptx::ControlFlow& flow, std::uint32_t b) {
    const ptx::BasicBlock& block = flow.blocks[b];
    const Instruction& branch = function.instructions[block.last - 1];
    if (branch.opcode != Opcode::Bra || branch.guard < 0 || b + 1 >= flow.blocks.size())
        return {};
    const ptx::BasicBlock& body = flow.blocks[b + 1];
    const std::uint32_t target = branch.operands[0].index;
    if (body.last != target || body.predecessors.size() != 1 || target >= function.instructions.size() ||
        function.instructions[target].opcode == Opcode::Ret || function.instructions[target].opcode == Opcode::Exit)
        return {};
    int count = 0;
    bool storesShared = false, accessesShared = false, loadsGlobal = false;
    for (std::uint32_t i = body.first; i < body.last; ++i) {
        const Instruction& in = function.instructions[i];
        bool changesGuard = false;
        forEachDefinition(in, [&](std::uint32_t r) { changesGuard |= r == static_cast<std::uint32_t>(branch.guard); });
        if (!mayHaveGuard(in) || changesGuard)
            return {};
        count += isFree(in, i > body.first ? &function.instructions[i - 1] : nullptr) ? 0 : 1;
        const bool isShared = ptx::family(in.opcode) == Family::Memory && in.modifiers.space == Space::Shared;
        accessesShared |= isShared;
        storesShared |= isShared && in.opcode == Opcode::St;
        loadsGlobal |= in.opcode == Opcode::Ld && (in.modifiers.space == Space::Global || in.modifiers.space == Space::Generic);
    }
    if (count > kMostInstructions || !accessesShared || (loadsGlobal && !storesShared))
        return {};
    return b + 1;
}

} // namespace

int predicateBranches(ptx::Function& function) {
    const ptx::ControlFlow flow = ptx::analyseControlFlow(function);
    std::vector<bool> removed(function.instructions.size(), false);
    int changed = 0;
    for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
        const std::optional<std::uint32_t> body = guardedBlock(function, flow, b);
        if (!body)
            continue;
        const std::uint32_t at = flow.blocks[b].last - 1;
        removed[at] = true;
        ++changed;
        for (std::uint32_t i = flow.blocks[*body].first; i < flow.blocks[*body].last; ++i) {
            function.instructions[i].guard = function.instructions[at].guard;
            function.instructions[i].guardNegated = !function.instructions[at].guardNegated;
        }
    }
    if (changed == 0)
        return 0;
    std::vector<Instruction> body;
    std::vector<std::uint32_t> movedTo;
    for (std::uint32_t i = 0; i <= removed.size(); ++i) {
        movedTo.push_back(static_cast<std::uint32_t>(body.size()));
        if (i < removed.size() && !removed[i])
            body.push_back(std::move(function.instructions[i]));
    }
    replaceBody(function, std::move(body), movedTo);
    return changed;
}

} // namespace lanescope::compiled
