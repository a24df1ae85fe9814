// SPDX-License-Identifier: GPL-3.0-or-later
// Constant expressions (PTX ISA, section Constants) and the initialisers of variables.
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "engine/ptx/parser.h"

namespace lanescope::ptx {

namespace {

constexpr int kMaxConstantDepth = 64;
constexpr std::uint64_t kMaxInitialBytes = std::uint64_t{256} << 20;

std::uint64_t truncate(std::uint64_t bits, int bytes) {
    return bytes >= 8 || bytes <= 0 ? bits : bits & ((std::uint64_t{1} << (bytes * 8)) - 1);
}

struct BinaryOperator {
    std::string_view text;
    int precedence;
};

// Longer ones first: "<<" is not "<".
constexpr BinaryOperator kOperators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7},
                                         {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},
                                         {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},
                                         {"*", 10}, {"/", 10}, {"%", 10}};

Constant makeFloat(double value) {
    return {Constant::Kind::Float64, false, std::bit_cast<std::uint64_t>(value)};
}
Constant makeTruth(bool value) {
    return {Constant::Kind::Integer, false, value ? 1u : 0u};
}

std::optional<Constant> applyFloat(std::string_view op, double a, double b) {
    if (op == "+")
        return makeFloat(a + b);
    if (op == "-")
        return makeFloat(a - b);
    if (op == "*")
        return makeFloat(a * b);
    if (op == "/")
        return makeFloat(a / b);
    if (op == "==")
        return makeTruth(a == b);
    if (op == "!=")
        return makeTruth(a != b);
    if (op == "<")
        return makeTruth(a < b);
    if (op == "<=")
        return makeTruth(a <= b);
    if (op == ">")
        return makeTruth(a > b);
    if (op == ">=")
        return makeTruth(a >= b);
    return std::nullopt;
}

std::optional<std::uint64_t> divide(std::string_view op, std::uint64_t a, std::uint64_t b,
                                    bool isUnsigned) {
    if (b == 0)
        return std::nullopt;
    if (isUnsigned)
        return op == "/" ? a / b : a % b;
    if (b == ~std::uint64_t{0}) // -1: INT64_MIN / -1 has no result in C
        return op == "/" ? 0 - a : 0;
    const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
    return static_cast<std::uint64_t>(op == "/" ? x / y : x % y);
}

std::uint64_t shift(std::string_view op, std::uint64_t a, std::uint64_t b, bool isUnsigned) {
    const bool isNegative = !isUnsigned && (a >> 63) != 0;
    if (b >= 64)
        return op == ">>" && isNegative ? ~std::uint64_t{0} : 0;
    if (op == "<<")
        return a << b;
    return isUnsigned ? a >> b : static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> b);
}

std::optional<Constant> applyInteger(std::string_view op, const Constant& left,
                                     const Constant& right) {
    const std::uint64_t a = left.bits, b = right.bits;
    const bool isUnsigned = left.isUnsigned || right.isUnsigned;
    const auto less = [isUnsigned](std::uint64_t x, std::uint64_t y) {
        return isUnsigned ? x < y : static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y);
    };
    const auto number = [isUnsigned](std::uint64_t bits) {
        return Constant{Constant::Kind::Integer, isUnsigned, bits};
    };
    if (op == "||")
        return makeTruth(a != 0 || b != 0);
    if (op == "&&")
        return makeTruth(a != 0 && b != 0);
    if (op == "==")
        return makeTruth(a == b);
    if (op == "!=")
        return makeTruth(a != b);
    if (op == "<")
        return makeTruth(less(a, b));
    if (op == "<=")
        return makeTruth(!less(b, a));
    if (op == ">")
        return makeTruth(less(b, a));
    if (op == ">=")
        return makeTruth(!less(a, b));
    if (op == "<<" || op == ">>")
        return Constant{Constant::Kind::Integer, left.isUnsigned, shift(op, a, b, left.isUnsigned)};
    if (op == "/" || op == "%") {
        const auto result = divide(op, a, b, isUnsigned);
        return result ? std::optional(number(*result)) : std::nullopt;
    }
    switch (op.front()) {
    case '|':
        return number(a | b);
    case '^':
        return number(a ^ b);
    case '&':
        return number(a & b);
    case '+':
        return number(a + b);
    case '-':
        return number(a - b);
    default:
        return number(a * b);
    }
}

