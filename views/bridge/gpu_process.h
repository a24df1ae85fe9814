// SPDX-License-Identifier: GPL-3.0-or-later
// Work on this machine's GPU: `lanescope`, the program beside this one, in a process that may fault or hang without the window.
#pragma once

#include <map>
#include <memory>

#include <QObject>
#include <QString>
#include <QStringList>

#include "engine/session/measured.h"

class QProcess;
class QTemporaryDir;

namespace lanescope::views {

/// What `lanescope` is to do, and of which kernel.
struct GpuJob {
    QString name;   ///< "k01_naive", "the ladder"
    QString kernel; ///< id of the kernel that runs; empty: several
    QStringList arguments; ///< without --save
    QString text;   ///< edited CUDA text, or empty
    bool saves = true; ///< takes --save; else it only prints
};
/// `lanescope run` of a kernel of the catalog.
GpuJob runJob(const QString& kernel, const std::map<std::string, std::int64_t>& parameters, const QString& text = {});

class GpuProcess : public QObject {
    Q_OBJECT
public:
    /// `program`: the path of `lanescope`; empty: the one beside this program.
    explicit GpuProcess(QObject* parent = nullptr, QString program = {});
    ~GpuProcess() override;

    /// Nothing while one runs.
    void start(const GpuJob& job);
    bool isRunning() const { return m_process != nullptr; }
    void cancel();

signals:
    /// Of a job with several parts.
    void progress(int done, int of);
    /// report: what `lanescope` prints; it may say that the result is wrong. problems: one line for each part that was not measured.
    void finished(const QString& report, const lanescope::session::MeasuredPoints& points, const QStringList& problems);
    /// One line: no GPU, a fault, a time limit, cancelled. points: what was measured before that.
    void failed(const QString& message, const lanescope::session::MeasuredPoints& points);

private:
    void readError();
    void onFinished();

    QString m_program;
    QProcess* m_process = nullptr;
    std::unique_ptr<QTemporaryDir> m_folder;
    QStringList m_errorLines;
    QByteArray m_errorTail;
    bool m_cancelled = false, m_saves = true;
};

} // namespace lanescope::views
