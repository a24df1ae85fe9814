// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a sweep on a thread of its own and hands out what is done so far.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include <QObject>

#include "views/export/sweep_data.h"

namespace lanescope::views {

class SweepStore : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~SweepStore() override;

    /// Never null: the latest picture, complete or not.
    const std::shared_ptr<const SweepData>& data() const { return m_data; }
    bool isBusy() const { return m_isBusy; }
    /// Stops what runs and starts this.
    void start(const SweepRequest& request);
    /// What is done stays.
    void cancel();

signals:
    void changed();

private:
    void stop();

    std::shared_ptr<const SweepData> m_data = std::make_shared<SweepData>();
    std::thread m_thread;
    std::atomic<bool> m_cancel{false};
    bool m_isBusy = false;
    int m_serial = 0;
};

} // namespace lanescope::views
