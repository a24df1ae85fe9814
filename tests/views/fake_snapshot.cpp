// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/fake_snapshot.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanescope::views::test {

using session::AccessView;
using session::FrameView;
using session::ProgramView;
using session::RunView;
using session::Snapshot;
using session::StepUnit;
using session::TraceEvent;
using session::TraceView;

namespace {

const char* const kCuda = R"(// Two ways to read the same matrix.
extern "C" __global__ void pair(int M, int N, int K, const float* A,
                                const float* B, float* C, float* D) {
  int row0 = blockIdx.x * 32, lane = threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;   // warp = y
  float c = 0.f, d = 0.f;
  for (int i = 0; i < K; ++i)  // naive: lane = row
    c += A[(row0 + lane) * K + i] * B[i * N + y];
  C[(row0 + lane) * N + y] = c;
  __syncthreads();
  for (int i = 0; i < K; ++i)  // coalesced: lane = column
    d += A[y * K + i] * B[i * N + row0 + lane];
  D[y * N + row0 + lane] = d;
}
)";

const char* const kPtx = R"(//
.version 8.0
.target sm_90
.address_size 64

.visible .entry pair(
	.param .u32 pair_param_0)
{
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %tid.y;
	mov.f32 %f1, 0f00000000;
$L_naive:
	ld.global.f32 %f4, [%rd9];
	ld.global.f32 %f5, [%rd10];
	fma.rn.f32 %f1, %f4, %f5, %f1;
	add.s64 %rd9, %rd9, 4;
	add.s32 %r12, %r12, 1;
	setp.lt.s32 %p2, %r12, %r3;
	@%p2 bra $L_naive;
	st.global.f32 [%rd11], %f1;
	bar.sync 0;
$L_coalesced:
	ld.global.f32 %f6, [%rd12];
	ld.global.f32 %f7, [%rd13];
	fma.rn.f32 %f2, %f6, %f7, %f2;
	add.s32 %r13, %r13, 1;
	setp.lt.s32 %p3, %r13, %r3;
	@%p3 bra $L_coalesced;
	st.global.f32 [%rd14], %f2;
	ret;
}
)";

struct Line {
    std::uint32_t ptx, cuda;
    ptx::InstructionClass cls;
    const char* text;
};

using Class = ptx::InstructionClass;
constexpr Line kProgram[] = {
    {9, 4, Class::Move, "mov.u32 %r1, %tid.x;"},
    {10, 5, Class::Move, "mov.u32 %r2, %tid.y;"},
    {11, 6, Class::Move, "mov.f32 %f1, 0f00000000;"},
    {13, 8, Class::LoadGlobal, "ld.global.f32 %f4, [%rd9];"},
    {14, 8, Class::LoadGlobal, "ld.global.f32 %f5, [%rd10];"},
    {15, 8, Class::Float32, "fma.rn.f32 %f1, %f4, %f5, %f1;"},
    {16, 7, Class::Integer, "add.s64 %rd9, %rd9, 4;"},
    {17, 7, Class::Integer, "add.s32 %r12, %r12, 1;"},
    {18, 7, Class::Compare, "setp.lt.s32 %p2, %r12, %r3;"},
    {19, 7, Class::Branch, "@%p2 bra $L_naive;"},
    {20, 9, Class::StoreGlobal, "st.global.f32 [%rd11], %f1;"},
    {21, 10, Class::Barrier, "bar.sync 0;"},
    {23, 12, Class::LoadGlobal, "ld.global.f32 %f6, [%rd12];"},
    {24, 12, Class::LoadGlobal, "ld.global.f32 %f7, [%rd13];"},
    {25, 12, Class::Float32, "fma.rn.f32 %f2, %f6, %f7, %f2;"},
    {26, 11, Class::Integer, "add.s32 %r13, %r13, 1;"},
    {27, 11, Class::Compare, "setp.lt.s32 %p3, %r13, %r3;"},
    {28, 11, Class::Branch, "@%p3 bra $L_coalesced;"},
    {29, 13, Class::StoreGlobal, "st.global.f32 [%rd14], %f2;"},
    {30, 14, Class::Other, "ret;"},
};
constexpr std::uint32_t kFirstLoop = 3, kFirstEnd = 9, kBarrier = 11, kSecondLoop = 12,
                        kSecondEnd = 17, kExit = 19;
constexpr std::uint64_t kA = 0x7f0000000000, kB = 0x7f0000010000, kC = 0x7f0000020000,
                        kD = 0x7f0000030000;

