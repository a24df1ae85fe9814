// SPDX-License-Identifier: GPL-3.0-or-later
// The facade that the command line and the window's worker thread call. Not thread-safe: one thread owns it; only `cancel` flags
// and published snapshots cross threads.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/compile/compile.h"
#include "engine/session/snapshot.h"
#include "engine/timing/parameters.h"

namespace lanescope::session {

struct SessionOptions {
    compile::Environment environment; ///< compilers and their cache: compile::environmentFrom(std::getenv)
    std::string deviceId = "h100";
    std::uint64_t maxInstructions = 200'000'000; ///< warp instructions of a run
    std::uint64_t maxTraceEvents = 4'000'000;
    std::uint32_t maxTimingEvents = 500'000; ///< of all blocks on the SM that is timed
    /// Called from long work on the session's thread with the current snapshot (busy) at most every 50 ms.
    std::function<void(std::shared_ptr<const Snapshot>)> onProgress;
};

/// How far a step goes. Back variants undo it exactly.
enum class StepUnit : std::uint8_t {
    Event,       ///< one event of any warp
    Instruction, ///< the selected warp's next instruction
    Line,        ///< until the selected warp is on another source line
    Barrier      ///< until the block's next barrier completed
};

class Session {
public:
    explicit Session(SessionOptions options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Each of these changes the program or the launch, compiles and simulates again, and returns the new snapshot; what is wrong
    /// is in snapshot->program->diagnostics or a parameter's problem. `cancel` may be set from another thread.
    std::shared_ptr<const Snapshot> openKernel(const std::string& id, const std::map<std::string, std::int64_t>& parameters,
                                               const std::atomic<bool>* cancel = nullptr);
    std::shared_ptr<const Snapshot> openFile(const std::filesystem::path& path, const std::atomic<bool>* cancel = nullptr);
    std::shared_ptr<const Snapshot> setText(std::string cudaText, const std::atomic<bool>* cancel = nullptr);
    std::shared_ptr<const Snapshot> setParameters(const std::map<std::string, std::int64_t>& values,
                                                  const std::atomic<bool>* cancel = nullptr);
    std::shared_ptr<const Snapshot> setDevice(const std::string& id, const std::atomic<bool>* cancel = nullptr);
    /// Also of what is opened later. The trace stays at the same moment of the selected warp.
    std::shared_ptr<const Snapshot> setForm(CodeForm form, const std::atomic<bool>* cancel = nullptr);

    /// Whether snapshots carry the timing of the SM. It is made when it is first wanted and again after each change; at first nobody wants it.
    std::shared_ptr<const Snapshot> setTimingWanted(bool wanted, const std::atomic<bool>* cancel = nullptr);
    /// Figures of the timing by key instead of the GPU's own (engine/timing/parameters.h). What is wrong with them is in
    /// Snapshot::timingProblem. They stay for programs that are opened later; another GPU has its own again.
    std::shared_ptr<const Snapshot> setTimingFigures(const timing::Overrides& figures, const std::atomic<bool>* cancel = nullptr);

    /// These move in the trace. Cheap (milliseconds), exact in both directions.
    std::shared_ptr<const Snapshot> select(const Selection& selection);
    std::shared_ptr<const Snapshot> seek(std::uint32_t index);
    std::shared_ptr<const Snapshot> step(StepUnit unit);
    std::shared_ptr<const Snapshot> stepBack(StepUnit unit);
    /// To the end of the selected warp's next stretch of events on this CUDA line (wrapping to the first), one that accesses memory if there
    /// is any; without an access on the line, to the next of `otherwise`; unchanged when there is neither.
    std::shared_ptr<const Snapshot> runToLine(std::uint32_t cudaLine, const AccessTarget& otherwise = {});

    std::shared_ptr<const Snapshot> snapshot() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace lanescope::session
