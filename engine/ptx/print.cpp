// SPDX-License-Identifier: GPL-3.0-or-later
// A module as PTX text. Nested scopes are gone by then (names are unique in a function), labels are
// named after their instruction.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/ptx/instruction_forms.h"
#include "engine/ptx/ir.h"
#include "engine/ptx/listing.h"

namespace lanescope::ptx {

namespace {

std::string labelName(std::uint32_t instruction) {
    return fmt::format("$LS_{}", instruction);
}

std::string immediateText(const Operand& operand, Type type) {
    if (type == Type::F32)
        return fmt::format("0f{:08X}", static_cast<std::uint32_t>(operand.bits));
    if (type == Type::F64)
        return fmt::format("0d{:016X}", operand.bits);
    return fmt::format("{}{}", operand.bits, operand.bits >> 63 != 0 ? "U" : "");
}

const std::string& variableName(const Module& module, const Function& function,
                                const Operand& operand) {
    switch (operand.scope) {
    case VariableScope::Module:
        return module.variables[operand.index].name;
    case VariableScope::Function:
        return function.variables[operand.index].name;
    case VariableScope::FunctionParameter:
        return function.parameters[operand.index].name;
    case VariableScope::FunctionResult:
        break;
    }
    return function.returnParameters[operand.index].name;
}

std::string offsetText(std::int64_t offset) {
    return offset == 0 ? std::string()
                       : fmt::format("+{}", offset); // "+-8" is how PTX writes a negative one
}

Type elementTypeOf(const Operand& vector, const OperandForm* form, Type type) {
    if (form == nullptr || form->role != OperandRole::MoveValue || vector.elements.empty())
        return type;
    return Type::B64; // parts of a packed value print as integers
}

class OperandPrinter {
public:
    OperandPrinter(const Module& module, const Function& function)
        : m_module(module), m_function(function) {}

    std::string text(const Operand& operand, const OperandForm* form, Type type) const {
        const std::string sign = operand.negated ? "!" : "";
        switch (operand.kind) {
        case OperandKind::None:
            return {};
        case OperandKind::Register:
            return sign + m_function.registers[operand.index].name;
        case OperandKind::Special:
            if (operand.special == Special::Pm0 || operand.special == Special::EnvReg)
                return sign + fmt::format("{}{}", name(operand.special), operand.index);
            return sign + std::string(name(operand.special));
        case OperandKind::Immediate:
            return immediateText(operand, type);
        case OperandKind::Sink:
            return "_";
        case OperandKind::Vector:
            return fmt::format("{{{}}}", list(operand, form, elementTypeOf(operand, form, type)));
        case OperandKind::Address:
            return fmt::format("[{}{}{}]", text(operand.elements[0], nullptr, Type::B64),
                               offsetText(operand.offset), coordinates(operand));
        case OperandKind::Variable:
            return variableName(m_module, m_function, operand) + offsetText(operand.offset);
        case OperandKind::Label:
            return labelName(operand.index);
        case OperandKind::Function:
            return m_module.functions[operand.index].name + offsetText(operand.offset);
        case OperandKind::PredicatePair:
            return text(operand.elements[0], nullptr, type) + "|" +
                   text(operand.elements[1], nullptr, Type::Pred);
        case OperandKind::TargetTable:
            return m_function.targetTables[operand.index].name;
        case OperandKind::Prototype:
            return m_function.prototypes[operand.index].name;
        }
        return {};
    }

    std::string coordinates(const Operand& address) const {
        std::string result;
        for (std::size_t i = 1; i < address.elements.size(); ++i)
            result += (i == 1 ? ", {" : ", ") + text(address.elements[i], nullptr, Type::S32);
        return result.empty() ? result : result + "}";
    }

    std::string list(const Operand& vector, const OperandForm* form, Type type) const {
        std::string result;
        for (const Operand& element : vector.elements)
            result += (result.empty() ? "" : ", ") + text(element, form, type);
        return result;
    }

