// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/shaped_text.h"

#include <QCache>
#include <QFont>
#include <QFontMetricsF>
#include <QPainter>

#include <utility>

namespace lanescope::views {

namespace {

constexpr int kTextsKept = 4096;

} // namespace

const ShapedText& shapedText(const QFont& font, const QString& text) {
    thread_local QCache<std::pair<QFont, QString>, ShapedText> kept(kTextsKept);
    const std::pair<QFont, QString> key(font, text);
    if (const ShapedText* found = kept.object(key))
        return *found;
    auto* shaped = new ShapedText;
    const QFontMetricsF metrics(font);
    shaped->width = metrics.horizontalAdvance(text);
    shaped->ascent = metrics.ascent();
    shaped->descent = metrics.descent();
    shaped->capHeight = metrics.capHeight();
    shaped->glyphs.setTextFormat(Qt::PlainText);
    shaped->glyphs.setText(text);
    shaped->glyphs.prepare({}, font);
    kept.insert(key, shaped);
    return *shaped;
}

void drawShaped(QPainter& painter, const QPointF& baseline, const QString& text, const QFont& font) {
    const ShapedText& shaped = shapedText(font, text);
    painter.setFont(font);
    painter.drawStaticText(QPointF(baseline.x(), baseline.y() - shaped.ascent), shaped.glyphs);
}

} // namespace lanescope::views
