// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions: guard, mnemonic, and the control flow instructions, whose operands have rules of
// their own.
#include <fmt/format.h>

#include "engine/ptx/parser.h"

namespace lanescope::ptx {

void Parser::parseInstruction() {
    const std::size_t start = m_at;
    Instruction instruction;
    instruction.ptxLine = current().line;
    instruction.source = m_location;
    instruction.inlinedAt = m_inlinedAt;
    const MatchedMnemonic* matched = nullptr;
    if (!parseGuard(instruction) || !parseMnemonic(instruction, start, matched)) {
        skipStatement(start);
        if (m_at == start)
            advance();
        // An instruction that is not executed keeps its place, so that labels and control flow stay
        // as written.
        instruction.operands.clear();
        m_function.instructions.push_back(std::move(instruction));
        return;
    }
    bool ok = false;
    switch (instruction.opcode) {
    case Opcode::Bra:
        ok = parseBranch(instruction);
        break;
    case Opcode::Brx:
        ok = parseIndexedBranch(instruction);
        break;
    case Opcode::Call:
        ok = parseCall(instruction, start);
        break;
    default:
        ok = parseOperands(instruction, *matched, start);
        break;
    }
    if (ok && !current().is(';'))
        ok = expect(';', fmt::format("'{}'", mnemonic(instruction.opcode)));
    if (ok) {
        advance();
    } else {
        skipStatement(start);
        if (m_at == start)
            advance();
        instruction.operands.clear();
    }
    m_function.instructions.push_back(std::move(instruction));
}

bool Parser::parseGuard(Instruction& instruction) {
    if (!accept('@'))
        return true;
    instruction.guardNegated = accept('!');
    const Token& token = current();
    const auto symbol = token.kind == TokenKind::Identifier ? find(token.text) : std::nullopt;
    if (!symbol || symbol->kind != Symbol::Kind::Register ||
        m_function.registers[symbol->index].type != Type::Pred)
        return errorHere(fmt::format("a predicate register is expected after '@', not '{}'",
                                     token.text.substr(0, 40)));
    instruction.guard = static_cast<std::int32_t>(symbol->index);
    advance();
    return true;
}

bool Parser::parseMnemonic(Instruction& instruction, std::size_t firstToken,
                           const MatchedMnemonic*& matched) {
    const Token& token = current();
    const std::size_t opcodeToken = m_at;
    if (token.kind != TokenKind::Identifier)
        return errorHere(
            fmt::format("an instruction is expected here, not '{}'", token.text.substr(0, 40)));
    const int opcode = findOpcode(token.text);
    if (opcode < 0)
        return errorHere(fmt::format("unknown instruction '{}': {}", token.text.substr(0, 40),
                                     statementText(firstToken)));
    instruction.opcode = static_cast<Opcode>(opcode);
    advance();
    while (current().kind == TokenKind::Dot)
        advance();
    if (family(instruction.opcode) == Family::Unsupported)
        return unsupported(fmt::format("'{}' is not simulated", token.text), firstToken, token);
    const std::string key(textBetween(opcodeToken, m_at));
    auto cached = m_mnemonics.find(key);
    if (cached == m_mnemonics.end()) {
        std::vector<std::string_view> tokens;
        for (std::size_t i = opcodeToken + 1; i < m_at; ++i)
            tokens.push_back(m_tokens[i].text);
        MatchedMnemonic result;
        if (tokens.size() > 24)
            result.problem = "an instruction has at most 24 modifiers";
        else
            result = matchMnemonic(instruction.opcode, tokens);
        cached = m_mnemonics.emplace(key, std::move(result)).first;
    }
    matched = &cached->second;
    if (!matched->supported)
        return unsupported(matched->problem, firstToken, token);
    if (!matched->problem.empty())
        return error(fmt::format("{}: {}", matched->problem, statementText(firstToken)), token);
    instruction.modifiers = matched->modifiers;
    instruction.type = matched->types[0];
    instruction.type2 = matched->types[1];
    instruction.type3 = matched->types[2];
    instruction.type4 = matched->types[3];
    for (const Form* form : matched->forms)
        if (form->executed)
            return true;
    return unsupported(fmt::format("this form of '{}' is not simulated", token.text), firstToken,
                       token);
}

/// Operands of the statement: one more than the commas outside brackets.
std::size_t Parser::countOperands() const {
    std::size_t count = 0;
    int depth = 0;
    for (std::size_t i = m_at; i < m_tokens.size() - 1 && !m_tokens[i].is(';'); ++i) {
        const Token& token = m_tokens[i];
        if (count == 0)
            count = 1;
        if (token.kind != TokenKind::Punctuation)
            continue;
        const char c = token.text.front();
        if (c == '{' || c == '[' || c == '(')
            ++depth;
        else if (c == ']' || c == ')' || c == '}')
            --depth;
        else if (c == ',' && depth == 0)
            ++count;
        if (depth < 0)
            break;
    }
    return count;
}

bool Parser::parseOperands(Instruction& instruction, const MatchedMnemonic& matched,
                           std::size_t firstToken) {
    const std::size_t count = countOperands();
    const Form* form = nullptr;
    for (const Form* candidate : matched.forms)
        if (form == nullptr && count >= candidate->minimumOperands &&
            count <= candidate->operands.size())
            form = candidate;
    if (form == nullptr) {
        const Form& first = *matched.forms.front();
        const std::string wanted =
            first.minimumOperands == first.operands.size()
                ? fmt::format("{}", first.minimumOperands)
                : fmt::format("{} to {}", first.minimumOperands, first.operands.size());
        return errorHere(fmt::format("'{}' takes {} operands, not {}", mnemonic(instruction.opcode),
                                     wanted, count));
    }
    if (!form->executed)
        return unsupported(fmt::format("this form of '{}' with {} operands is not simulated",
                                       mnemonic(instruction.opcode), count),
                           firstToken, m_tokens[firstToken]);
    instruction.operands.reserve(count);
    const Type types[kTypeSlots] = {instruction.type, instruction.type2, instruction.type3, instruction.type4};
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0 && !expect(',', "an operand"))
            return false;
        if (!parseOperand(instruction, form->operands[i], operandType(form->operands[i], types)))
            return false;
    }
    return true;
}

