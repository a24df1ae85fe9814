// SPDX-License-Identifier: GPL-3.0-or-later
// Plays the trace: steps of the selected warp at a steady rate, until its end.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "views/kit/pane.h"

namespace lanescope::views {

class Bridge;

class Player : public QObject {
    Q_OBJECT
public:
    Player(Bridge* bridge, Intents* intents, QObject* parent);

    bool isPlaying() const { return m_isPlaying; }
    void setPlaying(bool on);
    /// 0.5 to 64 steps a second.
    void setSpeed(double stepsPerSecond);
    /// Reduced motion: at most four steps a second.
    void setReduced(bool on);

private:
    /// Makes the step that is due, or waits for its time or for the bridge.
    void advance();
    /// Counts the time of the next steps from now.
    void restart();
    double period() const;

    Bridge* m_bridge;
    Intents* m_intents;
    QTimer m_timer;
    double m_speed = 4;
    QElapsedTimer m_clock;   ///< since the rate last changed
    qint64 m_steps = 0;      ///< made since then
    bool m_isPlaying = false;
    bool m_isReduced = false;
};

} // namespace lanescope::views
