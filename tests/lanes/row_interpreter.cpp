// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lanes/row_interpreter.h"

#include <stdexcept>

namespace lanescope::test {
namespace {

using ptx::Family;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

constexpr std::uint64_t kArrayBase = std::uint64_t{1} << 40;

bool isLaneFamily(Family family) {
    return family == Family::Arithmetic || family == Family::Special || family == Family::Logic ||
           family == Family::Compare || family == Family::Move || family == Family::Convert ||
           family == Family::Warp;
}

/// Bytes of an immediate source operand.
int immediateBytes(const Instruction& instruction, int index) {
    switch (instruction.opcode) {
    case Opcode::Shl:
    case Opcode::Shr:
        return index == 1 ? 4 : ptx::sizeBytes(instruction.type);
    case Opcode::Bfe:
        return index >= 1 ? 4 : ptx::sizeBytes(instruction.type);
    case Opcode::Bfi:
        return index >= 2 ? 4 : ptx::sizeBytes(instruction.type);
    case Opcode::Match:
        return index == 1 ? 4 : ptx::sizeBytes(instruction.type);
    case Opcode::Set:
    case Opcode::Cvt:
        return ptx::sizeBytes(instruction.type2);
    default:
        return ptx::sizeBytes(instruction.type);
    }
}

} // namespace

ptx::Module parseModule(const std::string& text) {
    auto module = ptx::parse(text);
    if (!module)
        throw std::runtime_error(toString(module.error()));
    return std::move(*module);
}

RowInterpreter::RowInterpreter(const ptx::Function& function)
    : m_function(function), m_rows(function.registers.size()) {
    for (const Instruction& instruction : function.instructions) {
        Step step{&instruction, nullptr};
        if (isLaneFamily(ptx::family(instruction.opcode))) {
            auto selected = sim::selectLaneFunction(instruction, &function);
            if (!selected)
                throw std::runtime_error(toString(selected.error()));
            step.execute = *selected;
        }
        m_steps.push_back(step);
    }
}

bool RowInterpreter::isWide(std::uint32_t registerIndex) const {
    return ptx::sizeBytes(m_function.registers[registerIndex].type) == 8;
}

void* RowInterpreter::destination(const Operand& operand) {
    if (operand.kind != OperandKind::Register)
        return nullptr;
    Row& row = m_rows[operand.index];
    if (m_function.registers[operand.index].type == Type::Pred)
        return &row.predicate;
    return isWide(operand.index) ? static_cast<void*>(row.doubles.data()) : row.words.data();
}

const void* RowInterpreter::source(const Instruction& instruction, const Operand& operand,
                                   int index) {
    if (operand.kind == OperandKind::Register) {
        if (!operand.negated)
            return destination(operand);
        Row& constant = m_constants[static_cast<std::size_t>(m_constantCount++)];
        constant.predicate = ~m_rows[operand.index].predicate;
        return &constant.predicate;
    }
    Row& constant = m_constants[static_cast<std::size_t>(m_constantCount++)];
    std::uint64_t bits = operand.bits;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        if (operand.kind == OperandKind::Special) {
            const std::uint32_t thread = m_first + lane;
            bits = operand.special == ptx::Special::TidX     ? thread % 128
                   : operand.special == ptx::Special::CtaidX ? thread / 128
                                                             : 128;
        }
        constant.words[lane] = static_cast<std::uint32_t>(bits);
        constant.doubles[lane] = bits;
    }
    return immediateBytes(instruction, index) == 8
               ? static_cast<const void*>(constant.doubles.data())
               : constant.words.data();
}

void RowInterpreter::execute(const Step& step, LaneMask active) {
    const Instruction& instruction = *step.instruction;
    sim::LaneArguments arguments;
    arguments.carry = &m_carry;
    m_constantCount = 0;
    const Operand& first = instruction.operands.at(0);
    if (first.kind == OperandKind::PredicatePair) {
        arguments.destination[0] = destination(first.elements[0]);
        arguments.destination[1] = destination(first.elements[1]);
    } else {
        arguments.destination[0] = destination(first);
    }
    for (std::size_t i = 1; i < instruction.operands.size(); ++i)
        arguments.source[i - 1] =
            source(instruction, instruction.operands[i], static_cast<int>(i - 1));
    step.execute(arguments, active);
}

void RowInterpreter::memory(const Instruction& instruction, Arrays& arrays, LaneMask active) {
    const bool load = instruction.opcode == Opcode::Ld;
    const Operand& value = instruction.operands[load ? 0 : 1];
    const Operand& address = instruction.operands[load ? 1 : 0];
    Row& row = m_rows[value.index];
    if (instruction.modifiers.space == ptx::Space::Param) {
        const std::uint32_t parameter = address.elements.at(0).index;
        const std::uint64_t bits =
            parameter < 4 ? kArrayBase * (parameter + 1) : arrays[0].size(); // a, b, c, d, n
        row.words.fill(static_cast<std::uint32_t>(bits));
        row.doubles.fill(bits);
        return;
    }
    const int bytes = ptx::sizeBytes(instruction.type);
    const std::uint64_t mask = bytes == 8 ? ~0ull : (1ull << (8 * bytes)) - 1;
    const Row& base = m_rows[address.elements.at(0).index];
    forEachLane(active, [&](int lane) {
        const auto at = static_cast<std::size_t>(lane);
        const std::uint64_t pointer = base.doubles[at];
        auto& array = arrays.at(static_cast<std::size_t>(pointer / kArrayBase - 1));
        std::uint64_t& slot = array.at(static_cast<std::size_t>(pointer % kArrayBase / 8));
        if (load) {
            row.words[at] = static_cast<std::uint32_t>(slot & mask);
            row.doubles[at] = slot & mask;
        } else {
            slot = (isWide(value.index) ? row.doubles[at] : row.words[at]) & mask;
        }
    });
}

void RowInterpreter::run(Arrays& arrays, std::uint32_t first) {
    m_first = first;
    for (const Step& step : m_steps) {
        const Instruction& instruction = *step.instruction;
        LaneMask active = kFullMask;
        if (instruction.guard >= 0) {
            const LaneMask guard = m_rows[static_cast<std::size_t>(instruction.guard)].predicate;
            active = instruction.guardNegated ? ~guard : guard;
        }
        if (step.execute != nullptr)
            execute(step, active);
        else if (instruction.opcode == Opcode::Ld || instruction.opcode == Opcode::St)
            memory(instruction, arrays, active);
        else if (instruction.opcode == Opcode::Bra && active != 0)
            throw std::runtime_error("a branch is taken");
        else if (instruction.opcode != Opcode::Bra && instruction.opcode != Opcode::Ret)
            throw std::runtime_error("an instruction that no lane executor runs");
    }
}

} // namespace lanescope::test
