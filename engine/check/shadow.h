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
        m_anyWritten = true;
        set(m_written, cell);
    }
    bool anyWritten() const { return m_anyWritten; }
    void clearWritten();
    /// Whether any read of the cell was noted, before a write or after it.
    bool everRead(std::size_t cell) const { return m_marks[kRead][cell].segment != 0 || test(m_readBeforeWrite, cell); }
    /// The readers so far come before this write: they are forgotten, but not that there were any.
    void forgetReads(std::size_t cell) {
        if (m_marks[kRead][cell].segment == 0)
            return;
        set(m_readBeforeWrite, cell);
        m_marks[kRead][cell] = m_marks[kReadBefore][cell] = m_marks[kForeign][cell] = {};
    }

    Mark& write(std::size_t cell) { return m_marks[kWrite][cell]; }
    Mark& read(std::size_t cell) { return m_marks[kRead][cell]; }
    Mark& readBefore(std::size_t cell) { return m_marks[kReadBefore][cell]; }
    Mark& foreign(std::size_t cell) { return m_marks[kForeign][cell]; }
    Mark& atomic(std::size_t cell) { return m_marks[kAtomic][cell]; }

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

    bool m_anyWritten = false;
    int m_shift = 2;
    std::size_t m_cells = 0;
    Zeroed<std::uint64_t> m_written, m_readBeforeWrite;
    Zeroed<Mark> m_marks[kKinds];
};

} // namespace lanescope::check
