// SPDX-License-Identifier: GPL-3.0-or-later
// The architecture that inline PTX needs. A compiler passes the text of asm statements on unread, so its .target and .version say only
// what it knew of: clang 14 knows nothing after sm_86, and nvcc for compute_90 does not say sm_90a.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::compile {

/// Raises .target and .version of a module to what its instructions need, and changes nothing when they suffice or the module needs
/// nothing newer than sm_89: sm_90a and PTX 8.0 for wgmma and setmaxnreg, sm_90 and PTX 8.0 for bulk copies, clusters and waits on
/// mbarriers (PTX ISA 9.0, "Target ISA Notes" of each).
void raiseTarget(std::string& ptx);

/// Whether CUDA text has instructions of sm_90a in it: nvcc has the assembler look at them.
bool needsHopperOnly(std::string_view text);

} // namespace lanescope::compile