/// Bits of a float constant in a float type.
std::uint64_t floatBits(const Constant& constant, Type type) {
    if (type == Type::F32 && constant.kind == Constant::Kind::Float32)
        return constant.bits;
    if (type == Type::F32)
        return std::bit_cast<std::uint32_t>(static_cast<float>(constant.asDouble()));
    if (constant.kind == Constant::Kind::Float64)
        return constant.bits;
    return std::bit_cast<std::uint64_t>(constant.asDouble());
}

} // namespace

double Constant::asDouble() const {
    switch (kind) {
    case Kind::Integer:
        return isUnsigned ? static_cast<double>(bits)
                          : static_cast<double>(static_cast<std::int64_t>(bits));
    case Kind::Float32:
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case Kind::Float64:
        return std::bit_cast<double>(bits);
    }
    return 0;
}

std::optional<std::uint64_t> convertConstant(const Constant& constant, Type type,
                                             std::string& problem) {
    const bool isInteger = constant.kind == Constant::Kind::Integer;
    if (type == Type::Pred && isInteger)
        return constant.bits != 0 ? 1 : 0;
    if (type == Type::F32 || type == Type::F64) {
        if (!isInteger)
            return floatBits(constant, type);
        problem = fmt::format(
            "an integer is not a .{} operand; write it with a decimal point or as 0{}...",
            name(type), type == Type::F32 ? "f" : "d");
        return std::nullopt;
    }
    if (isFloat(type)) {
        problem = fmt::format("PTX has no literals of type .{}; move the bits to a register first",
                              name(type));
        return std::nullopt;
    }
    if (isInteger)
        return truncate(constant.bits, sizeBytes(type));
    const int bytes = constant.kind == Constant::Kind::Float32 ? 4 : 8;
    if (isUntyped(type) && sizeBytes(type) == bytes)
        return constant.bits;
    problem = fmt::format("a floating-point literal is not a .{} operand", name(type));
    return std::nullopt;
}

std::optional<std::uint64_t> convertInitialiser(const Constant& constant, Type type,
                                                std::string& problem) {
    if ((type == Type::F32 || type == Type::F64) && constant.kind == Constant::Kind::Integer)
        return floatBits(makeFloat(constant.asDouble()), type);
    return convertConstant(constant, type, problem);
}

bool Parser::parseUnsigned(std::uint64_t& value, std::uint64_t maximum, std::string_view what) {
    if (current().kind != TokenKind::Integer)
        return errorHere(fmt::format("a number is expected after {}", what));
    value = current().value;
    if (value > maximum)
        return errorHere(fmt::format("{} is too large for {} (at most {})", value, what, maximum));
    advance();
    return true;
}

bool Parser::parseConstant(Constant& value) {
    m_constantDepth = 0;
    return parseTernary(value);
}

bool Parser::parseTernary(Constant& value) {
    if (!parseBinary(value, 1))
        return false;
    if (!accept('?'))
        return true;
    Constant yes, no;
    if (++m_constantDepth > kMaxConstantDepth)
        return errorHere("the constant expression is nested too deeply");
    if (!parseTernary(yes) || !expect(':', "the second part of ?:") || !parseTernary(no))
        return false;
    value = value.bits != 0 ? yes : no;
    return true;
}

