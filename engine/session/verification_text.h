// SPDX-License-Identifier: GPL-3.0-or-later
// How a check against the reference is reported, by whatever ran the kernel.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "engine/catalog/reference.h"

namespace lanescope::session {

/// {"matches", "rule", "outputs": [{"name", "mismatches", "max_error", "tolerance", "first_index", "got", "expected"}]}
nlohmann::ordered_json verificationJson(const catalog::ReferenceReport& report);
/// A line that begins with "result", or one for each output that differs.
std::string verificationText(const catalog::ReferenceReport& report);

} // namespace lanescope::session
