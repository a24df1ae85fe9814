// SPDX-License-Identifier: GPL-3.0-or-later
// Between the window and the session's thread. The window calls in, gets snapshots out, and never
// waits: moves that come faster than 60 a second are joined into one, edits are held back until the
// user pauses, and work that a newer edit has overtaken is cancelled.
#pragma once

#include <QObject>
#include <QString>
#include <QThread>
#include <QTimer>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "views/bridge/backend.h"

namespace lanescope::views {

/// Lives in the worker's thread and runs jobs one after another.
class Worker : public QObject {
    Q_OBJECT
public:
    explicit Worker(BackendFactory factory) : m_factory(std::move(factory)) {}

    using Job = std::function<SnapshotPtr(Backend&)>;

    void run(quint64 serial, const Job& job);

signals:
    void progress(quint64 serial, lanescope::views::SnapshotPtr snapshot);
    void finished(quint64 serial, lanescope::views::SnapshotPtr snapshot);

private:
    BackendFactory m_factory;
    std::unique_ptr<Backend> m_backend;
    quint64 m_serial = 0;
};

class Bridge : public QObject {
    Q_OBJECT
public:
    /// New pictures are to be there 150 ms after an edit: a quarter of that is spent waiting for the next one.
    static constexpr int kParameterIdleMs = 40;
    static constexpr int kTextIdleMs = 400;
    /// Shorter than a frame, so that Play at 60 steps a second never meets a move that still waits.
    static constexpr int kMoveIntervalMs = 12;

    explicit Bridge(BackendFactory factory, QObject* parent = nullptr);
    ~Bridge() override;

    /// `gpu`: model this device from now on, `form`: in this form; empty: as before.
    void openKernel(const QString& id, const Parameters& parameters, const QString& gpu = {},
                    std::optional<session::CodeForm> form = {});
    void openFile(const QString& path);
    void setDevice(const QString& id);
    void setForm(session::CodeForm form);
    void setTimingWanted(bool wanted);
    void setTimingFigures(const timing::Overrides& figures);
    /// Takes effect when no further edit came for kTextIdleMs (kParameterIdleMs).
    void editText(const QString& text);
    void setParameter(const QString& name, std::int64_t value);
    void setParameters(const Parameters& values);
    /// Replaces the first occurrence in the text of the open program; nothing when there is none.
    void replaceInText(const QString& from, const QString& to);

    void select(const session::Selection& selection);
    void seek(std::uint32_t index);
    void step(session::StepUnit unit);
    void stepBack(session::StepUnit unit);
    /// `otherwise`: where to run to when the line has no access (session::Session::runToLine).
    void runToLine(std::uint32_t cudaLine, const session::AccessTarget& otherwise = {});
    /// Stops the work under way; the program stays open.
    void cancel();

    /// The latest snapshot; never null.
    const SnapshotPtr& snapshot() const { return m_snapshot; }
    /// The selection that the latest command asks for, which snapshots may not show yet.
    const session::Selection& selection() const { return m_selection; }
    /// Nothing runs, waits or is held back.
    bool isIdle() const;

signals:
    void published(const lanescope::views::SnapshotPtr& snapshot);
    void idle();

private:
    /// Work that compiles or simulates; it overtakes waiting work of its own kind.
    enum class Kind { Open, Text, Values, Device, Edit, Move };
    struct Pending {
        Kind kind;
        std::function<SnapshotPtr(Backend&, const std::atomic<bool>*)> work;
        bool replacesMoves = false;
    };

    void enqueue(Pending pending);
    void enqueueMove(std::function<SnapshotPtr(Backend&)> work, bool isAbsolute);
    void dispatch();
    void onFinished(quint64 serial, const SnapshotPtr& snapshot);
    void flushParameters();
    void flushText();
    void publish(const SnapshotPtr& snapshot);

    QThread m_thread;
    Worker* m_worker;
    std::vector<Pending> m_waiting;
    std::shared_ptr<std::atomic<bool>> m_cancel;
    bool m_isRunning = false;
    Kind m_runningKind = Kind::Move;
    quint64 m_serial = 0;
    QTimer m_parameterTimer, m_textTimer, m_moveTimer;
    Parameters m_editedParameters;
    std::optional<QString> m_editedText;
    SnapshotPtr m_snapshot;
    session::Selection m_selection;
};

} // namespace lanescope::views

Q_DECLARE_METATYPE(lanescope::views::SnapshotPtr)
