// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ptx/ir.h"
#include "engine/ptx/lexer.h"

namespace lanescope::ptx {

Result<std::vector<std::string>> entryNames(std::string_view text, const std::string& path) {
    Diagnostics diagnostics;
    const std::vector<Token> tokens = tokenise(text, path, diagnostics);
    if (!diagnostics.empty())
        return failure(std::move(diagnostics));
    std::vector<std::string> names;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
        if (tokens[i].isDot("entry") && tokens[i + 1].kind == TokenKind::Identifier)
            names.emplace_back(tokens[i + 1].text);
    return names;
}

} // namespace lanescope::ptx
