// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/bridge/session_backend.h"

namespace lanescope::views {

namespace {

class SessionBackend final : public Backend {
public:
    explicit SessionBackend(session::SessionOptions options) : m_session(std::move(options)) {}

    SnapshotPtr openKernel(const std::string& id, const Parameters& parameters,
                           Cancel cancel) override {
        return m_session.openKernel(id, parameters, cancel);
    }
    SnapshotPtr openFile(const std::string& path, Cancel cancel) override {
        return m_session.openFile(path, cancel);
    }
    SnapshotPtr setText(const std::string& cudaText, Cancel cancel) override {
        return m_session.setText(cudaText, cancel);
    }
    SnapshotPtr setParameters(const Parameters& values, Cancel cancel) override {
        return m_session.setParameters(values, cancel);
    }
    SnapshotPtr setDevice(const std::string& id, Cancel cancel) override {
        return m_session.setDevice(id, cancel);
    }
    SnapshotPtr setForm(session::CodeForm form, Cancel cancel) override {
        return m_session.setForm(form, cancel);
    }
    SnapshotPtr setTimingWanted(bool wanted, Cancel cancel) override {
        return m_session.setTimingWanted(wanted, cancel);
    }
    SnapshotPtr setTimingFigures(const timing::Overrides& figures, Cancel cancel) override {
        return m_session.setTimingFigures(figures, cancel);
    }
    SnapshotPtr select(const session::Selection& selection) override {
        return m_session.select(selection);
    }
    SnapshotPtr seek(std::uint32_t index) override { return m_session.seek(index); }
    SnapshotPtr step(session::StepUnit unit) override { return m_session.step(unit); }
    SnapshotPtr stepBack(session::StepUnit unit) override { return m_session.stepBack(unit); }
    SnapshotPtr runToLine(std::uint32_t cudaLine,
                          const session::AccessTarget& otherwise) override {
        return m_session.runToLine(cudaLine, otherwise);
    }
    SnapshotPtr snapshot() const override { return m_session.snapshot(); }

private:
    session::Session m_session;
};

} // namespace

BackendFactory sessionBackend(session::SessionOptions options) {
    return [options](std::function<void(SnapshotPtr)> progress) -> std::unique_ptr<Backend> {
        session::SessionOptions own = options;
        own.onProgress = std::move(progress);
        return std::make_unique<SessionBackend>(std::move(own));
    };
}

} // namespace lanescope::views
