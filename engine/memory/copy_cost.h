// SPDX-License-Identifier: GPL-3.0-or-later
// What one cp.async of a warp costs: what it looks up and reads on the global side, and the cycles of the L1's data array that its
// data take on their way to shared memory. Rules from 125 one-instruction kernels on an NVIDIA H200 (Nsight Compute 2025.3;
// tests/data/memory/copies.json); those for kernels are the same.
#pragma once

#include "engine/memory/access.h"

namespace lanescope::memory {

struct CopyCost {
    int requests = 0; ///< 1 when a lane reads: one that only fills with zeros looks nothing up
    /// Tag look-ups and the sectors in them, as `l1tex__t_..._op_ld` counts them. Through the L1 (.ca) they are the distinct lines and
    /// sectors of the source. Past it (.cg) the source's lines are looked up once for each line of the destination that they go to,
    /// and sectors are counted at the destination.
    int lines = 0, sectors = 0;
    int bytes = 0; ///< distinct bytes of the source
    /// Sectors read from the L2 at a miss. Past the L1, two 16-byte pieces come in one read only when they lie in one sector at the source
    /// and at the destination, at the same places.
    int l2Sectors = 0;
    /// Cycles of the data array. Through the L1 every lane moves its words from a bank of the line to a bank of shared memory; in
    /// one cycle a bank gives and takes one word, even when lanes want the same one, and only four lines are open at a time. Data
    /// that come past the L1 are written as they arrive and take none. Lanes that only fill with zeros have passes of their own.
    int wavefronts = 0;
    int passes = 0; ///< the least for the width and the lines: wavefronts above it are bank conflicts
};

/// `reading`: lanes that read the source (all `bytes` of it, as the hardware counts); `zero`: lanes that write zeros only.
CopyCost copyCost(Addresses source, Addresses destination, LaneMask reading, LaneMask zero, int bytes, bool bypass);

} // namespace lanescope::memory
