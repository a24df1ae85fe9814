// SPDX-License-Identifier: GPL-3.0-or-later
// The account of a kernel: what it executes and moves for 1,000 fused multiply-adds of a lane, by
// class of instruction and by stage of the memory. Two accounts side by side compare a kernel as
// written with the same as compiled, or one rung of the ladder with the next.
#pragma once

#include <string>
#include <vector>

#include "engine/sim/counters.h"

namespace lanescope::session {

struct AccountRow {
    std::string id;    ///< "load_shared", "l1_lines", ...: unique within an account
    std::string label; ///< "load_shared", "L1 lines"
    bool isInstruction = false; ///< counts warp instructions of a class; the others count memory
    double per1000Fma = 0;
};

/// Classes of instructions that ran, then lines, sectors, cycles of the L1's stages, shared
/// wavefronts and passes. Empty without a multiply-add. A warp's FMA is 32 of a lane, so they alone
/// are 31.25.
std::vector<AccountRow> account(const sim::Counters& counters);

struct AccountComparison {
    std::string id, label;
    bool isInstruction = false;
    double first = 0, second = 0; ///< 0 where that account has no such row
};

/// Rows of both, in the order of the first, then what only the second has.
std::vector<AccountComparison> compareAccounts(const std::vector<AccountRow>& first,
                                               const std::vector<AccountRow>& second);

} // namespace lanescope::session
