// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/sweep_store.h"

namespace lanescope::views {

SweepStore::~SweepStore() {
    stop();
}

void SweepStore::stop() {
    m_cancel = true;
    if (m_thread.joinable())
        m_thread.join();
    m_cancel = false;
    ++m_serial;
}

void SweepStore::start(const SweepRequest& request) {
    stop(); // waits for one cell at most
    auto plan = planSweep(request);
    auto data = std::make_shared<SweepData>();
    if (plan)
        *data = std::move(*plan);
    else
        data->problem = toString(plan.error());
    m_data = data;
    m_isBusy = !data->cells.empty();
    emit changed();
    if (!m_isBusy)
        return;
    // The destructor joins, so `this` outlives the thread. Each picture is a value of its own.
    m_thread = std::thread([this, work = *data, serial = m_serial]() mutable {
        const auto publish = [&](bool isLast) {
            QMetaObject::invokeMethod(
                this,
                [this, serial, isLast, picture = std::make_shared<const SweepData>(work)] {
                    if (serial != m_serial)
                        return;
                    m_data = picture;
                    m_isBusy = !isLast;
                    emit changed();
                },
                Qt::QueuedConnection);
        };
        runSweep(work, &m_cancel, [&](std::size_t) { publish(false); });
        publish(true);
    });
}

void SweepStore::cancel() {
    m_cancel = true;
}

} // namespace lanescope::views
