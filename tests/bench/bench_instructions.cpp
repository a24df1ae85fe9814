// SPDX-License-Identifier: GPL-3.0-or-later
// Instruction families in a loop of PTX, counters on: warp instructions a second. And the parser,
// in bytes a second.
#include <fmt/format.h>

#include "engine/ptx/ir.h"
#include "tests/bench/bench_support.h"

namespace lanescope::bench {

namespace {

/// A kernel that repeats `body` (with %r, %f, %d, %a of the thread, %s its shared and %g its global
/// address).
std::string loopKernel(const std::string& body, int unroll, int iterations) {
    std::string text =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry loop(.param .u64 out)\n{\n"
        ".shared .align 16 .b8 tile[16384];\n.reg .pred %p<2>;\n.reg .b32 %r<10>;\n.reg .f32 "
        "%f<10>;\n.reg .b64 %d<6>;\n"
        ".reg .b32 %s<3>;\n.reg .b64 %g<3>;\n"
        "ld.param.u64 %g1, [out];\ncvta.to.global.u64 %g1, %g1;\nmov.u32 %r1, %tid.x;\nmov.u32 "
        "%r2, 3;\nmov.u32 %r3, 5;\nmov.u32 %r4, 7;\n"
        "mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f3F000000;\nmov.f32 %f3, 0f3F400000;\nmov.f32 "
        "%f4, 0f3E800000;\n"
        "mul.wide.u32 %d1, %r1, 4;\nadd.s64 %g1, %g1, %d1;\nmov.u32 %s1, tile;\nshl.b32 %r5, %r1, "
        "2;\nadd.u32 %s1, %s1, %r5;\n"
        "st.shared.u32 [%s1], %r1;\nst.global.u32 [%g1], %r1;\nmov.u32 %r9, 0;\nLOOP:\n";
    for (int i = 0; i < unroll; ++i)
        text += body;
    return text + fmt::format(
                      "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, {};\n@%p1 bra LOOP;\nret;\n}}\n",
                      iterations);
}

void runLoop(benchmark::State& state, const std::string& body, bool checks) {
    session::LaunchRequest request;
    request.grid = Dim3{2, 1, 1};
    request.block = Dim3{256, 1, 1};
    request.arguments = {"zeros:4096"};
    const auto prepared =
        prepare(state, session::loadPtx(loopKernel(body, 8, 500), "loop.ptx", {}), request);
    if (!prepared)
        return;
    std::uint64_t instructions = 0;
    for (auto _ : state) {
        sim::Memory memory = sim::makeMemory(prepared->launch.launch);
        if (checks) {
            const auto report = session::simulate(prepared->program, prepared->launch,
                                                  prepared->device, memory, {});
            instructions += report ? report->counters.total.executions : 0;
        } else {
            instructions += sim::run(prepared->launch.launch, memory, {}).counters.total.executions;
        }
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
}

const char* const kArithmetic = "fma.rn.f32 %f1, %f1, %f2, %f3;\nadd.f32 %f4, %f4, "
                                "%f2;\nmad.lo.u32 %r2, %r2, %r3, %r4;\nxor.b32 %r4, %r4, %r1;\n";
const char* const kFma = "fma.rn.f32 %f1, %f1, %f2, %f3;\n";
const char* const kInteger = "add.u32 %r2, %r2, %r3;\nxor.b32 %r3, %r3, %r1;\nand.b32 %r4, %r2, "
                             "%r3;\nshl.b32 %r5, %r4, 3;\n";
const char* const kSelect = "setp.lt.u32 %p1, %r2, %r3;\nselp.b32 %r2, %r3, %r4, %p1;\n";
const char* const kConvert = "cvt.rn.f32.u32 %f1, %r2;\ncvt.rzi.u32.f32 %r2, %f1;\n";
const char* const kShuffle = "shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;\n";
const char* const kShared = "ld.shared.u32 %r2, [%s1];\n";
const char* const kSharedStore = "st.shared.u32 [%s1], %r2;\n";
const char* const kGlobal = "ld.global.u32 %r2, [%g1];\n";
const char* const kGlobalStore = "st.global.u32 [%g1], %r2;\n";
const char* const kAtomic = "atom.global.add.u32 %r2, [%g1], 1;\n";
const char* const kBarrier = "bar.sync 0;\n";

BENCHMARK_CAPTURE(runLoop, arithmetic, kArithmetic, true);
BENCHMARK_CAPTURE(runLoop, fma, kFma, true);
BENCHMARK_CAPTURE(runLoop, integer, kInteger, true);
BENCHMARK_CAPTURE(runLoop, select, kSelect, true);
BENCHMARK_CAPTURE(runLoop, convert, kConvert, true);
BENCHMARK_CAPTURE(runLoop, shuffle, kShuffle, true);
BENCHMARK_CAPTURE(runLoop, barrier, kBarrier, true);
BENCHMARK_CAPTURE(runLoop, shared_load, kShared, true);
BENCHMARK_CAPTURE(runLoop, shared_load_unchecked, kShared, false);
BENCHMARK_CAPTURE(runLoop, shared_store, kSharedStore, true);
BENCHMARK_CAPTURE(runLoop, global_load, kGlobal, true);
BENCHMARK_CAPTURE(runLoop, global_load_unchecked, kGlobal, false);
BENCHMARK_CAPTURE(runLoop, global_store, kGlobalStore, true);
BENCHMARK_CAPTURE(runLoop, global_atomic, kAtomic, true);

void parsePtx(benchmark::State& state) {
    const std::string text = loopKernel(kArithmetic, static_cast<int>(state.range(0)), 1);
    for (auto _ : state)
        if (const Result<ptx::Module> module = ptx::parse(text); !module)
            state.SkipWithError(toString(module.error()).c_str());
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(parsePtx)->Arg(10)->Arg(5000)->Unit(benchmark::kMillisecond);

} // namespace

} // namespace lanescope::bench
