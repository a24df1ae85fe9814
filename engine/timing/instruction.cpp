// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/instruction.h"

#include <algorithm>

namespace lanescope::timing {

using ptx::InstructionClass;
using ptx::Opcode;
using ptx::Type;

namespace {

struct Cost {
    Pipe pipe = Pipe::Other;
    int slotsUsed = 1;
    int latency = 4;
    int pipeCycles = 1;
};

bool isWide(Type t) { return ptx::sizeBytes(t) == 8; }
bool isRegisterOrImmediate(const ptx::Operand& o) {
    return o.kind == ptx::OperandKind::Register || o.kind == ptx::OperandKind::Immediate || o.kind == ptx::OperandKind::Variable ||
           o.kind == ptx::OperandKind::Vector;
}

/// Expansions that ptxas makes of one PTX instruction: slots and latency measured as whole on an H200 (tests/data/timing/micro.json),
/// those of 64 bits assumed.
Cost divisionCost(const ptx::Instruction& in) {
    if (ptx::isFloat(in.type))
        return isWide(in.type) ? Cost{Pipe::Fp64, 24, 170, 48} : Cost{Pipe::Fma, 10, 45, 10};
    return isWide(in.type) ? Cost{Pipe::Alu, 80, 400, 1} : Cost{Pipe::Alu, 26, 130, 1};
}

Cost moveCost(const ptx::Instruction& in, const sim::Op& op, const Parameters& p) {
    if (op.kind == sim::OpKind::Pack || op.kind == sim::OpKind::Unpack || in.opcode == Opcode::Cvta)
        return {Pipe::None, 0, 0, 0};
    if (in.opcode == Opcode::Mov && in.operands.size() == 2) {
        if (isRegisterOrImmediate(in.operands[1]))
            return {Pipe::None, 0, 0, 0};
        // Extents of block and grid are in constant memory; indices are read through S2R.
        if (in.operands[1].kind == ptx::OperandKind::Special) {
            const ptx::Special s = in.operands[1].special;
            if (s >= ptx::Special::NtidX && s <= ptx::Special::NtidZ)
                return {Pipe::None, 0, 0, 0};
            if (s >= ptx::Special::NctaidX && s <= ptx::Special::NctaidZ)
                return {Pipe::None, 0, 0, 0};
            return {Pipe::Index, 1, p.specialRegister, p.specialRegisterCycles};
        }
    }
    return {Pipe::Alu, isWide(in.type) ? 2 : 1, p.math, p.integerCycles};
}

Cost convertCost(const ptx::Instruction& in, const Parameters& p) {
    const bool wide = isWide(in.type) || isWide(in.type2);
    if (!ptx::isFloat(in.type) && !ptx::isFloat(in.type2)) // a sign or nothing: folded into the user more often than not
        return ptx::sizeBytes(in.type) > ptx::sizeBytes(in.type2) && ptx::isSigned(in.type2) ? Cost{Pipe::Alu, 1, p.math, p.integerCycles}
                                                                                          : Cost{Pipe::None, 0, 0, 0};
    return {Pipe::Convert, 1, p.convert, wide ? p.specialCycles : p.convertCycles};
}

/// wgmma, measured on an H200 for n = 8 to 256 with every type, one to three warpgroups: n / 2 cycles each, or as many as reading A and B
/// from shared memory takes, 16 + n / 4 (A in registers: n / 4, and 16 at least). One alone and its wait: 54 + n / 2 cycles (50 + n / 2).
Cost warpgroupCost(const ptx::Instruction& in) {
    const int n = in.modifiers.shape.n;
    const bool isAShared = in.operands[1].kind != ptx::OperandKind::Vector;
    return {Pipe::Warpgroup, 1, (isAShared ? 54 : 50) + n / 2, std::max(n / 2, isAShared ? 16 + n / 4 : 16)};
}

Cost costOf(const ptx::Instruction& in, const sim::Op& op, const Parameters& p) {
    switch (in.opcode) {
    case Opcode::Div:
        if (in.modifiers.approx || in.modifiers.full)
            return {Pipe::Special, 2, p.special + p.math, p.specialCycles};
        return divisionCost(in);
    case Opcode::Rem:
        return divisionCost(in);
    case Opcode::Sqrt:
    case Opcode::Rcp:
        if (!in.modifiers.approx)
            return isWide(in.type) ? Cost{Pipe::Fp64, 20, 150, 40} : Cost{Pipe::Fma, 11, 56, 11};
        break;
    default:
        break;
    }
    switch (op.kind) {
    case sim::OpKind::WarpgroupFence: // orders registers, waits for no memory
        return {Pipe::Other, 1, 1, 1};
    case sim::OpKind::CopyBulk:
        return {Pipe::Copy, 1, p.bulkCopyIssue, 1};
    case sim::OpKind::CommitBulk:
    case sim::OpKind::WaitBulk:
        return {Pipe::Other, 1, p.math, 1};
    case sim::OpKind::Mbarrier:
    case sim::OpKind::TrackCopies:
    case sim::OpKind::ClusterArrive: // taken to be like an mbarrier; not measured
    case sim::OpKind::ClusterWait:
        return {Pipe::Mbarrier, 1, p.mbarrierTest, 1};
    default:
        break;
    }
    switch (op.cls) {
    case InstructionClass::Integer: {
        const bool multiplies = in.opcode == Opcode::Mul || in.opcode == Opcode::Mad;
        if (multiplies && in.modifiers.wide)
            return {Pipe::Multiply, 1, p.wide, p.integerCycles};
        if (multiplies)
            return {Pipe::Multiply, isWide(in.type) ? 4 : 1, isWide(in.type) ? 4 * p.wide : p.math, p.integerCycles};
        if (in.opcode == Opcode::Add || in.opcode == Opcode::Sub)
            return {Pipe::Add, isWide(in.type) ? 2 : 1, isWide(in.type) ? 2 * p.math - 2 : p.math, p.integerCycles};
        return {Pipe::Alu, isWide(in.type) ? 2 : 1, p.math, p.integerCycles};
    }
    case InstructionClass::Logic:
        if (in.opcode == Opcode::Popc || in.opcode == Opcode::Clz || in.opcode == Opcode::Brev || in.opcode == Opcode::Bfind)
            return {Pipe::Special, 1, p.special, p.specialCycles};
        return {Pipe::Alu, isWide(in.type) ? 2 : 1, p.math, p.integerCycles};
    case InstructionClass::Compare:
        return {Pipe::Alu, isWide(in.type) ? 2 : 1, p.math, p.integerCycles};
    case InstructionClass::Move:
        return moveCost(in, op, p);
    case InstructionClass::Convert:
        return convertCost(in, p);
    case InstructionClass::Float16:
        return {Pipe::Fma, 1, p.half, p.fmaCycles};
    case InstructionClass::Float32:
        if (in.opcode == Opcode::Min || in.opcode == Opcode::Max || in.opcode == Opcode::Abs || in.opcode == Opcode::Neg)
            return {Pipe::Alu, 1, p.math, p.integerCycles};
        return {Pipe::Fma, 1, p.math, p.fmaCycles};
    case InstructionClass::Float64:
        return {Pipe::Fp64, 1, p.fp64, p.fp64Cycles};
    case InstructionClass::Special:
        return {Pipe::Special, 1, p.special, p.specialCycles};
    case InstructionClass::LoadParam:
        return {Pipe::None, 0, 0, 0};
    case InstructionClass::LoadConst:
        return {Pipe::Alu, 1, p.constant, 1};
    case InstructionClass::LoadShared:
        return {Pipe::Shared, 1, p.shared, 1};
    case InstructionClass::StoreShared:
        return {Pipe::Shared, 1, 0, 1};
    case InstructionClass::AtomicShared:
        return {Pipe::Shared, 1, p.atomicShared, 1};
    case InstructionClass::LoadGlobal:
    case InstructionClass::LoadLocal:
        return {Pipe::Global, 1, p.l1, 1};
    case InstructionClass::StoreGlobal:
    case InstructionClass::StoreLocal:
        return {Pipe::Global, 1, 0, 1};
    case InstructionClass::AtomicGlobal:
        return {Pipe::Global, 1, p.atomicGlobal, 1};
    case InstructionClass::CopyAsync: // nothing waits for it but its wait
        return op.kind == sim::OpKind::CopyAsync ? Cost{Pipe::Global, 1, p.l1, 1} : Cost{Pipe::Other, 1, 1, 1};
    case InstructionClass::BulkCopy: // the copy engine's work; the warp only issues it
        return {Pipe::Other, 1, 1, 1};
    case InstructionClass::Tensor: {
        // m16n8k16 with f16 on a H100: 33 cycles (Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU, 2024), at 512
        // multiply-adds a clock and sub-partition.
        constexpr int kLatency = 33, kMultiplyAddsPerCycle = 512;
        const ptx::MatrixShape& s = in.modifiers.shape;
        if (op.kind == sim::OpKind::WarpgroupProduct)
            return warpgroupCost(in);
        return {Pipe::Tensor, 1, kLatency, std::max(1, s.m * s.n * s.k / kMultiplyAddsPerCycle)};
    }
    case InstructionClass::Warp:
        if (op.kind == sim::OpKind::WarpSync)
            return {Pipe::Other, 1, p.warpSync, 1};
        return {Pipe::Exchange, 1, in.opcode == Opcode::Vote ? p.vote : p.shuffle, 1};
    case InstructionClass::Barrier:
        return op.kind == sim::OpKind::WarpSync ? Cost{Pipe::Other, 1, p.warpSync, 1} : Cost{Pipe::Barrier, 1, p.barrier, 1};
    case InstructionClass::Fence:
        return {Pipe::Fence, 1, in.modifiers.scope == ptx::Scope::Cta ? p.fenceBlock : p.fenceGpu, 1};
    case InstructionClass::Branch:
        return {Pipe::Branch, 1, p.branch, 1};
    case InstructionClass::Other:
        return op.kind == sim::OpKind::Nop ? Cost{Pipe::None, 0, 0, 0} : Cost{Pipe::Other, 1, p.math, 1};
    }
    return {};
}

bool isControl(sim::OpKind kind) {
    switch (kind) {
    case sim::OpKind::Branch:
    case sim::OpKind::BranchIndexed:
    case sim::OpKind::Call:
    case sim::OpKind::Return:
    case sim::OpKind::Exit:
    case sim::OpKind::Trap:
        return true;
    default:
        return false;
    }
}

CopyRole copyRole(const sim::Op& op) {
    if (op.kind == sim::OpKind::WaitBulk)
        return op.negatedSources != 0 ? CopyRole::WaitForBulkRead : CopyRole::WaitForBulk;
    switch (op.kind) {
    case sim::OpKind::CopyAsync: return CopyRole::Copy;
    case sim::OpKind::CommitCopies: return CopyRole::Commit;
    case sim::OpKind::WaitForCopies: return CopyRole::Wait;
    case sim::OpKind::WaitForAllCopies: return CopyRole::WaitAll;
    case sim::OpKind::WarpgroupProduct: return CopyRole::Product;
    case sim::OpKind::WarpgroupCommit: return CopyRole::CommitProducts;
    case sim::OpKind::WarpgroupWait: return CopyRole::WaitForProducts;
    case sim::OpKind::CommitBulk: return CopyRole::CommitBulk;
    default: return CopyRole::None;
    }
}

} // namespace

const char* name(Pipe pipe) {
    switch (pipe) {
    case Pipe::None: return "none";
    case Pipe::Fma: return "fma";
    case Pipe::Multiply: return "imad";
    case Pipe::Alu: return "alu";
    case Pipe::Add: return "add";
    case Pipe::Fp64: return "fp64";
    case Pipe::Special: return "xu";
    case Pipe::Convert: return "convert";
    case Pipe::Index: return "special_registers";
    case Pipe::Shared: return "lsu_shared";
    case Pipe::Global: return "lsu_global";
    case Pipe::Exchange: return "exchange";
    case Pipe::Branch: return "cbu";
    case Pipe::Barrier: return "barrier";
    case Pipe::Fence: return "fence";
    case Pipe::Tensor: return "tensor";
    case Pipe::Warpgroup: return "wgmma";
    case Pipe::Copy: return "bulk_copy";
    case Pipe::Mbarrier: return "mbarrier";
    case Pipe::Other: return "other";
    }
    return "";
}

ProgramTiming analyse(const sim::Program& program, const Parameters& parameters) {
    ProgramTiming out;
    std::vector<std::uint32_t> base;
    std::uint32_t next = 1; // 0: the carry flag
    for (const sim::FunctionLayout& f : program.functions) {
        base.push_back(next);
        next += static_cast<std::uint32_t>(program.module->functions[f.moduleIndex].registers.size());
    }
    // Registers are told apart by 16 bits; the few programs with more share the last.
    const auto id = [&](std::uint32_t r) { return static_cast<std::uint16_t>(std::min<std::uint32_t>(r, 0xfffe)); };
    out.registerCount = static_cast<int>(std::min<std::uint32_t>(next, 0xffff));
    out.instructions.resize(program.ops.size());
    for (std::size_t pc = 0; pc < program.ops.size(); ++pc) {
        const sim::Op& op = program.ops[pc];
        const ptx::Instruction& in = *program.instructions[pc];
        const std::uint32_t first = base[program.functionOf[pc]];
        InstructionTiming& t = out.instructions[pc];
        const Cost cost = costOf(in, op, parameters);
        t.pipe = cost.pipe;
        t.slotsUsed = static_cast<std::uint8_t>(cost.slotsUsed);
        t.latency = static_cast<std::uint16_t>(cost.latency);
        t.pipeCycles = static_cast<std::uint16_t>(cost.pipeCycles);
        t.isControl = isControl(op.kind);
        t.isLoad = op.kind == sim::OpKind::Load || op.kind == sim::OpKind::CopyAsync;
        t.copies = copyRole(op);
        const bool waitsForSome = t.copies == CopyRole::Wait || t.copies == CopyRole::WaitForProducts || t.copies >= CopyRole::WaitForBulk;
        t.copyGroups = waitsForSome ? op.target : 0;
        t.isStore = op.kind == sim::OpKind::Store;
        if (op.kind == sim::OpKind::FragmentMove)
            (program.tensors[op.target].isStore ? t.isStore : t.isLoad) = true;
        t.isAtomic = op.kind == sim::OpKind::Atomic;
        t.isShared = t.pipe == Pipe::Shared;
        t.usesConstants = op.kind == sim::OpKind::LoadParam || op.cls == InstructionClass::LoadConst;
        t.registers = static_cast<std::uint32_t>(out.registers.size());
        // The result of an atomic that nobody reads is not waited for: ptxas makes a reduction of it.
        const bool hasDestination = ptx::writesFirstOperand(in) && !in.operands.empty() && in.operands[0].kind != ptx::OperandKind::Address;
        const bool writes = hasDestination && !op.countsAsReduction;
        const auto read = [&](std::uint32_t r) {
            if (t.reads < 255) {
                out.registers.push_back(id(first + r));
                ++t.reads;
            }
        };
        for (std::size_t o = hasDestination ? 1 : 0; o < in.operands.size(); ++o)
            ptx::forEachRegister(in.operands[o], read);
        if (in.guard >= 0)
            read(static_cast<std::uint32_t>(in.guard));
        const std::string_view mnemonic = ptx::mnemonic(in.opcode);
        if (mnemonic == "addc" || mnemonic == "subc" || mnemonic == "madc") {
            out.registers.push_back(0);
            ++t.reads;
        }
        const auto write = [&](std::uint16_t r) {
            if (t.writes < 255) {
                out.registers.push_back(r);
                ++t.writes;
            }
        };
        if (writes)
            ptx::forEachRegister(in.operands[0], [&](std::uint32_t r) { write(id(first + r)); });
        if (in.modifiers.carryOut)
            write(0);
    }
    scheduleBlocks(program, parameters, out);
    return out;
}

} // namespace lanescope::timing
