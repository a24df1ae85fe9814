// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/session.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/session/hardware_counters.h"
#include "engine/session/moment.h"
#include "engine/session/session_state.h"

namespace lanescope::session {

namespace {

/// Warp instructions up to which every block is simulated; above, blocks are sampled and counters scaled.
constexpr std::uint64_t kFullRunInstructions = 6'000'000;

std::shared_ptr<const TraceView> viewOf(const trace::BlockTrace& trace, const Dim3& block) {
    auto view = std::make_shared<TraceView>();
    view->block = block;
    view->warps = trace.launch().warpsPerBlock();
    view->complete = trace.complete();
    view->eventsOfWarp.resize(static_cast<std::size_t>(view->warps));
    view->events.reserve(trace.events().size());
    for (const sim::InstructionEvent& e : trace.events()) {
        const auto index = static_cast<std::uint32_t>(view->events.size());
        view->events.push_back({e.pc, e.active, static_cast<std::uint16_t>(e.warp), e.flags});
        view->eventsOfWarp[e.warp].push_back(index);
        if ((e.flags & sim::InstructionEvent::kBarrierRelease) != 0)
            view->barriers.push_back(index);
    }
    return view;
}

LaunchView launchView(const PreparedLaunch& prepared, const sim::Memory& memory) {
    LaunchView out;
    const sim::Launch& l = prepared.launch;
    out.grid = l.grid;
    out.block = l.block;
    out.sharedBytes = l.dynamicSharedBytes;
    out.staticSharedBytes = l.program->staticSharedBytes;
    out.warpsPerBlock = l.warpsPerBlock();
    for (std::size_t i = 0; i < l.arguments.size(); ++i) {
        const sim::Argument& a = l.arguments[i];
        LaunchView::Argument v;
        v.name = a.name;
        if (a.ownsMemory()) {
            v.bytes = a.bytes.size();
            v.elementBytes = std::max(1, prepared.values[i].elementBytes);
            v.type = fmt::format("{}[{}]", prepared.values[i].type, v.bytes / static_cast<unsigned>(v.elementBytes));
            v.address = memory.global.at(static_cast<std::size_t>(memory.allocationOfArgument[i])).base;
        } else {
            v.type = prepared.values[i].type;
            v.value = prepared.values[i].text;
        }
        out.arguments.push_back(std::move(v));
    }
    return out;
}

/// The buffers that differ from what they were before the launch; their bytes are taken out of `memory`.
std::vector<OutputView> outputsOf(const PreparedLaunch& prepared, sim::Memory& memory) {
    std::vector<OutputView> out;
    for (std::size_t i = 0; i < prepared.launch.arguments.size(); ++i) {
        if (memory.allocationOfArgument[i] < 0)
            continue;
        std::vector<std::uint8_t>& bytes = memory.global.at(static_cast<std::size_t>(memory.allocationOfArgument[i])).bytes;
        if (bytes == prepared.launch.arguments[i].bytes)
            continue;
        out.push_back({prepared.launch.arguments[i].name, prepared.values[i].type, std::max(1, prepared.values[i].elementBytes),
                       std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes))});
    }
    return out;
}

ModelView modelView(const SimReport& report) {
    ModelView out;
    if (report.point) {
        out.seconds = report.point->seconds;
        out.flopsPerSecond = report.point->flopsPerSecond;
        out.boundBy = model::toString(report.point->bottleneck);
    }
    if (report.occupancy)
        out.occupancy = report.occupancy->occupancy;
    out.registersPerThread = report.registersPerThread;
    out.registersSource = report.registersSource;
    return out;
}

std::string verificationText(const SimReport& report) {
    if (!report.verification)
        return {};
    if (report.verification->matches)
        return fmt::format("Equals the reference: {}", report.verification->rule);
    for (const catalog::OutputCheck& o : report.verification->outputs)
        if (o.mismatches != 0 && report.firstWrong)
            return fmt::format("{} differs from the reference in {} elements, first {}", o.name, o.mismatches, toString(*report.firstWrong));
    return "Differs from the reference";
}

} // namespace

