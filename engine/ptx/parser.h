// SPDX-License-Identifier: GPL-3.0-or-later
// The PTX parser: one pass over the tokens with a stack of scopes; names that are used before they
// are declared (labels, functions) are resolved when their scope closes. Private to engine/ptx.
// Parts: parser.cpp (module), parser_function.cpp (bodies), parser_operands.cpp, parser_values.cpp
// (constants and initialisers), parser_declarations.cpp (variables, parameters, registers).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/ptx/instruction_forms.h"
#include "engine/ptx/ir.h"
#include "engine/ptx/lexer.h"

namespace lanescope::ptx {

/// The value of a constant expression.
struct Constant {
    enum class Kind : std::uint8_t { Integer, Float32, Float64 };
    Kind kind = Kind::Integer;
    bool isUnsigned = false;
    std::uint64_t bits = 0; ///< two's complement, or the bits of the float or double

    double asDouble() const;
};

/// The bits of a constant as an operand of the type, by ptxas's rules (an integer is no .f32
/// operand); `problem` says why not.
std::optional<std::uint64_t> convertConstant(const Constant& constant, Type type,
                                             std::string& problem);
/// As above for an initialiser, where integers become floats.
std::optional<std::uint64_t> convertInitialiser(const Constant& constant, Type type,
                                                std::string& problem);

struct Symbol {
    enum class Kind : std::uint8_t {
        Register,
        VectorRegister,
        Variable,
        Function,
        Label,
        Table,
        Prototype
    };
    Kind kind = Kind::Register;
    VariableScope scope = VariableScope::Module;
    std::uint32_t index = 0;
    std::uint32_t count = 1; ///< VectorRegister: elements, in registers index, index + 1, ...
};

/// A .reg range %r<10> declares names by the thousand: they are found by prefix and number.
struct RegisterRange {
    std::uint32_t first = 0, count = 0;
};

/// A use of a name that was not declared yet.
struct PendingName {
    enum class Use : std::uint8_t { Branch, TableEntry, Table, Symbol };
    Use use = Use::Branch;
    std::uint32_t instruction = 0; ///< or the table of a TableEntry
    std::uint32_t operand = 0;     ///< or the entry of a TableEntry
    std::size_t token = 0;
};

struct NameScope {
    std::unordered_map<std::string_view, Symbol> symbols;
    std::unordered_map<std::string_view, RegisterRange> ranges;
    std::vector<PendingName> pending;
};

/// A problem of a function's body that matters only when the function can be reached.
struct BodyProblem {
    std::uint32_t function = 0;
    Diagnostic diagnostic;
};

struct CallSite {
    std::uint32_t function = 0, instruction = 0;
    std::size_t firstToken = 0, endToken = 0;
};

class Parser {
public:
    Parser(Module& module, Diagnostics& diagnostics);

    void parseModule();
    /// Diagnostics of functions reachable from the entry (all functions when it is empty), and
    /// calls of functions nobody defines.
    void reportReachable(std::string_view entry);

private:
    // Tokens.
    const Token& current() const { return m_tokens[m_at]; }
    const Token& ahead(std::size_t n) const {
        return m_tokens[std::min(m_at + n, m_tokens.size() - 1)];
    }
    void advance() { m_at += current().kind != TokenKind::End ? 1 : 0; }
    bool accept(char c);
    bool acceptDot(std::string_view name);
    bool expect(char c, std::string_view after);
    std::string_view textBetween(std::size_t firstToken, std::size_t endToken) const;
    /// The statement from a token to its ';' on one line, shortened.
    std::string statementText(std::size_t firstToken) const;
    /// Goes past the ';' that ends the statement, or stops before a '}' that closes a scope.
    void skipStatement(std::size_t firstToken);
    void skipModuleStatement(std::size_t firstToken);
    bool skipBalanced(char open, char close);

    // Diagnostics. They return false so that callers can say `return error(...)`.
    bool error(std::string message, const Token& at, std::string hint = {},
               std::string code = "syntax");
    bool errorHere(std::string message) { return error(std::move(message), current()); }
    bool unsupported(std::string message, std::size_t firstToken, const Token& at);
    bool tooManyErrors() const { return m_diagnostics.size() >= 50; }

    // Module level.
    void parseModuleStatement();
    bool parseVersion();
    bool parseTarget();
    bool parseFile();
    bool parseSection();
    bool parseAlias();
    void resolveModuleNames();
    void applyAliases();

    // Constants.
    bool parseConstant(Constant& value);
    bool parseTernary(Constant& value);
    bool parseBinary(Constant& value, int minimumPrecedence);
    bool parseUnary(Constant& value);
    bool parsePrimary(Constant& value);
    bool parseUnsigned(std::uint64_t& value, std::uint64_t maximum, std::string_view what);
    bool parseInitialiser(Variable& variable, const std::vector<std::uint64_t>& dimensions,
                          std::uint64_t elementBytes);
    bool parseInitialiserList(Variable& variable, const std::vector<std::uint64_t>& dimensions,
                              std::size_t level, std::uint64_t begin, std::uint64_t& end);
    bool parseInitialiserElement(Variable& variable, std::uint64_t at);
    bool storeInitial(Variable& variable, std::uint64_t at, std::uint64_t bits, int bytes);

