// SPDX-License-Identifier: GPL-3.0-or-later
// wgmma: products of a warpgroup, four warps, with operands in shared memory.
//
// Each warp computes its own 16 rows of D when it executes the instruction. What is in D then is what a correct program sees after its
// wait; until then the registers and the operands in shared memory belong to the wgmma, and whoever uses them is told (FragmentRegister,
// AccessEvent::isProduct). So results do not depend on how a compiler moves registers between wgmma and wait.
#include <algorithm>
#include <cstring>

#include "engine/memory/access.h"
#include "engine/sim/block_machine.h"
#include "engine/sim/lane_rows.h"
#include "engine/tensor/matrix_descriptor.h"

namespace lanescope::sim {

namespace {

constexpr int kChunkBytes = 16;

/// Elements of a chunk, the lowest bits first.
void splitChunk(const std::uint8_t* chunk, int bits, std::uint32_t* elements) {
    std::uint32_t words[4];
    std::memcpy(words, chunk, sizeof words);
    const int perWord = 32 / bits;
    const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    for (int w = 0; w < 4; ++w)
        for (int i = 0; i < perWord; ++i)
            *elements++ = words[w] >> (i * bits) & mask;
}

} // namespace

/// An operand as the warp reads it.
struct BlockMachine::SharedOperand {
    std::vector<std::uint64_t> chunks;   ///< addresses, eight of a core matrix after each other
    std::vector<std::uint32_t> elements; ///< A: [row][k]; B: [k][column]
};

/// which: 0 is A, of which a warp has the 16 rows of its rank; 1 is B.
/// Without `elements` only where they are.
void BlockMachine::readSharedOperand(const TensorOp& t, int which, std::uint32_t rank, std::uint64_t bits, bool elements, SharedOperand& out) const {
    const tensor::Product& p = t.product;
    const tensor::MatrixDescriptor descriptor = tensor::decodeDescriptor(bits);
    const bool isB = which == 1, isMnMajor = t.descriptors[static_cast<std::size_t>(which)].isMnMajor;
    const int elementBits = tensor::bits(isB ? p.b : p.a), perChunk = 8 * kChunkBytes / elementBits;
    const int extent = isB ? p.shape.n : p.shape.m, firstRow = isB ? 0 : static_cast<int>(rank) * p.shape.m;
    out.elements.resize(elements ? static_cast<std::size_t>(extent * p.shape.k) : 0);
    out.chunks.reserve(static_cast<std::size_t>(extent * p.shape.k / perChunk));
    const auto place = [&](int mn, int k) { return static_cast<std::size_t>(isB ? k * extent + mn : mn * p.shape.k + k); };
    std::uint32_t values[128];
    /// A chunk; where its i-th element goes.
    const auto read = [&](int along, int across, auto placeOf) {
        const std::uint64_t address = tensor::chunkAddress(descriptor, isMnMajor, along, across);
        out.chunks.push_back(address);
        if (!elements)
            return;
        std::uint8_t chunk[kChunkBytes] = {};
        if (m_state.shared.size() >= kChunkBytes && address <= m_state.shared.size() - kChunkBytes)
            std::memcpy(chunk, m_state.shared.data() + address, kChunkBytes);
        splitChunk(chunk, elementBits, values);
        for (int i = 0; i < perChunk; ++i)
            out.elements[placeOf(i)] = values[i];
    };
    if (isMnMajor) {
        for (int group = 0; group < extent / perChunk; ++group)
            for (int k = 0; k < p.shape.k; ++k)
                read(firstRow / perChunk + group, k, [&](int i) { return place(group * perChunk + i, k); });
        return;
    }
    for (int eight = 0; eight < extent; eight += 8)
        for (int along = 0; along < p.shape.k / perChunk; ++along)
            for (int mn = eight; mn < eight + 8; ++mn)
                read(along, firstRow + mn, [&](int i) { return place(mn, along * perChunk + i); });
}

/// Tells the sinks what is read; eight chunks, a core matrix, are a wavefront unless their banks collide (measured on an H200).
void BlockMachine::emitOperandReads(AccessEvent event, const SharedOperand& operand, bool counts) {
    alignas(64) std::uint64_t addresses[kWarpSize];
    event.addresses = addresses;
    const std::uint64_t size = m_state.shared.size();
    for (std::size_t first = 0; first < operand.chunks.size(); first += kWarpSize) {
        const auto n = std::min<std::size_t>(kWarpSize, operand.chunks.size() - first);
        std::copy_n(operand.chunks.data() + first, n, addresses);
        event.active = n == kWarpSize ? kFullMask : (LaneMask{1} << n) - 1;
        event.outOfBounds = 0;
        for (std::size_t i = 0; i < n; ++i)
            event.outOfBounds |= size < kChunkBytes || addresses[i] > size - kChunkBytes ? LaneMask{1} << i : 0;
        for (EventSink* sink : m_sinks)
            sink->access(event);
        if (m_counters == nullptr || !counts)
            continue;
        const memory::SharedCost cost = memory::sharedCost(memory::Addresses(addresses, kWarpSize), event.active, kChunkBytes, memory::SharedKind::Matrix);
        InstructionCounts& c = (*m_counters)[event.pc];
        c.wavefronts += static_cast<unsigned>(cost.wavefronts);
        c.passes += static_cast<unsigned>(cost.passes);
    }
}

void BlockMachine::warpgroupProduct(const Op& op, std::uint32_t warpIndex, std::uint32_t pc, LaneMask active) {
    const TensorOp& t = m_program.tensors[op.target];
    const tensor::Product& p = t.product;
    WarpState& warp = m_state.warps[warpIndex];
    std::uint8_t* rows = rowsOf(warpIndex);
    const int lane = firstLane(active);
    const std::uint32_t rank = warpIndex % kWarpsPerGroup;
    const std::uint64_t number = warp.productsIssued++;
    std::array<std::uint64_t, 2> descriptors{};
    SharedOperand operands[2];
    for (std::size_t i = 0; i < 2; ++i)
        if (t.descriptors[i].valid) {
            const RowSlot& slot = m_program.rowList[t.descriptors[i].row];
            descriptors[i] = laneValue64(row(slot.row, rows), lane);
            const bool counts = m_counters != nullptr && (i == 0 || rank == 0);
            if (!op.isIdle || counts || !m_sinks.empty())
                readSharedOperand(t, static_cast<int>(i), rank, descriptors[i], !op.isIdle, operands[i]);
        }
    joinWarpgroup(warpIndex, pc, number, descriptors);
    useProductRegisters(warpIndex, pc, active, number);

    AccessEvent event = accessEvent(warpIndex, pc, t.counter);
    event.space = ptx::Space::Shared;
    event.bytes = event.alignment = kChunkBytes;
    event.isMatrix = event.asyncProxy = event.isProduct = true;
    event.copy = number;
    for (std::size_t i = 0; i < 2; ++i)
        if (t.descriptors[i].valid) {
            event.elementBytes = std::max(1, tensor::bits(i == 0 ? p.a : p.b) / 8);
            emitOperandReads(event, operands[i], i == 0 || rank == 0); // B is read once for all four warps
        }

    warp.products.push_back({number, warp.productGroups});
    if (op.isIdle)
        return;
    if (!t.descriptors[0].valid) {
        operands[0].elements.resize(static_cast<std::size_t>(p.shape.m * p.shape.k));
        readFragment(t.operands[0], rows, operands[0].elements.data());
    }
    for (std::size_t i = 0; i < 2; ++i)
        if (t.negates[i]) {
            const std::uint32_t sign = 1u << (tensor::bits(i == 0 ? p.a : p.b) - 1);
            for (std::uint32_t& element : operands[i].elements)
                element ^= sign;
        }
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(p.shape.m * p.shape.n));
    bool adds = t.addsD;
    if (t.hasScaleD)
        adds = hasLane(loadMask(row(m_program.rowList[t.scaleD].row, rows)), lane) != t.scaleDNegated;
    if (adds)
        readFragment(t.operands[2], rows, sums.data());
    m_multipliers[op.target].multiply(operands[0].elements.data(), operands[1].elements.data(), sums.data(), sums.data());
    writeFragment(t.operands[3], rows, sums.data(), active);
}

