// SPDX-License-Identifier: GPL-3.0-or-later
// The models that need no kernel, by name: `lanescope occupancy|waves|launch|latency|l2|scaling|tile|swizzle|feeding|pipeline|fragment|dot`
// and the probe [model ...] of the lessons ask here. The typed interface is in engine/model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"

namespace lanescope::session {

struct ModelParameter {
    std::string_view name;         ///< "blocks-per-sm"; with two dashes in front on the command line
    std::string_view defaultValue; ///< empty: none
    bool required = false;
    std::string_view help;
    enum class Kind : std::uint8_t {
        Number,
        Text, ///< a name
        Flag  ///< 0 or 1; on the command line its name alone is 1
    } kind = Kind::Number;
};

struct ModelKind {
    std::string_view name;
    std::string_view title;   ///< one sentence without a full stop
    std::string_view example; ///< "lanescope waves --gpu b200 --blocks 160"
    std::vector<ModelParameter> parameters;

    const ModelParameter* find(std::string_view parameter) const;
};

const std::vector<ModelKind>& modelKinds();
const ModelKind* findModelKind(std::string_view name);

struct ModelAnswer {
    std::string json; ///< one object, with "explanations"
    std::string text; ///< for people, whole lines
};

using ModelArguments = std::map<std::string, std::string, std::less<>>;

/// Errors (code "argument", "device", "launch", "model"): an unknown model or parameter, one that is
/// missing, no number or out of range; what the model itself refuses.
Result<ModelAnswer> answer(std::string_view model, const ModelArguments& arguments);

} // namespace lanescope::session
