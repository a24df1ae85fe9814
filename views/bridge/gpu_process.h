// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel on this machine's GPU: `lanescope run`, the program beside this one, in a process that may fault or hang without the window.
#pragma once

#include <map>
#include <memory>

#include <QObject>
#include <QString>

#include "engine/session/measured.h"

class QProcess;
class QTemporaryDir;

namespace lanescope::views {

class GpuProcess : public QObject {
    Q_OBJECT
public:
    /// `program`: the path of `lanescope`; empty: the one beside this program.
    explicit GpuProcess(QObject* parent = nullptr, QString program = {});
    ~GpuProcess() override;

    /// Runs a kernel of the catalog with these parameters. `text`: edited CUDA text, or empty. Nothing while one runs.
    void start(const QString& kernel, const std::map<std::string, std::int64_t>& parameters, const QString& text);
    bool isRunning() const { return m_process != nullptr; }
    void cancel();

signals:
    /// report: what `lanescope run` prints; it may say that the result is wrong.
    void finished(const QString& report, const lanescope::session::MeasuredPoints& points);
    /// One line: no GPU, a fault, a time limit, cancelled.
    void failed(const QString& message);

private:
    void onFinished();

    QString m_program;
    QProcess* m_process = nullptr;
    std::unique_ptr<QTemporaryDir> m_folder;
    bool m_cancelled = false;
};

} // namespace lanescope::views