    std::string call(const Instruction& instruction) const {
        const auto& operands = instruction.operands;
        std::string result = " ";
        if (!operands[0].elements.empty())
            result += fmt::format("({}), ", list(operands[0], nullptr, Type::B64));
        result += text(operands[1], nullptr, Type::B64);
        if (!operands[2].elements.empty())
            result += fmt::format(", ({})", list(operands[2], nullptr, Type::B64));
        if (operands.size() > 3)
            result += ", " + text(operands[3], nullptr, Type::B64);
        return result;
    }

private:
    const Module& m_module;
    const Function& m_function;
};

std::string parameterText(const Parameter& parameter) {
    const std::string_view space = parameter.registerIndex >= 0 ? ".reg" : ".param";
    std::string text = fmt::format("{} ", space);
    if (parameter.registerIndex < 0 &&
        static_cast<int>(parameter.alignment) != std::max(sizeBytes(parameter.type), 1))
        text += fmt::format(".align {} ", parameter.alignment);
    text += fmt::format(".{} ", name(parameter.type));
    if (parameter.isPointer && parameter.pointerSpace != Space::Generic)
        text += fmt::format(".ptr .{} ", name(parameter.pointerSpace));
    else if (parameter.isPointer)
        text += ".ptr ";
    text += parameter.name;
    if (parameter.isArray && parameter.sizeBytes == 0)
        text += "[]";
    else if (parameter.isArray)
        text += fmt::format("[{}]", parameter.sizeBytes /
                                        static_cast<std::uint64_t>(sizeBytes(parameter.type)));
    return text;
}

std::string parametersText(const std::vector<Parameter>& parameters) {
    std::string text = "(";
    for (const Parameter& parameter : parameters)
        text += (text.size() > 1 ? ", " : "") + parameterText(parameter);
    return text + ")";
}

std::string elementText(const Variable& variable, std::uint64_t at) {
    for (const Variable::Relocation& relocation : variable.relocations)
        if (relocation.at == at)
            return fmt::format("{}{}{}{}", relocation.generic ? "generic(" : "", relocation.symbol,
                               relocation.generic ? ")" : "", offsetText(relocation.addend));
    std::uint64_t bits = 0;
    const auto bytes = static_cast<std::uint64_t>(sizeBytes(variable.type));
    for (std::uint64_t i = 0; i < bytes && i < 8 && at + i < variable.initial.size(); ++i)
        bits |= std::uint64_t{variable.initial[at + i]} << (8 * i);
    Operand value;
    value.bits = bits;
    return immediateText(value, variable.type);
}

std::string variableText(const Variable& variable) {
    std::string text =
        fmt::format("{}.{} .align {} .{} {}", variable.isExtern ? ".extern " : "",
                    name(variable.space), variable.alignment, name(variable.type), variable.name);
    const auto bytes = static_cast<std::uint64_t>(sizeBytes(variable.type));
    if (variable.isArray && variable.sizeBytes == 0)
        text += "[]";
    else if (variable.isArray)
        text += fmt::format("[{}]", variable.sizeBytes / bytes);
    if (variable.initial.empty())
        return text + ";\n";
    if (!variable.isArray)
        return text + " = " + elementText(variable, 0) + ";\n";
    text += " = {";
    for (std::uint64_t at = 0; at < variable.initial.size(); at += bytes)
        text += (at > 0 ? ", " : "") + elementText(variable, at);
    return text + "};\n";
}

std::string extentsText(std::string_view directive, const std::optional<std::uint32_t>& x,
                        const std::optional<std::uint32_t>& y,
                        const std::optional<std::uint32_t>& z) {
    if (!x)
        return {};
    std::string text = fmt::format(".{} {}", directive, *x);
    if (y)
        text += fmt::format(", {}", *y);
    if (y && z)
        text += fmt::format(", {}", *z);
    return text + "\n";
}

std::string boundsText(const LaunchBounds& bounds) {
    std::string text =
        extentsText("maxntid", bounds.maxThreadsX, bounds.maxThreadsY, bounds.maxThreadsZ) +
        extentsText("reqntid", bounds.requiredX, bounds.requiredY, bounds.requiredZ) +
        extentsText("reqnctapercluster", bounds.clusterX, bounds.clusterY, bounds.clusterZ) +
        extentsText("minnctapersm", bounds.minBlocksPerSm, {}, {}) +
        extentsText("maxnreg", bounds.maxRegisters, {}, {});
    return text;
}

std::string locText(const Instruction& instruction) {
    const SourceLocation& at = instruction.source;
    if (at.file < 0)
        return {};
    std::string text = fmt::format("    .loc {} {} {}", at.file, at.line, at.column);
    if (!instruction.inlinedAt.empty())
        text += fmt::format(", function_name $L_name, inlined_at {} {} {}",
                            instruction.inlinedAt[0].file, instruction.inlinedAt[0].line,
                            instruction.inlinedAt[0].column);
    return text + "\n";
}

/// .loc lines that make the chain of an inlined instruction known, outermost first.
std::string chainText(const Instruction& instruction) {
    std::string text;
    for (std::size_t i = instruction.inlinedAt.size(); i-- > 0;) {
        Instruction call;
        call.source = instruction.inlinedAt[i];
        call.inlinedAt.assign(instruction.inlinedAt.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                              instruction.inlinedAt.end());
        text += locText(call);
    }
    return text + locText(instruction);
}

std::set<std::uint32_t> findLabels(const Function& function) {
    std::set<std::uint32_t> labels;
    for (const Instruction& instruction : function.instructions)
        for (const Operand& operand : instruction.operands)
            if (operand.kind == OperandKind::Label)
                labels.insert(operand.index);
    for (const Function::TargetTable& table : function.targetTables)
        if (!table.isCall)
            labels.insert(table.targets.begin(), table.targets.end());
    return labels;
}

std::string declarationsText(const Module& module, const Function& function) {
    std::string text;
    std::set<std::uint32_t> parameterRegisters;
    for (const auto* list : {&function.parameters, &function.returnParameters})
        for (const Parameter& parameter : *list)
            if (parameter.registerIndex >= 0)
                parameterRegisters.insert(static_cast<std::uint32_t>(parameter.registerIndex));
    for (std::uint32_t i = 0; i < function.registers.size(); ++i)
        if (!parameterRegisters.contains(i))
            text += fmt::format("    .reg .{} {};\n", name(function.registers[i].type),
                                function.registers[i].name);
    for (const Variable& variable : function.variables)
        text += "    " + variableText(variable);
    for (const Function::TargetTable& table : function.targetTables) {
        text += fmt::format("{}: .{} ", table.name, table.isCall ? "calltargets" : "branchtargets");
        for (std::size_t i = 0; i < table.targets.size(); ++i)
            text += (i > 0 ? ", " : "") + (table.isCall ? module.functions[table.targets[i]].name
                                                        : labelName(table.targets[i]));
        text += ";\n";
    }
    for (const Function::Prototype& prototype : function.prototypes) {
        text += fmt::format("{}: .callprototype ", prototype.name);
        if (!prototype.returnParameters.empty())
            text += parametersText(prototype.returnParameters) + " ";
        text += "_ " + parametersText(prototype.parameters) + ";\n";
    }
    return text;
}

std::string bodyText(const Module& module, const Function& function) {
    std::string text = "{\n" + declarationsText(module, function);
    const std::set<std::uint32_t> labels = findLabels(function);
    const Instruction* previous = nullptr;
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
        const Instruction& instruction = function.instructions[i];
        if (labels.contains(i))
            text += labelName(i) + ":\n";
        if (std::find(function.notUnrolled.begin(), function.notUnrolled.end(), i) !=
            function.notUnrolled.end())
            text += "    .pragma \"nounroll\";\n";
        if (previous == nullptr || !(previous->source == instruction.source) ||
            previous->inlinedAt != instruction.inlinedAt)
            text += chainText(instruction);
        text += "    " + print(module, function, instruction) + "\n";
        previous = &instruction;
    }
    return text + "}\n";
}

std::string headText(const Function& function) {
    std::string text = function.isEntry         ? ".visible .entry "
                       : function.isDeclaration ? ".extern .func "
                                                : ".visible .func ";
    if (!function.returnParameters.empty())
        text += parametersText(function.returnParameters) + " ";
    text += function.name + " " + parametersText(function.parameters) + "\n";
    if (function.isNoReturn)
        text += ".noreturn\n";
    return text + boundsText(function.bounds);
}

} // namespace

