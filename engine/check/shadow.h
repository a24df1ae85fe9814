// SPDX-License-Identifier: GPL-3.0-or-later
// What is remembered of every word of an array: who wrote it last, who read it last (two different warps), who used it atomically.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "engine/check/clocks.h"

namespace lanescope::check {

struct Mark {
    SegmentId segment = 0;
    std::uint32_t pc = 0;
};

/// Cells of 4 bytes, or of 2 or 1 once an access that small was seen. Memory is taken zeroed and only pages that are touched are used, so
/// that a large array of which few blocks touch a part costs little.
class Shadow {
public:
    explicit Shadow(std::uint64_t sizeBytes = 0) { reset(sizeBytes); }
    void reset(std::uint64_t sizeBytes);
    /// Splits the cells so that an access of this many bytes at a multiple of `alignment` covers whole ones.
    void refine(int accessBytes, std::uint64_t misalignment);
    int shift() const { return m_shift; }
    std::size_t cells() const { return m_cells; }

    bool written(std::size_t cell) const { return test(m_written, cell); }
    const std::uint64_t* writtenBits() const { return m_written.get(); }
    void setWritten(std::size_t cell) {
        m_writtenCells += test(m_written, cell) ? 0 : 1;
        set(m_written, cell);
    }
    bool anyWritten() const { return m_writtenCells != 0; }
    bool allWritten() const { return m_writtenCells == m_cells; }
    /// Shared memory of another block begins.
    void clearWritten();
    /// Whether any read of the cell was noted, before a write or after it.
    bool everRead(std::size_t cell) const { return test(m_everRead, cell); }
    /// The first read since the last write.
    void setRead(std::size_t cell, Mark by) {
        set(m_everRead, cell);
        m_marks[kRead][cell] = by;
    }
    /// The readers so far come before this write: they are forgotten, but not that there were any.
    void forgetReads(std::size_t cell) {
        if (m_marks[kRead][cell].segment != 0)
            m_marks[kRead][cell] = m_marks[kReadBefore][cell] = m_marks[kForeign][cell] = {};
    }
    /// Sectors of 32 bytes that were read, and that were written.
    std::uint64_t sectorsRead() const { return sectors(m_everRead); }
    std::uint64_t sectorsWritten() const { return sectors(m_written); }

    Mark& write(std::size_t cell) { return m_marks[kWrite][cell]; }
    Mark& read(std::size_t cell) { return m_marks[kRead][cell]; }
    Mark& readBefore(std::size_t cell) { return m_marks[kReadBefore][cell]; }
    Mark& foreign(std::size_t cell) { return m_marks[kForeign][cell]; }
    const Mark& atomic(std::size_t cell) const { return m_marks[kAtomic][cell]; }
    void setAtomic(std::size_t cell, Mark by) {
        m_anyAtomic = true;
        m_marks[kAtomic][cell] = by;
    }
    bool anyAtomic() const { return m_anyAtomic; }

private:
    enum Kind { kWrite, kRead, kReadBefore, kForeign, kAtomic, kKinds };
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    template <class T>
    using Zeroed = std::unique_ptr<T[], Free>;
    template <class T>
    static Zeroed<T> zeroed(std::size_t count);
    static bool test(const Zeroed<std::uint64_t>& bits, std::size_t cell) { return (bits[cell >> 6] >> (cell & 63) & 1) != 0; }
    static void set(Zeroed<std::uint64_t>& bits, std::size_t cell) { bits[cell >> 6] |= std::uint64_t{1} << (cell & 63); }

    std::uint64_t sectors(const Zeroed<std::uint64_t>& bits) const;

    bool m_anyAtomic = false;
    int m_shift = 2;
    std::size_t m_cells = 0, m_writtenCells = 0;
    Zeroed<std::uint64_t> m_written, m_everRead;
    Zeroed<Mark> m_marks[kKinds];
};

} // namespace lanescope::check
