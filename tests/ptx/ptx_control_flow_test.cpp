// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include <random>

#include "engine/ptx/control_flow.h"
#include "tests/ptx/ptx_support.h"

using namespace lanescope;
using namespace lanescope::ptx;

namespace {

ControlFlow flowOf(std::string_view body) {
    const auto module = parse(test::moduleWith(body));
    INFO((module ? std::string() : toString(module.error())));
    REQUIRE(module);
    return analyseControlFlow(module->functions[0]);
}

/// Blocks that lie on every path from a block to the exit, by removing each and looking for the
/// exit.
bool postDominates(const ControlFlow& flow, const std::vector<bool>& exits, std::uint32_t by,
                   std::uint32_t from) {
    std::vector<bool> seen(flow.blocks.size(), false);
    std::vector<std::uint32_t> work{from};
    if (from == by)
        return true;
    seen[from] = true;
    while (!work.empty()) {
        const std::uint32_t block = work.back();
        work.pop_back();
        if (exits[block])
            return false;
        for (std::uint32_t next : flow.blocks[block].successors)
            if (next != by && !seen[next]) {
                seen[next] = true;
                work.push_back(next);
            }
    }
    return true;
}

} // namespace

TEST_CASE("if, else: lanes meet after both") {
    const auto flow =
        flowOf("@%p1 bra A; mov.u32 %r1, 1; bra B; A: mov.u32 %r1, 2; B: mov.u32 %r2, 3; ret;");
    REQUIRE(flow.blocks.size() == 4);
    CHECK(flow.reconvergence[0] == 4);
    CHECK(flow.blocks[0].successors == std::vector<std::uint32_t>{1, 2});
    CHECK(flow.blocks[3].postDominator == -1);
}

TEST_CASE("loop: lanes meet behind it") {
    const auto flow =
        flowOf("L: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 9; @%p1 bra L; mov.u32 %r2, 1; ret;");
    CHECK(flow.reconvergence[2] == 3);
    CHECK(flow.blocks[0].predecessors == std::vector<std::uint32_t>{0});
}

TEST_CASE("a guarded ret goes on for the other lanes") {
    const auto flow = flowOf("@%p1 ret; mov.u32 %r1, 1; ret;");
    REQUIRE(flow.blocks.size() == 2);
    CHECK(flow.blocks[0].successors == std::vector<std::uint32_t>{1});
    CHECK(flow.blocks[0].postDominator == -1);
    CHECK(flow.reconvergence[0] == ControlFlow::kNoReconvergence);
}

TEST_CASE("infinite loops and dead code have no post-dominator") {
    const auto flow = flowOf("L: add.s32 %r1, %r1, 1; bra L; mov.u32 %r2, 1; ret;");
    CHECK(flow.blocks[0].postDominator == -1);
    CHECK(flow.blocks[1].predecessors.empty());
}

TEST_CASE("branches inside an endless loop meet inside it") {
    const auto flow = flowOf(
        "L: @%p1 bra A; mov.u32 %r1, 1; bra B; A: mov.u32 %r1, 2; B: mov.u32 %r2, 3; bra L;");
    CHECK(flow.reconvergence[0] == 4);
}

TEST_CASE("brx.idx goes to its table") {
    const auto flow = flowOf("T: .branchtargets A, B, C; brx.idx %r1, T; A: mov.u32 %r1, 1; bra D; "
                             "B: mov.u32 %r1, 2; bra D; "
                             "C: mov.u32 %r1, 3; D: ret;");
    CHECK(flow.blocks[0].successors.size() == 3);
    CHECK(flow.reconvergence[0] == 6);
}

TEST_CASE("calls do not end a block") {
    const auto module = parse(".version 8.0\n.target sm_80\n.address_size 64\n.func f() { ret; }\n"
                              ".entry k() { call f; call f, (); ret; }");
    REQUIRE(module);
    CHECK(analyseControlFlow(module->functions[1]).blocks.size() == 1);
}

TEST_CASE("random graphs: immediate post-dominators equal those found by removing blocks") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        const unsigned count = 2 + random() % 9;
        std::string body;
        for (unsigned i = 0; i < count; ++i) {
            body.append("L").append(std::to_string(i)).append(": add.s32 %r1, %r1, 1;\n");
            const std::string target =
                std::string("L").append(std::to_string(random() % count)).append(";\n");
            switch (random() % 5) {
            case 0:
                body += "bra " + target;
                break;
            case 1:
                body += "ret;\n";
                break;
            case 2:
                body += "@%p1 ret;\n";
                break;
            case 3:
                body += "@%p1 bra " + target;
                break;
            default:
                break;
            }
        }
        INFO(body);
        const auto module = parse(test::moduleWith(body));
        REQUIRE(module);
        const Function& function = module->functions[0];
        const auto flow = analyseControlFlow(function);
        std::vector<bool> exits;
        for (const BasicBlock& block : flow.blocks)
            exits.push_back(function.instructions[block.last - 1].opcode == Opcode::Ret);
        std::vector<bool> canExit(flow.blocks.size(), false);
        for (std::uint32_t b = 0; b < flow.blocks.size(); ++b)
            canExit[b] =
                !postDominates(flow, exits, static_cast<std::uint32_t>(flow.blocks.size()), b);
        for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
            std::vector<std::uint32_t> strict;
            for (std::uint32_t by = 0; by < flow.blocks.size(); ++by)
                if (by != b && canExit[b] && postDominates(flow, exits, by, b))
                    strict.push_back(by);
            std::int32_t expected = -1;
            for (std::uint32_t candidate :
                 strict) { // the nearest: every other one post-dominates it
                bool nearest = true;
                for (std::uint32_t other : strict)
                    nearest = nearest && postDominates(flow, exits, other, candidate);
                if (nearest)
                    expected = static_cast<std::int32_t>(candidate);
            }
            if (canExit[b])
                CHECK(flow.blocks[b].postDominator == expected);
        }
    }
}
