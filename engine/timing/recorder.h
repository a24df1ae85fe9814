// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a block as the timing wants them: per warp its instructions with the cost of their accesses and the barriers they meet.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
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

/// What a warp instruction does to a phase of an mbarrier, or a bulk copy that it asks for.
struct AsyncUse {
    enum class What : std::uint8_t {
        Arrive,      ///< mbarrier.arrive, expect_tx and the like: the phase does not end before
        TrackCopies, ///< cp.async.mbarrier.arrive: nor before the warp's copies so far have arrived
        Wait,        ///< for the end of the phase
        Copy,        ///< to shared memory; its bytes belong to the phase
        Store        ///< from shared memory
    } what = What::Arrive;
    bool isLast = true;            ///< of the instruction
    std::uint32_t phase = kNone;   ///< in BlockStream::phases; kNone: no phase has to end (Wait), or none is told (Copy)
    std::uint32_t bytes = 0;       ///< copied, also what lies outside a tensor
    std::uint32_t firstLine = 0, lines = 0; ///< of global memory, in BlockStream::lines
};

/// A phase of an mbarrier. Who arrives in which phase is what the simulation found; when it ends is up to the timing.
struct MbarrierPhase {
    std::uint64_t address = 0; ///< in shared memory
    std::uint32_t number = 0;  ///< since its initialisation, from 0: the parity is that of the number
    std::uint32_t uses = 0;    ///< arrivals and copies that end it
};

/// One executed warp instruction.
struct Record {
    std::uint32_t pc = 0;
    std::uint32_t event = 0;  ///< index among the block's events
    /// Memory: its first access. mbarrier and bulk copies: its first AsyncUse. Barrier: the barrier instance it arrives at; kArriveOnly when
    /// the warp does not wait there. kPassedOver: of a round that only found a phase unfinished; all these rounds are one wait.
    std::uint32_t detail = kNone;
    static constexpr std::uint32_t kArriveOnly = 0x8000'0000u, kPassedOver = 0xffff'fffeu;
};

struct BlockStream {
    std::uint32_t block = 0;
    std::vector<std::vector<Record>> warps;
    std::vector<Access> accesses;
    std::vector<std::uint64_t> lines;         ///< line number << 4 | mask of its sectors
    std::vector<AsyncUse> asyncUses;
    std::vector<MbarrierPhase> phases;
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
    void mbarrier(const sim::MbarrierEvent& e) override;
    void bulkDone(const sim::BulkDoneEvent& e) override;

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
    /// An mbarrier as far as the block has come.
    struct Tracked {
        std::uint32_t present = kNone; ///< the phase that is under way, in BlockStream::phases; kNone: nobody has arrived in it
        std::uint32_t ended = kNone;   ///< the phase that ended last
        std::uint32_t number = 0;      ///< of the present phase
    };
    std::map<std::uint64_t, Tracked> m_mbarriers; ///< by address
    std::uint32_t m_firstUse = kNone;             ///< of the instruction under way
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> m_copies; ///< by warp and number: AsyncUse of bulk copies that no mbarrier has told of
    std::vector<std::uint32_t> m_failed;          ///< by warp: record of a wait that found its phase unfinished, since when it has not come on; kNone

    std::uint32_t presentPhase(std::uint64_t address);
    AsyncUse& addUse(AsyncUse::What what);
    /// A part of what the present phase of the mbarrier waits for.
    void addArrival(AsyncUse::What what, std::uint64_t address);
    void bulkAccess(const sim::AccessEvent& e);
    void mbarrierAccess(const sim::AccessEvent& e);
    void passOverFailed(std::uint32_t warp, std::size_t index);
};

} // namespace lanescope::timing
