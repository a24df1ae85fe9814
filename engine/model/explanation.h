// SPDX-License-Identifier: GPL-3.0-or-later
// How a modelled figure came about: formula, inputs and where they are from. Shown when the user
// clicks a figure.
#pragma once

#include <string>
#include <vector>

namespace lanescope::device {
struct Figure;
}

namespace lanescope::model {

struct ExplanationInput {
    std::string name;
    double value = 0;
    std::string unit;
    std::string source;
    bool assumed = false;
};

struct Explanation {
    std::string figure; ///< what is explained, "time at the L1 lines roof"
    double value = 0;
    std::string unit;
    std::string formula; ///< in the names of the inputs
    std::vector<ExplanationInput> inputs;
    std::vector<std::string> assumptions;
};

ExplanationInput inputOf(std::string name, const device::Figure& figure);
/// An input that was counted by the simulator or given by the user.
ExplanationInput inputOf(std::string name, double value, std::string unit, std::string source);

} // namespace lanescope::model