/// The warps of a warpgroup have to come to the same wgmma with the same descriptors, each as its nth.
void BlockMachine::joinWarpgroup(std::uint32_t warpIndex, std::uint32_t pc, std::uint64_t number, const std::array<std::uint64_t, 2>& descriptors) {
    auto& open = m_state.openProducts;
    const std::uint32_t group = warpIndex / kWarpsPerGroup, bit = 1u << warpIndex % kWarpsPerGroup;
    const auto mine = std::find_if(open.begin(), open.end(), [&](const OpenProduct& o) { return o.warpgroup == group && o.number == number; });
    if (mine == open.end()) {
        open.push_back({group, pc, bit, number, descriptors});
        return;
    }
    if (mine->pc != pc || mine->descriptors != descriptors)
        fault(FaultKind::DifferentWarpgroup, warpIndex, pc, kFullMask, 0, mine->pc);
    mine->warps |= bit;
    if (mine->warps == (1u << kWarpsPerGroup) - 1)
        open.erase(mine);
}

void BlockMachine::reportOpenProducts() {
    constexpr std::uint32_t kAll = (1u << kWarpsPerGroup) - 1;
    for (const OpenProduct& o : m_state.openProducts) {
        const auto first = static_cast<std::uint32_t>(firstLane(o.warps));
        fault(FaultKind::PartialWarpgroup, o.warpgroup * kWarpsPerGroup + first, o.pc, o.warps, kAll & ~o.warps);
    }
    m_state.openProducts.clear();
}

