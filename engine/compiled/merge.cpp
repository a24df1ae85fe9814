// SPDX-License-Identifier: GPL-3.0-or-later
// What ptxas does, seen from its machine code:
// - Vectors are taken apart and the elements that are read are put together anew. .v2.b16 counts as one 32-bit element.
// - Elements of 2, 4 and 8 bytes are merged, of one size each and up to four: 64 bits of 2-byte elements, 128 bits of the others. A load
//   that extends to a wider register is left alone.
// - The addresses must differ by a known constant, and the window must be aligned: 3 or 4 elements of a window of four become one load
//   of all four, else 2 of an aligned half become one of the half. Stores need all elements that they write.
// - Loads merge with an earlier one that dominates them when shared memory is the same version (see changesShared), across branches and
//   loops. A load whose address the version's own store wrote is replaced by what it stored.
// - Stores merge within a basic block, one window at a time: a store to anywhere else, a load that may be from shared memory or whatever
//   changes it ends the window.
// - Instructions with a guard are left alone.
#include "engine/compiled/merge.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "engine/compiled/rewrite.h"

namespace lanescope::compiled {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

namespace {

constexpr int kSlots = 4;
constexpr std::uint32_t kNone = 0xffffffffu;

/// Whether loads or stores of the type and register widths take part, and the bytes of an element.
struct Shape {
    int elementBytes = 0; ///< 0: left alone
    int elements = 1;     ///< that the instruction has
    bool pairs = false;   ///< an element is two 16-bit registers
};

int registerBytes(const ptx::Function& function, const Operand& o, int otherwise) {
    return o.isRegister() ? ptx::sizeBytes(function.registers[o.index].type) : otherwise;
}

Shape shapeOf(const ptx::Function& function, const Instruction& in) {
    const bool isLoad = in.opcode == Opcode::Ld;
    const int bytes = ptx::sizeBytes(in.type);
    const int vector = in.modifiers.vector;
    if (in.guard >= 0 || in.modifiers.space != Space::Shared || in.modifiers.ordering > ptx::Ordering::Relaxed ||
        in.modifiers.ordering == ptx::Ordering::Volatile || (bytes != 2 && bytes != 4 && bytes != 8) || vector > 4)
        return {};
    const Operand& data = in.operands[isLoad ? 0 : 1];
    const auto fits = [&](const Operand& o) {
        const int have = registerBytes(function, o, bytes);
        return o.kind != OperandKind::Sink && !o.negated && (have == bytes || (!isLoad && have > bytes));
    };
    if (data.kind == OperandKind::Vector ? !std::all_of(data.elements.begin(), data.elements.end(), fits) : !fits(data))
        return {};
    if (bytes == 2 && vector > 1)
        return {4, vector / 2, true};
    return {bytes, vector, false};
}

/// One element that an instruction loads or stores.
struct Element {
    std::uint32_t instruction = 0, block = 0;
    int index = 0;              ///< within the instruction
    std::int64_t offset = 0;    ///< the constant of its address
    std::array<Operand, 2> data; ///< the second of a pair
    bool pair = false;
    int alignment = 0;          ///< log2, of the address without its constant
};

/// Elements that could be parts of one access: the same terms of the address, version of memory, size and ordering.
using GroupKey = std::tuple<ValueId, int, int, std::vector<std::pair<LeafId, std::int64_t>>, std::uint32_t>;

std::vector<Element> elementsOf(const Instruction& in, std::uint32_t at, std::uint32_t block, const Shape& shape, const LinearForm& address) {
    std::vector<Element> out;
    const Operand& data = in.operands[in.opcode == Opcode::Ld ? 0 : 1];
    for (int e = 0; e < shape.elements; ++e) {
        Element element;
        element.instruction = at;
        element.block = block;
        element.index = e;
        element.offset = address.constant + std::int64_t{e} * shape.elementBytes;
        element.pair = shape.pairs;
        const auto first = static_cast<std::size_t>(shape.pairs ? 2 * e : e);
        element.data[0] = data.kind == OperandKind::Vector ? data.elements[first] : data;
        if (shape.pairs)
            element.data[1] = data.elements[first + 1];
        out.push_back(std::move(element));
    }
    return out;
}

Type untyped(int bytes) { return bytes == 2 ? Type::B16 : bytes == 4 ? Type::B32 : Type::B64; }

/// A plan for one window: which slots go together. Ranges [first, end) of slots.
struct Part {
    int first = 0, end = 0;
};

/// @param present which of the slots have an element.
/// @param slots 2 or 4: the window's.
std::vector<Part> partsOf(const std::array<bool, kSlots>& present, int slots, bool needAll) {
    const int count = static_cast<int>(std::count(present.begin(), present.begin() + slots, true));
    if (slots == 4 && (count == 4 || (count == 3 && !needAll)))
        return {{0, 4}};
    std::vector<Part> out;
    for (int half = 0; half < slots; half += 2) {
        if (present[static_cast<std::size_t>(half)] && present[static_cast<std::size_t>(half) + 1])
            out.push_back({half, half + 2});
        else
            for (int s = half; s < half + 2; ++s)
                if (present[static_cast<std::size_t>(s)])
                    out.push_back({s, s + 1});
    }
    return out;
}

/// Slots of the aligned window that holds elements of this size: 4, 2 or, when nothing is known, 1.
int slotsOf(int elementBytes, int alignmentLog2) {
    const int most = elementBytes == 8 ? 2 : kSlots;
    int slots = 1;
    while (slots < most && (std::int64_t{2} * slots * elementBytes) <= (std::int64_t{1} << std::min(alignmentLog2, 20)))
        slots *= 2;
    return slots;
}

std::int64_t windowStart(std::int64_t offset, std::int64_t windowBytes) { return offset & ~(windowBytes - 1); }

/// Where registers are read and written, ascending, for those that have several definitions.
class Touches {
public:
    explicit Touches(const ptx::Function& function) : m_at(function.registers.size()) {
        for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
            const auto add = [&](std::uint32_t r) {
                if (m_at[r].empty() || m_at[r].back() != i)
                    m_at[r].push_back(i);
            };
            forEachUse(function.instructions[i], add);
            forEachDefinition(function.instructions[i], add);
        }
    }
    /// Whether an instruction of [first, end) reads or writes the register.
    bool within(std::uint32_t r, std::uint32_t first, std::uint32_t end) const {
        const auto it = std::lower_bound(m_at[r].begin(), m_at[r].end(), first);
        return it != m_at[r].end() && *it < end;
    }

private:
    std::vector<std::vector<std::uint32_t>> m_at;
};

/// What becomes of each instruction: kept, or replaced by these (none: it goes).
using Replacement = std::map<std::uint32_t, std::vector<Instruction>>;

void apply(ptx::Function& function, Replacement& replacement) {
    std::vector<Instruction> body;
    std::vector<std::uint32_t> movedTo;
    for (std::uint32_t i = 0; i <= function.instructions.size(); ++i) {
        movedTo.push_back(static_cast<std::uint32_t>(body.size()));
        if (i == function.instructions.size())
            break;
        const auto it = replacement.find(i);
        if (it == replacement.end())
            body.push_back(std::move(function.instructions[i]));
        else
            for (Instruction& in : it->second)
                body.push_back(std::move(in));
    }
    replaceBody(function, std::move(body), movedTo);
}

Operand registerOperand(std::uint32_t index) {
    Operand o;
    o.kind = OperandKind::Register;
    o.index = index;
    return o;
}

Instruction moveInstruction(const Instruction& at, const Operand& to, const Operand& from, int bytes) {
    Instruction move;
    move.opcode = Opcode::Mov;
    move.type = untyped(bytes);
    move.operands = {to, from};
    move.ptxLine = at.ptxLine;
    move.source = at.source;
    move.inlinedAt = at.inlinedAt;
    return move;
}

Operand vectorOperand(std::vector<Operand> elements) {
    Operand o;
    o.kind = OperandKind::Vector;
    o.elements = std::move(elements);
    return o;
}

/// A mov between a register of 32 bits and its two halves.
Instruction halvesInstruction(const Instruction& at, const std::array<Operand, 2>& halves, const Operand& whole, bool pack) {
    const Operand vector = vectorOperand({halves[0], halves[1]});
    return moveInstruction(at, pack ? whole : vector, pack ? vector : whole, 4);
}

/// The instruction `like` with other data: `slots` elements of the size from `offset` bytes behind its own address.
Instruction accessInstruction(const Instruction& like, std::vector<Operand> data, Type type, std::int64_t offset) {
    Instruction out = like;
    const bool isLoad = like.opcode == Opcode::Ld;
    out.type = type;
    out.modifiers.vector = static_cast<std::uint8_t>(data.size());
    out.operands[isLoad ? 1 : 0].offset += offset;
    out.operands[isLoad ? 0 : 1] = data.size() == 1 ? data[0] : vectorOperand(std::move(data));
    return out;
}

class LoadMerger {
public:
    LoadMerger(const ptx::Function& function, const SharedOffsets& offsets, Changes& changes)
        : m_function(function), m_new(function), m_changes(changes), m_values(function, offsets), m_touches(function) {}

