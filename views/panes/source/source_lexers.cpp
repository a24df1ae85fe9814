// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/source/source_lexers.h"

#include <Qsci/qsciscintilla.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>

#include "views/kit/theme.h"

namespace lanescope::views {

namespace {

constexpr std::string_view kCudaKeywords[] = {"__constant__",
                                              "__device__",
                                              "__forceinline__",
                                              "__global__",
                                              "__grid_constant__",
                                              "__host__",
                                              "__launch_bounds__",
                                              "__noinline__",
                                              "__restrict__",
                                              "__shared__",
                                              "alignas",
                                              "alignof",
                                              "asm",
                                              "auto",
                                              "break",
                                              "case",
                                              "class",
                                              "const",
                                              "constexpr",
                                              "continue",
                                              "decltype",
                                              "default",
                                              "delete",
                                              "do",
                                              "else",
                                              "enum",
                                              "extern",
                                              "false",
                                              "for",
                                              "goto",
                                              "if",
                                              "inline",
                                              "namespace",
                                              "new",
                                              "noexcept",
                                              "nullptr",
                                              "operator",
                                              "private",
                                              "public",
                                              "return",
                                              "sizeof",
                                              "static",
                                              "static_assert",
                                              "struct",
                                              "switch",
                                              "template",
                                              "this",
                                              "true",
                                              "typedef",
                                              "typename",
                                              "union",
                                              "using",
                                              "volatile",
                                              "while"};
constexpr std::string_view kCudaTypes[] = {
    "__half", "__half2", "__nv_bfloat16", "bool",     "char",     "double",  "double2",  "float",
    "float2", "float3",  "float4",        "half",     "half2",    "int",     "int2",     "int3",
    "int4",   "int32_t", "int64_t",       "long",     "short",    "signed",  "size_t",   "uint",
    "uint2",  "uint3",   "uint4",         "uint32_t", "uint64_t", "uint8_t", "unsigned", "void"};
constexpr std::string_view kCudaBuiltins[] = {
    "__syncthreads",  "__syncwarp",       "__shfl_sync",
    "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
    "__ballot_sync",  "__any_sync",       "__all_sync",
    "__activemask",   "__threadfence",    "__threadfence_block",
    "__ldg",          "__fmaf_rn",        "atomicAdd",
    "atomicCAS",      "atomicExch",       "atomicMax",
    "atomicMin",      "blockDim",         "blockIdx",
    "gridDim",        "threadIdx",        "warpSize"};

bool isOneOf(std::span<const std::string_view> words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool isWordStart(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
}
bool isDigit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool isWord(char c) {
    return isWordStart(c) || isDigit(c);
}

/// Reads tokens of a text and says how each is styled.
class Scanner {
public:
    explicit Scanner(std::string_view text) : m_text(text) {}

    bool atEnd() const { return m_at >= m_text.size(); }
    std::size_t position() const { return m_at; }
    char peek(std::size_t ahead = 0) const {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }
    std::string_view since(std::size_t start) const { return m_text.substr(start, m_at - start); }
    void skip(std::size_t count = 1) { m_at = std::min(m_at + count, m_text.size()); }
    template <class Test>
    void skipWhile(Test test) {
        while (!atEnd() && test(m_text[m_at]))
            ++m_at;
    }
    void skipLine() {
        skipWhile([](char c) { return c != '\n'; });
    }
    void skipBlockComment() {
        const auto close = m_text.find("*/", m_at + 2);
        m_at = close == std::string_view::npos ? m_text.size() : close + 2;
    }
    void skipString(char quote) {
        skip();
        while (!atEnd() && m_text[m_at] != quote && m_text[m_at] != '\n')
            m_at += m_text[m_at] == '\\' ? 2 : 1;
        skip();
    }
    void skipNumber() {
        skipWhile([](char c) { return isWord(c) || c == '.'; });
    }

private:
    std::string_view m_text;
    std::size_t m_at = 0;
};

SourceStyle nextCuda(Scanner& scan, bool atLineStart) {
    const char c = scan.peek();
    const std::size_t start = scan.position();
    if (c == '/' && scan.peek(1) == '/')
        return scan.skipLine(), kComment;
    if (c == '/' && scan.peek(1) == '*')
        return scan.skipBlockComment(), kComment;
    if (c == '"' || c == '\'')
        return scan.skipString(c), kString;
    if (c == '#' && atLineStart) {
        scan.skip();
        scan.skipWhile([](char x) { return x == ' ' || x == '\t'; });
        scan.skipWhile(isWord);
        return kDirective;
    }
    if (isDigit(c) || (c == '.' && isDigit(scan.peek(1))))
        return scan.skipNumber(), kNumber;
    if (isWordStart(c)) {
        scan.skipWhile(isWord);
        const std::string_view word = scan.since(start);
        return isOneOf(kCudaKeywords, word)   ? kKeyword
               : isOneOf(kCudaTypes, word)    ? kTypeName
               : isOneOf(kCudaBuiltins, word) ? kBuiltin
                                              : kPlain;
    }
    scan.skip();
    return kPlain;
}

SourceStyle nextPtx(Scanner& scan, bool& isFirstWord) {
    const char c = scan.peek();
    if (c == '/' && scan.peek(1) == '/')
        return scan.skipLine(), kComment;
    if (c == '/' && scan.peek(1) == '*')
        return scan.skipBlockComment(), kComment;
    if (c == '"')
        return scan.skipString(c), kString;
    if (c == '%') {
        scan.skip();
        scan.skipWhile([](char x) { return isWord(x) || x == '.'; });
        return kTypeName;
    }
    if (c == '$') {
        scan.skip();
        scan.skipWhile([](char x) { return isWord(x) || x == '$'; });
        return kBuiltin;
    }
    if (c == '.' && isWordStart(scan.peek(1))) {
        scan.skip();
        scan.skipWhile(isWord);
        return isFirstWord ? (isFirstWord = false, kDirective) : kDirective;
    }
    if (isDigit(c))
        return scan.skipNumber(), kNumber;
    if (isWordStart(c)) {
        if (isFirstWord)
            scan.skipWhile([](char x) { return isWord(x) || x == '.' || x == ':'; });
        else
            scan.skipWhile([](char x) { return isWord(x) || x == '$'; });
        const bool isInstruction = isFirstWord;
        isFirstWord = false;
        return isInstruction ? kKeyword : kPlain;
    }
    if (c == '\n' || c == ';' || c == '{' || c == '}')
        isFirstWord = true;
    scan.skip();
    return kPlain;
}

} // namespace

SourceLexer::SourceLexer(QObject* parent) : QsciLexerCustom(parent), m_theme(&Theme::light()) {}

void SourceLexer::setTheme(const Theme& theme) {
    m_theme = &theme;
    for (int style = 0; style < kSourceStyleCount; ++style) {
        setColor(defaultColor(style), style);
        setPaper(defaultPaper(style), style);
        setFont(defaultFont(style), style);
    }
    setDefaultColor(theme.tx);
    setDefaultPaper(theme.pane);
    setDefaultFont(defaultFont(0));
}

QString SourceLexer::description(int style) const {
    static const char* const names[] = {"Text",     "Keyword", "Type",   "Number",
                                        "Built-in", "Comment", "String", "Directive"};
    return style >= 0 && style < kSourceStyleCount ? QLatin1String(names[style]) : QString();
}

QColor SourceLexer::defaultColor(int style) const {
    switch (style) {
    case kKeyword:
        return m_theme->keyword;
    case kTypeName:
        return m_theme->type;
    case kNumber:
    case kString:
        return m_theme->number;
    case kBuiltin:
        return m_theme->builtin;
    case kComment:
        return m_theme->comment;
    case kDirective:
        return m_theme->keyword;
    default:
        return m_theme->tx;
    }
}

QColor SourceLexer::defaultPaper(int) const {
    return m_theme->pane;
}

QFont SourceLexer::defaultFont(int) const {
    // Scintilla knows points only.
    QFont font = Theme::mono(12);
    font.setPointSizeF(12.0 * 72.0 / (editor() ? editor()->logicalDpiY() : 96));
    return font;
}

void CudaLexer::styleText(int, int) {
    // A comment or string before the changed range decides its style; kernels are short enough to
    // colour whole.
    const QByteArray text = editor()->text().toUtf8();
    startStyling(0);
    Scanner scan({text.constData(), static_cast<std::size_t>(text.size())});
    bool atLineStart = true;
    while (!scan.atEnd()) {
        const char c = scan.peek();
        const std::size_t start = scan.position();
        const SourceStyle style = nextCuda(scan, atLineStart);
        setStyling(static_cast<int>(scan.position() - start), style);
        if (c == '\n')
            atLineStart = true;
        else if (c != ' ' && c != '\t')
            atLineStart = false;
    }
}

void PtxLexer::styleText(int start, int end) {
    const int line =
        static_cast<int>(editor()->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, start));
    const int from =
        static_cast<int>(editor()->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, line));
    QByteArray text(end - from + 1, '\0');
    editor()->SendScintilla(QsciScintilla::SCI_GETTEXTRANGE, from, end, text.data());
    startStyling(from);
    Scanner scan({text.constData(), static_cast<std::size_t>(end - from)});
    bool isFirstWord = true;
    while (!scan.atEnd()) {
        const std::size_t at = scan.position();
        const SourceStyle style = nextPtx(scan, isFirstWord);
        setStyling(static_cast<int>(scan.position() - at), style);
    }
}

} // namespace lanescope::views
