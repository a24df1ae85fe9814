// SPDX-License-Identifier: GPL-3.0-or-later
// Plays the trace: steps of the selected warp at a steady rate, until its end.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>

#include "views/kit/pane.h"

namespace lanescope::views {

/// What is played: the window's session, or the two of a comparison.
struct Playable {
    std::function<bool()> isIdle;
    std::function<bool()> hasTrace;
    std::function<bool()> isAtEnd; ///< of the trace
    std::function<bool()> canStep; ///< the selected warp goes on
    std::function<void()> step;
    std::function<void()> rewind;
};

class Player : public QObject {
    Q_OBJECT
public:
    Player(Playable playable, Intents* intents, QObject* parent);

    /// Makes the step that is due, or waits for its time or for the work under way, whose end must come here.
    void advance();

    bool isPlaying() const { return m_isPlaying; }
    void setPlaying(bool on);
    /// 0.5 to 64 steps a second.
    void setSpeed(double stepsPerSecond);
    /// Reduced motion: at most four steps a second.
    void setReduced(bool on);

private:
    /// Counts the time of the next steps from now.
    void restart();
    double period() const;

    Playable m_playable;
    Intents* m_intents;
    QTimer m_timer;
    double m_speed = 4;
    QElapsedTimer m_clock;   ///< since the rate last changed
    qint64 m_steps = 0;      ///< made since then
    bool m_isPlaying = false;
    bool m_isReduced = false;
};

} // namespace lanescope::views
