// SPDX-License-Identifier: GPL-3.0-or-later
// What a run found wrong with the simulated program: teaching material, not errors of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/lane_mask.h"
#include "engine/ptx/ir.h"

namespace lanescope::check {

enum class FindingKind : std::uint8_t {
    RaceRaw, RaceWar, RaceWaw, OutOfBounds, Misaligned, Uninitialized, BarrierDivergence, DidNotFinish, WaitExcess, Unsupported
};

/// "race.raw", "race.war", "race.waw", "out-of-bounds", "misaligned", "uninitialized", "barrier-divergence", "did-not-finish",
/// "wait.excess", "unsupported".
std::string_view name(FindingKind kind);
/// Not of what is only slower than it need be.
constexpr bool isFault(FindingKind kind) { return kind != FindingKind::WaitExcess; }

/// A thread of the launch.
struct ThreadId {
    Dim3 block{0, 0, 0};
    Dim3 thread{0, 0, 0};
    bool operator==(const ThreadId&) const = default;
};

/// One kind of fault at one instruction (for races: at one pair of instructions), with how often it happened and the first example.
struct Finding {
    FindingKind kind{};
    /// Races: block-wide executions (block, instruction, how-manieth time) in which at least one warp raced. Out-of-bounds,
    /// misaligned, uninitialized: accesses by a lane. Barrier-divergence: times the barrier completed or hung that way.
    std::uint64_t occurrences = 0;
    /// One or two sentences that name threads, array, index, lines.
    std::string message;
    /// The instruction's line in the CUDA text, 0 when the PTX has no .loc; and in the PTX.
    std::uint32_t line = 0;
    std::uint32_t ptxLine = 0;
    std::uint32_t pc = 0;
    std::string file;
    /// Races: the other access.
    std::uint32_t otherLine = 0;
    std::uint32_t otherPtxLine = 0;
    /// The first thread that did it, and for races the thread of the other access.
    std::optional<ThreadId> thread;
    std::optional<ThreadId> otherThread;
    ptx::Space space = ptx::Space::Generic;
    /// Argument or variable name, the element index in it, its number of elements. Index may be negative.
    std::string array;
    std::optional<std::int64_t> index;
    std::optional<std::uint64_t> size;
    std::optional<std::uint64_t> address;
};

} // namespace lanescope::check
