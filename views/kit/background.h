// SPDX-License-Identifier: GPL-3.0-or-later
// Work on a thread of its own for a store or a pane, one piece at a time: the last one asked for counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <utility>

#include <QMetaObject>
#include <QObject>

namespace lanescope::views {

/// A member of its owner, and used from the owner's thread alone. The work must not touch the owner but through Task::post.
class Background {
public:
    /// What the work gets.
    class Task {
    public:
        const std::atomic<bool>& cancelled() const { return m_background.m_cancel; }
        std::stop_token stopToken() const { return m_stop; }
        /// Runs `change` on the owner's thread, unless the work was stopped or other work started before that.
        template <class Change>
        void post(Change change) const {
            Background* const background = &m_background;
            QMetaObject::invokeMethod(
                background->m_owner,
                [background, serial = m_serial, change = std::move(change)]() mutable {
                    if (serial == background->m_serial)
                        change();
                },
                Qt::QueuedConnection);
        }
        /// The same with what ends the work: isBusy() is false when `change` runs.
        template <class Change>
        void finish(Change change) const {
            post([background = &m_background, change = std::move(change)]() mutable {
                background->m_isBusy = false;
                change();
            });
        }

    private:
        friend class Background;
        Task(Background& background) : m_background(background), m_serial(background.m_serial), m_stop(background.m_stop.get_token()) {}
        Background& m_background;
        std::uint64_t m_serial;
        std::stop_token m_stop;
    };

    explicit Background(QObject* owner) : m_owner(owner) {}
    ~Background() { stop(); }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// Stops what runs and starts work(const Task&).
    template <class Work>
    void start(Work work) {
        stop();
        m_isBusy = true;
        m_thread = std::thread([task = Task(*this), work = std::move(work)]() mutable { work(task); });
    }
    /// Asks the work to end, and leaves it the time: what it posts still arrives.
    void cancel() { m_cancel = true; }
    /// Cancels and waits. Nothing that was posted arrives any more.
    void stop() {
        m_cancel = true;
        m_stop.request_stop();
        if (m_thread.joinable())
            m_thread.join();
        m_cancel = false;
        m_stop = {};
        ++m_serial;
        m_isBusy = false;
    }
    bool isBusy() const { return m_isBusy; }

private:
    QObject* m_owner;
    std::thread m_thread;
    std::atomic<bool> m_cancel{false};
    std::stop_source m_stop;
    std::uint64_t m_serial = 0;
    bool m_isBusy = false;
};

} // namespace lanescope::views
