// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/lane_pane.h"

#include <algorithm>

#include <QKeyEvent>
#include <QMouseEvent>

#include "views/export/canvas.h"
#include "views/kit/paint.h"

namespace lanescope::views {

LanePane::LanePane(const QString& id, const QString& title, Intents* intents, QWidget* parent)
    : PaintedPane(id, title, intents, parent) {
    setMouseTracking(true);
    setMinimumSize(360, 150);
}

const session::FrameView& LanePane::frame() const {
    static const session::FrameView none;
    return m_snapshot ? m_snapshot->frame : none;
}

void LanePane::setSnapshot(const SnapshotPtr& snapshot) {
    m_snapshot = snapshot;
    m_hover = m_preview = -1;
    refreshed();
    emit contextChanged();
    invalidate();
}

void LanePane::setContext(const QString& context) {
    m_context = context;
}

void LanePane::setHoverLane(int lane) {
    if (lane == m_preview)
        return;
    m_preview = lane;
    update();
}

void LanePane::paintOverlay(QPainter& painter, const QRectF& rect, const Theme& theme) {
    const int shown = m_pinned >= 0 ? m_pinned : m_hover >= 0 ? m_hover : m_preview;
    const int lane = shown >= 0 ? shown : m_compared;
    if (lane < 0)
        return;
    Canvas canvas(painter, theme);
    const QPointF anchor = markLane(canvas, rect, lane);
    if (m_compared >= 0) {
        const int selected = selectedLane();
        markLane(canvas, rect, m_compared);
        QStringList lines{QStringLiteral("Lane %1").arg(selected)};
        lines += laneTip(selected);
        lines += QStringLiteral("Lane %1").arg(m_compared);
        lines += laneTip(m_compared);
        if (const QString distance = laneDistance(selected, m_compared); !distance.isEmpty())
            lines += distance;
        drawTip(painter, anchor, lines, tipBounds(rect), theme);
    } else if (m_pinned >= 0 || m_hover >= 0) {
        drawTip(painter, anchor, laneTip(lane), tipBounds(rect), theme);
    }
}

void LanePane::mouseMoveEvent(QMouseEvent* event) {
    hoverTo(laneAt(event->position()));
}

void LanePane::leaveEvent(QEvent*) {
    hoverTo(-1);
}

void LanePane::mousePressEvent(QMouseEvent* event) {
    const int lane = laneAt(event->position());
    if (lane < 0)
        return;
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        m_pinned = m_pinned == lane ? -1 : lane;
        update();
    } else if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        m_compared = m_compared == lane || lane == selectedLane() ? -1 : lane;
        update();
    } else {
        m_compared = -1;
        emit intents()->selectLane(lane);
    }
}

void LanePane::keyPressEvent(QKeyEvent* event) {
    const int lane = selectedLane();
    const bool back = event->key() == Qt::Key_Up, forward = event->key() == Qt::Key_Down;
    if (event->key() == Qt::Key_Escape && (m_pinned >= 0 || m_compared >= 0)) {
        m_pinned = m_compared = -1;
        update();
    } else if ((back || forward) && event->modifiers().testFlag(Qt::ShiftModifier)) {
        const int from = m_compared >= 0 ? m_compared : lane;
        const int to = std::clamp(from + (forward ? 1 : -1), 0, kWarpSize - 1);
        m_compared = to == lane ? -1 : to;
        update();
    } else if (back && lane > 0) {
        emit intents()->selectLane(lane - 1);
    } else if (forward && lane + 1 < kWarpSize) {
        emit intents()->selectLane(lane + 1);
    } else {
        Pane::keyPressEvent(event);
    }
}

void LanePane::hoverTo(int lane) {
    if (lane == m_hover)
        return;
    m_hover = lane;
    emit intents()->hoverLane(lane);
    update();
}

} // namespace lanescope::views
