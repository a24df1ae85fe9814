// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/pipeline.h"

#include <algorithm>
#include <map>

namespace lanescope::timing {

namespace {

constexpr std::uint32_t kGranule = 16;         ///< bytes: the least that copies of tiles move at a time
constexpr std::size_t kMostTouches = 4'000'000;

/// Multiply-adds of one SM a cycle for products of these elements; 0: not described.
double tensorRate(const device::Device& device, tensor::Element element) {
    using enum tensor::Element;
    const char* key = element == F64 ? "tensor_f64"
                      : element == TF32 ? "tensor_tf32"
                      : element == BF16 ? "tensor_bf16"
                      : element == E4M3 || element == E5M2 ? "tensor_fp8"
                      : element == F16 ? "tensor_f16_accumulate_f32"
                                       : "tensor_int8";
    return device.value(key).value_or(0);
}

void extend(std::uint32_t& first, std::uint32_t& last, std::uint32_t begin, std::uint32_t end) {
    first = first == kNone ? begin : std::min(first, begin);
    last = last == kNone ? end : std::max(last, end);
}

/// The groups of one warp, as its instructions commit and await them.
struct WarpGroups {
    std::uint32_t number = 0; ///< of the group that is being filled
    std::vector<std::uint32_t> tileOf; ///< by group; kNone: it holds no copies
    std::vector<std::uint32_t> pending; ///< committed, not waited for
};

} // namespace

void TouchRecorder::access(const sim::AccessEvent& e) {
    const bool isCopy = e.async && e.kind == sim::AccessKind::Store, isRead = !e.async && e.kind == sim::AccessKind::Load;
    const LaneMask active = e.active & ~e.outOfBounds;
    if (e.space != ptx::Space::Shared || (!isCopy && !isRead) || active == 0)
        return;
    if (m_out.touches.size() >= kMostTouches) {
        m_out.complete = false;
        return;
    }
    SharedTouches::Touch touch;
    touch.first = kNone;
    forEachLane(active, [&](int lane) {
        const auto address = static_cast<std::uint32_t>(e.addresses[lane]);
        extend(touch.first, touch.last, address, address + static_cast<std::uint32_t>(e.bytes) - 1);
        touch.bytes += static_cast<std::uint32_t>(e.bytes);
    });
    touch.warp = static_cast<std::uint16_t>(e.warp);
    touch.isCopy = isCopy;
    m_out.touches.push_back(touch);
}

void TouchRecorder::instruction(const sim::InstructionEvent&) {
    for (; m_open < m_out.touches.size(); ++m_open)
        m_out.touches[m_open].event = m_events;
    ++m_events;
}

PipelineTiming pipelineOf(const SmTiming& timing, const sim::Program& program, const ProgramTiming& instructions, const SharedTouches& touches, const device::Device& device) {
    PipelineTiming out;
    out.cycles = timing.cycles;
    double tensorCycles = 0;
    for (const Issue& issue : timing.issues)
        if (program.ops[issue.pc].kind == sim::OpKind::MatrixProduct) {
            const tensor::Product& product = program.tensors[program.ops[issue.pc].target].product;
            out.isTensor = true;
            if (const double rate = tensorRate(device, product.a); rate > 0)
                tensorCycles += static_cast<double>(product.shape.m) * product.shape.n * product.shape.k / rate;
        }
    out.busy = out.isTensor ? (timing.cycles > 0 ? std::min(1.0, tensorCycles / timing.cycles) : 0.0) : timing.pipeUtilisation(Pipe::Fma);
    if (std::none_of(touches.touches.begin(), touches.touches.end(), [](const auto& t) { return t.isCopy; }))
        return out;

    // Program order of each warp of the traced block: its events by number, so that copies, commits, waits, reads and arithmetic meet.
    std::vector<const SharedTouches::Touch*> touchOf(touches.touches.back().event + 1, nullptr);
    for (const SharedTouches::Touch& touch : touches.touches)
        if (touchOf[touch.event] == nullptr)
            touchOf[touch.event] = &touch;
    const auto touchAt = [&](std::uint32_t event) { return event < touchOf.size() ? touchOf[event] : nullptr; };
    std::vector<std::vector<std::uint32_t>> issuesOf; // by warp, in order of events
    for (const WarpTiming& warp : timing.warps) {
        if (warp.slot != 0)
            continue;
        std::vector<std::uint32_t> mine = warp.issues;
        std::sort(mine.begin(), mine.end(), [&](std::uint32_t a, std::uint32_t b) { return timing.issues[a].event < timing.issues[b].event; });
        issuesOf.push_back(std::move(mine));
    }

    // Tiles: the n-th group with copies of every warp is the n-th tile.
    std::vector<WarpGroups> groups(issuesOf.size());
    std::vector<std::uint32_t> filled(issuesOf.size(), 0); // tiles that a warp has copies in
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> written; // by tile: granules
    bool isFirstKnown = false;
    std::size_t firstWarp = 0;
    for (std::size_t w = 0; w < issuesOf.size(); ++w) {
        WarpGroups& g = groups[w];
        g.tileOf.assign(1, kNone);
        for (const std::uint32_t index : issuesOf[w]) {
            const Issue& issue = timing.issues[index];
            const InstructionTiming& t = instructions.instructions[issue.pc];
            if (t.copies == CopyRole::Copy) {
                const SharedTouches::Touch* found = touchAt(issue.event);
                if (found == nullptr)
                    continue;
                std::uint32_t& tile = g.tileOf[g.number];
                if (tile == kNone) {
                    tile = filled[w]++;
                    if (!isFirstKnown) {
                        isFirstKnown = true;
                        firstWarp = w;
                    }
                }
                while (out.tiles.size() <= tile) {
                    PipelineTile fresh;
                    fresh.tile = static_cast<std::uint32_t>(out.tiles.size());
                    fresh.asked = kNone;
                    out.tiles.push_back(fresh);
                    written.emplace_back();
                }
                PipelineTile& to = out.tiles[tile];
                to.asked = std::min(to.asked, issue.cycle);
                to.landed = std::max(to.landed, issue.done);
                to.bytes += found->bytes;
                written[tile].emplace_back(found->first / kGranule, found->last / kGranule);
            }
            if (t.copies == CopyRole::Commit || t.copies == CopyRole::WaitAll) {
                if (w == firstWarp && g.tileOf[g.number] != kNone) {
                    PipelineTile& tile = out.tiles[g.tileOf[g.number]];
                    tile.group = g.number;
                    tile.committed = issue.cycle;
                    tile.commitPc = issue.pc;
                }
                g.pending.push_back(g.number++);
                g.tileOf.push_back(kNone);
            }
            if (t.copies == CopyRole::Wait || t.copies == CopyRole::WaitAll) {
                const std::size_t allowed = t.copies == CopyRole::Wait ? t.copyGroups : 0;
                while (g.pending.size() > allowed) {
                    if (const std::uint32_t tile = g.tileOf[g.pending.front()]; w == firstWarp && tile != kNone) {
                        out.tiles[tile].waited = std::max(issue.done, issue.cycle);
                        out.tiles[tile].waitPc = issue.pc;
                        out.tiles[tile].pendingAtWait = static_cast<std::uint32_t>(allowed);
                    }
                    g.pending.erase(g.pending.begin());
                }
            }
        }
    }

    // Slots: tiles that write the same bytes share one.
    std::map<std::uint32_t, std::uint32_t> slotOf; // by granule
    for (PipelineTile& tile : out.tiles) {
        tile.slot = kNone;
        for (const auto& [first, last] : written[tile.tile])
            for (std::uint32_t at = first; at <= last && tile.slot == kNone; ++at)
                if (const auto owner = slotOf.find(at); owner != slotOf.end())
                    tile.slot = owner->second;
        if (tile.slot == kNone)
            tile.slot = out.slotCount++;
        for (const auto& [first, last] : written[tile.tile])
            for (std::uint32_t at = first; at <= last; ++at)
                slotOf.emplace(at, tile.slot);
    }

    // Reads belong to the latest tile of their slot that was asked for before them in the warp's own order.
    for (std::size_t w = 0; w < issuesOf.size(); ++w) {
        std::vector<std::uint32_t> latest(out.slotCount, kNone); // tile that the warp has last waited for, by slot
        std::uint32_t current = kNone, copied = 0;
        std::vector<std::uint32_t> tileOf{kNone}, pending;
        std::uint32_t number = 0;
        for (const std::uint32_t index : issuesOf[w]) {
            const Issue& issue = timing.issues[index];
            const InstructionTiming& t = instructions.instructions[issue.pc];
            const sim::OpKind kind = program.ops[issue.pc].kind;
            const SharedTouches::Touch* found = touchAt(issue.event);
            if (t.copies == CopyRole::Copy && found != nullptr && tileOf[number] == kNone)
                tileOf[number] = copied++;
            if (t.copies == CopyRole::Commit || t.copies == CopyRole::WaitAll) {
                pending.push_back(number++);
                tileOf.push_back(kNone);
            }
            if (t.copies == CopyRole::Wait || t.copies == CopyRole::WaitAll)
                while (pending.size() > (t.copies == CopyRole::Wait ? t.copyGroups : 0)) {
                    if (const std::uint32_t tile = tileOf[pending.front()]; tile != kNone)
                        latest[out.tiles[tile].slot] = tile;
                    pending.erase(pending.begin());
                }
            if (found != nullptr && !found->isCopy)
                if (const auto slot = slotOf.find(found->first / kGranule); slot != slotOf.end() && latest[slot->second] != kNone) {
                    current = latest[slot->second];
                    PipelineTile& tile = out.tiles[current];
                    extend(tile.firstRead, tile.lastRead, issue.cycle, issue.done);
                    extend(tile.computeBegin, tile.computeEnd, issue.cycle, issue.cycle + 1);
                }
            if (current != kNone && (kind == sim::OpKind::MatrixProduct || (!out.isTensor && timing.isArithmetic[issue.pc] != 0))) {
                PipelineTile& tile = out.tiles[current];
                extend(tile.computeBegin, tile.computeEnd, issue.cycle, issue.cycle + std::max<std::uint32_t>(1, t.pipeCycles));
            }
        }
    }
    return out;
}

std::vector<PipelineTiming::Slot> PipelineTiming::at(std::uint32_t cycle) const {
    std::vector<Slot> out(slotCount);
    for (const PipelineTile& tile : tiles) {
        if (tile.asked > cycle)
            continue;
        Slot& slot = out[tile.slot];
        slot.tile = tile.tile;
        if (cycle < tile.landed)
            slot = {SlotState::InFlight, tile.tile, tile.landed};
        else if (tile.firstRead == kNone || cycle < tile.firstRead)
            slot = {SlotState::Landed, tile.tile, tile.firstRead == kNone ? cycles : tile.firstRead};
        else if (cycle < std::max(tile.lastRead, tile.computeEnd))
            slot = {SlotState::InUse, tile.tile, std::max(tile.lastRead, tile.computeEnd)};
        else
            slot = {SlotState::Used, tile.tile, cycles};
    }
    return out;
}

std::uint32_t PipelineTiming::readSlot(std::uint32_t cycle) const {
    const std::vector<Slot> now = at(cycle);
    std::uint32_t found = kNone, oldest = kNone;
    for (std::uint32_t s = 0; s < now.size(); ++s)
        if ((now[s].state == SlotState::InUse || now[s].state == SlotState::Landed) && (oldest == kNone || now[s].tile < oldest)) {
            oldest = now[s].tile;
            found = s;
        }
    return found;
}

std::uint32_t PipelineTiming::writeSlot(std::uint32_t cycle) const {
    std::uint32_t found = kNone;
    for (const PipelineTile& tile : tiles)
        if (tile.asked <= cycle)
            found = tile.slot;
    return found;
}

} // namespace lanescope::timing
