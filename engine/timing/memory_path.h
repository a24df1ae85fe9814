// SPDX-License-Identifier: GPL-3.0-or-later
// The way of an access beyond the load/store unit: tags of the L1, the SM's share of L2 and device memory. Requests are served in the
// order in which they are issued.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/timing/parameters.h"
#include "engine/timing/recorder.h"
#include "engine/timing/sector_set.h"

namespace lanescope::timing {

/// Where the slowest sector of an access came from.
enum class Level : std::uint8_t { None, Shared, L1, L2, Dram };
const char* name(Level level);

struct PathTraffic {
    std::uint64_t l1Sectors = 0, l1Hits = 0; ///< of loads
    std::uint64_t l2Sectors = 0, dramSectors = 0, storeSectors = 0;
};

class MemoryPath {
public:
    /// dramShare: of the sectors that the SM touches first, the share that comes from device memory.
    /// busySms: whose bulk copies share the bandwidth of device memory, 0: all.
    MemoryPath(const Parameters& parameters, std::int64_t l1Bytes, double dramShare, int busySms);

    struct Arrival {
        std::uint64_t cycle = 0;
        Level level = Level::L1;
    };
    /// A load whose tags are looked up at `cycle`: when its last sector is there.
    Arrival load(const BlockStream& stream, const Access& access, std::uint64_t cycle);
    /// A bulk copy past the L1 that is asked for at `cycle`: when its last byte is there.
    Arrival copy(const BlockStream& stream, const AsyncUse& use, std::uint64_t cycle);
    /// A bulk copy to global memory: when it is there.
    std::uint64_t copyOut(const BlockStream& stream, const AsyncUse& use, std::uint64_t cycle);
    /// Stores write through to the L2; atomics are done there.
    void store(const BlockStream& stream, const Access& access, std::uint64_t cycle);
    /// The earliest cycle at which the load/store unit goes on, when the way to the L2 is full.
    std::uint64_t backPressure() const;
    const PathTraffic& traffic() const { return m_traffic; }

private:
    struct Way {
        std::uint64_t line = ~std::uint64_t{0};
        std::uint64_t used = 0;
        std::uint64_t ready[4] = {}; ///< cycle at which a sector that was asked for arrives
        std::uint8_t valid = 0;
    };
    const Parameters& m_parameters;
    std::vector<Way> m_ways;
    std::size_t m_sets = 0;
    double m_dramShare;
    double m_bulkDramBytesPerCycle;
    double m_dramDue = 0;
    double m_l2Free = 0, m_dramFree = 0, m_storeFree = 0;
    std::uint64_t m_tick = 0;
    SectorSet m_touched;
    PathTraffic m_traffic;

    Arrival fetch(std::uint64_t line, std::uint64_t bit, std::uint64_t cycle, bool isBulk);
    void storeSectors(const BlockStream& stream, std::uint32_t firstLine, std::uint32_t lines, std::uint64_t cycle);
};

} // namespace lanescope::timing
