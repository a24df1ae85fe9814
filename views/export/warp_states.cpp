// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/warp_states.h"

#include <algorithm>

#include "views/export/canvas.h"

namespace lanescope::views {

using timing::WarpState;

/// The pattern or colour of a look, so that none is told by colour alone.
void fillLook(Canvas& c, const QRectF& r, StateLook look) {
    const Theme& t = c.theme();
    switch (look) {
    case StateLook::Issued:
        c.fill(r, t.acc);
        break;
    case StateLook::Memory:
        c.texture(r, Texture::Waiting);
        break;
    case StateLook::Unit:
        c.texture(r, Texture::InFlight);
        break;
    case StateLook::Fixed:
        c.fill(r, t.line2);
        break;
    case StateLook::Throttle:
        c.stripes(r, t.errbg, t.err, 2, 5, 1);
        break;
    case StateLook::Barrier:
        c.texture(r, Texture::Barrier);
        break;
    case StateLook::Ready:
        break;
    case StateLook::Fetch:
        c.texture(r, Texture::Unused);
        break;
    case StateLook::Done:
        c.texture(r, Texture::Done);
        break;
    }
}

StateLook lookOf(WarpState state) {
    switch (state) {
    case WarpState::Issued:
        return StateLook::Issued;
    case WarpState::LongScoreboard:
    case WarpState::Membar:
        return StateLook::Memory;
    case WarpState::ShortScoreboard:
    case WarpState::Products:
        return StateLook::Unit;
    case WarpState::Wait:
    case WarpState::BranchResolving:
        return StateLook::Fixed;
    case WarpState::MathPipeThrottle:
    case WarpState::MioThrottle:
    case WarpState::LgThrottle:
        return StateLook::Throttle;
    case WarpState::Barrier:
    case WarpState::Mbarrier:
        return StateLook::Barrier;
    case WarpState::NotSelected:
        return StateLook::Ready;
    case WarpState::NoInstruction:
    case WarpState::ConstantMiss:
    case WarpState::Drain:
        return StateLook::Fetch;
    case WarpState::Done:
        return StateLook::Done;
    }
    return StateLook::Ready;
}

int smWarp(const session::TimingReport& timing, int warp) {
    const auto& warps = timing.sm.warps;
    for (std::size_t w = 0; w < warps.size(); ++w)
        if (warps[w].slot == 0 && int(warps[w].warp) == warp)
            return int(w);
    return -1;
}

std::uint32_t cycleOf(const session::TimingReport& timing, std::uint32_t index) {
    const auto& issues = timing.sm.issueOfEvent;
    if (index == 0 || issues.empty())
        return 0;
    const std::uint32_t issue = issues[std::min<std::size_t>(index, issues.size()) - 1];
    if (issue == timing::kNone)
        return timing.sm.cycles;
    const timing::Issue& i = timing.sm.issues[issue];
    return std::min(i.cycle + std::max<std::uint32_t>(1, i.slotsUsed), timing.sm.cycles);
}

const std::vector<LookName>& lookNames() {
    static const std::vector<LookName> all{
        {StateLook::Issued, "Issued", "an instruction of the warp is issued"},
        {StateLook::Memory, "Memory", "waits for data of global or local memory, or at a fence"},
        {StateLook::Unit, "Shared, SFU", "waits for shared memory, a special function or a shuffle"},
        {StateLook::Barrier, "Barrier", "waits for the other warps at a barrier"},
        {StateLook::Throttle, "Pipe full", "its pipe or the queue in front of it is full"},
        {StateLook::Fixed, "Latency", "waits for a result of fixed latency, or a branch's target"},
        {StateLook::Ready, "Not selected", "could issue; another warp is"},
        {StateLook::Done, "Done", "has ended"},
        {StateLook::Fetch, "Code, drain", "waits for code or parameters, or for its last stores"}};
    return all;
}

} // namespace lanescope::views
