// SPDX-License-Identifier: GPL-3.0-or-later
// Plays the trace: a step of the selected warp at every tick, until its end.
#pragma once

#include <QObject>
#include <QTimer>

#include "views/kit/pane.h"

namespace lanescope::views {

class Bridge;

class Player : public QObject {
    Q_OBJECT
public:
    Player(Bridge* bridge, Intents* intents, QObject* parent);

    bool isPlaying() const { return m_timer.isActive(); }
    void setPlaying(bool on);
    /// 0.5 to 64 steps a second.
    void setSpeed(double stepsPerSecond);
    /// Reduced motion: at most four steps a second.
    void setReduced(bool on);

private:
    void tick();
    void applySpeed();

    Bridge* m_bridge;
    Intents* m_intents;
    QTimer m_timer;
    double m_speed = 4;
    bool m_isOwed = false; ///< a tick came while a step was under way
    bool m_isReduced = false;
};

} // namespace lanescope::views
