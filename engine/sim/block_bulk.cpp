// SPDX-License-Identifier: GPL-3.0-or-later
// Bulk copies and reductions (PTX ISA, cp.async.bulk, cp.reduce.async.bulk, both also .tensor; st.async, red.async).
//
// The source is read when the copy is issued. What goes to global memory is written at once, and a finding tells who looks too early;
// what goes to shared memory comes when somebody looks at the mbarrier, so whoever reads before finds what was there. To observers a copy is
// pieces of up to 16 bytes, 32 to an event.
#include <algorithm>
#include <cstring>

#include "engine/sim/atomic_operation.h"
#include "engine/sim/block_machine.h"
#include "engine/sim/lane_rows.h"

namespace lanescope::sim {

namespace {

constexpr std::uint32_t kPiece = 16;
constexpr std::uint64_t kBoxAlignment = 128; ///< of a box in shared memory (CUDA Programming Guide, "Tensor Memory Access")

/// What stands for elements outside a tensor when NaN was asked for, whatever their type: 0x7ff7 in every two bytes (measured on an H200).
void fillWithNan(std::vector<std::uint8_t>& data) {
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = i % 2 == 0 ? 0xf7 : 0x7f;
}

/// tf32 is rounded to 10 bits of mantissa, the nearest, and any NaN becomes one; subnormal numbers stay, with _ftz as well (measured on an H200).
void convertElements(std::vector<std::uint8_t>& data, TensorType type) {
    if (type != TensorType::TF32 && type != TensorType::TF32Ftz)
        return;
    for (std::size_t at = 0; at + 4 <= data.size(); at += 4) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, data.data() + at, sizeof bits);
        if (bits == 0x7ff77ff7u) // what fillWithNan leaves is not converted
            continue;
        const bool isNan = (bits & 0x7fffffffu) > 0x7f800000u;
        bits = isNan ? 0x7fffe000u : (bits & 0x7f800000u) == 0x7f800000u ? bits : (bits + 0x1000u) & ~0x1fffu;
        std::memcpy(data.data() + at, &bits, sizeof bits);
    }
}

} // namespace

struct BlockMachine::BulkTransfer {
    /// A piece of global memory and its place in the data.
    struct Run {
        std::uint64_t address = 0;
        std::uint32_t bytes = 0, at = 0;
    };
    std::vector<std::uint8_t> data;
    std::vector<Run> runs;
    std::vector<std::uint64_t> from, to; ///< pieces in shared memory
    std::optional<TensorType> element;   ///< of a box that is loaded
    std::uint32_t pieceBytes = kPiece;
    std::uint32_t bytes = 0;             ///< counted off at the mbarrier
    bool moves = true;                   ///< false: only counted
    bool isMisplaced = false;            ///< a box whose place in shared memory is no multiple of 128
    ptx::AtomicOp atomic = ptx::AtomicOp::None;
    ptx::Type type = ptx::Type::None;

    void addRun(std::uint64_t address, std::uint64_t length, std::uint64_t at) {
        while (length > 0) {
            const std::uint64_t here = std::min(length, kPiece - at % kPiece);
            runs.push_back({address, static_cast<std::uint32_t>(here), static_cast<std::uint32_t>(at)});
            address += here;
            at += here;
            length -= here;
        }
    }
};

std::uint8_t* BlockMachine::bytesAt(ptx::Space space, std::uint64_t address, std::uint64_t bytes) {
    if (space == ptx::Space::Shared)
        return m_state.shared.size() >= bytes && address <= m_state.shared.size() - bytes ? m_state.shared.data() + address : nullptr;
    const int index = m_memory.global.find(address);
    if (index < 0)
        return nullptr;
    Allocation& a = m_memory.global.at(static_cast<std::size_t>(index));
    const std::uint64_t size = a.bytes.size();
    return size >= bytes && address >= a.base && address - a.base <= size - bytes ? a.bytes.data() + (address - a.base) : nullptr;
}

