// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/compiled/values.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace lanescope::compiled {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

namespace {

bool isWide(Type type) { return ptx::sizeBytes(type) == 8; }
bool isInteger(Type type) { return !ptx::isFloat(type) && (ptx::sizeBytes(type) == 4 || ptx::sizeBytes(type) == 8); }

std::int64_t wrapped(std::int64_t value, bool wide) {
    return wide ? value : static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint64_t>(value)));
}

int log2Factor(std::int64_t value) {
    return value == 0 ? Values::kMostAlignment : std::min(std::countr_zero(static_cast<std::uint64_t>(value)), Values::kMostAlignment);
}

} // namespace

std::size_t detail::destinationCount(const Instruction& in) {
    switch (ptx::family(in.opcode)) {
    case ptx::Family::Barrier:
        return in.modifiers.barrier == ptx::BarrierMode::RedPopc || in.modifiers.barrier == ptx::BarrierMode::RedAnd ||
                       in.modifiers.barrier == ptx::BarrierMode::RedOr
                   ? 1
                   : 0;
    case ptx::Family::Fence:
    case ptx::Family::Async:
    case ptx::Family::Hint:
    case ptx::Family::Unsupported:
        return 0;
    case ptx::Family::Control:
        return in.opcode == Opcode::Call ? 1 : 0;
    default:
        return in.opcode == Opcode::St || in.opcode == Opcode::Red ? 0 : 1;
    }
}

bool readsShared(const Instruction& in) {
    return (in.opcode == Opcode::Ld || in.opcode == Opcode::Ldu) &&
           (in.modifiers.space == Space::Shared || in.modifiers.space == Space::Generic);
}

bool changesShared(const Instruction& in) {
    switch (ptx::family(in.opcode)) {
    case ptx::Family::Barrier:
    case ptx::Family::Fence:
    case ptx::Family::Async:
    case ptx::Family::Mbarrier:
        return true;
    case ptx::Family::Atomic:
        return in.modifiers.space != Space::Global;
    case ptx::Family::Memory:
        if (in.opcode == Opcode::St)
            return in.modifiers.space == Space::Shared || in.modifiers.space == Space::Generic;
        return in.modifiers.ordering == ptx::Ordering::Acquire;
    case ptx::Family::Tensor:
        return in.opcode == Opcode::Stmatrix || in.modifiers.wmma == ptx::WmmaOp::StoreD;
    case ptx::Family::Hint:
        return in.opcode == Opcode::Nanosleep;
    case ptx::Family::Unsupported:
        return true;
    default:
        return in.opcode == Opcode::Call;
    }
}

LinearForm product(const LinearForm& a, std::int64_t factor, bool wide) {
    LinearForm out;
    const auto times = [&](std::int64_t x) {
        return wrapped(static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(factor)), wide);
    };
    for (const auto& [leaf, coefficient] : a.terms)
        if (const std::int64_t c = times(coefficient); c != 0)
            out.terms.emplace_back(leaf, c);
    out.constant = times(a.constant);
    if (factor != 0)
        for (const auto& [leaf, log2] : a.parts)
            out.parts.emplace_back(leaf, std::min(log2 + log2Factor(factor), Values::kMostAlignment));
    return out;
}

LinearForm sum(const LinearForm& a, const LinearForm& b, std::int64_t factor, bool wide) {
    const LinearForm scaled = product(b, factor, wide);
    LinearForm out;
    const auto plus = [&](std::int64_t x, std::int64_t y) {
        return wrapped(static_cast<std::int64_t>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y)), wide);
    };
    auto i = a.terms.begin();
    auto j = scaled.terms.begin();
    while (i != a.terms.end() || j != scaled.terms.end()) {
        if (j == scaled.terms.end() || (i != a.terms.end() && i->first < j->first)) {
            out.terms.push_back(*i++);
        } else if (i == a.terms.end() || j->first < i->first) {
            out.terms.push_back(*j++);
        } else {
            if (const std::int64_t c = plus(i->second, j->second); c != 0)
                out.terms.emplace_back(i->first, c);
            ++i, ++j;
        }
    }
    out.constant = plus(a.constant, scaled.constant);
    std::merge(a.parts.begin(), a.parts.end(), scaled.parts.begin(), scaled.parts.end(), std::back_inserter(out.parts));
    out.parts.erase(std::unique(out.parts.begin(), out.parts.end(), [](const auto& x, const auto& y) { return x.first == y.first; }),
                    out.parts.end());
    return out;
}

