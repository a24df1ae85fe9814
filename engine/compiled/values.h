// SPDX-License-Identifier: GPL-3.0-or-later
// What is known about the values of a function's registers: which definition reaches each use (static single assignment form, without
// rewriting the instructions), each integer value as a sum of multiples of others, and the powers of two that divide them.
// Shared memory is one more variable: every instruction that may change it defines a new version.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/ptx/control_flow.h"
#include "engine/ptx/ir.h"

namespace lanescope::compiled {

using ValueId = std::uint32_t;
using LeafId = std::uint32_t;
inline constexpr ValueId kNoValue = 0xffffffffu;

/// constant + sum of coefficient * leaf, modulo 2^32 or 2^64. Terms are ordered by leaf, without zero coefficients.
struct LinearForm {
    std::vector<std::pair<LeafId, std::int64_t>> terms;
    std::int64_t constant = 0;
    /// What was added, leaf and log2 of what divides its factor, before terms of one leaf were put together: ptxas takes a sum for as
    /// aligned as its least aligned part, so that 14 * t + 2 * t is known to be even and no more. Ordered, the least of each leaf.
    std::vector<std::pair<LeafId, int>> parts;
    bool isConstant() const { return terms.empty(); }
};

/// Whether an instruction reads from shared memory or may.
bool readsShared(const ptx::Instruction& instruction);
/// Whether ptxas moves no load of shared memory across the instruction: stores and atomics that may be to shared memory, barriers
/// (bar.warp.sync too), fences, calls and nanosleep. Votes, shuffles, global and volatile loads and stores to global memory are none.
bool changesShared(const ptx::Instruction& instruction);
/// Calls `visit(register)` for each register the instruction writes.
template <class Visit>
void forEachDefinition(const ptx::Instruction& in, const Visit& visit);
/// Calls `visit(register)` for each register the instruction reads, its guard included.
template <class Visit>
void forEachUse(const ptx::Instruction& in, const Visit& visit);

/// Where the function's arrays are in shared memory, by (scope, index); empty for a function that kernels call, which does not know.
using SharedOffsets = std::map<std::pair<ptx::VariableScope, std::uint32_t>, std::uint64_t>;

class Values {
public:
    Values(const ptx::Function& function, const SharedOffsets& offsets);

    const ptx::ControlFlow& flow() const { return m_flow; }
    bool isReachable(std::uint32_t block) const { return m_rank[block] >= 0; }
    /// Reachable blocks so that dominators come first.
    const std::vector<std::uint32_t>& order() const { return m_order; }
    bool dominates(std::uint32_t block, std::uint32_t other) const;

    /// The address operand of a load or store of shared memory; nothing when the address is no sum that could be compared.
    const LinearForm* address(std::uint32_t instruction) const;
    /// The version of shared memory that the instruction meets.
    ValueId sharedVersion(std::uint32_t instruction) const { return m_sharedVersion[instruction]; }
    /// The value of a register where a block ends (its last branch included).
    const LinearForm* atEnd(std::uint32_t block, std::uint32_t registerIndex) const;

    /// log2 of the largest power of two known to divide the sum of the terms (the constant left out), at most kMostAlignment.
    int alignmentOfTerms(const LinearForm& form) const;
    static constexpr int kMostAlignment = 30;

    int definitionCount(std::uint32_t registerIndex) const { return m_definitions[registerIndex]; }
    int useCount(std::uint32_t registerIndex) const { return m_uses[registerIndex]; }

private:
    /// A value that is no sum: a register, a symbol, or an operation of sums. Equal operations are one leaf.
    struct Leaf {
        enum class Rule : std::uint8_t {
            Known, ///< `alignment` as it is
            Phi,   ///< the least of what comes in
            Least, ///< the least of the operands' (or, xor, selp, conversions)
            Most,  ///< the greatest (and)
            Sum    ///< of a product
        };
        Rule rule = Rule::Known;
        bool isLogic = false;
        int alignment = 0;
        std::vector<LinearForm> operands;
        std::uint32_t block = 0, slot = 0; ///< Phi
    };

    const ptx::Function& m_function;
    const SharedOffsets& m_offsets;
    ptx::ControlFlow m_flow;
    std::vector<std::uint32_t> m_order;
    std::vector<int> m_rank; ///< by block: place in m_order, -1 unreachable
    std::vector<std::uint32_t> m_dominator;
    std::vector<int> m_definitions, m_uses;
    std::vector<std::int32_t> m_slotOf; ///< registers with several definitions: index into the states; else -1
    std::size_t m_slots = 0;            ///< the last one is shared memory
    std::vector<std::vector<ValueId>> m_in, m_out;
    std::vector<ValueId> m_sharedVersion;
    std::vector<std::optional<LinearForm>> m_form; ///< by value
    std::vector<Leaf> m_leaves;
    std::map<std::vector<std::int64_t>, LeafId> m_leafOf;
    std::map<std::uint32_t, LinearForm> m_addresses;
    std::vector<std::uint32_t> m_singleDefinition; ///< registers with one definition: its instruction

    // Value ids: the instruction that defines it; then for each block and slot its phi; then each register before any definition.
    ValueId phi(std::uint32_t block, std::size_t slot) const;
    ValueId undefined(std::size_t registerIndex) const;
    void orderBlocks();
    void findDominators();
    void countRegisters();
    void findVersions();
    void transfer(std::uint32_t block, std::vector<ValueId>& state) const;
    void findForms();
    void findAlignments();
    int combined(const Leaf& leaf) const;
    ValueId valueOf(std::uint32_t registerIndex, const std::vector<ValueId>& state) const;
    LinearForm formOf(const ptx::Operand& operand, const std::vector<ValueId>& state, bool wide);
    LinearForm formOfValue(ValueId value);
    LinearForm evaluate(std::uint32_t instruction, const std::vector<ValueId>& state);
    LinearForm leafForm(LeafId leaf) const { return {{{leaf, 1}}, 0, {{leaf, 0}}}; }
    LeafId leaf(std::vector<std::int64_t> key, Leaf leaf);
    LinearForm absolute(const LinearForm& form);
    LeafId operation(const ptx::Instruction& in, Leaf::Rule rule, std::vector<LinearForm> operands);
    int alignmentOf(const LinearForm& form) const;
};

LinearForm sum(const LinearForm& a, const LinearForm& b, std::int64_t factor, bool wide);
LinearForm product(const LinearForm& a, std::int64_t factor, bool wide);

// Implementation of the visitors.
namespace detail {
/// Operands that the instruction writes, from the first; a call's results are its first operand.
std::size_t destinationCount(const ptx::Instruction& in);
} // namespace detail

template <class Visit>
void forEachDefinition(const ptx::Instruction& in, const Visit& visit) {
    const std::size_t count = detail::destinationCount(in);
    for (std::size_t i = 0; i < count && i < in.operands.size(); ++i)
        ptx::forEachRegister(in.operands[i], visit);
}

template <class Visit>
void forEachUse(const ptx::Instruction& in, const Visit& visit) {
    if (in.guard >= 0)
        visit(static_cast<std::uint32_t>(in.guard));
    for (std::size_t i = detail::destinationCount(in); i < in.operands.size(); ++i)
        ptx::forEachRegister(in.operands[i], visit);
}

} // namespace lanescope::compiled
