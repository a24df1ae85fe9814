// SPDX-License-Identifier: GPL-3.0-or-later
// Control flow, calls, memory spaces, barriers and exchanges of the machine, each by a small kernel whose result is known.
#include "tests/sim/ptx_runner.h"

using namespace lanescope;
using namespace lanescope::test;

namespace {

const sim::InstructionCounts& countsAt(const PtxRun& result, const session::LoadedProgram& program, const std::string& text) {
    for (std::size_t pc = 0; pc < program.program->ops.size(); ++pc) {
        const ptx::Instruction& in = *program.program->instructions[pc];
        const ptx::Function& f = program.module->functions[program.program->functions[program.program->functionOf[pc]].moduleIndex];
        if (ptx::print(*program.module, f, in).find(text) != std::string::npos)
            return result.report.counters.byInstruction[pc];
    }
    FAIL("no instruction " << text);
    static const sim::InstructionCounts none;
    return none;
}

/// Stores %r1 of every thread at p0[global thread].
const std::string kStoreR1 = "mov.u32 %r60, %tid.x; mov.u32 %r61, %ctaid.x; mov.u32 %r62, %ntid.x; mad.lo.u32 %r60, %r61, %r62, %r60;\n"
                             "mul.wide.u32 %rd30, %r60, 4; add.u64 %rd30, %rd0, %rd30; st.global.u32 [%rd30], %r1;\n";

} // namespace

TEST_CASE("both sides of a divergent branch run and lanes meet after it", "[machine]") {
    const std::string body = "mov.u32 %r0, %tid.x; and.b32 %r2, %r0, 1; setp.eq.u32 %p0, %r2, 0;\n"
                             "@%p0 bra EVEN;\n mad.lo.u32 %r1, %r0, 3, 7;\n bra DONE;\nEVEN: add.u32 %r1, %r0, 1000;\nDONE: xor.b32 %r3, %r1, 0;\n" +
                             kStoreR1;
    const session::LoadedProgram program = loadText(kernel(body), "k");
    PtxLaunch launch;
    launch.arguments = {"zeros:128"};
    const PtxRun result = run(program, launch);
    for (std::uint32_t i = 0; i < 32; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == (i % 2 == 0 ? i + 1000 : 3 * i + 7));
    CHECK(countsAt(result, program, "mad.lo.u32 %r1").lanes == 16);
    CHECK(countsAt(result, program, "add.u32 %r1").lanes == 16);
    CHECK(countsAt(result, program, "xor.b32 %r3").executions == 1);
    CHECK(countsAt(result, program, "xor.b32 %r3").lanes == 32);
    CHECK(result.report.counters.total.divergences == 1);
}

TEST_CASE("a loop with its own trip count per lane keeps lanes until all are done", "[machine]") {
    const std::string body = "mov.u32 %r0, %tid.x; mov.u32 %r1, 0; mov.u32 %r2, 0;\nLOOP: add.u32 %r1, %r1, %r2; add.u32 %r2, %r2, 1;\n"
                             "setp.le.u32 %p0, %r2, %r0;\n@%p0 bra LOOP;\nor.b32 %r4, %r1, 0;\n" +
                             kStoreR1;
    const session::LoadedProgram program = loadText(kernel(body), "k");
    PtxLaunch launch;
    launch.block.x = 64;
    launch.arguments = {"zeros:256"};
    const PtxRun result = run(program, launch);
    for (std::uint32_t i = 0; i < 64; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == i * (i + 1) / 2);
    CHECK(countsAt(result, program, "add.u32 %r1").executions == 32 + 64);
    CHECK(countsAt(result, program, "add.u32 %r1").lanes == 64 * 65 / 2);
    CHECK(countsAt(result, program, "or.b32 %r4").executions == 2);
}

