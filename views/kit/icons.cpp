// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/icons.h"

#include <QByteArray>
#include <QPainter>
#include <QSvgRenderer>

#include "views/kit/theme.h"

namespace lanescope::views {

namespace {

/// SVG body in a 16 x 16 box; @c is the given colour, @e @w @o @a @l @p are err, wait, ok, acc,
/// line2 and pane.
const char* shapeOf(Icon icon) {
    switch (icon) {
    case Icon::ChevronRight:
        return "<path d='M6 4l4 4-4 4' fill='none' stroke='@c' stroke-width='1.5'/>";
    case Icon::ChevronDown:
        return "<path d='M4 6l4 4 4-4' fill='none' stroke='@c' stroke-width='1.5'/>";
    case Icon::ChevronUp:
        return "<path d='M4 10l4-4 4 4' fill='none' stroke='@c' stroke-width='1.5'/>";
    case Icon::ChevronLeft:
        return "<path d='M10 4L6 8l4 4' fill='none' stroke='@c' stroke-width='1.5'/>";
    case Icon::StepBack:
        return "<path d='M11.5 3.5v9L5 8z' fill='@c'/><path d='M3.75 3.5v9' stroke='@c' "
               "stroke-width='1.5'/>";
    case Icon::Step:
        return "<path d='M4.5 3.5v9L11 8z' fill='@c'/><path d='M12.25 3.5v9' stroke='@c' "
               "stroke-width='1.5'/>";
    case Icon::NextLine:
        return "<path d='M2.5 4h11M2.5 12h5M2.5 8H10M12 6.5v4' stroke='@c' stroke-width='1.5' "
               "fill='none'/>"
               "<path d='M10 9.6h4L12 13z' fill='@c'/>";
    case Icon::NextBarrier:
        return "<path d='M12.5 2.5v11' stroke='@c' stroke-width='1.75'/>"
               "<path d='M2 5h6M2 8h6M2 11h6' stroke='@c' stroke-width='1.4'/>"
               "<path d='M8 2.8L11 5 8 7.2zM8 8.8L11 11 8 13.2z' fill='@c'/>";
    case Icon::Play:
        return "<path d='M4.5 2.8v10.4L13 8z' fill='@c'/>";
    case Icon::Pause:
        return "<path d='M4.5 3h2.6v10H4.5zM9 3h2.6v10H9z' fill='@c'/>";
    case Icon::Check:
        return "<path d='M3.5 8.5l3 3 6-7' fill='none' stroke='@c' stroke-width='1.8'/>";
    case Icon::Search:
        return "<circle cx='7' cy='7' r='4' fill='none' stroke='@c' stroke-width='1.4'/>"
               "<path d='M10 10l3.5 3.5' stroke='@c' stroke-width='1.5'/>";
    case Icon::Float:
        return "<path d='M3.5 5.5h7v7h-7zM6 5V3.5h6.5V10H11' fill='none' stroke='@c' "
               "stroke-width='1.2'/>";
    case Icon::Close:
        return "<path d='M4.5 4.5l7 7M11.5 4.5l-7 7' stroke='@c' stroke-width='1.3'/>";
    case Icon::Sun:
        return "<circle cx='8' cy='8' r='2.8' fill='none' stroke='@c' stroke-width='1.4'/>"
               "<path d='M8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 "
               "3.4l-1.4 1.4"
               "M4.8 11.2l-1.4 1.4' stroke='@c' stroke-width='1.3'/>";
    case Icon::Moon:
        return "<path d='M13 9.8A5.6 5.6 0 0 1 6.2 3 5.6 5.6 0 1 0 13 9.8z' fill='none' "
               "stroke='@c' stroke-width='1.4'/>";
    case Icon::Export:
        return "<path d='M8 2.5v7M5 7l3 3 3-3M3 12.8h10' fill='none' stroke='@c' "
               "stroke-width='1.5'/>";
    case Icon::Dots:
        return "<circle cx='3.5' cy='8' r='1.2' fill='@c'/><circle cx='8' cy='8' r='1.2' "
               "fill='@c'/>"
               "<circle cx='12.5' cy='8' r='1.2' fill='@c'/>";
    case Icon::Error:
        return "<path d='M5.2 1.8h5.6L14.2 5.2v5.6l-3.4 3.4H5.2L1.8 10.8V5.2z' fill='@e'/>"
               "<path d='M8 4.3v4.4M8 10.3v1.6' stroke='#fff' stroke-width='1.7'/>";
    case Icon::Warning:
        return "<path d='M8 1.8L15 14H1z' fill='@w'/><path d='M8 6v4M8 11.2v1.5' stroke='#2b1d00' "
               "stroke-width='1.5'/>";
    case Icon::Pass:
        return "<circle cx='8' cy='8' r='6.5' fill='@o'/>"
               "<path d='M4.8 8.3l2.2 2.2 4.2-4.8' fill='none' stroke='#fff' stroke-width='1.6'/>";
    case Icon::Note:
        return "<circle cx='8' cy='8' r='6.3' fill='none' stroke='@a' stroke-width='1.4'/>"
               "<path d='M8 7v4.4M8 4.4v1.5' stroke='@a' stroke-width='1.6'/>";
    case Icon::TickDisc:
        return "<circle cx='8' cy='8' r='6' fill='@o'/>"
               "<path d='M5.2 8.2l2 2 3.7-4.2' fill='none' stroke='@p' stroke-width='1.6'/>";
    case Icon::HalfDisc:
        return "<circle cx='8' cy='8' r='5.4' fill='none' stroke='@a' stroke-width='1.4'/>"
               "<path d='M8 4.4a3.6 3.6 0 0 1 0 7.2z' fill='@a'/>";
    case Icon::Ring:
        return "<circle cx='8' cy='8' r='5.4' fill='none' stroke='@l' stroke-width='1.3'/>";
    case Icon::Pin:
        return "<path d='M8 1.8v3M8 11.2v3M1.8 8h3M11.2 8h3' stroke='@c' stroke-width='1.4'/>"
               "<circle cx='8' cy='8' r='2.6' fill='none' stroke='@c' stroke-width='1.4'/>";
    case Icon::TryIt:
        return "<path d='M9.2 1.5L3.5 9h4l-1 5.5L12.5 7h-4z' fill='@c'/>";
    case Icon::Quiz:
        return "<circle cx='8' cy='8' r='6.3' fill='none' stroke='@c' stroke-width='1.4'/>"
               "<path d='M6 6.3a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4' fill='none' stroke='@c' "
               "stroke-width='1.4'/>"
               "<circle cx='8' cy='11.5' r='.9' fill='@c'/>";
    case Icon::Reload:
        return "<path d='M12.6 6A5 5 0 1 0 13 9' fill='none' stroke='@c' stroke-width='1.5'/>"
               "<path d='M13.4 2.8v3.7H9.7z' fill='@c'/>";
    case Icon::Logo:
        return "<path d='M1 2h14v2.4H1zM11 6.8h4v2.4h-4zM1 11.6h4V14H1z' fill='@a'/>"
               "<path d='M1 6.8h9v2.4H1z' fill='@w'/><path d='M6 11.6h9V14H6z' fill='@o'/>";
    }
    return "";
}

QByteArray document(Icon icon, const QColor& color, const Theme& theme) {
    QByteArray body = shapeOf(icon);
    body.replace("@c", color.name().toLatin1());
    body.replace("@e", theme.err.name().toLatin1());
    body.replace("@w", theme.wait.name().toLatin1());
    body.replace("@o", theme.ok.name().toLatin1());
    body.replace("@a", theme.acc.name().toLatin1());
    body.replace("@l", theme.inbd.name().toLatin1());
    body.replace("@p", theme.pane.name().toLatin1());
    return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>" + body + "</svg>";
}

} // namespace

void drawIcon(QPainter& painter, const QRectF& rect, Icon icon, const QColor& color,
              const Theme& theme) {
    QSvgRenderer renderer(document(icon, color, theme));
    renderer.render(&painter, rect);
}

QPixmap iconPixmap(Icon icon, int size, const QColor& color, const Theme& theme,
                   double devicePixelRatio) {
    QPixmap pixmap(QSize(size, size) * devicePixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    drawIcon(painter, QRectF(0, 0, pixmap.width(), pixmap.height()), icon, color, theme);
    painter.end();
    pixmap.setDevicePixelRatio(devicePixelRatio);
    return pixmap;
}

QIcon icon(Icon shape, const QColor& color, const Theme& theme, int size) {
    QIcon result;
    for (const double ratio : {1.0, 2.0}) {
        result.addPixmap(iconPixmap(shape, size, color, theme, ratio), QIcon::Normal);
        result.addPixmap(iconPixmap(shape, size, theme.dis, theme, ratio), QIcon::Disabled);
    }
    return result;
}

} // namespace lanescope::views
