// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"

namespace lanescope::cli {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int report(const Diagnostics& diagnostics, bool json) {
    std::fprintf(stderr, "lanescope: %s\n", toString(diagnostics).c_str());
    if (json) {
        nlohmann::ordered_json errors = nlohmann::ordered_json::array();
        for (const Diagnostic& d : diagnostics)
            errors.push_back({{"code", d.code}, {"message", d.message}, {"hint", d.hint}, {"file", d.where.file}, {"line", d.where.line}, {"column", d.where.column}});
        print(nlohmann::ordered_json{{"errors", errors}}.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }
    return kBadInput;
}

compile::Environment environment() {
    return compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
}

} // namespace lanescope::cli