    /// The function afterwards; nothing when there is nothing to do.
    std::optional<ptx::Function> run() {
        collect();
        for (auto& [key, group] : m_groups)
            mergeGroup(key, group);
        if (m_plans.empty() && m_replacement.empty())
            return {};
        emit();
        apply(m_new, m_replacement);
        return std::move(m_new);
    }

private:
    struct Load {
        Shape shape;
        std::vector<Element> elements;
        std::vector<bool> placed; ///< by element: goes with another instruction's access, or is not read
    };
    /// An access that a load instruction makes afterwards.
    struct Plan {
        std::int64_t offset = 0; ///< of the first slot
        int elementBytes = 4;
        std::vector<std::vector<Element>> slots; ///< elements that want the slot, the first is loaded, the others are copies of it
    };

    const ptx::Function& m_function;
    ptx::Function m_new;
    Changes& m_changes;
    Values m_values;
    Touches m_touches;
    std::map<std::uint32_t, Load> m_loads;
    std::map<GroupKey, std::vector<Element>> m_groups;
    std::map<std::uint32_t, std::vector<Plan>> m_plans; ///< by leading instruction
    std::map<std::uint32_t, std::vector<Instruction>> m_after; ///< copies, in place of a load that went
    Replacement m_replacement;

    bool isRead(const Operand& o) const { return !o.isRegister() || m_values.useCount(o.index) > 0; }

