// SPDX-License-Identifier: GPL-3.0-or-later
// Operands, read as the form of their instruction says.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "engine/ptx/parser.h"

namespace lanescope::ptx {

namespace {

/// %pm0 ... %pm7, %envreg0 ... %envreg31 (and %pm0_64 ...): the family's special register, with the
/// number.
Special numberedSpecial(std::string_view name, std::uint32_t& number) {
    const bool isPm = name.starts_with("%pm"), isEnv = name.starts_with("%envreg");
    if (!isPm && !isEnv)
        return Special::None;
    std::string_view digits = name.substr(isPm ? 3 : 7);
    if (isPm && digits.ends_with("_64"))
        digits.remove_suffix(3);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || result.ec != std::errc{} || result.ptr != digits.data() + digits.size())
        return Special::None;
    if (number >= (isPm ? 8u : 32u))
        return Special::None;
    return isPm ? Special::Pm0 : Special::EnvReg;
}

const std::unordered_map<std::string_view, Special>& specials() {
    static const auto table = [] {
        std::unordered_map<std::string_view, Special> map;
        for (int i = 1; i < static_cast<int>(Special::Pm0); ++i)
            map.emplace(name(static_cast<Special>(i)), static_cast<Special>(i));
        return map;
    }();
    return table;
}

bool is64Bit(Special special) {
    return special == Special::Clock64 || special == Special::GlobalTimer ||
           special == Special::CurrentGraphExec;
}

/// Sizes that mov and others may read a special register with (ptxas: 16 or 32 bits; 64-bit ones
/// and %gridid also 64).
bool specialFits(Special special, Type type) {
    const int bytes = sizeBytes(type);
    if (special == Special::IsExplicitCluster || type == Type::Pred)
        return special == Special::IsExplicitCluster && type == Type::Pred;
    if (isFloat(type))
        return false;
    if (is64Bit(special))
        return bytes == 8;
    return bytes == 4 || bytes == 2 || (bytes == 8 && special == Special::GridId);
}

} // namespace

std::optional<Symbol> Parser::findInScope(const NameScope& scope, std::string_view name) const {
    if (const auto found = scope.symbols.find(name); found != scope.symbols.end())
        return found->second;
    if (scope.ranges.empty())
        return std::nullopt;
    for (std::size_t digits = name.size();
         digits > 1 && name[digits - 1] >= '0' && name[digits - 1] <= '9';) {
        --digits;
        const auto range = scope.ranges.find(name.substr(0, digits));
        if (range == scope.ranges.end() || (name[digits] == '0' && digits + 1 < name.size()))
            continue;
        std::uint32_t number = 0;
        const auto result =
            std::from_chars(name.data() + digits, name.data() + name.size(), number);
        if (result.ec == std::errc{} && number < range->second.count) {
            Symbol symbol;
            symbol.index = range->second.first + number;
            return symbol;
        }
    }
    return std::nullopt;
}

std::optional<Symbol> Parser::find(std::string_view name) const {
    for (std::size_t i = m_scopes.size(); i-- > 0;)
        if (const auto symbol = findInScope(m_scopes[i], name))
            return symbol;
    if (const auto found = m_symbols.find(name); found != m_symbols.end())
        return found->second;
    return std::nullopt;
}

Operand Parser::operandOf(const Symbol& symbol) const {
    Operand operand;
    operand.index = symbol.index;
    switch (symbol.kind) {
    case Symbol::Kind::Register:
        operand.kind = OperandKind::Register;
        break;
    case Symbol::Kind::VectorRegister:
        operand.kind = OperandKind::Vector;
        break;
    case Symbol::Kind::Variable:
        operand.kind = OperandKind::Variable;
        operand.scope = symbol.scope;
        break;
    case Symbol::Kind::Function:
        operand.kind = OperandKind::Function;
        break;
    case Symbol::Kind::Label:
        operand.kind = OperandKind::Label;
        break;
    case Symbol::Kind::Table:
        operand.kind = OperandKind::TargetTable;
        break;
    case Symbol::Kind::Prototype:
        operand.kind = OperandKind::Prototype;
        break;
    }
    return operand;
}

