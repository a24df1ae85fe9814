// SPDX-License-Identifier: GPL-3.0-or-later
// Inside of Session; not for others.
#pragma once

#include <memory>
#include <optional>

#include "engine/session/session.h"
#include "engine/session/simulate.h"
#include "engine/session/timing.h"
#include "engine/trace/trace.h"

namespace lanescope::session {

struct Session::State {
    SessionOptions options;
    device::Device device;

    // what is open
    std::string subject;             ///< kernel id or path
    std::optional<std::string> text; ///< edited CUDA text
    const catalog::Kernel* kernel = nullptr;
    std::map<std::string, std::int64_t> parameters; ///< as set; others have their defaults
    std::string entry;
    CodeForm form = CodeForm::Written;
    bool timingWanted = false;
    timing::Overrides timingFigures;

    // what became of it
    std::shared_ptr<const LoadedProgram> loaded;
    std::string loadedKey;
    compiled::Changes changes; ///< of its compiled form ///< of the text, defines and entry that gave `loaded`
    std::shared_ptr<const PreparedLaunch> prepared;
    std::unique_ptr<trace::BlockTrace> trace;

    // published
    std::shared_ptr<const ProgramView> program;
    std::shared_ptr<const RunView> run;
    std::shared_ptr<const TraceView> traceView;
    std::shared_ptr<const TimingReport> timing;
    std::string timingProblem;
    Selection selection;
    std::shared_ptr<const Snapshot> current;
    std::uint64_t version = 0;

    std::uint64_t linearBlock() const; ///< of the selected block in the grid
    void rebuild(const std::atomic<bool>* cancel);
    void traceBlock(const std::atomic<bool>* cancel);
    /// The timing of the traced block, when it is wanted.
    void timeBlock(const std::atomic<bool>* cancel);
    void forgetTiming();
    std::shared_ptr<const Snapshot> publish(bool busy = false, double progress = 0, std::string activity = {});
    void announce(double progress, std::string activity);

    // of files of the user's own (own_launch.cpp)
    std::vector<ParameterView> fileParameters(const LoadedProgram& program) const;
    LaunchRequest fileLaunch(const LoadedProgram& program) const;

    // frame.cpp
    FrameView frame() const;
    void addFragments(FrameView& f, const std::vector<std::uint32_t>& mine, std::size_t executed) const;
    /// Whether the event of the trace is such an access. Moves the trace's present moment.
    bool accessesArray(std::uint32_t event, const AccessTarget& target);
};

// program_view.cpp
/// The instructions by pc, the text that their lines are of, and what the compiled form changes.
void fillInstructions(const LoadedProgram& loaded, const compiled::Changes& changes, ProgramView& view);
/// `set`: values that are not the defaults; `problems`: why they cannot launch.
std::vector<ParameterView> kernelParameters(const catalog::Kernel& kernel, const std::map<std::string, std::int64_t>& set, const Diagnostics& problems);

/// Text of a value by its PTX or argument type ("f32", "u32", "b16", "pred", ...), from its raw bits.
std::string valueText(std::string_view type, std::uint64_t bits);

} // namespace lanescope::session
