// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/compile/messages.h"

#include <charconv>
#include <optional>
#include <string>

namespace lanescope::compile {
namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

struct Word {
    std::string_view text;
    Severity severity;
};
constexpr Word kWords[] = {{"catastrophic error", Severity::Error},
                           {"fatal error", Severity::Error},
                           {"fatal", Severity::Error},
                           {"error", Severity::Error},
                           {"warning", Severity::Warning},
                           {"remark", Severity::Note},
                           {"note", Severity::Note}};

/// Severity and message of "error: text", "error #20: text", "fatal   : text".
std::optional<Diagnostic> severityAndMessage(std::string_view text) {
    for (const Word& word : kWords) {
        if (!text.starts_with(word.text))
            continue;
        std::string_view rest = text.substr(word.text.size());
        const std::size_t colon = rest.find(':');
        if (colon == std::string_view::npos)
            continue;
        const std::string_view between = trimmed(rest.substr(0, colon));
        if (!between.empty() && between.front() != '#')
            continue;
        Diagnostic diagnostic;
        diagnostic.severity = word.severity;
        diagnostic.code = "compile";
        diagnostic.message = std::string(trimmed(rest.substr(colon + 1)));
        return diagnostic;
    }
    return std::nullopt;
}

/// Digits at the start of text; the rest stays in text.
std::optional<std::uint32_t> takeNumber(std::string_view& text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{})
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// "(12): error: ..." or "(12,5): error: ..." behind a file's name.
std::optional<Diagnostic> parenthesised(std::string_view file, std::string_view rest) {
    rest.remove_prefix(1);
    const auto line = takeNumber(rest);
    std::optional<std::uint32_t> column;
    if (line && rest.starts_with(',')) {
        rest.remove_prefix(1);
        column = takeNumber(rest);
    }
    if (!line || !rest.starts_with("):"))
        return std::nullopt;
    auto diagnostic = severityAndMessage(trimmed(rest.substr(2)));
    if (diagnostic)
        diagnostic->where = {std::string(file), *line, column.value_or(0)};
    return diagnostic;
}

/// ":12:5: error: ..." or ":12: error: ..." behind a file's name.
std::optional<Diagnostic> withColons(std::string_view file, std::string_view rest) {
    rest.remove_prefix(1);
    const auto line = takeNumber(rest);
    if (!line || !rest.starts_with(':'))
        return std::nullopt;
    rest.remove_prefix(1);
    std::string_view behind = rest;
    const auto column = takeNumber(behind);
    if (column && behind.starts_with(':'))
        rest = behind.substr(1);
    auto diagnostic = severityAndMessage(trimmed(rest));
    if (diagnostic)
        diagnostic->where = {std::string(file), *line,
                             column && behind.starts_with(':') ? *column : 0};
    return diagnostic;
}

std::optional<Diagnostic> parseLine(std::string_view line) {
    if (line.empty())
        return std::nullopt;
    for (std::size_t at = 1; at < line.size(); ++at) {
        std::optional<Diagnostic> found;
        if (line[at] == '(')
            found = parenthesised(line.substr(0, at), line.substr(at));
        else if (line[at] == ':')
            found = withColons(line.substr(0, at), line.substr(at));
        if (found)
            return found;
    }
    // Without a place: "error: ...", "clang: error: ...", "nvcc fatal   : ...", "At end of source:
    // error: ...".
    for (std::string_view prefix :
         {"", "clang++: ", "clang: ", "nvcc ", "At end of source: ", "nvrtc: "}) {
        if (line.starts_with(prefix))
            if (auto found = severityAndMessage(trimmed(line.substr(prefix.size()))))
                return found;
    }
    return std::nullopt;
}

bool isCaretLine(std::string_view line) {
    return line.find('^') != std::string_view::npos &&
           line.find_first_not_of(" ^~") == std::string_view::npos;
}

/// Line `number`, from 1, of the text; empty when there is none.
std::string_view lineOf(std::string_view text, std::uint32_t number) {
    for (; number > 1 && !text.empty(); --number) {
        const std::size_t end = text.find('\n');
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

/// nvcc and NVRTC show the line after macro expansion, two columns to the right, with a caret below
/// it. What stands behind the caret is looked for at the end of the real line; 0 when it is not
/// there.
std::uint32_t columnBehindCaret(std::string_view shown, std::string_view caretLine,
                                std::string_view real) {
    const std::size_t caret = caretLine.find('^');
    if (caret >= shown.size())
        return 0;
    const std::string_view behind = trimmed(shown.substr(caret));
    real = real.substr(0, real.find_last_not_of(" \t\r") + 1);
    if (behind.empty() || !real.ends_with(behind))
        return 0;
    return static_cast<std::uint32_t>(real.size() - behind.size()) + 1;
}

} // namespace

Diagnostics parseMessages(std::string_view text, std::string_view source) {
    Diagnostics diagnostics;
    std::string_view previous;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        if (isCaretLine(line) && !diagnostics.empty()) {
            SourceRange& where = diagnostics.back().where;
            if (where.line != 0 && where.column == 0)
                where.column = columnBehindCaret(previous, line, lineOf(source, where.line));
        } else if (auto found = parseLine(line)) {
            diagnostics.push_back(std::move(*found));
        }
        previous = line;
    }
    return diagnostics;
}

} // namespace lanescope::compile
