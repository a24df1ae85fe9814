// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ptx/parser.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace lanescope::ptx {

namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;
constexpr std::uint64_t kMaxFiles = 1 << 16;

} // namespace

Parser::Parser(Module& module, Diagnostics& diagnostics)
    : m_module(module), m_diagnostics(diagnostics) {
    m_tokens = tokenise(m_module.text, m_module.path, m_diagnostics);
}

bool Parser::accept(char c) {
    if (!current().is(c))
        return false;
    advance();
    return true;
}

bool Parser::acceptDot(std::string_view name) {
    if (!current().isDot(name))
        return false;
    advance();
    return true;
}

bool Parser::expect(char c, std::string_view after) {
    if (accept(c))
        return true;
    if (current().kind == TokenKind::End)
        return errorHere(fmt::format("the text ends where '{}' is expected after {}", c, after));
    const bool isDot = current().kind == TokenKind::Dot;
    return errorHere(fmt::format("'{}' is expected after {}, not '{}{}'", c, after,
                                 isDot ? "." : "", current().text.substr(0, 40)));
}

std::string_view Parser::textBetween(std::size_t firstToken, std::size_t endToken) const {
    const char* begin = m_tokens[firstToken].text.data();
    const Token& last = m_tokens[endToken > firstToken ? endToken - 1 : firstToken];
    const char* end = last.text.data() + last.text.size();
    if (m_tokens[firstToken].kind == TokenKind::Dot)
        --begin;
    return {begin, static_cast<std::size_t>(end - begin)};
}

std::string Parser::statementText(std::size_t firstToken) const {
    std::size_t end = firstToken;
    while (end < m_tokens.size() - 1 && end < firstToken + 100 && !m_tokens[end].is(';'))
        ++end;
    std::string text;
    for (char c : textBetween(firstToken, end)) {
        const bool isBlank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (isBlank && !text.empty() && text.back() != ' ')
            text += ' ';
        else if (!isBlank)
            text += c;
        if (text.size() >= 120)
            return text + "...";
    }
    return text;
}

void Parser::skipStatement(std::size_t firstToken) {
    m_at = firstToken;
    int depth = 0;
    for (; current().kind != TokenKind::End; advance()) {
        if (current().is(';')) {
            advance();
            return;
        }
        if (current().is('{'))
            ++depth;
        else if (current().is('}') && depth-- == 0)
            break;
    }
}

/// Goes past a statement of the module, a whole function body included.
void Parser::skipModuleStatement(std::size_t firstToken) {
    m_inBody = false;
    int depth = 0;
    for (m_at = firstToken; current().kind != TokenKind::End; advance()) {
        if (current().is('{'))
            ++depth;
        const bool ends = (current().is('}') && --depth <= 0) || (current().is(';') && depth == 0);
        if (ends) {
            advance();
            return;
        }
    }
}

bool Parser::skipBalanced(char open, char close) {
    const Token& first = current();
    int depth = 0;
    for (; current().kind != TokenKind::End; advance()) {
        if (current().is(open))
            ++depth;
        else if (current().is(close) && --depth == 0) {
            advance();
            return true;
        }
    }
    return error(fmt::format("this '{}' is not closed", open), first);
}

bool Parser::error(std::string message, const Token& at, std::string hint, std::string code) {
    if (!tooManyErrors())
        m_diagnostics.push_back({Severity::Error,
                                 std::move(code),
                                 std::move(message),
                                 {m_module.path, at.line, at.column},
                                 std::move(hint)});
    return false;
}

bool Parser::unsupported(std::string message, std::size_t firstToken, const Token& at) {
    constexpr std::size_t kMaxProblems = 10000;
    if (m_problems.size() < kMaxProblems)
        m_problems.push_back({m_functionIndex,
                              {Severity::Error,
                               "unsupported",
                               fmt::format("{}: {}", message, statementText(firstToken)),
                               {m_module.path, at.line, at.column},
                               "kernels of this file that do not reach it can still be run"}});
    m_function.isComplete = false;
    return false;
}

