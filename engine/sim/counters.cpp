// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/counters.h"

#include <algorithm>

#include "engine/base/lane_mask.h"
#include "engine/sim/event.h"
#include "engine/sim/program.h"

namespace lanescope::sim {

using ptx::InstructionClass;

InstructionCounts& InstructionCounts::operator+=(const InstructionCounts& o) {
    executions += o.executions;
    lanes += o.lanes;
    predicatedOff += o.predicatedOff;
    requests += o.requests;
    sectors += o.sectors;
    lines += o.lines;
    bytes += o.bytes;
    requestedBytes += o.requestedBytes;
    l2Sectors += o.l2Sectors;
    tagCycles += o.tagCycles;
    dataCycles += o.dataCycles;
    dataWavefronts += o.dataWavefronts;
    wavefronts += o.wavefronts;
    passes += o.passes;
    divergences += o.divergences;
    return *this;
}

InstructionCounts InstructionCounts::operator*(std::uint64_t factor) const {
    InstructionCounts out = *this;
    for (std::uint64_t* count : {&out.executions, &out.lanes, &out.predicatedOff, &out.requests, &out.sectors, &out.lines, &out.bytes,
                                 &out.requestedBytes, &out.l2Sectors, &out.tagCycles, &out.dataCycles, &out.dataWavefronts, &out.wavefronts,
                                 &out.passes, &out.divergences})
        *count *= factor;
    return out;
}

void Counters::addScaled(const Counters& o, std::uint64_t factor) {
    total += o.total * factor;
    for (std::size_t i = 0; i < byClass.size(); ++i)
        byClass[i] += o.byClass[i] * factor;
    byInstruction.resize(std::max(byInstruction.size(), o.byInstruction.size()));
    for (std::size_t i = 0; i < o.byInstruction.size(); ++i)
        byInstruction[i] += o.byInstruction[i] * factor;
    reductionsGlobal += o.reductionsGlobal * factor;
    reductionsShared += o.reductionsShared * factor;
    fmaLanes += o.fmaLanes * factor;
    ffmaLanes += o.ffmaLanes * factor;
    flops += o.flops * factor;
    tensorFma += o.tensorFma * factor;
    tensorFlops += o.tensorFlops * factor;
    tensorHmma += o.tensorHmma * factor;
    tensorGmma += o.tensorGmma * factor;
    tensorImma += o.tensorImma * factor;
    tensorDmma += o.tensorDmma * factor;
    blocks += o.blocks * factor;
    warps += o.warps * factor;
    threads += o.threads * factor;
}

void countGlobal(const AccessEvent& event, InstructionCounts& into) {
    const memory::Addresses addresses(event.addresses, kWarpSize);
    const memory::GlobalCost cost = memory::globalCost(addresses, event.active, event.bytes);
    into.sectors += static_cast<unsigned>(cost.sectors);
    into.lines += static_cast<unsigned>(cost.lines);
    into.bytes += static_cast<unsigned>(cost.bytes);
    if (event.misaligned != 0)
        return;
    const memory::L1Cost l1 = memory::l1Cost(addresses, event.active, event.bytes, globalKind(event));
    into.tagCycles += static_cast<unsigned>(l1.tagCycles);
    into.dataCycles += static_cast<unsigned>(l1.dataCycles);
    into.dataWavefronts += static_cast<unsigned>(l1.wavefronts);
}

double Counters::simtEfficiency() const {
    return total.executions == 0 ? 0.0
                                 : static_cast<double>(total.lanes) / (static_cast<double>(total.executions) * kWarpSize);
}

namespace {

const InstructionCounts& loadGlobal(const Counters& c) { return c.of(InstructionClass::LoadGlobal); }
const InstructionCounts& storeGlobal(const Counters& c) { return c.of(InstructionClass::StoreGlobal); }
const InstructionCounts& loadShared(const Counters& c) { return c.of(InstructionClass::LoadShared); }
const InstructionCounts& storeShared(const Counters& c) { return c.of(InstructionClass::StoreShared); }
const InstructionCounts& copies(const Counters& c) { return c.of(InstructionClass::CopyAsync); }

/// What global loads, stores and copies move between the L1 and what is behind it.
std::uint64_t globalSectors(const Counters& c) { return loadGlobal(c).sectors + storeGlobal(c).sectors + copies(c).l2Sectors; }

double ratio(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}
double number(std::uint64_t v) { return static_cast<double>(v); }

} // namespace

double Counters::globalEfficiency() const {
    return ratio(loadGlobal(*this).requestedBytes + storeGlobal(*this).requestedBytes + copies(*this).requestedBytes, 32 * globalSectors(*this));
}

double Counters::shareOfBytesUsed() const {
    return ratio(loadGlobal(*this).bytes + storeGlobal(*this).bytes + copies(*this).bytes, 32 * globalSectors(*this));
}

double Counters::per1000Fma(std::uint64_t count) const { return 1000.0 * ratio(count, fmaLanes); }

std::size_t rawCountersSize(const Program& program) {
    return program.ops.size() + 3 * std::size_t{program.memoryOpCount};
}

namespace {

void countProduct(Counters& c, const tensor::Product& p, const tensor::Generation& generation, std::uint64_t executions) {
    const bool isQuadPair = p.family == tensor::Family::Mma && p.shape == tensor::Shape{8, 8, 4} && p.a == tensor::Element::F16;
    const std::uint64_t multiplyAdds = std::uint64_t{isQuadPair ? 4u : 1u} * p.shape.m * p.shape.n * p.shape.k * executions;
    c.tensorFma += multiplyAdds;
    if (tensor::isFloat(p.a)) {
        c.flops += 2 * multiplyAdds;
        c.tensorFlops += 2 * multiplyAdds;
    }
    const tensor::MachineCount machine = tensor::machineCount(p, generation);
    const std::uint64_t instructions = executions * static_cast<unsigned>(machine.instructions);
    c.tensorGmma += p.family == tensor::Family::Wgmma ? instructions : 0;
    switch (machine.pipe) {
    case tensor::MachineCount::Pipe::None: break;
    case tensor::MachineCount::Pipe::Hmma: c.tensorHmma += instructions; break;
    case tensor::MachineCount::Pipe::Imma: c.tensorImma += instructions; break;
    case tensor::MachineCount::Pipe::Dmma: c.tensorDmma += instructions; break;
    }
}

} // namespace

Counters fold(const Program& program, const tensor::Generation& generation, std::span<const InstructionCounts> raw) {
    Counters c;
    c.byInstruction.assign(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(program.ops.size()));
    for (std::size_t pc = 0; pc < program.ops.size(); ++pc) {
        const Op& op = program.ops[pc];
        const InstructionCounts& n = raw[pc];
        c.total += n;
        c.flops += n.lanes * op.flopsPerLane;
        c.fmaLanes += n.lanes * op.fmaPerLane;
        c.ffmaLanes += op.isFfma ? n.lanes : 0;
        if (op.kind == OpKind::MatrixProduct || op.kind == OpKind::WarpgroupProduct)
            countProduct(c, program.tensors[op.target].product, generation, n.executions - n.predicatedOff);
        const MemoryOp* const memory = program.memoryOf(op);
        const bool isReduction = op.countsAsReduction;
        const auto add = [&](InstructionClass cls, const InstructionCounts& counts) {
            c.byClass[static_cast<std::size_t>(cls)] += counts;
            if (isReduction)
                (cls == InstructionClass::AtomicShared ? c.reductionsShared : c.reductionsGlobal) += counts;
        };
        if (memory == nullptr || memory->space != ptx::Space::Generic || op.cls == InstructionClass::LoadShared ||
            op.cls == InstructionClass::StoreShared) {
            add(op.cls, n);
            continue;
        }
        // Generic addresses: by the space they turned out to have; executions without an active lane stay with the class of the text.
        const InstructionClass classes[3][3] = {
            {InstructionClass::LoadGlobal, InstructionClass::LoadShared, InstructionClass::LoadLocal},
            {InstructionClass::StoreGlobal, InstructionClass::StoreShared, InstructionClass::StoreLocal},
            {InstructionClass::AtomicGlobal, InstructionClass::AtomicShared, InstructionClass::Other}};
        const int kind = op.kind == OpKind::Atomic ? 2 : op.cls == InstructionClass::StoreGlobal ? 1 : 0;
        InstructionCounts off;
        off.executions = off.predicatedOff = n.predicatedOff;
        add(op.cls, off);
        for (std::size_t space = 0; space < 3; ++space)
            add(classes[kind][space], raw[program.ops.size() + 3 * memory->counter + space]);
    }
    return c;
}

std::span<const Metric> metrics() {
    static constexpr Metric kMetrics[] = {
        {"warp_instructions", "smsp__inst_executed.sum", "Warp instructions", "warp instructions",
         "PTX instructions executed, each counted once for a whole warp. The hardware counts its own (SASS) instructions.",
         [](const Counters& c) { return number(c.total.executions); }},
        {"thread_instructions", "smsp__thread_inst_executed.sum", "Thread instructions", "thread instructions",
         "Active lanes summed over warp instructions.", [](const Counters& c) { return number(c.total.lanes); }},
        {"simt_efficiency", "", "SIMT efficiency", "1", "Active lanes / 32, averaged over warp instructions.",
         [](const Counters& c) { return c.simtEfficiency(); }},
        {"divergent_branches", "smsp__sass_branch_targets_threads_divergent.sum", "Divergent branches", "branches",
         "Branches at which lanes of a warp part.", [](const Counters& c) { return number(c.total.divergences); }},
        {"global_load_instructions", "smsp__inst_executed_op_global_ld.sum", "Global loads", "warp instructions",
         "Load instructions to global memory.", [](const Counters& c) { return number(loadGlobal(c).executions); }},
        {"global_store_instructions", "smsp__inst_executed_op_global_st.sum", "Global stores", "warp instructions",
         "Store instructions to global memory.", [](const Counters& c) { return number(storeGlobal(c).executions); }},
        {"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "Global load requests", "requests",
         "Global load instructions with an active lane, and cp.async that reads.",
         [](const Counters& c) { return number(loadGlobal(c).requests + copies(c).requests); }},
        {"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "Sectors loaded", "sectors",
         "Distinct 32-byte sectors of each global load, summed; with those of cp.async.",
         [](const Counters& c) { return number(loadGlobal(c).sectors + copies(c).sectors); }},
        {"global_load_lines", "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum", "Lines looked up", "lines",
         "Distinct 128-byte lines of each global load, summed: look-ups of L1 tags. With those of cp.async.",
         [](const Counters& c) { return number(loadGlobal(c).lines + copies(c).lines); }},
        {"global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "Global store requests", "requests",
         "Global store instructions with an active lane.", [](const Counters& c) { return number(storeGlobal(c).requests); }},
        {"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "Sectors stored", "sectors",
         "Distinct 32-byte sectors of each global store, summed.", [](const Counters& c) { return number(storeGlobal(c).sectors); }},
        {"global_store_lines", "l1tex__t_set_accesses_pipe_lsu_mem_global_op_st.sum", "Lines stored to", "lines",
         "Distinct 128-byte lines of each global store, summed.", [](const Counters& c) { return number(storeGlobal(c).lines); }},
        {"global_red_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "Global reduction requests", "requests",
         "Global red instructions with an active lane.", [](const Counters& c) { return number(c.reductionsGlobal.requests); }},
        {"global_red_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "Sectors of reductions", "sectors",
         "Distinct 32-byte sectors of each global red, summed.", [](const Counters& c) { return number(c.reductionsGlobal.sectors); }},
        {"global_atom_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "Global atomic requests", "requests",
         "Global atom instructions with an active lane.",
         [](const Counters& c) { return number(c.of(InstructionClass::AtomicGlobal).requests - c.reductionsGlobal.requests); }},
        {"global_atom_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "Sectors of atomics", "sectors",
         "Distinct 32-byte sectors of each global atom, summed.",
         [](const Counters& c) { return number(c.of(InstructionClass::AtomicGlobal).sectors - c.reductionsGlobal.sectors); }},
        {"global_load_tag_cycles", "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum", "L1 tag cycles of loads", "cycles",
         "Look-ups of the busiest of the L1's four tag banks, global loads.", [](const Counters& c) { return number(loadGlobal(c).tagCycles); }},
        {"l1_data_wavefronts", "l1tex__data_pipe_lsu_wavefronts.sum", "L1 data wavefronts", "wavefronts",
         "Cycles that the data stage of the L1 spends on global and shared accesses, as Nsight Compute counts them.",
         [](const Counters& c) {
             const auto of = [&c](InstructionClass cls) { return c.of(cls).dataWavefronts + c.of(cls).wavefronts; };
             return number(of(InstructionClass::LoadGlobal) + of(InstructionClass::StoreGlobal) + of(InstructionClass::AtomicGlobal) +
                           of(InstructionClass::LoadShared) + of(InstructionClass::StoreShared) + of(InstructionClass::AtomicShared));
         }},
        {"global_efficiency", "", "Coalescing efficiency", "1",
         "Bytes that lanes ask for / bytes of the sectors touched, global loads and stores.",
         [](const Counters& c) { return c.globalEfficiency(); }},
        {"share_of_bytes_used", "", "Share of bytes used", "1",
         "Distinct bytes asked for / bytes of the sectors touched: a word that several lanes share counts once.",
         [](const Counters& c) { return c.shareOfBytesUsed(); }},
        {"sectors_per_request", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "Sectors per load request",
         "sectors", "Sectors loaded / load requests.",
         [](const Counters& c) { return ratio(loadGlobal(c).sectors + copies(c).sectors, loadGlobal(c).requests + copies(c).requests); }},
        {"shared_load_instructions", "smsp__inst_executed_op_shared_ld.sum", "Shared loads", "warp instructions",
         "Load instructions to shared memory.", [](const Counters& c) { return number(loadShared(c).executions); }},
        {"shared_store_instructions", "smsp__inst_executed_op_shared_st.sum", "Shared stores", "warp instructions",
         "Store instructions to shared memory.", [](const Counters& c) { return number(storeShared(c).executions); }},
        {"shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "Shared load wavefronts", "wavefronts",
         "Cycles of the shared data array that loads take.", [](const Counters& c) { return number(loadShared(c).wavefronts); }},
        {"shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "Shared store wavefronts", "wavefronts",
         "Cycles of the shared data array that stores take.", [](const Counters& c) { return number(storeShared(c).wavefronts); }},
        {"shared_atomic_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "Shared atomic wavefronts", "wavefronts",
         "Cycles of the shared data array that atomics take.",
         [](const Counters& c) { return number(c.of(InstructionClass::AtomicShared).wavefronts); }},
        {"shared_load_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "Bank conflicts, loads", "wavefronts",
         "Wavefronts above the least that the width allows, loads.",
         [](const Counters& c) { return number(loadShared(c).wavefronts - loadShared(c).passes); }},
        {"shared_store_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "Bank conflicts, stores", "wavefronts",
         "Wavefronts above the least that the width allows, stores.",
         [](const Counters& c) { return number(storeShared(c).wavefronts - storeShared(c).passes); }},
        {"async_copies", "smsp__inst_executed_op_ldgsts.sum", "Asynchronous copies", "warp instructions",
         "cp.async instructions, which copy from global to shared memory past the registers.",
         [](const Counters& c) { return number(copies(c).executions); }},
        {"bulk_copies", "", "Bulk copies", "copies",
         "Bulk copies and reductions issued (cp.async.bulk, TMA, st.async), one for each thread that does.",
         [](const Counters& c) { return number(c.of(InstructionClass::BulkCopy).requests); }},
        {"bulk_copy_bytes", "", "Bytes copied in bulk", "bytes",
         "Bytes of global memory that bulk copies read or write; what of a box lies outside its tensor is not among them.",
         [](const Counters& c) { return number(c.of(InstructionClass::BulkCopy).bytes); }},
        {"bulk_copy_sectors", "", "Sectors copied in bulk", "sectors",
         "32-byte sectors of global memory that each bulk copy touches, summed.",
         [](const Counters& c) { return number(c.of(InstructionClass::BulkCopy).sectors); }},
        {"async_copy_l2_sectors", "", "Sectors copied from the L2", "sectors",
         "Sectors that cp.async reads when the L1 has none of them. Past the L1 (.cg), halves that lie in one sector at the source but not at "
         "the destination are read apart.",
         [](const Counters& c) { return number(copies(c).l2Sectors); }},
        {"async_copy_wavefronts", "", "Copy wavefronts", "wavefronts",
         "Cycles of the data array that cp.async.ca takes to move its data. What comes past the L1 (.cg) takes none.",
         [](const Counters& c) { return number(copies(c).wavefronts); }},
        {"async_copy_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum", "Bank conflicts, copies", "wavefronts",
         "Copy wavefronts above the least that the width and the lines allow.",
         [](const Counters& c) { return number(copies(c).wavefronts - copies(c).passes); }},
        {"shared_wavefronts_per_access", "", "Wavefronts per shared access", "wavefronts",
         "Wavefronts of shared loads and stores / their requests.",
         [](const Counters& c) {
             return ratio(loadShared(c).wavefronts + storeShared(c).wavefronts, loadShared(c).requests + storeShared(c).requests);
         }},
        {"barriers", "", "Barriers", "warp instructions", "Barrier instructions of warps.",
         [](const Counters& c) { return number(c.of(InstructionClass::Barrier).executions); }},
        {"branches", "smsp__sass_inst_executed_op_branch.sum", "Branches", "warp instructions", "Branch instructions.",
         [](const Counters& c) { return number(c.of(InstructionClass::Branch).executions); }},
        {"ffma_lanes", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "FP32 FMA", "thread instructions",
         "Fused multiply-adds of active lanes in single precision.", [](const Counters& c) { return number(c.ffmaLanes); }},
        {"tensor_instructions", "smsp__inst_executed_pipe_tensor.sum", "Tensor instructions", "warp instructions",
         "Instructions of the tensor cores: a wmma product is several, mma with FP8 on Hopper two.",
         [](const Counters& c) { return number(c.tensorHmma + c.tensorImma + c.tensorDmma); }},
        {"tensor_instructions_hmma", "smsp__inst_executed_pipe_tensor_op_hmma.sum", "Tensor instructions, HMMA", "warp instructions",
         "Those with floating-point numbers of up to 32 bits.", [](const Counters& c) { return number(c.tensorHmma); }},
        {"tensor_instructions_imma", "smsp__inst_executed_pipe_tensor_op_imma.sum", "Tensor instructions, IMMA", "warp instructions",
         "Those with integers and bits.", [](const Counters& c) { return number(c.tensorImma); }},
        {"tensor_instructions_dmma", "smsp__inst_executed_pipe_tensor_op_dmma.sum", "Tensor instructions, DMMA", "warp instructions",
         "Those with f64.", [](const Counters& c) { return number(c.tensorDmma); }},
        {"tensor_instructions_gmma", "smsp__inst_executed_pipe_tensor_op_gmma.sum", "Tensor instructions, wgmma", "warp instructions",
         "Those of warpgroups: one in each of the four warps, HMMA or IMMA as well.", [](const Counters& c) { return number(c.tensorGmma); }},
        {"tensor_shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum", "Wavefronts of wgmma", "wavefronts",
         "Wavefronts in which wgmma reads its operands from shared memory; no load instructions are executed for them.",
         [](const Counters& c) { return number(c.of(InstructionClass::Tensor).wavefronts); }},
        {"tensor_fma", "", "Multiply-adds of tensor cores", "FMA", "Multiply-adds of matrix products: m * n * k of each.",
         [](const Counters& c) { return number(c.tensorFma); }},
        {"flops", "", "Floating-point operations", "FLOP", "Of active lanes and of matrix products, a multiply-add counts two.",
         [](const Counters& c) { return number(c.flops); }},
        {"l1_lines_per_1000_fma", "", "L1 lines per 1,000 FMA", "per 1000 FMA",
         "Lines of global loads and stores looked up for 1,000 fused multiply-adds of a lane.",
         [](const Counters& c) { return c.per1000Fma(loadGlobal(c).lines + storeGlobal(c).lines + copies(c).lines); }},
        {"sectors_per_1000_fma", "", "Sectors per 1,000 FMA", "per 1000 FMA", "Sectors of global loads and stores for 1,000 FMA.",
         [](const Counters& c) { return c.per1000Fma(globalSectors(c)); }},
        {"bytes_moved_per_1000_fma", "", "Bytes moved per 1,000 FMA", "per 1000 FMA",
         "32 bytes for every sector of global loads and stores, for 1,000 FMA.",
         [](const Counters& c) { return c.per1000Fma(32 * globalSectors(c)); }},
        {"shared_wavefronts_per_1000_fma", "", "Shared wavefronts per 1,000 FMA", "per 1000 FMA",
         "Wavefronts of shared loads, stores and copies for 1,000 FMA.",
         [](const Counters& c) { return c.per1000Fma(loadShared(c).wavefronts + storeShared(c).wavefronts + copies(c).wavefronts); }},
        {"shared_load_instructions_per_1000_fma", "", "Shared loads per 1,000 FMA", "per 1000 FMA",
         "Shared load instructions for 1,000 FMA.", [](const Counters& c) { return c.per1000Fma(loadShared(c).executions); }},
        {"global_load_instructions_per_1000_fma", "", "Global loads per 1,000 FMA", "per 1000 FMA",
         "Global load instructions for 1,000 FMA.", [](const Counters& c) { return c.per1000Fma(loadGlobal(c).executions); }},
        {"instructions_per_1000_fma", "", "Instructions per 1,000 FMA", "per 1000 FMA", "Warp instructions for 1,000 FMA.",
         [](const Counters& c) { return c.per1000Fma(c.total.executions); }},
    };
    return kMetrics;
}

} // namespace lanescope::sim
