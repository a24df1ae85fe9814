// SPDX-License-Identifier: GPL-3.0-or-later
// Where things live in the simulated 64-bit generic address space, and the global memory itself.
//
// Every global allocation (a buffer argument, a .global or .const variable) has a window of 16 GiB to itself with the data 4 GiB in, so
// that an index past either end still tells which array it belongs to. Shared and local memory are windows into the block and the
// thread; their own addresses are offsets from 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"

namespace lanescope::sim {

inline constexpr int kWindowShift = 34;
inline constexpr std::uint64_t kWindowOffset = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kParamWindow = 0x00d0'0000'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x00e0'0000'0000'0000;
inline constexpr std::uint64_t kSharedWindow = 0x00f0'0000'0000'0000;
inline constexpr std::uint64_t kFunctionWindow = 0x00c0'0000'0000'0000;
inline constexpr std::uint64_t kWindowMask = 0xfff0'0000'0000'0000;

/// Addresses of another block's shared memory in a cluster have its rank above these bits.
inline constexpr int kRankShift = 24;
inline constexpr std::uint64_t kRankMask = 0xff;

/// An offset in shared memory: of a generic address in its window, or the address itself.
constexpr std::uint64_t inShared(std::uint64_t address) { return (address & kWindowMask) == kSharedWindow ? address & ~kWindowMask : address; }

enum class AllocationKind : std::uint8_t { Argument, Global, Const };

struct Allocation {
    std::string name;
    AllocationKind kind = AllocationKind::Argument;
    int argument = -1;     ///< index of the kernel argument, or -1
    std::uint64_t base = 0; ///< device address of byte 0
    std::vector<std::uint8_t> bytes;
    std::uint64_t unbackedBytes = 0; ///< instead of `bytes`, where only addresses matter
    std::uint64_t size() const { return bytes.size() + unbackedBytes; }
};

class GlobalMemory {
public:
    /// Index of the new allocation. Its base is aligned to 4 GiB.
    std::size_t add(std::string name, AllocationKind kind, std::vector<std::uint8_t> bytes, int argument = -1, std::uint64_t unbackedBytes = 0);

    std::size_t count() const { return m_allocations.size(); }
    Allocation& at(std::size_t index) { return m_allocations[index]; }
    const Allocation& at(std::size_t index) const { return m_allocations[index]; }

    /// The allocation in whose window the address lies (it need not be within its bounds), or -1.
    int find(std::uint64_t address) const {
        const std::uint64_t window = address >> kWindowShift;
        return window >= 1 && window <= m_allocations.size() ? static_cast<int>(window - 1) : -1;
    }

private:
    std::vector<Allocation> m_allocations;
};

} // namespace lanescope::sim