void Session::State::announce(double progress, std::string activity) {
    const auto snapshot = publish(true, progress, std::move(activity));
    if (options.onProgress)
        options.onProgress(snapshot);
}

std::shared_ptr<const Snapshot> Session::State::publish(bool busy, double progress, std::string activity) {
    auto s = std::make_shared<Snapshot>();
    s->version = ++version;
    s->program = program;
    s->run = run;
    s->trace = traceView;
    s->timing = timing;
    s->timingProblem = timingProblem;
    s->selection = selection;
    s->busy = busy;
    s->progress = progress;
    s->activity = std::move(activity);
    if (!busy || trace)
        s->frame = frame();
    return current = std::move(s);
}

std::uint64_t Session::State::linearBlock() const {
    const Dim3& grid = prepared->launch.grid;
    return selection.block.x + std::uint64_t{grid.x} * (selection.block.y + std::uint64_t{grid.y} * selection.block.z);
}

void Session::State::traceBlock(const std::atomic<bool>* cancel) {
    const sim::Launch& launch = prepared->launch;
    selection.block = {std::min(selection.block.x, launch.grid.x - 1), std::min(selection.block.y, launch.grid.y - 1),
                       std::min(selection.block.z, launch.grid.z - 1)};
    selection.warp = std::clamp(selection.warp, 0, launch.warpsPerBlock() - 1);
    selection.lane = std::clamp(selection.lane, 0, kWarpSize - 1);
    trace::TraceOptions traceOptions;
    traceOptions.maxEvents = options.maxTraceEvents;
    traceOptions.cancel = cancel;
    trace = std::make_unique<trace::BlockTrace>(std::shared_ptr<const sim::Launch>(prepared, &prepared->launch), linearBlock(), traceOptions);
    traceView = viewOf(*trace, selection.block);
    timeBlock(cancel);
}

void Session::State::forgetTiming() {
    timing.reset();
    timingProblem.clear();
}

void Session::State::timeBlock(const std::atomic<bool>* cancel) {
    forgetTiming();
    if (!timingWanted || !trace)
        return;
    TimingOptions timingOptions;
    timingOptions.block = linearBlock();
    timingOptions.figures = timingFigures;
    timingOptions.maxEvents = options.maxTimingEvents;
    timingOptions.maxInstructions = std::min<std::uint64_t>(traceView->events.size() + 1, options.maxTraceEvents);
    timingOptions.cancel = cancel;
    Result<TimingReport> report = timeLaunch(*loaded, *prepared, device, timingOptions);
    if (report)
        timing = std::make_shared<const TimingReport>(std::move(*report));
    else
        timingProblem = toString(report.error());
}

