// SPDX-License-Identifier: GPL-3.0-or-later
// Counts folded from events: for the whole launch, per class, per instruction. Every metric the program shows is registered once
// in metrics() with our name, Nsight Compute's name where it has one, a unit and a sentence.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/ptx/instruction_set.h"
#include "engine/tensor/product.h"

namespace lanescope::sim {

/// Counts of one instruction, or summed over many. All are per warp instruction unless the name says lanes, bytes, ...
struct InstructionCounts {
    std::uint64_t executions = 0;    ///< warp instructions
    std::uint64_t lanes = 0;         ///< active lanes summed (predicated-off lanes are not active, but for a branch: its guard is a condition)
    std::uint64_t predicatedOff = 0; ///< executions whose guard left no lane
    std::uint64_t requests = 0;      ///< memory: executions with an active lane
    std::uint64_t sectors = 0;       ///< global: 32-byte sectors touched
    std::uint64_t lines = 0;         ///< global: 128-byte lines touched
    std::uint64_t bytes = 0;         ///< global: distinct bytes that the lanes of each warp instruction ask for, summed
    std::uint64_t requestedBytes = 0; ///< active lanes times bytes a lane, summed: two lanes on one word count twice
    std::uint64_t l2Sectors = 0;     ///< cp.async: sectors that it reads from the L2 at a miss
    std::uint64_t tagCycles = 0;     ///< global: cycles of the L1's tag stage (memory/l1_stages.h)
    std::uint64_t dataCycles = 0;    ///< global: words of the busiest bank of the L1's data stage
    std::uint64_t dataWavefronts = 0; ///< global: l1tex__data_pipe_lsu_wavefronts
    std::uint64_t wavefronts = 0;    ///< shared: wavefronts
    std::uint64_t passes = 0;        ///< shared: least wavefronts for the width
    std::uint64_t divergences = 0;   ///< branches at which lanes parted

    InstructionCounts& operator+=(const InstructionCounts& o);
    InstructionCounts operator*(std::uint64_t factor) const;
    bool operator==(const InstructionCounts&) const = default;
};

struct Counters {
    InstructionCounts total;
    std::array<InstructionCounts, ptx::kInstructionClassCount> byClass{};
    /// By instruction of the (flattened) program.
    std::vector<InstructionCounts> byInstruction;
    /// The red instructions among the atomic classes (Nsight Compute counts them apart from atom).
    InstructionCounts reductionsGlobal, reductionsShared;
    std::uint64_t fmaLanes = 0;   ///< fma executed by active lanes, f16x2 counted twice, all types
    std::uint64_t ffmaLanes = 0;  ///< f32 only
    std::uint64_t flops = 0;      ///< floating-point operations of active lanes
    /// Multiply-adds of matrix products (bit operations of b1 among them), and the machine's tensor instructions by pipe.
    std::uint64_t tensorFma = 0, tensorFlops = 0; ///< flops: of the floating-point ones, part of flops
    std::uint64_t tensorHmma = 0, tensorImma = 0, tensorDmma = 0;
    std::uint64_t tensorGmma = 0; ///< wgmma, counted among those as well
    std::uint64_t blocks = 0, warps = 0, threads = 0;
    /// Distinct bytes of global memory read or written in the whole launch (compulsory traffic), in sectors of 32 bytes.
    std::uint64_t distinctSectorsRead = 0, distinctSectorsWritten = 0;

    const InstructionCounts& of(ptx::InstructionClass c) const { return byClass[static_cast<std::size_t>(c)]; }
    /// Adds all counts of `o` `factor` times, but for the distinct sectors: how many blocks share them is not known from one.
    void addScaled(const Counters& o, std::uint64_t factor);
    double simtEfficiency() const;    ///< active lanes / 32 over warp instructions, 0..1
    /// Bytes the lanes ask for / bytes of the sectors touched, global loads and stores. Above 1 where lanes share words.
    double globalEfficiency() const;
    double shareOfBytesUsed() const;  ///< distinct bytes asked for / bytes of the sectors touched, 0..1
    double per1000Fma(std::uint64_t count) const; ///< 0 without FMAs. Warp counts per 1000 warp FMAs (32 lanes each).
};

struct Program;
struct AccessEvent;
/// Adds what a global access costs: sectors, lines, bytes and, where it is aligned, the stages of the L1.
void countGlobal(const AccessEvent& event, InstructionCounts& into);
/// Sums per-instruction counts into classes and totals. `raw`: one entry per pc, then three (global, shared, local) per memory
/// instruction of generic address, as BlockMachine fills them. `generation`: the tensor instructions that a product becomes depend on it.
Counters fold(const Program& program, const tensor::Generation& generation, std::span<const InstructionCounts> raw);
std::size_t rawCountersSize(const Program& program);

struct Metric {
    std::string_view id;      ///< ours: "global_load_sectors"
    std::string_view ncuName; ///< Nsight Compute's, or empty
    std::string_view label;   ///< for people: "Sectors loaded"
    std::string_view unit;    ///< "sectors", "warp instructions", "bytes", "1" (a ratio), "per 1000 FMA"
    std::string_view help;    ///< one sentence
    double (*value)(const Counters&);
};

/// The registry, in the order in which tables show it.
std::span<const Metric> metrics();

} // namespace lanescope::sim
