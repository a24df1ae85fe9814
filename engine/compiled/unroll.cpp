// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/compiled/unroll.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/compiled/rewrite.h"

namespace lanescope::compiled {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

namespace {

constexpr int kMostTrips = 1024;
/// Copies of a loaded register take turns: two iterations whose loads can become one are never further apart.
constexpr std::uint32_t kNamesOfRegister = 8;

struct Loop {
    std::uint32_t block = 0, first = 0, last = 0; ///< `last` is one past the branch back
    int trips = 0;
    int before = 0; ///< copies in front of the loop
    int copies = 0; ///< of the body in the loop that stays; 0: none stays
};

bool accessesShared(const Instruction& in) {
    return (in.opcode == Opcode::Ld || in.opcode == Opcode::St) && in.modifiers.space == Space::Shared;
}

/// Interprets the integer arithmetic of one loop on what is known to be constant.
class TripCounter {
public:
    TripCounter(const ptx::Function& function, const Values& values, std::uint32_t block, std::uint32_t before)
        : m_function(function), m_values(values), m_before(before), m_block(values.flow().blocks[block]) {
        findSlice();
    }

    /// How often the block runs, when that does not depend on anything but constants and is at most kMostTrips.
    std::optional<int> count() {
        if (m_slice.empty())
            return {};
        const Instruction& branch = m_function.instructions[m_block.last - 1];
        for (int trips = 1; trips <= kMostTrips; ++trips) {
            for (const std::uint32_t i : m_slice)
                execute(m_function.instructions[i]);
            const auto taken = m_known.find(static_cast<std::uint32_t>(branch.guard));
            if (taken == m_known.end())
                return {};
            if ((taken->second != 0) == branch.guardNegated)
                return trips;
        }
        return {};
    }

private:
    const ptx::Function& m_function;
    const Values& m_values;
    std::uint32_t m_before;
    const ptx::BasicBlock& m_block;
    std::vector<std::uint32_t> m_slice; ///< what the branch depends on, in order
    std::map<std::uint32_t, std::int64_t> m_known;

    void findSlice() {
        std::set<std::uint32_t> wanted{static_cast<std::uint32_t>(m_function.instructions[m_block.last - 1].guard)};
        std::set<std::uint32_t> slice;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint32_t i = m_block.last - 1; i-- > m_block.first;) {
                bool defines = false;
                forEachDefinition(m_function.instructions[i], [&](std::uint32_t r) { defines |= wanted.contains(r); });
                if (!defines || !slice.insert(i).second)
                    continue;
                changed = true;
                forEachUse(m_function.instructions[i], [&](std::uint32_t r) { wanted.insert(r); });
            }
        }
        for (const std::uint32_t r : wanted)
            if (const LinearForm* form = m_values.atEnd(m_before, r); form != nullptr && form->isConstant())
                m_known[r] = form->constant;
        m_slice.assign(slice.begin(), slice.end());
    }

    std::optional<std::int64_t> value(const Operand& o) const {
        if (o.kind == OperandKind::Immediate)
            return static_cast<std::int64_t>(o.bits);
        if (!o.isRegister() || o.negated)
            return {};
        const auto it = m_known.find(o.index);
        return it == m_known.end() ? std::nullopt : std::optional(it->second);
    }

    void execute(const Instruction& in) {
        std::optional<std::int64_t> result;
        if (in.guard < 0 && in.operands.size() >= 2 && in.operands[0].isRegister()) {
            const auto a = value(in.operands[1]);
            const auto b = in.operands.size() > 2 ? value(in.operands[2]) : std::optional<std::int64_t>(0);
            if (a && b && in.operands.size() <= 3)
                result = apply(in, *a, *b);
        }
        forEachDefinition(in, [&](std::uint32_t r) {
            if (result)
                m_known[r] = *result;
            else
                m_known.erase(r);
        });
    }

