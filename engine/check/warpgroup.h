// SPDX-License-Identifier: GPL-3.0-or-later
// What a machine says of wgmma and its registers, in words.
#pragma once

#include <string>

#include "engine/sim/event.h"

namespace lanescope::check {

/// For the faults of wgmma. at, otherAt: the places of the instruction and the other one; who: "warp 0 of block 0".
std::string warpgroupMessage(const sim::FaultEvent& fault, const std::string& at, const std::string& otherAt, const std::string& who);

} // namespace lanescope::check
