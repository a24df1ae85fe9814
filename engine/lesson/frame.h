// SPDX-License-Identifier: GPL-3.0-or-later
// What one warp's accesses on one source line cost: the numbers beside the map and the banks,
// without a window.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/session/simulate.h"
#include "engine/session/snapshot.h"

namespace lanescope::lesson {

struct FrameAccess {
    std::uint32_t cudaLine = 0;
    bool isShared = false, isStore = false;
    std::string array; ///< "A", "As"; empty when the lanes are in several
    int lanes = 0;
    int sectors = 0, lines = 0, bytes = 0; ///< global
    int wavefronts = 0, passes = 0;        ///< shared
};

/// Accesses of one visit of a warp to a line (a run of its instructions on that line with ascending
/// places in the program), in order: what session::FrameView holds at the end of the visit.
struct Frame {
    std::vector<FrameAccess> accesses;

    /// A field of probe.h, summed over the accesses (those of `array` when it is not empty);
    /// "share" is the ratio of the sums. Error (code "probe"): there is no such access.
    Result<double> value(std::string_view field, std::string_view array) const;
};

struct FramePosition {
    Dim3 block{0, 0, 0};
    int warp = 0;
    std::uint32_t line = 0; ///< runs on to the end of the warp's first visit of this CUDA line that
                            ///< accesses memory, else of its first; 0: the start
    session::AccessTarget otherwise; ///< without an access on the line: to the first such access
    int steps = 0;          ///< and as many instructions of the warp on from there
};

/// Simulates the one block. Errors (code "lesson"): no such block or warp, or the warp never comes
/// to the line.
Result<Frame> frameAt(const session::LoadedProgram& program,
                      const session::PreparedLaunch& prepared, const FramePosition& position);

} // namespace lanescope::lesson
