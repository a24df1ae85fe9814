// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline of a block that fills shared memory by asynchronous copies while it computes: which slots the copies go round, when each
// tile was asked for, there, and used, and which wait vouches for which group. Read off the timing of an SM; nothing is assumed about
// the kernel but that a group of copies is a tile: slots are what the groups write, found from their addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/device/device.h"
#include "engine/sim/event.h"
#include "engine/timing/result.h"

namespace lanescope::timing {

/// Copies into shared memory, and reads of it, of one block.
struct SharedTouches {
    struct Touch {
        std::uint32_t event = 0; ///< of the block, as timing::Record
        std::uint32_t first = 0, last = 0; ///< offsets of bytes in shared memory
        std::uint32_t bytes = 0;
        std::uint16_t warp = 0;
        bool isCopy = false;
    };
    std::vector<Touch> touches;
    bool complete = true; ///< false: cut at a limit
};

class TouchRecorder final : public sim::EventSink {
public:
    bool wantsInstructions() const override { return true; }
    void access(const sim::AccessEvent& e) override;
    void instruction(const sim::InstructionEvent& e) override;
    SharedTouches take() { return std::move(m_out); }

private:
    SharedTouches m_out;
    std::size_t m_open = 0; ///< touches whose instruction has not been told of yet begin here
    std::uint32_t m_events = 0;
};

struct PipelineTile {
    std::uint32_t tile = 0;     ///< in the order in which tiles are asked for
    std::uint32_t slot = 0;
    std::uint64_t bytes = 0;    ///< copied by all warps
    std::uint32_t asked = 0;    ///< cycle of the first copy's issue
    std::uint32_t landed = 0;   ///< cycle at which the last copy's data are there
    std::uint32_t firstRead = kNone, lastRead = kNone; ///< cycles; kNone: never read
    std::uint32_t computeBegin = kNone, computeEnd = kNone; ///< from the first read to the last arithmetic on it
    // Of the first warp that copies: which of its groups the tile is, and the wait after which it may be read.
    std::uint32_t group = 0;
    std::uint32_t committed = kNone, waited = kNone; ///< cycles
    std::uint32_t commitPc = kNone, waitPc = kNone;
    std::uint32_t pendingAtWait = 0; ///< groups that this wait leaves under way at most
};

struct PipelineTiming {
    std::uint32_t slotCount = 0;
    std::uint32_t cycles = 0;
    std::vector<PipelineTile> tiles;
    bool isTensor = false; ///< tensor cores multiply; else FMA lanes
    double busy = 0;       ///< multiply-adds done / that the SM could have done in these cycles, 0..1
    /// What a slot holds at a cycle.
    enum class SlotState : std::uint8_t { Empty, InFlight, Landed, InUse, Used };
    struct Slot {
        SlotState state = SlotState::Empty;
        std::uint32_t tile = kNone;
        std::uint32_t until = 0; ///< cycle at which the state ends
    };
    std::vector<Slot> at(std::uint32_t cycle) const;
    /// Slot that is read at the cycle, and the one that was asked for last; kNone: none.
    std::uint32_t readSlot(std::uint32_t cycle) const;
    std::uint32_t writeSlot(std::uint32_t cycle) const;
};

PipelineTiming pipelineOf(const SmTiming& timing, const sim::Program& program, const ProgramTiming& instructions, const SharedTouches& touches,
                          const device::Device& device);

} // namespace lanescope::timing
