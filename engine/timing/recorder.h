// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a block as the timing wants them: per warp its instructions with the cost of their accesses and the barriers they meet.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sim/event.h"
#include "engine/sim/program.h"
#include "engine/timing/instruction.h"
#include "engine/timing/sector_set.h"

namespace lanescope::timing {

inline constexpr std::uint32_t kNone = 0xffff'ffffu;

/// One access of a warp instruction.
struct Access {
    std::uint32_t firstLine = 0;   ///< into BlockStream::lines
    std::uint16_t lines = 0;       ///< 128-byte lines of the L1
    std::uint16_t sectors = 0;
    std::uint16_t wavefronts = 0;  ///< cycles of the data array, or of the L1's tag stage when those are more
    bool isShared = false;
    bool isLast = true;            ///< of the instruction; a generic one can have several
};

/// One executed warp instruction.
struct Record {
    std::uint32_t pc = 0;
    std::uint32_t event = 0;  ///< index among the block's events
    /// Memory: its first access. Barrier: the barrier instance it arrives at; kArriveOnly when the warp does not wait there.
    std::uint32_t detail = kNone;
    static constexpr std::uint32_t kArriveOnly = 0x8000'0000u;
};

struct BlockStream {
    std::uint32_t block = 0;
    std::vector<std::vector<Record>> warps;
    std::vector<Access> accesses;
    std::vector<std::uint64_t> lines;         ///< line number << 4 | mask of its sectors
    std::vector<std::uint32_t> barrierArrivals; ///< by barrier instance: arrivals that complete it
    std::uint32_t events = 0;                 ///< recorded
    std::uint64_t allEvents = 0;              ///< of the block, also those beyond the limit
    std::uint64_t touchedSectors = 0;         ///< distinct sectors of global memory
    bool complete = true;                     ///< false: cut at the limit
};

class Recorder final : public sim::EventSink {
public:
    Recorder(const sim::Program& program, int warps, std::uint32_t maxEvents);

    bool wantsInstructions() const override { return true; }
    void beginBlock(std::uint32_t block) override { m_stream.block = block; }
    void instruction(const sim::InstructionEvent& e) override;
    void access(const sim::AccessEvent& e) override;
    void barrier(const sim::BarrierEvent& e) override;

    /// Events recorded so far; at maxEvents the rest is left out.
    std::uint32_t events() const { return m_stream.events; }
    /// The stream, its basic blocks in the order of `timing`. The recorder is empty afterwards.
    BlockStream take(const ProgramTiming& timing);

private:
    const sim::Program& m_program;
    std::uint32_t m_maxEvents;
    BlockStream m_stream;
    std::vector<std::vector<std::uint32_t>> m_pending; ///< by warp: records of arrivals whose barrier is not complete
    std::uint32_t m_firstAccess = kNone;               ///< of the instruction under way
    SectorSet m_touched;

};

} // namespace lanescope::timing