    void collect() {
        for (const std::uint32_t b : m_values.order())
            for (std::uint32_t i = m_values.flow().blocks[b].first; i < m_values.flow().blocks[b].last; ++i) {
                const Instruction& in = m_function.instructions[i];
                const LinearForm* address = in.opcode == Opcode::Ld ? m_values.address(i) : nullptr;
                const Shape shape = address != nullptr ? shapeOf(m_function, in) : Shape{};
                if (shape.elementBytes == 0 || forward(i, *address, shape))
                    continue;
                Load load{shape, {}, {}};
                const bool known = knownVector(i, *address, shape);
                for (Element& e : elementsOf(in, i, b, shape, *address)) {
                    e.alignment = m_values.alignmentOfTerms(*address);
                    if (!isRead(e.data[0]) && (!e.pair || !isRead(e.data[1])))
                        continue;
                    m_groups[{m_values.sharedVersion(i), shape.elementBytes, static_cast<int>(in.modifiers.ordering), address->terms,
                              known ? kNone : i}]
                        .push_back(e);
                    load.elements.push_back(std::move(e));
                }
                if (load.elements.empty()) {
                    m_replacement[i] = {};
                    ++m_changes.loadsRemoved;
                    continue;
                }
                m_loads.emplace(i, std::move(load));
            }
    }

    /// A vector says itself that its address is aligned; where nothing else says it, it merges with no other load.
    bool knownVector(std::uint32_t, const LinearForm& address, const Shape& shape) const {
        const int slots = slotsOf(shape.elementBytes, m_values.alignmentOfTerms(address));
        return shape.elements <= slots;
    }

    /// A load of exactly what the last change of shared memory stored.
    bool forward(std::uint32_t i, const LinearForm& address, const Shape& shape) {
        const ValueId version = m_values.sharedVersion(i);
        if (version >= m_function.instructions.size() || shape.elements != 1 || shape.pairs)
            return false;
        const Instruction& store = m_function.instructions[version];
        const LinearForm* to = store.opcode == Opcode::St ? m_values.address(version) : nullptr;
        if (to == nullptr)
            return false;
        const Shape stored = shapeOf(m_function, store);
        if (stored.elementBytes != shape.elementBytes || stored.elements != 1 || to->terms != address.terms || to->constant != address.constant ||
            store.modifiers.ordering != ptx::Ordering::Weak)
            return false;
        const Operand& value = store.operands[1];
        if (registerBytes(m_function, value, shape.elementBytes) != shape.elementBytes ||
            (value.isRegister() && m_values.definitionCount(value.index) != 1 && !unchanged(value.index, version, i)))
            return false;
        m_replacement[i] = {moveInstruction(m_function.instructions[i], m_function.instructions[i].operands[0], value, shape.elementBytes)};
        ++m_changes.loadsRemoved;
        return true;
    }