namespace {
/// A of wgmma when it is in registers.
OperandForm registersOfDescriptor() {
    OperandForm form;
    form.role = OperandRole::Elements;
    form.count = 4;
    return form;
}
} // namespace

bool Parser::parseOperand(Instruction& instruction, const OperandForm& form, Type type) {
    Operand operand;
    bool ok = false;
    switch (form.role) {
    case OperandRole::Memory:
        ok = parseAddress(operand, 0);
        break;
    case OperandRole::TensorBox:
        ok = parseAddress(operand, instruction.modifiers.dimensions);
        break;
    case OperandRole::Predicate:
        ok = parsePredicate(operand);
        break;
    case OperandRole::Pair:
        ok = parsePair(operand, form, type);
        break;
    case OperandRole::Constant: {
        const Token& token = current();
        Constant value;
        if (!parseConstant(value))
            return false;
        if (value.kind != Constant::Kind::Integer || value.bits > 255)
            return error("the table of lop3 is a number from 0 to 255", token);
        instruction.immediate = static_cast<std::uint32_t>(value.bits);
        return true;
    }
    case OperandRole::Elements:
    case OperandRole::MoveValue:
    case OperandRole::AddressOf:
    case OperandRole::Value:
        ok = parseValue(operand, form, type, instruction.modifiers);
        break;
    case OperandRole::RegistersOrDescriptor: {
        const auto symbol = current().kind == TokenKind::Identifier ? find(current().text) : std::nullopt;
        const bool isVector = current().is('{') || (symbol && symbol->kind == Symbol::Kind::VectorRegister);
        ok = isVector ? parseValue(operand, registersOfDescriptor(), Type::B32, instruction.modifiers)
                      : parseValue(operand, OperandForm{}, type, instruction.modifiers);
        break;
    }
    case OperandRole::ValueOrPredicate: {
        const auto symbol = current().kind == TokenKind::Identifier ? find(current().text) : std::nullopt;
        const bool isPredicate = symbol && symbol->kind == Symbol::Kind::Register &&
                                 m_function.registers[symbol->index].type == Type::Pred;
        ok = isPredicate ? parsePredicate(operand)
                         : parseValue(operand, form, type, instruction.modifiers);
        break;
    }
    }
    if (ok)
        instruction.operands.push_back(std::move(operand));
    return ok;
}

bool Parser::parseValue(Operand& operand, const OperandForm& form, Type type,
                        const Modifiers& modifiers) {
    const Token& token = current();
    if (token.is('{'))
        return parseVector(operand, form, type, modifiers);
    const auto wanted = static_cast<std::uint32_t>(elementCount(form, modifiers));
    if (form.role == OperandRole::Elements && wanted > 1) {
        const auto symbol = token.kind == TokenKind::Identifier ? find(token.text) : std::nullopt;
        if (!symbol || symbol->kind != Symbol::Kind::VectorRegister ||
            symbol->count != wanted)
            return errorHere(fmt::format("a vector of {} elements is expected", wanted));
        advance();
        return vectorElements(operand, *symbol);
    }
    if (token.kind == TokenKind::Identifier && token.text != "WARP_SZ")
        return parseName(operand, form, type);
    if (form.isDestination)
        return errorHere(fmt::format("a register is expected as destination, not '{}'",
                                     token.text.substr(0, 40)));
    return parseImmediate(operand, type);
}

bool Parser::vectorElements(Operand& operand, const Symbol& symbol) const {
    operand.kind = OperandKind::Vector;
    for (std::uint32_t i = 0; i < symbol.count; ++i) {
        Symbol element;
        element.index = symbol.index + i;
        operand.elements.push_back(operandOf(element));
    }
    return true;
}