void Session::State::rebuild(const std::atomic<bool>* cancel) {
    const auto cancelled = [&] { return cancel != nullptr && cancel->load(std::memory_order_relaxed); };
    const Diagnostics stopped{{Severity::Error, "cancelled", "stopped before it was simulated", {}, "change a parameter or open it again"}};
    trace.reset();
    traceView.reset();
    forgetTiming();
    run.reset();
    prepared.reset();
    auto view = std::make_shared<ProgramView>();
    LoadRequest request;
    request.subject = subject;
    request.text = text;
    request.entry = entry;
    request.form = form;
    std::string key = fmt::format("{}\n{}\n{}\n{}{}", subject, entry, name(form), text.value_or(""), text ? "+" : "-");
    if (kernel != nullptr) {
        view->id = kernel->id;
        view->title = kernel->title;
        view->cudaFile = kernel->file.substr(kernel->file.rfind('/') + 1);
        view->cudaText = text.value_or(kernel->text);
        view->parameters = kernelParameters(*kernel, parameters, {});
        for (const auto& [name, value] : parameters)
            request.defines.emplace_back(name, std::to_string(value));
    } else {
        view->id = view->title = subject.substr(subject.rfind('/') + 1);
        if (text) {
            view->cudaFile = view->id;
            view->cudaText = *text;
        }
    }
    // A copy: what is published must not change, and the view is filled further below.
    program = std::make_shared<const ProgramView>(*view);
    const auto stop = [&](const Diagnostics& errors) {
        auto failed = std::make_shared<ProgramView>(*view);
        failed->diagnostics = errors;
        if (kernel != nullptr)
            failed->parameters = kernelParameters(*kernel, parameters, errors);
        program = failed;
    };

    if (cancelled())
        return stop(stopped);

    // The macros decide whether the text must be compiled again; sizes only launch again.
    bool reuse = false;
    std::shared_ptr<const LoadedProgram> program_;
    if (kernel != nullptr) {
        Result<catalog::ResolvedKernel> resolved = catalog::resolve(*kernel, parameters);
        if (!resolved)
            return stop(resolved.error());
        for (const auto& [name, value] : resolved->defines)
            key += '\n' + name + '=' + value;
        reuse = loaded && loadedKey == key;
        if (reuse) {
            auto same = std::make_shared<LoadedProgram>(*loaded);
            same->resolved = std::move(*resolved);
            program_ = std::move(same);
        }
    } else {
        reuse = loaded && loadedKey == key;
        program_ = reuse ? loaded : nullptr;
    }
    if (!reuse) {
        loaded.reset();
        announce(0, "Compiling");
        Result<LoadedProgram> fresh = load(request, options.environment);
        if (!fresh)
            return stop(fresh.error());
        program_ = std::make_shared<const LoadedProgram>(std::move(*fresh));
        changes = formChanges(*program_);
    }
    loaded = program_;
    loadedKey = key;
    if (cancelled())
        return stop(stopped);

    view->entry = loaded->program->entry().name;
    view->entries = loaded->module->entries();
    view->cudaFile = loaded->cudaFile;
    view->cudaText = loaded->cudaText;
    view->target = loaded->module->target;
    view->compiler = loaded->compiler;
    if (kernel == nullptr)
        view->parameters = fileParameters(*loaded);
    fillInstructions(*loaded, changes, *view);
    program = view; // a trace is published with its instructions

    Result<PreparedLaunch> launch = prepare(*loaded, kernel != nullptr ? LaunchRequest{} : fileLaunch(*loaded), device);
    if (!launch)
        return stop(launch.error());
    prepared = std::make_shared<const PreparedLaunch>(std::move(*launch));
    announce(0, "Recording a block");
    traceBlock(cancel);

    SimulateOptions simulateOptions;
    simulateOptions.maxInstructions = options.maxInstructions;
    simulateOptions.cancel = cancel;
    if (trace->events().size() * prepared->launch.blockCount() > kFullRunInstructions)
        simulateOptions.blocks = BlockChoice::Sample;
    auto last = std::chrono::steady_clock::now();
    simulateOptions.progress = [&](std::uint64_t done, std::uint64_t of) {
        const auto now = std::chrono::steady_clock::now();
        if (now - last < std::chrono::milliseconds(50))
            return;
        last = now;
        announce(static_cast<double>(done) / static_cast<double>(of), fmt::format("Simulating block {} of {}", done, of));
    };
    sim::Memory memory = sim::makeMemory(prepared->launch);
    const LaunchView shown = launchView(*prepared, memory);
    Result<SimReport> report = simulate(*loaded, *prepared, device, memory, simulateOptions);
    if (!report)
        return stop(report.error());
    if (report->cancelled)
        return stop({{Severity::Error, "cancelled", "the simulation was stopped", {}, "make the problem smaller, or open it again"}});

    auto result = std::make_shared<RunView>();
    result->deviceId = device.id;
    result->deviceName = device.name;
    result->launch = shown;
    result->counters = report->counters;
    result->findings = report->findings;
    for (std::size_t pc = 0; pc < report->counters.byInstruction.size(); ++pc) {
        const auto add = [&](std::vector<std::uint64_t>& lines, std::uint32_t line) {
            if (lines.size() <= line)
                lines.resize(line + 1);
            lines[line] += report->counters.byInstruction[pc].executions;
        };
        add(result->cudaLineExecutions, loaded->program->cudaLines[pc]);
        add(result->ptxLineExecutions, view->instructions[pc].ptxLine);
    }
    result->blocksSimulated = report->blocksSimulated;
    result->blocksInGrid = report->blocksInGrid;
    result->finished = report->finished;
    result->verification = verificationText(*report);
    result->verified = report->verification && report->verification->matches;
    result->outputs = outputsOf(*prepared, memory);
    result->model = modelView(*report);
    result->seconds = report->seconds;
    result->hardwareSide = std::make_shared<const HardwareSide>(session::hardwareSide(*loaded, *prepared, device, *report));
    result->json = toJson(*loaded, *prepared, device, *report);
    run = result;
}

