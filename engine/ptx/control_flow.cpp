// SPDX-License-Identifier: GPL-3.0-or-later
// Immediate post-dominators by the algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast
// Dominance Algorithm") on the reversed graph, whose root is a virtual exit behind every ret, exit
// and trap.
#include "engine/ptx/control_flow.h"

#include <algorithm>

namespace lanescope::ptx {

namespace {

bool leavesFunction(Opcode opcode) {
    return opcode == Opcode::Ret || opcode == Opcode::Exit || opcode == Opcode::Trap;
}

bool endsBlock(Opcode opcode) {
    return leavesFunction(opcode) || opcode == Opcode::Bra || opcode == Opcode::Brx;
}

/// Instruction indices that control can go to; `size` stands for the exit.
std::vector<std::uint32_t> targets(const Function& function, std::uint32_t index) {
    const auto size = static_cast<std::uint32_t>(function.instructions.size());
    const Instruction& instruction = function.instructions[index];
    std::vector<std::uint32_t> result;
    const auto add = [&](std::uint32_t target) {
        target = std::min(target, size);
        if (std::find(result.begin(), result.end(), target) == result.end())
            result.push_back(target);
    };
    if (!endsBlock(instruction.opcode) || instruction.guard >= 0)
        add(index + 1);
    if (leavesFunction(instruction.opcode))
        add(size);
    if (instruction.opcode == Opcode::Bra && !instruction.operands.empty())
        add(instruction.operands[0].index);
    if (instruction.opcode == Opcode::Brx && instruction.operands.size() == 2 &&
        instruction.operands[1].index < function.targetTables.size())
        for (std::uint32_t target : function.targetTables[instruction.operands[1].index].targets)
            add(target);
    return result;
}

std::vector<bool> findLeaders(const Function& function) {
    const std::size_t size = function.instructions.size();
    std::vector<bool> isLeader(size + 1, false);
    isLeader[0] = true;
    for (std::uint32_t i = 0; i < size; ++i) {
        if (!endsBlock(function.instructions[i].opcode))
            continue;
        isLeader[i + 1] = true;
        for (std::uint32_t target : targets(function, i))
            isLeader[target] = true;
    }
    return isLeader;
}

void makeBlocks(const Function& function, ControlFlow& flow) {
    const auto size = static_cast<std::uint32_t>(function.instructions.size());
    const std::vector<bool> isLeader = findLeaders(function);
    flow.blockOf.resize(size);
    for (std::uint32_t i = 0; i < size; ++i) {
        if (isLeader[i])
            flow.blocks.push_back({i, i, {}, {}, -1});
        flow.blocks.back().last = i + 1;
        flow.blockOf[i] = static_cast<std::uint32_t>(flow.blocks.size() - 1);
    }
}

/// Blocks that control can enter, from the function's first instruction.
std::vector<bool> findReachable(const std::vector<std::vector<std::uint32_t>>& successors,
                                std::uint32_t exit) {
    std::vector<bool> reached(exit + 1, false);
    std::vector<std::uint32_t> work{0};
    reached[0] = true;
    while (!work.empty()) {
        const std::uint32_t block = work.back();
        work.pop_back();
        for (std::uint32_t next : successors[block])
            if (!reached[next]) {
                reached[next] = true;
                if (next != exit)
                    work.push_back(next);
            }
    }
    return reached;
}

/// Postorder numbers of a walk from the exit against the edges; -1 where the exit cannot be
/// reached.
std::vector<int> numberFromExit(const std::vector<std::vector<std::uint32_t>>& predecessors,
                                std::uint32_t exit, std::vector<std::uint32_t>& order) {
    std::vector<int> number(predecessors.size(), -1);
    std::vector<bool> seen(predecessors.size(), false);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{exit, 0}};
    seen[exit] = true;
    while (!stack.empty()) {
        auto& [block, next] = stack.back();
        if (next < predecessors[block].size()) {
            const std::uint32_t to = predecessors[block][next++];
            if (!seen[to]) {
                seen[to] = true;
                stack.emplace_back(to, 0);
            }
            continue;
        }
        number[block] = static_cast<int>(order.size());
        order.push_back(block);
        stack.pop_back();
    }
    return number;
}

/// Endless loops get an edge from their last block that jumps back to the exit, so that branches
/// inside them still have a place to meet.
void closeEndlessLoops(std::vector<std::vector<std::uint32_t>>& successors,
                       std::vector<std::vector<std::uint32_t>>& predecessors, std::uint32_t exit) {
    std::vector<bool> leaves(exit + 1, false);
    std::vector<std::uint32_t> work{exit};
    leaves[exit] = true;
    const auto spread = [&] {
        while (!work.empty()) {
            const std::uint32_t block = work.back();
            work.pop_back();
            for (std::uint32_t previous : predecessors[block])
                if (!leaves[previous]) {
                    leaves[previous] = true;
                    work.push_back(previous);
                }
        }
    };
    spread();
    for (std::uint32_t block = exit; block-- > 0;) {
        const auto& next = successors[block];
        const bool jumpsBack =
            std::any_of(next.begin(), next.end(), [&](std::uint32_t to) { return to <= block; });
        if (leaves[block] || !jumpsBack)
            continue;
        successors[block].push_back(exit);
        predecessors[exit].push_back(block);
        leaves[block] = true;
        work.push_back(block);
        spread();
    }
}

constexpr std::int64_t kNoDominator = -1;

/// The immediate post-dominator of each block, `exit` for the exit, kNoDominator where the exit
/// cannot be reached.
std::vector<std::int64_t>
findPostDominators(const std::vector<std::vector<std::uint32_t>>& successors,
                   const std::vector<std::vector<std::uint32_t>>& predecessors,
                   std::uint32_t exit) {
    std::vector<std::uint32_t> order;
    const std::vector<int> number = numberFromExit(predecessors, exit, order);
    std::vector<std::int64_t> dominator(exit + 1, kNoDominator);
    dominator[exit] = exit;
    const auto intersect = [&](std::int64_t a, std::int64_t b) {
        while (a != b) {
            while (number[static_cast<std::size_t>(a)] < number[static_cast<std::size_t>(b)])
                a = dominator[static_cast<std::size_t>(a)];
            while (number[static_cast<std::size_t>(b)] < number[static_cast<std::size_t>(a)])
                b = dominator[static_cast<std::size_t>(b)];
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = order.size(); i-- > 0;) {
            const std::uint32_t block = order[i];
            if (block == exit)
                continue;
            std::int64_t best = kNoDominator;
            for (std::uint32_t successor : successors[block])
                if (dominator[successor] != kNoDominator)
                    best = best == kNoDominator ? static_cast<std::int64_t>(successor)
                                                : intersect(best, successor);
            if (best != dominator[block]) {
                dominator[block] = best;
                changed = true;
            }
        }
    }
    return dominator;
}

} // namespace

