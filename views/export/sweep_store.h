// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a sweep on a thread of its own and hands out what is done so far.
#pragma once

#include <memory>

#include <QObject>

#include "views/export/sweep_data.h"
#include "views/kit/background.h"

namespace lanescope::views {

class SweepStore : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Never null: the latest picture, complete or not.
    const std::shared_ptr<const SweepData>& data() const { return m_data; }
    bool isBusy() const { return m_work.isBusy(); }
    /// Stops what runs and starts this.
    void start(const SweepRequest& request);
    /// What is done stays.
    void cancel();

signals:
    void changed();

private:
    std::shared_ptr<const SweepData> m_data = std::make_shared<SweepData>();
    Background m_work{this};
};

} // namespace lanescope::views
