// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/check/shadow.h"

#include <algorithm>

namespace lanescope::check {

void Shadow::reset(std::uint64_t sizeBytes) {
    m_shift = 2;
    m_sizeBytes = sizeBytes;
    const std::size_t cells = static_cast<std::size_t>((sizeBytes + 3) / 4);
    for (auto* marks : {&m_write, &m_read, &m_readBefore, &m_foreign, &m_atomic})
        marks->assign(cells, {});
    m_written.assign(cells / 64 + 1, 0);
    m_readBeforeWrite.assign(cells / 64 + 1, 0);
}

void Shadow::clearWritten() { std::fill(m_written.begin(), m_written.end(), 0); }

void Shadow::refine(int accessBytes, std::uint64_t misalignment) {
    int wanted = accessBytes >= 4 ? 2 : accessBytes / 2;
    if ((misalignment & 3) != 0)
        wanted = std::min(wanted, (misalignment & 1) != 0 ? 0 : 1);
    if (wanted >= m_shift)
        return;
    const std::size_t factor = std::size_t{1} << (m_shift - wanted);
    for (auto* marks : {&m_write, &m_read, &m_readBefore, &m_foreign, &m_atomic}) {
        std::vector<Mark> finer;
        finer.reserve(marks->size() * factor);
        for (const Mark& m : *marks)
            finer.insert(finer.end(), factor, m);
        *marks = std::move(finer);
    }
    for (auto* bitmap : {&m_written, &m_readBeforeWrite}) {
        std::vector<std::uint64_t> bits(m_write.size() / 64 + 1, 0);
        for (std::size_t cell = 0; cell < m_write.size(); ++cell) {
            const std::size_t coarse = cell / factor;
            if (((*bitmap)[coarse >> 6] >> (coarse & 63) & 1) != 0)
                bits[cell >> 6] |= std::uint64_t{1} << (cell & 63);
        }
        *bitmap = std::move(bits);
    }
    m_shift = wanted;
}

} // namespace lanescope::check
