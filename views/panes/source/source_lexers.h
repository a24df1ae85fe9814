// SPDX-License-Identifier: GPL-3.0-or-later
// Colouring of CUDA C++ and PTX in a theme's colours.
#pragma once

#include <Qsci/qscilexercustom.h>

namespace lanescope::views {

struct Theme;

/// Styles that both lexers use.
enum SourceStyle {
    kPlain,
    kKeyword,
    kTypeName,
    kNumber,
    kBuiltin,
    kComment,
    kString,
    kDirective,
    kSourceStyleCount
};

class SourceLexer : public QsciLexerCustom {
    Q_OBJECT
public:
    explicit SourceLexer(QObject* parent);
    void setTheme(const Theme& theme);
    QString description(int style) const override;
    QColor defaultColor(int style) const override;
    QColor defaultPaper(int style) const override;
    QFont defaultFont(int style) const override;

protected:
    const Theme& theme() const { return *m_theme; }

private:
    const Theme* m_theme;
};

class CudaLexer final : public SourceLexer {
    Q_OBJECT
public:
    using SourceLexer::SourceLexer;
    const char* language() const override { return "CUDA C++"; }
    void styleText(int start, int end) override;
};

class PtxLexer final : public SourceLexer {
    Q_OBJECT
public:
    using SourceLexer::SourceLexer;
    const char* language() const override { return "PTX"; }
    void styleText(int start, int end) override;
};

} // namespace lanescope::views
