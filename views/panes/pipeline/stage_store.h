// SPDX-License-Identifier: GPL-3.0-or-later
// Times a kernel with one stage, two, ... on a thread of its own and hands out what is done so far.
#pragma once

#include <vector>

#include <QObject>

#include "engine/session/stage_curve.h"
#include "views/kit/background.h"

namespace lanescope::views {

class StageStore : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    const std::vector<session::StagePoint>& points() const { return m_points; }
    bool isBusy() const { return m_work.isBusy(); }
    /// Stops what runs and starts this, unless it is what was asked for last.
    void start(const session::StageCurveRequest& request);
    void cancel();

signals:
    void changed();

private:
    std::vector<session::StagePoint> m_points;
    session::StageCurveRequest m_request;
    Background m_work{this};
};

} // namespace lanescope::views
