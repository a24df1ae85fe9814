// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ptx/instruction_set.h"

#include <fmt/format.h>

#include "engine/ptx/instruction_forms.h"

namespace lanescope::ptx {

namespace {

/// Checks one operand against its form; empty: it fits.
std::string operandProblem(const Function& function, const Operand& operand,
                           const OperandForm& form, Type type, int vector);

std::string registerProblem(const Function& function, const Operand& operand,
                            const OperandForm& form, Type type) {
    if (operand.index >= function.registers.size())
        return "a register of the instruction is not declared";
    const Register& reg = function.registers[operand.index];
    if (!isCompatible(reg.type, type, form.widens))
        return fmt::format("register '{}' of type .{} does not fit a .{} operand", reg.name,
                           name(reg.type), name(type));
    return {};
}

std::string addressProblem(const Operand& operand, bool hasCoordinates) {
    const bool ok = operand.kind == OperandKind::Address && !operand.elements.empty() &&
                    (operand.elements.size() > 1) == hasCoordinates &&
                    (operand.elements[0].kind == OperandKind::Register ||
                     operand.elements[0].kind == OperandKind::Variable ||
                     operand.elements[0].kind == OperandKind::Immediate);
    return ok ? "" : "an address in brackets is expected";
}

std::string pairProblem(const Function& function, const Operand& operand, const OperandForm& form,
                        Type type) {
    OperandForm part;
    part.isDestination = part.maySink = true;
    if (operand.kind != OperandKind::PredicatePair)
        return form.pairOptional ? operandProblem(function, operand, part, type, 1)
                                 : "a pair d|p is expected";
    if (operand.elements.size() != 2)
        return "a pair has two parts";
    const std::string problem = operandProblem(function, operand.elements[0], part, type, 1);
    return problem.empty() ? operandProblem(function, operand.elements[1], part, Type::Pred, 1)
                           : problem;
}

std::string vectorProblem(const Function& function, const Operand& operand, const OperandForm& form,
                          Type type, int vector) {
    OperandForm part;
    part.isDestination = part.maySink = form.isDestination;
    part.widens = form.widens;
    Type partType = type;
    const auto count = static_cast<int>(operand.elements.size());
    if (form.role == OperandRole::MoveValue) {
        if ((count != 2 && count != 4) || sizeBytes(type) % count != 0)
            return "mov packs or unpacks vectors of 2 or 4 elements";
        const int bytes = sizeBytes(type) / count;
        partType = bytes == 1   ? Type::B8
                   : bytes == 2 ? Type::B16
                   : bytes == 4 ? Type::B32
                                : Type::B64;
        part.widens = bytes == 1;
    } else if (form.role != OperandRole::Elements || count != vector) {
        return "the operand is no vector, or has another number of elements";
    }
    for (const Operand& element : operand.elements)
        if (std::string problem = operandProblem(function, element, part, partType, 1);
            !problem.empty())
            return problem;
    return {};
}

std::string operandProblem(const Function& function, const Operand& operand,
                           const OperandForm& form, Type type, int vector) {
    if (form.role == OperandRole::Memory || form.role == OperandRole::TensorBox)
        return addressProblem(operand, form.role == OperandRole::TensorBox);
    if (form.role == OperandRole::RegistersOrDescriptor) {
        OperandForm part;
        if (operand.kind != OperandKind::Vector)
            return operandProblem(function, operand, part, type, 1);
        part.role = OperandRole::Elements;
        return operandProblem(function, operand, part, Type::B32, 4);
    }
    if (form.role == OperandRole::Pair)
        return pairProblem(function, operand, form, type);
    if (form.role == OperandRole::ValueOrPredicate && operand.isRegister() &&
        operand.index < function.registers.size() &&
        function.registers[operand.index].type == Type::Pred)
        return {};
    switch (operand.kind) {
    case OperandKind::Register:
        if (form.role == OperandRole::Elements && vector > 1)
            return "a vector is expected";
        return registerProblem(function, operand, form, type);
    case OperandKind::Sink:
        return form.maySink ? "" : "'_' is not allowed here";
    case OperandKind::Vector:
        return vectorProblem(function, operand, form, type, vector);
    case OperandKind::Immediate:
    case OperandKind::Special:
        return form.isDestination ? "the destination is not a register" : "";
    case OperandKind::Variable:
    case OperandKind::Function:
        return !form.isDestination &&
                       (form.role == OperandRole::MoveValue || form.role == OperandRole::AddressOf)
                   ? ""
                   : "an address is not allowed here";
    case OperandKind::None:
    case OperandKind::Address:
    case OperandKind::Label:
    case OperandKind::PredicatePair:
    case OperandKind::TargetTable:
    case OperandKind::Prototype:
        return "this operand is not allowed here";
    }
    return "this operand is not allowed here";
}

std::string controlProblem(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    if (instruction.opcode == Opcode::Bra)
        return operands.size() == 1 && operands[0].kind == OperandKind::Label ? ""
                                                                              : "bra takes a label";
    if (instruction.opcode == Opcode::Brx)
        return operands.size() == 2 && operands[1].kind == OperandKind::TargetTable
                   ? ""
                   : "brx.idx takes an index and a table";
    const bool ok =
        operands.size() >= 3 && operands[0].kind == OperandKind::Vector &&
        operands[2].kind == OperandKind::Vector &&
        (operands[1].kind == OperandKind::Function || operands[1].kind == OperandKind::Register);
    return ok ? "" : "call takes results, a function and arguments";
}

bool isOneOf(Type type, std::initializer_list<Type> types) {
    for (Type candidate : types)
        if (candidate == type)
            return true;
    return false;
}

InstructionClass memoryClass(const Instruction& instruction) {
    const bool isStore = instruction.opcode == Opcode::St;
    switch (instruction.modifiers.space) {
    case Space::Shared:
        return isStore ? InstructionClass::StoreShared : InstructionClass::LoadShared;
    case Space::Local:
        return isStore ? InstructionClass::StoreLocal : InstructionClass::LoadLocal;
    case Space::Const:
        return InstructionClass::LoadConst;
    case Space::Param:
        return isStore ? InstructionClass::Move : InstructionClass::LoadParam;
    case Space::Generic:
    case Space::Global:
        break;
    }
    return isStore ? InstructionClass::StoreGlobal : InstructionClass::LoadGlobal;
}

InstructionClass tensorClass(const Instruction& instruction) {
    const bool isGlobal = instruction.modifiers.space != Space::Shared;
    switch (instruction.opcode) {
    case Opcode::Ldmatrix:
        return InstructionClass::LoadShared;
    case Opcode::Stmatrix:
        return InstructionClass::StoreShared;
    case Opcode::Wmma:
        if (instruction.modifiers.wmma == WmmaOp::StoreD)
            return isGlobal ? InstructionClass::StoreGlobal : InstructionClass::StoreShared;
        if (instruction.modifiers.wmma != WmmaOp::Mma)
            return isGlobal ? InstructionClass::LoadGlobal : InstructionClass::LoadShared;
        return InstructionClass::Tensor;
    case Opcode::Movmatrix:
        return InstructionClass::Warp;
    case Opcode::Wgmma:
        switch (instruction.modifiers.wgmma) {
        case WgmmaOp::MmaAsync: return InstructionClass::Tensor;
        case WgmmaOp::Fence: return InstructionClass::Fence;
        default: return InstructionClass::Other;
        }
    default:
        return InstructionClass::Tensor;
    }
}

InstructionClass arithmeticClass(Type type) {
    if (type == Type::F64)
        return InstructionClass::Float64;
    if (isOneOf(type, {Type::F32, Type::F32x2}))
        return InstructionClass::Float32;
    if (isOneOf(type, {Type::F16, Type::F16x2, Type::BF16, Type::BF16x2}))
        return InstructionClass::Float16;
    return InstructionClass::Integer;
}

} // namespace

std::string_view name(InstructionClass c) {
    switch (c) {
    case InstructionClass::Integer:
        return "integer";
    case InstructionClass::Logic:
        return "logic";
    case InstructionClass::Compare:
        return "compare";
    case InstructionClass::Move:
        return "move";
    case InstructionClass::Convert:
        return "convert";
    case InstructionClass::Float16:
        return "float16";
    case InstructionClass::Float32:
        return "float32";
    case InstructionClass::Float64:
        return "float64";
    case InstructionClass::Special:
        return "special";
    case InstructionClass::LoadGlobal:
        return "load_global";
    case InstructionClass::StoreGlobal:
        return "store_global";
    case InstructionClass::LoadShared:
        return "load_shared";
    case InstructionClass::StoreShared:
        return "store_shared";
    case InstructionClass::LoadLocal:
        return "load_local";
    case InstructionClass::StoreLocal:
        return "store_local";
    case InstructionClass::LoadConst:
        return "load_const";
    case InstructionClass::LoadParam:
        return "load_param";
    case InstructionClass::AtomicGlobal:
        return "atomic_global";
    case InstructionClass::AtomicShared:
        return "atomic_shared";
    case InstructionClass::CopyAsync:
        return "copy_async";
    case InstructionClass::BulkCopy:
        return "bulk_copy";
    case InstructionClass::Tensor:
        return "tensor";
    case InstructionClass::Warp:
        return "warp";
    case InstructionClass::Barrier:
        return "barrier";
    case InstructionClass::Fence:
        return "fence";
    case InstructionClass::Branch:
        return "branch";
    case InstructionClass::Other:
        return "other";
    }
    return "other";
}

InstructionClass classify(const Instruction& instruction) {
    switch (family(instruction.opcode)) {
    case Family::Arithmetic:
        return arithmeticClass(instruction.type);
    case Family::Special:
        return instruction.type == Type::F64 ? InstructionClass::Float64
                                             : InstructionClass::Special;
    case Family::Logic:
        return InstructionClass::Logic;
    case Family::Compare:
        return InstructionClass::Compare;
    case Family::Move:
        return InstructionClass::Move;
    case Family::Convert:
        return InstructionClass::Convert;
    case Family::Address:
        return InstructionClass::Move;
    case Family::Memory:
        return instruction.modifiers.async != AsyncOp::None ? InstructionClass::BulkCopy : memoryClass(instruction);
    case Family::Atomic:
        if (instruction.modifiers.async != AsyncOp::None)
            return InstructionClass::BulkCopy;
        return instruction.modifiers.space == Space::Shared ? InstructionClass::AtomicShared
                                                            : InstructionClass::AtomicGlobal;
    case Family::Warp:
        return InstructionClass::Warp;
    case Family::Barrier:
        return InstructionClass::Barrier;
    case Family::Fence:
        return InstructionClass::Fence;
    case Family::Async:
        switch (instruction.modifiers.async) {
        case AsyncOp::Copy:
            return InstructionClass::CopyAsync;
        case AsyncOp::Bulk:
        case AsyncOp::BulkReduce:
        case AsyncOp::BulkTensor:
        case AsyncOp::BulkTensorReduce:
            return InstructionClass::BulkCopy;
        default:
            return InstructionClass::Other;
        }
    case Family::Mbarrier:
        return InstructionClass::Barrier;
    case Family::Tensor:
        return tensorClass(instruction);
    case Family::Control:
        return InstructionClass::Branch;
    case Family::Hint:
    case Family::Unsupported:
        return InstructionClass::Other;
    }
    return InstructionClass::Other;
}

bool writesFirstOperand(const Instruction& in) {
    switch (family(in.opcode)) {
    case Family::Barrier:
        return in.modifiers.barrier == BarrierMode::RedAnd ||
               in.modifiers.barrier == BarrierMode::RedOr ||
               in.modifiers.barrier == BarrierMode::RedPopc;
    case Family::Mbarrier:
        return in.modifiers.mbarrier != MbarrierOp::Init && in.modifiers.mbarrier != MbarrierOp::Inval &&
               in.modifiers.mbarrier != MbarrierOp::ExpectTx && in.modifiers.mbarrier != MbarrierOp::CompleteTx;
    case Family::Fence:
    case Family::Async:
    case Family::Control:
    case Family::Hint:
    case Family::Unsupported:
        return false;
    default:
        return in.opcode != Opcode::St && in.opcode != Opcode::Red && in.opcode != Opcode::Stmatrix &&
               in.modifiers.wmma != WmmaOp::StoreD &&
               (in.opcode != Opcode::Wgmma || in.modifiers.wgmma == WgmmaOp::MmaAsync);
    }
}

int floatingPointOperations(const Instruction& instruction) {
    const Type type = instruction.type;
    if (!isOneOf(type, {Type::F16, Type::F16x2, Type::BF16, Type::BF16x2, Type::F32, Type::F32x2,
                        Type::F64}))
        return 0;
    const int values = isOneOf(type, {Type::F16x2, Type::BF16x2, Type::F32x2}) ? 2 : 1;
    switch (instruction.opcode) {
    case Opcode::Fma:
    case Opcode::Mad:
        return 2 * values;
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
        return values;
    default:
        return 0;
    }
}

Result<void> verify(const Function& function, const Instruction& instruction,
                    std::string_view text) {
    const SourceRange where{{}, instruction.ptxLine, 0};
    if (family(instruction.opcode) == Family::Unsupported)
        return failure("unsupported",
                       fmt::format("'{}' is not simulated: {}", mnemonic(instruction.opcode), text),
                       where);
    const Form* form = findForm(instruction);
    if (form == nullptr)
        return failure(
            "syntax",
            fmt::format("'{}' does not take these modifiers, types and operands together: {}",
                        mnemonic(instruction.opcode), text),
            where);
    if (!form->executed)
        return failure("unsupported",
                       fmt::format("this form of '{}' is not simulated: {}",
                                   mnemonic(instruction.opcode), text),
                       where);
    std::string problem;
    if (instruction.opcode == Opcode::Bra || instruction.opcode == Opcode::Brx ||
        instruction.opcode == Opcode::Call)
        problem = controlProblem(instruction);
    const Type types[kTypeSlots] = {instruction.type, instruction.type2, instruction.type3, instruction.type4};
    std::size_t operand = 0;
    for (std::size_t i = 0;
         i < form->operands.size() && operand < instruction.operands.size() && problem.empty();
         ++i) {
        if (form->operands[i].role == OperandRole::Constant)
            continue;
        problem =
            operandProblem(function, instruction.operands[operand++], form->operands[i],
                           operandType(form->operands[i], types),
                           elementCount(form->operands[i], instruction.modifiers));
    }
    if (!problem.empty())
        return failure("syntax", fmt::format("{}: {}", problem, text), where);
    return {};
}

} // namespace lanescope::ptx
