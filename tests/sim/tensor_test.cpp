// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor instructions against an H200: tests/data/tensor holds kernels with one product or load of a fragment each, raw registers in and
// out. mma.* was handed to us; shapes.* are all other shapes and types, random bits, zeros, subnormals, infinities and NaN among them.
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/sim/ptx_runner.h"

using namespace lanescope;
using namespace lanescope::test;

namespace {

std::string slurp(const std::string& name) {
    std::ifstream in(std::string(LANESCOPE_TEST_DATA) + "/tensor/" + name, std::ios::binary);
    REQUIRE(in);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
}

/// Runs every entry of the list; rows: name, offset of its input, bytes a lane of input (0: an image of 24,576 bytes) and output, warps.
int compareAll(const std::string& stem) {
    const std::string text = slurp(stem + ".ptx"), expected = slurp(stem + "_out.bin");
    const std::string input = std::string("file:") + LANESCOPE_TEST_DATA + "/tensor/" + stem + "_in.bin:";
    std::istringstream list(slurp(stem + ".list"));
    std::string name;
    std::size_t at = 0, inBytes = 0, outBytes = 0, tiles = 0, outAt = 0;
    int entries = 0;
    for (; list >> name >> at >> inBytes >> outBytes >> tiles; ++entries) {
        INFO(name);
        const std::size_t size = inBytes != 0 ? inBytes * 32 * tiles : 24576, outSize = outBytes * 32 * tiles;
        PtxLaunch launch;
        launch.grid.x = static_cast<std::uint32_t>(tiles);
        launch.arguments = {input + std::to_string(at) + ":" + std::to_string(size), "zeros:" + std::to_string(outSize)};
        const PtxRun result = run(loadText(text, name), launch);
        const std::string got(reinterpret_cast<const char*>(result.buffers[1].data()), outSize);
        CHECK((got == expected.substr(outAt, outSize)));
        CHECK(result.report.findings.empty());
        outAt += outSize;
    }
    CHECK(outAt == expected.size());
    return entries;
}

/// ldmatrix of x4 from rows `pitch` bytes apart, after every thread wrote its share of shared memory.
std::string loadMatrix(const std::string& modifiers, int pitch) {
    return "mov.u32 %r0, %tid.x;\n"
           "shl.b32 %r1, %r0, 2;\n" // words tid, tid + 32, ... get their own index
           "mov.u32 %r2, 0;\nL: add.u32 %r3, %r1, %r2;\nshr.u32 %r4, %r3, 2;\nst.shared.u32 [%r3], %r4;\n"
           "add.u32 %r2, %r2, 128;\nsetp.lt.u32 %p1, %r2, 8192;\n@%p1 bra L;\nbar.sync 0;\n"
           "mul.lo.u32 %r5, %r0, " + std::to_string(pitch) + ";\n"
           "ldmatrix.sync.aligned.m8n8.x4." + modifiers + "shared.b16 {%r10,%r11,%r12,%r13}, [%r5];\n"
           "shl.b32 %r6, %r0, 4;\ncvt.u64.u32 %rd5, %r6;\nadd.u64 %rd5, %rd0, %rd5;\nst.global.v4.u32 [%rd5], {%r10,%r11,%r12,%r13};\n";
}

constexpr const char* kLoads = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
constexpr const char* kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";

} // namespace

TEST_CASE("the ten shapes handed to us have an H200's bits", "[tensor]") { CHECK(compareAll("mma") == 10); }

TEST_CASE("every other shape and type, and fragments loaded by wmma, have an H200's bits", "[tensor]") { CHECK(compareAll("shapes") == 199); }