    static std::optional<std::int64_t> apply(const Instruction& in, std::int64_t a, std::int64_t b) {
        const int bytes = ptx::sizeBytes(in.type);
        if (ptx::isFloat(in.type) || (bytes != 4 && bytes != 8) || in.modifiers.carryOut || in.modifiers.wide || in.modifiers.hi ||
            in.modifiers.sat)
            return {};
        const bool isSigned = ptx::isSigned(in.type);
        const auto narrow = [&](std::int64_t v) {
            return bytes == 8 ? v : static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint64_t>(v)));
        };
        const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
        const auto made = [&](std::uint64_t v) { return narrow(static_cast<std::int64_t>(v)); };
        switch (in.opcode) {
        case Opcode::Mov: return narrow(a);
        case Opcode::Add: return made(ua + ub);
        case Opcode::Sub: return made(ua - ub);
        case Opcode::Mul: return made(ua * ub);
        case Opcode::And: return made(ua & ub);
        case Opcode::Shl: return ub < static_cast<unsigned>(8 * bytes) ? std::optional(made(ua << ub)) : std::nullopt;
        case Opcode::Setp: {
            if (in.modifiers.boolOp != ptx::BoolOp::None)
                return {};
            a = narrow(a), b = narrow(b);
            const auto bits = [&](std::int64_t v) {
                return bytes == 8 ? static_cast<std::uint64_t>(v) : std::uint64_t{static_cast<std::uint32_t>(v)};
            };
            const bool less = isSigned ? a < b : bits(a) < bits(b);
            switch (in.modifiers.compare) {
            case ptx::Compare::Eq: return a == b;
            case ptx::Compare::Ne: return a != b;
            case ptx::Compare::Lt:
            case ptx::Compare::Lo: return less;
            case ptx::Compare::Le:
            case ptx::Compare::Ls: return less || a == b;
            case ptx::Compare::Gt:
            case ptx::Compare::Hi: return !less && a != b;
            case ptx::Compare::Ge:
            case ptx::Compare::Hs: return !less;
            default: return {};
            }
        }
        default: return {};
        }
    }
};

/// What an iteration costs in ptxas's decision: 2 for an access to memory and 1 for another instruction, without the four of the simplest
/// loop (comparison, branch, step of the counter and of an address).
int iterationCost(const ptx::Function& function, const ptx::BasicBlock& block) {
    constexpr int kLoopItself = 4;
    const auto accesses = std::count_if(function.instructions.begin() + block.first, function.instructions.begin() + block.last, [](const Instruction& in) {
        return ptx::family(in.opcode) == ptx::Family::Memory || ptx::family(in.opcode) == ptx::Family::Atomic;
    });
    return std::max(static_cast<int>(block.last - block.first + accesses) - kLoopItself, 1);
}

/// Cost of all iterations up to which ptxas unrolls a loop completely, by trip count. Measured with loops of 1 and 4 loads and 1 to 300
/// fused multiply-adds; between the counts measured it is interpolated.
double mostCostOfAll(int trips) {
    static constexpr std::pair<double, double> kMeasured[] = {
        {1, 376},  {2, 376},  {3, 380},  {4, 376},  {5, 395},  {6, 430},  {7, 445},  {8, 454},  {10, 476},  {12, 540},  {14, 553},   {16, 600},
        {18, 610}, {20, 660}, {22, 670}, {24, 700}, {26, 715}, {28, 770}, {32, 810}, {36, 822}, {44, 940},  {48, 950},  {64, 1100},  {80, 1150},
        {100, 1350}, {128, 1480}, {192, 1700}, {256, 1750}};
    const auto* above = std::find_if(std::begin(kMeasured), std::end(kMeasured), [&](const auto& m) { return m.first >= trips; });
    if (above == std::end(kMeasured))
        return kMeasured[std::size(kMeasured) - 1].second;
    if (above == std::begin(kMeasured))
        return above->second;
    const auto* below = above - 1;
    return below->second + (trips - below->first) / (above->first - below->first) * (above->second - below->second);
}

/// Decides as ptxas does. What does not fit unrolled completely becomes a loop of as many copies as fit with the rest of the division in
/// front of it, copies and rest together within kMostCostOfBody.
void decide(Loop& loop, int cost) {
    constexpr int kMostCostOfBody = 350, kLeastFactor = 5;
    if (loop.trips * cost <= mostCostOfAll(loop.trips)) {
        loop.before = loop.trips;
        return;
    }
    const int most = kMostCostOfBody / cost;
    if (most < kLeastFactor)
        return;
    for (int factor = std::min(most, loop.trips); factor > 1; --factor)
        if (factor + loop.trips % factor <= most) {
            loop.before = loop.trips % factor;
            loop.copies = factor;
            return;
        }
}

