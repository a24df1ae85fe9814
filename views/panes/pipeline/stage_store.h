// SPDX-License-Identifier: GPL-3.0-or-later
// Times a kernel with one stage, two, ... on a thread of its own and hands out what is done so far.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include <QObject>

#include "engine/session/stage_curve.h"

namespace lanescope::views {

class StageStore : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~StageStore() override;

    const std::vector<session::StagePoint>& points() const { return m_points; }
    bool isBusy() const { return m_isBusy; }
    /// Stops what runs and starts this, unless it is what was asked for last.
    void start(const session::StageCurveRequest& request);
    void cancel();

signals:
    void changed();

private:
    void stop();

    std::vector<session::StagePoint> m_points;
    session::StageCurveRequest m_request;
    std::thread m_thread;
    std::atomic<bool> m_cancel{false};
    bool m_isBusy = false;
    int m_serial = 0;
};

} // namespace lanescope::views