bool Parser::parseVector(Operand& operand, const OperandForm& form, Type type,
                         const Modifiers& modifiers) {
    const auto wanted = static_cast<std::size_t>(elementCount(form, modifiers));
    const Token& open = current();
    const bool packs = form.role == OperandRole::MoveValue;
    if (form.role != OperandRole::Elements && !packs)
        return errorHere("this operand is no vector");
    std::size_t count = 1;
    for (std::size_t i = 1;
         !ahead(i).is('}') && !ahead(i).is(';') && ahead(i).kind != TokenKind::End; ++i)
        count += ahead(i).is(',') ? 1 : 0;
    if (packs &&
        (count > 4 || (count != 2 && count != 4) || sizeBytes(type) % static_cast<int>(count) != 0))
        return errorHere("mov packs or unpacks vectors of 2 or 4 elements");
    if (!packs && count != wanted)
        return errorHere(
            fmt::format("a vector of {} elements is expected, not of {}", wanted, count));
    OperandForm elementForm;
    elementForm.isDestination = form.isDestination;
    elementForm.widens = form.widens;
    elementForm.maySink = form.isDestination;
    Type elementType = type;
    if (packs) {
        const int bytes = sizeBytes(type) / static_cast<int>(count);
        elementType = bytes == 1   ? Type::B8
                      : bytes == 2 ? Type::B16
                      : bytes == 4 ? Type::B32
                                   : Type::B64;
        elementForm.widens = bytes == 1;
    }
    advance();
    operand.kind = OperandKind::Vector;
    do {
        Operand element;
        if (current().is('{'))
            return errorHere("vectors do not nest");
        if (!parseValue(element, elementForm, elementType, modifiers))
            return false;
        operand.elements.push_back(std::move(element));
    } while (accept(','));
    if (operand.elements.size() != count)
        return error("the vector is malformed", open);
    return expect('}', "the elements of a vector");
}

bool Parser::parsePair(Operand& operand, const OperandForm& form, Type type) {
    OperandForm part;
    part.isDestination = true;
    part.maySink = form.maySink;
    Operand first;
    if (!parseValue(first, part, type, Modifiers{}))
        return false;
    if (!accept('|')) {
        if (first.kind == OperandKind::Sink)
            return errorHere("'|' and a predicate are expected after '_'");
        operand = std::move(first);
        return form.pairOptional ||
               errorHere("'|' and a predicate are expected after the destination");
    }
    Operand second;
    part.maySink = true;
    if (!parseValue(second, part, Type::Pred, Modifiers{}))
        return false;
    operand.kind = OperandKind::PredicatePair;
    operand.elements.push_back(std::move(first));
    operand.elements.push_back(std::move(second));
    return true;
}

bool Parser::parsePredicate(Operand& operand) {
    const bool negated = accept('!');
    OperandForm form;
    if (!parseValue(operand, form, Type::Pred, Modifiers{}))
        return false;
    if (negated && operand.kind == OperandKind::Immediate)
        operand.bits ^= 1;
    else
        operand.negated = negated;
    return true;
}

bool Parser::parseImmediate(Operand& operand, Type type) {
    const Token& token = current();
    if (token.is('-') && ahead(1).kind == TokenKind::Identifier && ahead(1).text != "WARP_SZ")
        return errorHere("PTX negates no register operand; use neg");
    Constant value;
    if (!parseConstant(value))
        return false;
    std::string problem;
    const auto bits = convertConstant(value, type, problem);
    if (!bits)
        return error(problem, token);
    operand.kind = OperandKind::Immediate;
    operand.bits = *bits;
    return true;
}

