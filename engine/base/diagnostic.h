// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong, where, and what to do about it. Every recoverable error of the engine (PTX text, CUDA text, files,
// lessons, launches) is a Result whose error is a list of Diagnostics; faults of the simulated program are findings
// (engine/check), not Diagnostics.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace lanescope {

/// A place in a text file. line and column count from 1; 0 means unknown.
struct SourceRange {
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    bool operator==(const SourceRange&) const = default;
};

enum class Severity { Error, Warning, Note };

struct Diagnostic {
    Severity severity = Severity::Error;
    /// Short stable identifier: "unsupported", "syntax", "launch", "file", "argument", "compile", ...
    std::string code;
    /// One sentence without a full stop: what is wrong.
    std::string message;
    SourceRange where;
    /// One sentence: what to do. May be empty.
    std::string hint;
    bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

template <class T>
using Result = tl::expected<T, Diagnostics>;

/// "file:line:column: message (hint)", the parts that are known.
std::string toString(const Diagnostic& diagnostic);
/// One line per diagnostic.
std::string toString(const Diagnostics& diagnostics);

/// An error Result of one diagnostic.
[[nodiscard]] tl::unexpected<Diagnostics> failure(std::string code, std::string message,
                                                  SourceRange where = {}, std::string hint = {});
[[nodiscard]] inline tl::unexpected<Diagnostics> failure(Diagnostics diagnostics) {
    return tl::unexpected<Diagnostics>(std::move(diagnostics));
}

} // namespace lanescope
