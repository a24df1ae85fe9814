// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/address_space.h"

namespace lanescope::sim {

std::size_t GlobalMemory::add(std::string name, AllocationKind kind, std::vector<std::uint8_t> bytes,
                              int argument, std::uint64_t unbackedBytes) {
    Allocation allocation;
    allocation.name = std::move(name);
    allocation.kind = kind;
    allocation.argument = argument;
    allocation.base = ((m_allocations.size() + 1) << kWindowShift) + kWindowOffset;
    allocation.bytes = std::move(bytes);
    allocation.unbackedBytes = unbackedBytes;
    m_allocations.push_back(std::move(allocation));
    return m_allocations.size() - 1;
}

} // namespace lanescope::sim