std::string print(const Module& module, const Function& function, const Instruction& instruction) {
    std::string text;
    if (instruction.guard >= 0)
        text = fmt::format("@{}{} ", instruction.guardNegated ? "!" : "",
                           function.registers[static_cast<std::size_t>(instruction.guard)].name);
    const Form* form = findForm(instruction);
    if (form == nullptr)
        return text + std::string(mnemonic(instruction.opcode)) + ";";
    text += fullMnemonic(instruction, *form);
    const OperandPrinter printer(module, function);
    if (instruction.opcode == Opcode::Call)
        return text + printer.call(instruction) + ";";
    const Type types[kTypeSlots] = {instruction.type, instruction.type2, instruction.type3, instruction.type4};
    std::size_t operand = 0;
    bool isFirst = true;
    const auto add = [&](const std::string& operandText) {
        text += (isFirst ? " " : ", ") + operandText;
        isFirst = false;
    };
    for (const OperandForm& operandForm : form->operands) {
        if (operandForm.role == OperandRole::Constant)
            add(fmt::format("0x{:02x}", instruction.immediate));
        else if (operand < instruction.operands.size())
            add(printer.text(instruction.operands[operand++], &operandForm,
                             operandType(operandForm, types)));
    }
    for (; operand < instruction.operands.size(); ++operand) // bra and brx
        add(printer.text(instruction.operands[operand], nullptr, Type::B32));
    return text + ";";
}

