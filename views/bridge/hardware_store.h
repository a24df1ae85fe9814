// SPDX-License-Identifier: GPL-3.0-or-later
// What hardware says, for all panes of a window: Nsight Compute's counters, and jobs on this machine's GPU, one after another.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include <QObject>
#include <QString>

#include "engine/session/ncu_report.h"
#include "views/bridge/gpu_process.h"

namespace lanescope::views {

class HardwareStore : public QObject {
    Q_OBJECT
public:
    /// The store of this window, a child of its intents; the first call makes it. `program`: as GpuProcess.
    static HardwareStore* of(QObject* intents, const QString& program = {});

    /// Null: none was opened.
    const std::shared_ptr<const session::NcuReport>& counters() const { return m_counters; }
    void setCounters(std::shared_ptr<const session::NcuReport> report);

    /// Nothing while jobs run. The first time it is asked whether there is a GPU: without one nothing runs, and note() says so.
    void start(std::vector<GpuJob> jobs);
    void cancel();
    bool isRunning() const { return m_isRunning; }
    /// "Measuring k03_shared, 3 of 12"; empty when nothing runs.
    QString activity() const;
    /// How it ended, in a line: no GPU, cancelled, what was measured. Empty before.
    const QString& note() const { return m_note; }

    /// What went wrong on the GPU with a kernel that was asked for last; a run that succeeds takes it back.
    struct Fault {
        QString kernel, message;
    };
    const std::vector<Fault>& faults() const { return m_faults; }

signals:
    void changed();
    void countersChanged();
    void measured(const lanescope::session::MeasuredPoints& points);
    /// What `lanescope run` printed, when one kernel alone was asked for.
    void reported(const QString& text, const lanescope::session::MeasuredPoints& points);

private:
    HardwareStore(QObject* parent, const QString& program);
    void lookForGpu(); ///< before the jobs that wait
    void next();
    void end(const QString& note);
    void onFinished(const QString& report, const session::MeasuredPoints& points, const QStringList& problems);
    void onFailed(const QString& message, const session::MeasuredPoints& points);

    std::shared_ptr<const session::NcuReport> m_counters;
    GpuProcess* m_process;
    std::deque<GpuJob> m_jobs; ///< the first one runs
    std::size_t m_count = 0, m_points = 0;
    int m_done = 0, m_of = 0; ///< of the job that runs
    bool m_isRunning = false, m_isCancelled = false, m_hasGpu = false;
    QString m_note;
    std::vector<Fault> m_faults;
};

} // namespace lanescope::views