Values::Values(const ptx::Function& function, const SharedOffsets& offsets)
    : m_function(function), m_offsets(offsets), m_flow(ptx::analyseControlFlow(function)) {
    orderBlocks();
    findDominators();
    countRegisters();
    findVersions();
    findForms();
    findAlignments();
}

void Values::orderBlocks() {
    m_rank.assign(m_flow.blocks.size(), -1);
    if (m_flow.blocks.empty())
        return;
    std::vector<bool> seen(m_flow.blocks.size(), false);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}};
    seen[0] = true;
    while (!stack.empty()) {
        auto& [block, next] = stack.back();
        const auto& successors = m_flow.blocks[block].successors;
        if (next < successors.size()) {
            const std::uint32_t to = successors[next++];
            if (!seen[to]) {
                seen[to] = true;
                stack.emplace_back(to, 0);
            }
            continue;
        }
        m_order.push_back(block);
        stack.pop_back();
    }
    std::reverse(m_order.begin(), m_order.end());
    for (std::size_t i = 0; i < m_order.size(); ++i)
        m_rank[m_order[i]] = static_cast<int>(i);
}

/// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
void Values::findDominators() {
    constexpr std::uint32_t none = 0xffffffffu;
    m_dominator.assign(m_flow.blocks.size(), none);
    if (m_order.empty())
        return;
    m_dominator[m_order[0]] = m_order[0];
    const auto meet = [&](std::uint32_t a, std::uint32_t b) {
        while (a != b) {
            while (m_rank[a] > m_rank[b])
                a = m_dominator[a];
            while (m_rank[b] > m_rank[a])
                b = m_dominator[b];
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 1; i < m_order.size(); ++i) {
            std::uint32_t best = none;
            for (const std::uint32_t p : m_flow.blocks[m_order[i]].predecessors)
                if (m_rank[p] >= 0 && m_dominator[p] != none)
                    best = best == none ? p : meet(best, p);
            if (best != m_dominator[m_order[i]]) {
                m_dominator[m_order[i]] = best;
                changed = true;
            }
        }
    }
}

bool Values::dominates(std::uint32_t block, std::uint32_t other) const {
    while (m_rank[other] > m_rank[block])
        other = m_dominator[other];
    return other == block;
}

void Values::countRegisters() {
    m_definitions.assign(m_function.registers.size(), 0);
    m_uses.assign(m_function.registers.size(), 0);
    m_singleDefinition.assign(m_function.registers.size(), kNoValue);
    for (const ptx::Parameter& p : m_function.parameters)
        if (p.registerIndex >= 0)
            ++m_definitions[static_cast<std::size_t>(p.registerIndex)];
    for (const ptx::Parameter& p : m_function.returnParameters)
        if (p.registerIndex >= 0)
            ++m_uses[static_cast<std::size_t>(p.registerIndex)];
    for (std::uint32_t i = 0; i < m_function.instructions.size(); ++i) {
        forEachDefinition(m_function.instructions[i], [&](std::uint32_t r) {
            ++m_definitions[r];
            m_singleDefinition[r] = i;
        });
        forEachUse(m_function.instructions[i], [&](std::uint32_t r) { ++m_uses[r]; });
    }
    m_slotOf.assign(m_function.registers.size(), -1);
    for (std::size_t r = 0; r < m_slotOf.size(); ++r)
        if (m_definitions[r] > 1)
            m_slotOf[r] = static_cast<std::int32_t>(m_slots++);
    ++m_slots; // shared memory
}