std::vector<std::uint32_t> pathOfWarp(int iterations) {
    std::vector<std::uint32_t> path{0, 1, 2};
    for (int i = 0; i < iterations; ++i)
        for (std::uint32_t pc = kFirstLoop; pc <= kFirstEnd; ++pc)
            path.push_back(pc);
    path.push_back(10);
    path.push_back(kBarrier);
    for (int i = 0; i < iterations; ++i)
        for (std::uint32_t pc = kSecondLoop; pc <= kSecondEnd; ++pc)
            path.push_back(pc);
    path.push_back(18);
    path.push_back(kExit);
    return path;
}

} // namespace

struct FakeBackend::State {
    FakeOptions options;
    Parameters values;
    std::string text = kCuda, deviceId = "h100", id = "pair";
    session::CodeForm form = session::CodeForm::Written;
    session::Selection selection;
    std::uint32_t index = 0;
    std::uint64_t version = 0;
    std::shared_ptr<const ProgramView> program;
    std::shared_ptr<const RunView> run;
    std::shared_ptr<const TraceView> trace;
    SnapshotPtr current;

    void buildProgram(bool isOk) {
        auto view = std::make_shared<ProgramView>();
        view->id = id;
        view->title = "Naive and coalesced";
        view->entry = "pair";
        view->entries = {"pair"};
        view->cudaFile = "pair.cu";
        view->cudaText = text;
        view->compiler = "built in";
        view->target = "sm_90";
        const auto add = [&](const char* name, const char* label, bool isProblem,
                             std::int64_t value, std::int64_t lowest, std::int64_t highest) {
            session::ParameterView p;
            p.name = name, p.label = label, p.isProblem = isProblem;
            p.value = values.contains(name) ? values.at(name) : value;
            p.defaultValue = value, p.minimum = lowest, p.maximum = highest;
            view->parameters.push_back(p);
        };
        add("M", "Rows of A", true, 60, 1, 4096);
        add("N", "Columns of B", true, 64, 1, 4096);
        add("K", "Columns of A", true, options.iterations, 1, 4096);
        add("BM", "Rows of a block", false, 32, 32, 32);
        add("BN", "Columns of a block", false, 8, 1, 32);
        if (view->parameters[0].value % 32 != 0)
            view->parameters[0].problem = "M is not a multiple of BM: see Findings.";
        if (isOk) {
            view->ptxText = kPtx;
            view->form = form;
            view->formChanges = options.formChanges;
            for (const Line& line : kProgram) {
                ProgramView::InstructionView instruction;
                instruction.ptxLine = instruction.writtenLine = line.ptx;
                instruction.cudaLine = line.cuda;
                instruction.cls = line.cls;
                instruction.text = line.text;
                view->instructions.push_back(std::move(instruction));
            }
            if (form == session::CodeForm::Compiled)
                view->instructions[kFirstLoop].mergedLines = {14};
        } else {
            Diagnostic diagnostic;
            diagnostic.code = "compile";
            diagnostic.message = "use of undeclared identifier 'oops'";
            diagnostic.where.file = "pair.cu";
            diagnostic.where.line = 8;
            diagnostic.where.column = 5;
            diagnostic.hint = "declare it, or correct the name";
            view->diagnostics.push_back(std::move(diagnostic));
        }
        program = view;
    }

