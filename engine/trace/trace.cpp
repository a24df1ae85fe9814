// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/trace/trace.h"

#include <algorithm>
#include <cstring>

namespace lanescope::trace {

namespace {

/// Past this many keyframes every second one is dropped and their distance doubles.
constexpr std::size_t kMaxKeyframes = 64;
/// Bytes that all keyframes together may take before they are thinned out.
constexpr std::size_t kMaxKeyframeBytes = std::size_t{256} << 20;

std::size_t sizeBytes(const sim::BlockState& s) {
    std::size_t copies = 0;
    for (const sim::WarpState& warp : s.warps)
        copies += warp.copies.size();
    std::size_t bulk = 0;
    for (const sim::PendingBulk& b : s.bulks)
        bulk += b.data.size() + b.addresses.size() * sizeof(std::uint64_t);
    return bulk + s.rows.size() * sizeof(sim::RowChunk) + s.shared.size() + s.privateMemory.size() + 4 * s.nth.size() + copies * sizeof(sim::PendingCopy);
}

} // namespace

/// Hears the machine: notes events while recording, and accesses of one warp when asked.
class BlockTrace::Capture final : public sim::EventSink {
public:
    std::vector<sim::InstructionEvent>* events = nullptr;
    std::vector<RecordedAccess>* accesses = nullptr;
    std::uint32_t warp = 0;
    std::uint32_t index = 0;

    bool wantsInstructions() const override { return true; }
    void instruction(const sim::InstructionEvent& e) override {
        if (events != nullptr)
            events->push_back(e);
        executed = true;
    }
    void access(const sim::AccessEvent& e) override {
        if (accesses == nullptr || e.warp != warp)
            return;
        RecordedAccess& a = accesses->emplace_back();
        a.event = index;
        a.access = e;
        std::copy(e.addresses, e.addresses + kWarpSize, a.addresses.begin());
        a.access.addresses = nullptr;
    }
    bool executed = false;
};

BlockTrace::BlockTrace(std::shared_ptr<const sim::Launch> launch, std::uint64_t linearBlock, const TraceOptions& options)
    : m_launch(std::move(launch)), m_memory(sim::makeMemory(*m_launch)), m_capture(std::make_unique<Capture>()) {
    m_machine = std::make_unique<sim::BlockMachine>(*m_launch, m_memory, std::vector<sim::EventSink*>{m_capture.get()}, nullptr);
    m_machine->setJournal(&m_journal);
    m_machine->start(linearBlock);
    m_capture->events = &m_events;
    addKeyframe();
    while (m_machine->step()) {
        m_index = static_cast<std::uint32_t>(m_events.size());
        if (m_index >= m_keyframes.back().index + m_keyframeDistance)
            addKeyframe();
        if (m_events.size() >= options.maxEvents ||
            ((m_events.size() & 0xfff) == 0 && options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed))) {
            m_complete = m_machine->ended();
            break;
        }
    }
    m_index = static_cast<std::uint32_t>(m_events.size());
    m_capture->events = nullptr;
    seek(0);
}

BlockTrace::~BlockTrace() = default;

void BlockTrace::addKeyframe() {
    const std::size_t bytes = sizeBytes(m_machine->state());
    if (m_keyframes.size() >= kMaxKeyframes || (m_keyframes.size() > 2 && bytes * m_keyframes.size() > kMaxKeyframeBytes)) {
        std::vector<Keyframe> kept;
        for (std::size_t i = 0; i < m_keyframes.size(); i += 2)
            kept.push_back(std::move(m_keyframes[i]));
        m_keyframes = std::move(kept);
        m_keyframeDistance *= 2;
        if (m_index < m_keyframes.back().index + m_keyframeDistance)
            return;
    }
    m_keyframes.push_back({m_index, m_journal.position(), m_machine->state()});
}

void BlockTrace::stepOne() {
    // A *.sync that waits is no event: it is executed again when its lanes are together.
    m_capture->executed = false;
    m_capture->index = m_index;
    while (!m_capture->executed && m_machine->step()) {
    }
    ++m_index;
}

void BlockTrace::seek(std::uint32_t index) {
    index = std::min(index, static_cast<std::uint32_t>(m_events.size()));
    // Keyframes are for going back: forward to one needs the writes on the way, which only executing gives.
    if (index < m_index) {
        const auto after = std::upper_bound(m_keyframes.begin(), m_keyframes.end(), index,
                                            [](std::uint32_t i, const Keyframe& k) { return i < k.index; });
        const Keyframe& key = *(after - 1);
        m_journal.undoTo(key.journal, m_memory.global);
        m_machine->restore(key.state);
        m_index = key.index;
    }
    while (m_index < index)
        stepOne();
}

std::vector<RecordedAccess> BlockTrace::accesses(std::uint32_t from, std::uint32_t to, std::uint32_t warp) {
    seek(from);
    std::vector<RecordedAccess> out;
    m_capture->accesses = &out;
    m_capture->warp = warp;
    to = std::min(to, static_cast<std::uint32_t>(m_events.size()));
    while (m_index < to) {
        const std::size_t before = out.size();
        stepOne();
        for (std::size_t i = before; i < out.size(); ++i) {
            RecordedAccess& a = out[i];
            const auto bytes = static_cast<std::size_t>(std::min(a.access.bytes, 32));
            forEachLane(a.access.active & ~a.access.outOfBounds, [&](int lane) {
                const auto l = static_cast<std::size_t>(lane);
                const std::uint64_t address = a.addresses[l];
                if (a.access.bulk && a.access.kind == sim::AccessKind::Store && a.access.space == ptx::Space::Shared) {
                    for (const sim::PendingBulk& bulk : m_machine->state().bulks)
                        if (bulk.warp == warp && bulk.number == a.access.copy)
                            for (std::size_t piece = 0; piece < bulk.addresses.size(); ++piece)
                                if (bulk.addresses[piece] == address)
                                    std::memcpy(a.values[l].data(), bulk.data.data() + piece * bulk.pieceBytes, std::min<std::size_t>(bytes, bulk.pieceBytes));
                    return;
                }
                if (a.access.async && a.access.kind == sim::AccessKind::Store) {
                    // Shared memory still holds what was there; the data are on their way.
                    for (const sim::PendingCopy& copy : m_machine->state().warps[warp].copies)
                        if (copy.number == a.access.copy)
                            std::memcpy(a.values[l].data(), copy.data[l].data(), bytes);
                    return;
                }
                if (a.access.space == ptx::Space::Shared) {
                    std::memcpy(a.values[l].data(), m_machine->state().shared.data() + address, bytes);
                } else if (a.access.space == ptx::Space::Global || a.access.space == ptx::Space::Const) {
                    const int allocation = m_memory.global.find(address);
                    const sim::Allocation& memory = m_memory.global.at(static_cast<std::size_t>(allocation));
                    std::memcpy(a.values[l].data(), memory.bytes.data() + (address - memory.base), bytes);
                }
            });
        }
    }
    m_capture->accesses = nullptr;
    return out;
}

} // namespace lanescope::trace
