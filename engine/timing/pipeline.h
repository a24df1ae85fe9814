// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline of a block that fills shared memory by asynchronous copies while it computes: which slots the copies go round, when each
// tile was asked for, there, and used, and which wait vouches for it. Read off the timing of an SM; nothing is assumed about the kernel but
// what a tile is: a group of copies (cp.async), or the copies that one phase of an mbarrier waits for (bulk copies, and cp.async that an
// mbarrier tracks). Slots are what the tiles write, found from their addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/device/device.h"
#include "engine/sim/event.h"
#include "engine/timing/result.h"

namespace lanescope::timing {

/// Copies into shared memory, and reads of it, of one block: one of each kind for an instruction, from its first byte to its last.
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
    std::uint32_t warp = 0;     ///< the first that copies
    // Of the first warp that copies: which of its groups the tile is, and the wait after which it may be read. With an mbarrier: the number
    // of its phase, the arrival that expects the bytes, and the first wait for it in whatever warp.
    std::uint32_t group = 0;
    std::uint32_t mbarrier = kNone; ///< in PipelineTiming::mbarriers
    std::uint32_t committed = kNone, waited = kNone; ///< cycles
    std::uint32_t commitPc = kNone, waitPc = kNone;
    std::uint32_t pendingAtWait = 0; ///< groups that this wait leaves under way at most
};

/// An mbarrier of the block over time.
struct PipelineMbarrier {
    std::string name;           ///< "full[2]"
    std::uint64_t address = 0;
    bool countsBytes = false;   ///< copies fill what it stands for; else only arrivals do
    std::uint32_t slot = kNone; ///< that it tells of: that its copies fill, or for whose copies it is waited before
    struct Part { ///< an arrival, or bytes
        std::uint32_t cycle = 0, bytes = 0, warp = 0;
    };
    struct Wait {
        std::uint32_t warp = 0, begin = 0, end = 0; ///< cycles; end: it goes on
        std::uint32_t pc = 0;
    };
    struct Phase {
        std::uint32_t number = 0, end = kNone; ///< cycle; kNone: it never ended
        std::vector<Part> parts;               ///< in order of cycles
        std::vector<Wait> waits;
    };
    std::vector<Phase> phases;

    struct State {
        std::uint32_t phase = 0;               ///< under way: its number
        std::uint32_t bytes = 0, expectedBytes = 0, arrivals = 0, expectedArrivals = 0;
        std::vector<std::uint32_t> waiting;    ///< warps
    };
    State at(std::uint32_t cycle) const;
};

struct PipelineTiming {
    std::uint32_t slotCount = 0;
    std::uint32_t cycles = 0;
    std::vector<PipelineTile> tiles;
    std::vector<PipelineMbarrier> mbarriers; ///< that fill slots or free them; by slot, those that count bytes first
    std::uint32_t producer = kNone; ///< the warp that copies all tiles and reads none; kNone: who copies also computes
    std::vector<std::uint32_t> askCycles; ///< at which it asks for copies
    std::uint32_t askLength = 0;          ///< cycles for which asking holds it up
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
    /// Slot that is read at the cycle, and of those that are being filled the one that was asked for last; kNone: none.
    std::uint32_t readSlot(std::uint32_t cycle) const;
    std::uint32_t writeSlot(std::uint32_t cycle) const;
};

PipelineTiming pipelineOf(const SmTiming& timing, const sim::Program& program, const ProgramTiming& instructions, const SharedTouches& touches,
                          const device::Device& device);

} // namespace lanescope::timing
