// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/memory_path.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/memory/access.h"

namespace lanescope::timing {

namespace {

constexpr std::size_t kWays = 4;
/// Requests under way to the L2 that the load/store unit runs ahead of, in cycles of the SM's share of bandwidth. Assumed.
constexpr double kRunAhead = 1024;

} // namespace

const char* name(Level level) {
    switch (level) {
    case Level::None: return "none";
    case Level::Shared: return "shared memory";
    case Level::L1: return "L1";
    case Level::L2: return "L2";
    case Level::Dram: return "device memory";
    }
    return "";
}

MemoryPath::MemoryPath(const Parameters& parameters, std::int64_t l1Bytes, double dramShare, int busySms)
    : m_parameters(parameters), m_dramShare(dramShare), m_bulkDramBytesPerCycle(parameters.dramBytesPerCycle) {
    if (busySms > 0 && busySms < parameters.smCount)
        m_bulkDramBytesPerCycle *= static_cast<double>(parameters.smCount) / busySms;
    const auto lines = static_cast<std::uint64_t>(std::max<std::int64_t>(l1Bytes, 16 << 10)) / memory::kLineBytes;
    m_sets = std::max<std::size_t>(1, static_cast<std::size_t>(lines) / kWays);
    m_ways.resize(m_sets * kWays);
}

MemoryPath::Arrival MemoryPath::fetch(std::uint64_t line, std::uint64_t bit, std::uint64_t cycle, bool isBulk) {
    const auto now = static_cast<double>(cycle);
    m_l2Free = std::max(m_l2Free, now) + static_cast<double>(memory::kSectorBytes) / (isBulk ? m_parameters.bulkCopyBytesPerCycle : m_parameters.l2BytesPerCycle);
    ++m_traffic.l2Sectors;
    double arrives = m_l2Free + m_parameters.l2 - m_parameters.l1;
    Level level = Level::L2;
    if (m_touched.add(line << 4 | bit) != 0) {
        // Every 1/share-th sector, so that runs are the same each time.
        m_dramDue += m_dramShare;
        if (m_dramDue >= 1.0 - 1e-9) {
            m_dramDue -= 1.0;
            m_dramFree = std::max(m_dramFree, now) + static_cast<double>(memory::kSectorBytes) / (isBulk ? m_bulkDramBytesPerCycle : m_parameters.dramBytesPerCycle);
            ++m_traffic.dramSectors;
            const double latency = m_parameters.dram - m_parameters.l1;
            // The sectors of a bulk copy follow each other: none overtakes one that comes from the L2.
            arrives = isBulk ? std::max(m_l2Free, m_dramFree) + latency : std::max(arrives, m_dramFree + latency);
            level = Level::Dram;
        }
    }
    return {static_cast<std::uint64_t>(std::ceil(arrives)), level};
}

MemoryPath::Arrival MemoryPath::load(const BlockStream& stream, const Access& access, std::uint64_t cycle) {
    Arrival last{cycle, Level::L1};
    m_traffic.l1Sectors += access.sectors;
    for (std::uint32_t i = access.firstLine; i < access.firstLine + access.lines; ++i) {
        const std::uint64_t line = stream.lines[i] >> 4;
        Way* const set = m_ways.data() + (line ^ line >> 11) % m_sets * kWays;
        Way* way = set;
        for (std::size_t w = 0; w < kWays; ++w) {
            if (set[w].line == line) {
                way = set + w;
                break;
            }
            if (set[w].used < way->used)
                way = set + w;
        }
        if (way->line != line)
            *way = Way{line, 0, {}, 0};
        way->used = ++m_tick;
        for (std::uint64_t left = stream.lines[i] & 15; left != 0; left &= left - 1) {
            const int sector = std::countr_zero(left);
            const std::uint64_t bit = std::uint64_t{1} << sector;
            std::uint64_t& ready = way->ready[sector];
            Arrival a{cycle, Level::L1};
            if ((way->valid & bit) == 0) {
                a = fetch(line, bit, cycle, false);
                way->valid = static_cast<std::uint8_t>(way->valid | bit);
                ready = a.cycle;
            } else {
                ++m_traffic.l1Hits;
                if (ready > cycle)
                    a = {ready, Level::L2}; // under way already
            }
            if (a.cycle > last.cycle || (a.cycle == last.cycle && a.level > last.level))
                last = a;
        }
    }
    return last;
}

MemoryPath::Arrival MemoryPath::copy(const BlockStream& stream, const AsyncUse& use, std::uint64_t cycle) {
    Arrival last{cycle, use.lines == 0 ? Level::Shared : Level::L2};
    for (std::uint32_t i = use.firstLine; i < use.firstLine + use.lines; ++i)
        for (std::uint64_t left = stream.lines[i] & 15; left != 0; left &= left - 1) {
            const Arrival a = fetch(stream.lines[i] >> 4, left & ~(left - 1), cycle, true);
            last = {std::max(last.cycle, a.cycle), std::max(last.level, a.level)};
        }
    // Latencies of loads are those of the L1's and what comes on top.
    last.cycle += static_cast<std::uint64_t>(m_parameters.bulkCopyLatency + (use.lines == 0 ? m_parameters.shared : m_parameters.l1));
    return last;
}

std::uint64_t MemoryPath::copyOut(const BlockStream& stream, const AsyncUse& use, std::uint64_t cycle) {
    storeSectors(stream, use.firstLine, use.lines, cycle);
    return static_cast<std::uint64_t>(std::ceil(m_storeFree)) + static_cast<std::uint64_t>(m_parameters.bulkCopyLatency + m_parameters.l2);
}

void MemoryPath::storeSectors(const BlockStream& stream, std::uint32_t firstLine, std::uint32_t lines, std::uint64_t cycle) {
    std::uint64_t sectors = 0;
    for (std::uint32_t i = firstLine; i < firstLine + lines; ++i) {
        sectors += static_cast<unsigned>(std::popcount(stream.lines[i] & 15));
        m_touched.add(stream.lines[i]);
    }
    m_storeFree = std::max(m_storeFree, static_cast<double>(cycle)) +
                  static_cast<double>(sectors) * static_cast<double>(memory::kSectorBytes) / m_parameters.l2StoreBytesPerCycle;
    m_traffic.storeSectors += sectors;
}

void MemoryPath::store(const BlockStream& stream, const Access& access, std::uint64_t cycle) { storeSectors(stream, access.firstLine, access.lines, cycle); }

std::uint64_t MemoryPath::backPressure() const {
    const double free = std::max({m_l2Free, m_storeFree, m_dramFree});
    return free > kRunAhead ? static_cast<std::uint64_t>(free - kRunAhead) : 0;
}

} // namespace lanescope::timing
