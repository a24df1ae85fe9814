// SPDX-License-Identifier: GPL-3.0-or-later
// What the timing needs of each instruction of a program: the pipe it goes to, its latency, the registers it reads and writes, and the
// order in which ptxas is taken to arrange a basic block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sim/program.h"
#include "engine/timing/parameters.h"

namespace lanescope::timing {

/// Where a warp instruction executes. Index: reading thread and block indices. Warpgroup: the queue of wgmma before the tensor cores. Copy:
/// asking the copy engine. None: ptxas leaves no instruction of it.
enum class Pipe : std::uint8_t { None, Fma, Multiply, Alu, Add, Fp64, Special, Convert, Index, Shared, Global, Exchange, Branch, Barrier, Fence, Tensor, Warpgroup, Copy, Mbarrier, Other };
inline constexpr int kPipeCount = static_cast<int>(Pipe::Other) + 1;
const char* name(Pipe pipe);

/// What an instruction does with the copies from global to shared memory that a warp has under way (cp.async), with its products of
/// warpgroups (wgmma), or with its bulk copies from shared memory: each kind is grouped and waited for apart from the others.
enum class CopyRole : std::uint8_t { None, Copy, Commit, Wait, WaitAll, Product, CommitProducts, WaitForProducts, CommitBulk, WaitForBulk, WaitForBulkRead };

struct InstructionTiming {
    Pipe pipe = Pipe::Other;
    bool isControl = false;     ///< branches, calls, returns, exits: end a run of instructions
    bool isLoad = false, isStore = false, isAtomic = false;
    bool isShared = false;      ///< of the shared space (else global, local or not known)
    CopyRole copies = CopyRole::None;
    std::uint32_t copyGroups = 0; ///< Wait: groups that may still be under way
    bool usesConstants = false; ///< parameters or constant memory: the first use waits for the constant cache
    std::uint8_t slotsUsed = 1;     ///< issue slots
    std::uint16_t pipeCycles = 1; ///< for which its pipe is held
    std::uint16_t latency = 4;  ///< issue to dependent issue; memory adds what its path takes
    std::uint32_t registers = 0; ///< first in ProgramTiming::registers: reads, then writes
    std::uint8_t reads = 0, writes = 0;
};

struct ProgramTiming {
    std::vector<InstructionTiming> instructions; ///< by pc
    std::vector<std::uint16_t> registers;
    int registerCount = 0;
    /// Basic blocks as pc ranges: blockEnd[pc] is the end of the block that begins at pc, 0 where none begins.
    std::vector<std::uint32_t> blockEnd;
    /// For each pc of a block: the pc that stands in its place after scheduling.
    std::vector<std::uint32_t> scheduled;

    std::span<const std::uint16_t> reads(const InstructionTiming& i) const { return {registers.data() + i.registers, i.reads}; }
    std::span<const std::uint16_t> writes(const InstructionTiming& i) const {
        return {registers.data() + i.registers + i.reads, i.writes};
    }
};

ProgramTiming analyse(const sim::Program& program, const Parameters& parameters);

/// Fills blockEnd and scheduled (schedule.cpp).
void scheduleBlocks(const sim::Program& program, const Parameters& parameters, ProgramTiming& timing);

} // namespace lanescope::timing
