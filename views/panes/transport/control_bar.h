// SPDX-License-Identifier: GPL-3.0-or-later
// The transport's row of buttons, its speed slider, the legend and the event counter.
#pragma once

#include <functional>

#include <QWidget>

#include "engine/session/snapshot.h"
#include "views/kit/pane.h"

class QSlider;

namespace lanescope::views {

class KeyButton;
class SegmentedButtons;

/// What the bar's buttons can do and where the trace stands.
struct ControlState {
    QString unit = QStringLiteral("Event"); ///< of the counter
    std::uint32_t index = 0, count = 0;
    bool hasTrace = false, canStep = false, canStepBack = false, hasBarrier = false;
    bool hasTiming = false; ///< the strips can count cycles
    QString timingProblem;  ///< why they never can; empty: they can, once the timing is there
    bool hasLegend = true; ///< of the warp strips

    static ControlState of(const session::Snapshot* snapshot);
};

class ControlBar : public QWidget {
public:
    ControlBar(Intents* intents, QWidget* parent);

    void setTheme(const Theme& theme);
    void setState(const ControlState& state);
    bool isPlaying() const { return m_playing; }
    /// Whether the strips' axis is cycles; no timing: events.
    bool showsCycles() const { return m_state.hasTiming && m_wantsCycles; }
    /// Shows cycles as soon as there is a timing, or events.
    void setWantsCycles(bool on);
    std::function<void()> onAxis; ///< the user switched the axis
    void togglePlaying();

    /// Speed slider: position 0..1000 to 0.5..64 steps a second, logarithmic.
    static double speedAt(int position);
    static int positionOf(double stepsPerSecond);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF legendArea() const;
    void showPlaying(bool on);
    void place();

    Intents* m_intents;
    const Theme* m_theme;
    KeyButton *m_back, *m_step, *m_line, *m_barrier, *m_play;
    SegmentedButtons* m_axis;
    QSlider* m_speed;
    bool m_playing = false, m_wantsCycles = false;
    ControlState m_state;
    double m_speedX = 0, m_legendX = 0;
};

} // namespace lanescope::views