TEST_CASE("nested divergence and an early return", "[machine]") {
    const std::string body = "mov.u32 %r0, %tid.x; mov.u32 %r1, 5; setp.ge.u32 %p0, %r0, 20;\n@%p0 ret;\n"
                             "setp.lt.u32 %p1, %r0, 10;\n@!%p1 bra ELSE;\nsetp.lt.u32 %p2, %r0, 5;\n@%p2 bra IN;\nmov.u32 %r1, 2;\nbra JOIN1;\nIN: mov.u32 %r1, 1;\n"
                             "JOIN1: add.u32 %r1, %r1, 10;\nbra OUT;\nELSE: mov.u32 %r1, 3;\nOUT: add.u32 %r1, %r1, 100;\n" +
                             kStoreR1;
    PtxLaunch launch;
    launch.arguments = {"zeros:128"};
    const session::LoadedProgram program = loadText(kernel(body), "k");
    const PtxRun result = run(program, launch);
    for (std::uint32_t i = 0; i < 32; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == (i < 5 ? 111u : i < 10 ? 112u : i < 20 ? 103u : 0u));
    CHECK(countsAt(result, program, "add.u32 %r1, %r1, 100").executions == 1);
    CHECK(countsAt(result, program, "add.u32 %r1, %r1, 100").lanes == 20);
}

TEST_CASE("an indexed branch goes where its table says", "[machine]") {
    const std::string body = "mov.u32 %r0, %tid.x; and.b32 %r2, %r0, 3; mov.u32 %r1, 0;\nT: .branchtargets A, B, C, D;\nbrx.idx %r2, T;\n"
                             "A: mov.u32 %r1, 10; bra E;\nB: mov.u32 %r1, 20; bra E;\nC: mov.u32 %r1, 30; bra E;\nD: mov.u32 %r1, 40;\nE: add.u32 %r1, %r1, 1;\n" +
                             kStoreR1;
    PtxLaunch launch;
    launch.arguments = {"zeros:128"};
    const session::LoadedProgram program = loadText(kernel(body), "k");
    const PtxRun result = run(program, launch);
    for (std::uint32_t i = 0; i < 32; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == 10 * (i % 4 + 1) + 1);
    CHECK(countsAt(result, program, "add.u32 %r1, %r1, 1").executions == 1);
}

TEST_CASE("functions: arguments, results, recursion and divergent calls", "[machine]") {
    const std::string functions = R"(
.func (.param .b32 out) fib(.param .b32 n) {
 .reg .pred %p<4>; .reg .b32 %r<10>;
 ld.param.u32 %r1, [n];
 setp.gt.u32 %p1, %r1, 1;
 @%p1 bra REC;
 st.param.b32 [out], %r1;
 ret;
REC: sub.u32 %r2, %r1, 1;
 { .param .b32 a0; .param .b32 r0; st.param.b32 [a0], %r2; call.uni (r0), fib, (a0); ld.param.b32 %r3, [r0]; }
 sub.u32 %r4, %r1, 2;
 { .param .b32 a1; .param .b32 r1; st.param.b32 [a1], %r4; call (r1), fib, (a1); ld.param.b32 %r5, [r1]; }
 add.u32 %r6, %r3, %r5;
 st.param.b32 [out], %r6;
 ret;
})";
    const std::string body = "mov.u32 %r0, %tid.x; mov.u32 %r1, 77; setp.lt.u32 %p0, %r0, 12;\n@!%p0 bra SKIP;\n"
                             "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r0; call (y), fib, (x); ld.param.b32 %r1, [y]; }\nSKIP: add.u32 %r1, %r1, 0;\n" +
                             kStoreR1;
    PtxLaunch launch;
    launch.arguments = {"zeros:128"};
    const PtxRun result = run(loadText(kernel(body, 1, functions), "k"), launch);
    const std::uint32_t fib[12] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (std::uint32_t i = 0; i < 32; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == (i < 12 ? fib[i] : 77u));
    CHECK(result.report.findings.empty());
}

TEST_CASE("endless recursion is stopped with a finding", "[machine]") {
    const std::string functions = ".func f() { call f; ret; }";
    PtxLaunch launch;
    launch.arguments = {"zeros:128"};
    const PtxRun result = run(loadText(kernel("call f;", 1, functions), "k"), launch);
    CHECK_FALSE(result.report.finished);
    CHECK(result.occurrences(check::FindingKind::DidNotFinish) == 1);
}

