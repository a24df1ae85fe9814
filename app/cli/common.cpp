// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"

namespace lanescope::cli {

namespace {

/// A file that is no program at all can give an error a character; the first ones say enough.
constexpr std::size_t kMostLines = 20;

} // namespace

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

nlohmann::ordered_json errorsJson(const Diagnostics& diagnostics) {
    nlohmann::ordered_json errors = nlohmann::ordered_json::array();
    for (const Diagnostic& d : diagnostics)
        errors.push_back({{"code", d.code},
                          {"message", d.message},
                          {"hint", d.hint},
                          {"file", d.where.file},
                          {"line", d.where.line},
                          {"column", d.where.column}});
    return errors;
}

int report(const Diagnostics& diagnostics, bool json) {
    const std::size_t shown = std::min(diagnostics.size(), kMostLines);
    const Diagnostics first(diagnostics.begin(),
                            diagnostics.begin() + static_cast<std::ptrdiff_t>(shown));
    std::fprintf(stderr, "lanescope: %s\n", toString(first).c_str());
    if (shown < diagnostics.size())
        std::fprintf(stderr, "and %zu more\n", diagnostics.size() - shown);
    if (json) {
        print(nlohmann::ordered_json{{"errors", errorsJson(diagnostics)}}.dump(
                  2, ' ', false, nlohmann::json::error_handler_t::replace) +
              "\n");
    }
    return kBadInput;
}

compile::Environment environment() {
    return compile::environmentFrom(
        [](const char* name) -> const char* { return std::getenv(name); });
}

Result<std::int64_t> wholeNumber(const std::string& option, const std::string& text,
                                 std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isNumber = end == text.data() + text.size() &&
                          (error == std::errc{} || error == std::errc::result_out_of_range);
    if (!isNumber)
        return failure("argument", fmt::format("{} '{}' is not a whole number", option, text), {},
                       fmt::format("give one from {} to {}", least, most));
    if (error != std::errc{} || value < least || value > most)
        return failure("argument", fmt::format("{} {} is out of range", option, text), {},
                       fmt::format("give a whole number from {} to {}", least, most));
    return value;
}

Result<Dim3> extentsFrom(const std::string& option, const std::string& text) {
    Dim3 out;
    std::uint32_t* parts[] = {&out.x, &out.y, &out.z};
    const char* at = text.data();
    const char* end = at + text.size();
    for (std::size_t i = 0; i < 3; ++i) {
        const auto [next, error] = std::from_chars(at, end, *parts[i]);
        if (error != std::errc{})
            break;
        if (next == end)
            return out;
        if (*next != ',')
            break;
        at = next + 1;
    }
    return failure("argument", fmt::format("{} '{}' is not X[,Y[,Z]]", option, text), {},
                   "give one to three whole numbers, such as 16,16");
}

Result<std::vector<std::pair<std::string, std::string>>>
macros(const std::vector<std::string>& texts) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        const std::string name = text.substr(0, equals);
        const std::string plain = name.substr(0, name.find('('));
        const auto isWord = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
        if (plain.empty() || std::isdigit(static_cast<unsigned char>(plain[0])) != 0 ||
            !std::all_of(plain.begin(), plain.end(), isWord) ||
            (plain.size() != name.size() && name.back() != ')'))
            return failure("argument", fmt::format("-D '{}' does not begin with a name", text), {},
                           "write -D NAME=VALUE");
        if (text.find_first_of("\r\n") != std::string::npos)
            return failure("argument", fmt::format("-D {} has a line break in it", name), {},
                           "a macro is one line");
        out.emplace_back(name, equals == std::string::npos ? "1" : text.substr(equals + 1));
    }
    return out;
}

Result<std::optional<compile::Compiler>> compilerNamed(const std::string& text) {
    if (text.empty())
        return std::optional<compile::Compiler>();
    const std::optional<compile::Compiler> compiler = compile::compilerFromName(text);
    if (!compiler)
        return failure("argument", fmt::format("--with '{}' is not a compiler", text), {},
                       "nvrtc, nvcc or clang");
    return compiler;
}

} // namespace lanescope::cli
