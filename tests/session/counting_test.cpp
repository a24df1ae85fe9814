// SPDX-License-Identifier: GPL-3.0-or-later
// Counts without values (sim::countingProgram) are those of the whole program: for every kernel of the catalog, and for small programs
// whose counts depend on data in each of the ways there are.
#include <catch2/catch.hpp>

#include <cstdlib>

#include <fmt/format.h>

#include "engine/session/block_sample.h"
#include "engine/session/simulate.h"
#include "engine/sim/counting.h"

using namespace lanescope;
using namespace lanescope::session;

namespace {

sim::Counters countersOf(const LoadedProgram& program, LaunchRequest request, Contents contents) {
    const auto device = device::findDevice("h100");
    REQUIRE(device);
    request.contents = contents;
    const auto prepared = prepare(program, request, *device);
    if (!prepared)
        FAIL(toString(prepared.error()));
    sim::Memory memory = sim::makeMemory(prepared->launch);
    SimulateOptions options;
    options.findings = false;
    const auto report = simulate(program, *prepared, *device, memory, options);
    REQUIRE(report);
    REQUIRE(report->finished);
    return report->counters;
}

/// Whether the counts needed what is in memory.
bool checkEqualCounts(const LoadedProgram& program, const LaunchRequest& request) {
    LoadedProgram reduced = program;
    sim::CountingProgram counting = sim::countingProgram(program.program);
    reduced.program = counting.program;
    const sim::Counters whole = countersOf(program, request, Contents::Filled);
    const sim::Counters counted = countersOf(reduced, request, counting.movesData ? Contents::Filled : Contents::Sized);
    CHECK(whole.total.executions > 0);
    CHECK(whole.byInstruction == counted.byInstruction);
    CHECK(whole.total == counted.total);
    CHECK(whole.byClass == counted.byClass);
    CHECK(whole.flops == counted.flops);
    CHECK(whole.fmaLanes == counted.fmaLanes);
    CHECK(whole.tensorFma == counted.tensorFma);
    CHECK(whole.reductionsGlobal == counted.reductionsGlobal);
    CHECK(whole.reductionsShared == counted.reductionsShared);
    return counting.movesData;
}

constexpr const char* kHead = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<8>; .reg .f32 %f<8>;
    .shared .align 4 .b8 s[256];
    ld.param.u64 %d1, [in];
    ld.param.u64 %d2, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d3, %r1, 4;
    add.u64 %d4, %d1, %d3;
    add.u64 %d5, %d2, %d3;
    ld.global.u32 %r2, [%d4];
)";

bool movesData(const std::string& body) {
    Result<LoadedProgram> program = loadPtx(std::string(kHead) + body + "    ret;\n}\n", "test.ptx", "k");
    if (!program)
        FAIL(toString(program.error()));
    LaunchRequest request;
    request.block = Dim3{64, 1, 1};
    request.arguments = {"random:u32:64:5", "zeros:65536"};
    return checkEqualCounts(*program, request);
}

} // namespace

TEST_CASE("every kernel of the catalog counts the same without values, as written and as compiled") {
    const CodeForm form = GENERATE(CodeForm::Written, CodeForm::Compiled);
    const auto kernels = builtInKernels();
    REQUIRE(kernels);
    const compile::Environment environment = compile::environmentFrom([](const char* name) { return std::getenv(name); });
    int withoutData = 0;
    for (const catalog::Kernel& kernel : **kernels) {
        INFO(kernel.id);
        LoadRequest request;
        request.subject = kernel.id;
        request.form = form;
        const auto program = load(request, environment);
        if (!program)
            FAIL(toString(program.error()));
        withoutData += checkEqualCounts(*program, {}) ? 0 : 1;
    }
    CHECK(withoutData > static_cast<int>((*kernels)->size()) / 2);
}

TEST_CASE("data that only becomes data is not needed") {
    CHECK_FALSE(movesData("    add.u32 %r3, %r2, 1;\n    st.global.u32 [%d5], %r3;\n"));
    CHECK_FALSE(movesData("    shfl.sync.bfly.b32 %r3, %r2, 1, 31, 0xffffffff;\n    st.global.u32 [%d5], %r3;\n"));
    CHECK_FALSE(movesData("    atom.global.add.u32 %r3, [%d5], %r2;\n"));
    CHECK_FALSE(movesData("    setp.gt.u32 %p1, %r2, 500;\n    selp.u32 %r3, 1, 2, %p1;\n    st.global.u32 [%d5], %r3;\n"));
}

TEST_CASE("data that decides what is counted is kept") {
    SECTION("a guard") { CHECK(movesData("    setp.gt.u32 %p1, %r2, 500;\n    @%p1 st.global.u32 [%d5], %r2;\n")); }
    SECTION("a branch") {
        CHECK(movesData("    setp.gt.u32 %p1, %r2, 500;\n    @%p1 bra DONE;\n    st.global.u32 [%d5], %r2;\nDONE:\n"));
    }
    SECTION("an address") {
        CHECK(movesData("    mul.wide.u32 %d6, %r2, 4;\n    add.u64 %d6, %d6, %d2;\n    st.global.u32 [%d6], %r1;\n"));
    }
    SECTION("an address after a trip through shared memory") {
        CHECK(movesData(R"(    mov.u32 %r4, s;
    shl.b32 %r5, %r1, 2;
    add.u32 %r4, %r4, %r5;
    st.shared.u32 [%r4], %r2;
    bar.sync 0;
    ld.shared.u32 %r6, [%r4];
    mul.wide.u32 %d6, %r6, 4;
    add.u64 %d6, %d6, %d2;
    st.global.u32 [%d6], %r1;
)"));
    }
    SECTION("a carry") {
        CHECK(movesData(R"(    add.cc.u32 %r3, %r2, 0xfffffe00;
    addc.u32 %r4, 0, 0;
    setp.ne.u32 %p1, %r4, 0;
    @%p1 st.global.u32 [%d5], %r2;
)"));
    }
    SECTION("a vote") {
        CHECK(movesData(R"(    setp.gt.u32 %p1, %r2, 990;
    vote.sync.ballot.b32 %r3, %p1, 0xffffffff;
    popc.b32 %r4, %r3;
    setp.gt.u32 %p2, %r4, 0;
    @%p2 st.global.u32 [%d5], %r2;
)"));
    }
    SECTION("the result of an atomic") {
        CHECK(movesData(R"(    atom.global.inc.u32 %r3, [%d2], 6;
    setp.eq.u32 %p1, %r3, 3;
    @%p1 st.global.u32 [%d5+4], %r2;
)"));
    }
}
