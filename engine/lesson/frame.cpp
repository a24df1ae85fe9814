// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/lesson/frame.h"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "engine/base/symbol.h"
#include "engine/memory/access.h"

namespace lanescope::lesson {
namespace {

constexpr std::uint64_t kMaxInstructions = 50'000'000;
constexpr std::size_t kMaxEvents = 4'000'000;

/// One instruction or access of the chosen warp, in the order in which they happened.
struct Event {
    std::uint32_t line = 0, pc = 0;
    std::int32_t access = -1; ///< index of the access; -1: an instruction
};

class Recorder final : public sim::EventSink {
public:
    Recorder(const sim::Program& program, const sim::Memory& memory, std::uint32_t warp)
        : m_program(program), m_memory(memory), m_warp(warp) {}

    bool wantsInstructions() const override { return true; }
    void instruction(const sim::InstructionEvent& event) override {
        if (event.warp == m_warp && events.size() < kMaxEvents)
            events.push_back({m_program.cudaLines[event.pc], event.pc, -1});
    }
    void access(const sim::AccessEvent& event) override {
        const bool isKnown = event.space == ptx::Space::Global || event.space == ptx::Space::Shared;
        if (event.warp != m_warp || !isKnown || events.size() >= kMaxEvents)
            return;
        events.push_back(
            {m_program.cudaLines[event.pc], event.pc, static_cast<std::int32_t>(accesses.size())});
        accesses.push_back(event.space == ptx::Space::Shared ? sharedAccess(event)
                                                             : globalAccess(event));
    }

    std::vector<Event> events;
    std::vector<FrameAccess> accesses;

private:
    FrameAccess common(const sim::AccessEvent& event) const {
        FrameAccess result;
        result.cudaLine = m_program.cudaLines[event.pc];
        result.isStore = event.kind != sim::AccessKind::Load;
        result.lanes = laneCount(event.active);
        return result;
    }

    FrameAccess globalAccess(const sim::AccessEvent& event) const {
        FrameAccess result = common(event);
        const auto cost = memory::globalCost(memory::Addresses(event.addresses, kWarpSize),
                                             event.active, event.bytes);
        result.sectors = cost.sectors;
        result.lines = cost.lines;
        result.bytes = cost.bytes;
        // Lanes past an array's end still are in its window.
        std::optional<int> allocation;
        forEachLane(event.active, [&](int lane) {
            const int found = m_memory.global.find(event.addresses[lane]);
            allocation = allocation.value_or(found) == found ? found : -1;
        });
        if (allocation.value_or(-1) >= 0)
            result.array = m_memory.global.at(static_cast<std::size_t>(*allocation)).name;
        return result;
    }

    FrameAccess sharedAccess(const sim::AccessEvent& event) const {
        FrameAccess result = common(event);
        result.isShared = true;
        const auto cost = memory::sharedCost(memory::Addresses(event.addresses, kWarpSize),
                                             event.active, event.bytes, sim::sharedKind(event));
        result.wavefronts = cost.wavefronts;
        result.passes = cost.passes;
        if (event.active != 0) {
            const std::uint64_t offset = event.addresses[firstLane(event.active)];
            for (const sim::SharedVariable& variable : m_program.sharedVariables)
                // A dynamic array has no size of its own: it goes to the end.
                if (offset >= variable.offset && (variable.bytes == 0 || offset < variable.offset + variable.bytes))
                    result.array = sourceName(variable.name);
        }
        return result;
    }