/// In a parameter, constant or global memory; or in the thread's own, where clang copies a parameter, for it knows no __grid_constant__.
std::optional<TensorMap> BlockMachine::tensorMapAt(std::uint64_t address, std::uint32_t warp, int lane) {
    std::span<const std::uint8_t> bytes;
    if ((address & kWindowMask) == kLocalWindow) {
        const std::uint64_t offset = address & ~kWindowMask;
        if (offset < m_privateStride)
            bytes = std::span<const std::uint8_t>(privateBytes(warp, lane), m_privateStride).subspan(offset);
        return TensorMap::decode(bytes);
    }
    if ((address & kWindowMask) == kParamWindow || address < m_memory.parameters.size()) {
        const std::uint64_t offset = address & ~kWindowMask;
        if (offset < m_memory.parameters.size())
            bytes = std::span(m_memory.parameters).subspan(offset);
    } else if (const int index = m_memory.global.find(address); index >= 0) {
        const Allocation& a = m_memory.global.at(static_cast<std::size_t>(index));
        if (address >= a.base && address - a.base < a.bytes.size())
            bytes = std::span(a.bytes).subspan(address - a.base);
    }
    return TensorMap::decode(bytes);
}

/// A run of bytes; false when nothing is left to do.
bool BlockMachine::describeRun(const BulkOp& bulk, BulkTransfer& t, const std::uint8_t* rows, std::uint32_t pc, int lane) {
    const std::uint32_t asked = laneValue32(row(bulk.bytes, rows), lane);
    if (asked % kPiece != 0)
        fault(FaultKind::BulkSize, m_state.turn, pc, LaneMask{1} << lane, 0, asked);
    t.bytes = asked / kPiece * kPiece;
    t.data.assign(t.moves ? t.bytes : 0, 0);
    t.type = bulk.type;
    std::uint64_t addresses[kWarpSize];
    const auto pieces = [&](std::uint32_t memory, ptx::Space space, std::vector<std::uint64_t>& shared) {
        laneAddresses(m_program.memory[memory], rows, 0, addresses);
        if (space == ptx::Space::Global)
            t.addRun(addresses[lane], t.bytes, 0);
        else
            for (std::uint32_t at = 0; at < t.bytes; at += kPiece)
                shared.push_back(inShared(addresses[lane]) + at);
    };
    pieces(bulk.from, bulk.source, t.from);
    pieces(bulk.to, bulk.destination, t.to);
    return t.bytes != 0;
}

/// Values of registers: one piece.
void BlockMachine::describeRegisters(const BulkOp& bulk, BulkTransfer& t, const std::uint8_t* rows, int lane) {
    t.bytes = t.pieceBytes = std::uint32_t{bulk.elementBytes} * bulk.count;
    t.type = bulk.type;
    t.data.assign(t.bytes, 0);
    for (std::uint32_t e = 0; e < bulk.count; ++e) {
        const RowSlot& slot = m_program.rowList[bulk.rows + e];
        const std::uint64_t value = slot.wide ? laneValue64(row(slot.row, rows), lane) : laneValue32(row(slot.row, rows), lane);
        std::memcpy(t.data.data() + std::size_t{e} * bulk.elementBytes, &value, bulk.elementBytes);
    }
    std::uint64_t addresses[kWarpSize];
    laneAddresses(m_program.memory[bulk.to], rows, 0, addresses);
    t.to.push_back(inShared(addresses[lane]));
}