TEST_CASE("local, constant, shared and generic addresses", "[machine]") {
    const std::string declarations = ".const .align 4 .b32 table[4] = {11, 22, 33, 44};\n.global .align 4 .b32 counter = 5;";
    const std::string body = R"(
.local .align 8 .b8 depot[32]; .shared .align 4 .b32 tile[32];
mov.u32 %r0, %tid.x; mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1;
and.b32 %r2, %r0, 7; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd2, %rd3;
add.u32 %r3, %r0, 500; st.u32 [%rd4], %r3; add.u64 %rd5, %rd1, %rd3; ld.local.u32 %r4, [%rd5];
mov.u64 %rd6, tile; cvta.shared.u64 %rd7, %rd6; mul.wide.u32 %rd8, %r0, 4; add.u64 %rd9, %rd7, %rd8;
st.u32 [%rd9], %r4; cvt.u32.u64 %r5, %rd8; mov.u32 %r6, tile; add.u32 %r6, %r6, %r5; ld.shared.u32 %r7, [%r6];
and.b32 %r8, %r0, 3; mul.wide.u32 %rd10, %r8, 4; mov.u64 %rd11, table; add.u64 %rd11, %rd11, %rd10; ld.const.u32 %r9, [%rd11];
ld.global.u32 %r10, [counter]; add.u32 %r1, %r7, %r9; add.u32 %r1, %r1, %r10;
isspacep.shared %p0, %rd9; @!%p0 mov.u32 %r1, 0; isspacep.global %p1, %rd9; @%p1 mov.u32 %r1, 0; isspacep.local %p2, %rd4; @!%p2 mov.u32 %r1, 0;
)" + kStoreR1;
    PtxLaunch launch;
    launch.arguments = {"zeros:128"};
    const PtxRun result = run(loadText(kernel(body, 1, declarations), "k"), launch);
    const std::uint32_t table[4] = {11, 22, 33, 44};
    for (std::uint32_t i = 0; i < 32; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == i + 500 + table[i % 4] + 5);
    CHECK(result.report.findings.empty());
    using ptx::InstructionClass;
    CHECK(result.report.counters.of(InstructionClass::StoreShared).requests == 1); // the generic store went to shared memory
    CHECK(result.report.counters.of(InstructionClass::StoreLocal).requests == 1);
}

TEST_CASE("loads and stores of every width, with extension and vectors", "[machine]") {
    const std::string body = R"(
mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 16; add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;
ld.global.s8 %r1, [%rd3]; ld.global.u8 %r2, [%rd3]; ld.global.s16 %r3, [%rd3+2]; ld.global.s32 %rd5, [%rd3+4];
ld.global.v2.u32 {%r4,%r5}, [%rd3+8]; ld.global.v4.u8 {%r6,_,%r8,%r9}, [%rd3+12];
sub.u32 %r1, %r1, %r2; st.global.u32 [%rd4], %r1; st.global.u16 [%rd4+4], %r3; st.global.u8 [%rd4+6], %r6; st.global.u8 [%rd4+7], %r9;
st.global.u64 [%rd4+8], %rd5;
)";
    PtxLaunch launch;
    launch.block.x = 4;
    launch.arguments = {"random:u8:64:9", "zeros:64"};
    const PtxRun result = run(loadText(kernel(body, 2), "k"), launch);
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint8_t* in = result.buffers[0].data() + 16 * i;
        std::int16_t half;
        std::int32_t word;
        std::memcpy(&half, in + 2, 2);
        std::memcpy(&word, in + 4, 4);
        CHECK(result.at<std::int32_t>(1, 4 * i) == static_cast<std::int8_t>(in[0]) - in[0]);
        CHECK(result.at<std::int16_t>(1, 8 * i + 2) == half);
        CHECK(result.at<std::uint8_t>(1, 16 * i + 6) == in[12]);
        CHECK(result.at<std::uint8_t>(1, 16 * i + 7) == in[15]);
        CHECK(result.at<std::int64_t>(1, 2 * i + 1) == word);
    }
}

TEST_CASE("packing and unpacking registers", "[machine]") {
    const std::string body = "mov.u32 %r0, %tid.x; add.u32 %r2, %r0, 65536; mov.b64 %rd2, {%r0, %r2}; mov.b64 {%r3, %r4}, %rd2; mov.b32 {%h1, %h2}, %r4;\n"
                             "mov.b32 %r5, {%h2, %h1}; shr.u64 %rd3, %rd2, 32; cvt.u32.u64 %r6, %rd3; xor.b32 %r7, %r6, %r4; add.u32 %r1, %r5, %r7;\n" +
                             kStoreR1;
    PtxLaunch launch;
    launch.arguments = {"zeros:128"};
    const PtxRun result = run(loadText(kernel(body), "k"), launch);
    for (std::uint32_t i = 0; i < 32; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == (i << 16 | 1u));
}