bool Parser::parseBranch(Instruction& instruction) {
    if (current().kind != TokenKind::Identifier)
        return errorHere("a label is expected after bra");
    Operand target;
    target.kind = OperandKind::Label;
    PendingName pending;
    pending.use = PendingName::Use::Branch;
    pending.instruction = static_cast<std::uint32_t>(m_function.instructions.size());
    pending.token = m_at;
    advance();
    if (!current().is(';'))
        return true; // the caller reports what is there instead
    m_scopes.back().pending.push_back(pending);
    instruction.operands.push_back(std::move(target));
    return true;
}

bool Parser::parseIndexedBranch(Instruction& instruction) {
    OperandForm form;
    Operand index;
    if (!parseValue(index, form, Type::U32, Modifiers{}) || !expect(',', "the index of brx.idx"))
        return false;
    if (current().kind != TokenKind::Identifier)
        return errorHere("the label of a .branchtargets table is expected");
    Operand table;
    table.kind = OperandKind::TargetTable;
    PendingName pending;
    pending.use = PendingName::Use::Table;
    pending.instruction = static_cast<std::uint32_t>(m_function.instructions.size());
    pending.operand = 1;
    pending.token = m_at;
    advance();
    if (!current().is(';'))
        return true;
    m_scopes.back().pending.push_back(pending);
    instruction.operands.push_back(std::move(index));
    instruction.operands.push_back(std::move(table));
    return true;
}

/// "(a, b)": registers, .param variables and, as arguments, constants.
bool Parser::parseCallList(Operand& list) {
    list.kind = OperandKind::Vector;
    if (!accept('('))
        return expect('(', "call");
    if (accept(')'))
        return true;
    do {
        const Token& token = current();
        Operand element;
        if (token.kind == TokenKind::Identifier && token.text == "_") {
            element.kind = OperandKind::Sink;
            advance();
        } else if (token.kind == TokenKind::Identifier && token.text != "WARP_SZ") {
            const auto symbol = find(token.text);
            if (!symbol ||
                (symbol->kind != Symbol::Kind::Register && symbol->kind != Symbol::Kind::Variable))
                return errorHere(fmt::format("'{}' is no register or .param variable",
                                             token.text.substr(0, 80)));
            element = operandOf(*symbol);
            advance();
        } else {
            Constant value;
            if (!parseConstant(value))
                return false;
            element.kind = OperandKind::Immediate;
            element.bits = value.bits;
        }
        list.elements.push_back(std::move(element));
    } while (accept(','));
    return expect(')', "the list of a call");
}

