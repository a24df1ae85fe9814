// SPDX-License-Identifier: GPL-3.0-or-later
// What the window waits for: recording and seeking a trace, an edited parameter, a compile.
#include <algorithm>

#include <fmt/format.h>

#include "engine/session/session.h"
#include "engine/trace/trace.h"
#include "tests/bench/bench_support.h"

namespace lanescope::bench {

namespace {

std::shared_ptr<const sim::Launch> naiveLaunch(benchmark::State& state) {
    const auto prepared =
        prepareKernel(state, "k01_naive", {{"M", "64"}, {"N", "64"}, {"K", "256"}});
    return prepared ? std::make_shared<const sim::Launch>(prepared->launch.launch) : nullptr;
}

void traceBlock(benchmark::State& state) {
    const auto launch = naiveLaunch(state);
    if (!launch)
        return;
    std::uint64_t events = 0;
    for (auto _ : state) {
        const trace::BlockTrace trace(launch, 0, {});
        events += trace.events().size();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(events));
}
BENCHMARK(traceBlock)->Unit(benchmark::kMillisecond);

/// Jumps all over the trace.
void seekAnywhere(benchmark::State& state) {
    const auto launch = naiveLaunch(state);
    if (!launch)
        return;
    trace::BlockTrace trace(launch, 0, {});
    const auto size = static_cast<std::uint32_t>(trace.events().size());
    std::uint32_t at = 1;
    for (auto _ : state) {
        at = (at * 2654435761u + 12345u) % size;
        trace.seek(at);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(seekAnywhere)->Unit(benchmark::kMicrosecond);

void stepBack(benchmark::State& state) {
    const auto launch = naiveLaunch(state);
    if (!launch)
        return;
    trace::BlockTrace trace(launch, 0, {});
    const auto size = static_cast<std::uint32_t>(trace.events().size());
    std::uint32_t at = size;
    for (auto _ : state) {
        at = at == 0 ? size : at - 1;
        trace.seek(at);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(stepBack)->Unit(benchmark::kMicrosecond);

/// A problem size is changed: nothing is compiled; simulation, checks, trace and snapshot are new.
void editProblemSize(benchmark::State& state) {
    session::SessionOptions options;
    options.environment = environment();
    session::Session session(options);
    session.openKernel("k01_naive", {{"M", 64}, {"N", 64}, {"K", 64}});
    std::int64_t k = 64;
    for (auto _ : state) {
        k = k == 64 ? 96 : 64;
        if (const auto snapshot = session.setParameters({{"M", 64}, {"N", 64}, {"K", k}});
            !snapshot->run)
            state.SkipWithError("the kernel did not run");
    }
}
BENCHMARK(editProblemSize)->Unit(benchmark::kMillisecond);

/// A tile size is changed to and fro: its PTX comes from the cache.
void editTileCached(benchmark::State& state) {
    if (compile::availableCompilers(environment()).empty()) {
        state.SkipWithError("no CUDA compiler is here");
        return;
    }
    session::SessionOptions options;
    options.environment = environment();
    session::Session session(options);
    session.openKernel("k03_shared", {{"BS", 16}});
    session.openKernel("k03_shared", {{"BS", 8}});
    std::int64_t size = 8;
    for (auto _ : state) {
        size = size == 8 ? 16 : 8;
        if (const auto snapshot = session.setParameters({{"BS", size}}); !snapshot->run)
            state.SkipWithError("the kernel did not run");
    }
}
BENCHMARK(editTileCached)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Compiles a text that no cache has, by each compiler.
void compileText(benchmark::State& state, compile::Compiler compiler) {
    compile::Environment uncached = environment();
    uncached.cacheDir.clear();
    const auto there = compile::availableCompilers(uncached);
    if (std::none_of(there.begin(), there.end(),
                     [&](const compile::AvailableCompiler& c) { return c.compiler == compiler; })) {
        state.SkipWithError("this compiler is not here");
        return;
    }
    compile::CompileRequest request;
    request.with = compiler;
    int n = 0;
    for (auto _ : state) {
        request.text = fmt::format("extern \"C\" __global__ void scale(float* a, int n) {{\n  int "
                                   "i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "  if (i < n) a[i] *= {}.0f;\n}}\n",
                                   ++n);
        if (const auto output = compile::compile(request, uncached); !output)
            state.SkipWithError(toString(output.error()).c_str());
    }
}
BENCHMARK_CAPTURE(compileText, clang, compile::Compiler::Clang)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(compileText, nvrtc, compile::Compiler::Nvrtc)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(compileText, nvcc, compile::Compiler::Nvcc)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace

} // namespace lanescope::bench
