// SPDX-License-Identifier: GPL-3.0-or-later
// The first element of an output that differs from the reference, and who owns it: the thread that stored it last, the register it came
// from and, where that is a part of a matrix product, which part. What a wrong descriptor, swizzle or fragment leaves as its only trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "engine/catalog/reference.h"
#include "engine/check/finding.h"
#include "engine/sim/launch.h"

namespace lanescope::session {

struct WrongElement {
    std::string array;
    std::uint64_t index = 0;
    std::optional<std::uint64_t> row, column; ///< of arrays that the reference knows as matrices
    double got = 0, expected = 0;
    /// Nothing is known below when no thread stored to it.
    bool isWritten = false;
    check::ThreadId thread;
    std::uint64_t block = 0;          ///< linear
    std::uint32_t warp = 0;
    int lane = 0;
    std::uint32_t line = 0, ptxLine = 0; ///< of the store; line 0: the PTX has no .loc
    std::string registerName;         ///< "%f12"; empty: a constant, or a copy that no register takes part in
    /// The register as one of the D of a product: "d[12] of the wgmma at line 34, row 8, column 25 of its tile"; else empty.
    std::string fragment;
};

/// Runs the launch again up to the last store to that element. Nothing when all outputs match.
std::optional<WrongElement> firstWrongElement(const catalog::ResolvedReference& reference, const catalog::ReferenceReport& report,
                                              const sim::Launch& launch, std::uint64_t maxInstructions);

/// "C[130] (row 2, column 2): 1.5 instead of 2.25, stored by thread 3 of block (0, 0) (warp 0, lane 3) at line 88 from %f12, ...".
std::string toString(const WrongElement& wrong);
/// The same as an object; `message` is the text.
nlohmann::ordered_json toJson(const WrongElement& wrong);

} // namespace lanescope::session
