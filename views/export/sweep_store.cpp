// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/sweep_store.h"

namespace lanescope::views {

void SweepStore::start(const SweepRequest& request) {
    m_work.stop(); // waits for one cell at most
    auto plan = planSweep(request);
    auto data = std::make_shared<SweepData>();
    if (plan)
        *data = std::move(*plan);
    else
        data->problem = toString(plan.error());
    m_data = data;
    // Each picture is a value of its own.
    if (!data->cells.empty())
        m_work.start([this, work = *data](const Background::Task& task) mutable {
            const auto show = [&] {
                return [this, picture = std::make_shared<const SweepData>(work)] {
                    m_data = picture;
                    emit changed();
                };
            };
            runSweep(work, &task.cancelled(), [&](std::size_t) { task.post(show()); });
            task.finish(show());
        });
    emit changed();
}

void SweepStore::cancel() {
    m_work.cancel();
}

} // namespace lanescope::views