void Parser::parseModule() {
    while (current().kind != TokenKind::End && !tooManyErrors())
        parseModuleStatement();
    if (m_diagnostics.empty() && m_module.versionMajor == 0)
        error("this is no PTX module: it has no .version", m_tokens.front(),
              "start the file with .version and .target");
    else if (m_diagnostics.empty() && m_module.target.empty())
        error("the module has no .target", m_tokens.front(),
              "write .target sm_80 or another after .version");
    resolveModuleNames();
    applyAliases();
}

void Parser::parseModuleStatement() {
    const std::size_t start = m_at;
    const Token& token = current();
    bool ok = true;
    if (token.is(';')) {
        advance();
    } else if (token.kind != TokenKind::Dot) {
        ok = errorHere(
            fmt::format("a directive is expected here, not '{}'", token.text.substr(0, 40)));
        advance();
    } else if (acceptDot("version")) {
        ok = parseVersion();
    } else if (acceptDot("target")) {
        ok = parseTarget();
    } else if (acceptDot("address_size")) {
        std::uint64_t bits = 0;
        ok = parseUnsigned(bits, 64, ".address_size");
        if (ok && bits != 32 && bits != 64)
            ok = error(".address_size is 32 or 64", token);
        m_module.addressBits = static_cast<std::uint32_t>(bits);
    } else if (acceptDot("file")) {
        ok = parseFile();
    } else if (acceptDot("loc")) {
        ok = parseLoc();
    } else if (acceptDot("section")) {
        ok = parseSection();
    } else if (acceptDot("pragma")) {
        skipStatement(start);
    } else if (acceptDot("alias")) {
        ok = parseAlias();
    } else {
        Linkage linkage;
        ok = parseLinkage(linkage);
        if (ok && (current().isDot("func") || current().isDot("entry")))
            ok = parseFunction(linkage);
        else if (ok)
            ok = parseVariables(linkage);
    }
    if (!ok)
        skipModuleStatement(start);
}

bool Parser::parseVersion() {
    // "9.0" is one number to the lexer; major and minor are read from its digits.
    const Token& token = current();
    const std::string_view text = token.text;
    const std::size_t dot = text.find('.');
    const char* end = text.data() + text.size();
    bool ok = token.kind == TokenKind::Float64 && dot != std::string_view::npos;
    ok = ok &&
         std::from_chars(text.data(), text.data() + dot, m_module.versionMajor).ec == std::errc{};
    ok = ok && std::from_chars(text.data() + dot + 1, end, m_module.versionMinor).ec == std::errc{};
    if (!ok || m_module.versionMajor == 0)
        return errorHere("a version such as 8.0 is expected after .version");
    advance();
    return true;
}

bool Parser::parseTarget() {
    bool any = false;
    do {
        if (current().kind != TokenKind::Identifier)
            return errorHere("a target such as sm_80 is expected after .target");
        if (!any)
            m_module.target = std::string(current().text);
        any = true;
        advance();
    } while (accept(','));
    return true;
}

bool Parser::parseFile() {
    std::uint64_t index = 0;
    if (!parseUnsigned(index, kMaxFiles, ".file"))
        return false;
    if (current().kind != TokenKind::String)
        return errorHere("a file name in quotes is expected after .file and its number");
    std::string path(current().text);
    advance();
    if (current().kind == TokenKind::String) { // clang: "folder" "name"
        const std::string_view name = current().text;
        path = name.starts_with('/') || path.empty() ? std::string(name)
                                                     : path + "/" + std::string(name);
        advance();
    }
    while (accept(',')) // time stamp and size
        if (current().kind == TokenKind::Integer)
            advance();
    if (current().kind == TokenKind::Identifier && current().text == "md5") {
        advance();
        if (current().kind == TokenKind::Integer || current().kind == TokenKind::Identifier)
            advance();
    }
    if (m_module.files.size() <= index)
        m_module.files.resize(index + 1);
    m_module.files[index] = std::move(path);
    return true;
}

