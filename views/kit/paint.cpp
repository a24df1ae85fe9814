// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/paint.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <cmath>

#include "views/kit/shaped_text.h"
#include "views/kit/theme.h"

namespace lanescope::views {

namespace {

double onHalfPixel(double position) {
    return std::floor(position) + 0.5;
}

void fillLine(QPainter& painter, const QLineF& line, const QColor& color, double width) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, width != std::floor(width));
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(line);
    painter.restore();
}

} // namespace

void hLine(QPainter& painter, double x1, double x2, double y, const QColor& color, double width) {
    y = onHalfPixel(y);
    fillLine(painter, QLineF(x1, y, x2, y), color, width);
}

void vLine(QPainter& painter, double x, double y1, double y2, const QColor& color, double width) {
    x = onHalfPixel(x);
    fillLine(painter, QLineF(x, y1, x, y2), color, width);
}

void crispFrame(QPainter& painter, const QRectF& rect, const QColor& color, double radius) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, radius > 0);
    painter.setPen(QPen(color, 1));
    painter.setBrush(Qt::NoBrush);
    const QRectF inner(onHalfPixel(rect.left()), onHalfPixel(rect.top()),
                       std::floor(rect.width()) - 1, std::floor(rect.height()) - 1);
    if (radius > 0)
        painter.drawRoundedRect(inner, radius, radius);
    else
        painter.drawRect(inner);
    painter.restore();
}

double drawText(QPainter& painter, const QRectF& rect, const QString& text, const QFont& font,
                const QColor& color, int flags) {
    QString shown = text;
    double width = shapedText(font, shown).width;
    if (width > rect.width() + 0.5) {
        shown = QFontMetricsF(font).elidedText(text, Qt::ElideRight, std::max(0.0, rect.width()));
        width = shapedText(font, shown).width;
    }
    const ShapedText& shaped = shapedText(font, shown);
    const double height = shaped.ascent + shaped.descent;
    const double left = (flags & Qt::AlignRight) != 0     ? rect.right() - width
                        : (flags & Qt::AlignHCenter) != 0 ? rect.center().x() - width / 2
                                                          : rect.left();
    const double top = (flags & Qt::AlignBottom) != 0    ? rect.bottom() - height
                       : (flags & Qt::AlignVCenter) != 0 ? rect.center().y() - height / 2
                                                         : rect.top();
    painter.setPen(color);
    drawShaped(painter, QPointF(left, top + shaped.ascent), shown, font);
    return width;
}

double textWidth(const QFont& font, const QString& text) {
    return shapedText(font, text).width;
}

void drawChip(QPainter& painter, const QRectF& rect, const QString& text, const QFont& font,
              const QColor& fill, const QColor& border, const QColor& textColor, double radius) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF inner = rect.adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(border.isValid() ? QPen(border, 1) : QPen(Qt::NoPen));
    painter.setBrush(fill);
    painter.drawRoundedRect(inner, radius, radius);
    painter.restore();
    drawText(painter, rect, text, font, textColor, Qt::AlignCenter);
}

double drawKeyCap(QPainter& painter, const QRectF& rect, const QString& key, const Theme& theme,
                  bool onAccent) {
    const QFont font = Theme::mono(10, QFont::Medium);
    const double width = std::ceil(textWidth(font, key)) + 9;
    const QRectF cap(std::round(rect.right() - width), std::round(rect.center().y() - 8), width,
                     16);
    drawChip(painter, cap, key, font, onAccent ? QColor(Qt::transparent) : theme.pane,
             onAccent ? theme.onacc : theme.line, onAccent ? theme.onacc : theme.tx3, 3);
    return width;
}

void drawTip(QPainter& painter, const QPointF& at, const QStringList& lines, const QRectF& bounds,
             const Theme& theme) {
    const QFont first = Theme::mono(11, QFont::DemiBold), rest = Theme::mono(11);
    double width = 0;
    for (const QString& line : lines)
        width = std::max(width, textWidth(&line == &lines.front() ? first : rest, line));
    QRectF box(at.x() + 8, at.y() - 8 - 8.5 * double(lines.size()), width + 20,
               11 + 17.0 * double(lines.size()));
    if (box.right() > bounds.right() - 2)
        box.moveRight(std::max(bounds.left() + box.width() + 2, at.x() - 8));
    box.moveTop(std::clamp(box.top(), bounds.top() + 2,
                           std::max(bounds.top() + 2, bounds.bottom() - box.height() - 2)));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.tip);
    painter.drawRoundedRect(box, 3, 3);
    painter.restore();
    double y = box.top() + 6;
    for (const QString& line : lines) {
        drawText(painter, QRectF(box.left() + 10, y, box.width() - 12, 17), line,
                 &line == &lines.front() ? first : rest, theme.tiptx);
        y += 17;
    }
}

QString countedText(qint64 n, const QString& one, const QString& many) {
    return (n == 1 ? one : many).arg(QLocale(QLocale::English).toString(n));
}

QString figureText(double value, const QString& unit, bool isShort) {
    const QLocale locale(QLocale::English);
    const auto scaled = [&](std::initializer_list<std::pair<double, const char*>> prefixes) {
        for (const auto& [factor, name] : prefixes)
            if (std::abs(value) >= factor)
                return QStringLiteral("%1 %2").arg(QString::number(value / factor, 'g', 4),
                                                   QString::fromUtf8(name));
        return QString::number(value);
    };
    if (unit == QLatin1String("1"))
        return locale.toString(100.0 * value, 'f', 1) + QLatin1Char('%');
    if (unit == QLatin1String("s") && value > 0)
        return scaled({{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}});
    if (unit == QLatin1String("FLOP/s") && value > 0)
        return scaled({{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1, ""}});
    if (isShort && std::abs(value) >= 1e6)
        return value >= 1e9 ? QStringLiteral("%1G").arg(value / 1e9, 0, 'f', 2)
                            : QStringLiteral("%1M").arg(value / 1e6, 0, 'f', 2);
    if (value == std::floor(value))
        return locale.toString(value, 'f', 0);
    return locale.toString(value, 'f', std::abs(value) >= 100 ? 1 : std::abs(value) >= 1 ? 2 : 4);
}

QString ratioText(double left, double right) {
    if (left == 0 || right == 0)
        return QStringLiteral("–");
    const double ratio = left / right;
    return QStringLiteral("%1×").arg(ratio, 0, 'f', ratio < 0.1 || ratio >= 100 ? 2 : 1);
}

void drawEmpty(QPainter& painter, const QRectF& rect, const QString& text, const Theme& theme) {
    painter.save();
    painter.setFont(Theme::ui(12));
    painter.setPen(theme.tx3);
    painter.drawText(rect.adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, text);
    painter.restore();
}

} // namespace lanescope::views
