// SPDX-License-Identifier: GPL-3.0-or-later
// The transport of the compare page: the buttons, and below them how far the selected warp is on each side, on one axis of instructions.
#pragma once

#include "views/panes/compare/compare_view.h"

namespace lanescope::views {

class ControlBar;

/// Emits step, stepBack, setPlaying and seek; seek's index counts instructions of the selected warp.
class CompareTransport : public Pane {
    Q_OBJECT
public:
    explicit CompareTransport(Intents* intents, QWidget* parent = nullptr);

    void setSnapshot(const SnapshotPtr&) override {}
    void setView(const CompareView& view);
    void setTheme(const Theme& theme) override;
    QSize sizeHint() const override { return {1200, 104}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Axis {
        double left = 0, right = 0;
        double length = 1;
        double x(double position) const { return left + (right - left) * position / length; }
    };
    Axis axis() const;
    QString text(std::size_t side) const;
    void seekTo(double x);

    ControlBar* m_bar;
    CompareView m_view;
};

} // namespace lanescope::views
