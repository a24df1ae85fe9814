// SPDX-License-Identifier: GPL-3.0-or-later
// What is found, and what is not, whatever the schedule.
#include "tests/sim/ptx_runner.h"

using namespace lanescope;
using namespace lanescope::test;
using Catch::Matchers::Contains;
using check::FindingKind;

namespace {

const std::string kAddress = "mov.u32 %r0, %tid.x; mul.lo.u32 %r10, %r0, 4; mov.u32 %r11, tile; add.u32 %r10, %r10, %r11; xor.b32 %r12, %r0, 32; mul.lo.u32 %r12, %r12, 4; add.u32 "
                             "%r12, %r12, %r11;\n";
const std::string kTile = ".shared .align 4 .b32 tile[64];\n";

void checkAllSchedules(const std::string& body, FindingKind kind, std::uint64_t occurrences, int pointers = 1) {
    const session::LoadedProgram program = loadText(kernel(body, pointers), "k");
    PtxLaunch launch;
    launch.block.x = 64;
    launch.arguments.assign(static_cast<std::size_t>(pointers), "zeros:1024");
    for (const auto& [schedule, seed] : {std::pair(sim::Schedule::InTurn, 1), std::pair(sim::Schedule::Reverse, 1), std::pair(sim::Schedule::Random, 3),
                                         std::pair(sim::Schedule::Random, 17)}) {
        launch.schedule = schedule;
        launch.seed = static_cast<std::uint64_t>(seed);
        const PtxRun result = run(program, launch);
        INFO("schedule " << static_cast<int>(schedule) << " seed " << seed);
        CHECK(result.occurrences(kind) == occurrences);
        for (const check::Finding& f : result.report.findings)
            if (f.kind != kind)
                FAIL_CHECK(f.message);
    }
}

} // namespace

TEST_CASE("write then read of another warp without a barrier is race.raw", "[check]") {
    checkAllSchedules(kTile + kAddress + "st.shared.u32 [%r10], %r0; ld.shared.u32 %r2, [%r12];", FindingKind::RaceRaw, 1);
    checkAllSchedules(kTile + kAddress + "st.shared.u32 [%r10], %r0; bar.sync 0; ld.shared.u32 %r2, [%r12];", FindingKind::RaceRaw, 0);
}

TEST_CASE("read then write of another warp without a barrier is race.war", "[check]") {
    checkAllSchedules(kTile + kAddress + "st.shared.u32 [%r10], %r0; bar.sync 0; ld.shared.u32 %r2, [%r12]; st.shared.u32 [%r10], %r2;", FindingKind::RaceWar, 1);
    checkAllSchedules(kTile + kAddress + "st.shared.u32 [%r10], %r0; bar.sync 0; ld.shared.u32 %r2, [%r12]; bar.sync 0; st.shared.u32 [%r10], %r2;", FindingKind::RaceWar, 0);
}

TEST_CASE("two warps write one word: race.waw; bytes of one word are not one place", "[check]") {
    checkAllSchedules(kTile + kAddress + "and.b32 %r3, %r0, 31; mul.lo.u32 %r3, %r3, 4; add.u32 %r3, %r3, %r11; st.shared.u32 [%r3], %r0;", FindingKind::RaceWaw, 1);
    checkAllSchedules(kTile + kAddress + "shl.b32 %r3, %r0, 1; and.b32 %r3, %r3, 62; shr.u32 %r4, %r0, 5; add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r11; st.shared.u8 [%r3], %r0;",
                      FindingKind::RaceWaw, 0);
}

TEST_CASE("occurrences count executions of an instruction in the block", "[check]") {
    // Five times round without a barrier: the read races each time.
    checkAllSchedules(kTile + kAddress + "st.shared.u32 [%r10], %r0; mov.u32 %r5, 0;\nL: ld.shared.u32 %r2, [%r12]; add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 5;\n@%p0 bra L;",
                      FindingKind::RaceRaw, 5);
}

