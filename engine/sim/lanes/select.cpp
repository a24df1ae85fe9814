// SPDX-License-Identifier: GPL-3.0-or-later
// One table: opcode to the selector of its executors.
#include "engine/sim/lanes/select.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace lanescope::sim {
namespace lanes {

using ptx::Instruction;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;

namespace {

bool isHalf(Type type) {
    return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 || type == Type::BF16x2;
}

int naturalBytes(Type type) {
    return type == Type::None ? 0 : std::max(2, ptx::sizeBytes(type));
}

int registerBytes(const Instruction& instruction, std::size_t operand, Type type,
                  const ptx::Function* function) {
    const int natural = naturalBytes(type);
    if (function == nullptr || operand >= instruction.operands.size())
        return natural;
    const ptx::Operand& o = instruction.operands[operand];
    if (o.kind != OperandKind::Register || o.index >= function->registers.size())
        return natural;
    return std::max(natural, ptx::sizeBytes(function->registers[o.index].type));
}

/// Whether a result written at the type's natural width is right in a register of `bytes` too.
bool fitsRegister(Type type, int bytes) {
    const int natural = naturalBytes(type);
    if (bytes == natural)
        return true;
    return bytes == 4 && (type == Type::U8 || type == Type::U16); // zero-extended either way
}

LaneFunction select(const Instruction& instruction, const ptx::Function* function) {
    switch (instruction.opcode) {
    case Opcode::Abs:
    case Opcode::Neg:
        return selectNegAbs(instruction);
    case Opcode::Add:
    case Opcode::Sub:
        return selectAdd(instruction);
    case Opcode::Addc:
    case Opcode::Subc:
    case Opcode::Madc:
        return selectCarry(instruction);
    case Opcode::Mul:
        return selectMul(instruction);
    case Opcode::Mul24:
    case Opcode::Mad24:
        return selectMul24(instruction);
    case Opcode::Mad:
    case Opcode::Fma:
        return selectMad(instruction);
    case Opcode::Div:
        return selectDiv(instruction);
    case Opcode::Rem:
        return selectRem(instruction);
    case Opcode::Sad:
        return selectSad(instruction);
    case Opcode::Min:
    case Opcode::Max:
        return selectMinMax(instruction);
    case Opcode::Dp4a:
    case Opcode::Dp2a:
        return selectDotProduct(instruction);
    case Opcode::Rcp:
    case Opcode::Sqrt:
    case Opcode::Rsqrt:
    case Opcode::Sin:
    case Opcode::Cos:
    case Opcode::Lg2:
    case Opcode::Ex2:
    case Opcode::Tanh:
        return selectSpecial(instruction);
    case Opcode::Copysign:
        return selectCopysign(instruction);
    case Opcode::Testp:
        return selectTestp(instruction);
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
    case Opcode::Cnot:
        return selectBitwise(instruction);
    case Opcode::Lop3:
        return selectLop3(instruction);
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Shf:
        return selectShift(instruction);
    case Opcode::Popc:
    case Opcode::Clz:
    case Opcode::Bfind:
    case Opcode::Fns:
    case Opcode::Brev:
    case Opcode::Bfe:
    case Opcode::Bfi:
    case Opcode::Bmsk:
    case Opcode::Szext:
        return selectBits(instruction);
    case Opcode::Prmt:
        return selectPrmt(instruction);
    case Opcode::Set:
        return selectSet(instruction);
    case Opcode::Setp:
        return selectSetp(instruction);
    case Opcode::Selp:
        return selectSelp(instruction);
    case Opcode::Slct:
        return selectSlct(instruction);
    case Opcode::Mov:
        return selectMov(instruction);
    case Opcode::Cvt:
        return selectCvt(instruction, {registerBytes(instruction, 0, instruction.type, function),
                                       registerBytes(instruction, 1, instruction.type2, function)});
    case Opcode::Shfl:
    case Opcode::Vote:
    case Opcode::Activemask:
    case Opcode::Match:
    case Opcode::Redux:
    case Opcode::Elect:
        return selectWarp(instruction);
    default:
        return nullptr;
    }
}

} // namespace

LaneFunction selectFloating(const Instruction& instruction) {
    if (isHalf(instruction.type))
        return selectHalf(instruction);
    if (instruction.type == Type::F32)
        return selectFloat32(instruction);
    return instruction.type == Type::F64 ? selectFloat64(instruction) : nullptr;
}

LaneFunction selectCvt(const Instruction& instruction, RegisterBytes bytes) {
    const bool toFloat = ptx::isFloat(instruction.type);
    const bool fromFloat = ptx::isFloat(instruction.type2);
    if (!toFloat && !fromFloat)
        return selectConvertInteger(instruction, bytes);
    if (!fitsRegister(instruction.type, bytes.destination) ||
        (bytes.source == 8) != (ptx::sizeBytes(instruction.type2) == 8))
        return nullptr;
    if (!toFloat)
        return selectConvertToInteger(instruction);
    if (!fromFloat)
        return selectConvertFromInteger(instruction);
    switch (instruction.type) {
    case Type::F16:
    case Type::BF16:
    case Type::F32:
    case Type::F64:
        return selectConvertFloat(instruction);
    default:
        return selectConvertPacked(instruction);
    }
}

} // namespace lanes

Result<LaneFunction> selectLaneFunction(const ptx::Instruction& instruction,
                                        const ptx::Function* function) {
    if (const LaneFunction executor = lanes::select(instruction, function))
        return executor;
    std::string types;
    for (const ptx::Type type : {instruction.type, instruction.type2, instruction.type3})
        if (type != ptx::Type::None)
            types += fmt::format(".{}", ptx::name(type));
    return failure("unsupported",
                   fmt::format("{}{} has no executor with these modifiers",
                               ptx::mnemonic(instruction.opcode), types),
                   SourceRange{{}, instruction.ptxLine, 0},
                   "See the list of instructions in the documentation for the forms that run");
}

} // namespace lanescope::sim