/// A box of a tensor; false when there is no such tensor map, which ends the block.
bool BlockMachine::describeBox(const BulkOp& bulk, BulkTransfer& t, const std::uint8_t* rows, std::uint32_t frameBase, std::uint32_t pc, int lane) {
    std::uint64_t addresses[kWarpSize];
    laneAddresses(m_program.memory[bulk.map], rows, frameBase, addresses);
    const std::optional<TensorMap> found = tensorMapAt(addresses[lane], m_state.turn, lane);
    if (!found || found->rank != bulk.dimensions) {
        fault(found ? FaultKind::MapDimensions : FaultKind::BadTensorMap, m_state.turn, pc, LaneMask{1} << lane, 0,
              found ? static_cast<std::uint64_t>(found->rank) : addresses[lane]);
        m_state.stopped = true;
        return false;
    }
    const TensorMap& map = *found;
    const auto element = static_cast<std::uint64_t>(map.elementBytes());
    t.type = arithmeticType(map.type);
    t.bytes = static_cast<std::uint32_t>(map.boxBytes());
    t.data.assign(t.moves ? t.bytes : 0, 0);
    if (map.fillsWithNan)
        fillWithNan(t.data);

    std::int64_t start[TensorMap::kMaxRank] = {};
    for (std::size_t d = 0; d < bulk.dimensions; ++d)
        start[d] = static_cast<std::int32_t>(laneValue32(row(bulk.coordinates[d], rows), lane));
    // Both stop the hardware as an illegal instruction (measured on an H200).
    const bool loads = bulk.completion == ptx::BulkCompletion::Mbarrier;
    if (start[0] * static_cast<std::int64_t>(element) % kPiece != 0)
        fault(FaultKind::BoxStart, m_state.turn, pc, LaneMask{1} << lane, 0, static_cast<std::uint64_t>(start[0] * static_cast<std::int64_t>(element)));
    else if (!loads && std::any_of(start, start + bulk.dimensions, [](std::int64_t c) { return c < 0; }))
        fault(FaultKind::NegativeBox, m_state.turn, pc, LaneMask{1} << lane);
    // What of a row of the box is inside the tensor. A row is written in whole chunks of 16 bytes (measured on an H200).
    const std::uint64_t perChunk = loads ? 1 : kPiece / element;
    const auto innerSize = static_cast<std::int64_t>((map.size[0] + perChunk - 1) / perChunk * perChunk), innerBox = static_cast<std::int64_t>(map.box[0]);
    const std::int64_t first = std::clamp<std::int64_t>(-start[0], 0, innerBox), last = std::clamp<std::int64_t>(innerSize - start[0], 0, innerBox);
    const std::uint64_t boxRows = t.bytes / (element * map.box[0]);
    for (std::uint64_t r = 0; r < boxRows && first < last; ++r) {
        std::uint64_t address = map.address, index = r;
        bool isInside = true;
        for (int d = 1; d < map.rank; ++d) {
            const auto dim = static_cast<std::size_t>(d);
            const std::int64_t at = start[d] + static_cast<std::int64_t>(index % map.boxElements(d)) * map.elementStride[dim];
            index /= map.boxElements(d);
            isInside = isInside && at >= 0 && at < static_cast<std::int64_t>(map.size[dim]);
            address += static_cast<std::uint64_t>(at) * map.stride[dim];
        }
        if (isInside)
            t.addRun(address + static_cast<std::uint64_t>(start[0] + first) * element, static_cast<std::uint64_t>(last - first) * element,
                     (r * map.box[0] + static_cast<std::uint64_t>(first)) * element);
    }

    if (loads)
        t.element = map.type;
    laneAddresses(m_program.memory[loads ? bulk.to : bulk.from], rows, frameBase, addresses);
    const std::uint64_t base = inShared(addresses[lane]);
    t.isMisplaced = base % kBoxAlignment != 0;
    if (t.moves || !m_sinks.empty())
        for (std::uint32_t at = 0; at < t.bytes; at += kPiece)
            (loads ? t.to : t.from).push_back(map.sharedAddress(base, at));
    return true;
}

/// Tells the observers of an access, 32 pieces at a time.
void BlockMachine::announce(AccessEvent event, const std::vector<std::uint64_t>& addresses, std::uint32_t bytes) {
    if (m_sinks.empty())
        return;
    event.bytes = static_cast<int>(bytes);
    event.elementBytes = std::min(4, event.bytes);
    const bool isGlobal = event.space == ptx::Space::Global;
    for (std::size_t first = 0; first < addresses.size(); first += kWarpSize) {
        const std::size_t count = std::min<std::size_t>(kWarpSize, addresses.size() - first);
        std::array<std::uint64_t, kWarpSize> here{};
        std::copy_n(addresses.begin() + static_cast<std::ptrdiff_t>(first), count, here.begin());
        event.active = count == kWarpSize ? kFullMask : (LaneMask{1} << count) - 1;
        event.addresses = here.data();
        event.outOfBounds = event.misaligned = 0;
        event.allocation = isGlobal ? m_memory.global.find(here[0]) : -1;
        forEachLane(event.active, [&](int lane) {
            const std::uint64_t address = here[static_cast<std::size_t>(lane)];
            event.outOfBounds |= bytesAt(event.space, address, bytes) == nullptr ? LaneMask{1} << lane : 0;
            event.misaligned |= address % static_cast<unsigned>(event.alignment) != 0 ? LaneMask{1} << lane : 0;
            if (isGlobal && m_memory.global.find(address) != event.allocation)
                event.allocation = -1;
        });
        for (EventSink* sink : m_sinks)
            sink->access(event);
        if (event.alignment == static_cast<int>(kBoxAlignment))
            event.alignment = kPiece; // told once
    }
}