void BlockMachine::waitForProducts(std::uint32_t warpIndex, std::uint32_t mayBePending) {
    WarpState& warp = m_state.warps[warpIndex];
    // Products that no commit followed belong to no group yet and are not waited for.
    const auto isDone = [&](const PendingProduct& p) { return std::uint64_t{p.group} + mayBePending < warp.productGroups; };
    const auto firstLeft = std::find_if_not(warp.products.begin(), warp.products.end(), isDone);
    if (firstLeft == warp.products.begin())
        return;
    const ProductsDoneEvent event{static_cast<std::uint32_t>(m_state.block), warpIndex, warp.clock, (firstLeft - 1)->number};
    warp.products.erase(warp.products.begin(), firstLeft);
    for (EventSink* sink : m_sinks)
        sink->productsDone(event);
}

/// An instruction other than wgmma on registers that wgmma uses.
void BlockMachine::useFragments(std::uint32_t warpIndex, std::uint32_t pc, LaneMask active) {
    WarpState& warp = m_state.warps[warpIndex];
    const FragmentUse& use = m_program.fragmentUses.at(pc);
    const std::uint64_t firstPending = warp.products.empty() ? warp.productsIssued : warp.products.front().number;
    const auto isPending = [&](const FragmentRegister& r) { return r.product > firstPending; };
    if (use.isCopy) {
        if (!use.writes.empty() && !use.reads.empty())
            warp.fragmentRegisters[use.writes[0]] = warp.fragmentRegisters[use.reads[0]];
        return;
    }
    for (const std::uint32_t id : use.reads)
        if (const FragmentRegister& r = warp.fragmentRegisters[id]; isPending(r) && r.isResult) {
            fault(FaultKind::PendingResultRead, warpIndex, pc, active, 0, r.productPc, m_program.fragmentRegisterNames[id]);
            break;
        }
    bool isSaid = false;
    for (const std::uint32_t id : use.writes) {
        FragmentRegister& r = warp.fragmentRegisters[id];
        if (isPending(r) && !isSaid) {
            fault(FaultKind::PendingRegisterWrite, warpIndex, pc, active, 0, r.productPc, m_program.fragmentRegisterNames[id]);
            isSaid = true;
        }
        r = {};
        // Compilers put the constant that an accumulator begins with anywhere before its first use; the assembler orders it.
        r.written = use.isConstant ? 0 : warp.warpgroupFences + 1;
        r.writtenPc = pc;
    }
}

/// The registers of a wgmma itself: written before a fence, and from now on in use.
void BlockMachine::useProductRegisters(std::uint32_t warpIndex, std::uint32_t pc, LaneMask active, std::uint64_t number) {
    WarpState& warp = m_state.warps[warpIndex];
    const FragmentUse& use = m_program.fragmentUses.at(pc);
    const std::uint64_t firstPending = warp.products.empty() ? number : warp.products.front().number;
    if (warp.warpgroupFences == 0 && number == 0)
        fault(FaultKind::NoWarpgroupFence, warpIndex, pc, active, 0, pc);
    bool isSaid = warp.warpgroupFences == 0;
    const auto isUnfenced = [&](const FragmentRegister& r) {
        if (r.written != warp.warpgroupFences + 1)
            return false;
        // A compiler may compute a register later than its text says, which the assembler then orders.
        const std::uint32_t written = m_program.cudaLines[r.writtenPc], fenced = m_program.cudaLines[warp.fencePc];
        return written == 0 || fenced == 0 || written > fenced;
    };
    for (const auto* list : {&use.reads, &use.writes})
        for (const std::uint32_t id : *list) {
            FragmentRegister& r = warp.fragmentRegisters[id];
            if (!isSaid && isUnfenced(r)) {
                fault(FaultKind::NoWarpgroupFence, warpIndex, pc, active, 0, r.writtenPc, m_program.fragmentRegisterNames[id]);
                isSaid = true;
            }
            if (list == &use.reads && r.product > firstPending && r.isResult) {
                fault(FaultKind::PendingResultRead, warpIndex, pc, active, 0, r.productPc, m_program.fragmentRegisterNames[id]);
                r.product = 0;
            }
            r.product = number + 1;
            r.productPc = pc;
            r.isResult = list == &use.writes;
            r.written = 0;
        }
}

} // namespace lanescope::sim