    void buildRun() {
        auto traceView = std::make_shared<TraceView>();
        traceView->block = selection.block;
        traceView->warps = options.warps;
        traceView->eventsOfWarp.resize(static_cast<std::size_t>(options.warps));
        const auto path = pathOfWarp(options.iterations);
        for (std::size_t i = 0; i < path.size(); ++i)
            for (int warp = 0; warp < options.warps; ++warp) {
                TraceEvent event;
                event.pc = path[i];
                event.active = kFullMask;
                event.warp = static_cast<std::uint16_t>(warp);
                const Class cls = kProgram[event.pc].cls;
                if (cls == Class::LoadGlobal || cls == Class::StoreGlobal)
                    event.flags |= TraceEvent::kMemory;
                if (event.pc == kBarrier)
                    event.flags |= TraceEvent::kBarrierArrive;
                if (event.pc == kSecondLoop && path[i - 1] == kBarrier)
                    event.flags |= TraceEvent::kBarrierRelease;
                if (event.pc == kExit)
                    event.flags |= TraceEvent::kExit;
                traceView->eventsOfWarp[static_cast<std::size_t>(warp)].push_back(
                    static_cast<std::uint32_t>(traceView->events.size()));
                if (event.pc == kBarrier && warp + 1 == options.warps)
                    traceView->barriers.push_back(
                        static_cast<std::uint32_t>(traceView->events.size()));
                traceView->events.push_back(event);
            }
        trace = traceView;

        auto view = std::make_shared<RunView>();
        view->deviceId = deviceId;
        view->deviceName = deviceId == "h100" ? "H100 SXM" : deviceId;
        view->launch.grid = {2, 8, 1};
        view->launch.block = {32, static_cast<std::uint32_t>(options.warps), 1};
        view->launch.warpsPerBlock = options.warps;
        view->launch.arguments = {
            {"M", "i32", "60", 0, 0, 4},         {"N", "i32", "64", 0, 0, 4},
            {"K", "i32", "32", 0, 0, 4},         {"A", "f32[1920]", "", kA, 7680, 4},
            {"B", "f32[2048]", "", kB, 8192, 4}, {"C", "f32[3840]", "", kC, 15360, 4},
            {"D", "f32[3840]", "", kD, 15360, 4}};
        view->blocksInGrid = view->blocksSimulated = 16;
        view->cudaLineExecutions.assign(16, 0);
        view->ptxLineExecutions.assign(32, 0);
        view->counters.byInstruction.resize(std::size(kProgram));
        for (const TraceEvent& event : trace->events) {
            const Line& line = kProgram[event.pc];
            ++view->cudaLineExecutions[line.cuda];
            ++view->ptxLineExecutions[line.ptx];
            sim::InstructionCounts counts;
            counts.executions = 1;
            counts.lanes = 32;
            if (event.flags & TraceEvent::kMemory) {
                const AccessView access = accessOf(event, 0, 0);
                counts.requests = 1;
                counts.sectors = static_cast<std::uint64_t>(access.global.sectors);
                counts.lines = static_cast<std::uint64_t>(access.global.lines);
                counts.bytes = static_cast<std::uint64_t>(access.global.bytes);
            }
            for (sim::InstructionCounts* sum :
                 {&view->counters.total,
                  &view->counters.byClass[static_cast<std::size_t>(line.cls)],
                  &view->counters.byInstruction[event.pc]}) {
                sum->executions += counts.executions;
                sum->lanes += counts.lanes;
                sum->requests += counts.requests;
                sum->sectors += counts.sectors;
                sum->lines += counts.lines;
                sum->bytes += counts.bytes;
            }
            if (line.cls == Class::Float32)
                view->counters.fmaLanes += 32, view->counters.ffmaLanes += 32,
                    view->counters.flops += 64;
        }
        view->counters.blocks = 16;
        view->counters.warps = 16u * static_cast<std::uint64_t>(options.warps);
        view->counters.threads = view->counters.warps * 32;
        check::Finding reads;
        reads.kind = check::FindingKind::OutOfBounds;
        reads.occurrences = 2304;
        reads.message = "Reads past the end of A: thread (28, 0, 0) of block (1, 0, 0) reads "
                        "A[1920], A has 1920 elements";
        reads.line = 8, reads.ptxLine = 13, reads.pc = 3;
        reads.array = "A", reads.index = 1920, reads.size = 1920;
        reads.thread = check::ThreadId{{1, 0, 0}, {28, 0, 0}};
        reads.space = ptx::Space::Global;
        check::Finding writes = reads;
        writes.occurrences = 72;
        writes.message = "Writes past the end of C: no guard on M";
        writes.line = 9, writes.ptxLine = 20, writes.pc = 10, writes.array = "C";
        view->findings = {reads, writes};
        view->verification = "C and D equal the reference";
        view->verified = true;
        view->seconds = 0.012;
        view->json = "{}";
        run = view;
    }

    AccessView accessOf(const TraceEvent& event, std::uint32_t eventIndex,
                        std::uint32_t iteration) const {
        AccessView access;
        access.pc = event.pc;
        access.event = eventIndex;
        access.active = event.active;
        access.isStore = kProgram[event.pc].cls == Class::StoreGlobal;
        const std::uint64_t i = iteration, y = event.warp,
                            k = static_cast<std::uint64_t>(options.iterations);
        char array = 'A';
        for (std::uint64_t lane = 0; lane < 32; ++lane) {
            std::uint64_t address = 0;
            switch (event.pc) {
            case 3:
                array = 'A', access.arrayBase = kA, address = kA + 4 * (lane * k + i);
                break;
            case 4:
                array = 'B', access.arrayBase = kB, address = kB + 4 * (i * 64 + y);
                break;
            case 10:
                array = 'C', access.arrayBase = kC, address = kC + 4 * (lane * 64 + y);
                break;
            case 12:
                array = 'A', access.arrayBase = kA, address = kA + 4 * (y * k + i);
                break;
            case 13:
                array = 'B', access.arrayBase = kB, address = kB + 4 * (i * 64 + lane);
                break;
            default:
                array = 'D', access.arrayBase = kD, address = kD + 4 * (y * 64 + lane);
                break;
            }
            access.addresses[lane] = address;
            access.values[lane] = fmt::format("{:.2f}", 0.25 * double(lane));
        }
        access.array = std::string(1, array);
        access.arrayBytes = 15360;
        access.global = memory::globalCost(access.addresses, access.active, 4);
        return access;
    }