Session::Session(SessionOptions options) : m_state(std::make_unique<State>()) {
    m_state->options = std::move(options);
    if (Result<device::Device> d = device::findDevice(m_state->options.deviceId))
        m_state->device = std::move(*d);
    m_state->program = std::make_shared<const ProgramView>();
    m_state->publish();
}

Session::~Session() = default;

std::shared_ptr<const Snapshot> Session::openKernel(const std::string& id, const std::map<std::string, std::int64_t>& parameters,
                                                    const std::atomic<bool>* cancel) {
    State& s = *m_state;
    const Result<const std::vector<catalog::Kernel>*> kernels = builtInKernels();
    s.kernel = kernels ? catalog::findKernel(**kernels, id) : nullptr;
    s.subject = id;
    s.text.reset();
    s.entry.clear();
    s.parameters = parameters;
    s.selection = {};
    if (s.kernel == nullptr) {
        s.trace.reset();
        s.traceView.reset();
        s.forgetTiming();
        s.run.reset();
        auto failed = std::make_shared<ProgramView>();
        failed->id = failed->title = id;
        failed->diagnostics = kernels ? Diagnostics{{Severity::Error, "subject", fmt::format("there is no kernel '{}'", id), {}, "choose one of the course"}}
                                      : kernels.error();
        s.program = failed;
        return s.publish();
    }
    s.rebuild(cancel);
    return s.publish();
}

std::shared_ptr<const Snapshot> Session::openFile(const std::filesystem::path& path, const std::atomic<bool>* cancel) {
    State& s = *m_state;
    s.kernel = nullptr;
    s.subject = path.string();
    s.text.reset();
    s.entry.clear();
    s.parameters.clear();
    s.selection = {};
    // The first kernel of the file, when it has several: the others are named in the program view.
    if (Result<std::string> contents = readFile(path, std::uintmax_t{64} << 20)) {
        const bool isPtx = path.extension() == ".ptx";
        if (isPtx) {
            if (Result<std::vector<std::string>> names = ptx::entryNames(*contents, path.string()); names && names->size() > 1)
                s.entry = names->front();
        } else {
            s.text = std::move(*contents);
        }
    }
    s.rebuild(cancel);
    return s.publish();
}

std::shared_ptr<const Snapshot> Session::setText(std::string cudaText, const std::atomic<bool>* cancel) {
    m_state->text = std::move(cudaText);
    m_state->rebuild(cancel);
    return m_state->publish();
}

std::shared_ptr<const Snapshot> Session::setParameters(const std::map<std::string, std::int64_t>& values, const std::atomic<bool>* cancel) {
    for (const auto& [name, value] : values)
        m_state->parameters[name] = value;
    const std::uint32_t index = m_state->trace ? m_state->trace->index() : 0;
    m_state->rebuild(cancel);
    if (m_state->trace)
        m_state->trace->seek(index);
    return m_state->publish();
}

