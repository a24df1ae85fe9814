// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/canvas.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <QFontMetricsF>
#include <QLocale>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainterPath>
#include <QStringList>

#include "views/kit/shaped_text.h"

namespace lanescope::views {
namespace {

bool vectorDevice(const QPainter& painter) {
    const QPaintEngine* engine = painter.paintEngine();
    return engine != nullptr &&
           (engine->type() == QPaintEngine::SVG || engine->type() == QPaintEngine::Pdf);
}

QPen pen(const QColor& color, double width, const QList<double>& dash = {}) {
    QPen p(color, width);
    p.setCapStyle(Qt::FlatCap);
    p.setJoinStyle(Qt::MiterJoin);
    if (!dash.isEmpty()) {
        QList<double> pattern = dash;
        for (double& d : pattern)
            d /= width; // Qt counts dashes in pen widths
        p.setDashPattern(pattern);
    }
    return p;
}

/// The part of the line x * direction + y = c inside the rectangle, as from and to; false if none.
bool clipDiagonal(const QRectF& r, double c, int direction, QPointF& from, QPointF& to) {
    // y = c - direction * x
    double x0 = r.left(), x1 = r.right();
    const double xa = direction * (c - r.top()), xb = direction * (c - r.bottom());
    x0 = std::max(x0, std::min(xa, xb));
    x1 = std::min(x1, std::max(xa, xb));
    if (x1 - x0 < 0.05)
        return false;
    from = {x0, c - direction * x0};
    to = {x1, c - direction * x1};
    return true;
}

} // namespace

bool TextLog::contains(const QString& part) const {
    return std::any_of(items.begin(), items.end(),
                       [&](const TextItem& item) { return item.text.contains(part); });
}

Canvas::Canvas(QPainter& painter, const Theme& theme, TextLog* log)
    : m_painter(painter), m_theme(theme), m_log(log), m_vector(vectorDevice(painter)),
      m_ratio(painter.device() != nullptr ? painter.device()->devicePixelRatioF() : 1.0) {
    m_painter.setRenderHint(QPainter::Antialiasing, true);
    m_painter.setRenderHint(QPainter::TextAntialiasing, true);
}

void Canvas::fill(const QRectF& rect, const QColor& color) {
    if (rect.width() > 0 && rect.height() > 0)
        m_painter.fillRect(rect, color);
}

void Canvas::box(const QRectF& rect, const QColor& fillColor, const QColor& stroke, double width,
                 double radius) {
    const double inset = stroke.isValid() ? width / 2 : 0;
    const QRectF r = rect.adjusted(inset, inset, -inset, -inset);
    if (r.width() < 0 || r.height() < 0)
        return;
    m_painter.setPen(stroke.isValid() ? pen(stroke, width) : QPen(Qt::NoPen));
    m_painter.setBrush(fillColor.isValid() ? QBrush(fillColor) : QBrush(Qt::NoBrush));
    if (radius > 0)
        m_painter.drawRoundedRect(r, radius, radius);
    else
        m_painter.drawRect(r);
}

void Canvas::line(QPointF from, QPointF to, const QColor& color, double width,
                  const QList<double>& dash) {
    m_painter.setPen(pen(color, width, dash));
    m_painter.drawLine(from, to);
}

void Canvas::polyline(const QList<QPointF>& points, const QColor& color, double width,
                      const QList<double>& dash) {
    QPen p = pen(color, width, dash);
    p.setJoinStyle(Qt::RoundJoin);
    m_painter.setPen(p);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawPolyline(points.constData(), static_cast<int>(points.size()));
}

void Canvas::polygon(const QList<QPointF>& points, const QColor& color) {
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(color);
    m_painter.drawPolygon(points.constData(), static_cast<int>(points.size()));
}

void Canvas::connector(QPointF from, QPointF to, const QColor& color, double width) {
    if (std::abs(from.y() - to.y()) < 0.5) {
        line(from, {to.x(), from.y()}, color, width);
        return;
    }
    const double middle = (from.x() + to.x()) / 2;
    QPainterPath path(from);
    path.cubicTo({middle, from.y()}, {middle, to.y()}, to);
    m_painter.setPen(pen(color, width));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawPath(path);
}

void Canvas::circle(QPointF center, double radius, const QColor& fillColor, const QColor& stroke,
                    double width) {
    m_painter.setPen(stroke.isValid() ? pen(stroke, width) : QPen(Qt::NoPen));
    m_painter.setBrush(fillColor.isValid() ? QBrush(fillColor) : QBrush(Qt::NoBrush));
    m_painter.drawEllipse(center, radius, radius);
}

void Canvas::texture(const QRectF& rect, Texture kind) {
    if (rect.width() <= 0 || rect.height() <= 0)
        return;
    if (!m_vector) {
        m_painter.fillRect(rect, m_theme.brush(kind, m_ratio));
        return;
    }
    const Theme& t = m_theme;
    const auto dots = [&](const QColor& back, const QColor& dot, double radius) {
        fill(rect, back);
        for (double y = std::ceil((rect.top() + 2) / 6) * 6; y < rect.bottom() - 1; y += 6)
            for (double x = std::ceil((rect.left() + 1) / 6) * 6; x < rect.right() - 1; x += 6)
                circle({x, y}, radius, dot, {});
    };
    switch (kind) {
    case Texture::Waiting:
        stripes(rect, t.waitbg, t.waithatch, 2.2, 6, 1);
        return;
    case Texture::Unused:
        stripes(rect, t.accbg, t.accbd, 1.2, 5, 1);
        return;
    case Texture::InFlight:
        stripes(rect, t.okbg, t.ok, 2, 7, -1);
        return;
    case Texture::Done:
        dots(t.done, t.donehatch, 0.9);
        return;
    case Texture::Landed:
        dots(t.alt, t.tx3, 1.1);
        return;
    case Texture::Barrier:
        fill(rect, t.barbg);
        for (double x = std::floor(rect.left() / 5) * 5; x < rect.right(); x += 5) {
            const double x0 = std::max(x, rect.left()), x1 = std::min(x + 2, rect.right());
            fill({x0, rect.top(), x1 - x0, rect.height()}, t.barhatch);
        }
        return;
    }
}

void Canvas::stripes(const QRectF& rect, const QColor& background, const QColor& stripe,
                     double width, double period, int direction) {
    fill(rect, background);
    m_painter.setPen(pen(stripe, width));
    const double step = period * std::sqrt(2.0); // along an axis
    const double a = direction * rect.left() + rect.top();
    const double b = direction * rect.right() + rect.bottom();
    const double c2 = direction * rect.left() + rect.bottom();
    const double c3 = direction * rect.right() + rect.top();
    const double low = std::min({a, b, c2, c3}), high = std::max({a, b, c2, c3});
    QPointF from, to;
    for (double c = std::ceil(low / step) * step; c < high; c += step)
        if (clipDiagonal(rect, c, direction, from, to))
            m_painter.drawLine(from, to);
}

double Canvas::width(const QString& text, const QFont& font) {
    return shapedText(font, text).width;
}

void Canvas::draw(QPointF baseline, const QString& text, const TextStyle& style) {
    m_painter.setPen(style.color);
    if (m_vector) {
        m_painter.setFont(style.font);
        m_painter.drawText(baseline, text);
    } else {
        drawShaped(m_painter, baseline, text, style.font);
    }
}

QRectF Canvas::boundsOf(double x, double y, const QString& text, const TextStyle& style) const {
    const ShapedText& shaped = shapedText(style.font, text);
    const double w = shaped.width;
    const double left = style.align == Align::Left    ? x
                        : style.align == Align::Right ? x - w
                                                      : x - w / 2;
    // Cap height above, a short descent below: what a reader sees, not the line's leading.
    const double up = shaped.capHeight, down = shaped.descent * 0.6;
    return {left, y - up, w, up + down};
}

void Canvas::log(const QString& text, const QRectF& bounds, bool elided) {
    if (m_log != nullptr && !text.isEmpty())
        m_log->items.push_back({text, bounds, elided});
}

QRectF Canvas::text(double x, double y, const QString& text, const TextStyle& style) {
    const QRectF bounds = boundsOf(x, y, text, style);
    draw(QPointF(bounds.left(), y), text, style);
    log(text, bounds, false);
    return bounds;
}

QRectF Canvas::textFit(double x, double y, double maxWidth, const QString& full,
                       const TextStyle& style) {
    if (width(full, style.font) <= maxWidth + 0.5)
        return text(x, y, full, style);
    const QString cut = QFontMetricsF(style.font).elidedText(full, Qt::ElideRight, maxWidth);
    const QRectF bounds = boundsOf(x, y, cut, style);
    draw(QPointF(bounds.left(), y), cut, style);
    log(cut, bounds, true);
    return bounds;
}

QRectF Canvas::textRotated(QPointF at, double degrees, double dy, const QString& text,
                           const TextStyle& style) {
    const QRectF bounds = boundsOf(0, dy, text, style);
    m_painter.save();
    m_painter.translate(at);
    m_painter.rotate(degrees);
    m_painter.setFont(style.font);
    m_painter.setPen(style.color);
    m_painter.drawText(QPointF(bounds.left(), dy), text);
    m_painter.restore();
    QTransform turn;
    turn.translate(at.x(), at.y());
    turn.rotate(degrees);
    const QRectF mapped = turn.mapRect(bounds);
    log(text, mapped, false);
    return mapped;
}

QRectF Canvas::textHalo(double x, double y, const QString& full, const TextStyle& style,
                        const QColor& halo) {
    const QRectF bounds = boundsOf(x, y, full, style);
    if (m_vector) {
        QPainterPath path;
        path.addText(QPointF(bounds.left(), y), style.font, full);
        QPen outline(halo, 3);
        outline.setJoinStyle(Qt::RoundJoin);
        m_painter.setPen(outline);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawPath(path);
    } else {
        // Copies around it: asking for glyph outlines changes how the font's next glyphs are
        // rasterised, so the same picture would differ from one time to the next.
        m_painter.setPen(halo);
        for (int dx = -1; dx <= 1; ++dx)
            for (int dy = -1; dy <= 1; ++dy)
                if (dx != 0 || dy != 0)
                    drawShaped(m_painter, QPointF(bounds.left() + 1.4 * dx, y + 1.4 * dy), full, style.font);
    }
    return text(x, y, full, style);
}

double Canvas::paragraph(const QRectF& rect, const QString& full, const TextStyle& style,
                         double lineHeight) {
    const QStringList words = full.split(' ', Qt::SkipEmptyParts);
    double y = rect.top() + lineHeight * 0.75;
    QString lineText;
    int lines = 0;
    const auto flush = [&] {
        if (lineText.isEmpty())
            return;
        textFit(style.align == Align::Center ? rect.center().x() : style.align == Align::Right ? rect.right() : rect.left(), y, rect.width(), lineText, style);
        y += lineHeight;
        ++lines;
        lineText.clear();
    };
    for (const QString& word : words) {
        const QString longer = lineText.isEmpty() ? word : lineText + ' ' + word;
        if (!lineText.isEmpty() && width(longer, style.font) > rect.width()) {
            flush();
            lineText = word;
        } else {
            lineText = longer;
        }
    }
    flush();
    return lines * lineHeight;
}

QString grouped(qint64 value) {
    QLocale locale(QLocale::English, QLocale::UnitedStates);
    return locale.toString(value);
}

QString signedPercent(double share) {
    return (share >= 0 ? QStringLiteral("+") : QStringLiteral("−")) + QString::number(std::fabs(100 * share), 'f', 1) + QLatin1Char('%');
}

QStringList wrapped(const QString& text, int length) {
    QStringList lines;
    QString line;
    for (const QString& word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        if (!line.isEmpty() && line.size() + word.size() >= length) {
            lines << line;
            line.clear();
        }
        line += (line.isEmpty() ? QString() : QStringLiteral(" ")) + word;
    }
    return line.isEmpty() ? lines : lines << line;
}

QString percent(double share) {
    const double p = share * 100;
    QString s = QString::number(p, 'f', 1);
    if (s.endsWith(QLatin1String(".0")))
        s.chop(2);
    return s + '%';
}

QString shortNumber(double value) {
    if (!std::isfinite(value))
        return QStringLiteral("–");
    if (value == 0)
        return QStringLiteral("0");
    const double size = std::abs(value);
    if (size >= 1000)
        return grouped(std::llround(value));
    if (size < 0.001 || size >= 1e6)
        return QString::number(value, 'g', 3);
    const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(size))), 0, 6);
    QString s = QString::number(value, 'f', decimals);
    if (s.contains('.')) {
        while (s.endsWith('0'))
            s.chop(1);
        if (s.endsWith('.'))
            s.chop(1);
    }
    return s;
}

