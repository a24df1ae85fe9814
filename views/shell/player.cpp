// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/player.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lanescope::views {

namespace {

/// Steps made up for at most after a stall (a long repaint, a menu that was open); those beyond are forgotten, not rushed through.
constexpr qint64 kMaxBehind = 8;

} // namespace

Player::Player(Playable playable, Intents* intents, QObject* parent)
    : QObject(parent), m_playable(std::move(playable)), m_intents(intents) {
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &Player::advance);
    connect(intents, &Intents::setPlaying, this, &Player::setPlaying);
    connect(intents, &Intents::setSpeed, this, &Player::setSpeed);
}

void Player::setPlaying(bool on) {
    if (on == m_isPlaying)
        return;
    m_isPlaying = on;
    if (!on) {
        m_timer.stop();
        return;
    }
    if (!m_playable.hasTrace()) {
        emit m_intents->setPlaying(false);
        return;
    }
    // At the end, play again from the start.
    if (m_playable.isAtEnd())
        m_playable.rewind();
    restart();
}

void Player::setSpeed(double stepsPerSecond) {
    m_speed = std::clamp(stepsPerSecond, 0.5, 64.0);
    restart();
}

void Player::setReduced(bool on) {
    m_isReduced = on;
    restart();
}

double Player::period() const { return 1000.0 / (m_isReduced ? std::min(m_speed, 4.0) : m_speed); }

void Player::restart() {
    m_clock.start();
    m_steps = 0;
    m_timer.stop();
    if (m_isPlaying)
        advance();
}

void Player::advance() {
    // While a step is under way, or until its time, there is nothing to do: the bridge's idle() or the timer comes back here.
    if (!m_isPlaying || !m_playable.isIdle())
        return;
    if (!m_playable.hasTrace() || m_playable.isAtEnd() || !m_playable.canStep()) {
        emit m_intents->setPlaying(false);
        return;
    }
    // Steps are due at fixed times, so that a slow one is made up for and the rate holds.
    const qint64 due = static_cast<qint64>(static_cast<double>(m_clock.elapsed()) / period());
    if (m_steps >= due) {
        const double wait = static_cast<double>(m_steps + 1) * period() - static_cast<double>(m_clock.elapsed());
        m_timer.start(static_cast<int>(std::ceil(std::max(0.0, wait))));
        return;
    }
    m_timer.stop();
    m_steps = std::max(m_steps + 1, due - kMaxBehind);
    m_playable.step();
}

} // namespace lanescope::views
