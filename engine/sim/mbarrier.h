// SPDX-License-Identifier: GPL-3.0-or-later
// The 64 bits of an mbarrier object (PTX ISA, "mbarrier"). They lie in shared memory, so that they are part of the block's state.
#pragma once

#include <cstdint>

namespace lanescope::sim {

/// What PTX calls opaque, in a layout of our own.
struct Mbarrier {
    static constexpr int kCountBits = 20; ///< counts reach 2^20 - 1 (PTX ISA, "Contents of the mbarrier object")
    static constexpr int kBytesBits = 21; ///< bytes from -(2^20 - 1) to 2^20 - 1 (the same section)

    std::uint32_t expected = 0; ///< arrivals of a whole phase
    std::uint32_t pending = 0;  ///< arrivals that the present phase lacks
    std::int32_t bytes = 0;     ///< that copies still owe the present phase; below 0: more came than were expected so far
    bool phase = false;         ///< parity of the present phase

    static Mbarrier read(std::uint64_t word) {
        constexpr std::uint32_t count = (1u << kCountBits) - 1;
        Mbarrier b;
        b.expected = static_cast<std::uint32_t>(word) & count;
        b.pending = static_cast<std::uint32_t>(word >> kCountBits) & count;
        b.bytes = static_cast<std::int32_t>(static_cast<std::uint32_t>(word >> (2 * kCountBits)) << (32 - kBytesBits)) >> (32 - kBytesBits);
        b.phase = word >> 63 != 0;
        return b;
    }
    std::uint64_t word() const {
        return expected | std::uint64_t{pending} << kCountBits |
               std::uint64_t{static_cast<std::uint32_t>(bytes) & ((1u << kBytesBits) - 1)} << (2 * kCountBits) | std::uint64_t{phase} << 63;
    }
    /// Ends the phase when nothing is missing; true when it does.
    bool settle() {
        if (pending != 0 || bytes != 0)
            return false;
        phase = !phase;
        pending = expected;
        return true;
    }
};

} // namespace lanescope::sim
