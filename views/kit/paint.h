// SPDX-License-Identifier: GPL-3.0-or-later
// Small helpers for painting: crisp lines, text that fits its box, chips and key caps. All take a
// painter and colours.
#pragma once

#include <QFont>
#include <QRectF>
#include <QString>

class QColor;
class QPainter;

namespace lanescope::views {

struct Theme;

/// One-pixel lines on half pixels, whatever the position: x and y are snapped.
void hLine(QPainter& painter, double x1, double x2, double y, const QColor& color,
           double width = 1.0);
void vLine(QPainter& painter, double x, double y1, double y2, const QColor& color,
           double width = 1.0);
/// A frame of one pixel inside the rectangle.
void crispFrame(QPainter& painter, const QRectF& rect, const QColor& color, double radius = 0);

/// Draws text elided to the rectangle; returns the width used. `flags`: Qt::Alignment, single line.
double drawText(QPainter& painter, const QRectF& rect, const QString& text, const QFont& font,
                const QColor& color, int flags = 0x0001 | 0x0080 /* left, vertically centred */);
/// Width of the text in this font.
double textWidth(const QFont& font, const QString& text);

/// A rounded label (radius 2 to 4): fill, optional border, centred text.
void drawChip(QPainter& painter, const QRectF& rect, const QString& text, const QFont& font,
              const QColor& fill, const QColor& border, const QColor& textColor, double radius = 2);
/// A key cap such as "F10", right-aligned in `rect`; returns its width.
double drawKeyCap(QPainter& painter, const QRectF& rect, const QString& key, const Theme& theme,
                  bool onAccent = false);
/// The dark (in the dark theme: light) box with lines of text that tooltips are; kept inside
/// `bounds`.
void drawTip(QPainter& painter, const QPointF& at, const QStringList& lines, const QRectF& bounds,
             const Theme& theme);
/// One of two texts by number, with %1 replaced by it: counted(33, tr("%1 line"), tr("%1 lines")).
QString countedText(qint64 n, const QString& one, const QString& many);
/// A counter or a model's figure by its unit: "1" as a percentage, seconds and FLOP/s with their prefix, else grouped digits;
/// short: millions as "1.25M".
QString figureText(double value, const QString& unit, bool isShort);
/// How many times `left` is `right`: "6.6×", "–" without a ratio (zero).
QString ratioText(double left, double right);
/// The sentence in the middle of a pane that has nothing to show.
void drawEmpty(QPainter& painter, const QRectF& rect, const QString& text, const Theme& theme);

} // namespace lanescope::views
