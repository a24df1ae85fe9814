// SPDX-License-Identifier: GPL-3.0-or-later
// The little that a lesson needs to know about its Markdown: sections, length, and the figures in
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::lesson {

struct MarkdownSection {
    std::string id;   ///< of the heading "## id"
    std::string body; ///< without the heading, trimmed
    int line = 0;     ///< of the heading, from 1
};

/// What stands before the first heading is left out.
std::vector<MarkdownSection> sectionsOf(std::string_view markdown);

/// Words of Latin script plus half of the Chinese characters (rounded up); code spans count as they
/// are written.
int wordCount(std::string_view markdown);

/// The numbers in a text, outside code spans and fences: "33", "1,000", "86%", "4.8", "-1"; a
/// number that is part of a name (k01, A6000, x2) is none, a range "232-255" is two.
std::vector<std::string> figuresOf(std::string_view text);

/// "1,000" -> 1000, "86%" -> 0.86.
struct Figure {
    double value = 0;
    double halfUnit = 0; ///< of the last digit shown: the value rounds to the figure within this
};
bool parseFigure(std::string_view text, Figure& figure);

} // namespace lanescope::lesson
