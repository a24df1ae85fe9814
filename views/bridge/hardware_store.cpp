// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/bridge/hardware_store.h"

namespace lanescope::views {

HardwareStore* HardwareStore::of(QObject* intents, const QString& program) {
    if (auto* store = intents->findChild<HardwareStore*>(QString(), Qt::FindDirectChildrenOnly))
        return store;
    return new HardwareStore(intents, program);
}

HardwareStore::HardwareStore(QObject* parent, const QString& program) : QObject(parent), m_process(new GpuProcess(this, program)) {
    connect(m_process, &GpuProcess::finished, this, &HardwareStore::onFinished);
    connect(m_process, &GpuProcess::failed, this, &HardwareStore::onFailed);
    connect(m_process, &GpuProcess::progress, this, [this](int done, int of) {
        m_done = done;
        m_of = of;
        emit changed();
    });
}

void HardwareStore::setCounters(std::shared_ptr<const session::NcuReport> report) {
    m_counters = std::move(report);
    emit countersChanged();
}

void HardwareStore::start(std::vector<GpuJob> jobs) {
    if (m_isRunning || jobs.empty())
        return;
    m_jobs.assign(std::make_move_iterator(jobs.begin()), std::make_move_iterator(jobs.end()));
    m_count = m_jobs.size();
    m_points = 0;
    m_isRunning = true;
    m_isCancelled = false;
    m_note.clear();
    if (!m_hasGpu)
        lookForGpu();
    next();
}

void HardwareStore::lookForGpu() {
    m_jobs.push_front({tr("this machine's GPU"), {}, {QStringLiteral("devices"), QStringLiteral("--here")}, {}, false});
}

void HardwareStore::cancel() {
    if (!m_isRunning)
        return;
    m_isCancelled = true;
    m_process->cancel();
}

QString HardwareStore::activity() const {
    if (!m_isRunning || m_jobs.empty())
        return {};
    if (!m_jobs.front().saves)
        return tr("Looking for a GPU");
    QString text = tr("Measuring %1").arg(m_jobs.front().name);
    if (m_of > 0)
        text += tr(", %1 of %2").arg(std::min(m_done + 1, m_of)).arg(m_of);
    else if (m_count > 1)
        text += tr(", %1 of %2").arg(m_count - m_jobs.size() + 1).arg(m_count);
    return text;
}

void HardwareStore::next() {
    m_done = m_of = 0;
    m_process->start(m_jobs.front());
    emit changed();
}

void HardwareStore::end(const QString& note) {
    m_jobs.clear();
    m_isRunning = false;
    m_note = note;
    emit changed();
}

void HardwareStore::onFinished(const QString& report, const session::MeasuredPoints& points, const QStringList& problems) {
    const GpuJob job = std::move(m_jobs.front());
    m_jobs.pop_front();
    if (!job.saves) {
        m_hasGpu = true;
    } else {
        std::erase_if(m_faults, [&](const Fault& f) { return f.kernel == job.kernel; });
        if (!problems.isEmpty())
            m_faults.push_back({job.kernel, problems.size() == 1 ? problems.front() : tr("%1, and %2 more").arg(problems.front()).arg(problems.size() - 1)});
        m_points += points.points.size();
        emit measured(points);
        if (m_count == 1 && job.arguments.value(0) == QLatin1String("run"))
            emit reported(report, points);
    }
    if (m_isCancelled)
        end(tr("The run on the GPU was cancelled."));
    else if (m_jobs.empty())
        end(m_points == 1 ? tr("1 point measured on this machine's GPU.") : tr("%1 points measured on this machine's GPU.").arg(m_points));
    else
        next();
}

void HardwareStore::onFailed(const QString& message, const session::MeasuredPoints& points) {
    const GpuJob job = std::move(m_jobs.front());
    m_jobs.pop_front();
    if (!points.points.empty()) {
        m_points += points.points.size();
        emit measured(points);
    }
    if (m_isCancelled || !job.saves) { // nobody's fault; without a GPU nothing else can run
        end(message);
        return;
    }
    std::erase_if(m_faults, [&](const Fault& f) { return f.kernel == job.kernel; });
    m_faults.push_back({job.kernel, message});
    if (!m_jobs.empty()) {
        // The GPU may have been taken away with it: it is looked for again.
        m_hasGpu = false;
        lookForGpu();
        next();
        return;
    }
    end(m_count == 1 ? message : tr("%1 points measured; %2: %3").arg(m_points).arg(job.name, message));
}

} // namespace lanescope::views
