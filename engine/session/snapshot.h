// SPDX-License-Identifier: GPL-3.0-or-later
// What the window paints: immutable values that the session publishes. A frame on screen is a pure function of a Snapshot.
// Parts that did not change are shared between snapshots; compare the pointers to know what must be drawn again.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/base/lane_mask.h"
#include "engine/check/finding.h"
#include "engine/memory/access.h"
#include "engine/ptx/ir.h"
#include "engine/session/code_form.h"
#include "engine/sim/counters.h"
#include "engine/tensor/fragment.h"

namespace lanescope::session {

/// A parameter of the open kernel, as the parameter panel shows it.
struct ParameterView {
    std::string name;  ///< "BS", "M"
    std::string label; ///< "Block size"
    std::string help;
    bool isProblem = false; ///< a size of the problem (else a tile parameter, a macro of the text)
    std::int64_t value = 0, defaultValue = 0, minimum = 0, maximum = 0, step = 1;
    std::vector<std::int64_t> choices; ///< not empty: only these
    /// Why this value (or the combination) cannot launch; empty when it can.
    std::string problem;
};

/// The program that is open: texts, what a compiler said, and how lines map.
struct ProgramView {
    std::string id;        ///< kernel id, or the file's name for a file of the user's own
    std::string title;
    std::string entry;
    std::vector<std::string> entries; ///< kernels of the module
    std::string cudaFile;  ///< name to show; empty when a .ptx was opened
    std::string cudaText;  ///< as edited
    CodeForm form = CodeForm::Written; ///< what is shown and simulated
    /// What the compiled form changes, "2 loops unrolled, 12 shared loads merged"; empty when both forms are the same.
    std::string formChanges;
    std::string ptxText;   ///< in that form (compiled: a listing); empty when it did not compile
    std::string target;    ///< "sm_90"
    std::string compiler;  ///< "nvcc 13.0", "clang 14.0.6", "built in"
    std::vector<ParameterView> parameters;
    Diagnostics diagnostics; ///< of compiler, loader, launch: empty when the program runs
    /// The flattened program: instruction index (pc) -> PTX line, CUDA line (0 unknown), text.
    struct InstructionView {
        std::uint32_t ptxLine = 0;     ///< of ptxText
        std::uint32_t writtenLine = 0; ///< of the PTX as written, which messages name; the same in written form
        std::vector<std::uint32_t> mergedLines; ///< compiled form: lines of the PTX as written whose instructions became part of it
        std::uint32_t cudaLine = 0;
        ptx::InstructionClass cls = ptx::InstructionClass::Other;
        std::string text;
    };
    std::vector<InstructionView> instructions;
    bool ok() const { return diagnostics.empty() && !instructions.empty(); }
};

struct LaunchView {
    Dim3 grid, block;
    std::uint64_t sharedBytes = 0;        ///< dynamic
    std::uint64_t staticSharedBytes = 0;
    int warpsPerBlock = 0;
    struct Argument {
        std::string name; ///< "A"
        std::string type; ///< "f32[4096]", "i32"
        std::string value; ///< scalars: the value; buffers: empty
        std::uint64_t address = 0; ///< buffers: device address
        std::uint64_t bytes = 0;
        int elementBytes = 0;
    };
    std::vector<Argument> arguments;
};

/// A buffer as the launch left it.
struct OutputView {
    std::string name; ///< of the argument: "C"
    std::string type; ///< of an element: "f32", "bytes"
    int elementBytes = 1;
    std::shared_ptr<const std::vector<std::uint8_t>> bytes; ///< never null
};

/// What the models say of the launch; figures that they could not give are absent.
struct ModelView {
    std::optional<double> seconds;    ///< modelled time
    std::optional<double> flopsPerSecond;
    std::string boundBy;              ///< the slowest roof: "L1 lines"
    std::optional<double> occupancy;  ///< 0..1
    int registersPerThread = 0;
    std::string registersSource;      ///< "ptxas 13.0 ..." or "estimated from PTX"
};

struct HardwareSide; ///< engine/session/hardware_counters.h

/// Whole-launch results (all blocks, or the sampled ones).
struct RunView {
    std::string deviceId, deviceName;
    LaunchView launch;
    sim::Counters counters;
    std::vector<check::Finding> findings;
    /// Executions per line of the CUDA text and of the PTX (index = line, 0 unused): the heat in the gutter.
    std::vector<std::uint64_t> cudaLineExecutions, ptxLineExecutions;
    std::uint64_t blocksSimulated = 0, blocksInGrid = 0;
    bool finished = true; ///< false: stopped at its budget
    /// Result against the kernel's reference: empty when it has none.
    std::string verification;
    bool verified = false;
    /// Buffers that the launch changed, in the order of the arguments. Of the blocks that were simulated.
    std::vector<OutputView> outputs;
    ModelView model;
    double seconds = 0; ///< time the simulation took on this machine
    /// For the comparison with the hardware's counters; null when there is none to make (tests).
    std::shared_ptr<const HardwareSide> hardwareSide;
    /// The complete report, the text of `lanescope sim --json`.
    std::string json;
};

/// One executed warp instruction of the traced block.
struct TraceEvent {
    std::uint32_t pc = 0;
    LaneMask active = 0;
    std::uint16_t warp = 0;
    /// 1: the warp arrived at a barrier; 2: it left one at this event; 4: it ended here; 8: memory access; 16: lanes parted.
    std::uint16_t flags = 0;
    static constexpr std::uint16_t kBarrierArrive = 1, kBarrierRelease = 2, kExit = 4, kMemory = 8, kDiverged = 16;
};

/// All events of one block in the order of the schedule.
struct TraceView {
    Dim3 block{0, 0, 0};
    int warps = 0;
    std::vector<TraceEvent> events;
    /// Per warp the indices of its events, ascending.
    std::vector<std::vector<std::uint32_t>> eventsOfWarp;
    /// Event indices at which a barrier of the whole block completed.
    std::vector<std::uint32_t> barriers;
    bool complete = true; ///< false: cut at the trace's size limit
};

enum class WarpState : std::uint8_t { Ready, Issued, AtBarrier, Done };

/// A memory access of one warp instruction.
struct AccessView {
    std::uint32_t pc = 0;
    std::uint32_t event = 0; ///< index into the trace
    bool isStore = false, isAtomic = false;
    /// ldmatrix, stmatrix and loads of wmma that become them: 16-byte rows of 8x8 matrices, lanes 8i..8i+7 give those of matrix i.
    bool isMatrix = false;
    ptx::Space space = ptx::Space::Global; ///< resolved, never Generic
    int bytesPerLane = 4;
    LaneMask active = 0;
    std::array<std::uint64_t, kWarpSize> addresses{}; ///< shared: offsets in the block's shared memory
    memory::GlobalCost global; ///< when space is Global (or Local)
    memory::SharedCost shared; ///< when space is Shared
    std::vector<LaneMask> passes; ///< shared: lanes served together
    std::string array;        ///< "A", "As"
    std::uint64_t arrayBase = 0, arrayBytes = 0;
    int elementBytes = 4;
    /// Per lane: the value loaded or stored as text ("0.5"), empty for inactive lanes.
    std::array<std::string, kWarpSize> values;
};

/// An operand of a tensor instruction: which lane holds what. `map` is the geometry (lane, register, element <-> row, column), which
/// tensor::findFragment also gives for shapes that no kernel uses.
struct FragmentView {
    char matrix = 'A'; ///< 'A', 'B', 'C' or 'D'; what ldmatrix loads and stmatrix stores is 'D'
    std::shared_ptr<const tensor::FragmentMap> map;
    tensor::Element element = tensor::Element::F16;
    std::vector<std::string> registers; ///< their names, "%r5"
    /// Raw bits by place, in the order of FragmentMap::indices(): C as it was before the instruction, the others after it.
    std::vector<std::uint64_t> values;
};

/// Whose operands FrameView::fragments are. Of the step: values as the instruction found and left them. Of the warp's last tensor
/// instruction before the step, or its first one after it: what the registers hold now.
enum class FragmentsOf : std::uint8_t { Nothing, Step, Earlier, Later };

struct ProductView; ///< engine/session/product_view.h

struct RegisterView {
    std::string name;  ///< "%f4"
    std::string type;  ///< "f32"
    std::string value; ///< of the selected lane, formatted by type
    bool changed = false; ///< written by the current event
    bool uniform = false; ///< the same in all lanes of the warp
};

/// State after `index` events have executed: event index-1 is the step just made; index 0 is the start.
struct FrameView {
    std::uint32_t index = 0;
    int warp = 0;              ///< the selected warp
    bool hasStep = false;      ///< the selected warp has executed something
    std::uint32_t stepEvent = 0; ///< the selected warp's latest event at or before index-1
    std::uint32_t pc = 0;      ///< its instruction
    LaneMask active = 0;
    std::optional<std::uint32_t> nextPc; ///< where the selected warp goes on; none: it has ended
    std::uint32_t iteration = 0; ///< how many times this warp had executed this instruction before
    /// Accesses of the source line the selected warp is in: those of its latest run of events on that line, in order.
    std::vector<AccessView> accesses;
    int currentAccess = -1;    ///< the one made by stepEvent, or -1
    std::vector<FragmentView> fragments; ///< of a tensor instruction of the selected warp: C, A, B, D as far as it has them
    FragmentsOf fragmentsOf = FragmentsOf::Nothing;
    std::uint32_t fragmentEvent = 0, fragmentPc = 0; ///< that instruction
    std::shared_ptr<const ProductView> product;      ///< when it multiplies
    std::vector<WarpState> warps;
    std::vector<RegisterView> registers; ///< of the selected lane
    /// One sentence for the status bar: "Warp 3, line 8: 33 sectors, 33 lines, 12.5% of bytes used".
    std::string sentence;
};

/// One selection links all panes.
struct Selection {
    Dim3 block{0, 0, 0};
    int warp = 0;
    int lane = 0;
    bool operator==(const Selection&) const = default;
};

/// Accesses to an array, by the name of an argument or of a shared variable: where to run to when a compiler gives a line's access no line
/// (clang 14 does so with a vector store that it makes of scalar ones).
struct AccessTarget {
    std::string array; ///< empty: none
    bool isStore = false;
    bool operator==(const AccessTarget&) const = default;
};

struct TimingReport; ///< engine/session/timing.h

struct Snapshot {
    std::uint64_t version = 0; ///< grows by one with every snapshot
    std::shared_ptr<const ProgramView> program;
    std::shared_ptr<const RunView> run;     ///< null while or when it cannot run
    std::shared_ptr<const TraceView> trace; ///< null likewise
    /// The SM on which the traced block resides, cycle by cycle (modelled); null when there is no trace, nobody wants it
    /// (Session::setTimingWanted) or it cannot be timed, for the reason in `timingProblem`.
    std::shared_ptr<const TimingReport> timing;
    std::string timingProblem;
    Selection selection;
    FrameView frame;
    bool busy = false;        ///< a compile or simulation is under way; run and trace are then null or of this very program
    double progress = 0;      ///< 0..1 while busy
    std::string activity;     ///< "Compiling", "Simulating block 12 of 64"
};

} // namespace lanescope::session
