// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/lesson/markdown.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace lanescope::lesson {
namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isWordByte(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

/// The code point at `at` and its length in bytes; an invalid byte counts as one.
char32_t decode(std::string_view text, std::size_t at, std::size_t& length) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at);
    length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (at + length > text.size() || lead < 0x80) {
        length = 1;
        return lead;
    }
    char32_t code = lead & (0x7fu >> length);
    for (std::size_t i = 1; i < length; ++i)
        code = (code << 6) | (byte(at + i) & 0x3fu);
    return code;
}

bool isChinese(char32_t c) {
    return (c >= 0x3400 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) ||
           (c >= 0x20000 && c <= 0x3ffff);
}

/// The text with code spans and fences blanked.
std::string withoutCode(std::string_view text) {
    std::string result(text);
    for (std::size_t i = 0; i < result.size();) {
        if (result[i] != '`') {
            ++i;
            continue;
        }
        std::size_t ticks = i;
        while (ticks < result.size() && result[ticks] == '`')
            ++ticks;
        const std::string fence(ticks - i, '`');
        const std::size_t close = result.find(fence, ticks);
        if (close == std::string::npos)
            return result;
        for (std::size_t k = i; k < close + fence.size(); ++k)
            result[k] = ' ';
        i = close + fence.size();
    }
    return result;
}

} // namespace

std::vector<MarkdownSection> sectionsOf(std::string_view markdown) {
    std::vector<MarkdownSection> result;
    std::string body;
    int number = 0;
    const auto finish = [&] {
        if (!result.empty())
            result.back().body = trimmed(body);
        body.clear();
    };
    bool isFenced = false;
    while (!markdown.empty()) {
        const auto end = markdown.find('\n');
        const std::string_view line = markdown.substr(0, end);
        markdown.remove_prefix(end == std::string_view::npos ? markdown.size() : end + 1);
        ++number;
        if (line.starts_with("```"))
            isFenced = !isFenced;
        if (!isFenced && line.starts_with("## ")) {
            finish();
            result.push_back({trimmed(line.substr(3)), {}, number});
            continue;
        }
        body.append(line);
        body += '\n';
    }
    finish();
    return result;
}

int wordCount(std::string_view markdown) {
    int words = 0, characters = 0;
    bool isInWord = false;
    for (std::size_t i = 0, length = 1; i < markdown.size(); i += length) {
        const char32_t c = decode(markdown, i, length);
        if (isChinese(c)) {
            ++characters;
            isInWord = false;
            continue;
        }
        // A word begins with a letter, digit or sign and ends at white space or full-width
        // punctuation.
        const bool isSpace =
            c <= ' ' || (c >= 0x3000 && c <= 0x303f) || (c >= 0xff00 && c <= 0xffef);
        const bool begins = c > 0x7f || std::isalnum(static_cast<int>(c)) != 0;
        if (isSpace)
            isInWord = false;
        else if (!isInWord && begins) {
            isInWord = true;
            ++words;
        }
    }
    return words + (characters + 1) / 2;
}

std::vector<std::string> figuresOf(std::string_view text) {
    const std::string plain = withoutCode(text);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < plain.size();) {
        if (!isDigit(plain[i])) {
            // Skip names with their digits: A6000, k01.
            if (isWordByte(plain[i]))
                while (i < plain.size() && isWordByte(plain[i]))
                    ++i;
            else
                ++i;
            continue;
        }
        std::size_t end = i;
        while (end < plain.size() &&
               (isDigit(plain[end]) || ((plain[end] == '.' || plain[end] == ',') &&
                                        end + 1 < plain.size() && isDigit(plain[end + 1]))))
            ++end;
        std::string figure = plain.substr(i, end - i);
        if (end < plain.size() && plain[end] == '%')
            figure += plain[end++];
        const bool isName =
            end < plain.size() &&
            (std::isalpha(static_cast<unsigned char>(plain[end])) != 0 || plain[end] == '_');
        if (isName)
            while (end < plain.size() && isWordByte(plain[end]))
                ++end;
        else
            result.push_back(figure);
        i = end;
    }
    return result;
}

bool parseFigure(std::string_view text, Figure& figure) {
    bool isPercent = false;
    if (text.ends_with('%')) {
        isPercent = true;
        text.remove_suffix(1);
    }
    std::string digits;
    int decimals = 0;
    bool isFraction = false;
    for (const char c : text) {
        if (c == ',' && !isFraction)
            continue;
        if (!isDigit(c) && c != '.')
            return false;
        if (isDigit(c) && isFraction)
            ++decimals;
        isFraction = isFraction || c == '.';
        digits += c;
    }
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), figure.value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
        return false;
    figure.halfUnit = 0.5 * std::pow(10.0, -decimals);
    if (isPercent) {
        figure.value /= 100;
        figure.halfUnit /= 100;
    }
    return true;
}

} // namespace lanescope::lesson