/// The pieces in global memory, those of equal length together.
void BlockMachine::announceRuns(const AccessEvent& event, const BulkTransfer& t) {
    if (m_sinks.empty())
        return;
    for (std::uint32_t bytes = kPiece; bytes > 0; --bytes) {
        std::vector<std::uint64_t> addresses;
        for (const BulkTransfer::Run& run : t.runs)
            if (run.bytes == bytes)
                addresses.push_back(run.address);
        if (!addresses.empty())
            announce(event, addresses, bytes);
    }
}

/// Reads the source into the data.
void BlockMachine::readTransfer(BulkTransfer& t, AccessEvent event) {
    event.kind = AccessKind::Load;
    if (!t.from.empty()) {
        event.space = ptx::Space::Shared;
        event.alignment = t.isMisplaced ? static_cast<int>(kBoxAlignment) : static_cast<int>(kPiece);
        std::vector<std::uint64_t> read; // of a box only what goes to the tensor
        std::vector<bool> isUsed(t.from.size(), t.runs.empty());
        for (const BulkTransfer::Run& run : t.runs)
            isUsed[run.at / kPiece] = true;
        for (std::size_t i = 0; i < t.from.size(); ++i) {
            if (isUsed[i])
                read.push_back(t.from[i]);
            if (const std::uint8_t* at = t.moves ? bytesAt(ptx::Space::Shared, t.from[i], kPiece) : nullptr)
                std::memcpy(t.data.data() + i * kPiece, at, kPiece);
        }
        announce(event, read, kPiece);
        return;
    }
    event.space = ptx::Space::Global;
    event.bulk = false; // read when issued
    announceRuns(event, t);
    if (!t.moves)
        return;
    for (const BulkTransfer::Run& run : t.runs) {
        if (const std::uint8_t* at = bytesAt(ptx::Space::Global, run.address, run.bytes))
            std::memcpy(t.data.data() + run.at, at, run.bytes);
        else
            std::memset(t.data.data() + run.at, 0, run.bytes);
    }
}

void BlockMachine::writeGlobal(const BulkTransfer& t, AccessEvent event) {
    event.space = ptx::Space::Global;
    event.kind = t.atomic == ptx::AtomicOp::None ? AccessKind::Store : AccessKind::Atomic;
    announceRuns(event, t);
    if (!t.moves)
        return;
    const LaneFunction combine = combineFunction(t.atomic, t.type);
    for (const BulkTransfer::Run& run : t.runs) {
        std::uint8_t* const at = bytesAt(ptx::Space::Global, run.address, run.bytes);
        if (at == nullptr)
            continue;
        const int index = m_memory.global.find(run.address);
        if (m_journal != nullptr)
            m_journal->record(static_cast<std::uint32_t>(index), run.address - m_memory.global.at(static_cast<std::size_t>(index)).base, at, run.bytes);
        reduceBytes(t.atomic, t.type, combine, at, t.data.data() + run.at, run.bytes);
    }
}

/// What has been under way comes to shared memory.
void BlockMachine::landBulk(const PendingBulk& bulk) {
    const LaneFunction combine = combineFunction(bulk.atomic, bulk.type);
    for (std::size_t i = 0; i < bulk.addresses.size(); ++i)
        if (std::uint8_t* const at = bytesAt(ptx::Space::Shared, bulk.addresses[i], bulk.pieceBytes))
            reduceBytes(bulk.atomic, bulk.type, combine, at, bulk.data.data() + i * bulk.pieceBytes, bulk.pieceBytes);
}

