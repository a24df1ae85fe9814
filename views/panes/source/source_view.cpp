// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/source/source_view.h"

#include <Qsci/qsciscintilla.h>
#include <Qsci/qscistyle.h>

#include <QHBoxLayout>
#include <QCoreApplication>
#include <QHelpEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

#include "views/kit/icons.h"
#include "views/kit/paint.h"
#include "views/kit/theme.h"
#include "views/panes/source/source_lexers.h"

namespace lanescope::views {

namespace {

constexpr int kNumberWidth = 36, kHeatWidth = 42, kMarkWidth = 16, kRowHeight = 16;
constexpr int kCurrentMarker = 1, kLinkedMarker = 2, kErrorMarker = 3, kMergedMarker = 4;

/// At most five characters: 164, 13,312, 131k, 1.31M.
QString shortCount(std::uint64_t count) {
    if (count < 10'000)
        return QString::number(count);
    if (count < 1'000'000)
        return QStringLiteral("%1k").arg(count / 1000);
    const double millions = double(count) / 1e6;
    if (millions < 1000)
        return QStringLiteral("%1M").arg(millions, 0, 'f',
                                         millions < 10    ? 2
                                         : millions < 100 ? 1
                                                          : 0);
    return QStringLiteral("%1G").arg(millions / 1000, 0, 'f', 1);
}

} // namespace

class SourceGutter : public QWidget {
public:
    explicit SourceGutter(SourceView* view) : QWidget(view), m_view(view) {
        setFixedWidth(kNumberWidth + kHeatWidth + kMarkWidth);
        setCursor(Qt::PointingHandCursor);
        setMouseTracking(true);
    }

    /// The line at a height in the gutter, 0 below the text.
    std::uint32_t lineAt(int y) const {
        QsciScintilla* editor = m_view->editor();
        const auto position =
            editor->SendScintilla(QsciScintilla::SCI_POSITIONFROMPOINT, 1ul, static_cast<long>(y));
        const auto line = editor->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, position);
        const int top = yOf(static_cast<int>(line));
        return y >= top && y < top + rowHeight() ? static_cast<std::uint32_t>(line + 1) : 0;
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = *m_view->m_theme;
        QPainter painter(this);
        painter.fillRect(rect(), theme.pane);
        QsciScintilla* editor = m_view->editor();
        const auto& heat = m_view->m_marks.heat;
        const std::uint64_t most = heat.empty() ? 0 : *std::max_element(heat.begin(), heat.end());
        const int first = static_cast<int>(
            editor->SendScintilla(QsciScintilla::SCI_DOCLINEFROMVISIBLE,
                                  editor->SendScintilla(QsciScintilla::SCI_GETFIRSTVISIBLELINE)));
        for (int line = first; line < editor->lines(); ++line) {
            const int y = yOf(line);
            if (y > height())
                break;
            paintRow(painter, static_cast<std::uint32_t>(line + 1), y, most);
        }
    }

    void mousePressEvent(QMouseEvent* event) override {
        if (const std::uint32_t line = lineAt(event->pos().y());
            line != 0 && event->button() == Qt::LeftButton)
            emit m_view->lineClicked(line);
    }

    void wheelEvent(QWheelEvent* event) override {
        QCoreApplication::sendEvent(m_view->editor()->viewport(), event);
    }

