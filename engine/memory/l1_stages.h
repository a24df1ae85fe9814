// SPDX-License-Identifier: GPL-3.0-or-later
// What an access to global memory costs in the two stages of the L1: the tag stage looks up lines in
// four banks, the data stage reads words from 32.
//
// Measured on an NVIDIA H200 with Nsight Compute 2025.3, one warp instruction a launch, 324 patterns
// (tests/data/memory/l1_stages.json). Found there:
// - Tag stage: a line is in one of four tag banks, by a hash of its address. A cycle looks up one
//   line in each bank, so an access takes as many cycles as its busiest bank has distinct lines
//   (l1tex__t_output_wavefronts; equal on all 259 loads, l1tex__t_set_conflicts is one less on
//   all stores). A reduction looks a line up again for every further lane on the same word.
// - l1tex__data_pipe_lsu_wavefronts: one, and for each cycle of the tag stage and each pass (a whole
//   warp for up to 4 bytes a lane, half a warp for 8, a quarter for 16) the distinct words of the
//   busiest bank among the lines looked up in that cycle; the n-th cycle takes the n-th line of
//   each bank, in the order of lanes. Equal on all 259 loads and 18 of 25 reductions (the others 1
//   or 2 above). Stores write a whole pass at once; lines that crowd a tag bank add cycles (40 of
//   44 equal).
// - Throughput: the naive matmul at 50 sizes takes max(tag cycles, words of the busiest bank over
//   the whole access) a load; see model/roofline.h. The cycles that the counter shows for lines
//   of different look-ups overlap.
// cp.async was not measured and puts no load on these stages here.
// The hash is known for address bits 7 to 18; higher ones are taken not to matter.
#pragma once

#include <cstdint>

#include "engine/memory/access.h"

namespace lanescope::memory {

enum class GlobalKind : std::uint8_t { Load, Store, Reduction };

struct L1Cost {
    int tagCycles = 0;  ///< look-ups of the busiest tag bank
    int dataCycles = 0; ///< distinct words of the busiest data bank, summed over passes
    int wavefronts = 0; ///< as l1tex__data_pipe_lsu_wavefronts counts them
    bool operator==(const L1Cost&) const = default;
};

/// Tag bank of the line at this byte address, 0 to 3.
int tagBank(std::uint64_t address);

/// Cost of an access whose lanes are aligned to accessBytes: 1, 2, 4, 8, 16 or 32 (not
/// measured: eight passes). All zero without an
/// active lane.
L1Cost l1Cost(Addresses addresses, LaneMask active, int accessBytes, GlobalKind kind);

} // namespace lanescope::memory