    /// Whether no instruction between two of one block writes the register.
    bool unchanged(std::uint32_t r, std::uint32_t from, std::uint32_t to) const {
        if (m_values.flow().blockOf[from] != m_values.flow().blockOf[to] || from > to)
            return false;
        for (std::uint32_t i = from + 1; i < to; ++i) {
            bool writes = false;
            forEachDefinition(m_function.instructions[i], [&](std::uint32_t d) { writes |= d == r; });
            if (writes)
                return false;
        }
        return true;
    }

    bool isBefore(const Element& a, const Element& b) const {
        return a.block == b.block ? a.instruction <= b.instruction : m_values.dominates(a.block, b.block);
    }

    void mergeGroup(const GroupKey& key, std::vector<Element>& group) {
        const int bytes = std::get<1>(key);
        const auto least = std::min_element(group.begin(), group.end(), [](const Element& a, const Element& b) { return a.alignment < b.alignment; });
        int slots = slotsOf(bytes, least->alignment);
        std::int64_t shift = 0; // of a window whose alignment only its own vector knows
        if (std::get<4>(key) != kNone) {
            const Load& load = m_loads.at(std::get<4>(key));
            slots = load.shape.elements;
            shift = group.front().offset - std::int64_t{group.front().index} * bytes;
        }
        std::map<std::int64_t, std::vector<Element>> windows;
        for (Element& e : group)
            windows[windowStart(e.offset - shift, std::int64_t{slots} * bytes) + shift].push_back(std::move(e));
        for (auto& [start, members] : windows)
            while (!members.empty())
                mergeWindow(start, bytes, slots, members);
    }

    /// Takes the members that the first one dominates and plans their access; the others stay.
    void mergeWindow(std::int64_t start, int bytes, int slots, std::vector<Element>& members) {
        std::array<std::vector<Element>, kSlots> bySlot;
        std::vector<Element> others;
        const Element leader = members.front();
        for (Element& e : members) {
            const std::int64_t place = e.offset - start;
            if (place % bytes != 0 || !isBefore(leader, e)) {
                if (&e == &members.front())
                    break; // not a multiple of its size: it stays as it is
                others.push_back(std::move(e));
                continue;
            }
            bySlot[static_cast<std::size_t>(place / bytes)].push_back(std::move(e));
        }
        if ((leader.offset - start) % bytes != 0) {
            keep(leader, bytes);
            members.erase(members.begin());
            return;
        }
        members = std::move(others);
        std::array<bool, kSlots> present{};
        for (int s = 0; s < slots; ++s)
            present[static_cast<std::size_t>(s)] = !bySlot[static_cast<std::size_t>(s)].empty();
        for (const Part& part : partsOf(present, slots, false)) {
            Plan plan;
            plan.offset = start + std::int64_t{part.first} * bytes;
            plan.elementBytes = bytes;
            const Element* first = nullptr;
            for (int s = part.first; s < part.end; ++s) {
                plan.slots.push_back(bySlot[static_cast<std::size_t>(s)]);
                for (const Element& e : plan.slots.back())
                    if (first == nullptr || (e.instruction != first->instruction && isBefore(e, *first)))
                        first = &e;
            }
            // A part's own first need not dominate the others: then the window's leader loads for them all.
            bool dominates = true;
            for (int s = part.first; s < part.end; ++s)
                for (const Element& e : bySlot[static_cast<std::size_t>(s)])
                    dominates = dominates && isBefore(*first, e);
            if (dominates) {
                m_plans[first->instruction].push_back(std::move(plan));
                continue;
            }
            for (std::vector<Element>& slot : plan.slots)
                for (Element& e : slot)
                    keep(e, bytes);
        }
    }

    void keep(const Element& e, int bytes) {
        Plan plan;
        plan.offset = e.offset;
        plan.elementBytes = bytes;
        plan.slots = {{e}};
        m_plans[e.instruction].push_back(std::move(plan));
    }

