// SPDX-License-Identifier: GPL-3.0-or-later
// A pane that is one picture: a base layer, kept in a pixmap until what it shows changes, and a
// cheap overlay (hover, playhead). Both go through Pane::paint for exports.
#pragma once

#include <QPixmap>

#include "views/kit/pane.h"

namespace lanescope::views {

class PaintedPane : public Pane {
public:
    using Pane::Pane;

    void setTheme(const Theme& theme) override;
    void paint(QPainter& painter, const QRectF& rect, const Theme& theme) override;

protected:
    virtual void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) = 0;
    virtual void paintOverlay(QPainter&, const QRectF&, const Theme&) {}
    /// The part of the widget that the picture fills: all of it, unless controls take some.
    virtual QRectF canvasRect() const { return rect(); }
    /// The base layer must be drawn again.
    void invalidate();

    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QPixmap m_base;
    bool m_dirty = true;
};

} // namespace lanescope::views