ValueId Values::phi(std::uint32_t block, std::size_t slot) const {
    return static_cast<ValueId>(m_function.instructions.size() + block * m_slots + slot);
}

ValueId Values::undefined(std::size_t registerIndex) const {
    return static_cast<ValueId>(m_function.instructions.size() + m_flow.blocks.size() * m_slots + registerIndex);
}

void Values::transfer(std::uint32_t block, std::vector<ValueId>& state) const {
    for (std::uint32_t i = m_flow.blocks[block].first; i < m_flow.blocks[block].last; ++i) {
        const Instruction& in = m_function.instructions[i];
        forEachDefinition(in, [&](std::uint32_t r) {
            if (m_slotOf[r] >= 0)
                state[static_cast<std::size_t>(m_slotOf[r])] = i;
        });
        if (changesShared(in))
            state.back() = i;
    }
}

/// Optimistic: what all predecessors seen so far agree on is not a new value.
void Values::findVersions() {
    const std::size_t blocks = m_flow.blocks.size();
    m_in.assign(blocks, {});
    m_out.assign(blocks, {});
    m_sharedVersion.assign(m_function.instructions.size(), kNoValue);
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::uint32_t b : m_order) {
            std::vector<ValueId> state(m_slots, kNoValue);
            if (b == m_order[0])
                for (std::size_t s = 0; s < m_slots; ++s)
                    state[s] = phi(b, s);
            else
                for (const std::uint32_t p : m_flow.blocks[b].predecessors) {
                    if (m_out[p].empty())
                        continue;
                    for (std::size_t s = 0; s < m_slots; ++s)
                        state[s] = state[s] == kNoValue || state[s] == m_out[p][s] ? m_out[p][s] : phi(b, s);
                }
            if (!m_in[b].empty())
                for (std::size_t s = 0; s < m_slots; ++s)
                    if (m_in[b][s] == phi(b, s))
                        state[s] = phi(b, s);
            if (state == m_in[b])
                continue;
            changed = true;
            m_in[b] = state;
            transfer(b, state);
            m_out[b] = std::move(state);
        }
    }
}

ValueId Values::valueOf(std::uint32_t r, const std::vector<ValueId>& state) const {
    if (m_slotOf[r] >= 0)
        return state[static_cast<std::size_t>(m_slotOf[r])];
    return m_definitions[r] == 1 && m_singleDefinition[r] != kNoValue ? m_singleDefinition[r] : undefined(r);
}

LeafId Values::leaf(std::vector<std::int64_t> key, Leaf leaf) {
    const auto [it, isNew] = m_leafOf.emplace(std::move(key), static_cast<LeafId>(m_leaves.size()));
    if (isNew) {
        // What is known before the loops are solved: nothing of what comes round them.
        if (leaf.rule != Leaf::Rule::Known && leaf.rule != Leaf::Rule::Phi)
            leaf.alignment = combined(leaf);
        m_leaves.push_back(std::move(leaf));
    }
    return it->second;
}

namespace {
/// A block's shared memory starts at a multiple of 1,024 bytes.
constexpr int kWindowAlignment = 10;
enum Key : std::int64_t { kValueKey, kWindowKey, kSymbolKey, kSpecialKey, kParameterKey, kOperationKey };
}

LinearForm Values::formOfValue(ValueId value) {
    if (m_form.size() > value && m_form[value])
        return *m_form[value];
    Leaf l;
    const std::size_t first = m_function.instructions.size();
    if (value >= first && value < first + m_flow.blocks.size() * m_slots) {
        l.rule = Leaf::Rule::Phi;
        l.block = static_cast<std::uint32_t>((value - first) / m_slots);
        l.slot = static_cast<std::uint32_t>((value - first) % m_slots);
    }
    return leafForm(leaf({kValueKey, value}, std::move(l)));
}