    const sim::Program& m_program;
    const sim::Memory& m_memory;
    std::uint32_t m_warp;
};

/// Whether the event goes on with the visit that the one before it belongs to; an access comes
/// before its instruction.
bool goesOn(const Event& before, const Event& event) {
    return before.line == event.line &&
           (before.pc < event.pc || (before.pc == event.pc && before.access >= 0));
}

double fieldOf(const FrameAccess& access, std::string_view field) {
    if (field == "sectors")
        return access.sectors;
    if (field == "lines")
        return access.lines;
    if (field == "bytes")
        return access.bytes;
    if (field == "wavefronts")
        return access.wavefronts;
    if (field == "passes")
        return access.passes;
    if (field == "lanes")
        return access.lanes;
    return 1; // "accesses"
}

Result<double> sumOf(std::span<const FrameAccess> accesses, std::string_view field,
                     std::string_view array) {
    double sum = 0, bytes = 0, sectors = 0;
    std::size_t count = 0;
    for (const FrameAccess& access : accesses) {
        if (!array.empty() && access.array != array)
            continue;
        ++count;
        sum += field == "share" ? 0 : fieldOf(access, field);
        bytes += access.bytes;
        sectors += access.sectors;
    }
    if (count == 0)
        return failure("probe",
                       array.empty() ? std::string("the line accesses no memory")
                                     : fmt::format("the line does not access '{}'", array),
                       {}, "name a line and an array that the warp accesses");
    if (field != "share")
        return sum;
    if (sectors == 0)
        return failure("probe", "the line accesses no global memory", {},
                       "share is that of the bytes of sectors");
    return bytes / (sectors * static_cast<double>(memory::kSectorBytes));
}

} // namespace

Result<double> Frame::value(std::string_view field, std::string_view array) const {
    return sumOf(accesses, field, array);
}

Result<Frame> frameAt(const session::LoadedProgram& program,
                      const session::PreparedLaunch& prepared, const FramePosition& position) {
    const sim::Launch& launch = prepared.launch;
    const Dim3& b = position.block;
    if (b.x >= launch.grid.x || b.y >= launch.grid.y || b.z >= launch.grid.z)
        return failure("lesson",
                       fmt::format("there is no block ({}, {}, {}): the grid has {} x {} x {}", b.x,
                                   b.y, b.z, launch.grid.x, launch.grid.y, launch.grid.z));
    if (position.warp < 0 || position.warp >= launch.warpsPerBlock())
        return failure("lesson", fmt::format("there is no warp {}: a block has {}", position.warp,
                                             launch.warpsPerBlock()));
    sim::Memory memory = sim::makeMemory(launch);
    Recorder recorder(*program.program, memory, static_cast<std::uint32_t>(position.warp));
    sim::RunOptions options;
    options.maxInstructions = kMaxInstructions;
    options.blocks = {b.x +
                      std::uint64_t{launch.grid.x} * (b.y + std::uint64_t{launch.grid.y} * b.z)};
    options.sinks = {&recorder};
    sim::run(launch, memory, options);

    const std::vector<Event>& events = recorder.events;
    if (events.empty())
        return Frame{};
    std::size_t at = 0;
    const auto toEnd = [&] {
        while (at + 1 < events.size() && goesOn(events[at], events[at + 1]))
            ++at;
    };
    if (position.line != 0) {
        // As session::Session::runToLine: compilers move parts of a line's arithmetic ahead, which
        // is not what there is to see.
        const auto onLine = [&](const Event& event) { return event.line == position.line; };
        auto found = std::find_if(events.begin(), events.end(), [&](const Event& event) {
            return onLine(event) && event.access >= 0;
        });
        const bool isAccess = found == events.end() && !position.otherwise.array.empty();
        if (isAccess)
            found = std::find_if(events.begin(), events.end(), [&](const Event& event) {
                if (event.access < 0)
                    return false;
                const FrameAccess& access = recorder.accesses[static_cast<std::size_t>(event.access)];
                return access.array == position.otherwise.array &&
                       access.isStore == position.otherwise.isStore;
            });
        if (found == events.end())
            found = std::find_if(events.begin(), events.end(), onLine);
        at = static_cast<std::size_t>(found - events.begin());
        if (found == events.end())
            return failure("lesson", fmt::format("warp {} never comes to line {}", position.warp,
                                                 position.line));
        toEnd();
    }
    for (int steps = position.steps; steps > 0 && at + 1 < events.size(); --steps)
        do
            ++at;
        while (at + 1 < events.size() && events[at].access >= 0);
    std::size_t begin = at;
    while (begin > 0 && goesOn(events[begin - 1], events[begin]))
        --begin;
    Frame frame;
    for (std::size_t i = begin; i <= at; ++i)
        if (events[i].access >= 0)
            frame.accesses.push_back(recorder.accesses[static_cast<std::size_t>(events[i].access)]);
    return frame;
}

} // namespace lanescope::lesson
