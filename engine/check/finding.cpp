// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/check/finding.h"

namespace lanescope::check {

std::string_view name(FindingKind kind) {
    switch (kind) {
    case FindingKind::RaceRaw: return "race.raw";
    case FindingKind::RaceWar: return "race.war";
    case FindingKind::RaceWaw: return "race.waw";
    case FindingKind::OutOfBounds: return "out-of-bounds";
    case FindingKind::Misaligned: return "misaligned";
    case FindingKind::Uninitialized: return "uninitialized";
    case FindingKind::BarrierDivergence: return "barrier-divergence";
    case FindingKind::DidNotFinish: return "did-not-finish";
    case FindingKind::WaitExcess: return "wait.excess";
    case FindingKind::Unsupported: return "unsupported";
    }
    return "";
}

} // namespace lanescope::check