LinearForm Values::formOf(const Operand& o, const std::vector<ValueId>& state, bool wide) {
    switch (o.kind) {
    case OperandKind::Register:
        return formOfValue(valueOf(o.index, state));
    case OperandKind::Immediate:
        return {{}, wrapped(static_cast<std::int64_t>(o.bits), wide), {}};
    case OperandKind::Special:
        return leafForm(leaf({kSpecialKey, static_cast<std::int64_t>(o.special), o.index}, {}));
    case OperandKind::Variable: {
        // ptxas knows where it has placed an array, whatever alignment that is declared with.
        Leaf l;
        if (const auto placed = m_offsets.find({o.scope, o.index}); placed != m_offsets.end())
            l.alignment = std::min(log2Factor(static_cast<std::int64_t>(placed->second)), kWindowAlignment);
        LinearForm form = leafForm(leaf({kSymbolKey, static_cast<std::int64_t>(o.scope), o.index}, l));
        form.constant = o.offset;
        return form;
    }
    case OperandKind::Address: {
        LinearForm form = formOf(o.elements[0], state, wide);
        form.constant = wrapped(form.constant + o.offset, wide);
        return absolute(form);
    }
    default:
        return leafForm(leaf({kValueKey, kNoValue, static_cast<std::int64_t>(m_leaves.size())}, {}));
    }
}

/// An address within an array that is not indexed is one within the block's shared memory, and so are those of its neighbours.
LinearForm Values::absolute(const LinearForm& form) {
    if (form.terms.size() != 1 || form.terms[0].second != 1)
        return form;
    for (const auto& [variable, offset] : m_offsets) {
        const auto symbol = m_leafOf.find({kSymbolKey, static_cast<std::int64_t>(variable.first), variable.second});
        if (symbol == m_leafOf.end() || symbol->second != form.terms[0].first)
            continue;
        Leaf l;
        l.alignment = kWindowAlignment;
        LinearForm out = leafForm(leaf({kWindowKey}, l));
        out.constant = form.constant + static_cast<std::int64_t>(offset);
        return out;
    }
    return form;
}

LeafId Values::operation(const Instruction& in, Leaf::Rule rule, std::vector<LinearForm> operands) {
    std::vector<std::int64_t> key{kOperationKey, static_cast<std::int64_t>(in.opcode), static_cast<std::int64_t>(in.type),
                                  static_cast<std::int64_t>(in.type2), in.immediate};
    for (const LinearForm& f : operands) {
        key.push_back(static_cast<std::int64_t>(f.terms.size()));
        for (const auto& [term, coefficient] : f.terms) {
            key.push_back(term);
            key.push_back(coefficient);
        }
        key.push_back(f.constant);
    }
    Leaf l;
    l.rule = rule;
    l.isLogic = in.opcode == Opcode::And || in.opcode == Opcode::Or || in.opcode == Opcode::Xor || in.opcode == Opcode::Lop3 ||
                in.opcode == Opcode::Not;
    l.operands = std::move(operands);
    return leaf(std::move(key), std::move(l));
}

