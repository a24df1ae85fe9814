// SPDX-License-Identifier: GPL-3.0-or-later
// The program's icons: 16 x 16 shapes drawn in a theme's colours.
#pragma once

#include <QIcon>
#include <QPixmap>
#include <QRectF>

class QPainter;

namespace lanescope::views {

struct Theme;

enum class Icon {
    ChevronRight,
    ChevronDown,
    ChevronUp,
    ChevronLeft,
    StepBack,
    Step,
    NextLine,
    NextBarrier,
    Play,
    Pause,
    Check,
    Search,
    Float,
    Close,
    Sun,
    Moon,
    Export,
    Dots,
    Error,
    Warning,
    Pass,
    Note,
    TickDisc,
    HalfDisc,
    Ring,
    Pin,
    TryIt,
    Quiz,
    Reload,
    Logo
};

/// Draws the icon into the rectangle in one colour (Error, Warning, Pass, the discs and the logo
/// keep the theme's own colours).
void drawIcon(QPainter& painter, const QRectF& rect, Icon icon, const QColor& color,
              const Theme& theme);
QPixmap iconPixmap(Icon icon, int size, const QColor& color, const Theme& theme,
                   double devicePixelRatio = 1.0);
/// For actions and buttons: normal in `color`, disabled in the theme's dis.
QIcon icon(Icon icon, const QColor& color, const Theme& theme, int size = 16);

} // namespace lanescope::views
