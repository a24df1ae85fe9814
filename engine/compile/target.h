// SPDX-License-Identifier: GPL-3.0-or-later
// The architecture that inline PTX needs. A compiler passes the text of asm statements on unread, so its .target and .version say only
// what it knew of: clang 14 knows nothing after sm_86, and nvcc for compute_90 does not say sm_90a.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/diagnostic.h"

namespace lanescope::compile {

/// `arch` split: "sm_90a" is 90 and "a".
struct Architecture {
    int number = 0;
    std::string suffix;
};
/// Errors: code "compiler" for what is no name of one.
Result<Architecture> parseArchitecture(const std::string& arch);

/// Raises .target and .version of a module to what its instructions need, and changes nothing when they suffice or the module needs
/// nothing newer than sm_89: sm_90a and PTX 8.0 for wgmma and setmaxnreg, sm_90 and PTX 8.0 for bulk copies, clusters and waits on
/// mbarriers (PTX ISA 9.0, "Target ISA Notes" of each).
void raiseTarget(std::string& ptx);

/// Gives a module and the architecture that it is assembled for to one another: a module for one architecture alone (.target sm_90a) names it,
/// one for a later architecture than the one wanted is put down as if it were for that.
Result<void> fitTarget(std::string& ptx, std::string& arch);

/// Whether CUDA text has instructions of sm_90a in it: nvcc has the assembler look at them.
bool needsHopperOnly(std::string_view text);

} // namespace lanescope::compile