TEST_CASE("ldmatrix gives each lane its pair of a row, transposed its pair of a column", "[tensor]") {
    PtxLaunch launch;
    launch.shared = 8192;
    launch.arguments = {"zeros:512"};
    const PtxRun plain = run(loadText(kernel(loadMatrix("", 128)), "k"), launch);
    for (std::size_t lane = 0; lane < 32; ++lane)
        for (std::size_t m = 0; m < 4; ++m)
            CHECK(plain.at<std::uint32_t>(0, 4 * lane + m) == 32 * (8 * m + lane / 4) + lane % 4);
    CHECK(plain.metric(kLoads) == 32); // rows of 64 halves: eight rows on the same four banks
    CHECK(plain.metric(kConflicts) == 28);
    CHECK(plain.report.findings.empty());
    const PtxRun padded = run(loadText(kernel(loadMatrix("", 144)), "k"), launch);
    CHECK(padded.metric(kLoads) == 4);
    CHECK(padded.metric(kConflicts) == 0);
    const PtxRun transposed = run(loadText(kernel(loadMatrix("trans.", 144)), "k"), launch);
    // Column lane / 4 of the matrix, rows 2 (lane % 4) and the next: word row * 36 + column / 2, its low or high half.
    for (std::size_t lane = 0; lane < 32; ++lane) {
        const std::size_t column = lane / 4, row = 2 * (lane % 4);
        const auto half = [&](std::size_t r) { return static_cast<std::uint32_t>((36 * r + column / 2) >> (column % 2 * 16) & 0xffff); };
        CHECK(transposed.at<std::uint32_t>(0, 4 * lane) == (half(row) | half(row + 1) << 16));
    }
}

TEST_CASE("stmatrix and movmatrix undo what ldmatrix did", "[tensor]") {
    const std::string body =
        "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 4;\nmul.lo.u32 %r9, %r0, 77;\nxor.b32 %r10, %r9, 0x12340000;\nadd.u32 %r11, %r10, 5;\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r12, %r10;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r13, %r12;\n"
        "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r1], {%r10, %r11};\nbar.warp.sync 0xffffffff;\n"
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14, %r15}, [%r1];\n"
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r16}, [%r1];\n"
        "sub.u32 %r17, %r13, %r10;\nsub.u32 %r18, %r14, %r10;\nsub.u32 %r19, %r15, %r11;\nsub.u32 %r20, %r16, %r12;\n"
        "cvt.u64.u32 %rd5, %r1;\nadd.u64 %rd5, %rd0, %rd5;\nst.global.v4.u32 [%rd5], {%r17, %r18, %r19, %r20};\n";
    PtxLaunch launch;
    launch.shared = 512;
    launch.arguments = {"iota:u32:128"};
    const PtxRun result = run(loadText(kernel(body), "k"), launch);
    for (std::size_t i = 0; i < 128; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == 0);
    CHECK(result.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum") == 2);
    CHECK(result.report.findings.empty());
}

TEST_CASE("tensor instructions are counted by pipe, products as operations", "[tensor]") {
    const std::string text = slurp("shapes.ptx");
    const auto runOne = [&](const std::string& name, std::size_t bytes) {
        PtxLaunch launch;
        launch.arguments = {"zeros:" + std::to_string(64 * 32 * 4), "zeros:" + std::to_string(bytes)};
        return run(loadText(text, name), launch);
    };
    // Measured on an H200 with Nsight Compute, six warps each: 6 and 12 instructions.
    const PtxRun half = runOne("mma_m16n8k16_f16_f32_2", 512);
    CHECK(half.metric("smsp__inst_executed_pipe_tensor_op_hmma.sum") == 1);
    CHECK(half.report.counters.flops == 2 * 16 * 8 * 16);
    CHECK(half.report.counters.tensorFma == 16 * 8 * 16);
    CHECK(runOne("mma_w_m16n16k16_row_col_f16_f32", 1024).metric("smsp__inst_executed_pipe_tensor.sum") == 2);
    CHECK(runOne("mma_m16n8k32_e4m3_e4m3_f32", 512).metric("smsp__inst_executed_pipe_tensor_op_hmma.sum") == 2);
    CHECK(runOne("mma_m16n8k32_s8_s8", 512).metric("smsp__inst_executed_pipe_tensor_op_imma.sum") == 1);
    CHECK(runOne("mma_m16n8k16_f64", 1024).metric("smsp__inst_executed_pipe_tensor_op_dmma.sum") == 1);
    CHECK(runOne("mma_m8n8k128_and", 256).metric("smsp__inst_executed_pipe_tensor_op_imma.sum") == 1);
}

