// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/compile/target.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace lanescope::compile {

namespace {

constexpr std::array<std::string_view, 2> kNeedsA{"wgmma.", "setmaxnreg."};
constexpr std::array<std::string_view, 8> kNeeds90{"cp.async.bulk",     "mbarrier.try_wait", "mbarrier.arrive.expect_tx", "mbarrier.expect_tx",
                                                   "fence.proxy.async", "elect.sync",        "barrier.cluster",           "mapa."};

template <std::size_t n>
bool hasAny(std::string_view text, const std::array<std::string_view, n>& words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// The value of a directive: from after `name` and a space to the end of the line. Empty: it is not there.
std::string_view valueOf(const std::string& ptx, std::string_view name, std::size_t& at) {
    at = ptx.find(name);
    if (at == std::string::npos)
        return {};
    at += name.size();
    return std::string_view(ptx).substr(at, ptx.find_first_of(",\r\n", at) - at);
}

} // namespace

bool needsHopperOnly(std::string_view text) { return hasAny(text, kNeedsA); }

void raiseTarget(std::string& ptx) {
    const bool needsA = needsHopperOnly(ptx);
    if (!needsA && !hasAny(ptx, kNeeds90))
        return;
    std::size_t at = 0;
    const std::string_view target = valueOf(ptx, ".target sm_", at);
    const int number = std::atoi(std::string(target).c_str());
    // Suffixes a and f stand for one architecture; what comes after sm_90 has no wgmma, and the text is left for the loader to refuse.
    if (!target.empty() && (number < 90 || (number == 90 && needsA && target == "90")))
        ptx.replace(at, target.size(), needsA ? "90a" : "90");
    const std::string_view version = valueOf(ptx, ".version ", at);
    if (!version.empty() && std::atof(std::string(version).c_str()) < 8.0)
        ptx.replace(at, version.size(), "8.0");
}

} // namespace lanescope::compile
