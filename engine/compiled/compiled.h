// SPDX-License-Identifier: GPL-3.0-or-later
// A module as ptxas compiles it, as far as the memory instructions are concerned: loops of known trip count are unrolled, loads of
// shared memory that repeat another or that nobody reads go, and neighbouring accesses to shared memory become 64 and 128 bits wide
// where their alignment is known, and short branches become guards. Results are the same bit for bit; lines and texts of the instructions that stay are theirs.
// The rules were found by giving ptxas 13.0 (V13.0.88) PTX with one difference at a time and reading its machine code; they are the same for
// compute capabilities 7.5, 8.0, 8.6, 8.9, 9.0, 10.0 and 12.0. Each stands where it is applied.
#pragma once

#include <vector>

#include "engine/ptx/ir.h"

namespace lanescope::compiled {

/// What was done to a function.
struct Changes {
    int loopsUnrolled = 0;
    int loadsMerged = 0;  ///< load instructions that became part of another
    int storesMerged = 0; ///< likewise
    int loadsRemoved = 0; ///< not read, or known from an earlier load or store
    int branchesGuarded = 0;
    bool any() const { return loopsUnrolled + loadsMerged + storesMerged + loadsRemoved + branchesGuarded > 0; }
    Changes& operator+=(const Changes& other);
};

/// A module with the bodies of all its functions in compiled form. Instruction::mergedLines has the PTX lines of the instructions that
/// became part of one.
struct CompiledModule {
    ptx::Module module;
    std::vector<Changes> changes; ///< by function
};
CompiledModule compiledForm(const ptx::Module& module);

/// The same for one function of the module: `function` is a copy of it, and is changed.
Changes compile(const ptx::Module& module, std::uint32_t index, ptx::Function& function);

} // namespace lanescope::compiled
