// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/pipeline/stage_store.h"

#include <cstdlib>

namespace lanescope::views {

StageStore::~StageStore() {
    stop();
}

void StageStore::stop() {
    m_cancel = true;
    if (m_thread.joinable())
        m_thread.join();
    m_cancel = false;
    ++m_serial;
    m_isBusy = false;
}

void StageStore::cancel() {
    stop();
    m_request = {};
    m_points.clear();
}

void StageStore::start(const session::StageCurveRequest& request) {
    if (request.kernel == m_request.kernel && request.gpu == m_request.gpu && request.parameters == m_request.parameters)
        return;
    stop(); // waits for one point at most
    m_request = request;
    m_points.clear();
    m_isBusy = true;
    emit changed();
    // The destructor joins, so `this` outlives the thread.
    m_thread = std::thread([this, request, serial = m_serial] {
        const compile::Environment compilers = compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
        for (int stages = 1; stages <= request.mostStages && !m_cancel; ++stages) {
            const session::StagePoint point = session::stagePoint(request, stages, compilers, &m_cancel);
            QMetaObject::invokeMethod(
                this,
                [this, serial, point, isLast = stages == request.mostStages] {
                    if (serial != m_serial)
                        return;
                    m_points.push_back(point);
                    m_isBusy = !isLast;
                    emit changed();
                },
                Qt::QueuedConnection);
        }
    });
}

} // namespace lanescope::views
