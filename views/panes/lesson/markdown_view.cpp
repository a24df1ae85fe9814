// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/lesson/markdown_view.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextTable>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "views/kit/theme.h"

namespace lanescope::views {

MarkdownView::MarkdownView(QWidget* parent) : QTextBrowser(parent) {
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setOpenExternalLinks(true);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    document()->setDocumentMargin(0);
    setStyleSheet(QStringLiteral("background: transparent;"));
}

void MarkdownView::setText(const QString& markdown, const Theme& theme) {
    document()->setDefaultFont(Theme::ui(12));
    document()->setMarkdown(markdown, QTextDocument::MarkdownDialectGitHub);
    dress(theme);
    updateGeometry();
    resizeEvent(nullptr);
}

void MarkdownView::dress(const Theme& theme) {
    struct Run {
        int start, length;
        QTextCharFormat format;
    };
    std::vector<Run> runs;
    QTextCursor cursor(document());
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        QTextBlockFormat format = block.blockFormat();
        const bool isCode = format.hasProperty(QTextFormat::BlockCodeLanguage) ||
                            format.hasProperty(QTextFormat::BlockCodeFence);
        const bool isHeading = format.headingLevel() > 0;
        const bool isInTable = QTextCursor(block).currentTable() != nullptr;
        if (!isCode) {
            format.setLineHeight(17, QTextBlockFormat::FixedHeight);
            format.setTopMargin(0);
            format.setBottomMargin(block.next().isValid() && !isInTable ? (block.textList() ? 2 : 6)
                                                                        : 0);
        } else {
            format.setBackground(theme.alt);
            format.setTopMargin(0);
            format.setBottomMargin(0);
            format.setLeftMargin(4);
        }
        cursor.setPosition(block.position());
        cursor.setBlockFormat(format);
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment fragment = it.fragment();
            QTextCharFormat text = fragment.charFormat();
            const bool isMono = isCode || text.fontFixedPitch();
            const bool isStrong = isHeading || text.fontWeight() > QFont::Normal;
            const bool isItalic = text.fontItalic();
            QFont font =
                isMono ? Theme::mono(isCode ? 11 : 12)
                       : Theme::ui(isHeading ? 13 : 12, isStrong ? QFont::DemiBold : QFont::Normal);
            font.setItalic(isItalic);
            text.setFont(font);
            text.setForeground(text.isAnchor()      ? theme.acctx
                               : isMono || isStrong ? theme.tx
                                                    : theme.tx2);
            if (isMono && !isCode)
                text.setBackground(theme.alt);
            runs.push_back({fragment.position(), fragment.length(), text});
        }
    }
    for (const Run& run : runs) {
        cursor.setPosition(run.start);
        cursor.setPosition(run.start + run.length, QTextCursor::KeepAnchor);
        cursor.setCharFormat(run.format);
    }
    for (QTextFrame* frame : document()->rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(frame)) {
            QTextTableFormat format = table->format();
            format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
            format.setBorder(0.5);
            format.setBorderBrush(theme.line);
            format.setBorderCollapse(true);
            format.setCellPadding(3);
            format.setCellSpacing(0);
            table->setFormat(format);
        }
    cursor.setPosition(0);
    setTextCursor(cursor);
}

int MarkdownView::heightForWidth(int width) const {
    std::unique_ptr<QTextDocument> copy(document()->clone());
    copy->setDocumentMargin(0);
    copy->setTextWidth(width);
    return static_cast<int>(std::ceil(copy->size().height())) + 2;
}

QSize MarkdownView::sizeHint() const {
    const int wide = width() > 80 ? width() : 260;
    return {wide, heightForWidth(wide)};
}

void MarkdownView::resizeEvent(QResizeEvent* event) {
    if (event)
        QTextBrowser::resizeEvent(event);
    document()->setTextWidth(viewport()->width());
    const int wanted = static_cast<int>(std::ceil(document()->size().height())) + 2;
    if (wanted != minimumHeight() || wanted != maximumHeight())
        setFixedHeight(wanted);
}

} // namespace lanescope::views
