// SPDX-License-Identifier: GPL-3.0-or-later
// A painted pane whose parts belong to lanes: hover previews, a click selects, Shift+click compares a lane with the selected one,
// Ctrl+click pins the tooltip, arrow keys go from lane to lane, Esc lets go.
#pragma once

#include <QPointF>
#include <QStringList>

#include "views/export/painted_pane.h"

namespace lanescope::views {

class Canvas;

class LanePane : public PaintedPane {
public:
    LanePane(const QString& id, const QString& title, Intents* intents, QWidget* parent);

    QString context() const override { return m_context; }
    void setSnapshot(const SnapshotPtr& snapshot) final;
    void setHoverLane(int lane) final;

protected:
    /// The lane at a position of the canvas, -1: none.
    virtual int laneAt(QPointF at) = 0;
    /// Marks a lane's parts; returns where its tooltip starts.
    virtual QPointF markLane(Canvas& canvas, const QRectF& rect, int lane) = 0;
    /// Lines of a lane's tooltip.
    virtual QStringList laneTip(int lane) = 0;
    /// How the second lane's place differs from the first one's, in one line; may be empty.
    virtual QString laneDistance(int first, int second) = 0;
    /// Where tooltips may stand.
    virtual QRectF tipBounds(const QRectF& rect) { return rect; }
    /// The snapshot is another: choices that depend on it.
    virtual void refreshed() = 0;

    const SnapshotPtr& snapshot() const { return m_snapshot; }
    /// An empty frame when there is no snapshot.
    const session::FrameView& frame() const;
    int selectedLane() const { return m_snapshot ? m_snapshot->selection.lane : 0; }
    void setContext(const QString& context);

    void paintOverlay(QPainter& painter, const QRectF& rect, const Theme& theme) final;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void hoverTo(int lane);

    SnapshotPtr m_snapshot;
    QString m_context;
    int m_hover = -1, m_preview = -1; ///< under the pointer here, in another pane
    int m_pinned = -1, m_compared = -1;
};

} // namespace lanescope::views