/// The value that an unguarded instruction with one register as its destination gives.
LinearForm Values::evaluate(std::uint32_t i, const std::vector<ValueId>& state) {
    const Instruction& in = m_function.instructions[i];
    const auto opaque = [&] { return leafForm(leaf({kValueKey, i}, {})); };
    const auto& o = in.operands;
    if (in.guard >= 0 || o.empty() || o[0].kind != OperandKind::Register)
        return opaque();
    if (in.opcode == Opcode::Ld && in.modifiers.space == Space::Param && o[1].kind == OperandKind::Address &&
        o[1].elements[0].kind == OperandKind::Variable && o[1].elements[0].scope == ptx::VariableScope::FunctionParameter &&
        m_function.isEntry && in.modifiers.vector == 1)
        return leafForm(leaf({kParameterKey, o[1].elements[0].index, o[1].offset, static_cast<std::int64_t>(in.type)}, {}));
    const bool wide = isWide(in.type);
    const auto source = [&](std::size_t k, bool w) { return formOf(o[k], state, w); };
    const auto made = [&](Leaf::Rule rule, std::vector<LinearForm> operands) { return leafForm(operation(in, rule, std::move(operands))); };
    const ptx::Modifiers& m = in.modifiers;
    if (m.carryOut || m.sat || (!isInteger(in.type) && in.opcode != Opcode::Mov))
        return opaque();
    switch (in.opcode) {
    case Opcode::Mov:
        if (o.size() != 2 || o[1].kind == OperandKind::Vector || (ptx::sizeBytes(in.type) != 4 && !wide) || o[1].kind == OperandKind::Function)
            return opaque();
        return source(1, wide);
    case Opcode::Cvta:
        // The address is the same; the window it is taken from is aligned.
        return source(1, true);
    case Opcode::Add:
        return sum(source(1, wide), source(2, wide), 1, wide);
    case Opcode::Sub:
        return sum(source(1, wide), source(2, wide), -1, wide);
    case Opcode::Mul:
    case Opcode::Mad: {
        if (m.hi)
            return opaque();
        LinearForm a = source(1, wide), b = source(2, wide), p;
        if (!m.wide && b.isConstant())
            p = product(a, b.constant, wide);
        else if (!m.wide && a.isConstant())
            p = product(b, a.constant, wide);
        else {
            Instruction multiplication = in;
            multiplication.opcode = Opcode::Mul;
            multiplication.immediate = m.wide ? 1 : 0;
            p = leafForm(operation(multiplication, Leaf::Rule::Sum, {std::move(a), std::move(b)}));
        }
        return in.opcode == Opcode::Mad ? sum(p, source(3, wide || m.wide), 1, wide || m.wide) : p;
    }
    case Opcode::Shl: {
        const LinearForm by = source(2, false);
        if (by.isConstant() && by.constant >= 0 && by.constant < (wide ? 64 : 32))
            return product(source(1, wide), static_cast<std::int64_t>(std::uint64_t{1} << by.constant), wide);
        return made(Leaf::Rule::Sum, {source(1, wide), by});
    }
    case Opcode::And: {
        LinearForm a = source(1, wide), b = source(2, wide);
        if (a.isConstant() && b.isConstant())
            return {{}, a.constant & b.constant, {}};
        return made(Leaf::Rule::Most, {std::move(a), std::move(b)});
    }
    case Opcode::Or: {
        // Into bits that are zero it is an addition, unless ptxas has made one three-input operation of it and the one before.
        LinearForm a = source(1, wide), b = source(2, wide);
        if (a.isConstant() && !b.isConstant())
            std::swap(a, b);
        const bool afterLogic = a.terms.size() == 1 && a.constant == 0 && a.terms[0].second == 1 && m_leaves[a.terms[0].first].isLogic;
        if (b.isConstant() && !afterLogic && b.constant >= 0 && b.constant < (std::int64_t{1} << alignmentOf(a)))
            return sum(a, b, 1, wide);
        return made(Leaf::Rule::Least, {std::move(a), std::move(b)});
    }
    case Opcode::Xor:
        return made(Leaf::Rule::Least, {source(1, wide), source(2, wide)});
    case Opcode::Shr:
        return made(Leaf::Rule::Known, {source(1, wide), source(2, false)});
    case Opcode::Div:
    case Opcode::Rem:
    case Opcode::Min:
    case Opcode::Max:
        return made(Leaf::Rule::Known, {source(1, wide), source(2, wide)});
    case Opcode::Selp: {
        Leaf l;
        l.rule = Leaf::Rule::Least;
        l.operands = {source(1, wide), source(2, wide)};
        return leafForm(leaf({kValueKey, i}, std::move(l)));
    }
    case Opcode::Cvt: {
        if (!isInteger(in.type2))
            return opaque();
        LinearForm a = source(1, isWide(in.type2));
        if (!wide || isWide(in.type2)) // truncation
            return product(a, 1, wide);
        if (a.isConstant())
            return {{}, ptx::isSigned(in.type2) ? a.constant : static_cast<std::int64_t>(static_cast<std::uint32_t>(a.constant)), {}};
        return made(Leaf::Rule::Least, {std::move(a)});
    }
    default:
        return opaque();
    }
}

