// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalog/expression.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <muParser.h>

namespace lanescope::catalog {
namespace {

constexpr double kLargestExact = 9007199254740992.0; // 2^53

double ceilDiv(double a, double b) {
    return std::ceil(a / b);
}
double remainderOf(double a, double b) {
    return std::fmod(a, b);
}
double floorOf(double a) {
    return std::floor(a);
}
double ceilOf(double a) {
    return std::ceil(a);
}

double xorOf(double a, double b) {
    if (!(std::fabs(a) <= kLargestExact && std::fabs(b) <= kLargestExact))
        return std::nan("");
    return static_cast<double>(static_cast<std::int64_t>(a) ^ static_cast<std::int64_t>(b));
}

/// The functions, operators and constants that every expression may use.
void define(mu::Parser& parser, const Values& values) {
    parser.DefineFun("ceil_div", ceilDiv);
    parser.DefineFun("floor", floorOf);
    parser.DefineFun("ceil", ceilOf);
    parser.DefineFun("xor", xorOf);
    parser.DefineOprt("%", remainderOf, mu::prMUL_DIV);
    for (const auto& [name, value] : values) // constants, so that '=' cannot assign to them
        parser.DefineConst(name, static_cast<double>(value));
}

tl::unexpected<Diagnostics> explain(const mu::ParserError& error, const std::string& expression) {
    if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN)
        return failure("expression",
                       fmt::format("unknown name '{}' in '{}'", error.GetToken(), expression));
    return failure("expression", fmt::format("'{}': {}", expression, error.GetMsg()));
}

} // namespace

Result<double> evaluate(const std::string& expression, const Values& values) {
    double result = 0;
    try {
        mu::Parser parser;
        define(parser, values);
        parser.SetExpr(expression);
        result = parser.Eval();
        if (parser.GetNumResults() != 1)
            return failure("expression", fmt::format("'{}' has more than one value", expression));
    } catch (const mu::ParserError& error) {
        return explain(error, expression);
    }
    if (!std::isfinite(result))
        return failure("expression", fmt::format("'{}' has no finite value", expression));
    return result;
}

Result<std::int64_t> evaluateWhole(const std::string& expression, const Values& values) {
    auto result = evaluate(expression, values);
    if (!result)
        return failure(std::move(result.error()));
    if (std::floor(*result) != *result || std::fabs(*result) > kLargestExact)
        return failure("expression",
                       fmt::format("'{}' is {}, not a whole number", expression, *result));
    return static_cast<std::int64_t>(*result);
}

Result<std::string> substitute(std::string_view text, const Values& values) {
    std::string result;
    while (!text.empty()) {
        const std::size_t open = text.find('{');
        result += text.substr(0, open);
        if (open == std::string_view::npos)
            break;
        const std::size_t close = text.find('}', open);
        if (close == std::string_view::npos)
            return failure("expression", fmt::format("'{}' has a '{{' without its '}}'", text));
        auto value = evaluateWhole(std::string(text.substr(open + 1, close - open - 1)), values);
        if (!value)
            return failure(std::move(value.error()));
        result += std::to_string(*value);
        text.remove_prefix(close + 1);
    }
    return result;
}

struct Formula::State {
    mu::Parser parser;
    std::vector<double> variables;
};

Formula::Formula(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;
Formula::~Formula() = default;

Result<Formula> Formula::make(const std::string& expression, const Values& constants,
                              std::span<const std::string> variables) {
    auto state = std::make_unique<State>();
    state->variables.resize(variables.size());
    try {
        define(state->parser, constants);
        for (std::size_t i = 0; i < variables.size(); ++i)
            state->parser.DefineVar(variables[i], &state->variables[i]);
        state->parser.SetExpr(expression);
        state->parser.Eval(); // parses
    } catch (const mu::ParserError& error) {
        return explain(error, expression);
    }
    return Formula(std::move(state));
}

double Formula::operator()(std::span<const double> values) const {
    std::copy(values.begin(), values.end(), m_state->variables.begin());
    return m_state->parser.Eval();
}

} // namespace lanescope::catalog
