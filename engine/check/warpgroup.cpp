// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/check/warpgroup.h"

#include <fmt/format.h>

namespace lanescope::check {

using sim::FaultKind;

namespace {

std::string warpList(std::uint32_t warps, std::uint32_t first) {
    std::string text;
    for (std::uint32_t i = 0; i < kWarpsPerGroup; ++i)
        if ((warps >> i & 1) != 0)
            text += fmt::format("{}{}", text.empty() ? "" : ", ", first + i);
    return text;
}

} // namespace

std::string warpgroupMessage(const sim::FaultEvent& e, const std::string& at, const std::string& otherAt, const std::string& who) {
    const std::uint32_t firstWarp = e.warp / kWarpsPerGroup * kWarpsPerGroup;
    switch (e.kind) {
    case FaultKind::PartialWarpgroup:
        return fmt::format("The wgmma at {} is executed by warp {} of the warpgroup of warps {} to {}, and never by warp {}: all four warps of a "
                           "warpgroup have to execute it, and a warpgroup begins at a warp that is a multiple of four.",
                           at, warpList(e.lanes, firstWarp), firstWarp, firstWarp + kWarpsPerGroup - 1, warpList(e.missing, firstWarp));
    case FaultKind::DifferentWarpgroup:
        return e.value == e.pc ? fmt::format("The wgmma at {} has other descriptors in {} than in other warps of its warpgroup: what it reads is "
                                               "undefined.",
                                               at, who)
                                 : fmt::format("Warps of one warpgroup come to different wgmma: {} to the one at {}, another to the one at {}.", who,
                                               at, otherAt);
    case FaultKind::PendingResultRead:
        return fmt::format("{} at {} reads register {}, which the wgmma at {} is still writing: a wgmma.wait_group has to come first.",
                           "The instruction of " + who, at, e.name, otherAt);
    case FaultKind::PendingRegisterWrite:
        return fmt::format("{} at {} writes register {}, which the wgmma at {} still uses: a wgmma.wait_group has to come first.",
                           "The instruction of " + who, at, e.name, otherAt);
    case FaultKind::NoWarpgroupFence:
        return e.value == e.pc
                   ? fmt::format("The first wgmma of {}, at {}, has no wgmma.fence before it: its registers may not hold yet what was written to them.",
                                 who, at)
                   : fmt::format("The wgmma at {} ({}) uses register {}, which was written at {} with no wgmma.fence in between.", at, who, e.name,
                                 otherAt);
    default: return {};
    }
}

} // namespace lanescope::check