    FrameView frame() const {
        FrameView view;
        view.index = index;
        view.warp = selection.warp;
        if (!trace)
            return view;
        const auto& own = trace->eventsOfWarp[static_cast<std::size_t>(selection.warp)];
        const auto next = std::lower_bound(own.begin(), own.end(), index);
        if (next != own.end())
            view.nextPc = trace->events[*next].pc;
        for (int warp = 0; warp < trace->warps; ++warp) {
            const auto& events = trace->eventsOfWarp[static_cast<std::size_t>(warp)];
            const auto at = std::lower_bound(events.begin(), events.end(), index);
            session::WarpState state = session::WarpState::Ready;
            if (at == events.end())
                state = session::WarpState::Done;
            else if (at != events.begin() && trace->events[*(at - 1)].pc == kBarrier &&
                     index <= trace->barriers.front())
                state = session::WarpState::AtBarrier;
            else if (at != events.begin() && *(at - 1) + 1 == index)
                state = session::WarpState::Issued;
            view.warps.push_back(state);
        }
        if (next == own.begin())
            return view;
        view.hasStep = true;
        auto last = next - 1;
        view.stepEvent = *last;
        const TraceEvent& event = trace->events[*last];
        view.pc = event.pc;
        view.active = event.active;
        view.iteration = static_cast<std::uint32_t>(std::count_if(
            own.begin(), last, [&](std::uint32_t e) { return trace->events[e].pc == event.pc; }));
        auto first = last;
        const std::uint32_t line = kProgram[event.pc].cuda;
        while (first != own.begin() && kProgram[trace->events[*(first - 1)].pc].cuda == line)
            --first;
        for (auto it = first; it <= last; ++it)
            if (trace->events[*it].flags & TraceEvent::kMemory) {
                if (it == last)
                    view.currentAccess = static_cast<int>(view.accesses.size());
                view.accesses.push_back(accessOf(trace->events[*it], *it, view.iteration));
            }
        view.registers = {{"%r1", "u32", std::to_string(selection.lane), false, false},
                          {"%r2", "u32", std::to_string(selection.warp), false, true},
                          {"%r12", "s32", std::to_string(view.iteration), false, true},
                          {"%rd9", "u64", "0x7f00000006d0", false, false},
                          {"%f1", "f32", "4.0625", event.pc == 5, false},
                          {"%f4", "f32", "0.5", event.pc == 3, false},
                          {"%p2", "pred", "true", event.pc == 8, true}};
        int sectors = 0, lines = 0, bytes = 0;
        for (const AccessView& access : view.accesses)
            sectors += access.global.sectors, lines += access.global.lines,
                bytes += access.global.bytes;
        view.sentence =
            sectors == 0
                ? fmt::format("Warp {}, line {}: {}", selection.warp, line, kProgram[event.pc].text)
                : fmt::format("Warp {}, line {}: {} sectors, {} lines, {:.1f}% of bytes used",
                              selection.warp, line, sectors, lines,
                              100.0 * bytes / (32.0 * sectors));
        return view;
    }

    SnapshotPtr publish() {
        auto snap = std::make_shared<Snapshot>();
        snap->version = ++version;
        snap->program = program;
        snap->run = run;
        snap->trace = trace;
        snap->selection = selection;
        snap->frame = frame();
        current = snap;
        return current;
    }

    SnapshotPtr rebuild() {
        const bool isOk = text.find(options.poison) == std::string::npos;
        buildProgram(isOk);
        index = 0;
        if (isOk)
            buildRun();
        else
            run = nullptr, trace = nullptr;
        return publish();
    }

    /// Moves to the next (or previous) event boundary for which `stop(index)` holds.
    template <class Stop>
    SnapshotPtr walk(int direction, Stop stop) {
        if (!trace)
            return publish();
        const auto last = static_cast<std::uint32_t>(trace->events.size());
        while (direction > 0 ? index < last : index > 0) {
            index = direction > 0 ? index + 1 : index - 1;
            if (stop(index))
                break;
        }
        return publish();
    }

