// SPDX-License-Identifier: GPL-3.0-or-later
// What is remembered of every word of an array: who wrote it last, who read it last (two different warps), who used it atomically.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/check/clocks.h"

namespace lanescope::check {

struct Mark {
    SegmentId segment = 0;
    std::uint32_t pc = 0;
};

/// Cells of 4 bytes, or of 2 or 1 once an access that small was seen.
class Shadow {
public:
    explicit Shadow(std::uint64_t sizeBytes = 0) { reset(sizeBytes); }
    void reset(std::uint64_t sizeBytes);
    /// Splits the cells so that an access of this many bytes covers whole ones.
    void refine(int accessBytes, std::uint64_t misalignment);
    int shift() const { return m_shift; }
    std::size_t cells() const { return m_write.size(); }

    bool written(std::size_t cell) const { return (m_written[cell >> 6] >> (cell & 63) & 1) != 0; }
    void setWritten(std::size_t cell) { m_written[cell >> 6] |= std::uint64_t{1} << (cell & 63); }
    void clearWritten();
    /// Whether any read of the cell was noted, before a write or after it.
    bool everRead(std::size_t cell) const {
        return m_read[cell].segment != 0 || (m_readBeforeWrite[cell >> 6] >> (cell & 63) & 1) != 0;
    }
    /// The readers so far come before this write: they are forgotten, but not that there were any.
    void forgetReads(std::size_t cell) {
        if (m_read[cell].segment != 0)
            m_readBeforeWrite[cell >> 6] |= std::uint64_t{1} << (cell & 63);
        m_read[cell] = m_readBefore[cell] = m_foreign[cell] = {};
    }

    Mark& write(std::size_t cell) { return m_write[cell]; }
    Mark& read(std::size_t cell) { return m_read[cell]; }
    Mark& readBefore(std::size_t cell) { return m_readBefore[cell]; }
    Mark& foreign(std::size_t cell) { return m_foreign[cell]; }
    Mark& atomic(std::size_t cell) { return m_atomic[cell]; }
    const Mark& write(std::size_t cell) const { return m_write[cell]; }
    const Mark& read(std::size_t cell) const { return m_read[cell]; }
    const Mark& atomic(std::size_t cell) const { return m_atomic[cell]; }

private:
    int m_shift = 2;
    std::uint64_t m_sizeBytes = 0;
    std::vector<std::uint64_t> m_written, m_readBeforeWrite;
    std::vector<Mark> m_write, m_read, m_readBefore, m_foreign, m_atomic;
};

} // namespace lanescope::check
