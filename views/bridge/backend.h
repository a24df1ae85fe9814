// SPDX-License-Identifier: GPL-3.0-or-later
// What the worker thread drives: the session, or in tests something that answers like it. All calls
// come from one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/session/session.h"

namespace lanescope::views {

using SnapshotPtr = std::shared_ptr<const session::Snapshot>;
using Parameters = std::map<std::string, std::int64_t>;

class Backend {
public:
    using Cancel = const std::atomic<bool>*;

    virtual ~Backend() = default;
    virtual SnapshotPtr openKernel(const std::string& id, const Parameters& parameters,
                                   Cancel cancel) = 0;
    virtual SnapshotPtr openFile(const std::string& path, Cancel cancel) = 0;
    virtual SnapshotPtr setText(const std::string& cudaText, Cancel cancel) = 0;
    virtual SnapshotPtr setParameters(const Parameters& values, Cancel cancel) = 0;
    virtual SnapshotPtr setDevice(const std::string& id, Cancel cancel) = 0;
    virtual SnapshotPtr setForm(session::CodeForm form, Cancel cancel) = 0;
    virtual SnapshotPtr setTimingWanted(bool wanted, Cancel cancel) = 0;
    virtual SnapshotPtr setTimingFigures(const timing::Overrides& figures, Cancel cancel) = 0;
    virtual SnapshotPtr select(const session::Selection& selection) = 0;
    virtual SnapshotPtr seek(std::uint32_t index) = 0;
    virtual SnapshotPtr step(session::StepUnit unit) = 0;
    virtual SnapshotPtr stepBack(session::StepUnit unit) = 0;
    virtual SnapshotPtr runToLine(std::uint32_t cudaLine,
                                  const session::AccessTarget& otherwise) = 0;
    virtual SnapshotPtr snapshot() const = 0;
};

/// Made on the worker's thread; `progress` takes busy snapshots during long work.
using BackendFactory =
    std::function<std::unique_ptr<Backend>(std::function<void(SnapshotPtr)> progress)>;

} // namespace lanescope::views