TEST_CASE("atomics: every operation, in lane order", "[machine]") {
    const std::string body = R"(
mov.u32 %r0, %tid.x; add.u32 %r9, %r0, 1; cvt.rn.f32.u32 %f0, %r9;
atom.global.add.u32 %r1, [%rd0], %r9; atom.global.max.s32 %r2, [%rd0+4], %r0; atom.global.min.u32 %r2, [%rd0+8], %r0;
atom.global.and.b32 %r2, [%rd0+12], %r0; atom.global.or.b32 %r2, [%rd0+16], %r0; atom.global.xor.b32 %r2, [%rd0+20], %r0;
atom.global.inc.u32 %r2, [%rd0+24], 9; atom.global.dec.u32 %r2, [%rd0+28], 9; atom.global.exch.b32 %r2, [%rd0+32], %r0;
atom.global.cas.b32 %r2, [%rd0+36], %r0, %r9; red.global.add.f32 [%rd0+40], %f0; cvt.u64.u32 %rd3, %r9; atom.global.add.u64 %rd4, [%rd0+48], %rd3;
mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], %r1;
)";
    PtxLaunch launch;
    launch.arguments = {"zeros:64", "zeros:128"};
    const PtxRun result = run(loadText(kernel(body, 2), "k"), launch);
    CHECK(result.at<std::uint32_t>(0, 0) == 32 * 33 / 2);
    CHECK(result.at<std::uint32_t>(0, 1) == 31);
    CHECK(result.at<std::uint32_t>(0, 2) == 0);
    CHECK(result.at<std::uint32_t>(0, 3) == 0);
    CHECK(result.at<std::uint32_t>(0, 4) == 31);
    CHECK(result.at<std::uint32_t>(0, 5) == 0); // 0 ^ 1 ^ ... ^ 31
    CHECK(result.at<std::uint32_t>(0, 6) == 32 % 10);
    CHECK(result.at<std::uint32_t>(0, 7) == 8); // 0 -> 9 -> 8 ... -> 0 -> 9: 32 steps in a cycle of 10
    CHECK(result.at<std::uint32_t>(0, 8) == 31);
    CHECK(result.at<std::uint32_t>(0, 9) == 32); // every lane finds its own number
    CHECK(result.at<float>(0, 10) == 528.0f);
    CHECK(result.at<std::uint64_t>(0, 6) == 528);
    for (std::uint32_t i = 0; i < 32; ++i)
        CHECK(result.at<std::uint32_t>(1, i) == i * (i + 1) / 2);
    CHECK(result.report.findings.empty());
}

TEST_CASE("barriers: reductions over the block and named ones for some warps", "[machine]") {
    const std::string body = R"(
.shared .align 4 .b32 flag[1];
mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 50;
bar.red.popc.u32 %r2, 0, %p0; bar.red.and.pred %p1, 0, %p0; bar.red.or.pred %p2, 0, !%p0;
selp.u32 %r3, 1000, 0, %p1; selp.u32 %r4, 10000, 0, %p2; add.u32 %r1, %r2, %r3; add.u32 %r1, %r1, %r4;
shr.u32 %r5, %r0, 5; setp.eq.u32 %p3, %r5, 0; @%p3 bra PRODUCE; setp.eq.u32 %p4, %r5, 1; @!%p4 bra END;
bar.sync 3, 64; ld.shared.u32 %r6, [flag]; add.u32 %r1, %r1, %r6; bra END;
PRODUCE: mov.u32 %r7, 500000; st.shared.u32 [flag], %r7; bar.arrive 3, 64;
END: add.u32 %r1, %r1, 0;
)" + kStoreR1;
    PtxLaunch launch;
    launch.block.x = 96;
    launch.arguments = {"zeros:384"};
    for (const sim::Schedule schedule : {sim::Schedule::InTurn, sim::Schedule::Reverse, sim::Schedule::Random}) {
        launch.schedule = schedule;
        const PtxRun result = run(loadText(kernel(body), "k"), launch);
        for (std::uint32_t i = 0; i < 96; ++i)
            CHECK(result.at<std::uint32_t>(0, i) == 10050 + (i / 32 == 1 ? 500000u : 0u));
        CHECK(result.occurrences(check::FindingKind::RaceRaw) == 0);
        CHECK(result.occurrences(check::FindingKind::BarrierDivergence) == 0);
    }
}

