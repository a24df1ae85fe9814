// SPDX-License-Identifier: GPL-3.0-or-later
// Each basic block in the order that ptxas is taken to choose: a list schedule by the longest path of latencies to the block's end.
// What stands first in memory stays first: nothing moves across a barrier or a fence, and loads do not pass stores and atomics of their
// own kind of memory (shared, or all else).
#include <algorithm>
#include <queue>

#include "engine/ptx/control_flow.h"
#include "engine/timing/instruction.h"

namespace lanescope::timing {

namespace {

struct Node {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> successors; ///< node, cycles
    std::uint32_t predecessors = 0;
    std::uint32_t height = 0;   ///< longest path to the end
    std::uint32_t earliest = 0; ///< by those scheduled so far
};

class BlockScheduler {
public:
    BlockScheduler(const ProgramTiming& timing, std::uint32_t first, std::uint32_t end) : m_timing(timing), m_first(first), m_nodes(end - first) {
        addEdges();
        for (std::uint32_t i = static_cast<std::uint32_t>(m_nodes.size()); i-- > 0;) {
            m_nodes[i].height += latency(i);
            for (const auto& [s, cycles] : m_nodes[i].successors)
                m_nodes[i].height = std::max(m_nodes[i].height, cycles + m_nodes[s].height);
        }
    }

    std::vector<std::uint32_t> order(std::uint32_t window) {
        const auto count = static_cast<std::uint32_t>(m_nodes.size());
        std::vector<std::uint32_t> out;
        std::vector<bool> done(count);
        std::uint32_t oldest = 0, time = 0;
        while (out.size() < count) {
            while (done[oldest])
                ++oldest;
            // The highest of those that can go; when none can, the one that can soonest.
            std::uint32_t best = count;
            for (std::uint32_t i = oldest; i < std::min(count, oldest + window); ++i) {
                if (done[i] || m_nodes[i].predecessors != 0)
                    continue;
                if (best == count || better(i, best, time))
                    best = i;
            }
            Node& node = m_nodes[best];
            time = std::max(time, node.earliest);
            for (const auto& [s, cycles] : node.successors) {
                m_nodes[s].earliest = std::max(m_nodes[s].earliest, time + cycles);
                --m_nodes[s].predecessors;
            }
            done[best] = true;
            out.push_back(m_first + best);
            time += m_timing.instructions[m_first + best].slotsUsed;
        }
        return out;
    }

private:
    const ProgramTiming& m_timing;
    std::uint32_t m_first;
    std::vector<Node> m_nodes;

    std::uint32_t latency(std::uint32_t i) const { return m_timing.instructions[m_first + i].latency; }
    bool better(std::uint32_t a, std::uint32_t b, std::uint32_t time) const {
        const std::uint32_t atA = std::max(time, m_nodes[a].earliest), atB = std::max(time, m_nodes[b].earliest);
        return atA != atB ? atA < atB : m_nodes[a].height > m_nodes[b].height;
    }
    void edge(std::uint32_t from, std::uint32_t to, std::uint32_t cycles) {
        m_nodes[from].successors.emplace_back(to, cycles);
        ++m_nodes[to].predecessors;
    }
    void addEdges() {
        constexpr std::uint32_t kNone = 0xffffffff;
        std::vector<std::uint32_t> writer(static_cast<std::size_t>(m_timing.registerCount) + 1, kNone);
        std::vector<std::vector<std::uint32_t>> readers(writer.size());
        std::vector<std::uint32_t> touched;
        std::uint32_t ordered = kNone;
        std::uint32_t store[2] = {kNone, kNone};  // of shared memory, of all else
        std::vector<std::uint32_t> loads[2];      // since the last store or ordering instruction
        std::uint32_t exchange = kNone;
        const auto count = static_cast<std::uint32_t>(m_nodes.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            const InstructionTiming& t = m_timing.instructions[m_first + i];
            for (const std::uint16_t r : m_timing.reads(t)) {
                if (writer[r] != kNone)
                    edge(writer[r], i, latency(writer[r]));
                readers[r].push_back(i);
            }
            for (const std::uint16_t r : m_timing.writes(t)) {
                for (const std::uint32_t reader : readers[r])
                    if (reader != i)
                        edge(reader, i, 0);
                if (writer[r] != kNone)
                    edge(writer[r], i, 1);
                readers[r].clear();
                writer[r] = i;
            }
            const bool orders = t.pipe == Pipe::Barrier || t.pipe == Pipe::Fence || t.pipe >= Pipe::Tensor;
            const bool stores = t.isStore || t.isAtomic, accesses = stores || t.isLoad;
            if ((orders || accesses) && ordered != kNone)
                edge(ordered, i, 0);
            for (const int kind : {0, 1}) {
                if (!orders && !(accesses && (kind == 0) == t.isShared))
                    continue;
                if (store[kind] != kNone)
                    edge(store[kind], i, 0);
                if (orders || stores) {
                    for (const std::uint32_t load : loads[kind])
                        edge(load, i, 0);
                    loads[kind].clear();
                    store[kind] = stores ? i : kNone;
                } else {
                    loads[kind].push_back(i);
                }
            }
            if (t.pipe == Pipe::Exchange) {
                if (exchange != kNone)
                    edge(exchange, i, 0);
                exchange = i;
            }
            if (orders)
                ordered = i;
            // What stands before a wait for products is there to be done meanwhile.
            if (t.isControl || t.copies == CopyRole::WaitForProducts)
                for (std::uint32_t j = 0; j < i; ++j)
                    edge(j, i, 0);
        }
    }
};

} // namespace

void scheduleBlocks(const sim::Program& program, const Parameters& parameters, ProgramTiming& timing) {
    timing.blockEnd.assign(program.ops.size(), 0);
    timing.scheduled.resize(program.ops.size());
    for (std::uint32_t pc = 0; pc < timing.scheduled.size(); ++pc)
        timing.scheduled[pc] = pc;
    for (const sim::FunctionLayout& layout : program.functions) {
        const ptx::ControlFlow flow = ptx::analyseControlFlow(program.module->functions[layout.moduleIndex]);
        for (const ptx::BasicBlock& block : flow.blocks) {
            const std::uint32_t first = layout.entryPc + block.first, end = layout.entryPc + block.last;
            if (end <= first || end > layout.endPc)
                continue;
            // Calls and exits within a block part it: control may not come back, or not with the same lanes.
            for (std::uint32_t from = first; from < end;) {
                std::uint32_t to = from;
                while (to < end && !timing.instructions[to].isControl)
                    ++to;
                to = std::min(end, to + 1);
                timing.blockEnd[from] = to;
                if (to - from > 2) {
                    const std::vector<std::uint32_t> order = BlockScheduler(timing, from, to).order(static_cast<std::uint32_t>(parameters.scheduleWindow));
                    std::copy(order.begin(), order.end(), timing.scheduled.begin() + from);
                }
                from = to;
            }
        }
    }
}

} // namespace lanescope::timing
