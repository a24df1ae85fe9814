// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/verification_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lanescope::session {

nlohmann::ordered_json verificationJson(const catalog::ReferenceReport& report) {
    nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
    for (const catalog::OutputCheck& o : report.outputs) {
        nlohmann::ordered_json row{{"name", o.name}, {"mismatches", o.mismatches}, {"max_error", o.maxError}, {"tolerance", o.tolerance}};
        if (o.mismatches != 0) {
            row["first_index"] = o.firstIndex;
            row["got"] = o.got;
            row["expected"] = o.expected;
        }
        outputs.push_back(std::move(row));
    }
    return {{"matches", report.matches}, {"rule", report.rule}, {"outputs", outputs}};
}

std::string verificationText(const catalog::ReferenceReport& report) {
    if (report.matches)
        return fmt::format("result    equals the reference ({})\n", report.rule);
    std::string out;
    for (const catalog::OutputCheck& o : report.outputs)
        if (o.mismatches != 0)
            out += fmt::format("result    DIFFERS from the reference in {} elements of {}, the first {}[{}]: {} instead of {}\n", o.mismatches, o.name, o.name, o.firstIndex,
                               o.got, o.expected);
    return out;
}

} // namespace lanescope::session
