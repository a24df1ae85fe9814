// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/player.h"

#include <algorithm>

#include "views/bridge/bridge.h"

namespace lanescope::views {

Player::Player(Bridge* bridge, Intents* intents, QObject* parent)
    : QObject(parent), m_bridge(bridge), m_intents(intents) {
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &Player::tick);
    connect(bridge, &Bridge::idle, this, [this] {
        if (m_isOwed && m_timer.isActive())
            tick();
    });
    connect(intents, &Intents::setPlaying, this, &Player::setPlaying);
    connect(intents, &Intents::setSpeed, this, &Player::setSpeed);
    applySpeed();
}

void Player::setPlaying(bool on) {
    if (on == m_timer.isActive())
        return;
    if (!on) {
        m_timer.stop();
        return;
    }
    const SnapshotPtr& snapshot = m_bridge->snapshot();
    if (!snapshot->trace) {
        emit m_intents->setPlaying(false);
        return;
    }
    // At the end, play again from the start.
    if (snapshot->frame.index >= snapshot->trace->events.size())
        m_bridge->seek(0);
    m_timer.start();
}

void Player::setSpeed(double stepsPerSecond) {
    m_speed = std::clamp(stepsPerSecond, 0.5, 64.0);
    applySpeed();
}

void Player::setReduced(bool on) {
    m_isReduced = on;
    applySpeed();
}

void Player::applySpeed() {
    m_timer.setInterval(
        static_cast<int>(1000.0 / (m_isReduced ? std::min(m_speed, 4.0) : m_speed)));
}

void Player::tick() {
    const SnapshotPtr& snapshot = m_bridge->snapshot();
    // A slow step delays the next, which then follows at once: what is on screen is what has been reached.
    if (!m_bridge->isIdle()) {
        m_isOwed = true;
        return;
    }
    m_isOwed = false;
    if (!snapshot->trace || snapshot->frame.index >= snapshot->trace->events.size() ||
        !snapshot->frame.nextPc) {
        emit m_intents->setPlaying(false);
        return;
    }
    m_bridge->step(session::StepUnit::Instruction);
}

} // namespace lanescope::views
