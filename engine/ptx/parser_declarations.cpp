// SPDX-License-Identifier: GPL-3.0-or-later
// Declarations of variables, registers and parameters.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "engine/ptx/parser.h"

namespace lanescope::ptx {

namespace {

constexpr std::uint64_t kMaxRegisters = 1'000'000;
constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 36;
constexpr std::uint64_t kMaxAlignment = 1 << 20;
constexpr std::size_t kMaxDimensions = 16;

std::optional<Space> findSpace(std::string_view token) {
    if (token == "global")
        return Space::Global;
    if (token == "shared" || token == "shared::cta")
        return Space::Shared;
    if (token == "local")
        return Space::Local;
    if (token == "const")
        return Space::Const;
    if (token == "param")
        return Space::Param;
    return std::nullopt;
}

bool isPowerOfTwo(std::uint64_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

std::uint64_t roundUp(std::uint64_t value, std::uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

} // namespace

bool Parser::parseLinkage(Linkage& linkage) {
    for (;;) {
        if (acceptDot("extern"))
            linkage.isExtern = true;
        else if (acceptDot("weak"))
            linkage.isWeak = true;
        else if (acceptDot("common"))
            linkage.isCommon = true;
        else if (!acceptDot("visible"))
            return true;
    }
}

bool Parser::parseVariableHead(VariableHead& head) {
    const Token& first = current();
    const auto space = first.kind == TokenKind::Dot ? findSpace(first.text) : std::nullopt;
    if (!space)
        return errorHere(fmt::format("'{}{}' is no directive that PTX has here",
                                     first.kind == TokenKind::Dot ? "." : "",
                                     first.text.substr(0, 40)));
    head.space = *space;
    advance();
    if (current().is('[') && !skipBalanced('[', ']')) // .const[bank] of old compilers
        return false;
    while (current().kind == TokenKind::Dot) {
        const Token& token = current();
        advance();
        std::uint64_t alignment = 0;
        if (token.text == "align") {
            if (!parseUnsigned(alignment, kMaxAlignment, ".align"))
                return false;
            if (!isPowerOfTwo(alignment))
                return error(".align takes a power of two", token);
            head.alignment = static_cast<std::uint32_t>(alignment);
        } else if (token.text == "attribute") {
            if (!current().is('('))
                return expect('(', ".attribute");
            if (!skipBalanced('(', ')'))
                return false;
        } else if (token.text == "v2" || token.text == "v4") {
            head.vector = token.text == "v2" ? 2 : 4;
        } else if (token.text == "texref" || token.text == "samplerref" ||
                   token.text == "surfref") {
            head.type = Type::B64;
            head.isOpaque = true;
        } else if (const Type type = findType(token.text);
                   type != Type::None && type != Type::Pred) {
            head.type = type;
        } else {
            return error(fmt::format("'.{}' is no type or attribute of a variable",
                                     token.text.substr(0, 40)),
                         token);
        }
    }
    return head.type != Type::None ||
           errorHere("a type such as .f32 is expected before the variable's name");
}

bool Parser::parseVariables(const Linkage& linkage) {
    VariableHead head;
    if (!parseVariableHead(head))
        return false;
    do {
        if (!parseVariable(head, linkage))
            return false;
    } while (accept(','));
    return expect(';', "the declaration");
}

bool Parser::parseDimensions(std::vector<std::uint64_t>& dimensions) {
    while (accept('[')) {
        if (dimensions.size() >= kMaxDimensions)
            return errorHere("an array has at most 16 dimensions");
        if (accept(']')) {
            if (!dimensions.empty())
                return errorHere("only the first dimension of an array may be left out");
            dimensions.push_back(0);
            continue;
        }
        const Token& token = current();
        Constant size;
        if (!parseConstant(size))
            return false;
        if (size.kind != Constant::Kind::Integer || size.bits > kMaxVariableBytes)
            return error("the size of an array is a number of at most 2^36", token);
        dimensions.push_back(size.bits);
        if (!expect(']', "the size of an array"))
            return false;
        if (size.bits == 0 && dimensions.size() > 1)
            return error("only the first dimension of an array may be 0", token);
    }
    return true;
}

bool Parser::finishVariableSize(Variable& variable, const VariableHead& head,
                                std::vector<std::uint64_t>& dimensions) {
    if (head.vector > 1) {
        dimensions.push_back(head.vector);
        variable.isArray = true;
    }
    const auto elementBytes = static_cast<std::uint64_t>(sizeBytes(variable.type));
    std::uint64_t size = elementBytes;
    for (const std::uint64_t dimension : dimensions) {
        if (dimension != 0 && size > kMaxVariableBytes / dimension)
            return errorHere(fmt::format("variable '{}' is larger than 2^36 bytes",
                                         variable.name.substr(0, 80)));
        size *= std::max<std::uint64_t>(dimension, 1);
    }
    const bool isUnsized = !dimensions.empty() && dimensions[0] == 0;
    variable.sizeBytes = isUnsized ? 0 : size;
    const auto natural = static_cast<std::uint32_t>(elementBytes * head.vector);
    variable.alignment = head.alignment != 0 ? head.alignment : std::max(natural, 1u);
    return true;
}

bool Parser::parseVariable(const VariableHead& head, const Linkage& linkage) {
    const Token& nameToken = current();
    if (nameToken.kind != TokenKind::Identifier)
        return errorHere("the name of a variable is expected");
    advance();
    if (current().is('<')) { // .local .b32 a<4>: a0 ... a3
        std::uint64_t count = 0;
        advance();
        if (!parseUnsigned(count, 4096, "a range of variables") || !expect('>', "the range"))
            return false;
        return error("a range of variables is not read", nameToken, "declare them one by one",
                     "unsupported");
    }
    Variable variable;
    variable.name = std::string(nameToken.text);
    variable.space = head.space;
    variable.type = head.type;
    variable.isExtern = linkage.isExtern;
    std::vector<std::uint64_t> dimensions;
    if (!parseDimensions(dimensions))
        return false;
    variable.isArray = !dimensions.empty();
    if (!finishVariableSize(variable, head, dimensions))
        return false;
    if (accept('=')) {
        if (head.space != Space::Global && head.space != Space::Const)
            return errorHere("only .global and .const variables have initialisers");
        if (head.isOpaque) {
            if (!current().is('{') || !skipBalanced('{', '}'))
                return false;
        } else if (!parseInitialiser(variable, dimensions,
                                     static_cast<std::uint64_t>(sizeBytes(variable.type)))) {
            return false;
        }
    }
    return addVariable(std::move(variable), nameToken);
}

bool Parser::addVariable(Variable variable, const Token& at) {
    constexpr std::size_t kMaxVariables = 1'000'000;
    Symbol symbol;
    symbol.kind = Symbol::Kind::Variable;
    if (m_inBody) {
        if (m_scopes.back().symbols.contains(at.text))
            return error(fmt::format("'{}' is declared twice", at.text.substr(0, 80)), at);
        variable.name = uniqueName(at.text);
        symbol.scope = VariableScope::Function;
        symbol.index = static_cast<std::uint32_t>(m_function.variables.size());
        m_scopes.back().symbols.emplace(at.text, symbol);
        m_function.variables.push_back(std::move(variable));
        return m_function.variables.size() < kMaxVariables ||
               error("the function has too many variables", at);
    }
    if (const auto found = m_symbols.find(at.text); found != m_symbols.end()) {
        if (found->second.kind != Symbol::Kind::Variable)
            return error(fmt::format("'{}' is already a function", at.text.substr(0, 80)), at);
        Variable& previous = m_module.variables[found->second.index];
        if (!previous.isExtern && !variable.isExtern)
            return error(fmt::format("'{}' is defined twice", at.text.substr(0, 80)), at);
        if (previous.isExtern)
            previous = std::move(variable);
        return true;
    }
    symbol.index = static_cast<std::uint32_t>(m_module.variables.size());
    m_symbols.emplace(at.text, symbol);
    m_module.variables.push_back(std::move(variable));
    return true;
}

std::string Parser::uniqueName(std::string_view name) {
    const auto inRange = [this](std::string_view text) {
        std::size_t digits = text.size();
        while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9')
            --digits;
        if (digits == text.size())
            return false;
        for (const auto& [prefix, range] : m_allRanges) {
            if (prefix.size() < digits || prefix.size() >= text.size() || !text.starts_with(prefix))
                continue;
            std::uint32_t number = 0;
            const auto result =
                std::from_chars(text.data() + prefix.size(), text.data() + text.size(), number);
            if (result.ec == std::errc{} && number < range.count)
                return true;
        }
        return false;
    };
    std::string unique(name);
    const auto [entry, isNew] = m_usedNames.try_emplace(unique, 1u);
    if (isNew && !inRange(name))
        return unique;
    std::uint32_t& count = entry->second; // references stay valid when the table grows
    for (std::uint32_t n = count + 1;; ++n) {
        unique = fmt::format("{}${}", name, n);
        count = n;
        if (!m_usedNames.contains(unique)) {
            m_usedNames.emplace(unique, 1u);
            return unique;
        }
    }
}

std::uint32_t Parser::newRegister(std::string_view name, Type type) {
    m_function.registers.push_back({std::string(name), type});
    ++m_registerTotal;
    return static_cast<std::uint32_t>(m_function.registers.size() - 1);
}

bool Parser::parseRegisters() {
    Type type = Type::None;
    std::uint32_t vector = 1;
    while (current().kind == TokenKind::Dot) {
        const Token& token = current();
        advance();
        std::uint64_t alignment = 0;
        if (token.text == "v2" || token.text == "v4")
            vector = token.text == "v2" ? 2 : 4;
        else if (token.text == "align") {
            if (!parseUnsigned(alignment, kMaxAlignment, ".align"))
                return false;
        } else if ((type = findType(token.text)) == Type::None)
            return error(fmt::format("'.{}' is no type of a register", token.text.substr(0, 40)),
                         token);
    }
    if (type == Type::None)
        return errorHere("a type such as .b32 is expected after .reg");
    do {
        if (current().kind != TokenKind::Identifier)
            return errorHere("the name of a register is expected");
        const Token& nameToken = current();
        advance();
        if (!addRegisters(nameToken, type, vector))
            return false;
    } while (accept(','));
    return expect(';', "the registers");
}

bool Parser::addRegisters(const Token& nameToken, Type type, std::uint32_t vector) {
    NameScope& scope = m_scopes.back();
    std::uint64_t count = 1;
    const bool isRange = accept('<');
    if (isRange && (!parseUnsigned(count, kMaxRegisters, "a range of registers") ||
                    !expect('>', "the range of registers")))
        return false;
    if (m_registerTotal + count * vector > kMaxRegisters)
        return error("the module has more than 1,000,000 registers", nameToken);
    if (isRange && vector > 1)
        return error("a range of vector registers is not read", nameToken,
                     "declare them one by one", "unsupported");
    if (scope.symbols.contains(nameToken.text) ||
        (isRange && scope.ranges.contains(nameToken.text)))
        return error(fmt::format("'{}' is declared twice", nameToken.text.substr(0, 80)),
                     nameToken);
    if (isRange) {
        const RegisterRange range{static_cast<std::uint32_t>(m_function.registers.size()),
                                  static_cast<std::uint32_t>(count)};
        const bool rename = m_scopes.size() > 1;
        m_function.registers.reserve(m_function.registers.size() + count);
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::string name = fmt::format("{}{}", nameToken.text, i);
            newRegister(rename ? uniqueName(name) : name, type);
        }
        scope.ranges.emplace(nameToken.text, range);
        if (m_scopes.size() == 1)
            m_allRanges.emplace_back(nameToken.text, range);
        return true;
    }
    Symbol symbol;
    symbol.index = static_cast<std::uint32_t>(m_function.registers.size());
    symbol.count = vector;
    symbol.kind = vector > 1 ? Symbol::Kind::VectorRegister : Symbol::Kind::Register;
    for (std::uint32_t i = 0; i < vector; ++i)
        newRegister(uniqueName(vector > 1 ? fmt::format("{}${}", nameToken.text, "xyzw"[i])
                                          : std::string(nameToken.text)),
                    type);
    scope.symbols.emplace(nameToken.text, symbol);
    return true;
}

bool Parser::parseParameters(std::vector<Parameter>& parameters, VariableScope scope,
                             bool declare) {
    if (accept(')'))
        return true;
    std::uint64_t offset = 0;
    do {
        if (!parseParameter(parameters, scope, declare))
            return false;
        Parameter& parameter = parameters.back();
        offset = roundUp(offset, parameter.alignment);
        parameter.offset = offset;
        offset += parameter.sizeBytes;
        if (offset > kMaxVariableBytes || parameters.size() > 65536)
            return errorHere("the parameters are too large");
    } while (accept(','));
    return expect(')', "the parameters");
}

bool Parser::parseParameterAttributes(Parameter& parameter, bool& isRegister) {
    const Token& first = current();
    isRegister = acceptDot("reg");
    if (!isRegister && !acceptDot("param"))
        return errorHere(
            fmt::format(".param is expected here, not '{}'", first.text.substr(0, 40)));
    std::uint64_t alignment = 0;
    parameter.type = Type::None;
    while (current().kind == TokenKind::Dot) {
        const Token& token = current();
        advance();
        const auto space = parameter.isPointer ? findSpace(token.text) : std::nullopt;
        if (token.text == "align") {
            std::uint64_t value = 0;
            if (!parseUnsigned(value, kMaxAlignment, ".align"))
                return false;
            if (!isPowerOfTwo(value))
                return error(".align takes a power of two", token);
            alignment = parameter.isPointer
                            ? alignment
                            : value; // after .ptr it is the alignment of what it points to
        } else if (token.text == "ptr") {
            parameter.isPointer = true;
        } else if (space) {
            parameter.pointerSpace = *space;
        } else if (token.text == "texref" || token.text == "samplerref" ||
                   token.text == "surfref") {
            parameter.type = Type::U64;
        } else if (const Type type = findType(token.text); type != Type::None) {
            parameter.type = type;
        } else {
            return error(fmt::format("'.{}' is no type or attribute of a parameter",
                                     token.text.substr(0, 40)),
                         token);
        }
    }
    if (parameter.type == Type::None || (parameter.type == Type::Pred && !isRegister))
        return errorHere("a type such as .u64 is expected before the parameter's name");
    parameter.alignment = alignment != 0
                              ? static_cast<std::uint32_t>(alignment)
                              : static_cast<std::uint32_t>(std::max(sizeBytes(parameter.type), 1));
    return true;
}

bool Parser::parseParameter(std::vector<Parameter>& parameters, VariableScope scope, bool declare) {
    Parameter parameter;
    bool isRegister = false;
    if (!parseParameterAttributes(parameter, isRegister))
        return false;
    const Token& nameToken = current();
    if (nameToken.kind != TokenKind::Identifier)
        return errorHere("the name of a parameter is expected");
    advance();
    parameter.name = std::string(nameToken.text);
    std::vector<std::uint64_t> dimensions;
    if (!parseDimensions(dimensions))
        return false;
    Variable sized;
    VariableHead head;
    sized.type = parameter.type;
    if (!finishVariableSize(sized, head, dimensions))
        return false;
    parameter.isArray = !dimensions.empty();
    parameter.sizeBytes = sized.sizeBytes;
    if (declare) {
        Symbol symbol;
        symbol.kind = isRegister ? Symbol::Kind::Register : Symbol::Kind::Variable;
        symbol.scope = scope;
        symbol.index = static_cast<std::uint32_t>(parameters.size());
        if (isRegister) {
            symbol.index = newRegister(uniqueName(nameToken.text), parameter.type);
            parameter.registerIndex = static_cast<std::int32_t>(symbol.index);
        } else {
            m_usedNames.emplace(parameter.name, 1u);
        }
        if (nameToken.text != "_" &&
            !m_scopes.back().symbols.emplace(nameToken.text, symbol).second)
            return error(
                fmt::format("parameter '{}' is declared twice", nameToken.text.substr(0, 80)),
                nameToken);
    }
    parameters.push_back(std::move(parameter));
    return true;
}

} // namespace lanescope::ptx
