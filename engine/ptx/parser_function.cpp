// SPDX-License-Identifier: GPL-3.0-or-later
// Functions: heads, directives, scopes, labels, .loc.
#include <algorithm>

#include <fmt/format.h>

#include "engine/ptx/parser.h"

namespace lanescope::ptx {

namespace {

constexpr std::size_t kMaxScopes = 1000;
constexpr std::size_t kMaxInlineDepth = 64;

/// True when control can go past the instruction to the next one.
bool fallsThrough(const Instruction& instruction) {
    const bool ends = instruction.opcode == Opcode::Ret || instruction.opcode == Opcode::Exit ||
                      instruction.opcode == Opcode::Trap || instruction.opcode == Opcode::Bra ||
                      instruction.opcode == Opcode::Brx;
    return !ends || instruction.guard >= 0;
}

} // namespace

bool Parser::parseFunction(const Linkage& linkage) {
    const bool isEntry = current().isDot("entry");
    std::size_t nameToken = 0;
    m_function = Function{};
    m_scopes.assign(1, NameScope{});
    m_allRanges.clear();
    m_usedNames.clear();
    m_hasLabel = false;
    m_location = {};
    m_inlinedAt.clear();
    m_function.ptxLine = current().line;
    advance();
    if (!parseFunctionHead(isEntry, linkage, nameToken) || !parseFunctionDirectives())
        return false;
    const bool hasBody = current().is('{');
    m_function.isDeclaration = !hasBody;
    const int index = declareFunction(m_tokens[nameToken]);
    if (index < 0)
        return false;
    m_functionIndex = static_cast<std::uint32_t>(index);
    if (hasBody) {
        parseBody();
    } else if (!accept(';')) {
        return expect('{', "the head of a function");
    }
    Function& slot = m_module.functions[m_functionIndex];
    if (hasBody || slot.isDeclaration)
        slot = std::move(m_function);
    m_function = Function{};
    return true;
}

bool Parser::parseFunctionHead(bool isEntry, const Linkage& linkage, std::size_t& nameToken) {
    (void)linkage;
    m_function.isEntry = isEntry;
    if (acceptDot("attribute") && current().is('(') && !skipBalanced('(', ')'))
        return false;
    if (!isEntry && accept('(') &&
        !parseParameters(m_function.returnParameters, VariableScope::FunctionResult, true))
        return false;
    if (current().kind != TokenKind::Identifier)
        return errorHere("the name of a function is expected");
    nameToken = m_at;
    m_function.name = std::string(current().text);
    advance();
    return !accept('(') ||
           parseParameters(m_function.parameters, VariableScope::FunctionParameter, true);
}

bool Parser::parseExtents(std::optional<std::uint32_t>& x, std::optional<std::uint32_t>& y,
                          std::optional<std::uint32_t>& z) {
    std::uint64_t value = 0;
    for (std::optional<std::uint32_t>* extent : {&x, &y, &z}) {
        if (!parseUnsigned(value, 0xffffffffu, "this directive"))
            return false;
        *extent = static_cast<std::uint32_t>(value);
        if (!accept(','))
            break;
    }
    return true;
}

bool Parser::parseFunctionDirectives() {
    LaunchBounds& bounds = m_function.bounds;
    std::uint64_t value = 0;
    while (current().kind == TokenKind::Dot) {
        const Token& token = current();
        const std::size_t start = m_at;
        advance();
        if (token.text == "maxntid") {
            if (!parseExtents(bounds.maxThreadsX, bounds.maxThreadsY, bounds.maxThreadsZ))
                return false;
        } else if (token.text == "reqntid") {
            if (!parseExtents(bounds.requiredX, bounds.requiredY, bounds.requiredZ))
                return false;
        } else if (token.text == "reqnctapercluster") {
            if (!parseExtents(bounds.clusterX, bounds.clusterY, bounds.clusterZ))
                return false;
        } else if (token.text == "minnctapersm" || token.text == "maxnctapersm") {
            if (!parseUnsigned(value, 0xffffffffu, token.text))
                return false;
            if (token.text == "minnctapersm")
                bounds.minBlocksPerSm = static_cast<std::uint32_t>(value);
        } else if (token.text == "maxnreg") {
            if (!parseUnsigned(value, 0xffffffffu, token.text))
                return false;
            bounds.maxRegisters = static_cast<std::uint32_t>(value);
        } else if (token.text == "maxclusterrank" || token.text == "abi_preserve" ||
                   token.text == "abi_preserve_control") {
            if (!parseUnsigned(value, 0xffffffffu, token.text))
                return false;
        } else if (token.text == "noreturn") {
            m_function.isNoReturn = true;
        } else if (token.text == "pragma") {
            skipStatement(start);
        } else if (token.text == "attribute") {
            if (!current().is('(') || !skipBalanced('(', ')'))
                return errorHere("'(' is expected after .attribute");
        } else if (token.text != "explicitcluster" && token.text != "blocksareclusters" &&
                   token.text != "unique") {
            return error(
                fmt::format("'.{}' is no directive of a function", token.text.substr(0, 40)),
                token);
        }
    }
    return true;
}

/// The function's index in the module; a definition takes the place of its declaration. -1: an
/// error was reported.
int Parser::declareFunction(const Token& nameToken) {
    const auto found = m_symbols.find(nameToken.text);
    if (found == m_symbols.end()) {
        Symbol symbol;
        symbol.kind = Symbol::Kind::Function;
        symbol.index = static_cast<std::uint32_t>(m_module.functions.size());
        m_symbols.emplace(nameToken.text, symbol);
        Function placeholder;
        placeholder.name = m_function.name;
        placeholder.isEntry = m_function.isEntry;
        placeholder.isDeclaration = true;
        placeholder.parameters = m_function.parameters; // for calls of itself
        placeholder.returnParameters = m_function.returnParameters;
        m_module.functions.push_back(std::move(placeholder));
        return static_cast<int>(symbol.index);
    }
    if (found->second.kind != Symbol::Kind::Function) {
        error(fmt::format("'{}' is already a variable", nameToken.text.substr(0, 80)), nameToken);
        return -1;
    }
    if (!m_module.functions[found->second.index].isDeclaration && !m_function.isDeclaration) {
        error(fmt::format("function '{}' is defined twice", nameToken.text.substr(0, 80)),
              nameToken);
        return -1;
    }
    return static_cast<int>(found->second.index);
}

void Parser::parseBody() {
    const Token& open = current();
    advance();
    m_inBody = true;
    while (m_inBody && !tooManyErrors()) {
        if (current().kind == TokenKind::End) {
            error(fmt::format("the body of '{}' is not closed", m_function.name.substr(0, 80)),
                  open);
            break;
        }
        parseStatement();
    }
    m_inBody = false;
    finishBody();
}

void Parser::openScope() {
    if (m_scopes.size() >= kMaxScopes) {
        errorHere("scopes are nested too deeply");
        m_inBody = false;
        return;
    }
    m_scopes.emplace_back();
    advance();
}

void Parser::closeScope() {
    if (m_scopes.size() == 1) {
        m_inBody = false; // finishBody closes the last one
        return;
    }
    NameScope closed = std::move(m_scopes.back());
    m_scopes.pop_back();
    advance();
    for (const PendingName& pending : closed.pending)
        if (!resolve(pending, closed))
            m_scopes.back().pending.push_back(pending);
}

/// Fills in a name that the scope declares; false when it does not.
bool Parser::resolve(const PendingName& pending, const NameScope& scope) {
    const Token& token = m_tokens[pending.token];
    const auto found = findInScope(scope, token.text);
    if (!found)
        return false;
    const Symbol& symbol = *found;
    const auto wrongKind = [&](std::string_view wanted) {
        error(fmt::format("'{}' is no {}", token.text.substr(0, 80), wanted), token);
        return true;
    };
    if (pending.use == PendingName::Use::TableEntry) {
        Function::TargetTable& table = m_function.targetTables[pending.instruction];
        if (table.isCall || symbol.kind != Symbol::Kind::Label)
            return table.isCall ? false : wrongKind("label");
        table.targets[pending.operand] = symbol.index;
        return true;
    }
    if (pending.instruction >= m_function.instructions.size() ||
        pending.operand >= m_function.instructions[pending.instruction].operands.size())
        return true; // its instruction was malformed and is reported
    Operand& operand = m_function.instructions[pending.instruction].operands[pending.operand];
    if (pending.use == PendingName::Use::Branch && symbol.kind != Symbol::Kind::Label)
        return wrongKind("label");
    if (pending.use == PendingName::Use::Table && symbol.kind != Symbol::Kind::Table &&
        symbol.kind != Symbol::Kind::Prototype)
        return wrongKind("table of targets");
    if (pending.use == PendingName::Use::Symbol && symbol.kind != Symbol::Kind::Variable)
        return wrongKind("variable or function");
    const std::int64_t offset = operand.offset;
    operand = operandOf(symbol);
    operand.offset = offset;
    return true;
}

void Parser::finishBody() {
    const std::uint32_t closingLine = current().line;
    accept('}');
    for (std::size_t i = m_scopes.size(); i-- > 0;) {
        for (const PendingName& pending : m_scopes[i].pending) {
            const bool resolved = resolve(pending, m_scopes[i]);
            if (!resolved && i > 0) {
                m_scopes[i - 1].pending.push_back(pending);
            } else if (!resolved) {
                const bool mayBeFunction = pending.use == PendingName::Use::Symbol ||
                                           (pending.use == PendingName::Use::TableEntry &&
                                            m_function.targetTables[pending.instruction].isCall);
                const Token& token = m_tokens[pending.token];
                if (mayBeFunction)
                    m_pendingSymbols.emplace_back(m_functionIndex, pending);
                else
                    error(fmt::format("label '{}' is not declared", token.text.substr(0, 80)),
                          token);
            }
        }
    }
    const auto& instructions = m_function.instructions;
    const bool labelAtEnd = m_hasLabel && m_lastLabel == instructions.size();
    if (instructions.empty() || labelAtEnd || fallsThrough(instructions.back())) {
        Instruction ret;
        ret.opcode = Opcode::Ret;
        ret.ptxLine = closingLine;
        ret.source = m_location;
        ret.inlinedAt = m_inlinedAt;
        m_function.instructions.push_back(std::move(ret));
    }
    m_scopes.clear();
}

void Parser::parseStatement() {
    const std::size_t start = m_at;
    const Token& token = current();
    bool ok = true;
    if (token.is('{')) {
        openScope();
    } else if (token.is('}')) {
        closeScope();
    } else if (token.is(';')) {
        advance();
    } else if (token.kind == TokenKind::Dot) {
        ok = parseBodyDirective();
    } else if (token.kind == TokenKind::Identifier && ahead(1).is(':')) {
        ok = parseLabel();
    } else if (token.kind == TokenKind::Identifier || token.is('@')) {
        parseInstruction();
    } else {
        ok = errorHere(
            fmt::format("an instruction is expected here, not '{}'", token.text.substr(0, 40)));
    }
    if (!ok) {
        skipStatement(start);
        if (m_at == start)
            advance();
    }
}

bool Parser::parseBodyDirective() {
    const std::size_t start = m_at;
    if (acceptDot("reg"))
        return parseRegisters();
    if (acceptDot("loc"))
        return parseLoc();
    if (acceptDot("file"))
        return parseFile();
    if (acceptDot("section"))
        return parseSection();
    if (acceptDot("pragma")) {
        if (current().text.find("nounroll") != std::string_view::npos)
            m_function.notUnrolled.push_back(
                static_cast<std::uint32_t>(m_function.instructions.size()));
        skipStatement(start);
        return true;
    }
    if (current().isDot("branchtargets") || current().isDot("calltargets") ||
        current().isDot("callprototype"))
        return errorHere("a label is expected before this directive");
    Linkage linkage;
    return parseLinkage(linkage) && parseVariables(linkage);
}

/// .loc file line column [, function_name label[+offset], inlined_at file line column]
bool Parser::parseLoc() {
    std::uint64_t file = 0, line = 0, column = 0;
    if (!parseUnsigned(file, 0x7fffffff, ".loc") || !parseUnsigned(line, 0xffffffffu, ".loc"))
        return false;
    if (current().kind == TokenKind::Integer && !parseUnsigned(column, 0xffffffffu, ".loc"))
        return false;
    std::uint64_t inlined[3] = {0, 0, 0};
    bool isInlined = false;
    while (accept(',')) {
        if (current().kind != TokenKind::Identifier)
            return errorHere("function_name or inlined_at is expected");
        const std::string_view attribute = current().text;
        advance();
        if (attribute == "function_name") {
            if (current().kind != TokenKind::Identifier)
                return errorHere("a label is expected after function_name");
            advance();
            if (accept('+') && current().kind == TokenKind::Integer)
                advance();
        } else if (attribute == "inlined_at") {
            isInlined = true;
            for (std::uint64_t& number : inlined)
                if (!parseUnsigned(number, 0xffffffffu, "inlined_at"))
                    return false;
        } else {
            return errorHere("function_name or inlined_at is expected");
        }
    }
    const auto place = [](std::uint64_t f, std::uint64_t l, std::uint64_t c) {
        return SourceLocation{static_cast<std::int32_t>(f & 0x7fffffff),
                              static_cast<std::uint32_t>(l), static_cast<std::uint32_t>(c)};
    };
    m_location = place(file, line, column);
    m_inlinedAt.clear();
    if (isInlined) {
        m_inlinedAt.push_back(place(inlined[0], inlined[1], inlined[2]));
        const auto outer = m_inlineChains.find({inlined[0], inlined[1], inlined[2]});
        if (outer != m_inlineChains.end() && outer->second.size() < kMaxInlineDepth)
            m_inlinedAt.insert(m_inlinedAt.end(), outer->second.begin(), outer->second.end());
    }
    m_inlineChains[{file, line, column}] = m_inlinedAt;
    if (!m_function.source.known() && m_function.instructions.empty())
        m_function.source = m_location;
    return true;
}

bool Parser::parseLabel() {
    const Token& label = current();
    advance();
    advance();
    if (current().isDot("branchtargets") || current().isDot("calltargets")) {
        const bool isCall = current().text == "calltargets";
        advance();
        return parseBranchTargets(label, isCall);
    }
    if (acceptDot("callprototype"))
        return parsePrototype(label);
    Symbol symbol;
    symbol.kind = Symbol::Kind::Label;
    symbol.index = static_cast<std::uint32_t>(m_function.instructions.size());
    m_hasLabel = true;
    m_lastLabel = m_function.instructions.size();
    if (!m_scopes.back().symbols.emplace(label.text, symbol).second)
        error(fmt::format("'{}' is declared twice", label.text.substr(0, 80)), label);
    return true;
}

bool Parser::parseBranchTargets(const Token& label, bool isCall) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Table;
    symbol.index = static_cast<std::uint32_t>(m_function.targetTables.size());
    if (!m_scopes.back().symbols.emplace(label.text, symbol).second)
        error(fmt::format("'{}' is declared twice", label.text.substr(0, 80)), label);
    m_function.targetTables.emplace_back();
    m_function.targetTables.back().name = uniqueName(label.text);
    m_function.targetTables.back().isCall = isCall;
    do {
        if (current().kind != TokenKind::Identifier)
            return errorHere("a label is expected in the table of targets");
        Function::TargetTable& table = m_function.targetTables.back();
        PendingName pending;
        pending.use = PendingName::Use::TableEntry;
        pending.instruction = symbol.index;
        pending.operand = static_cast<std::uint32_t>(table.targets.size());
        pending.token = m_at;
        table.targets.push_back(0);
        m_scopes.back().pending.push_back(pending);
        advance();
    } while (accept(','));
    return expect(';', "the table of targets");
}

/// .callprototype [(results)] _ [(parameters)] [.noreturn];
bool Parser::parsePrototype(const Token& label) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Prototype;
    symbol.index = static_cast<std::uint32_t>(m_function.prototypes.size());
    if (!m_scopes.back().symbols.emplace(label.text, symbol).second)
        error(fmt::format("'{}' is declared twice", label.text.substr(0, 80)), label);
    Function::Prototype prototype;
    prototype.name = uniqueName(label.text);
    if (accept('(') &&
        !parseParameters(prototype.returnParameters, VariableScope::FunctionResult, false))
        return false;
    if (current().kind != TokenKind::Identifier)
        return errorHere("a name, usually _, is expected in the prototype");
    advance();
    if (accept('(') &&
        !parseParameters(prototype.parameters, VariableScope::FunctionParameter, false))
        return false;
    while (current().kind == TokenKind::Dot) {
        advance();
        if (current().kind == TokenKind::Integer)
            advance();
    }
    m_function.prototypes.push_back(std::move(prototype));
    return expect(';', "the prototype");
}

} // namespace lanescope::ptx