    /// Whether the leader may write the register of a later load: nothing in between reads or writes it.
    bool writesDirectly(std::uint32_t leader, const Element& e, std::uint32_t r) const {
        if (e.instruction == leader)
            return true;
        if (m_values.definitionCount(r) == 1 && m_function.instructions[leader].operands[1].elements[0] != registerOperand(r))
            return true;
        return m_values.flow().blockOf[leader] == e.block && !m_touches.within(r, leader, e.instruction);
    }

    void emit() {
        for (auto& [leader, plans] : m_plans)
            emitPlans(leader, plans);
        for (auto& [i, load] : m_loads) {
            if (!m_replacement.contains(i) && !m_plans.contains(i))
                m_replacement[i] = {};
            const auto copies = m_after.find(i);
            if (copies != m_after.end()) {
                auto& list = m_replacement[i];
                list.insert(list.end(), copies->second.begin(), copies->second.end());
            }
        }
    }

    void emitPlans(std::uint32_t leader, std::vector<Plan>& plans) {
        const Instruction& old = m_function.instructions[leader];
        // Unchanged: one access with exactly the instruction's own elements.
        if (plans.size() == 1 && isOwn(leader, plans[0])) {
            for (std::vector<Element>& slot : plans[0].slots)
                copyOthers(slot, slot[0].data[0], plans[0].elementBytes);
            if (const auto copies = m_after.find(leader); copies != m_after.end())
                m_replacement[leader] = {old};
            else
                m_loads.erase(leader);
            return;
        }
        std::vector<Instruction> list;
        const std::int64_t base = m_values.address(leader)->constant;
        for (Plan& plan : plans) {
            std::vector<Operand> data;
            std::vector<Instruction> unpack;
            std::vector<std::uint32_t> lines;
            std::uint16_t unchecked = 0;
            std::optional<Type> type;
            for (std::size_t s = 0; s < plan.slots.size(); ++s) {
                std::vector<Element>& slot = plan.slots[s];
                if (slot.empty()) {
                    data.push_back(registerOperand(temporary(leader, plan.elementBytes)));
                    unchecked = static_cast<std::uint16_t>(unchecked | 1u << s);
                    continue;
                }
                const Element& e = slot[0];
                if (e.block != m_values.flow().blockOf[leader])
                    unchecked = static_cast<std::uint16_t>(unchecked | 1u << s);
                const Instruction& in = m_function.instructions[e.instruction];
                type = !type || *type == in.type ? in.type : untyped(plan.elementBytes);
                if (e.instruction != leader)
                    lines.push_back(in.ptxLine);
                data.push_back(destination(leader, e, plan.elementBytes, unpack));
                copyOthers(slot, data.back(), plan.elementBytes);
            }
            if (std::any_of(plan.slots.begin(), plan.slots.end(), [](const auto& slot) { return !slot.empty() && slot[0].pair; }))
                type = Type::B32;
            Instruction access = accessInstruction(old, std::move(data), *type, plan.offset - base);
            std::sort(lines.begin(), lines.end());
            lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
            m_changes.loadsMerged += static_cast<int>(lines.size());
            access.mergedLines = std::move(lines);
            access.uncheckedElements = unchecked;
            list.push_back(std::move(access));
            list.insert(list.end(), unpack.begin(), unpack.end());
        }
        m_replacement[leader] = std::move(list);
    }

    bool isOwn(std::uint32_t leader, const Plan& plan) const {
        const Load& load = m_loads.at(leader);
        if (load.shape.elements != static_cast<int>(plan.slots.size()))
            return false;
        for (std::size_t s = 0; s < plan.slots.size(); ++s)
            if (plan.slots[s].empty() || plan.slots[s][0].instruction != leader || plan.slots[s][0].index != static_cast<int>(s))
                return false;
        return true;
    }

    std::uint32_t temporary(std::uint32_t leader, int bytes) {
        const Operand& data = m_function.instructions[leader].operands[0];
        const Operand& like = data.kind == OperandKind::Vector ? data.elements[0] : data;
        return addRegister(m_new, like.index, untyped(bytes), "m");
    }