std::vector<Loop> findLoops(const ptx::Function& function, const SharedOffsets& offsets) {
    std::vector<Loop> loops;
    const ptx::ControlFlow flow = ptx::analyseControlFlow(function);
    std::optional<Values> values;
    for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
        const ptx::BasicBlock& block = flow.blocks[b];
        const Instruction& branch = function.instructions[block.last - 1];
        if (branch.opcode != Opcode::Bra || branch.guard < 0 || branch.operands[0].index != block.first)
            continue;
        if (std::find(function.notUnrolled.begin(), function.notUnrolled.end(), block.first) != function.notUnrolled.end())
            continue;
        if (std::none_of(function.instructions.begin() + block.first, function.instructions.begin() + block.last, accessesShared))
            continue;
        std::optional<std::uint32_t> before;
        bool oneEntry = true;
        for (const std::uint32_t p : block.predecessors)
            if (p != b) {
                oneEntry = oneEntry && !before;
                before = p;
            }
        if (!before || !oneEntry)
            continue;
        if (!values)
            values.emplace(function, offsets);
        if (!values->isReachable(b))
            continue;
        Loop loop{b, block.first, block.last};
        const std::optional<int> trips = TripCounter(function, *values, b, *before).count();
        if (!trips)
            continue;
        loop.trips = *trips;
        decide(loop, iterationCost(function, block));
        if (loop.before + loop.copies == 0)
            continue;
        loops.push_back(loop);
    }
    return loops;
}

/// Registers that an iteration loads from shared memory and only it reads: each copy may have its own.
std::vector<std::uint32_t> privateLoads(const ptx::Function& function, const Loop& loop) {
    std::map<std::uint32_t, int> outside;
    std::set<std::uint32_t> defined, spoiled;
    std::vector<std::uint32_t> loaded;
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
        const Instruction& in = function.instructions[i];
        const bool inside = i >= loop.first && i < loop.last;
        forEachUse(in, [&](std::uint32_t r) {
            if (!inside || !defined.contains(r))
                spoiled.insert(r);
        });
        forEachDefinition(in, [&](std::uint32_t r) {
            if (!inside || in.guard >= 0 || !defined.insert(r).second)
                spoiled.insert(r);
            else if (in.opcode == Opcode::Ld && in.modifiers.space == Space::Shared)
                loaded.push_back(r);
        });
    }
    std::erase_if(loaded, [&](std::uint32_t r) { return spoiled.contains(r); });
    return loaded;
}

void rename(Operand& operand, const std::map<std::uint32_t, std::uint32_t>& names) {
    if (operand.isRegister())
        if (const auto it = names.find(operand.index); it != names.end())
            operand.index = it->second;
    for (Operand& e : operand.elements)
        rename(e, names);
}

void unroll(ptx::Function& function, const Loop& loop) {
    const std::vector<std::uint32_t> loaded = privateLoads(function, loop);
    std::vector<std::map<std::uint32_t, std::uint32_t>> names(1);
    for (std::uint32_t k = 1; k < std::min<std::uint32_t>(kNamesOfRegister, static_cast<std::uint32_t>(loop.before + loop.copies)); ++k) {
        names.emplace_back();
        for (const std::uint32_t r : loaded)
            names.back()[r] = addRegister(function, r, function.registers[r].type, "u");
    }
    const std::vector<Instruction>& old = function.instructions;
    std::vector<Instruction> body;
    std::vector<std::uint32_t> movedTo;
    std::uint32_t head = 0, branch = 0;
    for (std::uint32_t i = 0; i <= old.size(); ++i) {
        if (i == loop.first) {
            for (std::uint32_t j = loop.first; j < loop.last; ++j)
                movedTo.push_back(static_cast<std::uint32_t>(body.size()) + j - loop.first);
            for (int copy = 0; copy < loop.before + loop.copies; ++copy) {
                if (copy == loop.before)
                    head = static_cast<std::uint32_t>(body.size());
                for (std::uint32_t j = loop.first; j + 1 < loop.last; ++j) {
                    body.push_back(old[j]);
                    for (Operand& o : body.back().operands)
                        rename(o, names[static_cast<std::size_t>(copy) % names.size()]);
                }
            }
            if (loop.copies > 0) {
                branch = static_cast<std::uint32_t>(body.size());
                body.push_back(old[loop.last - 1]);
            }
            i = loop.last;
        }
        movedTo.push_back(static_cast<std::uint32_t>(body.size()));
        if (i < old.size())
            body.push_back(old[i]);
    }
    replaceBody(function, std::move(body), movedTo);
    if (loop.copies > 0) {
        function.instructions[branch].operands[0].index = head;
        function.notUnrolled.push_back(head);
    }
}

} // namespace

int unrollLoops(ptx::Function& function, const SharedOffsets& offsets) {
    std::vector<Loop> loops = findLoops(function, offsets);
    for (std::size_t i = loops.size(); i-- > 0;) // from the end, so that the indices of those before stay
        unroll(function, loops[i]);
    return static_cast<int>(loops.size());
}

} // namespace lanescope::compiled
