// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/painted_pane.h"

#include <QPainter>
#include <QResizeEvent>

namespace lanescope::views {

void PaintedPane::setTheme(const Theme& theme) {
    invalidate();
    Pane::setTheme(theme);
}

void PaintedPane::paint(QPainter& painter, const QRectF& rect, const Theme& theme) {
    paintBase(painter, rect, theme);
    paintOverlay(painter, rect, theme);
}

void PaintedPane::invalidate() {
    m_dirty = true;
    update();
}

void PaintedPane::paintEvent(QPaintEvent*) {
    const QRectF area = canvasRect();
    if (area.width() < 1 || area.height() < 1)
        return;
    const qreal ratio = devicePixelRatioF();
    const QSize pixels = (area.size() * ratio).toSize();
    if (m_dirty || m_base.size() != pixels) {
        m_base = QPixmap(pixels);
        m_base.setDevicePixelRatio(ratio);
        m_base.fill(theme().pane);
        QPainter painter(&m_base);
        paintBase(painter, QRectF(QPointF(0, 0), area.size()), theme());
        m_dirty = false;
    }
    QPainter painter(this);
    painter.drawPixmap(area.topLeft(), m_base);
    paintOverlay(painter, area, theme());
}

void PaintedPane::resizeEvent(QResizeEvent* event) {
    m_dirty = true;
    Pane::resizeEvent(event);
}

} // namespace lanescope::views
