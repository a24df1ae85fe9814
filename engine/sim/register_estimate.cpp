// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/register_estimate.h"

#include <algorithm>
#include <vector>

#include "engine/ptx/control_flow.h"
#include "engine/ptx/instruction_set.h"

namespace lanescope::sim {

namespace {

using Bits = std::vector<std::uint64_t>;

bool test(const Bits& b, std::uint32_t i) { return (b[i >> 6] >> (i & 63) & 1) != 0; }
void set(Bits& b, std::uint32_t i) { b[i >> 6] |= std::uint64_t{1} << (i & 63); }
void clear(Bits& b, std::uint32_t i) { b[i >> 6] &= ~(std::uint64_t{1} << (i & 63)); }

int weight(const ptx::Register& r) {
    const int bytes = ptx::sizeBytes(r.type);
    return bytes == 0 ? 0 : bytes <= 4 ? 1 : bytes / 4;
}

int mostLive(const ptx::Function& f) {
    const ptx::ControlFlow flow = ptx::analyseControlFlow(f);
    const std::size_t words = f.registers.size() / 64 + 1;
    std::vector<Bits> liveIn(flow.blocks.size(), Bits(words));
    int most = 0;
    const auto walk = [&](std::size_t b, bool measure) {
        Bits live(words);
        for (const std::uint32_t s : flow.blocks[b].successors)
            for (std::size_t w = 0; w < words; ++w)
                live[w] |= liveIn[s][w];
        int count = 0;
        if (measure)
            for (std::uint32_t r = 0; r < f.registers.size(); ++r)
                count += test(live, r) ? weight(f.registers[r]) : 0;
        for (std::uint32_t i = flow.blocks[b].last; i-- > flow.blocks[b].first;) {
            const ptx::Instruction& in = f.instructions[i];
            const bool writes = ptx::writesFirstOperand(in) && !in.operands.empty();
            const auto use = [&](std::uint32_t r) {
                if (!test(live, r)) {
                    set(live, r);
                    count += weight(f.registers[r]);
                }
            };
            most = measure ? std::max(most, count) : most;
            if (writes && in.operands[0].kind != ptx::OperandKind::Address)
                ptx::forEachRegister(in.operands[0], [&](std::uint32_t r) {
                    if (in.guard < 0 && test(live, r)) {
                        clear(live, r);
                        count -= weight(f.registers[r]);
                    }
                });
            for (std::size_t o = writes ? 1 : 0; o < in.operands.size(); ++o)
                ptx::forEachRegister(in.operands[o], use);
            if (in.guard >= 0)
                use(static_cast<std::uint32_t>(in.guard));
            most = measure ? std::max(most, count) : most;
        }
        return live;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = flow.blocks.size(); b-- > 0;) {
            Bits live = walk(b, false);
            if (live != liveIn[b]) {
                liveIn[b] = std::move(live);
                changed = true;
            }
        }
    }
    for (std::size_t b = 0; b < flow.blocks.size(); ++b)
        walk(b, true);
    return most;
}

} // namespace

int estimateRegisters(const Program& program) {
    int most = 0;
    for (const FunctionLayout& layout : program.functions)
        most = std::max(most, mostLive(program.module->functions[layout.moduleIndex]));
    constexpr int kAddressing = 6; // stack pointer, constant-bank bases and the like
    return std::clamp(most + kAddressing, 16, 255);
}

} // namespace lanescope::sim
