// SPDX-License-Identifier: GPL-3.0-or-later
// Drawing helpers that come out the same on screen, PNG, SVG and PDF. Textures become brushes on
// raster devices and clipped line segments on vector devices, whose engines know neither pixmap
// brushes nor clipping. Every text drawn can be logged, so that tests see overlaps and cut labels.
#pragma once

#include <vector>

#include <QColor>
#include <QFont>
#include <QPainter>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>

#include "views/kit/theme.h"

namespace lanescope::views {

/// A text as it was drawn, in the painter's coordinates (rotated text: the box around it).
struct TextItem {
    QString text;
    QRectF bounds;
    bool elided = false;
};

struct TextLog {
    std::vector<TextItem> items;
    bool contains(const QString& part) const;
};

enum class Align { Left, Center, Right };

struct TextStyle {
    QFont font;
    QColor color;
    Align align = Align::Left;
};

class Canvas {
public:
    Canvas(QPainter& painter, const Theme& theme, TextLog* log = nullptr);

    QPainter& painter() { return m_painter; }
    const Theme& theme() const { return m_theme; }
    /// True for SVG and PDF.
    bool isVector() const { return m_vector; }

    void fill(const QRectF& rect, const QColor& color);
    /// A filled and stroked box; the stroke lies inside the rectangle. Invalid colours are left
    /// out.
    void box(const QRectF& rect, const QColor& fill, const QColor& stroke, double width = 1,
             double radius = 0);
    void line(QPointF from, QPointF to, const QColor& color, double width = 1,
              const QList<double>& dash = {});
    void polyline(const QList<QPointF>& points, const QColor& color, double width,
                  const QList<double>& dash = {});
    void polygon(const QList<QPointF>& points, const QColor& fill);
    /// A smooth connector that leaves and arrives horizontally.
    void connector(QPointF from, QPointF to, const QColor& color, double width);
    void circle(QPointF center, double radius, const QColor& fill, const QColor& stroke,
                double width = 1);

    void texture(const QRectF& rect, Texture texture);
    /// Stripes at 45 degrees (direction 1 rising, -1 falling), `width` wide every `period`, both in
    /// pixels across the stripe.
    void stripes(const QRectF& rect, const QColor& background, const QColor& stripe, double width,
                 double period, int direction);

    /// Text whose baseline is at y; x is its left, middle or right by the alignment.
    QRectF text(double x, double y, const QString& text, const TextStyle& style);
    /// The same, shortened with an ellipsis to at most `maxWidth`.
    QRectF textFit(double x, double y, double maxWidth, const QString& text,
                   const TextStyle& style);
    /// Text turned by `degrees` (clockwise) about the point, its baseline through (0, dy).
    QRectF textRotated(QPointF at, double degrees, double dy, const QString& text,
                       const TextStyle& style);
    /// Text with an outline in `halo`, legible over lines.
    QRectF textHalo(double x, double y, const QString& text, const TextStyle& style,
                    const QColor& halo);
    /// Word-wrapped text from the top of the rectangle; returns the height used.
    double paragraph(const QRectF& rect, const QString& text, const TextStyle& style,
                     double lineHeight);

    static double width(const QString& text, const QFont& font);

private:
    QRectF boundsOf(double x, double y, const QString& text, const TextStyle& style) const;
    void draw(QPointF baseline, const QString& text, const TextStyle& style);
    void log(const QString& text, const QRectF& bounds, bool elided);

    QPainter& m_painter;
    const Theme& m_theme;
    TextLog* m_log;
    bool m_vector;
    double m_ratio;
};

/// 1056 -> "1,056".
QString grouped(qint64 value);
/// Share 0..1 -> "12.5%", "100%".
QString percent(double share);
/// "+12.3%", "−4.0%".
QString signedPercent(double share);
/// A sentence in lines of about this many characters.
QStringList wrapped(const QString& text, int length = 64);
/// At least three significant digits without trailing zeros: 66.9, 5.6, 0.0606, 1,234.
QString shortNumber(double value);
/// Bytes with the unit that keeps it short: "96 B", "65 KB", "1.5 MB" (KB = 1024 B).
QString bytesText(double bytes);
/// Lanes as ranges: "0–15, 20".
QString laneRanges(unsigned mask);
/// A number of things: "1 line", "33 lines".
QString counted(qint64 n, const QString& singular, const QString& plural = {});

} // namespace lanescope::views
