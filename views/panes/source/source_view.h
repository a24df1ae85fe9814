// SPDX-License-Identifier: GPL-3.0-or-later
// One text with its gutter: line number, heat, marker. The source pane has two, CUDA and PTX.
#pragma once

#include <QString>
#include <QWidget>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

class QsciScintilla;

namespace lanescope::views {

struct Theme;
class SourceLexer;
class SourceGutter;

/// What the gutter and the text show beside the text itself. Lines count from 1.
struct SourceMarks {
    std::vector<std::uint64_t> heat; ///< by line; may be shorter than the text
    std::set<std::uint32_t>
        executable; ///< lines that have instructions: their count is shown even when 0
    std::set<std::uint32_t> current; ///< ran in this step
    std::set<std::uint32_t> linked;  ///< belong to the current line
    std::set<std::uint32_t> next;    ///< where the warp goes on
    std::map<std::uint32_t, QString> errors;
    /// The compiled form: numbers to show instead of those of the lines, 0 for none; and, by line, those of the lines of
    /// the text as written that became part of it.
    std::vector<std::uint32_t> numbers;
    std::map<std::uint32_t, std::vector<std::uint32_t>> merged;
    bool operator==(const SourceMarks&) const = default;
};

class SourceView : public QWidget {
    Q_OBJECT
public:
    enum class Language { Cuda, Ptx };
    SourceView(Language language, const QString& name, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// Replaces the text; does not emit edited().
    void setText(const QString& text);
    QString text() const;
    void setMarks(SourceMarks marks);
    const SourceMarks& marks() const { return m_marks; }
    /// Scrolls so that the line is in sight.
    void reveal(std::uint32_t line);
    /// Puts the cursor there.
    void goTo(std::uint32_t line);
    /// What the gutter's tooltip says of a line with instructions.
    QString tipOf(std::uint32_t line) const;
    bool isBeingEdited() const;
    QsciScintilla* editor() const { return m_editor; }

signals:
    void edited();
    void lineClicked(quint32 line); ///< in the gutter
    void scrolled();

private:
    friend class SourceGutter;
    void applyMarkers();

    QsciScintilla* m_editor;
    SourceLexer* m_lexer;
    SourceGutter* m_gutter;
    const Theme* m_theme;
    SourceMarks m_marks;
    bool m_isLoading = false;
};

} // namespace lanescope::views