QString bytesText(double bytes) {
    if (bytes < 1024)
        return QString::number(bytes, 'f', 0) + QStringLiteral(" B");
    if (bytes < 1024 * 1024)
        return shortNumber(bytes / 1024) + QStringLiteral(" KB");
    if (bytes < 1024.0 * 1024 * 1024)
        return shortNumber(bytes / 1024 / 1024) + QStringLiteral(" MB");
    return shortNumber(bytes / 1024 / 1024 / 1024) + QStringLiteral(" GB");
}

QString laneRanges(unsigned mask) {
    QStringList parts;
    for (int lane = 0; lane < 32;) {
        if (((mask >> lane) & 1u) == 0) {
            ++lane;
            continue;
        }
        const int run = std::countr_one(mask >> lane);
        parts += run == 1   ? QString::number(lane)
                 : run == 2 ? QStringLiteral("%1, %2").arg(lane).arg(lane + 1)
                            : QStringLiteral("%1–%2").arg(lane).arg(lane + run - 1);
        lane += run;
    }
    return parts.join(QStringLiteral(", "));
}

QString counted(qint64 n, const QString& singular, const QString& plural) {
    return grouped(n) + ' ' + (n == 1 ? singular : plural.isEmpty() ? singular + 's' : plural);
}

} // namespace lanescope::views
