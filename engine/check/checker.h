// SPDX-License-Identifier: GPL-3.0-or-later
// Races, bounds, alignment, uninitialised reads and divergent barriers, folded from a run's events.
//
// Races are judged by happens-before between warps (see clocks.h), in the order of the default schedule whatever schedule ran: under
// another one the accesses of a block are kept and judged in that order when the block ends. Lanes of one warp do not race with each
// other here. Two blocks are never ordered, except through a fence and an atomic.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/check/finding.h"
#include "engine/sim/event.h"
#include "engine/sim/launch.h"

namespace lanescope::check {

class Checker final : public sim::EventSink {
public:
    /// Both outlive the checker. `sourceFile`: the CUDA text's name for messages, may be empty.
    Checker(const sim::Launch& launch, const sim::Memory& memory, std::string sourceFile);
    ~Checker() override;

    void beginBlock(std::uint32_t block) override;
    void endBlock(std::uint32_t block) override;
    void access(const sim::AccessEvent& event) override;
    void barrier(const sim::BarrierEvent& event) override;
    void fence(std::uint32_t block, std::uint32_t warp, std::uint64_t clock, ptx::Scope scope) override;
    void copyDone(const sim::CopyDoneEvent& event) override;
    void copiesWaited(const sim::CopiesWaitedEvent& event) override;
    void bulkDone(const sim::BulkDoneEvent& event) override;
    void mbarrier(const sim::MbarrierEvent& event) override;
    void proxyFence(std::uint32_t block, std::uint32_t warp, std::uint64_t clock) override;
    void deadlock(const sim::DeadlockEvent& event) override;
    void productsDone(const sim::ProductsDoneEvent& event) override;
    void fault(const sim::FaultEvent& event) override;

    /// In order of severity, then line. Valid after the run.
    std::vector<Finding> findings() const;

    /// Distinct 32-byte sectors of global memory that were read and written so far.
    struct Traffic {
        std::uint64_t sectorsRead = 0, sectorsWritten = 0;
    };
    Traffic traffic() const;

private:
    struct State;
    std::unique_ptr<State> m_state;

    void elements(const sim::AccessEvent& event);
};

} // namespace lanescope::check
