// SPDX-License-Identifier: GPL-3.0-or-later
// One block recorded and made steppable in both directions.
//
// Recorded are the events (which warp executed which instruction with which lanes) and, at growing distances, keyframes: copies of the
// block's state with a position in the journal of global writes. Any moment is reached by undoing the journal to the keyframe before
// it and executing forward: the machine is deterministic, so registers, memories, barriers and the schedule are exactly what they were.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/sim/block_machine.h"
#include "engine/sim/launch.h"

namespace lanescope::trace {

struct TraceOptions {
    std::uint64_t maxEvents = 4'000'000;
    const std::atomic<bool>* cancel = nullptr;
};

/// A memory access of one event, kept with its addresses.
struct RecordedAccess {
    std::uint32_t event = 0;
    sim::AccessEvent access;
    std::array<std::uint64_t, kWarpSize> addresses{};
    /// Raw bytes of the element vector of each lane after the event, low address first; 32 bytes a lane.
    std::array<std::array<std::uint8_t, 32>, kWarpSize> values{};
};

class BlockTrace {
public:
    /// Executes the block from the launch's initial memory and records it. The launch is kept alive by the trace.
    BlockTrace(std::shared_ptr<const sim::Launch> launch, std::uint64_t linearBlock, const TraceOptions& options);
    ~BlockTrace();
    BlockTrace(const BlockTrace&) = delete;
    BlockTrace& operator=(const BlockTrace&) = delete;

    const std::vector<sim::InstructionEvent>& events() const { return m_events; }
    /// False when the recording was cut at its limit or cancelled.
    bool complete() const { return m_complete; }

    /// The moment after `index` events; 0 is the start. At most events().size().
    void seek(std::uint32_t index);
    std::uint32_t index() const { return m_index; }

    /// Seeks to `from`, then executes to `to` and returns the accesses that `warp` made on the way.
    std::vector<RecordedAccess> accesses(std::uint32_t from, std::uint32_t to, std::uint32_t warp);

    /// State at index().
    const sim::BlockState& state() const { return m_machine->state(); }
    const std::uint8_t* rows(std::uint32_t warp) const { return m_machine->rows(warp); }
    const sim::Memory& memory() const { return m_memory; }
    const sim::Launch& launch() const { return *m_launch; }

private:
    class Capture;
    struct Keyframe {
        std::uint32_t index = 0;
        std::size_t journal = 0;
        sim::BlockState state;
    };
    void addKeyframe();
    void stepOne();

    std::shared_ptr<const sim::Launch> m_launch;
    sim::Memory m_memory;
    sim::WriteJournal m_journal;
    std::unique_ptr<Capture> m_capture;
    std::unique_ptr<sim::BlockMachine> m_machine;
    std::vector<sim::InstructionEvent> m_events;
    std::vector<Keyframe> m_keyframes;
    std::uint32_t m_keyframeDistance = 256;
    std::uint32_t m_index = 0;
    bool m_complete = true;
};

} // namespace lanescope::trace
