// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/diagnostic.h"

#include <fmt/format.h>

namespace lanescope {

std::string toString(const Diagnostic& d) {
    std::string out = d.where.file;
    if (d.where.line != 0) {
        out += fmt::format("{}{}", out.empty() ? "line " : ":", d.where.line);
        if (d.where.column != 0)
            out += fmt::format(":{}", d.where.column);
    }
    if (!out.empty())
        out += ": ";
    if (d.severity == Severity::Warning)
        out += "warning: ";
    else if (d.severity == Severity::Note)
        out += "note: ";
    out += d.message;
    if (!d.hint.empty())
        out += fmt::format(" ({})", d.hint);
    return out;
}

std::string toString(const Diagnostics& diagnostics) {
    std::string out;
    for (const Diagnostic& d : diagnostics) {
        if (!out.empty())
            out += '\n';
        out += toString(d);
    }
    return out;
}

tl::unexpected<Diagnostics> failure(std::string code, std::string message, SourceRange where,
                                    std::string hint) {
    return tl::unexpected<Diagnostics>(Diagnostics{Diagnostic{
        Severity::Error, std::move(code), std::move(message), std::move(where), std::move(hint)}});
}

} // namespace lanescope