TEST_CASE("checks see the rows of ldmatrix: unwritten, raced, outside, misaligned", "[tensor]") {
    using check::FindingKind;
    PtxLaunch launch;
    launch.shared = 1024;
    launch.arguments = {"zeros:512"};
    const auto load = [](int pitch, int offset) {
        return "mov.u32 %r0, %tid.x;\nand.b32 %r0, %r0, 31;\nmad.lo.u32 %r5, %r0, " + std::to_string(pitch) + ", " + std::to_string(offset) +
               ";\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, [%r5];\n";
    };
    const PtxRun unwritten = run(loadText(kernel(load(16, 0)), "k"), launch);
    CHECK(unwritten.occurrences(FindingKind::Uninitialized) == 32);
    const PtxRun outside = run(loadText(kernel(load(64, 0)), "k"), launch);
    CHECK(outside.occurrences(FindingKind::OutOfBounds) == 16); // rows 16..31 start at 1,024 and above
    const PtxRun skewed = run(loadText(kernel(load(16, 8)), "k"), launch);
    CHECK(skewed.occurrences(FindingKind::Misaligned) == 32);
    // Two warps: the second reads what the first writes, with no barrier between.
    const std::string raced = "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\nshl.b32 %r2, %r1, 4;\nmov.u32 %r3, 7;\n"
                              "@%p1 st.shared.v4.u32 [%r2], {%r3,%r3,%r3,%r3};\n@%p1 bra END;\n" +
                              load(16, 0) + "END:\n";
    launch.block.x = 64;
    const PtxRun race = run(loadText(kernel(raced), "k"), launch);
    CHECK(race.occurrences(FindingKind::RaceRaw) == 1);
    for (const sim::Schedule schedule : {sim::Schedule::Reverse, sim::Schedule::Random}) {
        launch.schedule = schedule;
        CHECK(run(loadText(kernel(raced), "k"), launch).occurrences(FindingKind::RaceRaw) == 1);
    }
}

TEST_CASE("a tensor instruction that only some lanes reach is said", "[tensor]") {
    const std::string body = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 16;\nmov.u32 %r1, 0;\nmov.f32 %f1, 0f00000000;\n"
                             "@%p1 mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r1},{%r1},{%f1,%f1,%f1,%f1};\n";
    PtxLaunch launch;
    launch.arguments = {"zeros:4"};
    const PtxRun result = run(loadText(kernel(body), "k"), launch);
    CHECK(result.occurrences(check::FindingKind::BarrierDivergence) == 1);
}

TEST_CASE("fragments of wmma move in the pieces of sm_90's code", "[tensor]") {
    // Counts of ptxas 13.0's code: A by rows from global memory is four loads of a word a lane; s8 down columns is eight of a byte.
    const std::string text = slurp("shapes.ptx");
    const auto requests = [&](const std::string& name) {
        PtxLaunch launch;
        launch.arguments = {"zeros:24576", "zeros:1024"};
        // One load of the stride besides.
        return run(loadText(text, name), launch).metric("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") - 1;
    };
    CHECK(requests("ld_a_m16n16k16_row_f16") == 4);
    CHECK(requests("ld_a_m16n16k16_col_f16") == 4);
    CHECK(requests("ld_b_m8n32k16_col_bf16") == 8);
    CHECK(requests("ld_a_m16n16k16_col_s8") == 8);
    CHECK(requests("ld_a_m16n16k16_row_s8") == 2);
    CHECK(requests("ld_c_m16n16k16_row_f32") == 4);
    CHECK(requests("ld_c_m16n16k16_col_f32") == 8);
    CHECK(requests("ld_c_m8n8k4_row_f64") == 1);
}