    // Declarations.
    struct Linkage {
        bool isExtern = false, isWeak = false, isCommon = false;
    };
    struct VariableHead {
        Space space = Space::Generic;
        Type type = Type::None;
        std::uint32_t alignment = 0, vector = 1;
        bool isOpaque = false; ///< .texref, .samplerref, .surfref
    };
    bool parseLinkage(Linkage& linkage);
    bool parseVariableHead(VariableHead& head);
    bool parseVariables(const Linkage& linkage);
    bool parseVariable(const VariableHead& head, const Linkage& linkage);
    bool parseDimensions(std::vector<std::uint64_t>& dimensions);
    bool finishVariableSize(Variable& variable, const VariableHead& head,
                            std::vector<std::uint64_t>& dimensions);
    bool addVariable(Variable variable, const Token& at);
    bool parseRegisters();
    bool addRegisters(const Token& nameToken, Type type, std::uint32_t vector);
    bool parseParameters(std::vector<Parameter>& parameters, VariableScope scope, bool declare);
    bool parseParameter(std::vector<Parameter>& parameters, VariableScope scope, bool declare);
    bool parseParameterAttributes(Parameter& parameter, bool& isRegister);
    std::uint32_t newRegister(std::string_view name, Type type);
    std::string uniqueName(std::string_view name);

    // Functions.
    bool parseFunction(const Linkage& linkage);
    bool parseFunctionHead(bool isEntry, const Linkage& linkage, std::size_t& nameToken);
    bool parseFunctionDirectives();
    bool parseExtents(std::optional<std::uint32_t>& x, std::optional<std::uint32_t>& y,
                      std::optional<std::uint32_t>& z);
    int declareFunction(const Token& nameToken);
    void parseBody();
    void parseStatement();
    bool parseBodyDirective();
    bool parseLoc();
    bool parseLabel();
    bool parseBranchTargets(const Token& label, bool isCall);
    bool parsePrototype(const Token& label);
    void openScope();
    void closeScope();
    void finishBody();
    bool resolve(const PendingName& pending, const NameScope& scope);

    // Instructions.
    void parseInstruction();
    bool parseGuard(Instruction& instruction);
    bool parseMnemonic(Instruction& instruction, std::size_t firstToken,
                       const MatchedMnemonic*& matched);
    bool parseOperands(Instruction& instruction, const MatchedMnemonic& matched,
                       std::size_t firstToken);
    bool parseBranch(Instruction& instruction);
    bool parseIndexedBranch(Instruction& instruction);
    bool parseCall(Instruction& instruction, std::size_t firstToken);
    bool parseCallList(Operand& list);
    bool parseCallTarget(Instruction& instruction);
    std::size_t countOperands() const;
    bool parseOperand(Instruction& instruction, const OperandForm& form, Type type);
    bool parseValue(Operand& operand, const OperandForm& form, Type type,
                    const Modifiers& modifiers);
    bool parseVector(Operand& operand, const OperandForm& form, Type type,
                     const Modifiers& modifiers);
    bool parsePair(Operand& operand, const OperandForm& form, Type type);
    bool parsePredicate(Operand& operand);
    bool parseAddress(Operand& operand, std::size_t coordinates);
    bool parseCoordinates(Operand& operand, std::size_t count);
    bool parseOffset(std::int64_t& offset);
    bool parseImmediate(Operand& operand, Type type);
    bool parseName(Operand& operand, const OperandForm& form, Type type);
    bool parseSpecial(Operand& operand, bool& isSpecial);
    bool vectorElements(Operand& operand, const Symbol& symbol) const;
    std::optional<Symbol> find(std::string_view name) const;
    std::optional<Symbol> findInScope(const NameScope& scope, std::string_view name) const;
    Operand operandOf(const Symbol& symbol) const;

    // Reachability (reachability.cpp).
    std::vector<bool> reachableFrom(int entry) const;
    void reportMissingEntry(std::string_view entry);

    Module& m_module;
    Diagnostics& m_diagnostics;
    std::vector<Token> m_tokens;
    std::size_t m_at = 0;
    int m_constantDepth = 0;
    bool m_tooDeep = false;

    std::unordered_map<std::string_view, Symbol>
        m_symbols; ///< variables and functions of the module
    std::unordered_map<std::string, MatchedMnemonic> m_mnemonics;
    std::map<std::array<std::uint64_t, 3>, std::vector<SourceLocation>> m_inlineChains;
    std::vector<std::pair<std::size_t, std::size_t>> m_aliases;          ///< name tokens
    std::vector<std::pair<std::uint32_t, PendingName>> m_pendingSymbols; ///< with their function
    std::vector<BodyProblem> m_problems;
    std::vector<CallSite> m_calls;
    std::uint64_t m_registerTotal = 0, m_initialBytes = 0;

    // The function being read.
    bool m_inBody = false;
    std::uint32_t m_functionIndex = 0;
    Function m_function;
    std::vector<NameScope> m_scopes;
    std::vector<std::pair<std::string_view, RegisterRange>> m_allRanges;
    std::unordered_map<std::string, std::uint32_t> m_usedNames;
    std::size_t m_lastLabel = 0; ///< instruction index of the last label
    bool m_hasLabel = false;
    SourceLocation m_location;
    std::vector<SourceLocation> m_inlinedAt;
};

} // namespace lanescope::ptx