    bool event(QEvent* event) override {
        if (event->type() != QEvent::ToolTip)
            return QWidget::event(event);
        auto* help = static_cast<QHelpEvent*>(event);
        const std::uint32_t line = lineAt(help->pos().y());
        const SourceMarks& marks = m_view->m_marks;
        if (line == 0)
            return true;
        if (const auto error = marks.errors.find(line); error != marks.errors.end())
            QToolTip::showText(help->globalPos(), error->second, this);
        else if (marks.executable.contains(line))
            QToolTip::showText(help->globalPos(), m_view->tipOf(line), this);
        return true;
    }

private:
    int rowHeight() const {
        return static_cast<int>(m_view->editor()->SendScintilla(QsciScintilla::SCI_TEXTHEIGHT, 0));
    }
    int yOf(int line) const {
        QsciScintilla* editor = m_view->editor();
        const auto position = editor->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE,
                                                    static_cast<unsigned long>(line));
        return static_cast<int>(
            editor->SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0ul, position));
    }

    void paintRow(QPainter& painter, std::uint32_t line, int y, std::uint64_t most) {
        const Theme& theme = *m_view->m_theme;
        const SourceMarks& marks = m_view->m_marks;
        const int rows = rowHeight();
        const bool isCurrent = marks.current.contains(line);
        if (marks.errors.contains(line))
            painter.fillRect(0, y, width(), rows, theme.errbg);
        else if (isCurrent)
            painter.fillRect(0, y, width(), rows, theme.accbg);
        else if (marks.linked.contains(line))
            painter.fillRect(0, y, width(), rows, theme.alt);
        else if (marks.merged.contains(line))
            painter.fillRect(0, y, width(), rows, theme.okbg);
        const std::uint32_t number = marks.numbers.empty()         ? line
                                     : line < marks.numbers.size() ? marks.numbers[line]
                                                                   : 0;
        drawText(painter, QRectF(0, y, kNumberWidth - 8, rows),
                 number == 0 ? QString() : QString::number(number),
                 Theme::mono(11), isCurrent ? theme.tx2 : theme.tx3,
                 Qt::AlignRight | Qt::AlignVCenter);
        paintHeat(painter, line, QRectF(kNumberWidth, y, kHeatWidth, rows), most);
        paintMark(painter, line, QRectF(kNumberWidth + kHeatWidth, y, kMarkWidth, rows));
    }

    void paintHeat(QPainter& painter, std::uint32_t line, const QRectF& cell, std::uint64_t most) {
        const Theme& theme = *m_view->m_theme;
        const SourceMarks& marks = m_view->m_marks;
        const std::uint64_t count = line < marks.heat.size() ? marks.heat[line] : 0;
        if (count == 0 && !marks.executable.contains(line))
            return;
        if (count > 0) {
            const double share = std::max(0.08, double(count) / double(most));
            const double length = std::round(kHeatWidth * share);
            painter.fillRect(
                QRectF(cell.right() - length, cell.top() + 1, length, cell.height() - 2),
                theme.heat(share));
        }
        drawText(painter, cell.adjusted(0, 0, -6, 0), shortCount(count), Theme::mono(10.5),
                 count == 0 ? theme.tx3 : theme.tx, Qt::AlignRight | Qt::AlignVCenter);
    }

    void paintMark(QPainter& painter, std::uint32_t line, const QRectF& cell) {
        const Theme& theme = *m_view->m_theme;
        const SourceMarks& marks = m_view->m_marks;
        if (marks.errors.contains(line)) {
            drawIcon(painter, QRectF(cell.center().x() - 6, cell.center().y() - 6, 12, 12),
                     Icon::Error, theme.err, theme);
            return;
        }
        const bool isSolid = marks.current.contains(line);
        if (!isSolid && !marks.next.contains(line)) {
            // As many loads or stores as became this one.
            if (const auto merged = marks.merged.find(line); merged != marks.merged.end())
                drawText(painter, cell, QStringLiteral("×%1").arg(merged->second.size() + 1),
                         Theme::ui(9.5, QFont::DemiBold), theme.oktx, Qt::AlignCenter);
            return;
        }
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        const QPointF c(cell.center().x(), cell.center().y());
        QPainterPath triangle;
        triangle.moveTo(c + QPointF(-4, -4.5));
        triangle.lineTo(c + QPointF(4.5, 0));
        triangle.lineTo(c + QPointF(-4, 4.5));
        triangle.closeSubpath();
        painter.setPen(isSolid ? QPen(Qt::NoPen) : QPen(theme.acc, 1.2));
        painter.setBrush(isSolid ? QBrush(theme.acc) : QBrush(Qt::NoBrush));
        painter.drawPath(triangle);
        painter.restore();
    }

    SourceView* m_view;
};