std::shared_ptr<const Snapshot> Session::setDevice(const std::string& id, const std::atomic<bool>* cancel) {
    Result<device::Device> d = device::findDevice(id);
    if (!d) {
        auto failed = std::make_shared<ProgramView>(*m_state->program);
        failed->diagnostics = d.error();
        m_state->program = failed;
        return m_state->publish();
    }
    if (id != m_state->options.deviceId)
        m_state->timingFigures.clear();
    m_state->device = std::move(*d);
    m_state->options.deviceId = id;
    const std::uint32_t index = m_state->trace ? m_state->trace->index() : 0;
    if (!m_state->subject.empty())
        m_state->rebuild(cancel);
    if (m_state->trace)
        m_state->trace->seek(index);
    return m_state->publish();
}

std::shared_ptr<const Snapshot> Session::setForm(CodeForm form, const std::atomic<bool>* cancel) {
    State& s = *m_state;
    if (form == s.form)
        return s.publish();
    s.form = form;
    if (s.subject.empty())
        return s.publish();
    const std::uint32_t index = s.trace ? s.trace->index() : 0;
    const auto programBefore = s.program;
    const auto traceBefore = s.traceView;
    s.rebuild(cancel);
    if (s.trace && traceBefore && programBefore->ok() && s.program->ok())
        s.trace->seek(WarpHistory(*s.program, *s.traceView, s.selection.warp).indexFrom(WarpHistory(*programBefore, *traceBefore, s.selection.warp), index));
    return s.publish();
}

std::shared_ptr<const Snapshot> Session::setTimingWanted(bool wanted, const std::atomic<bool>* cancel) {
    State& s = *m_state;
    s.timingWanted = wanted;
    if (wanted && !s.timing)
        s.timeBlock(cancel);
    return s.publish();
}

std::shared_ptr<const Snapshot> Session::setTimingFigures(const timing::Overrides& figures, const std::atomic<bool>* cancel) {
    State& s = *m_state;
    s.timingFigures = figures;
    s.timeBlock(cancel);
    return s.publish();
}

std::shared_ptr<const Snapshot> Session::select(const Selection& selection) {
    State& s = *m_state;
    if (!s.trace) {
        s.selection = selection;
        return s.publish();
    }
    const bool otherBlock = !(selection.block == s.selection.block);
    s.selection = selection;
    s.selection.warp = std::clamp(s.selection.warp, 0, s.traceView->warps - 1);
    s.selection.lane = std::clamp(s.selection.lane, 0, kWarpSize - 1);
    if (otherBlock) {
        const std::uint32_t index = s.trace->index();
        s.traceBlock(nullptr);
        s.trace->seek(index);
    }
    return s.publish();
}

std::shared_ptr<const Snapshot> Session::seek(std::uint32_t index) {
    if (m_state->trace)
        m_state->trace->seek(index);
    return m_state->publish();
}

