// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/bridge/gpu_process.h"

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

namespace lanescope::views {

GpuProcess::GpuProcess(QObject* parent, QString program)
    : QObject(parent), m_program(program.isEmpty() ? QCoreApplication::applicationDirPath() + QStringLiteral("/lanescope") : std::move(program)) {}

GpuProcess::~GpuProcess() {
    if (m_process != nullptr) {
        m_process->disconnect(this);
        m_process->kill();
        m_process->waitForFinished(1000);
    }
}

void GpuProcess::start(const QString& kernel, const std::map<std::string, std::int64_t>& parameters, const QString& text) {
    if (isRunning())
        return;
    m_folder = std::make_unique<QTemporaryDir>();
    m_cancelled = false;
    QStringList arguments{QStringLiteral("run"), kernel, QStringLiteral("--save"), m_folder->filePath(QStringLiteral("points.json"))};
    for (const auto& [name, value] : parameters)
        arguments << QStringLiteral("-D") << QStringLiteral("%1=%2").arg(QString::fromStdString(name)).arg(value);
    if (!text.isEmpty()) {
        QFile file(m_folder->filePath(QStringLiteral("edited.cu")));
        if (file.open(QIODevice::WriteOnly))
            file.write(text.toUtf8());
        arguments << QStringLiteral("--text") << file.fileName();
    }
    m_process = new QProcess(this);
    connect(m_process, &QProcess::finished, this, &GpuProcess::onFinished);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            onFinished();
    });
    m_process->start(m_program, arguments);
}

void GpuProcess::cancel() {
    if (m_process == nullptr)
        return;
    m_cancelled = true;
    m_process->terminate();
}

void GpuProcess::onFinished() {
    QProcess* const process = std::exchange(m_process, nullptr);
    process->deleteLater();
    const QString out = QString::fromUtf8(process->readAllStandardOutput()), error = QString::fromUtf8(process->readAllStandardError()).trimmed();
    const bool started = process->error() != QProcess::FailedToStart;
    if (m_cancelled)
        emit failed(tr("The run on the GPU was cancelled."));
    else if (!started)
        emit failed(tr("The program lanescope, which runs kernels on the GPU, is not beside this one (%1).").arg(process->program()));
    else if (process->exitStatus() != QProcess::NormalExit || process->exitCode() != 0)
        emit failed(error.startsWith(QStringLiteral("lanescope: ")) ? error.mid(11) : error.isEmpty() ? tr("The run on the GPU ended without a result.") : error);
    else if (const auto points = session::readMeasured(m_folder->filePath(QStringLiteral("points.json")).toStdString()))
        emit finished(out, *points);
    else
        emit failed(QString::fromStdString(toString(points.error())));
    m_folder.reset();
}

} // namespace lanescope::views
