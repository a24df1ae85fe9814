// SPDX-License-Identifier: GPL-3.0-or-later
// Loads, stores and atomics of a block: addresses per lane, bounds, data, counts, and the access event.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/memory/access.h"
#include "engine/memory/l1_stages.h"
#include "engine/sim/atomic_operation.h"
#include "engine/sim/block_machine.h"

namespace lanescope::sim {

namespace {

template <class T>
T loadLane(const std::uint8_t* row, int lane) {
    T v;
    std::memcpy(&v, row + sizeof(T) * static_cast<unsigned>(lane), sizeof v);
    return v;
}

/// Loads one element of every lane of the mask into a row.
template <class T, class Row>
void gather(std::uint8_t* to, LaneMask mask, const std::uint8_t* host, const std::uint64_t* offsets, std::uint64_t skip) {
    const auto one = [&](int lane) {
        T v;
        std::memcpy(&v, host + offsets[lane] + skip, sizeof v);
        const Row r = static_cast<Row>(v);
        std::memcpy(to + sizeof(Row) * static_cast<unsigned>(lane), &r, sizeof r);
    };
    if (mask != kFullMask) {
        forEachLane(mask, one);
        return;
    }
    std::uint64_t differ = 0;
    for (int lane = 1; lane < kWarpSize; ++lane)
        differ |= offsets[lane] ^ offsets[0];
    if (differ != 0) {
        for (int lane = 0; lane < kWarpSize; ++lane)
            one(lane);
        return;
    }
    // All lanes read one word.
    T v;
    std::memcpy(&v, host + offsets[0] + skip, sizeof v);
    Row row[kWarpSize];
    std::fill_n(row, kWarpSize, static_cast<Row>(v));
    std::memcpy(to, row, sizeof row);
}

template <class T, class Row>
void scatter(const std::uint8_t* from, LaneMask mask, std::uint8_t* host, const std::uint64_t* offsets, std::uint64_t skip) {
    const auto one = [&](int lane) {
        Row r;
        std::memcpy(&r, from + sizeof(Row) * static_cast<unsigned>(lane), sizeof r);
        const T v = static_cast<T>(r);
        std::memcpy(host + offsets[lane] + skip, &v, sizeof v);
    };
    if (mask == kFullMask)
        for (int lane = 0; lane < kWarpSize; ++lane)
            one(lane);
    else
        forEachLane(mask, one);
}

/// A value of `bytes` bytes, sign-extended when asked, cut to the register's width.
std::uint64_t extended(std::uint64_t v, int bytes, bool sign, int registerBits) {
    if (sign && bytes < 8) {
        const int shift = 64 - 8 * bytes;
        v = static_cast<std::uint64_t>(static_cast<std::int64_t>(v << shift) >> shift);
    }
    return registerBits >= 64 ? v : v & ((std::uint64_t{1} << registerBits) - 1);
}

void loadElement(const MemoryOp& m, const RowSlot& slot, std::uint8_t* rows, LaneMask mask, const std::uint8_t* host,
                 const std::uint64_t* offsets, std::uint64_t skip) {
    if (!slot.row.valid())
        return;
    std::uint8_t* to = rows + slot.row.offset();
    const bool narrow = m.signExtend && 8 * m.elementBytes < slot.bits;
    if (!narrow) {
        switch (m.elementBytes) {
        case 1: slot.wide ? gather<std::uint8_t, std::uint64_t>(to, mask, host, offsets, skip)
                          : gather<std::uint8_t, std::uint32_t>(to, mask, host, offsets, skip); return;
        case 2: slot.wide ? gather<std::uint16_t, std::uint64_t>(to, mask, host, offsets, skip)
                          : gather<std::uint16_t, std::uint32_t>(to, mask, host, offsets, skip); return;
        case 4: slot.wide ? gather<std::uint32_t, std::uint64_t>(to, mask, host, offsets, skip)
                          : gather<std::uint32_t, std::uint32_t>(to, mask, host, offsets, skip); return;
        default: slot.wide ? gather<std::uint64_t, std::uint64_t>(to, mask, host, offsets, skip)
                           : gather<std::uint64_t, std::uint32_t>(to, mask, host, offsets, skip); return;
        }
    }
    forEachLane(mask, [&](int lane) {
        std::uint64_t v = 0;
        std::memcpy(&v, host + offsets[lane] + skip, m.elementBytes);
        v = extended(v, m.elementBytes, true, slot.bits);
        std::memcpy(to + (slot.wide ? 8 : 4) * static_cast<unsigned>(lane), &v, slot.wide ? 8 : 4);
    });
}

void storeElement(const MemoryOp& m, const RowSlot& slot, const std::uint8_t* from, LaneMask mask, std::uint8_t* host,
                  const std::uint64_t* offsets, std::uint64_t skip) {
    switch (m.elementBytes) {
    case 1: slot.wide ? scatter<std::uint8_t, std::uint64_t>(from, mask, host, offsets, skip)
                      : scatter<std::uint8_t, std::uint32_t>(from, mask, host, offsets, skip); return;
    case 2: slot.wide ? scatter<std::uint16_t, std::uint64_t>(from, mask, host, offsets, skip)
                      : scatter<std::uint16_t, std::uint32_t>(from, mask, host, offsets, skip); return;
    case 4: slot.wide ? scatter<std::uint32_t, std::uint64_t>(from, mask, host, offsets, skip)
                      : scatter<std::uint32_t, std::uint32_t>(from, mask, host, offsets, skip); return;
    default: slot.wide ? scatter<std::uint64_t, std::uint64_t>(from, mask, host, offsets, skip)
                       : scatter<std::uint64_t, std::uint32_t>(from, mask, host, offsets, skip); return;
    }
}

/// Lanes whose access [offset, offset + bytes) does not fit into size bytes.
LaneMask beyond(const std::uint64_t* offsets, LaneMask active, std::uint64_t bytes, std::uint64_t size) {
    if (size < bytes)
        return active;
    const std::uint64_t last = size - bytes;
    LaneMask bad = 0;
    if (active == kFullMask) {
        std::uint64_t any = 0;
        for (int lane = 0; lane < kWarpSize; ++lane)
            any |= static_cast<std::uint64_t>(offsets[lane] > last);
        if (any == 0)
            return 0;
    }
    forEachLane(active, [&](int lane) { bad |= offsets[lane] > last ? LaneMask{1} << lane : 0; });
    return bad;
}

LaneMask misalignedLanes(const std::uint64_t* addresses, LaneMask active, unsigned bytes) {
    std::uint64_t low = 0;
    if (active == kFullMask) {
        for (int lane = 0; lane < kWarpSize; ++lane)
            low |= addresses[lane];
        if ((low & (bytes - 1)) == 0)
            return 0;
    }
    LaneMask bad = 0;
    forEachLane(active, [&](int lane) { bad |= (addresses[lane] & (bytes - 1)) != 0 ? LaneMask{1} << lane : 0; });
    return bad;
}

} // namespace

void BlockMachine::loadParameter(const Op& op, std::uint8_t* rows, LaneMask active) {
    const MemoryOp& m = m_program.memory[op.target];
    std::uint64_t offsets[kWarpSize];
    for (int lane = 0; lane < kWarpSize; ++lane) {
        offsets[lane] = static_cast<std::uint64_t>(m.offset);
        if (m.base.valid())
            offsets[lane] += m.base64 ? loadLane<std::uint64_t>(rows + m.base.offset(), lane)
                                      : loadLane<std::uint32_t>(rows + m.base.offset(), lane);
    }
    const unsigned bytes = unsigned{m.elementBytes} * m.count;
    const LaneMask bad = beyond(offsets, active, bytes, m_memory.parameters.size());
    for (unsigned e = 0; e < m.count; ++e)
        loadElement(m, m_program.rowList[m.rows + e], rows, active & ~bad, m_memory.parameters.data(), offsets,
                    std::uint64_t{e} * m.elementBytes);
    zeroResult(m, rows, bad);
}

void BlockMachine::zeroResult(const MemoryOp& m, std::uint8_t* rows, LaneMask lanes) {
    for (unsigned e = 0; lanes != 0 && e < m.count; ++e) {
        const RowSlot& slot = m_program.rowList[m.rows + e];
        if (slot.row.valid())
            forEachLane(lanes, [&](int lane) {
                std::memset(rows + slot.row.offset() + (slot.wide ? 8 : 4) * lane, 0, slot.wide ? 8 : 4);
            });
    }
}

/// Wavefronts of an atomic on shared memory: the lanes of the busiest bank, one after another also where they share a word. Measured on
/// an H200 with addresses that ptxas cannot see through.
static unsigned atomicWavefronts(const std::uint64_t* addresses, LaneMask active) {
    unsigned lanes[32] = {}, most = 0;
    forEachLane(active, [&](int lane) { most = std::max(most, ++lanes[addresses[lane] / 4 % 32]); });
    return most;
}

/// Sectors of an atomic on global memory: each counts as often as lanes go to its most wanted address. Measured on an H200.
static unsigned atomicSectors(const std::uint64_t* addresses, LaneMask active) {
    unsigned sectors = 0;
    for (LaneMask left = active; left != 0;) {
        const std::uint64_t sector = addresses[firstLane(left)] / 32;
        unsigned lanes[32] = {}, most = 0;
        LaneMask here = 0;
        forEachLane(left, [&](int lane) {
            if (addresses[lane] / 32 != sector)
                return;
            here |= LaneMask{1} << lane;
            most = std::max(most, ++lanes[addresses[lane] % 32]);
        });
        sectors += most;
        left &= ~here;
    }
    return sectors;
}

void BlockMachine::laneAddresses(const MemoryOp& m, const std::uint8_t* rows, std::uint32_t frameBase, std::uint64_t* addresses) const {
    if (!m.base.valid()) {
        std::fill_n(addresses, kWarpSize, static_cast<std::uint64_t>(m.offset) + (m.frameRelative ? frameBase : 0));
    } else if (m.base64) {
        const std::uint8_t* base = rows + m.base.offset();
        for (int lane = 0; lane < kWarpSize; ++lane)
            addresses[lane] = loadLane<std::uint64_t>(base, lane) + static_cast<std::uint64_t>(m.offset);
    } else {
        const std::uint8_t* base = rows + m.base.offset();
        const auto offset = static_cast<std::uint32_t>(m.offset);
        for (int lane = 0; lane < kWarpSize; ++lane)
            addresses[lane] = loadLane<std::uint32_t>(base, lane) + offset; // 32-bit addresses wrap
    }
}

void BlockMachine::memoryAccess(const Op& op, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active,
                                std::uint32_t frameBase) {
    const MemoryOp& m = m_program.memory[op.target];
    alignas(64) std::uint64_t addresses[kWarpSize];
    laneAddresses(m, rowsOf(warpIndex), frameBase, addresses);
    if (m.privateFrame) {
        privateAccess(op, m, warpIndex, active, addresses);
        return;
    }
    const std::uint32_t nth = m_state.nth[std::size_t{warpIndex} * m_program.memoryOpCount + m.counter]++;
    if (m.space != ptx::Space::Generic) {
        accessSpace(op, m, warpIndex, pc, m.space, active, addresses, nth);
        return;
    }
    // Generic: the window says the space; usually one for all lanes.
    const auto spaceOf = [&](std::uint64_t address) {
        switch (address & kWindowMask) {
        case kSharedWindow: return ptx::Space::Shared;
        case kLocalWindow: return ptx::Space::Local;
        case kParamWindow: return ptx::Space::Param;
        default: return ptx::Space::Global;
        }
    };
    LaneMask left = active;
    while (left != 0) {
        const ptx::Space space = spaceOf(addresses[firstLane(left)]);
        LaneMask here = 0;
        forEachLane(left, [&](int lane) { here |= spaceOf(addresses[lane]) == space ? LaneMask{1} << lane : 0; });
        left &= ~here;
        std::uint64_t local[kWarpSize];
        const std::uint64_t mask = space == ptx::Space::Global ? ~std::uint64_t{0} : ~kWindowMask;
        for (int lane = 0; lane < kWarpSize; ++lane)
            local[lane] = addresses[lane] & mask;
        accessSpace(op, m, warpIndex, pc, space, here, local, nth);
    }
}

void BlockMachine::privateAccess(const Op& op, const MemoryOp& m, std::uint32_t warpIndex, LaneMask active,
                                 const std::uint64_t* addresses) {
    std::uint8_t* rows = rowsOf(warpIndex);
    std::uint64_t offsets[kWarpSize];
    for (int lane = 0; lane < kWarpSize; ++lane)
        offsets[lane] = addresses[lane] + static_cast<std::uint64_t>(privateBytes(warpIndex, lane) - m_state.privateMemory.data());
    const LaneMask bad = beyond(addresses, active, std::uint64_t{m.elementBytes} * m.count, m_privateStride);
    const LaneMask good = active & ~bad;
    for (unsigned e = 0; e < m.count; ++e) {
        const RowSlot& slot = m_program.rowList[m.rows + e];
        const std::uint64_t skip = std::uint64_t{e} * m.elementBytes;
        if (op.kind == OpKind::Load)
            loadElement(m, slot, rows, good, m_state.privateMemory.data(), offsets, skip);
        else
            storeElement(m, slot, row(slot.row, rows), good, m_state.privateMemory.data(), offsets, skip);
    }
    if (op.kind == OpKind::Load)
        zeroResult(m, rows, bad);
}

/// Moves the data of lanes whose accesses are in bounds of one piece of host memory.
void BlockMachine::transfer(const Op& op, const MemoryOp& m, std::uint8_t* rows, LaneMask lanes, std::uint8_t* host,
                            const std::uint64_t* offsets, int allocation) {
    const unsigned bytes = unsigned{m.elementBytes} * m.count;
    if (op.kind == OpKind::Load) {
        for (unsigned e = 0; e < m.count; ++e)
            loadElement(m, m_program.rowList[m.rows + e], rows, lanes, host, offsets, std::uint64_t{e} * m.elementBytes);
        return;
    }
    if (m_journal != nullptr && allocation >= 0)
        forEachLane(lanes, [&](int lane) {
            m_journal->record(static_cast<std::uint32_t>(allocation), offsets[lane], host + offsets[lane], bytes);
        });
    if (op.kind == OpKind::Store) {
        for (unsigned e = 0; e < m.count; ++e) {
            const RowSlot& slot = m_program.rowList[m.rows + e];
            storeElement(m, slot, row(slot.row, rows), lanes, host, offsets, std::uint64_t{e} * m.elementBytes);
        }
        return;
    }
    // Atomics: one lane after another, lowest first.
    const RowSlot* results = m.returns ? &m_program.rowList[m.rows] : nullptr;
    const RowSlot* sources = &m_program.rowList[m.rows + (m.returns ? m.count : 0)];
    const LaneFunction combine = allocation >= 0 ? m.combineFlush : m.combine;
    forEachLane(lanes, [&](int lane) {
        for (unsigned e = 0; e < m.count; ++e) {
            std::uint64_t old = 0, operand = 0, compare = 0;
            std::uint8_t* at = host + offsets[lane] + std::uint64_t{e} * m.elementBytes;
            std::memcpy(&old, at, m.elementBytes);
            const std::uint8_t* s = row(sources[e].row, rows);
            operand = sources[e].wide ? loadLane<std::uint64_t>(s, lane) : loadLane<std::uint32_t>(s, lane);
            if (m.compare.valid()) {
                const std::uint8_t* c = row(m.compare, rows);
                // cas a, b, c: b is compared with the old value, c replaces it; the decoder put b into the sources.
                compare = operand;
                operand = m.elementBytes == 8 ? loadLane<std::uint64_t>(c, lane) : loadLane<std::uint32_t>(c, lane);
            }
            const std::uint64_t updated = atomicOperation(m.atomic, m.type, old, operand, compare, combine);
            std::memcpy(at, &updated, m.elementBytes);
            if (results != nullptr && results[e].row.valid()) {
                const std::uint64_t v = extended(old, m.elementBytes, m.signExtend, results[e].bits);
                std::memcpy(rows + results[e].row.offset() + (results[e].wide ? 8 : 4) * lane, &v, results[e].wide ? 8 : 4);
            }
        }
    });
}

/// Atomics and volatile accesses carry the logical clock from warp to warp, so that sorting by it keeps what they order.
std::uint64_t BlockMachine::synchronisedClock(const Op& op, const MemoryOp& m, std::uint32_t warpIndex, ptx::Space space, LaneMask active,
                                              const std::uint64_t* addresses) {
    std::uint64_t& clock = m_state.warps[warpIndex].clock;
    if (op.kind != OpKind::Atomic && m.ordering == ptx::Ordering::Weak)
        return clock;
    const std::uint64_t window = space == ptx::Space::Shared ? kSharedWindow : 0;
    forEachLane(active, [&](int lane) {
        const auto it = m_state.locationClocks.find(window + addresses[lane]);
        if (it != m_state.locationClocks.end())
            clock = std::max(clock, it->second + 1);
    });
    if (op.kind != OpKind::Load)
        forEachLane(active, [&](int lane) { m_state.locationClocks[window + addresses[lane]] = clock; });
    return clock;
}

/// The lanes of each element that are out of bounds; of the access those that are with an element that was asked for.
void BlockMachine::elementBounds(const MemoryOp& m, LaneMask active, const std::uint64_t* addresses, AccessEvent& event, LaneMask* outside) const {
    event.outOfBounds = 0;
    event.outOfBoundsOfElement = outside;
    std::uint64_t at[kWarpSize];
    for (unsigned e = 0; e < m.count; ++e) {
        for (int lane = 0; lane < kWarpSize; ++lane)
            at[lane] = addresses[lane] + std::uint64_t{e} * m.elementBytes;
        outside[e] = beyond(at, active, m.elementBytes, m_state.shared.size());
        event.outOfBounds |= (m.unchecked >> e & 1) == 0 ? outside[e] : 0;
    }
}

/// Each element of a merged access to shared memory as the instruction that it was: in bounds it is moved, out of bounds it reads zero.
void BlockMachine::transferElements(const Op& op, const MemoryOp& m, std::uint8_t* rows, LaneMask active, const std::uint64_t* addresses,
                                    const LaneMask* outside) {
    for (unsigned e = 0; e < m.count; ++e) {
        const RowSlot& slot = m_program.rowList[m.rows + e];
        const std::uint64_t skip = std::uint64_t{e} * m.elementBytes;
        if (op.kind == OpKind::Store) {
            storeElement(m, slot, row(slot.row, rows), active & ~outside[e], m_state.shared.data(), addresses, skip);
            continue;
        }
        loadElement(m, slot, rows, active & ~outside[e], m_state.shared.data(), addresses, skip);
        forEachLane(outside[e], [&](int lane) { std::memset(rows + slot.row.offset() + (slot.wide ? 8 : 4) * lane, 0, slot.wide ? 8 : 4); });
    }
}

AccessEvent BlockMachine::accessEvent(std::uint32_t warpIndex, std::uint32_t pc, std::uint32_t counter) {
    AccessEvent event;
    event.block = static_cast<std::uint32_t>(m_state.block);
    event.warp = warpIndex;
    event.pc = pc;
    event.nth = m_state.nth[std::size_t{warpIndex} * m_program.memoryOpCount + counter]++;
    event.clock = m_state.warps[warpIndex].clock;
    return event;
}

void BlockMachine::accessSpace(const Op& op, const MemoryOp& m, std::uint32_t warpIndex, std::uint32_t pc, ptx::Space space,
                               LaneMask active, const std::uint64_t* addresses, std::uint32_t nth) {
    std::uint8_t* rows = rowsOf(warpIndex);
    const unsigned bytes = unsigned{m.elementBytes} * m.count;
    AccessEvent event;
    event.block = static_cast<std::uint32_t>(m_state.block);
    event.warp = warpIndex;
    event.pc = pc;
    event.nth = nth;
    event.clock = m_launch.schedule == Schedule::InTurn ? m_state.warps[warpIndex].clock : synchronisedClock(op, m, warpIndex, space, active, addresses);
    event.kind = op.kind == OpKind::Load ? AccessKind::Load : op.kind == OpKind::Store ? AccessKind::Store : AccessKind::Atomic;
    event.space = space;
    event.ordering = m.ordering;
    event.scope = m.scope;
    event.bytes = static_cast<int>(bytes);
    event.elementBytes = m.elementBytes;
    event.active = active;
    event.addresses = addresses;
    event.alignment = static_cast<int>(std::bit_ceil(bytes));
    event.misaligned = misalignedLanes(addresses, active, std::bit_ceil(bytes));

    event.unchecked = m.unchecked;
    std::array<LaneMask, kMostElements> outside{};

    // Observers see memory as it was before the access.
    alignas(64) std::uint64_t offsets[kWarpSize];
    GlobalMemory& global = m_memory.global;
    const int first = firstLane(active);
    int allocation = -1;
    if (space == ptx::Space::Shared) {
        event.outOfBounds = beyond(addresses, active, bytes, m_state.shared.size());
        if ((m.isMerged || m.unchecked != 0) && event.outOfBounds != 0)
            elementBounds(m, active, addresses, event, outside.data());
    } else if (space == ptx::Space::Local) {
        event.outOfBounds = beyond(addresses, active, bytes, m_privateStride);
    } else if (space == ptx::Space::Param) {
        event.outOfBounds = beyond(addresses, active, bytes, m_memory.parameters.size());
    } else {
        allocation = global.find(addresses[first]);
        if (allocation >= 0) {
            const Allocation& a = global.at(static_cast<std::size_t>(allocation));
            const std::uint64_t base = a.base;
            for (int lane = 0; lane < kWarpSize; ++lane)
                offsets[lane] = addresses[lane] - base;
            event.outOfBounds = beyond(offsets, active, bytes, a.size());
            // Lanes outside this allocation may be in bounds of another.
            if (event.outOfBounds != 0) {
                LaneMask bad = 0;
                forEachLane(event.outOfBounds, [&](int lane) {
                    const int other = global.find(addresses[lane]);
                    if (other != allocation)
                        allocation = -1;
                    const bool fits = other >= 0 && addresses[lane] >= global.at(static_cast<std::size_t>(other)).base &&
                                      addresses[lane] - global.at(static_cast<std::size_t>(other)).base + bytes <=
                                          global.at(static_cast<std::size_t>(other)).size();
                    bad |= fits ? 0 : LaneMask{1} << lane;
                });
                event.outOfBounds = bad;
            }
        } else {
            forEachLane(active, [&](int lane) {
                const int other = global.find(addresses[lane]);
                const bool fits = other >= 0 && addresses[lane] >= global.at(static_cast<std::size_t>(other)).base &&
                                  addresses[lane] - global.at(static_cast<std::size_t>(other)).base + bytes <=
                                      global.at(static_cast<std::size_t>(other)).size();
                event.outOfBounds |= fits ? 0 : LaneMask{1} << lane;
            });
        }
    }
    event.allocation = allocation;
    const LaneMask good = active & ~event.outOfBounds;

    if (m_counters != nullptr) {
        InstructionCounts c;
        c.requests = 1;
        c.requestedBytes = bytes * static_cast<unsigned>(laneCount(active));
        if (space == ptx::Space::Shared) {
            const memory::SharedCost cost =
                memory::sharedCost(memory::Addresses(addresses, kWarpSize), active, event.bytes, sharedKind(event));
            c.wavefronts += event.kind == AccessKind::Atomic && !op.warpAggregated && !op.countsLanes
                                ? atomicWavefronts(addresses, active) * (m.atomic == ptx::AtomicOp::Cas ? 2u : 1u)
                                : static_cast<unsigned>(cost.wavefronts);
            c.passes += static_cast<unsigned>(cost.passes);
        } else if (space == ptx::Space::Local) {
            // The hardware interleaves local memory by 4-byte word and lane.
            std::uint64_t interleaved[kWarpSize];
            for (int lane = 0; lane < kWarpSize; ++lane)
                interleaved[lane] = (addresses[lane] / 4) * 128 + static_cast<unsigned>(lane) * 4 + addresses[lane] % 4;
            for (unsigned at = 0; at < bytes; at += 4) {
                const memory::GlobalCost cost = memory::globalCost(memory::Addresses(interleaved, kWarpSize), active,
                                                                   static_cast<int>(std::min(4u, bytes)));
                c.sectors += static_cast<unsigned>(cost.sectors);
                c.lines += static_cast<unsigned>(cost.lines);
                c.bytes += static_cast<unsigned>(cost.bytes);
                for (std::uint64_t& a : interleaved)
                    a += 128;
            }
        } else {
            countGlobal(event, c);
            if (event.kind == AccessKind::Atomic && !op.warpAggregated)
                c.sectors = atomicSectors(addresses, active);
        }
        (*m_counters)[pc] += c;
        if (m.space == ptx::Space::Generic) {
            c.executions = 1;
            c.lanes = static_cast<unsigned>(laneCount(active));
            const unsigned which = space == ptx::Space::Shared ? 1 : space == ptx::Space::Local ? 2 : 0;
            (*m_counters)[m_program.ops.size() + 3 * m.counter + which] += c;
        }
    }
    for (EventSink* sink : m_sinks)
        sink->access(event);

    if (!m.movesData)
        return;
    if (event.outOfBoundsOfElement != nullptr) {
        transferElements(op, m, rows, active, addresses, outside.data());
        return;
    }
    if (space == ptx::Space::Shared) {
        transfer(op, m, rows, good, m_state.shared.data(), addresses, -1);
    } else if (space == ptx::Space::Local) {
        for (int lane = 0; lane < kWarpSize; ++lane)
            offsets[lane] = addresses[lane] + static_cast<std::uint64_t>(privateBytes(warpIndex, lane) - m_state.privateMemory.data());
        transfer(op, m, rows, good, m_state.privateMemory.data(), offsets, -1);
    } else if (space == ptx::Space::Param) {
        if (op.kind == OpKind::Load)
            transfer(op, m, rows, good, m_memory.parameters.data(), addresses, -1);
    } else if (allocation >= 0) {
        transfer(op, m, rows, good, global.at(static_cast<std::size_t>(allocation)).bytes.data(), offsets, allocation);
    } else {
        LaneMask left = good;
        while (left != 0) {
            const int index = global.find(addresses[firstLane(left)]);
            Allocation& a = global.at(static_cast<std::size_t>(index));
            LaneMask here = 0;
            forEachLane(left, [&](int lane) {
                if (global.find(addresses[lane]) == index)
                    here |= LaneMask{1} << lane;
            });
            for (int lane = 0; lane < kWarpSize; ++lane)
                offsets[lane] = addresses[lane] - a.base;
            transfer(op, m, rows, here, a.bytes.data(), offsets, index);
            left &= ~here;
        }
    }
    if (op.kind != OpKind::Store && event.outOfBounds != 0 && m.returns)
        zeroResult(m, rows, event.outOfBounds);
}

} // namespace lanescope::sim
