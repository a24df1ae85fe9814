// SPDX-License-Identifier: GPL-3.0-or-later
// A model's explanation (figure, formula, inputs with sources, assumptions) as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/model/explanation.h"

namespace lanescope::cli {

using Json = nlohmann::ordered_json;

inline Json explanationJson(const model::Explanation& e) {
    Json inputs = Json::array();
    for (const model::ExplanationInput& i : e.inputs)
        inputs.push_back(
            {{"name", i.name}, {"value", i.value}, {"unit", i.unit}, {"source", i.source}});
    return {{"figure", e.figure},
            {"formula", e.formula},
            {"inputs", inputs},
            {"assumptions", e.assumptions}};
}

} // namespace lanescope::cli
