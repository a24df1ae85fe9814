// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>

#include <fmt/format.h>

namespace lanescope::ptx {

namespace {

constexpr std::size_t kMaxDiagnostics = 50;
constexpr std::size_t kMaxTokens = std::size_t{1} << 24;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isIdentifierStart(char c) {
    return isLetter(c) || c == '_' || c == '$';
}
bool isIdentifierPart(char c) {
    return isIdentifierStart(c) || isDigit(c);
}

int digitValue(char c) {
    if (isDigit(c))
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

class Lexer {
public:
    Lexer(std::string_view text, const std::string& path, Diagnostics& diagnostics)
        : m_text(text), m_path(path), m_diagnostics(diagnostics) {}

    std::vector<Token> run() {
        m_tokens.reserve(m_text.size() / 4 + 16);
        while (skipBlanks() && m_tokens.size() < kMaxTokens)
            next();
        if (m_tokens.size() >= kMaxTokens)
            report("the text has more than 16 million tokens");
        add(TokenKind::End, m_at, 0);
        return std::move(m_tokens);
    }

private:
    char peek(std::size_t ahead = 0) const {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }

    void newLine() {
        ++m_line;
        m_lineStart = m_at + 1;
    }

    void skipLine() {
        while (m_at < m_text.size() && m_text[m_at] != '\n')
            ++m_at;
    }

    void skipBlockComment() {
        const std::uint32_t line = m_line;
        for (m_at += 2; m_at < m_text.size(); ++m_at) {
            if (m_text[m_at] == '\n')
                newLine();
            if (m_text[m_at] == '*' && peek(1) == '/') {
                m_at += 2;
                return;
            }
        }
        report(fmt::format("the comment that starts at line {} has no end", line));
    }

    /// False at the end of the text.
    bool skipBlanks() {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '\n') {
                newLine();
                ++m_at;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
                ++m_at;
            } else if (c == '/' && peek(1) == '/') {
                skipLine();
            } else if (c == '/' && peek(1) == '*') {
                skipBlockComment();
            } else if (c == '#' || (c == '@' && peek(1) == '@')) {
                skipLine(); // preprocessor lines, and @@DWARF lines of old compilers
            } else {
                return true;
            }
        }
        return false;
    }

    void next() {
        const std::size_t start = m_at;
        const char c = m_text[m_at];
        if (isIdentifierStart(c) || (c == '%' && isIdentifierPart(peek(1)))) {
            ++m_at;
            while (isIdentifierPart(peek()))
                ++m_at;
            add(TokenKind::Identifier, start, m_at - start);
        } else if (isDigit(c) || (c == '.' && isDigit(peek(1)) && isDecimalFraction())) {
            number();
        } else if (c == '.' && isIdentifierPart(peek(1))) {
            dot();
        } else if (c == '"') {
            quoted();
        } else if (c > ' ' && c < 0x7f) {
            ++m_at;
            add(TokenKind::Punctuation, start, 1);
        } else {
            report(fmt::format("character 0x{:02x} is not part of PTX",
                               static_cast<unsigned char>(c)));
            ++m_at;
        }
    }

    /// ".5" is a number, ".1d" and ".4x256b" are modifiers; after a mnemonic or another modifier it
    /// is a modifier.
    bool isDecimalFraction() const {
        const bool afterName =
            m_at > 0 && (isIdentifierPart(m_text[m_at - 1]) || m_text[m_at - 1] == ':');
        std::size_t end = 1;
        while (isDigit(peek(end)))
            ++end;
        return !afterName && !isIdentifierPart(peek(end));
    }

    void dot() {
        const std::size_t start = m_at++;
        while (isIdentifierPart(peek()) ||
               (peek() == ':' && peek(1) == ':' && isIdentifierPart(peek(2)))) {
            m_at += peek() == ':' ? 2 : 1;
        }
        add(TokenKind::Dot, start, m_at - start);
        m_tokens.back().text.remove_prefix(1);
    }

    void quoted() {
        const std::size_t start = m_at++;
        while (m_at < m_text.size() && m_text[m_at] != '"' && m_text[m_at] != '\n')
            m_at += m_text[m_at] == '\\' && peek(1) != '\n' ? 2 : 1;
        if (m_at >= m_text.size() || m_text[m_at] != '"') {
            m_at = std::min(m_at, m_text.size());
            report("the string has no closing quote");
            add(TokenKind::String, start, m_at - start);
            m_tokens.back().text.remove_prefix(1);
            return;
        }
        add(TokenKind::String, start, m_at - start);
        m_tokens.back().text.remove_prefix(1);
        ++m_at;
    }

