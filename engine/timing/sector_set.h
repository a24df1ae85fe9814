// SPDX-License-Identifier: GPL-3.0-or-later
// The sectors of global memory that have been touched, by line: a table of open addressing that doubles when it is half full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanescope::timing {

class SectorSet {
public:
    SectorSet() : m_entries(kSmallest) {}

    /// Adds sectors of a line; both in one word, line << 4 | a bit for each of its four sectors, at least one. Returns the bits that are new.
    std::uint64_t add(std::uint64_t lineAndSectors) {
        if (2 * m_count >= m_entries.size())
            grow();
        std::uint64_t& entry = m_entries[placeOf(lineAndSectors >> 4)];
        m_count += entry == 0;
        const std::uint64_t fresh = lineAndSectors & 15 & ~entry;
        entry |= lineAndSectors;
        return fresh;
    }

private:
    static constexpr std::size_t kSmallest = 1024;

    std::vector<std::uint64_t> m_entries; ///< line << 4 | sectors, 0: free
    std::size_t m_count = 0;

    /// The entry of the line, or the free one where it belongs.
    std::size_t placeOf(std::uint64_t line) const {
        const std::size_t mask = m_entries.size() - 1;
        std::size_t at = static_cast<std::size_t>((line * 0x9e3779b97f4a7c15ull) >> 20) & mask;
        while (m_entries[at] != 0 && m_entries[at] >> 4 != line)
            at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<std::uint64_t> old(m_entries.size() * 2);
        old.swap(m_entries);
        for (const std::uint64_t entry : old)
            if (entry != 0)
                m_entries[placeOf(entry >> 4)] = entry;
    }
};

} // namespace lanescope::timing
