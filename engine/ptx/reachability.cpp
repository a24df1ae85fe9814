// SPDX-License-Identifier: GPL-3.0-or-later
// Which functions an entry can reach, and the problems of those.
#include <algorithm>

#include <fmt/format.h>

#include "engine/ptx/parser.h"

namespace lanescope::ptx {

namespace {

/// Functions that the simulator provides: vprintf prints nothing and returns 0, __assertfail traps.
bool isProvided(std::string_view name) {
    return name == "vprintf" || name == "__assertfail";
}

bool isIndirectCall(const Instruction& instruction) {
    return instruction.opcode == Opcode::Call && instruction.operands.size() > 1 &&
           instruction.operands[1].kind == OperandKind::Register;
}

} // namespace

std::vector<bool> Parser::reachableFrom(int entry) const {
    std::vector<bool> reached(m_module.functions.size(), entry < 0);
    std::vector<std::uint32_t> work;
    const auto add = [&](std::uint32_t index) {
        if (index < reached.size() && !reached[index]) {
            reached[index] = true;
            work.push_back(index);
        }
    };
    if (entry >= 0)
        add(static_cast<std::uint32_t>(entry));
    bool tablesAdded = false;
    while (!work.empty()) {
        const Function& function = m_module.functions[work.back()];
        work.pop_back();
        for (const Function::TargetTable& table : function.targetTables)
            if (table.isCall)
                std::for_each(table.targets.begin(), table.targets.end(), add);
        for (const Instruction& instruction : function.instructions) {
            for (const Operand& operand : instruction.operands)
                if (operand.kind == OperandKind::Function)
                    add(operand.index);
            if (tablesAdded || !isIndirectCall(instruction))
                continue;
            tablesAdded =
                true; // an indirect call may reach whatever a variable's initialiser names
            for (const Variable& variable : m_module.variables)
                for (const Variable::Relocation& relocation : variable.relocations)
                    if (const auto found = m_symbols.find(relocation.symbol);
                        found != m_symbols.end() && found->second.kind == Symbol::Kind::Function)
                        add(found->second.index);
        }
    }
    return reached;
}

void Parser::reportMissingEntry(std::string_view entry) {
    std::string hint = "the module has no entries";
    if (const std::vector<std::string> names = m_module.entries(); !names.empty())
        hint = fmt::format("the entries are {}", fmt::join(names, ", "));
    Diagnostic diagnostic;
    diagnostic.code = "argument";
    diagnostic.message = fmt::format("there is no entry '{}'", entry);
    diagnostic.where.file = m_module.path;
    diagnostic.hint = std::move(hint);
    m_diagnostics.push_back(std::move(diagnostic));
}

void Parser::reportReachable(std::string_view entry) {
    int entryIndex = -1;
    if (!entry.empty()) {
        entryIndex = m_module.findFunction(entry);
        const bool isEntry =
            entryIndex >= 0 && m_module.functions[static_cast<std::size_t>(entryIndex)].isEntry;
        if (!isEntry || m_module.functions[static_cast<std::size_t>(entryIndex)].isDeclaration) {
            if (!m_diagnostics.empty())
                return; // the entry may be among what could not be read
            return reportMissingEntry(entry);
        }
    }
    const std::vector<bool> reached = reachableFrom(entryIndex);
    for (BodyProblem& problem : m_problems)
        if (problem.function < reached.size() && reached[problem.function] && !tooManyErrors())
            m_diagnostics.push_back(std::move(problem.diagnostic));
    for (const CallSite& call : m_calls) {
        if (!reached[call.function] ||
            call.instruction >= m_module.functions[call.function].instructions.size())
            continue;
        const Instruction& instruction =
            m_module.functions[call.function].instructions[call.instruction];
        if (instruction.operands.size() < 2 ||
            instruction.operands[1].kind != OperandKind::Function)
            continue;
        const Function& callee = m_module.functions[instruction.operands[1].index];
        if (callee.isDeclaration && !isProvided(callee.name))
            error(fmt::format("'{}' is called but not defined in this module: {}", callee.name,
                              statementText(call.firstToken)),
                  m_tokens[call.firstToken],
                  "define it in the same file; of the runtime's functions only vprintf and "
                  "__assertfail are there",
                  "unsupported");
    }
}

} // namespace lanescope::ptx