    SnapshotPtr move(StepUnit unit, int direction) {
        const auto isOwn = [this](std::uint32_t i) {
            return i > 0 && trace->events[i - 1].warp == selection.warp;
        };
        const auto lineOf = [this](std::uint32_t i) {
            return i == 0 ? 0 : kProgram[trace->events[i - 1].pc].cuda;
        };
        const std::uint32_t from = trace ? lineOf(index) : 0;
        switch (unit) {
        case StepUnit::Event:
            return walk(direction, [](std::uint32_t) { return true; });
        case StepUnit::Instruction:
            return walk(direction, isOwn);
        case StepUnit::Line:
            return walk(direction, [&](std::uint32_t i) { return isOwn(i) && lineOf(i) != from; });
        case StepUnit::Barrier:
            return walk(direction, [this](std::uint32_t i) {
                return i > 0 &&
                       std::count(trace->barriers.begin(), trace->barriers.end(), i - 1) > 0;
            });
        }
        return publish();
    }
};

FakeBackend::FakeBackend(FakeOptions options) : m_state(std::make_unique<State>()) {
    m_state->options = std::move(options);
    m_state->current = emptySnapshot();
}
FakeBackend::~FakeBackend() = default;

SnapshotPtr FakeBackend::openKernel(const std::string& id, const Parameters& parameters, Cancel) {
    m_state->id = id;
    m_state->text = kCuda;
    m_state->values = parameters;
    m_state->selection = {};
    return m_state->rebuild();
}
SnapshotPtr FakeBackend::openFile(const std::string& path, Cancel) {
    return openKernel(path, {}, nullptr);
}
SnapshotPtr FakeBackend::setText(const std::string& cudaText, Cancel) {
    m_state->text = cudaText;
    return m_state->rebuild();
}
SnapshotPtr FakeBackend::setParameters(const Parameters& values, Cancel) {
    for (const auto& [name, value] : values)
        m_state->values[name] = value;
    return m_state->rebuild();
}
SnapshotPtr FakeBackend::setForm(session::CodeForm form, Cancel) {
    m_state->form = form;
    m_state->buildProgram(true);
    return m_state->publish();
}

SnapshotPtr FakeBackend::setTimingWanted(bool, Cancel) { return m_state->publish(); }

SnapshotPtr FakeBackend::setTimingFigures(const timing::Overrides&, Cancel) { return m_state->publish(); }

SnapshotPtr FakeBackend::setDevice(const std::string& id, Cancel) {
    m_state->deviceId = id;
    return m_state->rebuild();
}
SnapshotPtr FakeBackend::select(const session::Selection& selection) {
    m_state->selection = selection;
    m_state->selection.warp = std::clamp(selection.warp, 0, m_state->options.warps - 1);
    m_state->selection.lane = std::clamp(selection.lane, 0, kWarpSize - 1);
    return m_state->publish();
}
SnapshotPtr FakeBackend::seek(std::uint32_t index) {
    const std::size_t last = m_state->trace ? m_state->trace->events.size() : 0;
    m_state->index = std::min(index, static_cast<std::uint32_t>(last));
    return m_state->publish();
}
SnapshotPtr FakeBackend::step(StepUnit unit) {
    return m_state->move(unit, 1);
}
SnapshotPtr FakeBackend::stepBack(StepUnit unit) {
    return m_state->move(unit, -1);
}
SnapshotPtr FakeBackend::runToLine(std::uint32_t cudaLine, const session::AccessTarget&) {
    return m_state->walk(1, [&](std::uint32_t i) {
        const TraceEvent& event = m_state->trace->events[i - 1];
        return event.warp == m_state->selection.warp && kProgram[event.pc].cuda == cudaLine;
    });
}
SnapshotPtr FakeBackend::snapshot() const {
    return m_state->current;
}

SnapshotPtr fakeSnapshot(FakeOptions options) {
    FakeBackend backend(options);
    backend.openKernel("pair", {}, nullptr);
    backend.select({{0, 0, 0}, std::min(3, options.warps - 1), 13});
    // In iteration 20 of the first loop, after its two loads.
    const int iteration = std::min(20, options.iterations - 1);
    return backend.seek(static_cast<std::uint32_t>(options.warps * (3 + 7 * iteration + 2)));
}

SnapshotPtr fakeFailure() {
    FakeBackend backend;
    backend.openKernel("pair", {}, nullptr);
    return backend.setText("int x = oops;\n", nullptr);
}

SnapshotPtr emptySnapshot() {
    return std::make_shared<Snapshot>();
}

} // namespace lanescope::views::test
