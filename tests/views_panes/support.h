// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the panes share: an application without a display, pictures, text checks.
#pragma once

#include <functional>

#include <QImage>
#include <QString>

#include "views/export/canvas.h"
#include "views/kit/pane.h"

namespace lanescope::views::test {

/// Makes the QApplication (offscreen) on the first call.
void startApplication();

/// Paints through a canvas of this size and returns what was written where.
TextLog paintLogged(const QSizeF& size, const std::function<void(Canvas&)>& paint,
                    ThemeKind kind = ThemeKind::Light);

/// The first pair of texts that overlap by more than a pixel, as a message; empty: none.
QString overlapping(const TextLog& log);
/// The first text outside the rectangle or shortened, as a message; empty: none.
QString clipped(const TextLog& log, const QRectF& rect, bool elisionAllowed = false);

/// Number of pixels that differ from the first one's colour: not zero when something was painted.
int inkedPixels(const QImage& image);

/// The pane drawn to an image of this size.
QImage picture(Pane& pane, const QSize& size, ThemeKind kind = ThemeKind::Light);
/// Saves to the folder named by LANESCOPE_PICTURES, if any: for people who look at them.
void keep(const QImage& image, const QString& name);

} // namespace lanescope::views::test