void BlockMachine::copyBulk(const Op& op, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active, std::uint32_t frameBase) {
    const BulkOp& bulk = m_program.bulks[op.target];
    WarpState& warp = m_state.warps[warpIndex];
    const std::uint8_t* rows = rowsOf(warpIndex);
    const bool tellsMbarrier = bulk.completion == ptx::BulkCompletion::Mbarrier;
    std::array<std::uint64_t, kWarpSize> barriers{};
    if (tellsMbarrier)
        sharedAddresses(m_program.memory[bulk.barrier], rows, frameBase, barriers.data());
    AccessEvent event = accessEvent(warpIndex, pc, bulk.counter);
    event.alignment = kPiece;
    event.asyncProxy = event.bulk = true;
    forEachLane(active, [&](int lane) {
        const auto l = static_cast<std::size_t>(lane);
        BulkTransfer t;
        t.moves = m_program.memory[tellsMbarrier ? bulk.to : bulk.from].movesData || bulk.source == ptx::Space::Generic;
        t.atomic = bulk.atomic;
        if (bulk.source == ptx::Space::Generic)
            describeRegisters(bulk, t, rows, lane);
        else if (bulk.dimensions != 0 ? !describeBox(bulk, t, rows, frameBase, pc, lane) : !describeRun(bulk, t, rows, pc, lane))
            return;
        if (bulk.multicast.valid() && (laneValue32(row(bulk.multicast, rows), lane) & 1u) == 0)
            return; // to other blocks of the cluster only
        event.copy = warp.copiesIssued++;
        AccessEvent side = event;
        if (bulk.dimensions != 0)
            side.alignment = 1; // elements of a tensor are where its map says
        if (bulk.source != ptx::Space::Generic)
            readTransfer(t, side);
        if (t.element)
            convertElements(t.data, *t.element);
        if (m_counters != nullptr) {
            InstructionCounts c;
            std::vector<std::uint64_t> sectors;
            for (const BulkTransfer::Run& run : t.runs) {
                c.bytes += run.bytes;
                for (std::uint64_t s = run.address / 32; s <= (run.address + run.bytes - 1) / 32; ++s)
                    if (sectors.empty() || sectors.back() != s)
                        sectors.push_back(s);
            }
            std::sort(sectors.begin(), sectors.end());
            sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
            c.requests = 1;
            c.requestedBytes = t.bytes;
            c.sectors = sectors.size();
            (*m_counters)[pc] += c;
        }
        if (!tellsMbarrier) {
            writeGlobal(t, side);
            if (warp.bulkCommits.empty())
                warp.bulkCommits.assign(kWarpSize, 0);
            warp.bulkGroups.push_back({event.copy, warp.bulkCommits[l], static_cast<std::uint8_t>(lane), false});
            return;
        }
        AccessEvent store = event;
        store.kind = t.atomic == ptx::AtomicOp::None ? AccessKind::Store : AccessKind::Atomic;
        store.space = ptx::Space::Shared;
        store.alignment = t.isMisplaced ? static_cast<int>(kBoxAlignment) : static_cast<int>(t.pieceBytes);
        announce(store, t.to, t.pieceBytes);
        PendingBulk pending;
        pending.number = event.copy;
        pending.warp = warpIndex;
        pending.pc = pc;
        pending.barrier = barriers[l];
        pending.clock = warp.clock;
        pending.bytes = t.bytes;
        pending.pieceBytes = t.pieceBytes;
        if (t.moves) {
            pending.addresses = std::move(t.to);
            pending.data = std::move(t.data);
        }
        pending.atomic = t.atomic;
        pending.type = t.type;
        m_state.bulks.push_back(std::move(pending));
        MbarrierRecord& record = m_state.mbarriers[barriers[l]];
        record.clock = std::max(record.clock, warp.clock);
    });
    if (tellsMbarrier) {
        const AccessEvent access = mbarrierAccess(m_program.memory[bulk.barrier], warpIndex, pc, active, barriers.data());
        for (EventSink* sink : m_sinks)
            sink->access(access);
        wakeWaiting();
    }
}

void BlockMachine::commitBulk(WarpState& warp, LaneMask lanes) {
    if (warp.bulkCommits.empty())
        warp.bulkCommits.assign(kWarpSize, 0);
    forEachLane(lanes, [&](int lane) { ++warp.bulkCommits[static_cast<std::size_t>(lane)]; });
}

/// Groups are counted by thread, as those of cp.async; copies in no group yet are not waited for.
void BlockMachine::waitForBulk(std::uint32_t warpIndex, LaneMask lanes, std::uint32_t mayBePending, bool onlyRead) {
    WarpState& warp = m_state.warps[warpIndex];
    for (BulkGroupMember& member : warp.bulkGroups) {
        if ((lanes >> member.lane & 1) == 0 || std::uint64_t{member.group} + mayBePending >= warp.bulkCommits[member.lane] || (onlyRead && member.hasRead))
            continue;
        member.hasRead = true;
        BulkDoneEvent event;
        event.block = static_cast<std::uint32_t>(m_state.block);
        event.warp = warpIndex;
        event.clock = warp.clock;
        event.copy = member.number;
        event.onlyRead = onlyRead;
        for (EventSink* sink : m_sinks)
            sink->bulkDone(event);
    }
    if (!onlyRead)
        std::erase_if(warp.bulkGroups, [&](const BulkGroupMember& member) {
            return (lanes >> member.lane & 1) != 0 && std::uint64_t{member.group} + mayBePending < warp.bulkCommits[member.lane];
        });
}

} // namespace lanescope::sim