TEST_CASE("a shuffle waits for the lanes its mask names", "[machine]") {
    // Even lanes take a detour before the shuffle that all lanes execute; the two sides meet in it although each has its own path.
    const std::string body = "mov.u32 %r0, %tid.x; and.b32 %r2, %r0, 1; setp.eq.u32 %p0, %r2, 0; mul.lo.u32 %r3, %r0, 10;\n@%p0 bra EVEN;\n"
                             "add.u32 %r3, %r3, 1;\nbra GO;\nEVEN: add.u32 %r3, %r3, 2;\nGO: shfl.sync.bfly.b32 %r1, %r3, 1, 31, -1;\n" +
                             kStoreR1;
    PtxLaunch launch;
    launch.arguments = {"zeros:128"};
    const PtxRun result = run(loadText(kernel(body), "k"), launch);
    for (std::uint32_t i = 0; i < 32; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == (i ^ 1) * 10 + (i % 2 == 0 ? 1u : 2u));
    CHECK(result.report.findings.empty());
}

TEST_CASE("bar.warp.sync inside both sides of a branch orders them", "[machine]") {
    const std::string body = "mov.u32 %r0, %tid.x; mov.u32 %r1, 0; setp.lt.u32 %p0, %r0, 16;\n@%p0 bra LOW;\n"
                             "bar.warp.sync -1;\nld.global.u32 %r1, [%rd1];\nbra END;\nLOW: mov.u32 %r4, 42; st.global.u32 [%rd1], %r4;\nbar.warp.sync -1;\nEND: add.u32 %r1, %r1, 1;\n" +
                             kStoreR1;
    PtxLaunch launch;
    launch.arguments = {"zeros:128", "zeros:4"};
    const PtxRun result = run(loadText(kernel(body, 2), "k"), launch);
    for (std::uint32_t i = 0; i < 32; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == (i < 16 ? 1u : 43u));
}

TEST_CASE("a lock that lanes of one warp take in turn does not hang", "[machine]") {
    // Needs independent thread scheduling: the lane that holds the lock must go on while the others spin.
    const std::string body = R"(
mov.u32 %r0, %tid.x;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p0, %r2, 0; @%p0 bra SPIN;
ld.volatile.global.u32 %r3, [%rd1+4]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd1+4], %r3; membar.gl; atom.global.exch.b32 %r4, [%rd1], 0;
mov.u32 %r1, %r3;
)" + kStoreR1;
    PtxLaunch launch;
    launch.block.x = 64;
    launch.arguments = {"zeros:256", "zeros:8"};
    const PtxRun result = run(loadText(kernel(body, 2), "k"), launch);
    CHECK(result.report.finished);
    CHECK(result.at<std::uint32_t>(1, 1) == 64);
}

TEST_CASE("special registers", "[machine]") {
    const std::string body = R"(
mov.u32 %r0, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r0;
mov.u32 %r5, %laneid; mov.u32 %r6, %warpid; mov.u32 %r7, %ctaid.y; mov.u32 %r8, %nctaid.x; mov.u32 %r9, %lanemask_lt; popc.b32 %r9, %r9;
mad.lo.u32 %r10, %r6, 32, %r5; sub.u32 %r10, %r10, %r4; sub.u32 %r9, %r9, %r5; add.u32 %r1, %r10, %r9; mad.lo.u32 %r1, %r7, 100, %r1; mad.lo.u32 %r1, %r8, 10000, %r1;
mov.u32 %r11, %ctaid.x; mad.lo.u32 %r11, %r7, %r8, %r11; mul.lo.u32 %r11, %r11, 48; add.u32 %r11, %r11, %r4; mul.wide.u32 %rd2, %r11, 4; add.u64 %rd2, %rd0, %rd2; st.global.u32 [%rd2], %r1;
)";
    PtxLaunch launch;
    launch.grid = {3, 2, 1};
    launch.block = {6, 8, 1};
    launch.arguments = {"zeros:1152"};
    const PtxRun result = run(loadText(kernel(body), "k"), launch);
    for (std::uint32_t i = 0; i < 288; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == 30000 + (i / 144) * 100);
}