bool Parser::parseBinary(Constant& value, int minimumPrecedence) {
    if (!parseUnary(value))
        return false;
    for (;;) {
        const BinaryOperator* found = nullptr;
        for (const BinaryOperator& candidate : kOperators) {
            const bool matches =
                current().is(candidate.text[0]) &&
                (candidate.text.size() == 1 || (ahead(1).is(candidate.text[1]) &&
                                                ahead(1).text.data() == current().text.data() + 1));
            if (matches) {
                found = &candidate;
                break;
            }
        }
        if (found == nullptr || found->precedence < minimumPrecedence)
            return true;
        const Token& token = current();
        for (std::size_t i = 0; i < found->text.size(); ++i)
            advance();
        Constant right;
        if (!parseBinary(right, found->precedence + 1))
            return false;
        const bool isFloating =
            value.kind != Constant::Kind::Integer || right.kind != Constant::Kind::Integer;
        const auto result = isFloating ? applyFloat(found->text, value.asDouble(), right.asDouble())
                                       : applyInteger(found->text, value, right);
        if (!result)
            return error(fmt::format("'{}' has no value here", found->text), token);
        value = *result;
    }
}

bool Parser::parseUnary(Constant& value) {
    const Token& token = current();
    if (!token.is('-') && !token.is('+') && !token.is('!') && !token.is('~'))
        return parsePrimary(value);
    if (++m_constantDepth > kMaxConstantDepth)
        return errorHere("the constant expression is nested too deeply");
    advance();
    if (!parseUnary(value))
        return false;
    const bool isInteger = value.kind == Constant::Kind::Integer;
    if (token.is('-') && isInteger)
        value.bits = 0 - value.bits;
    else if (token.is('-'))
        value.bits ^= std::uint64_t{1} << (value.kind == Constant::Kind::Float32 ? 31 : 63);
    else if (token.is('!'))
        value = makeTruth(isInteger ? value.bits == 0 : value.asDouble() == 0);
    else if (token.is('~') && !isInteger)
        return error("~ takes an integer", token);
    else if (token.is('~'))
        value.bits = ~value.bits;
    return true;
}

bool Parser::parsePrimary(Constant& value) {
    const Token& token = current();
    switch (token.kind) {
    case TokenKind::Integer:
        value = {Constant::Kind::Integer, token.isUnsigned, token.value};
        break;
    case TokenKind::Float32:
        value = {Constant::Kind::Float32, false, token.value};
        break;
    case TokenKind::Float64:
        value = {Constant::Kind::Float64, false, token.value};
        break;
    case TokenKind::Identifier:
        if (token.text != "WARP_SZ")
            return errorHere(
                fmt::format("a constant is expected here, not '{}'", token.text.substr(0, 40)));
        value = {Constant::Kind::Integer, false, 32};
        break;
    default: {
        if (!token.is('('))
            return errorHere(
                fmt::format("a constant is expected here, not '{}'", token.text.substr(0, 40)));
        if (++m_constantDepth > kMaxConstantDepth)
            return errorHere("the constant expression is nested too deeply");
        advance();
        const bool toSigned = current().isDot("s64"), toUnsigned = current().isDot("u64");
        if (toSigned || toUnsigned) {
            advance();
            if (!expect(')', "the type of a cast") || !parseUnary(value))
                return false;
            value.isUnsigned = toUnsigned;
            return true;
        }
        return parseTernary(value) && expect(')', "the expression");
    }
    }
    advance();
    return true;
}

bool Parser::storeInitial(Variable& variable, std::uint64_t at, std::uint64_t bits, int bytes) {
    const std::uint64_t end = at + static_cast<std::uint64_t>(bytes);
    if (end > variable.initial.size()) {
        m_initialBytes += end - variable.initial.size();
        if (m_initialBytes > kMaxInitialBytes)
            return errorHere("the initialisers of the module need more than 256 MiB");
        variable.initial.resize(end);
    }
    for (int i = 0; i < bytes && i < 8; ++i)
        variable.initial[at + static_cast<std::uint64_t>(i)] =
            static_cast<std::uint8_t>(bits >> (8 * i));
    return true;
}

