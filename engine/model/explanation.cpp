// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/explanation.h"

#include <utility>

#include "engine/device/device.h"

namespace lanescope::model {

ExplanationInput inputOf(std::string name, const device::Figure& figure) {
    return {std::move(name), figure.value, figure.unit, figure.source, figure.assumed};
}

ExplanationInput inputOf(std::string name, double value, std::string unit, std::string source) {
    return {std::move(name), value, std::move(unit), std::move(source), false};
}

} // namespace lanescope::model