    /// Reads exactly `digits` hexadecimal digits of a 0f or 0d literal.
    void hexFloat(TokenKind kind, std::size_t start, int digits) {
        std::uint64_t value = 0;
        int count = 0;
        for (m_at += 2; digitValue(peek()) < 16; ++m_at, ++count)
            value = value << 4 | static_cast<std::uint64_t>(digitValue(peek()));
        if (count != digits)
            report(fmt::format("the literal {} needs {} hexadecimal digits",
                               m_text.substr(start, std::min<std::size_t>(m_at - start, 40)),
                               digits));
        add(kind, start, m_at - start);
        m_tokens.back().value = value;
    }

    void integer(std::size_t start, unsigned base) {
        std::uint64_t value = 0;
        bool overflow = false, any = base == 8;
        for (; digitValue(peek()) < static_cast<int>(base); ++m_at) {
            const auto digit = static_cast<unsigned>(digitValue(peek()));
            overflow = overflow || value > (~std::uint64_t{0} - digit) / base;
            value = value * base + digit;
            any = true;
        }
        const bool suffix = peek() == 'U' || peek() == 'u';
        if (suffix)
            ++m_at;
        if (!any || overflow || isIdentifierPart(peek())) {
            while (isIdentifierPart(peek()))
                ++m_at;
            report(fmt::format("{} {}",
                               m_text.substr(start, std::min<std::size_t>(m_at - start, 40)),
                               overflow ? "does not fit 64 bits" : "is not a number"));
        }
        add(TokenKind::Integer, start, m_at - start);
        m_tokens.back().value = value;
        m_tokens.back().isUnsigned = suffix || (value >> 63) != 0;
    }

    /// Length of a decimal floating-point literal at the current place, 0 when it is an integer.
    std::size_t decimalFloatLength() const {
        std::size_t end = 0;
        bool isFloating = false;
        while (isDigit(peek(end)))
            ++end;
        if (peek(end) == '.' && !isIdentifierStart(peek(end + 1))) {
            isFloating = true;
            ++end;
            while (isDigit(peek(end)))
                ++end;
        }
        if (peek(end) == 'e' || peek(end) == 'E') {
            std::size_t exponent = end + 1;
            if (peek(exponent) == '+' || peek(exponent) == '-')
                ++exponent;
            if (isDigit(peek(exponent))) {
                isFloating = true;
                end = exponent;
                while (isDigit(peek(end)))
                    ++end;
            }
        }
        return isFloating ? end : 0;
    }

    void number() {
        const std::size_t start = m_at;
        const char second = m_text[m_at] == '0' ? peek(1) : '\0';
        if (second == 'f' || second == 'F')
            return hexFloat(TokenKind::Float32, start, 8);
        if (second == 'd' || second == 'D')
            return hexFloat(TokenKind::Float64, start, 16);
        if (second == 'x' || second == 'X' || second == 'b' || second == 'B') {
            m_at += 2;
            return integer(start, second == 'x' || second == 'X' ? 16 : 2);
        }
        if (const std::size_t length = decimalFloatLength(); length > 0) {
            double value = 0;
            const auto result =
                std::from_chars(m_text.data() + m_at, m_text.data() + m_at + length, value);
            if (result.ec != std::errc{})
                report(fmt::format("{} does not fit a double",
                                   m_text.substr(start, std::min<std::size_t>(length, 40))));
            m_at += length;
            add(TokenKind::Float64, start, length);
            m_tokens.back().value = std::bit_cast<std::uint64_t>(value);
            return;
        }
        integer(start, second != '\0' && isDigit(second) ? 8 : 10);
    }

    void add(TokenKind kind, std::size_t start, std::size_t length) {
        Token token;
        token.kind = kind;
        token.text = m_text.substr(start, length);
        token.line = m_line;
        token.column = static_cast<std::uint32_t>(start - std::min(start, m_lineStart)) + 1;
        m_tokens.push_back(token);
    }

    void report(std::string message) {
        if (m_diagnostics.size() >= kMaxDiagnostics)
            return;
        const auto column = static_cast<std::uint32_t>(m_at - std::min(m_at, m_lineStart)) + 1;
        m_diagnostics.push_back(
            {Severity::Error, "syntax", std::move(message), {m_path, m_line, column}, {}});
    }

    std::string_view m_text;
    const std::string& m_path;
    Diagnostics& m_diagnostics;
    std::vector<Token> m_tokens;
    std::size_t m_at = 0;
    std::size_t m_lineStart = 0;
    std::uint32_t m_line = 1;
};

} // namespace

std::vector<Token> tokenise(std::string_view text, const std::string& path,
                            Diagnostics& diagnostics) {
    return Lexer(text, path, diagnostics).run();
}

} // namespace lanescope::ptx