bool Parser::parseInitialiserElement(Variable& variable, std::uint64_t at) {
    const Token& token = current();
    const int bytes = sizeBytes(variable.type);
    const bool isSymbol = token.kind == TokenKind::Identifier && token.text != "WARP_SZ";
    if (!isSymbol) {
        Constant value;
        std::string problem;
        if (!parseConstant(value))
            return false;
        if (current().is('('))
            return error("the mask operator of an initialiser is not simulated", token, {},
                         "unsupported");
        const auto bits = convertInitialiser(value, variable.type, problem);
        return bits ? storeInitial(variable, at, *bits, bytes) : error(problem, token);
    }
    Variable::Relocation relocation;
    advance();
    std::string_view symbol = token.text;
    if (symbol == "generic" && accept('(')) {
        if (current().kind != TokenKind::Identifier)
            return errorHere("a variable is expected in generic()");
        symbol = current().text;
        relocation.generic = true;
        advance();
        if (!expect(')', "generic(name"))
            return false;
    }
    if (current().is('+') || current().is('-')) {
        const bool isNegative = current().is('-');
        advance();
        Constant addend;
        if (!parseConstant(addend))
            return false;
        relocation.addend = static_cast<std::int64_t>(isNegative ? 0 - addend.bits : addend.bits);
    }
    if (bytes != 4 && bytes != 8)
        return error(fmt::format("an address does not fit a .{} element", name(variable.type)),
                     token);
    relocation.at = at;
    relocation.symbol = std::string(symbol);
    relocation.bytes = static_cast<std::uint8_t>(bytes);
    variable.relocations.push_back(std::move(relocation));
    return storeInitial(variable, at, 0, bytes);
}

/// One brace list: level 0 is the whole variable; inner braces are the rows of the next dimension.
bool Parser::parseInitialiserList(Variable& variable, const std::vector<std::uint64_t>& dimensions,
                                  std::size_t level, std::uint64_t begin, std::uint64_t& end) {
    const auto elementBytes = static_cast<std::uint64_t>(sizeBytes(variable.type));
    std::uint64_t stride = elementBytes;
    for (std::size_t i = level + 1; i < dimensions.size(); ++i)
        stride *= dimensions[i];
    const bool isUnsized = level < dimensions.size() && dimensions[level] == 0;
    const std::uint64_t limit =
        isUnsized ? ~std::uint64_t{0}
                  : begin + stride * (level < dimensions.size() ? dimensions[level] : 1);
    std::uint64_t at = begin;
    advance(); // {
    while (!accept('}')) {
        const Token& token = current();
        if (current().is('{')) {
            std::uint64_t inner = at;
            if (level + 1 >= dimensions.size() + (dimensions.empty() ? 1 : 0))
                return errorHere(
                    "the initialiser has more braces than the variable has dimensions");
            if (at >= limit)
                return error("the initialiser has more elements than the variable", token);
            if (!parseInitialiserList(variable, dimensions, level + 1, at, inner))
                return false;
            at += stride;
        } else {
            if (at + elementBytes > limit)
                return error("the initialiser has more elements than the variable", token);
            if (!parseInitialiserElement(variable, at))
                return false;
            at += elementBytes;
        }
        if (!accept(',') && !current().is('}'))
            return expect('}', "the elements of an initialiser");
    }
    end = std::max(end, at);
    return true;
}

bool Parser::parseInitialiser(Variable& variable, const std::vector<std::uint64_t>& dimensions,
                              std::uint64_t elementBytes) {
    std::uint64_t end = 0;
    if (current().kind == TokenKind::String) {
        for (const char c : current().text)
            if (!storeInitial(variable, end++, static_cast<std::uint8_t>(c), 1))
                return false;
        advance();
        ++end;
    } else if (current().is('{')) {
        if (!parseInitialiserList(variable, dimensions, 0, 0, end))
            return false;
    } else if (!parseInitialiserElement(variable, 0)) {
        return false;
    }
    if (!dimensions.empty() && dimensions[0] == 0) {
        std::uint64_t row = elementBytes;
        for (std::size_t i = 1; i < dimensions.size(); ++i)
            row *= dimensions[i];
        variable.sizeBytes = row == 0 ? 0 : (end + row - 1) / row * row;
    }
    return true;
}

} // namespace lanescope::ptx