SourceView::SourceView(Language language, const QString& name, QWidget* parent)
    : QWidget(parent), m_editor(new QsciScintilla(this)), m_theme(&Theme::light()) {
    if (language == Language::Cuda)
        m_lexer = new CudaLexer(m_editor);
    else
        m_lexer = new PtxLexer(m_editor);
    m_gutter = new SourceGutter(this);
    m_editor->setObjectName(name);
    m_editor->setUtf8(true);
    m_editor->setFrameShape(QFrame::NoFrame);
    m_editor->setReadOnly(language == Language::Ptx);
    for (int margin = 0; margin < 5; ++margin)
        m_editor->setMarginWidth(margin, 0);
    m_editor->setTabWidth(language == Language::Cuda ? 4 : 2);
    m_editor->setIndentationsUseTabs(false);
    m_editor->setAutoIndent(true);
    m_editor->setBackspaceUnindents(true);
    m_editor->setWrapMode(QsciScintilla::WrapNone);
    m_editor->setEolMode(QsciScintilla::EolUnix);
    m_editor->setBraceMatching(language == Language::Cuda ? QsciScintilla::SloppyBraceMatch
                                                          : QsciScintilla::NoBraceMatch);
    m_editor->setAnnotationDisplay(QsciScintilla::AnnotationIndented);
    m_editor->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTHTRACKING, 1);
    m_editor->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTH, 1);
    m_editor->SendScintilla(QsciScintilla::SCI_SETMARGINLEFT, 0, 4l);
    for (const int marker : {kCurrentMarker, kLinkedMarker, kErrorMarker, kMergedMarker})
        m_editor->markerDefine(QsciScintilla::Background, marker);
    // Tab moves the focus in a read-only text, and Ctrl+K is the window's search.
    m_editor->SendScintilla(QsciScintilla::SCI_CLEARCMDKEY,
                            static_cast<unsigned long>('K' + (QsciScintilla::SCMOD_CTRL << 16)));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 2, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_gutter);
    row->addWidget(m_editor, 1);
    connect(m_editor, &QsciScintilla::textChanged, this, [this] {
        m_gutter->update();
        if (!m_isLoading)
            emit edited();
    });
    connect(m_editor->verticalScrollBar(), &QScrollBar::valueChanged, this, [this] {
        m_gutter->update();
        emit scrolled();
    });
    connect(m_editor, &QsciScintilla::SCN_UPDATEUI, m_gutter, [this](int) { m_gutter->update(); });
    setTheme(*m_theme);
}

void SourceView::setTheme(const Theme& theme) {
    m_theme = &theme;
    m_editor->setLexer(m_lexer);
    m_lexer->setTheme(theme);
    m_editor->setPaper(theme.pane);
    m_editor->setColor(theme.tx);
    m_editor->setCaretForegroundColor(theme.tx);
    m_editor->setSelectionBackgroundColor(theme.accbd);
    m_editor->resetSelectionForegroundColor();
    m_editor->setMatchedBraceBackgroundColor(theme.accbg);
    m_editor->setMatchedBraceForegroundColor(theme.acctx);
    m_editor->setUnmatchedBraceForegroundColor(theme.errtx);
    m_editor->setMarkerBackgroundColor(theme.accbg, kCurrentMarker);
    m_editor->setMarkerBackgroundColor(theme.alt, kLinkedMarker);
    m_editor->setMarkerBackgroundColor(theme.errbg, kErrorMarker);
    m_editor->setMarkerBackgroundColor(theme.okbg, kMergedMarker);
    // Rows of 16 px whatever the font's own height is.
    m_editor->SendScintilla(QsciScintilla::SCI_SETEXTRAASCENT, 0ul, 0l);
    m_editor->SendScintilla(QsciScintilla::SCI_SETEXTRADESCENT, 0ul, 0l);
    const long missing = kRowHeight - m_editor->SendScintilla(QsciScintilla::SCI_TEXTHEIGHT, 0);
    m_editor->SendScintilla(QsciScintilla::SCI_SETEXTRAASCENT,
                            static_cast<unsigned long>(missing / 2), 0l);
    m_editor->SendScintilla(QsciScintilla::SCI_SETEXTRADESCENT,
                            static_cast<unsigned long>(missing - missing / 2), 0l);
    applyMarkers();
    update();
}