std::string print(const Module& module) {
    std::string text =
        fmt::format(".version {}.{}\n.target {}\n.address_size {}\n", module.versionMajor,
                    module.versionMinor, module.target, module.addressBits);
    for (std::size_t i = 0; i < module.files.size(); ++i)
        if (!module.files[i].empty())
            text += fmt::format(".file {} \"{}\"\n", i, module.files[i]);
    for (const Variable& variable : module.variables)
        text += variableText(variable);
    for (const Function& function :
         module.functions) // in their order, so that indices stay as they are
        text += headText(function) + ";\n";
    for (const Function& function : module.functions)
        if (!function.isDeclaration)
            text += headText(function) + bodyText(module, function);
    return text;
}

Listing listing(const Module& module, std::span<const std::uint32_t> functions) {
    Listing out;
    std::uint32_t line = 1;
    const auto add = [&](const std::string& text) {
        out.text += text;
        line += static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
    };
    for (const std::uint32_t index : functions) {
        const Function& function = module.functions[index];
        if (line > 1)
            add("\n");
        add(headText(function) + "{\n");
        for (const Variable& variable : function.variables)
            if (variable.space != Space::Param)
                add("    " + variableText(variable));
        const std::set<std::uint32_t> labels = findLabels(function);
        SourceLocation previous;
        for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
            const Instruction& instruction = function.instructions[i];
            if (labels.contains(i))
                add(labelName(i) + ":\n");
            const SourceLocation& at =
                instruction.inlinedAt.empty() ? instruction.source : instruction.inlinedAt.back();
            const auto file = static_cast<std::size_t>(at.file);
            if (at.known() && file < module.files.size() && (at.file != previous.file || at.line != previous.line)) {
                const std::string& path = module.files[file];
                add(fmt::format("    // {}:{}\n", path.substr(path.rfind('/') + 1), at.line));
                previous = at;
            }
            out.lines[&instruction] = line;
            add("    " + print(module, function, instruction) + "\n");
        }
        add("}\n");
    }
    return out;
}

} // namespace lanescope::ptx