    /// What the leader's access writes for an element, and what brings it to the element's own registers.
    Operand destination(std::uint32_t leader, const Element& e, int bytes, std::vector<Instruction>& unpack) {
        const Instruction& in = m_function.instructions[e.instruction];
        if (e.pair) {
            const Operand whole = registerOperand(temporary(leader, 4));
            const Instruction halves = halvesInstruction(in, e.data, whole, false);
            if (e.instruction == leader)
                unpack.push_back(halves);
            else
                m_after[e.instruction].push_back(halves);
            return whole;
        }
        if (writesDirectly(leader, e, e.data[0].index))
            return e.data[0];
        const Operand whole = registerOperand(temporary(leader, bytes));
        m_after[e.instruction].push_back(moveInstruction(in, e.data[0], whole, bytes));
        return whole;
    }

    /// Loads of the same element again are copies of the first.
    void copyOthers(const std::vector<Element>& slot, const Operand& first, int bytes) {
        if (slot.size() < 2)
            return;
        const Instruction& original = m_function.instructions[slot[0].instruction];
        const bool isNew = first.index >= m_function.registers.size();
        Operand from = first;
        if (slot[0].pair && !isNew) {
            from = registerOperand(temporary(slot[0].instruction, 4));
            m_after[slot[0].instruction].push_back(halvesInstruction(original, slot[0].data, from, true));
        } else if (!isNew && m_values.definitionCount(first.index) != 1) {
            from = registerOperand(temporary(slot[0].instruction, bytes));
            m_after[slot[0].instruction].push_back(moveInstruction(original, from, first, bytes));
        }
        for (std::size_t k = 1; k < slot.size(); ++k) {
            const Element& e = slot[k];
            const Instruction& in = m_function.instructions[e.instruction];
            ++m_changes.loadsRemoved;
            m_after[e.instruction].push_back(e.pair ? halvesInstruction(in, e.data, from, false)
                                                    : moveInstruction(in, e.data[0], from, bytes));
        }
    }
};

/// Collects the stores of one window after another and writes them where the last one stands.
class StoreMerger {
public:
    StoreMerger(const ptx::Function& function, const SharedOffsets& offsets, Changes& changes)
        : m_function(function), m_new(function), m_changes(changes), m_values(function, offsets) {}

    std::optional<ptx::Function> run() {
        for (const std::uint32_t b : m_values.order()) {
            for (std::uint32_t i = m_values.flow().blocks[b].first; i < m_values.flow().blocks[b].last; ++i)
                visit(i, b);
            flush();
        }
        if (m_replacement.empty())
            return {};
        apply(m_new, m_replacement);
        return std::move(m_new);
    }

private:
    const ptx::Function& m_function;
    ptx::Function m_new;
    Changes& m_changes;
    Values m_values;
    Replacement m_replacement;

    // The window being collected.
    std::vector<Element> m_pending;
    std::vector<std::pair<LeafId, std::int64_t>> m_terms;
    std::int64_t m_start = 0;
    int m_bytes = 0, m_slots = 0;
    bool m_knows = false; ///< its alignment is known

    void visit(std::uint32_t i, std::uint32_t block) {
        const Instruction& in = m_function.instructions[i];
        const LinearForm* address = in.opcode == Opcode::St ? m_values.address(i) : nullptr;
        const Shape shape = address != nullptr ? shapeOf(m_function, in) : Shape{};
        if (shape.elementBytes == 0 || in.modifiers.ordering != ptx::Ordering::Weak) {
            if (changesShared(in) || readsShared(in))
                flush();
            return;
        }
        const int slots = slotsOf(shape.elementBytes, m_values.alignmentOfTerms(*address));
        const std::int64_t start = windowStart(address->constant, std::int64_t{slots} * shape.elementBytes);
        const bool knows = shape.elements <= slots && (address->constant - start) % shape.elementBytes == 0;
        std::vector<Element> elements = elementsOf(in, i, block, shape, *address);
        const auto isHere = [&](const Element& a) {
            return std::any_of(m_pending.begin(), m_pending.end(), [&](const Element& b) { return a.offset == b.offset; });
        };
        const bool same = !m_pending.empty() && knows && m_knows && start == m_start && address->terms == m_terms &&
                          shape.elementBytes == m_bytes;
        const bool again = same && elements.size() == 1 && m_pending.back().offset == elements[0].offset &&
                           isAlone(m_pending.back());
        if (again) { // nobody saw what the one before stored
            m_replacement[m_pending.back().instruction] = {};
            m_pending.pop_back();
            ++m_changes.storesMerged;
        } else if (!same || std::any_of(elements.begin(), elements.end(), isHere)) {
            flush();
        }
        m_terms = address->terms;
        m_start = start;
        m_bytes = shape.elementBytes;
        m_slots = slots;
        m_knows = knows;
        for (Element& e : elements)
            m_pending.push_back(std::move(e));
    }

