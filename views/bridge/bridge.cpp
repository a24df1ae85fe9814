// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/bridge/bridge.h"

#include <QMetaObject>

#include <algorithm>

namespace lanescope::views {

void Worker::run(quint64 serial, const Job& job) {
    m_serial = serial;
    if (!m_backend)
        m_backend = m_factory(
            [this](SnapshotPtr snapshot) { emit progress(m_serial, std::move(snapshot)); });
    emit finished(serial, job(*m_backend));
}

Bridge::Bridge(BackendFactory factory, QObject* parent)
    : QObject(parent), m_worker(new Worker(std::move(factory))),
      m_snapshot(std::make_shared<session::Snapshot>()) {
    qRegisterMetaType<SnapshotPtr>("lanescope::views::SnapshotPtr");
    for (QTimer* timer : {&m_parameterTimer, &m_textTimer, &m_moveTimer})
        timer->setSingleShot(true);
    m_moveTimer.setTimerType(Qt::PreciseTimer);
    connect(&m_parameterTimer, &QTimer::timeout, this, &Bridge::flushParameters);
    connect(&m_textTimer, &QTimer::timeout, this, &Bridge::flushText);
    connect(&m_moveTimer, &QTimer::timeout, this, &Bridge::dispatch);
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    connect(m_worker, &Worker::finished, this, &Bridge::onFinished, Qt::QueuedConnection);
    connect(
        m_worker, &Worker::progress, this,
        [this](quint64 serial, const SnapshotPtr& snapshot) {
            if (serial == m_serial && m_isRunning)
                publish(snapshot);
        },
        Qt::QueuedConnection);
    m_thread.setObjectName(QStringLiteral("session"));
    m_thread.start();
}

Bridge::~Bridge() {
    m_waiting.clear();
    cancel();
    m_thread.quit();
    m_thread.wait();
}

void Bridge::openKernel(const QString& id, const Parameters& parameters, const QString& gpu,
                        std::optional<session::CodeForm> form) {
    m_editedText.reset();
    m_editedParameters.clear();
    m_waiting.clear();
    m_selection = {};
    enqueue({Kind::Open, [id = id.toStdString(), gpu = gpu.toStdString(), form,
                          parameters](Backend& backend, Backend::Cancel cancel) {
                 // The program that was open need not be modelled on the new device or in the new
                 // form: that work is cancelled before it begins.
                 const std::atomic<bool> isCancelled{true};
                 if (!gpu.empty())
                     backend.setDevice(gpu, &isCancelled);
                 if (form)
                     backend.setForm(*form, &isCancelled);
                 return backend.openKernel(id, parameters, cancel);
             }});
}

void Bridge::openFile(const QString& path) {
    m_editedText.reset();
    m_editedParameters.clear();
    m_waiting.clear();
    m_selection = {};
    enqueue({Kind::Open, [path = path.toStdString()](Backend& backend, Backend::Cancel cancel) {
                 return backend.openFile(path, cancel);
             }});
}

void Bridge::setDevice(const QString& id) {
    enqueue({Kind::Device, [id = id.toStdString()](Backend& backend, Backend::Cancel cancel) {
                 return backend.setDevice(id, cancel);
             }});
}

void Bridge::setForm(session::CodeForm form) {
    enqueue({Kind::Device, [form](Backend& backend, Backend::Cancel cancel) {
                 return backend.setForm(form, cancel);
             }});
}

void Bridge::setTimingWanted(bool wanted) {
    enqueue({Kind::Device, [wanted](Backend& backend, Backend::Cancel cancel) {
                 return backend.setTimingWanted(wanted, cancel);
             }});
}

void Bridge::setTimingFigures(const timing::Overrides& figures) {
    enqueue({Kind::Device, [figures](Backend& backend, Backend::Cancel cancel) {
                 return backend.setTimingFigures(figures, cancel);
             }});
}

void Bridge::editText(const QString& text) {
    m_editedText = text;
    m_textTimer.start(kTextIdleMs);
}

void Bridge::setParameter(const QString& name, std::int64_t value) {
    m_editedParameters[name.toStdString()] = value;
    m_parameterTimer.start(kParameterIdleMs);
}

void Bridge::setParameters(const Parameters& values) {
    for (const auto& [name, value] : values)
        m_editedParameters[name] = value;
    flushParameters();
}

void Bridge::replaceInText(const QString& from, const QString& to) {
    enqueue({Kind::Edit, [from = from.toStdString(),
                          to = to.toStdString()](Backend& backend, Backend::Cancel cancel) {
                 const SnapshotPtr now = backend.snapshot();
                 std::string text = now->program ? now->program->cudaText : std::string();
                 const auto at = text.find(from);
                 if (at == std::string::npos)
                     return now;
                 text.replace(at, from.size(), to);
                 return backend.setText(text, cancel);
             }});
}

void Bridge::flushParameters() {
    m_parameterTimer.stop();
    if (m_editedParameters.empty())
        return;
    enqueue({Kind::Values,
             [values = std::move(m_editedParameters)](Backend& backend, Backend::Cancel cancel) {
                 return backend.setParameters(values, cancel);
             }});
    m_editedParameters.clear();
}

void Bridge::flushText() {
    m_textTimer.stop();
    if (!m_editedText)
        return;
    enqueue({Kind::Text,
             [text = m_editedText->toStdString()](Backend& backend, Backend::Cancel cancel) {
                 return backend.setText(text, cancel);
             }});
    m_editedText.reset();
}

void Bridge::select(const session::Selection& selection) {
    m_selection = selection;
    // A selection does not move in time: a waiting seek must still happen.
    enqueueMove([selection](Backend& backend) { return backend.select(selection); }, false);
}

void Bridge::seek(std::uint32_t index) {
    enqueueMove([index](Backend& backend) { return backend.seek(index); }, true);
}

void Bridge::step(session::StepUnit unit) {
    enqueueMove([unit](Backend& backend) { return backend.step(unit); }, false);
}

void Bridge::stepBack(session::StepUnit unit) {
    enqueueMove([unit](Backend& backend) { return backend.stepBack(unit); }, false);
}

void Bridge::runToLine(std::uint32_t cudaLine, const session::AccessTarget& otherwise) {
    enqueueMove([cudaLine, otherwise](
                    Backend& backend) { return backend.runToLine(cudaLine, otherwise); },
                false);
}

void Bridge::cancel() {
    if (m_cancel)
        m_cancel->store(true);
}

bool Bridge::isIdle() const {
    return !m_isRunning && m_waiting.empty() && !m_parameterTimer.isActive() &&
           !m_textTimer.isActive();
}

void Bridge::enqueueMove(std::function<SnapshotPtr(Backend&)> work, bool isAbsolute) {
    // A newer seek makes an older one that still waits pointless, as long as nothing depends on it
    // in between.
    if (isAbsolute && !m_waiting.empty() && m_waiting.back().kind == Kind::Move &&
        m_waiting.back().replacesMoves)
        m_waiting.pop_back();
    enqueue({Kind::Move,
             [work = std::move(work)](Backend& backend, Backend::Cancel) { return work(backend); },
             isAbsolute});
}

void Bridge::enqueue(Pending pending) {
    if (pending.kind == Kind::Open || pending.kind == Kind::Text || pending.kind == Kind::Values) {
        // Work of this kind that runs or waits is of no use any more; parameters add up, so those
        // that wait stay.
        if (pending.kind != Kind::Values)
            std::erase_if(m_waiting,
                          [&](const Pending& other) { return other.kind == pending.kind; });
        if (m_isRunning && m_runningKind != Kind::Move)
            cancel();
    }
    m_waiting.push_back(std::move(pending));
    dispatch();
}

void Bridge::dispatch() {
    if (m_isRunning || m_waiting.empty())
        return;
    const bool isMove = m_waiting.front().kind == Kind::Move;
    if (isMove && m_moveTimer.isActive())
        return;
    // All moves at the head run as one job, whose last snapshot is published.
    auto end = m_waiting.begin() + 1;
    if (isMove)
        end = std::find_if(m_waiting.begin(), m_waiting.end(),
                           [](const Pending& pending) { return pending.kind != Kind::Move; });
    std::vector<Pending> batch(std::make_move_iterator(m_waiting.begin()),
                               std::make_move_iterator(end));
    m_waiting.erase(m_waiting.begin(), end);
    m_isRunning = true;
    m_runningKind = batch.front().kind;
    m_cancel = std::make_shared<std::atomic<bool>>(false);
    const quint64 serial = ++m_serial;
    if (isMove)
        m_moveTimer.start(kMoveIntervalMs);
    Worker::Job job = [batch = std::move(batch), cancel = m_cancel](Backend& backend) {
        SnapshotPtr last;
        for (const Pending& pending : batch)
            last = pending.work(backend, cancel.get());
        return last;
    };
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, serial, job = std::move(job)] { worker->run(serial, job); },
        Qt::QueuedConnection);
}

void Bridge::onFinished(quint64 serial, const SnapshotPtr& snapshot) {
    if (serial != m_serial)
        return;
    m_isRunning = false;
    const bool wasOvertaken = m_runningKind != Kind::Move && m_cancel->load() && !m_waiting.empty();
    if (snapshot && !wasOvertaken)
        publish(snapshot);
    dispatch();
    if (isIdle())
        emit idle();
}

void Bridge::publish(const SnapshotPtr& snapshot) {
    m_snapshot = snapshot;
    if (!snapshot->busy && m_waiting.empty())
        m_selection = snapshot->selection;
    emit published(snapshot);
}

} // namespace lanescope::views
