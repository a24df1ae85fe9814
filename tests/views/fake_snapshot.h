// SPDX-License-Identifier: GPL-3.0-or-later
// A hand-made session for the tests of panes and shell: a kernel of two loops over a matrix, one
// that reads columns and one that reads rows. It answers at once and needs no compiler; its figures
// come from the engine's own rules for memory accesses.
#pragma once

#include <memory>

#include "views/bridge/backend.h"

namespace lanescope::views::test {

struct FakeOptions {
    int warps = 8;
    int iterations = 32; ///< K of both loops
    /// setText fails to compile when the text holds this word.
    std::string poison = "oops";
    std::string formChanges; ///< empty: the compiled form is the same
};

class FakeBackend : public Backend {
public:
    explicit FakeBackend(FakeOptions options = {});
    ~FakeBackend() override;

    SnapshotPtr openKernel(const std::string& id, const Parameters& parameters,
                           Cancel cancel) override;
    SnapshotPtr openFile(const std::string& path, Cancel cancel) override;
    SnapshotPtr setText(const std::string& cudaText, Cancel cancel) override;
    SnapshotPtr setParameters(const Parameters& values, Cancel cancel) override;
    SnapshotPtr setDevice(const std::string& id, Cancel cancel) override;
    SnapshotPtr setForm(session::CodeForm form, Cancel cancel) override;
    SnapshotPtr setTimingWanted(bool wanted, Cancel cancel) override;
    SnapshotPtr setTimingFigures(const timing::Overrides& figures, Cancel cancel) override;
    SnapshotPtr select(const session::Selection& selection) override;
    SnapshotPtr seek(std::uint32_t index) override;
    SnapshotPtr step(session::StepUnit unit) override;
    SnapshotPtr stepBack(session::StepUnit unit) override;
    SnapshotPtr runToLine(std::uint32_t cudaLine, const session::AccessTarget& otherwise) override;
    SnapshotPtr snapshot() const override;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// The snapshot in the middle of the first loop, warp 3, lane 13 selected.
SnapshotPtr fakeSnapshot(FakeOptions options = {});
/// A snapshot of a program that did not compile: no run, no trace.
SnapshotPtr fakeFailure();
/// A snapshot with nothing open.
SnapshotPtr emptySnapshot();

} // namespace lanescope::views::test