    bool isAlone(const Element& e) const {
        return std::count_if(m_pending.begin(), m_pending.end(), [&](const Element& other) { return other.instruction == e.instruction; }) == 1;
    }

    void flush() {
        std::vector<Element> pending = std::move(m_pending);
        m_pending.clear();
        if (!m_knows || pending.empty() || pending.front().instruction == pending.back().instruction)
            return;
        std::array<const Element*, kSlots> bySlot{};
        std::array<bool, kSlots> present{};
        for (const Element& e : pending) {
            const auto slot = static_cast<std::size_t>((e.offset - m_start) / m_bytes);
            bySlot[slot] = &e;
            present[slot] = true;
        }
        std::vector<std::vector<const Element*>> parts;
        for (const Part& part : partsOf(present, m_slots, true)) {
            parts.emplace_back();
            for (int s = part.first; s < part.end; ++s)
                parts.back().push_back(bySlot[static_cast<std::size_t>(s)]);
        }
        const bool changes = std::any_of(parts.begin(), parts.end(), [](const auto& part) {
            return std::any_of(part.begin(), part.end(), [&](const Element* e) { return e->instruction != part[0]->instruction; });
        });
        if (!changes)
            return;
        for (const Element& e : pending)
            m_replacement[e.instruction] = {};
        for (const auto& part : parts)
            emitPart(part);
    }

    void emitPart(const std::vector<const Element*>& part) {
        std::uint32_t last = 0;
        for (const Element* e : part)
            last = std::max(last, e->instruction);
        const Instruction& at = m_function.instructions[last];
        std::vector<Operand> data;
        std::vector<std::uint32_t> lines;
        std::vector<Instruction> pack;
        std::optional<Type> type;
        for (const Element* e : part) {
            const Instruction& in = m_function.instructions[e->instruction];
            type = !type || *type == in.type ? in.type : untyped(m_bytes);
            if (e->instruction != last)
                lines.push_back(in.ptxLine);
            data.push_back(source(*e, last, pack));
        }
        if (std::any_of(part.begin(), part.end(), [](const Element* e) { return e->pair; }))
            type = Type::B32;
        auto& list = m_replacement[last];
        list.insert(list.end(), pack.begin(), pack.end());
        std::sort(lines.begin(), lines.end());
        lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
        Instruction access = accessInstruction(at, std::move(data), *type, part[0]->offset - m_values.address(last)->constant);
        m_changes.storesMerged += static_cast<int>(lines.size());
        access.mergedLines = std::move(lines);
        list.push_back(std::move(access));
    }

    /// The element's data where the last store stands. What is written in between is kept where it was stored.
    Operand source(const Element& e, std::uint32_t last, std::vector<Instruction>& pack) {
        const Instruction& in = m_function.instructions[e.instruction];
        if (e.pair) {
            const Operand whole = registerOperand(newRegister(e.data[0], 4));
            (e.instruction == last ? pack : m_replacement[e.instruction]).push_back(halvesInstruction(in, e.data, whole, true));
            return whole;
        }
        const Operand& value = e.data[0];
        bool written = false;
        if (value.isRegister())
            for (std::uint32_t i = e.instruction; i < last; ++i)
                forEachDefinition(m_function.instructions[i], [&](std::uint32_t r) { written |= r == value.index; });
        if (!written)
            return value;
        const int bytes = ptx::sizeBytes(m_function.registers[value.index].type);
        const Operand kept = registerOperand(newRegister(value, bytes));
        m_replacement[e.instruction].push_back(moveInstruction(in, kept, value, bytes));
        return kept;
    }

    std::uint32_t newRegister(const Operand& like, int bytes) {
        return addRegister(m_new, like.isRegister() ? like.index : 0, untyped(bytes), "m");
    }
};

} // namespace

void mergeLoads(ptx::Function& function, const SharedOffsets& offsets, Changes& changes) {
    if (std::optional<ptx::Function> merged = LoadMerger(function, offsets, changes).run())
        function = std::move(*merged);
}

void mergeStores(ptx::Function& function, const SharedOffsets& offsets, Changes& changes) {
    if (std::optional<ptx::Function> merged = StoreMerger(function, offsets, changes).run())
        function = std::move(*merged);
}

} // namespace lanescope::compiled