TEST_CASE("a fence and an atomic order two warps; the atomic alone does not", "[check]") {
    // Warp 0 publishes a flag; warp 1 spins on it and then reads the data.
    const auto body = [](const std::string& fence) {
        return kTile + kAddress + ".shared .align 4 .b32 flag[1];\nsetp.lt.u32 %p0, %r0, 32; setp.eq.u32 %p1, %r0, 0; @%p1 st.volatile.shared.u32 [flag], 0; bar.sync 0;\n@!%p0 bra READER;\n"
               "st.shared.u32 [%r10], %r0;\n" +
               fence +
               "setp.eq.u32 %p2, %r0, 0; @%p2 atom.shared.exch.b32 %r6, [flag], 1;\nbra END;\n"
               "READER: ld.volatile.shared.u32 %r7, [flag]; setp.eq.u32 %p3, %r7, 0;\n@%p3 bra READER;\nld.shared.u32 %r8, [%r12];\nEND: add.u32 %r9, %r0, 0;";
    };
    checkAllSchedules(body("membar.cta; bar.warp.sync -1;\n"), FindingKind::RaceRaw, 0);
    const PtxRun unordered = run(loadText(kernel(body("")), "k"), [] {
        PtxLaunch launch;
        launch.block.x = 64;
        launch.arguments = {"zeros:16"};
        return launch;
    }());
    CHECK(unordered.occurrences(FindingKind::RaceRaw) == 1);
}

TEST_CASE("blocks race in global memory unless atomics are used", "[check]") {
    PtxLaunch launch;
    launch.grid.x = 4;
    launch.arguments = {"zeros:4"};
    const PtxRun plain = run(loadText(kernel("mov.u32 %r0, %ctaid.x; st.global.u32 [%rd0], %r0;"), "k"), launch);
    CHECK(plain.occurrences(FindingKind::RaceWaw) == 3);
    CHECK_THAT(plain.report.findings.at(0).message, Contains("no order between blocks"));
    const PtxRun atomic = run(loadText(kernel("red.global.add.u32 [%rd0], 1;"), "k"), launch);
    CHECK(atomic.report.findings.empty());
    const PtxRun readOnly = run(loadText(kernel("ld.global.u32 %r0, [%rd0];"), "k"), launch);
    CHECK(readOnly.report.findings.empty());
}

TEST_CASE("the last block may read what the others published", "[check]") {
    // threadFenceReduction's pattern: write, fence, count; the block that counts last reads everything.
    const std::string body = R"(
mov.u32 %r0, %ctaid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %tid.x; setp.ne.u32 %p0, %r3, 0; @%p0 ret;
mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd0, %rd2; st.global.u32 [%rd3], %r0; membar.gl;
atom.global.inc.u32 %r4, [%rd1], %r2; sub.u32 %r5, %r2, 1; setp.ne.u32 %p1, %r4, %r5; @%p1 ret;
ld.global.u32 %r6, [%rd0]; ld.global.u32 %r7, [%rd0+4]; ld.global.u32 %r8, [%rd0+8];
)";
    PtxLaunch launch;
    launch.grid.x = 3;
    launch.arguments = {"zeros:12", "zeros:4"};
    CHECK(run(loadText(kernel(body, 2), "k"), launch).report.findings.empty());
}

TEST_CASE("a lock passed between warps of several blocks orders all of them", "[check]") {
    // Lane 0 of every warp takes a lock, adds to a plain word and gives the lock back: what one warp of a block did reaches another warp of that
    // block only by way of what other blocks published.
    const auto body = [](const char* fence) {
        return std::string("mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31; setp.ne.u32 %p0, %r1, 0;\n@%p0 bra END;\n"
                           "TAKE: atom.global.cas.b32 %r2, [%rd0+64], 0, 1; setp.ne.u32 %p1, %r2, 0;\n@%p1 bra TAKE;\n") +
               fence + "ld.global.u32 %r3, [%rd0]; add.u32 %r3, %r3, 1; st.global.u32 [%rd0], %r3;\n" + fence +
               "atom.global.exch.b32 %r4, [%rd0+64], 0;\nEND: add.u32 %r9, %r0, 0;";
    };
    PtxLaunch launch;
    launch.grid.x = 3;
    launch.block.x = 96;
    launch.arguments = {"zeros:128"};
    CHECK(run(loadText(kernel(body("membar.gl;\n")), "k"), launch).report.findings.empty());
    CHECK_FALSE(run(loadText(kernel(body("")), "k"), launch).report.findings.empty());
}