void SourceView::setText(const QString& text) {
    if (text == m_editor->text())
        return;
    m_isLoading = true;
    const bool isReadOnly = m_editor->isReadOnly();
    m_editor->setReadOnly(false);
    m_editor->setText(text);
    m_editor->setReadOnly(isReadOnly);
    m_editor->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTH, 1);
    m_isLoading = false;
    applyMarkers();
}

QString SourceView::text() const {
    return m_editor->text();
}

QString SourceView::tipOf(std::uint32_t line) const {
    const auto number = line < m_marks.numbers.size() ? m_marks.numbers[line] : line;
    QString text =
        tr("Line %1: executed by %2 warps in the whole launch. Click to run to it.")
            .arg(number)
            .arg(QLocale(QLocale::English)
                     .toString(static_cast<qulonglong>(
                         line < m_marks.heat.size() ? m_marks.heat[line] : 0)));
    if (const auto merged = m_marks.merged.find(line); merged != m_marks.merged.end()) {
        QStringList lines;
        for (const std::uint32_t other : merged->second)
            lines << QString::number(other);
        text += QLatin1Char('\n') + tr("ptxas makes one access of it and line %1 of the PTX as "
                                       "written.")
                                        .arg(lines.join(QStringLiteral(", ")));
    }
    return text;
}

void SourceView::setMarks(SourceMarks marks) {
    if (marks == m_marks)
        return;
    m_marks = std::move(marks);
    applyMarkers();
}

void SourceView::applyMarkers() {
    m_editor->markerDeleteAll();
    for (const auto& [line, lines] : m_marks.merged)
        if (!m_marks.linked.contains(line) && !m_marks.current.contains(line))
            m_editor->markerAdd(static_cast<int>(line) - 1, kMergedMarker);
    for (const std::uint32_t line : m_marks.linked)
        m_editor->markerAdd(static_cast<int>(line) - 1, kLinkedMarker);
    for (const std::uint32_t line : m_marks.current)
        m_editor->markerAdd(static_cast<int>(line) - 1, kCurrentMarker);
    m_editor->clearAnnotations();
    QFont annotationFont = Theme::ui(12);
    annotationFont.setPointSizeF(11.0 * 72.0 / logicalDpiY());
    const QsciStyle style(-1, QStringLiteral("error"), m_theme->errtx, m_theme->errbg,
                          annotationFont);
    for (const auto& [line, message] : m_marks.errors) {
        m_editor->markerAdd(static_cast<int>(line) - 1, kErrorMarker);
        m_editor->annotate(static_cast<int>(line) - 1, QStringLiteral(" ") + message, style);
    }
    m_gutter->update();
}

void SourceView::reveal(std::uint32_t line) {
    if (line == 0)
        return;
    const auto at = static_cast<long>(line) - 1;
    const long first = m_editor->SendScintilla(QsciScintilla::SCI_GETFIRSTVISIBLELINE);
    const long rows = m_editor->SendScintilla(QsciScintilla::SCI_LINESONSCREEN);
    const long shown = m_editor->SendScintilla(QsciScintilla::SCI_VISIBLEFROMDOCLINE,
                                               static_cast<unsigned long>(at));
    if (shown >= first + 1 && shown < first + rows - 1)
        return;
    m_editor->setFirstVisibleLine(
        static_cast<int>(std::max(0l, shown - std::max(1l, rows / 2 - 1))));
}

void SourceView::goTo(std::uint32_t line) {
    if (line == 0)
        return;
    m_editor->setCursorPosition(static_cast<int>(line) - 1, 0);
    reveal(line);
}

bool SourceView::isBeingEdited() const {
    return m_editor->hasFocus() && !m_editor->isReadOnly();
}

} // namespace lanescope::views
