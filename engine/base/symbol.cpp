// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/symbol.h"

#include <cctype>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace lanescope {

std::string demangled(std::string_view symbol) {
    if (symbol.substr(0, 2) != "_Z")
        return std::string(symbol);
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text ? std::string(text.get()) : std::string(symbol);
}

std::string sourceName(std::string_view symbol) {
    const std::string text = demangled(symbol);
    if (text == symbol)
        return text;
    // Template and function arguments, a result type and the scopes in front are left out.
    std::string plain;
    int depth = 0;
    for (const char c : text) {
        if (c == '<' || c == '(')
            ++depth;
        else if (c == '>' || c == ')')
            --depth;
        else if (depth == 0)
            plain += c;
    }
    std::size_t end = plain.size();
    while (end > 0 && std::isalnum(static_cast<unsigned char>(plain[end - 1])) == 0 && plain[end - 1] != '_')
        --end;
    std::size_t begin = end;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(plain[begin - 1])) != 0 || plain[begin - 1] == '_'))
        --begin;
    return begin == end ? std::string(symbol) : plain.substr(begin, end - begin);
}

} // namespace lanescope