ControlFlow analyseControlFlow(const Function& function) {
    ControlFlow flow;
    const auto size = static_cast<std::uint32_t>(function.instructions.size());
    if (size == 0)
        return flow;
    makeBlocks(function, flow);
    const auto exit = static_cast<std::uint32_t>(flow.blocks.size());
    std::vector<std::vector<std::uint32_t>> successors(exit + 1), predecessors(exit + 1);
    for (std::uint32_t b = 0; b < exit; ++b)
        for (std::uint32_t target : targets(function, flow.blocks[b].last - 1))
            successors[b].push_back(target == size ? exit : flow.blockOf[target]);
    const std::vector<bool> reached = findReachable(successors, exit);
    for (std::uint32_t b = 0; b < exit; ++b) {
        for (std::uint32_t to : successors[b]) {
            predecessors[to].push_back(b);
            if (to == exit)
                continue;
            flow.blocks[b].successors.push_back(to);
            if (reached[b])
                flow.blocks[to].predecessors.push_back(b);
        }
    }
    const std::vector<std::int64_t> leaving = findPostDominators(successors, predecessors, exit);
    closeEndlessLoops(successors, predecessors, exit);
    const std::vector<std::int64_t> closed = findPostDominators(successors, predecessors, exit);
    for (std::uint32_t b = 0; b < exit; ++b) {
        const std::int64_t d = leaving[b] == kNoDominator ? closed[b] : leaving[b];
        flow.blocks[b].postDominator =
            d == kNoDominator || d == exit ? -1 : static_cast<std::int32_t>(d);
    }
    flow.reconvergence.assign(size, ControlFlow::kNoReconvergence);
    for (std::uint32_t i = 0; i < size; ++i) {
        const std::int32_t meet = flow.blocks[flow.blockOf[i]].postDominator;
        if (meet >= 0)
            flow.reconvergence[i] = flow.blocks[static_cast<std::size_t>(meet)].first;
    }
    return flow;
}

} // namespace lanescope::ptx
