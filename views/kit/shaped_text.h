// SPDX-License-Identifier: GPL-3.0-or-later
// Texts shaped once and drawn many times: panes draw the same labels at every step, and shaping them was a fifth of a step's time.
#pragma once

#include <QStaticText>

class QFont;
class QPainter;
class QPointF;
class QString;

namespace lanescope::views {

struct ShapedText {
    QStaticText glyphs;
    double width = 0; ///< horizontal advance, in pixels
    // The font's, in pixels.
    double ascent = 0, descent = 0, capHeight = 0;
};

/// Valid until the next call from this thread. The texts used last are kept.
const ShapedText& shapedText(const QFont& font, const QString& text);
/// Draws on a raster device in the painter's pen, with the baseline at y and the left end at x.
void drawShaped(QPainter& painter, const QPointF& baseline, const QString& text, const QFont& font);

} // namespace lanescope::views