namespace {

/// Where a step of the unit ends (an index as in FrameView::index); `from` itself when there is no target.
std::uint32_t stepTarget(const TraceView& trace, const sim::Program& program, StepUnit unit, int warp, std::uint32_t from, bool forward) {
    const auto count = static_cast<std::uint32_t>(trace.events.size());
    const std::vector<std::uint32_t>& mine = trace.eventsOfWarp[static_cast<std::size_t>(warp)];
    const auto next = std::lower_bound(mine.begin(), mine.end(), from); // the first event not executed yet
    switch (unit) {
    case StepUnit::Event:
        return forward ? std::min(from + 1, count) : from == 0 ? 0 : from - 1;
    case StepUnit::Instruction:
        if (forward)
            return next == mine.end() ? from : *next + 1;
        return next == mine.begin() ? from : (next - 1 == mine.begin() ? 0 : *(next - 2) + 1);
    case StepUnit::Line: {
        // A line's stretch ends where the line changes or control goes back within it (a loop on one line steps by iteration).
        const auto sameStretch = [&](std::uint32_t a, std::uint32_t b) {
            const std::uint32_t line = program.cudaLines[trace.events[a].pc];
            return line == program.cudaLines[trace.events[b].pc] && trace.events[a].pc < trace.events[b].pc;
        };
        if (forward) {
            auto at = next;
            if (at == mine.end())
                return from;
            while (at + 1 != mine.end() && sameStretch(*at, *(at + 1)))
                ++at;
            return *at + 1;
        }
        if (next == mine.begin())
            return from;
        auto at = next - 1;
        while (at != mine.begin() && sameStretch(*(at - 1), *at))
            --at;
        return at == mine.begin() ? 0 : *(at - 1) + 1;
    }
    case StepUnit::Barrier: {
        if (forward) {
            const auto after = std::lower_bound(trace.barriers.begin(), trace.barriers.end(), from);
            return after == trace.barriers.end() ? count : *after + 1;
        }
        const auto before = std::lower_bound(trace.barriers.begin(), trace.barriers.end(), from == 0 ? 0 : from - 1);
        return before == trace.barriers.begin() ? 0 : *(before - 1) + 1;
    }
    }
    return from;
}

} // namespace

std::shared_ptr<const Snapshot> Session::step(StepUnit unit) {
    State& s = *m_state;
    if (s.trace)
        s.trace->seek(stepTarget(*s.traceView, *s.loaded->program, unit, s.selection.warp, s.trace->index(), true));
    return s.publish();
}

std::shared_ptr<const Snapshot> Session::stepBack(StepUnit unit) {
    State& s = *m_state;
    if (s.trace)
        s.trace->seek(stepTarget(*s.traceView, *s.loaded->program, unit, s.selection.warp, s.trace->index(), false));
    return s.publish();
}

std::shared_ptr<const Snapshot> Session::runToLine(std::uint32_t cudaLine, const AccessTarget& otherwise) {
    State& s = *m_state;
    if (!s.trace)
        return s.publish();
    const std::vector<std::uint32_t>& mine = s.traceView->eventsOfWarp[static_cast<std::size_t>(s.selection.warp)];
    const auto onLine = [&](std::uint32_t e) { return s.loaded->program->cudaLines[s.traceView->events[e].pc] == cudaLine; };
    // Compilers move parts of a line's arithmetic ahead: a stretch that accesses memory is what there is to see.
    const auto accesses = [&](std::uint32_t e) { return onLine(e) && (s.traceView->events[e].flags & TraceEvent::kMemory) != 0; };
    const auto next = std::lower_bound(mine.begin(), mine.end(), s.trace->index());
    auto found = std::find_if(next, mine.end(), accesses);
    if (found == mine.end())
        found = std::find_if(mine.begin(), mine.end(), accesses);
    if (found == mine.end() && !otherwise.array.empty()) {
        const std::uint32_t index = s.trace->index();
        const auto isTarget = [&](std::uint32_t e) { return s.accessesArray(e, otherwise); };
        auto access = std::find_if(next, mine.end(), isTarget);
        if (access == mine.end())
            access = std::find_if(mine.begin(), next, isTarget);
        if (access != mine.end() && isTarget(*access)) {
            s.trace->seek(*access + 1);
            return s.publish();
        }
        s.trace->seek(index);
    }
    if (found == mine.end())
        found = std::find_if(next, mine.end(), onLine);
    if (found == mine.end())
        found = std::find_if(mine.begin(), mine.end(), onLine);
    if (found != mine.end()) {
        // To the end of the line's stretch, so that all its accesses are shown.
        s.trace->seek(*found);
        s.trace->seek(stepTarget(*s.traceView, *s.loaded->program, StepUnit::Line, s.selection.warp, *found, true));
    }
    return s.publish();
}

std::shared_ptr<const Snapshot> Session::snapshot() const { return m_state->current; }

} // namespace lanescope::session
