// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of PTX text. Private to engine/ptx.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"

namespace lanescope::ptx {

enum class TokenKind : std::uint8_t {
    End,
    Identifier, ///< letters, digits, '_', '$', a leading '%'
    Dot,        ///< ".global", ".L2::128B"; `text` is without the dot
    Integer, ///< value; isUnsigned when it has the suffix U or does not fit a signed 64-bit integer
    Float32, ///< 0f...: value has the 32 bits
    Float64, ///< 0d... or a decimal: value has the bits of the double
    String,  ///< text is without the quotes, escapes as written
    Punctuation ///< one character, text[0]
};

struct Token {
    std::string_view text;
    std::uint64_t value = 0;
    std::uint32_t line = 1;   ///< from 1
    std::uint32_t column = 1; ///< from 1, in bytes
    TokenKind kind = TokenKind::End;
    bool isUnsigned = false;

    bool is(char c) const { return kind == TokenKind::Punctuation && text.front() == c; }
    bool isDot(std::string_view name) const { return kind == TokenKind::Dot && text == name; }
};

/// All tokens of the text, an End token last. Views point into `text`. Characters and numbers that
/// PTX does not have are reported in `diagnostics` (code "syntax", up to 50) and skipped.
std::vector<Token> tokenise(std::string_view text, const std::string& path,
                            Diagnostics& diagnostics);

} // namespace lanescope::ptx
