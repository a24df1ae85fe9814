// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/compile/target.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace lanescope::compile {

namespace {

constexpr std::string_view kTarget = ".target sm_";
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

Result<Architecture> parseArchitecture(const std::string& arch) {
    Architecture result;
    std::string_view text = arch;
    for (std::string_view prefix : {"sm_", "compute_"})
        if (text.starts_with(prefix))
            text.remove_prefix(prefix.size());
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), result.number);
    result.suffix = std::string(end, text.data() + text.size());
    if (error != std::errc{} || result.number < 30 || result.number > 999 ||
        !(result.suffix.empty() || result.suffix == "a" || result.suffix == "f"))
        return failure("compiler", fmt::format("'{}' is not an architecture", arch), {},
                       "write it like sm_90");
    return result;
}

Result<void> fitTarget(std::string& ptx, std::string& arch) {
    const Result<Architecture> wanted = parseArchitecture(arch);
    if (!wanted)
        return failure(wanted.error());
    std::size_t at = 0;
    const std::string target(valueOf(ptx, kTarget, at));
    const Result<Architecture> named = parseArchitecture(target);
    if (!named)
        return {}; // ptxas says what is wrong with it
    if (!named->suffix.empty())
        arch = "sm_" + target;
    else if (named->number > wanted->number)
        ptx.replace(at, target.size(), fmt::format("{}{}", wanted->number, wanted->suffix));
    return {};
}

bool needsHopperOnly(std::string_view text) { return hasAny(text, kNeedsA); }

void raiseTarget(std::string& ptx) {
    const bool needsA = needsHopperOnly(ptx);
    if (!needsA && !hasAny(ptx, kNeeds90))
        return;
    std::size_t at = 0;
    const std::string_view target = valueOf(ptx, kTarget, at);
    const int number = std::atoi(std::string(target).c_str());
    // Suffixes a and f stand for one architecture; what comes after sm_90 has no wgmma, and the text is left for the loader to refuse.
    if (!target.empty() && (number < 90 || (number == 90 && needsA && target == "90")))
        ptx.replace(at, target.size(), needsA ? "90a" : "90");
    const std::string_view version = valueOf(ptx, ".version ", at);
    if (!version.empty() && std::atof(std::string(version).c_str()) < 8.0)
        ptx.replace(at, version.size(), "8.0");
}

} // namespace lanescope::compile
