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

MemoryPath::MemoryPath(const Parameters& parameters, std::int64_t l1Bytes, double dramShare)
    : m_parameters(parameters), m_dramShare(dramShare) {
    const auto lines = static_cast<std::uint64_t>(std::max<std::int64_t>(l1Bytes, 16 << 10)) / memory::kLineBytes;
    m_sets = std::max<std::size_t>(1, static_cast<std::size_t>(lines) / kWays);
    m_ways.resize(m_sets * kWays);
}

MemoryPath::Arrival MemoryPath::fetch(std::uint64_t line, std::uint64_t bit, std::uint64_t cycle) {
    const auto now = static_cast<double>(cycle);
    m_l2Free = std::max(m_l2Free, now) + static_cast<double>(memory::kSectorBytes) / m_parameters.l2BytesPerCycle;
    ++m_traffic.l2Sectors;
    double arrives = m_l2Free + m_parameters.l2 - m_parameters.l1;
    Level level = Level::L2;
    if (m_touched.add(line << 4 | bit) != 0) {
        // Every 1/share-th sector, so that runs are the same each time.
        m_dramDue += m_dramShare;
        if (m_dramDue >= 1.0 - 1e-9) {
            m_dramDue -= 1.0;
            m_dramFree = std::max(m_dramFree, now) + static_cast<double>(memory::kSectorBytes) / m_parameters.dramBytesPerCycle;
            ++m_traffic.dramSectors;
            arrives = std::max(arrives, m_dramFree + m_parameters.dram - m_parameters.l1);
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
                a = fetch(line, bit, cycle);
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

void MemoryPath::store(const BlockStream& stream, const Access& access, std::uint64_t cycle) {
    m_storeFree = std::max(m_storeFree, static_cast<double>(cycle)) +
                  access.sectors * static_cast<double>(memory::kSectorBytes) / m_parameters.l2StoreBytesPerCycle;
    m_traffic.storeSectors += access.sectors;
    for (std::uint32_t i = access.firstLine; i < access.firstLine + access.lines; ++i)
        m_touched.add(stream.lines[i]);
}

std::uint64_t MemoryPath::backPressure() const {
    const double free = std::max({m_l2Free, m_storeFree, m_dramFree});
    return free > kRunAhead ? static_cast<std::uint64_t>(free - kRunAhead) : 0;
}

} // namespace lanescope::timing
