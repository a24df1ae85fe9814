// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/pipeline/stage_store.h"

#include "views/kit/environment.h"

namespace lanescope::views {

void StageStore::cancel() {
    m_work.stop();
    m_request = {};
    m_points.clear();
}

void StageStore::start(const session::StageCurveRequest& request) {
    if (request.kernel == m_request.kernel && request.gpu == m_request.gpu && request.parameters == m_request.parameters)
        return;
    m_request = request;
    m_points.clear();
    // Waits for one point of the work before at most.
    m_work.start([this, request](const Background::Task& task) {
        const compile::Environment compilers = ownEnvironment();
        for (int stages = 1; stages <= request.mostStages && !task.cancelled(); ++stages) {
            const auto show = [this, point = session::stagePoint(request, stages, compilers, &task.cancelled())] {
                m_points.push_back(point);
                emit changed();
            };
            if (stages == request.mostStages)
                task.finish(show);
            else
                task.post(show);
        }
    });
    emit changed();
}

} // namespace lanescope::views