bool Parser::parseSpecial(Operand& operand, bool& isSpecial) {
    const Token& token = current();
    isSpecial = false;
    if (!token.text.starts_with('%'))
        return true;
    std::string name(token.text);
    const bool hasComponent = ahead(1).kind == TokenKind::Dot && ahead(1).text.size() == 1;
    if (hasComponent)
        name.append(".").append(ahead(1).text);
    std::uint32_t number = 0;
    if (name.starts_with("%reserved_smem_offset_"))
        name = "%reserved_smem_offset_begin"; // _end, _cap, _0, _1: nothing is reserved, all are 0
    const auto found = specials().find(name);
    Special special = found == specials().end() ? numberedSpecial(name, number) : found->second;
    const bool isFourth = special == Special::None && name.size() > 2 && name.ends_with(".w") &&
                          specials().contains(name.substr(0, name.size() - 1) + "x");
    if (special == Special::None && !isFourth) {
        if (!hasComponent && specials().contains(name + ".x"))
            return errorHere(fmt::format("{} is a vector; read {}.x, .y or .z", name, name));
        return true;
    }
    isSpecial = true;
    operand.kind =
        isFourth ? OperandKind::Immediate : OperandKind::Special; // %tid.w and its like are 0
    operand.special = isFourth ? Special::None : special;
    operand.index = number;
    advance();
    if (hasComponent)
        advance();
    return true;
}

bool Parser::parseName(Operand& operand, const OperandForm& form, Type type) {
    const Token& token = current();
    const std::size_t tokenIndex = m_at;
    if (token.text == "_") {
        if (!form.maySink)
            return errorHere("'_' is not allowed here");
        operand.kind = OperandKind::Sink;
        advance();
        return true;
    }
    auto symbol = find(token.text);
    if (!symbol) {
        bool isSpecial = false;
        if (!parseSpecial(operand, isSpecial))
            return false;
        if (isSpecial && form.isDestination)
            return error(fmt::format("{} cannot be written", token.text.substr(0, 40)), token);
        if (isSpecial && operand.kind == OperandKind::Special &&
            !specialFits(operand.special, type))
            return error(
                fmt::format("{} does not fit a .{} operand", token.text.substr(0, 40), name(type)),
                token);
        if (isSpecial)
            return true;
    }
    const bool mayBeAddress = !form.isDestination && (form.role == OperandRole::MoveValue ||
                                                      form.role == OperandRole::AddressOf);
    if (!symbol && !(mayBeAddress && !token.text.starts_with('%')))
        return errorHere(fmt::format("'{}' is not declared", token.text.substr(0, 80)));
    advance();
    if (symbol && symbol->kind == Symbol::Kind::VectorRegister &&
        current().kind == TokenKind::Dot && current().text.size() == 1) {
        constexpr std::string_view kComponents = "xyzwrgba";
        const std::size_t component = kComponents.find(current().text) % 4;
        if (kComponents.find(current().text) == std::string_view::npos ||
            component >= symbol->count)
            return errorHere("a vector has the components .x, .y, .z and .w");
        advance();
        Symbol element;
        element.index = symbol->index + static_cast<std::uint32_t>(component);
        symbol = element;
    }
    if (symbol && symbol->kind == Symbol::Kind::Register) {
        operand = operandOf(*symbol);
        const Type have = m_function.registers[symbol->index].type;
        return isCompatible(have, type, form.widens) ||
               error(fmt::format("register '{}' of type .{} does not fit a .{} operand",
                                 token.text.substr(0, 80), name(have), name(type)),
                     token);
    }
    const bool isAddress =
        !symbol || symbol->kind == Symbol::Kind::Variable || symbol->kind == Symbol::Kind::Function;
    if (!isAddress || !mayBeAddress)
        return error(fmt::format("'{}' is no register", token.text.substr(0, 80)), token);
    if (isFloat(type) || sizeBytes(type) < 4)
        return error(fmt::format("the address of '{}' does not fit a .{} operand",
                                 token.text.substr(0, 80), name(type)),
                     token);
    if (symbol) {
        operand = operandOf(*symbol);
    } else {
        operand.kind = OperandKind::Function;
        PendingName pending;
        pending.use = PendingName::Use::Symbol;
        pending.instruction = static_cast<std::uint32_t>(m_function.instructions.size());
        pending.operand = 1; // mov and cvta: destination, address
        pending.token = tokenIndex;
        m_scopes.back().pending.push_back(pending);
    }
    return parseOffset(operand.offset);
}

