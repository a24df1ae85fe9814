// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/check/shadow.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace lanescope::check {

template <class T>
Shadow::Zeroed<T> Shadow::zeroed(std::size_t count) {
    void* p = std::calloc(std::max<std::size_t>(count, 1), sizeof(T));
    if (p == nullptr)
        throw std::bad_alloc();
    return Zeroed<T>(static_cast<T*>(p));
}

void Shadow::reset(std::uint64_t sizeBytes) {
    m_shift = 2;
    m_anyAtomic = false;
    m_writtenCells = 0;
    m_cells = static_cast<std::size_t>((sizeBytes + 3) / 4);
    for (Zeroed<Mark>& marks : m_marks)
        marks = zeroed<Mark>(m_cells);
    m_written = zeroed<std::uint64_t>(m_cells / 64 + 1);
    m_everRead = zeroed<std::uint64_t>(m_cells / 64 + 1);
}

void Shadow::clearWritten() {
    m_anyAtomic = false;
    m_writtenCells = 0;
    std::memset(m_written.get(), 0, (m_cells / 64 + 1) * sizeof(std::uint64_t));
}

std::uint64_t Shadow::sectors(const Zeroed<std::uint64_t>& bits) const {
    const unsigned perSector = 32u >> m_shift; // 8, 16 or 32: whole parts of a word
    const std::uint64_t sector = (std::uint64_t{1} << perSector) - 1;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < m_cells / 64 + 1; ++i)
        for (std::uint64_t left = bits[i]; left != 0; left >>= perSector)
            count += (left & sector) != 0 ? 1 : 0;
    return count;
}

void Shadow::refine(int accessBytes, std::uint64_t misalignment) {
    int wanted = accessBytes >= 4 ? 2 : accessBytes / 2;
    if ((misalignment & 3) != 0)
        wanted = std::min(wanted, (misalignment & 1) != 0 ? 0 : 1);
    if (wanted >= m_shift)
        return;
    const std::size_t factor = std::size_t{1} << (m_shift - wanted);
    const std::size_t finer = m_cells * factor;
    Zeroed<std::uint64_t> written = zeroed<std::uint64_t>(finer / 64 + 1), readBefore = zeroed<std::uint64_t>(finer / 64 + 1);
    for (std::size_t cell = 0; cell < finer; ++cell) {
        if (test(m_written, cell / factor))
            set(written, cell);
        if (test(m_everRead, cell / factor))
            set(readBefore, cell);
    }
    for (Zeroed<Mark>& marks : m_marks) {
        Zeroed<Mark> split = zeroed<Mark>(finer);
        for (std::size_t cell = 0; cell < m_cells; ++cell)
            if (marks[cell].segment != 0)
                std::fill_n(split.get() + cell * factor, factor, marks[cell]);
        marks = std::move(split);
    }
    m_written = std::move(written);
    m_everRead = std::move(readBefore);
    m_cells = finer;
    m_writtenCells *= factor;
    m_shift = wanted;
}

} // namespace lanescope::check
