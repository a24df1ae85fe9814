// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor instructions: products of fragments in registers, and fragments that come from memory and go there.
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/memory/access.h"
#include "engine/sim/block_machine.h"
#include "engine/sim/lane_rows.h"

namespace lanescope::sim {

namespace {

/// Elements of the largest fragment: m16n8k256 with b1.
constexpr std::size_t kMaxElements = 4096;

template <class Word>
Word laneWord(const std::uint8_t* row, int lane) {
    Word v;
    std::memcpy(&v, row + sizeof(Word) * static_cast<unsigned>(lane), sizeof v);
    return v;
}

/// Takes a register apart: its elements of all lanes go to their places in the matrix.
template <class Word>
void unpack(const tensor::FragmentMap& map, int reg, const std::uint8_t* row, Word* matrix) {
    const int bits = map.elementBits(), parts = map.elementsPerRegister();
    const Word mask = bits == 8 * static_cast<int>(sizeof(Word)) ? ~Word{0} : (Word{1} << bits) - 1;
    const std::uint16_t* index = map.indices().data() + static_cast<std::size_t>(reg * parts * kWarpSize);
    for (int part = 0; part < parts; ++part, index += kWarpSize)
        for (int lane = 0; lane < kWarpSize; ++lane)
            matrix[index[lane]] = laneWord<Word>(row, lane) >> (part * bits) & mask;
}

template <class Word>
void pack(const tensor::FragmentMap& map, int reg, const Word* matrix, std::uint8_t* row, LaneMask lanes) {
    const int bits = map.elementBits(), parts = map.elementsPerRegister();
    Word words[kWarpSize] = {};
    const std::uint16_t* index = map.indices().data() + static_cast<std::size_t>(reg * parts * kWarpSize);
    for (int part = 0; part < parts; ++part, index += kWarpSize)
        for (int lane = 0; lane < kWarpSize; ++lane)
            words[lane] |= matrix[index[lane]] << (part * bits);
    if (lanes == kFullMask)
        std::memcpy(row, words, sizeof words);
    else
        forEachLane(lanes, [&](int lane) { std::memcpy(row + sizeof(Word) * static_cast<unsigned>(lane), &words[lane], sizeof(Word)); });
}

} // namespace

template <class Word>
void BlockMachine::readFragment(const FragmentOperand& operand, const std::uint8_t* rows, Word* matrix) const {
    for (int reg = 0; reg < operand.map->distinctRegisters(); ++reg)
        unpack<Word>(*operand.map, reg, row(m_program.rowList[operand.rows + static_cast<unsigned>(reg)].row, rows), matrix);
}

template <class Word>
void BlockMachine::writeFragment(const FragmentOperand& operand, std::uint8_t* rows, const Word* matrix, LaneMask lanes) {
    for (int reg = 0; reg < operand.map->registers(); ++reg) {
        const RowSlot& slot = m_program.rowList[operand.rows + static_cast<unsigned>(reg)];
        if (slot.row.valid())
            pack<Word>(*operand.map, reg, matrix, rows + slot.row.offset(), lanes);
    }
}

// block_warpgroup.cpp uses these.
template void BlockMachine::readFragment(const FragmentOperand&, const std::uint8_t*, std::uint32_t*) const;
template void BlockMachine::writeFragment(const FragmentOperand&, std::uint8_t*, const std::uint32_t*, LaneMask);

void BlockMachine::matrixProduct(const Op& op, std::uint32_t warpIndex, LaneMask active) {
    const TensorOp& t = m_program.tensors[op.target];
    std::uint8_t* rows = rowsOf(warpIndex);
    const auto run = [&](auto zero) {
        using Word = decltype(zero);
        Word a[kMaxElements], b[kMaxElements], c[kMaxElements], d[kMaxElements];
        readFragment(t.operands[0], rows, a);
        readFragment(t.operands[1], rows, b);
        readFragment(t.operands[2], rows, c);
        m_multipliers[op.target].multiply(a, b, c, d);
        writeFragment(t.operands[3], rows, d, active);
    };
    if (t.product.a == tensor::Element::F64)
        run(std::uint64_t{});
    else
        run(std::uint32_t{});
}

void BlockMachine::transposeFragment(const Op& op, std::uint32_t warpIndex, LaneMask active) {
    const TensorOp& t = m_program.tensors[op.target];
    std::uint8_t* rows = rowsOf(warpIndex);
    std::uint32_t matrix[64];
    readFragment(t.operands[0], rows, matrix);
    writeFragment(t.operands[3], rows, matrix, active);
}

/// Where a matrix lies in memory, element by element, and the pieces in which the hardware moves it.
struct BlockMachine::FragmentPieces {
    struct Piece {
        int bytes = 4; ///< per lane
        LaneMask lanes = kFullMask;
        bool isMatrix = false;
        std::array<std::uint64_t, kWarpSize> addresses{};
    };
    std::vector<Piece> pieces;
    /// By register, element, lane as FragmentMap::indices: address in bits, so that sub-byte elements have one.
    std::vector<std::uint64_t> bitAddresses;
};

/// ldmatrix and stmatrix: lanes 8i..8i+7 give the addresses of the 16-byte rows of matrix i.
void BlockMachine::matrixPieces(const TensorOp& t, const std::uint64_t* addresses, FragmentPieces& out) const {
    const int matrices = t.operands[3].map->registers();
    FragmentPieces::Piece piece;
    piece.bytes = 16;
    piece.isMatrix = true;
    piece.lanes = matrices == 4 ? kFullMask : (LaneMask{1} << (8 * matrices)) - 1;
    std::copy(addresses, addresses + kWarpSize, piece.addresses.begin());
    out.pieces.push_back(piece);
    const tensor::FragmentMap& map = *t.operands[3].map;
    for (const std::uint16_t index : map.indices())
        out.bitAddresses.push_back(8 * (addresses[index / 8] + 2 * (index % 8u)));
}

/// wmma: the pieces are those of ptxas 13.0's code for sm_90. A register whose 8 x 8 (16-bit), 8 x 16 (8-bit) or wider block of the
/// matrix has lines of 16 bytes in memory is loaded line by line, from shared memory by ldmatrix (but C), else as words, transposed
/// afterwards where the layout asks for it; other registers element by element, pairs of adjacent ones of C together.
void BlockMachine::fragmentPieces(const TensorOp& t, std::uint64_t base, std::uint64_t stride, bool isShared, FragmentPieces& out) const {
    const tensor::FragmentMap& map = *t.operands[3].map;
    const int bits = map.elementBits(), parts = map.elementsPerRegister(), registers = map.distinctRegisters();
    const auto bitAddress = [&](const tensor::Position& p) {
        const std::uint64_t line = t.columnMajor ? p.column : p.row, along = t.columnMajor ? p.row : p.column;
        return 8 * base + (line * stride + along) * static_cast<unsigned>(bits);
    };
    const auto at = [&](int reg, int part, int lane) {
        return map.at({static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(part), static_cast<std::uint16_t>(reg)});
    };
    for (int reg = 0; reg < map.registers(); ++reg)
        for (int part = 0; part < parts; ++part)
            for (int lane = 0; lane < kWarpSize; ++lane)
                out.bitAddresses.push_back(bitAddress(at(reg, part, lane)));

    const bool isContiguous = parts == 1 || bitAddress(at(0, 1, 0)) == bitAddress(at(0, 0, 0)) + static_cast<unsigned>(bits);
    if (bits <= 16 && (isContiguous || bits == 16)) {
        // Lines of 16 bytes: line i of a register's block starts at the least address of the block plus i strides.
        const bool byRows = isShared && t.operand != tensor::Operand::C;
        const std::uint64_t lineBytes = stride * static_cast<unsigned>(bits) / 8;
        const int perPiece = byRows ? std::min(registers, 4) : 1;
        for (int first = 0; first < registers; first += perPiece) {
            FragmentPieces::Piece piece;
            piece.bytes = byRows ? 16 : 4;
            piece.isMatrix = byRows;
            piece.lanes = !byRows || perPiece == 4 ? kFullMask : (LaneMask{1} << (8 * perPiece)) - 1;
            for (int lane = 0; lane < kWarpSize; ++lane) {
                const int reg = first + (byRows ? std::min(lane / 8, perPiece - 1) : 0);
                const std::uint64_t corner = bitAddress(at(reg, 0, 0)) / 8;
                piece.addresses[static_cast<std::size_t>(lane)] =
                    corner + lineBytes * static_cast<unsigned>(byRows ? lane % 8 : lane / 4) + (byRows ? 0u : 4u * static_cast<unsigned>(lane % 4));
            }
            out.pieces.push_back(piece);
        }
        return;
    }
    const bool pairs = t.operand == tensor::Operand::C && bits >= 32 &&
                       bitAddress(at(1, 0, 0)) == bitAddress(at(0, 0, 0)) + static_cast<unsigned>(bits);
    for (int reg = 0; reg < registers; reg += pairs ? 2 : 1)
        for (int part = 0; part < parts; ++part) {
            FragmentPieces::Piece piece;
            piece.bytes = std::max(1, bits / 8) * (pairs ? 2 : 1);
            for (int lane = 0; lane < kWarpSize; ++lane)
                piece.addresses[static_cast<std::size_t>(lane)] = bitAddress(at(reg, part, lane)) / 8;
            out.pieces.push_back(piece);
        }
}

void BlockMachine::fragmentMove(const Op& op, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active, std::uint32_t frameBase) {
    const TensorOp& t = m_program.tensors[op.target];
    const MemoryOp& m = m_program.memory[t.memory];
    const std::uint8_t* rows = rowsOf(warpIndex);
    std::uint64_t addresses[kWarpSize];
    laneAddresses(m, rows, frameBase, addresses);
    const int first = firstLane(active);
    ptx::Space space = m.space;
    if (space == ptx::Space::Generic) {
        space = (addresses[first] & kWindowMask) == kSharedWindow || t.isMatrix ? ptx::Space::Shared : ptx::Space::Global;
        if (space == ptx::Space::Shared)
            for (std::uint64_t& a : addresses)
                a &= ~kWindowMask;
    }
    FragmentPieces pieces;
    if (t.isMatrix) {
        matrixPieces(t, addresses, pieces);
    } else {
        const tensor::FragmentMap& map = *t.operands[3].map;
        std::uint64_t stride = static_cast<std::uint64_t>(t.columnMajor ? map.rows() : map.columns());
        if (t.hasStride)
            stride = laneValue32(row(m_program.rowList[t.stride].row, rows), first);
        fragmentPieces(t, addresses[first], stride, space == ptx::Space::Shared, pieces);
    }
    const AccessEvent whole = accessEvent(warpIndex, pc, m.counter);
    bool isFirst = true;
    for (const FragmentPieces::Piece& piece : pieces.pieces) {
        AccessEvent event = whole;
        event.kind = t.isStore ? AccessKind::Store : AccessKind::Load;
        event.space = space;
        event.bytes = piece.bytes;
        event.elementBytes = std::max(1, t.operands[3].map->elementBits() / 8);
        event.alignment = piece.bytes;
        event.isMatrix = piece.isMatrix;
        event.active = piece.lanes & (piece.isMatrix ? kFullMask : active);
        event.addresses = piece.addresses.data();
        describeAccess(event, m, pc, isFirst);
        for (EventSink* sink : m_sinks)
            sink->access(event);
        isFirst = false;
    }
    if (m.movesData)
        moveFragment(t, warpIndex, active, space, pieces);
}

/// Bounds and alignment of a piece, and its counts.
void BlockMachine::describeAccess(AccessEvent& event, const MemoryOp& m, std::uint32_t pc, bool isFirst) {
    const auto bytes = static_cast<unsigned>(event.bytes);
    const GlobalMemory& global = m_memory.global;
    event.allocation = -1;
    forEachLane(event.active, [&](int lane) {
        const std::uint64_t address = event.addresses[lane];
        bool inside = false;
        if (event.space == ptx::Space::Shared) {
            inside = m_state.shared.size() >= bytes && address <= m_state.shared.size() - bytes;
        } else if (const int a = global.find(address); a >= 0) {
            const Allocation& allocation = global.at(static_cast<std::size_t>(a));
            inside = allocation.size() >= bytes && address - allocation.base <= allocation.size() - bytes;
        }
        event.outOfBounds |= inside ? 0 : LaneMask{1} << lane;
        event.misaligned |= (address & (bytes - 1)) != 0 ? LaneMask{1} << lane : 0;
    });
    if (m_counters == nullptr)
        return;
    InstructionCounts c;
    c.requests = 1;
    c.requestedBytes = bytes * static_cast<unsigned>(laneCount(event.active));
    if (event.space == ptx::Space::Shared) {
        const memory::SharedCost cost = memory::sharedCost(memory::Addresses(event.addresses, kWarpSize), event.active, event.bytes, sharedKind(event));
        c.wavefronts = static_cast<unsigned>(cost.wavefronts);
        c.passes = static_cast<unsigned>(cost.passes);
    } else {
        countGlobal(event, c);
    }
    (*m_counters)[pc] += c;
    if (m.space == ptx::Space::Generic) {
        c.executions = isFirst ? 1 : 0;
        c.lanes = isFirst ? static_cast<unsigned>(kWarpSize) : 0;
        (*m_counters)[m_program.ops.size() + 3 * m.counter + (event.space == ptx::Space::Shared ? 1 : 0)] += c;
    }
}

/// The data: element by element, what is outside memory reads as zero and is not written.
void BlockMachine::moveFragment(const TensorOp& t, std::uint32_t warpIndex, LaneMask active, ptx::Space space, const FragmentPieces& pieces) {
    const FragmentOperand& operand = t.operands[3];
    const tensor::FragmentMap& map = *operand.map;
    const int bits = map.elementBits(), parts = map.elementsPerRegister(), bytes = std::max(1, bits / 8);
    std::uint8_t* rows = rowsOf(warpIndex);
    GlobalMemory& global = m_memory.global;
    int allocation = -1;
    const auto host = [&](std::uint64_t address) -> std::uint8_t* {
        const auto size = static_cast<unsigned>(bytes);
        if (space == ptx::Space::Shared)
            return m_state.shared.size() >= size && address <= m_state.shared.size() - size ? m_state.shared.data() + address : nullptr;
        if (allocation < 0 || address - global.at(static_cast<std::size_t>(allocation)).base >= global.at(static_cast<std::size_t>(allocation)).size())
            allocation = global.find(address);
        if (allocation < 0)
            return nullptr;
        Allocation& a = global.at(static_cast<std::size_t>(allocation));
        return a.size() >= size && address - a.base <= a.size() - size ? a.bytes.data() + (address - a.base) : nullptr;
    };
    for (int reg = 0; reg < map.registers(); ++reg) {
        const RowSlot& slot = m_program.rowList[operand.rows + static_cast<unsigned>(reg)];
        if (!slot.row.valid())
            continue;
        const std::uint64_t* where = pieces.bitAddresses.data() + static_cast<std::size_t>(reg * parts * kWarpSize);
        const std::uint8_t* source = row(slot.row, rows);
        std::uint64_t words[kWarpSize] = {};
        for (int part = 0; part < parts; ++part, where += kWarpSize)
            for (int lane = 0; lane < kWarpSize; ++lane) {
                std::uint8_t* const byte = host(where[lane] / 8);
                if (byte == nullptr)
                    continue;
                std::uint64_t v = 0;
                if (!t.isStore) {
                    std::memcpy(&v, byte, static_cast<std::size_t>(bytes));
                    if (bits < 8)
                        v = v >> (where[lane] % 8) & ((1u << bits) - 1);
                    words[lane] |= v << (part * bits);
                } else if (hasLane(active, lane)) {
                    v = (slot.wide ? laneValue64(source, lane) : laneValue32(source, lane)) >> (part * bits);
                    if (m_journal != nullptr && space != ptx::Space::Shared)
                        m_journal->record(static_cast<std::uint32_t>(allocation), where[lane] / 8 - global.at(static_cast<std::size_t>(allocation)).base,
                                          byte, static_cast<std::uint32_t>(bytes));
                    std::memcpy(byte, &v, static_cast<std::size_t>(bytes));
                }
            }
        if (!t.isStore)
            forEachLane(active, [&](int lane) {
                std::memcpy(rows + slot.row.offset() + (slot.wide ? 8 : 4) * lane, &words[lane], slot.wide ? 8 : 4);
            });
    }
}

} // namespace lanescope::sim