/// [+ constant], [- constant], or nothing.
bool Parser::parseOffset(std::int64_t& offset) {
    if (!current().is('+') && !current().is('-'))
        return true;
    const Token& token = current();
    const bool isNegative = token.is('-');
    advance();
    Constant value;
    if (!parseConstant(value))
        return false;
    if (value.kind != Constant::Kind::Integer)
        return error("an offset is an integer", token);
    offset = static_cast<std::int64_t>(isNegative ? 0 - value.bits : value.bits);
    return true;
}

/// {coordinate, ...} of a box in a tensor: signed 32-bit numbers, the innermost first.
bool Parser::parseCoordinates(Operand& operand, std::size_t count) {
    const Token& open = current();
    OperandForm form;
    if (!expect(',', "the tensor map") || !expect('{', "the tensor map"))
        return false;
    do {
        Operand coordinate;
        if (!parseValue(coordinate, form, Type::S32, Modifiers{}))
            return false;
        operand.elements.push_back(std::move(coordinate));
    } while (accept(','));
    if (!expect('}', "the coordinates"))
        return false;
    return operand.elements.size() == count + 1 ||
           error(fmt::format("a tensor of {} dimensions has {} coordinates, not {}", count, count,
                             operand.elements.size() - 1),
                 open);
}

/// [address], or with coordinates [address, {c0, ...}].
bool Parser::parseAddress(Operand& operand, std::size_t coordinates) {
    operand.kind = OperandKind::Address;
    const Token& open = current();
    const bool isIndexed =
        open.kind == TokenKind::Identifier && ahead(1).is('['); // array[constant]
    if (!isIndexed && !accept('['))
        return errorHere(
            fmt::format("an address in brackets is expected, not '{}'", open.text.substr(0, 40)));
    const Token& token = current();
    Operand base;
    if (token.kind != TokenKind::Identifier) {
        Constant value;
        if (!parseConstant(value))
            return false;
        if (value.kind != Constant::Kind::Integer)
            return error("an address is an integer", token);
        base.kind = OperandKind::Immediate;
        base.bits = value.bits;
        operand.elements.push_back(std::move(base));
        return (coordinates == 0 || parseCoordinates(operand, coordinates)) && expect(']', "the address");
    }
    const auto symbol = find(token.text);
    if (!symbol)
        return errorHere(fmt::format("'{}' is not declared", token.text.substr(0, 80)));
    if (symbol->kind == Symbol::Kind::Register) {
        const Type type = m_function.registers[symbol->index].type;
        if (isFloat(type) || sizeBytes(type) < 4 || sizeBytes(type) > 8)
            return errorHere(fmt::format("register '{}' of type .{} holds no address",
                                         token.text.substr(0, 80), name(type)));
    } else if (symbol->kind != Symbol::Kind::Variable) {
        return errorHere(
            fmt::format("'{}' is neither a register nor a variable", token.text.substr(0, 80)));
    }
    advance();
    base = operandOf(*symbol);
    if (isIndexed) {
        const Token& indexToken = ahead(1);
        Constant index;
        advance();
        if (symbol->kind != Symbol::Kind::Variable ||
            symbol->scope == VariableScope::FunctionParameter ||
            symbol->scope == VariableScope::FunctionResult)
            return error("only an array is indexed", token);
        if (!parseConstant(index))
            return false;
        if (index.kind != Constant::Kind::Integer || index.bits > (std::uint64_t{1} << 36))
            return error("the index of an array is a number", indexToken);
        const auto& variables =
            symbol->scope == VariableScope::Module ? m_module.variables : m_function.variables;
        operand.offset =
            static_cast<std::int64_t>(index.bits) * sizeBytes(variables[symbol->index].type);
    } else if (!parseOffset(operand.offset)) {
        return false;
    }
    operand.elements.push_back(std::move(base));
    return (coordinates == 0 || parseCoordinates(operand, coordinates)) && expect(']', "the address");
}

} // namespace lanescope::ptx
