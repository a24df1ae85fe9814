// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/bridge/gpu_process.h"

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>

namespace lanescope::views {

GpuJob runJob(const QString& kernel, const std::map<std::string, std::int64_t>& parameters, const QString& text) {
    GpuJob job{kernel, kernel, {QStringLiteral("run"), kernel}, text};
    for (const auto& [name, value] : parameters)
        job.arguments << QStringLiteral("-D") << QStringLiteral("%1=%2").arg(QString::fromStdString(name)).arg(value);
    return job;
}

GpuProcess::GpuProcess(QObject* parent, QString program)
    : QObject(parent), m_program(program.isEmpty() ? QCoreApplication::applicationDirPath() + QStringLiteral("/lanescope") : std::move(program)) {}

GpuProcess::~GpuProcess() {
    if (m_process != nullptr) {
        m_process->disconnect(this);
        m_process->kill();
        m_process->waitForFinished(1000);
    }
}

void GpuProcess::start(const GpuJob& job) {
    if (isRunning())
        return;
    m_folder = std::make_unique<QTemporaryDir>();
    m_cancelled = false;
    m_saves = job.saves;
    m_errorLines.clear();
    m_errorTail.clear();
    QStringList arguments = job.arguments;
    if (job.saves)
        arguments << QStringLiteral("--save") << m_folder->filePath(QStringLiteral("points.json"));
    if (!job.text.isEmpty()) {
        QFile file(m_folder->filePath(QStringLiteral("edited.cu")));
        if (file.open(QIODevice::WriteOnly))
            file.write(job.text.toUtf8());
        arguments << QStringLiteral("--text") << file.fileName();
    }
    m_process = new QProcess(this);
    connect(m_process, &QProcess::finished, this, &GpuProcess::onFinished);
    connect(m_process, &QProcess::readyReadStandardError, this, &GpuProcess::readError);
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

void GpuProcess::readError() {
    static const QRegularExpression step(QStringLiteral("^(modelled|measured) (\\d+) of (\\d+)$"));
    m_errorTail += m_process->readAllStandardError();
    for (qsizetype end = m_errorTail.indexOf('\n'); end >= 0; end = m_errorTail.indexOf('\n')) {
        const QString line = QString::fromUtf8(m_errorTail.left(end)).trimmed();
        m_errorTail.remove(0, end + 1);
        if (const QRegularExpressionMatch match = step.match(line); !match.hasMatch())
            m_errorLines << line;
        else if (match.captured(1) == QLatin1String("measured"))
            emit progress(match.captured(2).toInt(), match.captured(3).toInt());
    }
}

void GpuProcess::onFinished() {
    readError();
    if (!m_errorTail.isEmpty())
        m_errorLines << QString::fromUtf8(m_errorTail).trimmed();
    QProcess* const process = std::exchange(m_process, nullptr);
    process->deleteLater();
    const QString out = QString::fromUtf8(process->readAllStandardOutput());
    session::MeasuredPoints points;
    QString unread;
    if (const QString path = m_folder->filePath(QStringLiteral("points.json")); m_saves && QFile::exists(path)) {
        if (auto read = session::readMeasured(path.toStdString()))
            points = std::move(*read);
        else
            unread = QString::fromStdString(toString(read.error()));
    }
    m_folder.reset();
    QStringList problems;
    static const QRegularExpression missing(QStringLiteral("^(?:lanescope: )?(.*not measured: .*)$"));
    for (const QString& line : m_errorLines + out.split(QLatin1Char('\n')))
        if (const QRegularExpressionMatch match = missing.match(line); match.hasMatch())
            problems << match.captured(1).simplified();
    const QString prefix = QStringLiteral("lanescope: "), last = m_errorLines.isEmpty() ? QString() : m_errorLines.last();
    if (m_cancelled)
        emit failed(tr("The run on the GPU was cancelled."), points);
    else if (process->error() == QProcess::FailedToStart)
        emit failed(tr("The program lanescope, which runs kernels on the GPU, is not beside this one (%1).").arg(process->program()), points);
    else if (process->exitStatus() != QProcess::NormalExit || process->exitCode() != 0)
        emit failed(last.startsWith(prefix) ? last.mid(prefix.size()) : last.isEmpty() ? tr("The run on the GPU ended without a result.") : last, points);
    else if (!unread.isEmpty())
        emit failed(unread, points);
    else
        emit finished(out, points, problems);
}

} // namespace lanescope::views