bool Parser::parseCallTarget(Instruction& instruction) {
    const Token& token = current();
    if (token.kind != TokenKind::Identifier)
        return errorHere("a function or a register is expected after call");
    Operand callee;
    const auto symbol = find(token.text);
    if (symbol && symbol->kind == Symbol::Kind::Register) {
        const Type type = m_function.registers[symbol->index].type;
        if (isFloat(type) || sizeBytes(type) < 4 || sizeBytes(type) > 8)
            return errorHere(
                fmt::format("register '{}' holds no address", token.text.substr(0, 80)));
        callee = operandOf(*symbol);
    } else if (symbol && symbol->kind == Symbol::Kind::Function) {
        callee = operandOf(*symbol);
    } else if (symbol) {
        return errorHere(fmt::format("'{}' is no function", token.text.substr(0, 80)));
    } else {
        callee.kind = OperandKind::Function;
        PendingName pending;
        pending.use = PendingName::Use::Symbol;
        pending.instruction = static_cast<std::uint32_t>(m_function.instructions.size());
        pending.operand = 1;
        pending.token = m_at;
        m_scopes.back().pending.push_back(pending);
    }
    advance();
    instruction.operands.push_back(std::move(callee));
    return true;
}

/// call [(results),] callee [, (arguments)] [, table or prototype]
bool Parser::parseCall(Instruction& instruction, std::size_t firstToken) {
    Operand results, arguments;
    results.kind = arguments.kind = OperandKind::Vector;
    if (current().is('(') && (!parseCallList(results) || !expect(',', "the results of a call")))
        return false;
    const Token& calleeToken = current();
    instruction.operands.push_back(std::move(results));
    const std::size_t pendingBefore = m_scopes.back().pending.size();
    const auto fail = [&] {
        m_scopes.back().pending.resize(pendingBefore);
        return false;
    };
    if (!parseCallTarget(instruction))
        return fail();
    bool hasArguments = false;
    if (current().is(',') && ahead(1).is('(')) {
        advance();
        hasArguments = true;
        if (!parseCallList(arguments))
            return fail();
    }
    instruction.operands.push_back(std::move(arguments));
    if (accept(',')) {
        if (current().kind != TokenKind::Identifier)
            return errorHere("a prototype or a table of functions is expected"), fail();
        const auto symbol = find(current().text);
        if (!symbol ||
            (symbol->kind != Symbol::Kind::Prototype && symbol->kind != Symbol::Kind::Table &&
             symbol->kind != Symbol::Kind::Function))
            return errorHere(fmt::format("'{}' is no prototype or table of functions",
                                         current().text.substr(0, 80))),
                   fail();
        instruction.operands.push_back(operandOf(*symbol));
        advance();
    }
    if (!current().is(';'))
        return expect(';', "call"), fail();
    const Operand& callee = instruction.operands[1];
    if (callee.isRegister() && instruction.operands.size() < 4)
        return error("an indirect call needs the name of a prototype or a table of functions",
                     calleeToken),
               fail();
    if (callee.kind == OperandKind::Function && m_scopes.back().pending.size() == pendingBefore) {
        const Function& function =
            callee.index == m_functionIndex ? m_function : m_module.functions[callee.index];
        const std::size_t given = instruction.operands[2].elements.size();
        if (hasArguments && given != function.parameters.size())
            return error(fmt::format("'{}' takes {} arguments, not {}", function.name.substr(0, 80),
                                     function.parameters.size(), given),
                         calleeToken),
                   fail();
    }
    m_calls.push_back({m_functionIndex, static_cast<std::uint32_t>(m_function.instructions.size()),
                       firstToken, m_at});
    return true;
}

} // namespace lanescope::ptx
