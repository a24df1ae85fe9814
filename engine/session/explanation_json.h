// SPDX-License-Identifier: GPL-3.0-or-later
// A model's explanation (figure, formula, inputs with sources, assumptions) as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/model/explanation.h"

namespace lanescope::session {

inline nlohmann::ordered_json explanationJson(const model::Explanation& e) {
    nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
    for (const model::ExplanationInput& i : e.inputs)
        inputs.push_back({{"name", i.name},
                          {"value", i.value},
                          {"unit", i.unit},
                          {"source", i.source},
                          {"assumed", i.assumed}});
    return {{"figure", e.figure}, {"value", e.value},   {"unit", e.unit},
            {"formula", e.formula}, {"inputs", inputs}, {"assumptions", e.assumptions}};
}

} // namespace lanescope::session