bool Parser::parseSection() {
    if (current().kind != TokenKind::Dot && current().kind != TokenKind::Identifier)
        return errorHere("a section name is expected after .section");
    advance();
    if (!current().is('{'))
        return expect('{', "the section's name");
    return skipBalanced('{', '}');
}

bool Parser::parseAlias() {
    const std::size_t first = m_at;
    if (current().kind != TokenKind::Identifier)
        return errorHere("a function name is expected after .alias");
    advance();
    if (!expect(',', "the alias"))
        return false;
    if (current().kind != TokenKind::Identifier)
        return errorHere("the name of the function that is aliased is expected");
    m_aliases.emplace_back(first, m_at);
    advance();
    return expect(';', "the alias");
}

void Parser::resolveModuleNames() {
    for (const auto& [function, pending] : m_pendingSymbols) {
        const Token& token = m_tokens[pending.token];
        const auto found = m_symbols.find(token.text);
        if (pending.use == PendingName::Use::TableEntry) {
            if (found != m_symbols.end() && found->second.kind == Symbol::Kind::Function)
                m_module.functions[function]
                    .targetTables[pending.instruction]
                    .targets[pending.operand] = found->second.index;
            else
                error(fmt::format("function '{}' is not declared", token.text.substr(0, 80)),
                      token);
            continue;
        }
        auto& instructions = m_module.functions[function].instructions;
        if (pending.instruction >= instructions.size() ||
            pending.operand >= instructions[pending.instruction].operands.size())
            continue; // its instruction was malformed and is reported
        if (found == m_symbols.end()) {
            error(fmt::format("'{}' is not declared", token.text.substr(0, 80)), token);
            continue;
        }
        Operand& operand = instructions[pending.instruction].operands[pending.operand];
        const std::int64_t offset = operand.offset;
        operand = operandOf(found->second);
        operand.offset = offset;
    }
}

void Parser::applyAliases() {
    std::unordered_map<std::uint32_t, std::uint32_t> targets;
    for (const auto& [alias, target] : m_aliases) {
        const auto from = m_symbols.find(m_tokens[alias].text);
        const auto to = m_symbols.find(m_tokens[target].text);
        if (from == m_symbols.end() || to == m_symbols.end() ||
            from->second.kind != Symbol::Kind::Function ||
            to->second.kind != Symbol::Kind::Function)
            error("both names of .alias must be functions of the module", m_tokens[alias]);
        else
            targets[from->second.index] = to->second.index;
    }
    if (targets.empty())
        return;
    const auto retarget = [&](std::uint32_t& index) {
        if (const auto found = targets.find(index); found != targets.end())
            index = found->second;
    };
    for (Function& function : m_module.functions) {
        for (Instruction& instruction : function.instructions)
            for (Operand& operand : instruction.operands)
                if (operand.kind == OperandKind::Function)
                    retarget(operand.index);
        for (Function::TargetTable& table : function.targetTables)
            if (table.isCall)
                std::for_each(table.targets.begin(), table.targets.end(), retarget);
    }
}

Result<Module> parse(std::string text, std::string path, std::string_view entry) {
    Module module;
    module.path = std::move(path);
    if (text.size() > kMaxTextBytes)
        return failure(
            "file",
            fmt::format("the text has {} MiB; PTX of at most 64 MiB is read", text.size() >> 20),
            {module.path, 0, 0});
    module.text = std::move(text);
    Diagnostics diagnostics;
    Parser parser(module, diagnostics);
    parser.parseModule();
    parser.reportReachable(entry);
    if (!diagnostics.empty()) {
        std::stable_sort(diagnostics.begin(), diagnostics.end(),
                         [](const Diagnostic& a, const Diagnostic& b) {
                             return std::pair(a.where.line, a.where.column) <
                                    std::pair(b.where.line, b.where.column);
                         });
        return failure(std::move(diagnostics));
    }
    return module;
}

} // namespace lanescope::ptx
