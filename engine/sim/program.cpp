// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/program.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/ptx/control_flow.h"
#include "engine/ptx/shared_layout.h"
#include "engine/sim/atomic_operation.h"
#include "engine/sim/decode_async.h"
#include "engine/sim/shared_variable.h"

namespace lanescope::sim {

namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

constexpr std::uint32_t kRow32 = 4 * kWarpSize;
constexpr std::uint32_t kRow64 = 8 * kWarpSize;
/// Rows at the start of a warp: where '_' results go.
constexpr std::uint32_t kScratchBytes = kRow64;

std::uint64_t alignUp(std::uint64_t value, std::uint64_t alignment) {
    return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

bool isWide(Type type) { return ptx::sizeBytes(type) == 8; }

bool isWideSpecial(ptx::Special special) {
    return special == ptx::Special::Clock64 || special == ptx::Special::GlobalTimer ||
           special == ptx::Special::GridId || special == ptx::Special::CurrentGraphExec;
}

/// Whether the executor reads source `i` as uint64_t[32]: the type of the operand, by the PTX ISA's description of each opcode.
bool sourceIsWide(const Instruction& in, int i) {
    switch (in.opcode) {
    case Opcode::Shl:
    case Opcode::Shr:
        return i == 0 && isWide(in.type);
    case Opcode::Bfe:
        return i == 0 && isWide(in.type);
    case Opcode::Bfi:
        return i < 2 && isWide(in.type);
    case Opcode::Mad:
        if (in.modifiers.wide && i == 2)
            return ptx::sizeBytes(in.type) == 4;
        return isWide(in.type);
    case Opcode::Cvt:
        return isWide(in.type2);
    case Opcode::Set:
        return i < 2 && isWide(in.type2);
    case Opcode::Setp:
        return i < 2 && isWide(in.type);
    case Opcode::Slct:
        return i < 2 ? isWide(in.type) : isWide(in.type2);
    case Opcode::Selp:
        return i < 2 && isWide(in.type);
    case Opcode::Match:
        return i == 0 && isWide(in.type);
    case Opcode::Shfl:
    case Opcode::Vote:
    case Opcode::Redux:
    case Opcode::Activemask:
    case Opcode::Elect:
        return false;
    default:
        return isWide(in.type);
    }
}

class Decoder {
public:
    Decoder(std::shared_ptr<const ptx::Module> module) : m_module(*module) {
        m_program = std::make_shared<Program>();
        m_program->module = std::move(module);
    }

    Result<std::shared_ptr<const Program>> run(std::string_view entry);

private:
    const ptx::Module& m_module;
    std::shared_ptr<Program> m_program;
    Diagnostics m_errors;
    std::map<std::uint32_t, std::uint32_t> m_layoutOf; ///< module function -> layout
    std::map<std::tuple<std::uint64_t, bool>, std::uint32_t> m_constantRows;
    std::map<ptx::Special, std::uint32_t> m_specialRows;
    std::map<std::string, std::uint64_t> m_sharedOffsets; ///< "function/variable" or "/variable"
    std::map<std::pair<std::int32_t, std::uint32_t>, std::uint64_t> m_variableAddress;
    std::vector<std::vector<std::uint32_t>> m_frameOffsets; ///< by layout, by function variable
    std::uint32_t m_warpBytes = kScratchBytes;
    std::vector<std::uint32_t> m_addressTaken; ///< functions that a call through a pointer may reach

    // state of the function being decoded
    std::uint32_t m_layout = 0;
    const ptx::Function* m_function = nullptr;
    std::set<std::uint32_t> m_registersRead; ///< of the function
    std::vector<bool> m_uniform;             ///< its registers that hold one value for the whole warp
    std::vector<bool> m_holdsOne;            ///< its registers that are the constant 1
    bool m_hasFence = false;

    void fail(const Instruction& in, std::string message, std::string code = "unsupported") {
        if (m_errors.size() < 50)
            m_errors.push_back({Severity::Error, std::move(code),
                                fmt::format("{}: {}", ptx::print(m_module, *m_function, in), message),
                                {m_module.path, in.ptxLine, 0},
                                {}});
    }

    std::vector<std::uint32_t> callees(const ptx::Function& f) const;
    void findAddressTaken();
    void layOutFunctions();
    void layOutVariables();
    void layOutShared();
    void layOutFrames();

    RowRef constantRow(std::uint64_t bits, bool wide);
    RowRef specialRow(ptx::Special special);
    RowRef registerRow(std::uint32_t index) const {
        return RowRef::warp(m_program->functions[m_layout].registerRows[index]);
    }
    std::optional<std::uint64_t> constantAddress(const Operand& operand, bool& frameRelative);
    RowRef sourceRow(const Instruction& in, const Operand& operand, bool wide);
    RowRef destinationRow(const Instruction& in, const Operand& operand, bool wide);
    bool registerIsWide(const Operand& operand) const {
        return operand.isRegister() && isWide(m_function->registers[operand.index].type);
    }

    void decodeFunction(std::uint32_t layout);
    void mapSourceLines();
    void decodeInstruction(const Instruction& in, Op& op, std::uint32_t pcBase);
    void decodeLane(const Instruction& in, Op& op, OpKind kind);
    void decodeMove(const Instruction& in, Op& op);
    void decodePackUnpack(const Instruction& in, Op& op);
    void decodeMemory(const Instruction& in, Op& op);
    bool becomesReduction(const Instruction& in) const;
    bool isAggregated(const Instruction& in) const;
    bool countsLanes(const Instruction& in) const;
    bool isUniform(const Operand& operand) const;
    void findRegistersRead();
    void findUniformRegisters();
    void selectCombine(const Instruction& in, MemoryOp& memory);
    void decodeAddress(const Instruction& in, const Operand& address, MemoryOp& memory);
    void decodeConvertAddress(const Instruction& in, Op& op);
    void decodeBarrier(const Instruction& in, Op& op);
    void decodeAsync(const Instruction& in, Op& op);
    void decodeAsyncProxy(const Instruction& in, Op& op);
    void decodeClusterAddress(const Instruction& in, Op& op);
    void decodeFence(const Instruction& in, Op& op);
    void decodeTensorInstruction(const Instruction& in, Op& op);
    void decodeCall(const Instruction& in, Op& op);
    RowSlot slot(const Instruction& in, const Operand& operand, bool destination, Type type);
};

namespace {
void addOnce(std::vector<std::uint32_t>& list, std::uint32_t value) {
    if (std::find(list.begin(), list.end(), value) == list.end())
        list.push_back(value);
}

/// Calls `visit(function, isCallee)` for each function that the instruction names.
template <class Visit>
void visitFunctions(const Instruction& in, const Visit& visit) {
    const std::function<void(const Operand&, bool)> descend = [&](const Operand& o, bool isCallee) {
        if (o.kind == OperandKind::Function)
            visit(o.index, isCallee);
        for (const Operand& e : o.elements)
            descend(e, false);
    };
    for (std::size_t i = 0; i < in.operands.size(); ++i)
        descend(in.operands[i], in.opcode == Opcode::Call && i == 1);
}

bool isIndirectCall(const Instruction& in) {
    return in.opcode == Opcode::Call && in.operands.size() > 1 && in.operands[1].kind != OperandKind::Function;
}
} // namespace

/// A call through a pointer reaches what an instruction takes the address of or the initialiser of a variable names.
void Decoder::findAddressTaken() {
    for (const ptx::Function& f : m_module.functions)
        for (const Instruction& in : f.instructions)
            visitFunctions(in, [&](std::uint32_t index, bool isCallee) {
                if (!isCallee)
                    addOnce(m_addressTaken, index);
            });
    for (const ptx::Variable& v : m_module.variables)
        for (const ptx::Variable::Relocation& r : v.relocations)
            if (const int index = m_module.findFunction(r.symbol); index >= 0)
                addOnce(m_addressTaken, static_cast<std::uint32_t>(index));
}

std::vector<std::uint32_t> Decoder::callees(const ptx::Function& f) const {
    std::vector<std::uint32_t> out;
    for (const Instruction& in : f.instructions) {
        visitFunctions(in, [&](std::uint32_t index, bool) { addOnce(out, index); });
        if (isIndirectCall(in))
            for (const std::uint32_t index : m_addressTaken)
                addOnce(out, index);
    }
    return out;
}

void Decoder::layOutFunctions() {
    // Depth-first from the entry; an edge back to a function on the stack makes every function of that cycle recursive.
    std::vector<std::uint32_t> stack;
    std::set<std::uint32_t> recursive;
    const std::function<void(std::uint32_t)> visit = [&](std::uint32_t index) {
        const auto onStack = std::find(stack.begin(), stack.end(), index);
        if (onStack != stack.end()) {
            recursive.insert(onStack, stack.end());
            return;
        }
        if (m_layoutOf.count(index) != 0)
            return;
        const ptx::Function& f = m_module.functions[index];
        if (f.isDeclaration)
            return;
        FunctionLayout layout;
        layout.moduleIndex = index;
        m_layoutOf[index] = static_cast<std::uint32_t>(m_program->functions.size());
        m_program->functions.push_back(layout);
        stack.push_back(index);
        for (const std::uint32_t callee : callees(f))
            visit(callee);
        stack.pop_back();
    };
    visit(m_program->entryFunction);
    for (FunctionLayout& layout : m_program->functions) {
        layout.recursive = recursive.count(layout.moduleIndex) != 0;
        m_program->hasRecursion |= layout.recursive;
        layout.registerBase = m_warpBytes;
        for (const ptx::Register& r : m_module.functions[layout.moduleIndex].registers) {
            layout.registerRows.push_back(m_warpBytes);
            // A predicate is one word, given a full 32 bytes so that rows stay aligned for vector loads.
            m_warpBytes += r.type == Type::Pred ? 32 : isWide(r.type) ? kRow64 : kRow32;
        }
        layout.registerBytes = m_warpBytes - layout.registerBase;
    }
}

void Decoder::layOutShared() {
    std::vector<std::uint32_t> functions;
    for (const FunctionLayout& layout : m_program->functions)
        functions.push_back(layout.moduleIndex);
    const ptx::SharedLayout layout = ptx::layOutShared(m_module, functions);
    m_program->staticSharedBytes = layout.staticBytes;
    for (const ptx::SharedPlacement& p : layout.places) {
        const bool ofModule = p.scope == ptx::VariableScope::Module;
        const ptx::Variable& v = ofModule ? m_module.variables[p.variable] : m_module.functions[p.function].variables[p.variable];
        m_sharedOffsets.emplace(ofModule ? "/" + v.name : fmt::format("{}/{}", m_module.functions[p.function].name, p.variable), p.offset);
        m_program->sharedVariables.push_back({v.name, p.offset, v.sizeBytes, static_cast<std::uint32_t>(std::max(1, ptx::sizeBytes(v.type)))});
    }
}

void Decoder::layOutVariables() {
    layOutShared();
    const auto place = [&](std::int32_t function, std::uint32_t index) {
        const std::uint64_t address =
            ((m_program->variables.size() + 1) << kWindowShift) + kWindowOffset;
        m_program->variables.push_back({index, function, address});
        m_variableAddress[{function, index}] = address;
    };
    const auto isStored = [](const ptx::Variable& v) {
        return v.space == Space::Global || v.space == Space::Const;
    };
    for (std::uint32_t i = 0; i < m_module.variables.size(); ++i)
        if (isStored(m_module.variables[i]))
            place(-1, i);
    for (const FunctionLayout& layout : m_program->functions) {
        const ptx::Function& f = m_module.functions[layout.moduleIndex];
        for (std::uint32_t i = 0; i < f.variables.size(); ++i)
            if (isStored(f.variables[i]))
                place(static_cast<std::int32_t>(layout.moduleIndex), i);
    }
}

void Decoder::layOutFrames() {
    m_frameOffsets.resize(m_program->functions.size());
    for (std::size_t l = 0; l < m_program->functions.size(); ++l) {
        FunctionLayout& layout = m_program->functions[l];
        const ptx::Function& f = m_module.functions[layout.moduleIndex];
        std::uint64_t at = 0;
        const auto take = [&](std::uint64_t bytes, std::uint64_t alignment) {
            at = alignUp(at, std::max<std::uint64_t>(alignment, 1));
            const std::uint64_t offset = at;
            at += bytes;
            return static_cast<std::uint32_t>(offset);
        };
        if (!f.isEntry) {
            for (const ptx::Parameter& p : f.parameters)
                layout.parameterOffsets.push_back(take(p.sizeBytes, std::max(p.alignment, 8u)));
            for (const ptx::Parameter& p : f.returnParameters)
                layout.resultOffsets.push_back(take(p.sizeBytes, std::max(p.alignment, 8u)));
        }
        for (const ptx::Variable& v : f.variables) {
            const bool inFrame = v.space == Space::Local || v.space == Space::Param;
            m_frameOffsets[l].push_back(inFrame ? take(v.sizeBytes, std::max(v.alignment, 8u)) : 0);
        }
        layout.frameBytes = static_cast<std::uint32_t>(alignUp(at, 16));
    }
    // The deepest chain of frames, a cycle counted once.
    std::vector<bool> onStack(m_program->functions.size());
    const std::function<std::uint32_t(std::uint32_t)> depth = [&](std::uint32_t l) -> std::uint32_t {
        if (onStack[l])
            return 0;
        onStack[l] = true;
        std::uint32_t deepest = 0;
        for (const std::uint32_t callee : callees(m_module.functions[m_program->functions[l].moduleIndex]))
            if (const auto it = m_layoutOf.find(callee); it != m_layoutOf.end())
                deepest = std::max(deepest, depth(it->second));
        onStack[l] = false;
        return m_program->functions[l].frameBytes + deepest;
    };
    m_program->frameBytes = depth(0);
}

RowRef Decoder::constantRow(std::uint64_t bits, bool wide) {
    if (!wide)
        bits &= 0xffffffffu;
    const auto [it, isNew] = m_constantRows.emplace(
        std::tuple{bits, wide}, static_cast<std::uint32_t>(m_program->constants.size()));
    if (isNew) {
        const std::uint32_t width = wide ? 8 : 4;
        m_program->constants.resize(m_program->constants.size() + width * kWarpSize);
        for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
            std::memcpy(m_program->constants.data() + it->second + lane * width, &bits, width);
    }
    return RowRef::constant(it->second);
}

RowRef Decoder::specialRow(ptx::Special special) {
    const bool wide = isWideSpecial(special);
    const auto [it, isNew] = m_specialRows.emplace(special, m_warpBytes);
    if (isNew) {
        m_program->specials.push_back({special, m_warpBytes, wide});
        m_warpBytes += wide ? kRow64 : kRow32;
    }
    return RowRef::warp(it->second);
}

/// The address that a variable, parameter or function operand stands for.
std::optional<std::uint64_t> Decoder::constantAddress(const Operand& o, bool& frameRelative) {
    frameRelative = false;
    const std::uint64_t offset = static_cast<std::uint64_t>(o.offset);
    if (o.kind == OperandKind::Immediate)
        return o.bits + offset;
    if (o.kind == OperandKind::Function) {
        const auto it = m_layoutOf.find(o.index);
        return it == m_layoutOf.end() ? std::nullopt
                                      : std::optional(kFunctionWindow + 16 * (it->second + 1));
    }
    if (o.kind != OperandKind::Variable)
        return std::nullopt;
    const FunctionLayout& layout = m_program->functions[m_layout];
    if (o.scope == ptx::VariableScope::FunctionParameter) {
        if (m_function->isEntry)
            return m_function->parameters[o.index].offset + offset;
        frameRelative = true;
        return layout.parameterOffsets[o.index] + offset;
    }
    if (o.scope == ptx::VariableScope::FunctionResult) {
        frameRelative = true;
        return layout.resultOffsets[o.index] + offset;
    }
    const bool atModule = o.scope == ptx::VariableScope::Module;
    const ptx::Variable& v =
        atModule ? m_module.variables[o.index] : m_function->variables[o.index];
    switch (v.space) {
    case Space::Shared: {
        const std::string key =
            atModule ? "/" + v.name : fmt::format("{}/{}", m_function->name, o.index);
        return m_sharedOffsets.at(key) + offset;
    }
    case Space::Global:
    case Space::Const: {
        const std::int32_t owner = atModule ? -1 : static_cast<std::int32_t>(layout.moduleIndex);
        return m_variableAddress.at({owner, o.index}) + offset;
    }
    default:
        if (atModule)
            return std::nullopt;
        frameRelative = true;
        return m_frameOffsets[m_layout][o.index] + offset;
    }
}

RowRef Decoder::sourceRow(const Instruction& in, const Operand& o, bool wide) {
    switch (o.kind) {
    case OperandKind::Register: {
        const Type type = m_function->registers[o.index].type;
        // cvt takes registers wider than its types; its executor knows.
        if (type != Type::Pred && isWide(type) != wide && in.opcode != Opcode::Cvt) {
            fail(in, fmt::format("register {} has another width than the instruction reads",
                                 m_function->registers[o.index].name),
                 "syntax");
            return {};
        }
        return registerRow(o.index);
    }
    case OperandKind::Special: {
        const RowRef row = specialRow(o.special);
        if (isWideSpecial(o.special) != wide)
            fail(in, fmt::format("{} has another width than the instruction reads", ptx::name(o.special)),
                 "syntax");
        return row;
    }
    case OperandKind::Immediate:
        return constantRow(o.bits, wide);
    case OperandKind::Variable:
    case OperandKind::Function: {
        bool frameRelative = false;
        const auto address = constantAddress(o, frameRelative);
        if (!address || (frameRelative && m_layout != 0)) {
            fail(in, "this address is not a constant here");
            return {};
        }
        return constantRow(*address, wide);
    }
    default:
        fail(in, "this kind of operand is not executed here");
        return {};
    }
}

RowRef Decoder::destinationRow(const Instruction& in, const Operand& o, bool wide) {
    if (o.kind == OperandKind::Sink)
        return RowRef::warp(0);
    if (!o.isRegister()) {
        fail(in, "the destination must be a register", "syntax");
        return {};
    }
    const Type type = m_function->registers[o.index].type;
    if (type != Type::Pred && isWide(type) != wide && in.opcode != Opcode::Cvt)
        fail(in, fmt::format("register {} has another width than the result",
                             m_function->registers[o.index].name),
             "syntax");
    return registerRow(o.index);
}

/// Whether source `i` of the instruction is a predicate.
bool takesPredicate(const Instruction& in, int i) {
    switch (in.opcode) {
    case Opcode::Set:
    case Opcode::Setp:
    case Opcode::Selp:
        return i == 2;
    case Opcode::Lop3:
        return i == 4;
    case Opcode::Vote:
        return i == 0;
    default:
        return in.type == Type::Pred;
    }
}

/// Whether an executor writes uint64_t[32].
bool destinationIsWide(const Instruction& in) {
    switch (in.opcode) {
    case Opcode::Popc:
    case Opcode::Clz:
    case Opcode::Bfind:
        return false;
    case Opcode::Mul:
    case Opcode::Mad:
        return isWide(in.type) || (in.modifiers.wide && ptx::sizeBytes(in.type) == 4);
    case Opcode::Match:
    case Opcode::Shfl:
    case Opcode::Vote:
    case Opcode::Activemask:
    case Opcode::Redux:
    case Opcode::Elect:
        return false;
    default:
        return isWide(in.type);
    }
}

void Decoder::decodeLane(const Instruction& in, Op& op, OpKind kind) {
    const Result<LaneFunction> function = selectLaneFunction(in, m_function);
    if (!function) {
        for (Diagnostic d : function.error()) {
            d.where = {m_module.path, in.ptxLine, 0};
            m_errors.push_back(std::move(d));
        }
        return;
    }
    op.kind = kind;
    op.function = *function;
    std::size_t at = 0;
    const Operand& first = in.operands.at(at++);
    const bool wideResult = destinationIsWide(in);
    if (first.kind == OperandKind::PredicatePair) {
        op.destination[0] = destinationRow(in, first.elements.at(0), wideResult);
        op.destination[1] = destinationRow(in, first.elements.at(1), false);
    } else {
        op.destination[0] = destinationRow(in, first, wideResult);
    }
    // elect.sync d|p has the pair as its only destination; everything that follows is a source.
    for (int i = 0; at < in.operands.size(); ++at, ++i) {
        if (i >= 4) {
            fail(in, "too many operands", "syntax");
            return;
        }
        const Operand& o = in.operands[at];
        op.source[i] = sourceRow(in, o, sourceIsWide(in, i));
        if (o.isRegister() && m_function->registers[o.index].type == Type::Pred && o.negated)
            op.negatedSources |= static_cast<std::uint8_t>(1u << i);
        // A constant where a predicate stands: true for every lane unless it is zero.
        if (o.kind == OperandKind::Immediate && takesPredicate(in, i))
            op.source[i] = constantRow((o.bits != 0) != o.negated ? kFullMask : 0, false);
        if (o.kind == OperandKind::Special &&
            (o.special == ptx::Special::Clock || o.special == ptx::Special::Clock64 ||
             o.special == ptx::Special::ClockHi || o.special == ptx::Special::GlobalTimer ||
             o.special == ptx::Special::GlobalTimerLo || o.special == ptx::Special::GlobalTimerHi))
            op.readsClock = true;
    }
}

RowSlot Decoder::slot(const Instruction& in, const Operand& o, bool destination, Type type) {
    RowSlot out;
    if (o.kind == OperandKind::Sink)
        return out;
    out.wide = o.isRegister() ? registerIsWide(o)
               : o.kind == OperandKind::Special ? isWideSpecial(o.special)
                                                : isWide(type);
    out.row = destination ? destinationRow(in, o, out.wide) : sourceRow(in, o, out.wide);
    out.bits = out.wide ? 64 : 32;
    if (o.isRegister())
        if (const int bytes = ptx::sizeBytes(m_function->registers[o.index].type); bytes > 0)
            out.bits = static_cast<std::uint8_t>(8 * bytes);
    return out;
}

void Decoder::decodePackUnpack(const Instruction& in, Op& op) {
    const bool pack = in.operands[1].kind == OperandKind::Vector;
    const Operand& vector = pack ? in.operands[1] : in.operands[0];
    const Operand& scalar = pack ? in.operands[0] : in.operands[1];
    const int parts = static_cast<int>(vector.elements.size());
    const int bytes = ptx::sizeBytes(in.type);
    if (parts < 2 || parts > 8 || bytes % parts != 0 || bytes > 8) {
        fail(in, "this split of a register is not executed");
        return;
    }
    op.kind = pack ? OpKind::Pack : OpKind::Unpack;
    MemoryOp memory;
    memory.count = static_cast<std::uint8_t>(parts);
    memory.elementBytes = static_cast<std::uint8_t>(bytes / parts);
    memory.rows = static_cast<std::uint32_t>(m_program->rowList.size());
    const Type partType = memory.elementBytes == 4 ? Type::B32 : memory.elementBytes == 2 ? Type::B16 : Type::B8;
    for (const Operand& e : vector.elements)
        m_program->rowList.push_back(slot(in, e, !pack, partType));
    m_program->rowList.push_back(slot(in, scalar, pack, in.type));
    op.target = static_cast<std::uint32_t>(m_program->memory.size());
    m_program->memory.push_back(memory);
}

void Decoder::decodeMove(const Instruction& in, Op& op) {
    const Operand& source = in.operands.at(1);
    if (source.kind == OperandKind::Vector || in.operands[0].kind == OperandKind::Vector) {
        decodePackUnpack(in, op);
        return;
    }
    if (source.kind == OperandKind::Variable) {
        bool frameRelative = false;
        const auto address = constantAddress(source, frameRelative);
        if (address && frameRelative) {
            op.kind = OpKind::LocalAddress;
            op.destination[0] = destinationRow(in, in.operands[0], isWide(in.type));
            op.source[0] = constantRow(*address, isWide(in.type));
            op.negatedSources = isWide(in.type) ? 1 : 0;
            return;
        }
    }
    decodeLane(in, op, OpKind::Lane);
}

void Decoder::decodeAddress(const Instruction& in, const Operand& address, MemoryOp& memory) {
    const Operand& base = address.kind == OperandKind::Address ? address.elements.at(0) : address;
    memory.offset = address.kind == OperandKind::Address ? address.offset : 0;
    if (base.isRegister()) {
        memory.base = registerRow(base.index);
        memory.base64 = registerIsWide(base);
        return;
    }
    bool frameRelative = false;
    const auto constant = constantAddress(base, frameRelative);
    if (!constant) {
        fail(in, "this address is not known");
        return;
    }
    memory.offset += static_cast<std::int64_t>(*constant);
    memory.frameRelative = frameRelative;
}

void Decoder::selectCombine(const Instruction& in, MemoryOp& memory) {
    const ptx::AtomicOp op = in.modifiers.atomicOp;
    if (op != ptx::AtomicOp::Add && op != ptx::AtomicOp::Min && op != ptx::AtomicOp::Max)
        return; // exch and cas move bits
    memory.combine = combineFunction(op, in.type);
    const bool flushes = in.type == Type::F32 && op == ptx::AtomicOp::Add;
    memory.combineFlush = combineFunction(op, in.type, flushes);
    if (memory.combine == nullptr || memory.combineFlush == nullptr)
        fail(in, "this atomic operation is not executed");
}

bool isAtomicOpcode(Opcode opcode) { return opcode == Opcode::Atom || opcode == Opcode::Red; }

/// ptxas combines 32-bit integer atomics of a warp with redux before they go to memory when it can prove that all lanes have one address.
/// Measured on an H200: add, min, max, and, or, xor; not inc, dec, exch, cas, nor any other type.
bool Decoder::isAggregated(const Instruction& in) const {
    using ptx::AtomicOp;
    const AtomicOp what = in.modifiers.atomicOp;
    if ((in.type != Type::U32 && in.type != Type::S32 && in.type != Type::B32) || in.modifiers.vector > 1)
        return false;
    if (what == AtomicOp::Inc || what == AtomicOp::Dec || what == AtomicOp::Exch || what == AtomicOp::Cas)
        return false;
    const Operand& address = in.operands.at(in.opcode == Opcode::Atom ? 1 : 0);
    return !address.elements.empty() && isUniform(address.elements[0]);
}

/// An add of 1 to shared memory whose result nobody reads has an instruction of its own, which adds the number of lanes that go to a word.
bool Decoder::countsLanes(const Instruction& in) const {
    if ((in.type != Type::U32 && in.type != Type::S32) || in.modifiers.atomicOp != ptx::AtomicOp::Add)
        return false;
    const bool returns = in.opcode == Opcode::Atom;
    if (returns && in.operands.at(0).isRegister() && m_registersRead.count(in.operands[0].index) != 0)
        return false;
    const Operand& value = in.operands.at(returns ? 2 : 1);
    return value.kind == OperandKind::Immediate ? value.bits == 1 : value.isRegister() && m_holdsOne[value.index];
}

bool Decoder::isUniform(const Operand& o) const {
    switch (o.kind) {
    case OperandKind::Immediate:
    case OperandKind::Variable:
    case OperandKind::Function:
        return true;
    case OperandKind::Register:
        return m_uniform[o.index];
    case OperandKind::Special:
        switch (o.special) {
        case ptx::Special::NtidX: case ptx::Special::NtidY: case ptx::Special::NtidZ:
        case ptx::Special::CtaidX: case ptx::Special::CtaidY: case ptx::Special::CtaidZ:
        case ptx::Special::NctaidX: case ptx::Special::NctaidY: case ptx::Special::NctaidZ:
            return true;
        default:
            return false;
        }
    default:
        return false;
    }
}

/// Registers that hold one value for the whole warp: written in one place, without a guard, from values of which that is true.
void Decoder::findUniformRegisters() {
    m_uniform.assign(m_function->registers.size(), false);
    m_holdsOne.assign(m_function->registers.size(), false);
    std::vector<int> writes(m_function->registers.size());
    const auto note = [&](const Operand& o, const auto& self) -> void {
        if (o.isRegister())
            ++writes[o.index];
        for (const Operand& e : o.elements)
            self(e, self);
    };
    for (const Instruction& in : m_function->instructions)
        if (!in.operands.empty() && in.operands[0].kind != OperandKind::Address)
            note(in.operands[0], note);
    for (const Instruction& in : m_function->instructions) { // definitions come before uses in what compilers emit
        using ptx::Family;
        const Family family = ptx::family(in.opcode);
        const bool parameter = in.opcode == Opcode::Ld && in.modifiers.space == Space::Param && m_function->isEntry;
        const bool plain = family == Family::Arithmetic || family == Family::Logic || family == Family::Convert || family == Family::Move ||
                           family == Family::Address;
        if (in.guard >= 0 || in.operands.size() < 2 || !in.operands[0].isRegister() || writes[in.operands[0].index] != 1)
            continue;
        const Operand& last = in.operands[1];
        m_holdsOne[in.operands[0].index] = in.opcode == Opcode::Mov && last.kind == OperandKind::Immediate && last.bits == 1;
        if (parameter)
            m_uniform[in.operands[0].index] = !last.elements.empty() && last.elements[0].kind == OperandKind::Variable &&
                                              last.elements[0].scope == ptx::VariableScope::FunctionParameter;
        else if (plain)
            m_uniform[in.operands[0].index] =
                std::all_of(in.operands.begin() + 1, in.operands.end(), [&](const Operand& o) { return isUniform(o); });
    }
}

/// ptxas turns an atom on a named space whose result nobody reads into a red; exch and cas have no such form. Measured on an H200: an atom
/// through a generic address stays one, and so does one in a kernel with a fence.
bool Decoder::becomesReduction(const Instruction& in) const {
    using ptx::AtomicOp;
    const AtomicOp what = in.modifiers.atomicOp;
    if (m_hasFence || in.opcode != Opcode::Atom || in.modifiers.space == Space::Generic || what == AtomicOp::Cas || what == AtomicOp::Exch)
        return false;
    const Operand& result = in.operands.at(0);
    const auto isRead = [&](const Operand& o) { return o.isRegister() && m_registersRead.count(o.index) != 0; };
    return !isRead(result) && std::none_of(result.elements.begin(), result.elements.end(), isRead);
}

void Decoder::findRegistersRead() {
    m_registersRead.clear();
    const std::function<void(const Operand&)> note = [&](const Operand& o) {
        if (o.isRegister())
            m_registersRead.insert(o.index);
        for (const Operand& e : o.elements)
            note(e);
    };
    m_hasFence = false;
    for (const Instruction& in : m_function->instructions) {
        m_hasFence = m_hasFence || ptx::family(in.opcode) == ptx::Family::Fence;
        if (in.guard >= 0)
            m_registersRead.insert(static_cast<std::uint32_t>(in.guard));
        using ptx::Family;
        const Family family = ptx::family(in.opcode);
        const bool writesFirst = in.opcode == Opcode::Atom || in.opcode == Opcode::Ld || family == Family::Arithmetic || family == Family::Logic ||
                                 family == Family::Move || family == Family::Convert || family == Family::Special;
        // What is written elsewhere counts as read, which errs on the side of atom.
        for (std::size_t i = writesFirst ? 1 : 0; i < in.operands.size(); ++i)
            note(in.operands[i]);
    }
}

void Decoder::decodeMemory(const Instruction& in, Op& op) {
    const ptx::Modifiers& m = in.modifiers;
    MemoryOp memory;
    memory.space = m.space;
    memory.type = in.type;
    memory.elementBytes = static_cast<std::uint8_t>(ptx::sizeBytes(in.type));
    memory.count = m.vector;
    memory.signExtend = ptx::isSigned(in.type);
    memory.ordering = m.ordering;
    memory.scope = m.scope;
    memory.counter = m_program->memoryOpCount;
    memory.isMerged = !in.mergedLines.empty();
    memory.unchecked = in.uncheckedElements;
    const bool isLoad = in.opcode == Opcode::Ld || in.opcode == Opcode::Ldu;
    const bool isAtomic = in.opcode == Opcode::Atom || in.opcode == Opcode::Red;
    op.kind = isLoad ? OpKind::Load : isAtomic ? OpKind::Atomic : OpKind::Store;
    if (memory.elementBytes == 0 || memory.elementBytes > 8 ||
        memory.elementBytes * memory.count > 32) {
        fail(in, "accesses of this width are not executed");
        return;
    }
    const bool hasResult = isLoad || in.opcode == Opcode::Atom;
    memory.returns = hasResult;
    op.countsAsReduction = in.opcode == Opcode::Red || becomesReduction(in);
    op.warpAggregated = isAtomicOpcode(in.opcode) && isAggregated(in);
    op.countsLanes = isAtomicOpcode(in.opcode) && countsLanes(in);
    const std::size_t addressAt = hasResult ? 1 : 0;
    if (in.operands.size() < 2) {
        fail(in, "operands are missing", "syntax");
        return;
    }
    decodeAddress(in, in.operands[addressAt], memory);
    const auto values = [&](const Operand& o, bool destination) {
        const std::uint32_t first = static_cast<std::uint32_t>(m_program->rowList.size());
        if (o.kind == OperandKind::Vector) {
            if (o.elements.size() != memory.count)
                fail(in, "the vector has another length than the instruction", "syntax");
            for (const Operand& e : o.elements)
                m_program->rowList.push_back(slot(in, e, destination, in.type));
        } else {
            m_program->rowList.push_back(slot(in, o, destination, in.type));
        }
        return first;
    };
    if (isAtomic) {
        // rows: destination elements (when it returns), then source elements.
        memory.atomic = m.atomicOp;
        if (ptx::isFloat(in.type))
            selectCombine(in, memory);
        const Operand& source = in.operands[addressAt + 1];
        if (hasResult)
            memory.rows = values(in.operands[0], true);
        const std::uint32_t sources = values(source, false);
        if (!hasResult)
            memory.rows = sources;
        if (memory.atomic == ptx::AtomicOp::Cas)
            memory.compare = sourceRow(in, in.operands.at(addressAt + 2), isWide(in.type));
    } else {
        memory.rows = values(in.operands[isLoad ? 0 : 1], isLoad);
    }
    if (memory.space == Space::Param) {
        const bool kernelParameter = m_function->isEntry && !memory.frameRelative;
        if (kernelParameter && isLoad) {
            op.kind = OpKind::LoadParam;
        } else if (memory.frameRelative || !m_function->isEntry) {
            memory.privateFrame = true;
        } else {
            fail(in, "a kernel's parameters cannot be written");
        }
    }
    ++m_program->memoryOpCount;
    op.visible = op.kind != OpKind::LoadParam && !memory.privateFrame && memory.space != Space::Local &&
                 memory.space != Space::Const;
    op.target = static_cast<std::uint32_t>(m_program->memory.size());
    m_program->memory.push_back(memory);
}

void Decoder::decodeConvertAddress(const Instruction& in, Op& op) {
    op.kind = in.opcode == Opcode::Isspacep ? OpKind::IsSpace
              : in.modifiers.to             ? OpKind::FromGeneric
                                            : OpKind::ToGeneric;
    const Operand& source = in.operands.at(1);
    const bool wide = in.opcode == Opcode::Isspacep ? registerIsWide(source) : isWide(in.type);
    op.target = static_cast<std::uint32_t>(in.modifiers.space);
    op.negatedSources = wide ? 1 : 0; // for these kinds: the rows are 64 bits wide
    op.destination[0] = destinationRow(in, in.operands.at(0), wide && op.kind != OpKind::IsSpace);
    if (source.kind == OperandKind::Variable) {
        bool frameRelative = false;
        const auto address = constantAddress(source, frameRelative);
        if (!address || (frameRelative && m_layout != 0)) {
            fail(in, "this address is not a constant here");
            return;
        }
        op.source[0] = constantRow(*address, wide);
        return;
    }
    op.source[0] = sourceRow(in, source, wide);
}

/// Of a cluster of one block: the block's own addresses have rank 0, those of others are outside its memory.
void Decoder::decodeClusterAddress(const Instruction& in, Op& op) {
    op.kind = in.opcode == Opcode::Mapa ? OpKind::MapRank : OpKind::RankOf;
    const bool wide = isWide(in.type);
    op.negatedSources = wide ? 1 : 0; // for these kinds: the address is 64 bits wide
    op.destination[0] = destinationRow(in, in.operands.at(0), op.kind == OpKind::MapRank && wide);
    const Operand& address = in.operands.at(1);
    if (address.kind == OperandKind::Variable) {
        bool frameRelative = false;
        const auto constant = constantAddress(address, frameRelative);
        if (!constant || frameRelative) {
            fail(in, "this address is not in shared memory");
            return;
        }
        op.source[0] = constantRow(*constant, wide);
    } else {
        op.source[0] = sourceRow(in, address, wide);
    }
    if (op.kind == OpKind::MapRank)
        op.source[1] = sourceRow(in, in.operands.at(2), false);
}

void Decoder::decodeFence(const Instruction& in, Op& op) {
    using ptx::ProxyFence;
    op.visible = true;
    switch (in.modifiers.proxy) {
    case ProxyFence::None:
        op.kind = OpKind::Fence;
        op.target = static_cast<std::uint32_t>(in.modifiers.scope == ptx::Scope::None ? ptx::Scope::Cta : in.modifiers.scope);
        return;
    case ProxyFence::Async:
    case ProxyFence::AsyncShared:
    case ProxyFence::AsyncGlobal:
    case ProxyFence::AsyncGeneric:
        op.kind = OpKind::ProxyFence;
        return;
    case ProxyFence::Alias:
    case ProxyFence::Tensormap:
    case ProxyFence::MbarrierInit: // other blocks of a cluster would need it
        op.kind = OpKind::Nop;
        op.visible = false;
        return;
    }
}

void Decoder::decodeBarrier(const Instruction& in, Op& op) {
    using ptx::BarrierMode;
    const BarrierMode mode = in.modifiers.barrier;
    op.visible = true;
    if (mode == BarrierMode::ClusterArrive || mode == BarrierMode::ClusterWait) {
        op.kind = mode == BarrierMode::ClusterArrive ? OpKind::ClusterArrive : OpKind::ClusterWait;
        op.negatedSources = in.modifiers.ordering == ptx::Ordering::Relaxed ? 1 : 0;
        return;
    }
    if (mode == BarrierMode::Warp) {
        op.kind = OpKind::WarpSync;
        op.source[0] = sourceRow(in, in.operands.at(0), false);
        return;
    }
    op.kind = OpKind::Barrier;
    op.target = static_cast<std::uint32_t>(mode);
    std::size_t at = 0;
    const bool reduces = mode == BarrierMode::RedAnd || mode == BarrierMode::RedOr || mode == BarrierMode::RedPopc;
    if (reduces)
        op.destination[0] = destinationRow(in, in.operands.at(at++), false);
    if (at >= in.operands.size()) {
        fail(in, "the barrier's number is missing", "syntax");
        return;
    }
    // Barrier ids and counts are 32 bits wide whatever the instruction's own type (.pred, .u32) is.
    op.source[0] = sourceRow(in, in.operands[at++], false);
    const std::size_t predicates = reduces ? 1 : 0;
    if (in.operands.size() > at + predicates)
        op.source[1] = sourceRow(in, in.operands[at++], false);
    if (reduces) {
        const Operand& p = in.operands.at(at);
        op.source[2] = p.kind == OperandKind::Immediate ? constantRow(p.bits != 0 ? kFullMask : 0, false)
                                                        : sourceRow(in, p, false);
        if (p.negated)
            op.negatedSources = 4;
    }
}

void Decoder::decodeAsync(const Instruction& in, Op& op) {
    using ptx::AsyncOp;
    const AsyncOp what = in.modifiers.async;
    if (what >= AsyncOp::MbarrierArrive) {
        decodeAsyncProxy(in, op);
        return;
    }
    if (what != AsyncOp::Copy) {
        op.kind = what == AsyncOp::CommitGroup ? OpKind::CommitCopies : what == AsyncOp::WaitAll ? OpKind::WaitForAllCopies : OpKind::WaitForCopies;
        op.visible = what != AsyncOp::CommitGroup;
        if (what == AsyncOp::WaitGroup) {
            if (in.operands.at(0).kind != OperandKind::Immediate) {
                fail(in, "the number of groups must be a constant", "syntax");
                return;
            }
            op.target = static_cast<std::uint32_t>(in.operands[0].bits);
        }
        return;
    }
    const Operand& size = in.operands.at(2);
    const bool bypass = in.modifiers.cache == ptx::CacheOp::Cg;
    if (size.kind != OperandKind::Immediate || (size.bits != 16 && (bypass || (size.bits != 4 && size.bits != 8)))) {
        fail(in, bypass ? "cp.async.cg copies 16 bytes a lane" : "cp.async.ca copies 4, 8 or 16 bytes a lane", "syntax");
        return;
    }
    CopyOp copy;
    copy.bytes = static_cast<std::uint8_t>(size.bits);
    copy.bypass = bypass;
    MemoryOp memory;
    memory.elementBytes = 4;
    memory.count = static_cast<std::uint8_t>(copy.bytes / 4);
    memory.counter = m_program->memoryOpCount++;
    for (const Space space : {Space::Shared, Space::Global}) {
        MemoryOp side = memory;
        side.space = space;
        decodeAddress(in, in.operands[space == Space::Shared ? 0 : 1], side);
        (space == Space::Shared ? copy.destination : copy.source) = static_cast<std::uint32_t>(m_program->memory.size());
        m_program->memory.push_back(side);
    }
    // The fourth operand is the number of bytes, a predicate, or the 64-bit cache policy.
    if (in.operands.size() > 3 && !registerIsWide(in.operands[3])) {
        const Operand& o = in.operands[3];
        const bool isPredicate = o.isRegister() && m_function->registers[o.index].type == Type::Pred;
        (isPredicate ? copy.ignore : copy.sourceBytes) = sourceRow(in, o, false);
        copy.ignoreNegated = isPredicate && o.negated;
    }
    op.kind = OpKind::CopyAsync;
    op.visible = true;
    op.target = static_cast<std::uint32_t>(m_program->copies.size());
    m_program->copies.push_back(copy);
}

/// mbarrier.*, bulk copies and their like (decode_async.cpp).
void Decoder::decodeAsyncProxy(const Instruction& in, Op& op) {
    AsyncDecoding decoding;
    decoding.source = [&](const Operand& o, bool wide) { return sourceRow(in, o, wide); };
    decoding.destination = [&](const Operand& o, bool wide) { return destinationRow(in, o, wide); };
    decoding.rows = [&](const Operand& o, Type type) {
        const auto first = static_cast<std::uint32_t>(m_program->rowList.size());
        if (o.kind == OperandKind::Vector)
            for (const Operand& e : o.elements)
                m_program->rowList.push_back(slot(in, e, false, type));
        else
            m_program->rowList.push_back(slot(in, o, false, type));
        return first;
    };
    decoding.address = [&](const Operand& address, Space space, std::uint32_t counter) {
        MemoryOp memory;
        memory.space = space;
        memory.type = in.type;
        memory.elementBytes = 8;
        memory.counter = counter;
        decodeAddress(in, address, memory);
        m_program->memory.push_back(memory);
        return static_cast<std::uint32_t>(m_program->memory.size() - 1);
    };
    decoding.fail = [&](std::string message, std::string code) { fail(in, std::move(message), std::move(code)); };
    decodeAsyncInstruction(in, op, *m_program, decoding);
}

void Decoder::decodeTensorInstruction(const Instruction& in, Op& op) {
    TensorDecoding decoding;
    decoding.rows = [&](const Operand& o, bool isDestination, Type type) {
        const auto first = static_cast<std::uint32_t>(m_program->rowList.size());
        if (o.kind == OperandKind::Vector)
            for (const Operand& e : o.elements)
                m_program->rowList.push_back(slot(in, e, isDestination, type));
        else
            m_program->rowList.push_back(slot(in, o, isDestination, type));
        return first;
    };
    decoding.address = [&](const Operand& address, Space space) {
        MemoryOp memory;
        memory.space = space;
        memory.type = in.type;
        memory.counter = m_program->memoryOpCount++;
        decodeAddress(in, address, memory);
        m_program->memory.push_back(memory);
        return static_cast<std::uint32_t>(m_program->memory.size() - 1);
    };
    decoding.counter = [&] { return m_program->memoryOpCount++; };
    decoding.fail = [&](std::string message) { fail(in, std::move(message)); };
    decodeTensor(in, op, *m_program, decoding);
}

void Decoder::decodeCall(const Instruction& in, Op& op) {
    // Results, callee, arguments (see ptx::Instruction::operands).
    CallOp call;
    const Operand* results = &in.operands.at(0);
    const Operand& target = in.operands.at(1);
    const Operand* arguments = &in.operands.at(2);
    op.kind = OpKind::Call;
    const auto frameOffset = [&](const Operand& o) -> std::optional<std::uint32_t> {
        bool frameRelative = false;
        const auto address = constantAddress(o, frameRelative);
        return address && frameRelative ? std::optional(static_cast<std::uint32_t>(*address)) : std::nullopt;
    };
    const ptx::Function* callee = nullptr;
    const FunctionLayout* layout = nullptr;
    if (target.kind == OperandKind::Function) {
        callee = &m_module.functions[target.index];
        if (callee->isDeclaration) {
            if (callee->name == "vprintf")
                call.builtin = CallOp::Builtin::Vprintf;
            else if (callee->name == "__assertfail")
                call.builtin = CallOp::Builtin::AssertFail;
            else
                fail(in, fmt::format("function {} has no body in this module", callee->name));
            if (call.builtin == CallOp::Builtin::Vprintf && !results->elements.empty())
                if (const auto to = frameOffset(results->elements[0]))
                    call.results.push_back({0, *to, 4});
            op.target = static_cast<std::uint32_t>(m_program->calls.size());
            m_program->calls.push_back(call);
            return;
        }
        call.function = static_cast<std::int32_t>(m_layoutOf.at(target.index));
        layout = &m_program->functions[static_cast<std::size_t>(call.function)];
    } else {
        call.target = sourceRow(in, target, true);
    }
    // Arguments of the old form, registers passed directly, are not what compilers emit.
    const auto copies = [&](const Operand* list, bool isResult) {
        for (std::size_t i = 0; i < list->elements.size(); ++i) {
            const Operand& o = list->elements[i];
            const auto caller = frameOffset(o);
            if (!caller) {
                fail(in, "arguments and results of calls must be .param variables");
                return;
            }
            const std::uint64_t size = o.scope == ptx::VariableScope::Function
                                           ? m_function->variables[o.index].sizeBytes
                                       : o.scope == ptx::VariableScope::FunctionParameter
                                           ? m_function->parameters[o.index].sizeBytes
                                           : m_function->returnParameters[o.index].sizeBytes;
            const auto bytes = static_cast<std::uint32_t>(size);
            // Through a pointer the offset is known only at run time: the position in the list stands in for it.
            std::uint32_t there = static_cast<std::uint32_t>(i);
            if (layout != nullptr) {
                const auto& offsets = isResult ? layout->resultOffsets : layout->parameterOffsets;
                if (i >= offsets.size()) {
                    fail(in, "more arguments than the function takes", "syntax");
                    return;
                }
                there = offsets[i];
            }
            (isResult ? call.results : call.arguments)
                .push_back(isResult ? CallOp::Copy{there, *caller, bytes} : CallOp::Copy{*caller, there, bytes});
        }
    };
    copies(arguments, false);
    copies(results, true);
    op.target = static_cast<std::uint32_t>(m_program->calls.size());
    m_program->calls.push_back(std::move(call));
}

void Decoder::decodeInstruction(const Instruction& in, Op& op, std::uint32_t pcBase) {
    using ptx::Family;
    op.cls = ptx::classify(in);
    op.flopsPerLane = static_cast<std::uint8_t>(ptx::floatingPointOperations(in));
    if (in.opcode == Opcode::Fma || (in.opcode == Opcode::Mad && ptx::isFloat(in.type)))
        op.fmaPerLane = static_cast<std::uint8_t>(op.flopsPerLane / 2);
    op.isFfma = op.fmaPerLane == 1 && in.type == Type::F32;
    if (in.guard >= 0) {
        op.guard = registerRow(static_cast<std::uint32_t>(in.guard));
        op.guardXor = in.guardNegated ? kFullMask : 0;
    }
    switch (ptx::family(in.opcode)) {
    case Family::Arithmetic:
    case Family::Special:
    case Family::Logic:
    case Family::Compare:
    case Family::Convert:
        decodeLane(in, op, OpKind::Lane);
        return;
    case Family::Move:
        decodeMove(in, op);
        return;
    case Family::Warp:
        decodeLane(in, op, in.modifiers.sync ? OpKind::WarpExchange : OpKind::Lane);
        return;
    case Family::Address:
        if (in.opcode == Opcode::Mapa || in.opcode == Opcode::Getctarank)
            decodeClusterAddress(in, op);
        else
            decodeConvertAddress(in, op);
        return;
    case Family::Memory:
    case Family::Atomic:
        if (in.modifiers.async != ptx::AsyncOp::None)
            decodeAsyncProxy(in, op);
        else
            decodeMemory(in, op);
        return;
    case Family::Barrier:
        decodeBarrier(in, op);
        return;
    case Family::Async:
        decodeAsync(in, op);
        return;
    case Family::Fence:
        decodeFence(in, op);
        return;
    case Family::Mbarrier:
        decodeAsyncProxy(in, op);
        return;
    case Family::Tensor:
        decodeTensorInstruction(in, op);
        return;
    case Family::Hint:
        op.kind = OpKind::Nop;
        return;
    case Family::Control:
        break;
    case Family::Unsupported:
        fail(in, "the simulator does not execute this instruction");
        return;
    }
    switch (in.opcode) {
    case Opcode::Bra:
        op.kind = OpKind::Branch;
        op.target = pcBase + in.operands.at(0).index;
        return;
    case Opcode::Brx: {
        op.kind = OpKind::BranchIndexed;
        op.source[0] = sourceRow(in, in.operands.at(0), false);
        std::vector<std::uint32_t> table;
        for (const std::uint32_t t : m_function->targetTables.at(in.operands.at(1).index).targets)
            table.push_back(pcBase + t);
        op.target = static_cast<std::uint32_t>(m_program->branchTables.size());
        m_program->branchTables.push_back(std::move(table));
        return;
    }
    case Opcode::Call:
        decodeCall(in, op);
        return;
    case Opcode::Ret:
        op.kind = m_function->isEntry ? OpKind::Exit : OpKind::Return;
        return;
    case Opcode::Exit:
        op.kind = OpKind::Exit;
        return;
    case Opcode::Trap:
        op.kind = OpKind::Trap;
        return;
    default:
        fail(in, "the simulator does not execute this instruction");
    }
}

void Decoder::decodeFunction(std::uint32_t layoutIndex) {
    m_layout = layoutIndex;
    FunctionLayout& layout = m_program->functions[layoutIndex];
    m_function = &m_module.functions[layout.moduleIndex];
    const std::uint32_t base = static_cast<std::uint32_t>(m_program->ops.size());
    layout.entryPc = base;
    findRegistersRead();
    findUniformRegisters();
    const ptx::ControlFlow flow = ptx::analyseControlFlow(*m_function);
    for (std::size_t i = 0; i < m_function->instructions.size(); ++i) {
        const Instruction& in = m_function->instructions[i];
        Op op;
        decodeInstruction(in, op, base);
        const std::uint32_t r = flow.reconvergence[i];
        op.reconvergence = r == ptx::ControlFlow::kNoReconvergence ? kNoReconvergence : base + r;
        m_program->ops.push_back(op);
        m_program->instructions.push_back(&in);
        m_program->functionOf.push_back(layoutIndex);
    }
    layout.endPc = static_cast<std::uint32_t>(m_program->ops.size());
}

/// The CUDA text is the file of the kernel's own first location, at its outermost inlining.
void Decoder::mapSourceLines() {
    const auto outermost = [](const Instruction& in) {
        return in.inlinedAt.empty() ? in.source : in.inlinedAt.back();
    };
    for (const Instruction& in : m_program->entry().instructions)
        if (outermost(in).known()) {
            m_program->cudaFile = outermost(in).file;
            break;
        }
    for (const Instruction* in : m_program->instructions) {
        std::uint32_t line = 0;
        if (in->source.known() && in->source.file == m_program->cudaFile)
            line = in->source.line;
        for (std::size_t i = 0; line == 0 && i < in->inlinedAt.size(); ++i)
            if (in->inlinedAt[i].known() && in->inlinedAt[i].file == m_program->cudaFile)
                line = in->inlinedAt[i].line;
        m_program->cudaLines.push_back(line);
    }
}

Result<std::shared_ptr<const Program>> Decoder::run(std::string_view entry) {
    const int index = m_module.findFunction(entry);
    if (index < 0 || !m_module.functions[static_cast<std::size_t>(index)].isEntry) {
        std::string names;
        for (const std::string& n : m_module.entries())
            names += (names.empty() ? "" : ", ") + n;
        return failure("entry", fmt::format("there is no kernel '{}'", entry), {m_module.path, 0, 0},
                       names.empty() ? "the file has no .entry at all" : "the kernels are: " + names);
    }
    m_program->entryFunction = static_cast<std::uint32_t>(index);
    const ptx::Function& f = m_program->entry();
    for (const ptx::Parameter& p : f.parameters)
        m_program->parameterBytes = std::max(m_program->parameterBytes, p.offset + p.sizeBytes);
    findAddressTaken();
    layOutFunctions();
    layOutVariables();
    layOutFrames();
    for (std::uint32_t l = 0; l < m_program->functions.size(); ++l)
        decodeFunction(l);
    if (!m_errors.empty())
        return failure(std::move(m_errors));
    m_program->warpBytes = static_cast<std::uint32_t>(alignUp(m_warpBytes, 64));
    mapSourceLines();
    trackFragmentRegisters(*m_program);
    return std::shared_ptr<const Program>(std::move(m_program));
}

} // namespace

Result<std::shared_ptr<const Program>> decode(std::shared_ptr<const ptx::Module> module,
                                              std::string_view entry) {
    return Decoder(std::move(module)).run(entry);
}

const MemoryOp* Program::memoryOf(const Op& op) const {
    switch (op.kind) {
    case OpKind::Load:
    case OpKind::Store:
    case OpKind::Atomic:
        return &memory[op.target];
    case OpKind::FragmentMove:
        return &memory[tensors[op.target].memory];
    default:
        return nullptr;
    }
}

void addProgramVariables(const Program& program, GlobalMemory& memory) {
    for (const ProgramVariable& p : program.variables) {
        const ptx::Variable& v = p.function < 0
                                     ? program.module->variables[p.moduleVariable]
                                     : program.module->functions[static_cast<std::size_t>(p.function)]
                                           .variables[p.moduleVariable];
        std::vector<std::uint8_t> bytes = v.initial;
        bytes.resize(v.sizeBytes);
        for (const ptx::Variable::Relocation& r : v.relocations) {
            std::uint64_t address = 0;
            for (const ProgramVariable& q : program.variables)
                if (q.function < 0 && program.module->variables[q.moduleVariable].name == r.symbol)
                    address = q.address + static_cast<std::uint64_t>(r.addend);
            for (std::size_t l = 0; l < program.functions.size(); ++l)
                if (program.module->functions[program.functions[l].moduleIndex].name == r.symbol)
                    address = kFunctionWindow + 16 * (l + 1);
            if (r.at + r.bytes <= bytes.size())
                std::memcpy(bytes.data() + r.at, &address, r.bytes);
        }
        memory.add(v.name, v.space == ptx::Space::Const ? AllocationKind::Const : AllocationKind::Global,
                   std::move(bytes));
    }
}

const SharedVariable* sharedVariableAt(const Program& program, std::uint64_t address, bool withEmpty) {
    const SharedVariable* best = nullptr;
    for (const SharedVariable& v : program.sharedVariables)
        if (v.offset <= address && (v.bytes != 0 || withEmpty) && (best == nullptr || v.offset >= best->offset))
            best = &v;
    return best;
}

} // namespace lanescope::sim
