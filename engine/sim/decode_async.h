// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding of what the asynchronous proxy does: mbarrier.*, cp.async.mbarrier.arrive, bulk copies and reductions, st.async, red.async.
#pragma once

#include <functional>
#include <string>

#include "engine/sim/program.h"

namespace lanescope::sim {

/// What the decoder of programs lends: the row of a source or destination, rows of values (the first index in rowList), the address of a
/// memory operand (index into Program::memory), and how to report an instruction (message, code).
struct AsyncDecoding {
    std::function<RowRef(const ptx::Operand&, bool wide)> source, destination;
    std::function<std::uint32_t(const ptx::Operand&, ptx::Type)> rows;
    std::function<std::uint32_t(const ptx::Operand& address, ptx::Space, std::uint32_t counter)> address;
    std::function<void(std::string, std::string)> fail;
};

/// Decodes into `op` and Program::mbarriers or Program::bulks. Errors (code "syntax"): sizes and counts that must be constants.
void decodeAsyncInstruction(const ptx::Instruction& in, Op& op, Program& program, const AsyncDecoding& decoding);

} // namespace lanescope::sim