void Values::findForms() {
    m_form.assign(m_function.instructions.size(), std::nullopt);
    for (const std::uint32_t b : m_order) {
        std::vector<ValueId> state = m_in[b];
        for (std::uint32_t i = m_flow.blocks[b].first; i < m_flow.blocks[b].last; ++i) {
            const Instruction& in = m_function.instructions[i];
            m_sharedVersion[i] = state.back();
            if ((in.opcode == Opcode::Ld || in.opcode == Opcode::St) && in.modifiers.space == Space::Shared) {
                const Operand& address = in.operands[in.opcode == Opcode::Ld ? 1 : 0];
                const Operand& base = address.elements[0];
                m_addresses.emplace(i, formOf(address, state, base.isRegister() && isWide(m_function.registers[base.index].type)));
            }
            m_form[i] = evaluate(i, state);
            forEachDefinition(in, [&](std::uint32_t r) {
                if (m_slotOf[r] >= 0)
                    state[static_cast<std::size_t>(m_slotOf[r])] = i;
            });
            if (changesShared(in))
                state.back() = i;
        }
    }
}

int Values::alignmentOfTerms(const LinearForm& form) const {
    int least = kMostAlignment;
    for (const auto& [part, log2] : form.parts)
        least = std::min(least, std::min(m_leaves[part].alignment + log2, kMostAlignment));
    return least;
}

int Values::alignmentOf(const LinearForm& form) const { return std::min(alignmentOfTerms(form), log2Factor(form.constant)); }

/// The alignment of a leaf from those of its operands.
int Values::combined(const Leaf& l) const {
    int a = l.rule == Leaf::Rule::Least ? kMostAlignment : 0;
    for (const LinearForm& f : l.operands) {
        const int of = alignmentOf(f);
        a = l.rule == Leaf::Rule::Least ? std::min(a, of) : l.rule == Leaf::Rule::Most ? std::max(a, of) : std::min(a + of, kMostAlignment);
    }
    return a;
}

/// The greatest solution: it starts from "everything divides" and goes down. Of a value at a loop's head only a power of two is kept
/// and no remainder: ptxas does not merge what starts 4 bytes behind a multiple of 16 and goes on in steps of 16.
void Values::findAlignments() {
    std::vector<std::vector<LinearForm>> incoming;
    for (std::size_t i = 0; i < m_leaves.size(); ++i) { // grows
        incoming.emplace_back();
        const auto [block, slot] = std::pair(m_leaves[i].block, m_leaves[i].slot);
        if (m_leaves[i].rule != Leaf::Rule::Phi)
            continue;
        for (const std::uint32_t p : m_flow.blocks[block].predecessors)
            if (m_rank[p] >= 0)
                incoming.back().push_back(formOfValue(m_out[p][slot]));
    }
    for (Leaf& l : m_leaves)
        if (l.rule != Leaf::Rule::Known && !(l.rule == Leaf::Rule::Phi && l.block == m_order[0]))
            l.alignment = kMostAlignment;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < m_leaves.size(); ++i) {
            Leaf& l = m_leaves[i];
            if (l.rule == Leaf::Rule::Known)
                continue;
            int a = l.alignment;
            if (l.rule == Leaf::Rule::Phi)
                for (const LinearForm& f : incoming[i])
                    a = std::min(a, alignmentOf(f));
            else
                a = combined(l);
            if (a != l.alignment) {
                l.alignment = a;
                changed = true;
            }
        }
    }
}

const LinearForm* Values::address(std::uint32_t i) const {
    const auto it = m_addresses.find(i);
    return it == m_addresses.end() ? nullptr : &it->second;
}

const LinearForm* Values::atEnd(std::uint32_t block, std::uint32_t r) const {
    const ValueId value = valueOf(r, m_out[block]);
    return value < m_form.size() && m_form[value] ? &*m_form[value] : nullptr;
}

} // namespace lanescope::compiled
