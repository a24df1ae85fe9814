// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/compiled/compiled.h"

#include <algorithm>

#include "engine/compiled/merge.h"
#include "engine/compiled/predicate.h"
#include "engine/compiled/unroll.h"
#include "engine/ptx/shared_layout.h"

namespace lanescope::compiled {

namespace {

/// Loops inside one another: each round unrolls the innermost that are left.
constexpr int kMostRounds = 8;
bool accessesShared(const ptx::Instruction& in) {
    return (in.opcode == ptx::Opcode::Ld || in.opcode == ptx::Opcode::St) && in.modifiers.space == ptx::Space::Shared;
}

SharedOffsets offsetsOf(const ptx::Module& module, std::uint32_t index) {
    SharedOffsets out;
    if (!module.functions[index].isEntry)
        return out;
    // Functions that it calls come after it.
    std::vector<std::uint32_t> functions{index};
    const auto& body = module.functions[index].instructions;
    if (std::any_of(body.begin(), body.end(), [](const ptx::Instruction& in) { return in.opcode == ptx::Opcode::Call; }))
        for (std::uint32_t f = 0; f < module.functions.size(); ++f)
            if (!module.functions[f].isEntry && !module.functions[f].isDeclaration)
                functions.push_back(f);
    for (const ptx::SharedPlacement& p : ptx::layOutShared(module, functions).places)
        if (p.scope == ptx::VariableScope::Module || p.function == index)
            out[{p.scope, p.variable}] = p.offset;
    return out;
}

} // namespace

Changes& Changes::operator+=(const Changes& other) {
    loopsUnrolled += other.loopsUnrolled;
    loadsMerged += other.loadsMerged;
    storesMerged += other.storesMerged;
    loadsRemoved += other.loadsRemoved;
    branchesGuarded += other.branchesGuarded;
    return *this;
}

Changes compile(const ptx::Module& module, std::uint32_t index, ptx::Function& function) {
    Changes changes;
    if (function.isDeclaration || !function.isComplete ||
        std::none_of(function.instructions.begin(), function.instructions.end(), accessesShared))
        return changes;
    const SharedOffsets offsets = offsetsOf(module, index);
    for (int round = 0; round < kMostRounds; ++round) {
        const int unrolled = unrollLoops(function, offsets);
        changes.loopsUnrolled += unrolled;
        if (unrolled == 0)
            break;
    }
    mergeLoads(function, offsets, changes);
    mergeStores(function, offsets, changes);
    changes.branchesGuarded = predicateBranches(function);
    return changes;
}

CompiledModule compiledForm(const ptx::Module& module) {
    CompiledModule out{module, {}};
    for (std::uint32_t f = 0; f < module.functions.size(); ++f)
        out.changes.push_back(compile(module, f, out.module.functions[f]));
    return out;
}

} // namespace lanescope::compiled