TEST_CASE("out of bounds names thread, block, array, index and size", "[check]") {
    PtxLaunch launch;
    launch.block.x = 64;
    launch.grid.x = 2;
    launch.arguments = {"iota:u32:100", "zeros:512"};
    const std::string body = R"(
mov.u32 %r0, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r0, %r2, %r3;
mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2; ld.global.u32 %r5, [%rd3]; add.u32 %r5, %r5, 7; st.global.u32 [%rd4], %r5;
)";
    const PtxRun result = run(loadText(kernel(body, 2), "k"), launch);
    REQUIRE(result.report.findings.size() == 1);
    const check::Finding& f = result.report.findings[0];
    CHECK(f.kind == FindingKind::OutOfBounds);
    CHECK(f.occurrences == 28);
    CHECK(f.thread->thread == Dim3{36, 0, 0});
    CHECK(f.thread->block == Dim3{1, 0, 0});
    CHECK(f.array == "p0");
    CHECK(*f.index == 100);
    CHECK(*f.size == 100);
    CHECK_THAT(f.message, Contains("Threads 36-63 of block 1"));
    CHECK(result.at<std::uint32_t>(1, 99) == 106);
    CHECK(result.at<std::uint32_t>(1, 100) == 7); // the read gave zero
    const PtxRun before = run(loadText(kernel("ld.global.u32 %r1, [%rd0+-8];", 2), "k"), launch);
    REQUIRE(before.report.findings.size() == 1);
    CHECK(*before.report.findings[0].index == -2);
    const PtxRun null = run(loadText(kernel("mov.u64 %rd5, 0; st.global.u32 [%rd5], 1;", 2), "k"), launch);
    REQUIRE(null.report.findings.size() == 1);
    CHECK_THAT(null.report.findings[0].message, Contains("no array"));
}

TEST_CASE("misaligned and uninitialised accesses", "[check]") {
    PtxLaunch launch;
    launch.arguments = {"zeros:1024"};
    const PtxRun misaligned = run(loadText(kernel("mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4; add.u64 %rd2, %rd0, %rd2; ld.global.v2.u32 {%r1,%r2}, [%rd2];"), "k"), launch);
    CHECK(misaligned.occurrences(FindingKind::Misaligned) == 16);
    const PtxRun shared = run(loadText(kernel(".shared .align 4 .b32 tile[64];\nmov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r2, tile; add.u32 %r1, %r1, %r2;\n"
                                              "setp.lt.u32 %p0, %r0, 20; @%p0 st.shared.u32 [%r1], %r0; ld.shared.u32 %r3, [%r1];"),
                                       "k"),
                              launch);
    CHECK(shared.occurrences(FindingKind::Uninitialized) == 12);
    const PtxRun local = run(loadText(kernel(".local .align 4 .b8 d[16];\nst.local.u32 [d], 1; ld.local.u32 %r1, [d]; ld.local.u32 %r2, [d+8];"), "k"), launch);
    CHECK(local.occurrences(FindingKind::Uninitialized) == 32);
}

TEST_CASE("divergent barriers", "[check]") {
    PtxLaunch launch;
    launch.block.x = 64;
    launch.arguments = {"zeros:1024"};
    // Part of a warp reaches it, the rest goes by and ends.
    const PtxRun part = run(loadText(kernel("mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 40;\n@!%p0 bra END;\nbar.sync 0;\nEND: add.u32 %r1, %r0, 1;"), "k"), launch);
    CHECK(part.occurrences(FindingKind::BarrierDivergence) >= 1);
    CHECK(part.report.finished);
    const PtxRun exited = run(loadText(kernel("mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 32;\n@%p0 ret;\nbar.sync 0;"), "k"), launch);
    REQUIRE(exited.occurrences(FindingKind::BarrierDivergence) == 1);
    CHECK_THAT(exited.report.findings[0].message, Contains("32 threads"));
    const PtxRun clean = run(loadText(kernel("bar.sync 0; bar.sync 0;"), "k"), launch);
    CHECK(clean.report.findings.empty());
    // Two barriers that can never fill.
    const PtxRun hung = run(loadText(kernel("mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32;\n@%p0 bra A;\nbar.sync 1, 64;\nbra END;\nA: bar.sync 2, 64;\nEND: add.u32 %r1, %r0, 1;"), "k"), launch);
    CHECK(hung.occurrences(FindingKind::BarrierDivergence) == 2);
}

TEST_CASE("a trap and a missing lane of a sync are reported", "[check]") {
    PtxLaunch launch;
    launch.arguments = {"zeros:1024"};
    const PtxRun trap = run(loadText(kernel("mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 5; @%p0 trap;"), "k"), launch);
    CHECK_FALSE(trap.report.finished);
    REQUIRE(trap.occurrences(FindingKind::DidNotFinish) == 1);
    CHECK(trap.report.findings[0].thread->thread.x == 5);
    // Lanes 16 and up spin for ever on a value that nobody writes, but lanes below name them in a full mask: stopped by the budget.
    launch.maxInstructions = 20000;
    const PtxRun endless = run(loadText(kernel("mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 16;\n@%p0 bra A;\nL: bra L;\nA: shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;"), "k"), launch);
    CHECK_FALSE(endless.report.finished);
    CHECK(endless.occurrences(FindingKind::DidNotFinish) == 1);
}
