// SPDX-License-Identifier: GPL-3.0-or-later
// The same text through every compiler of this machine; those that are not here are named and left
// out.
#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <thread>

#include "engine/compile/compile.h"
#include "engine/base/file.h"
#include "tests/compile/support.h"

using namespace lanescope;
using namespace lanescope::compile;
using namespace std::chrono_literals;

namespace {

const char* const kTile = R"(#include <cuda_runtime.h>
#include <cstdint>
#include <stdio.h>
#ifndef N
#error N is missing
#endif
extern "C" __global__ void __launch_bounds__(N) reverse(const float4* __restrict__ in, float4* out, uint32_t* count) {
    __shared__ float4 tile[N];
    const int t = threadIdx.x;
    tile[t] = in[blockIdx.x * N + t];
    __syncthreads();
    out[blockIdx.x * N + t] = tile[N - 1 - t];
    if (__ballot_sync(0xffffffffu, t & 1) != 0 && t == 0)
        atomicAdd(count, 1u);
}
)";

std::vector<Compiler> here() {
    std::vector<Compiler> result;
    for (const AvailableCompiler& available : availableCompilers(test::machine())) {
        CHECK_FALSE(available.version.empty());
        result.push_back(available.compiler);
    }
    for (Compiler compiler : {Compiler::Nvrtc, Compiler::Nvcc, Compiler::Clang})
        if (std::find(result.begin(), result.end(), compiler) == result.end())
            WARN("not on this machine, not tested: " << name(compiler));
    return result;
}

CompileRequest requestFor(std::string text, std::optional<Compiler> with) {
    CompileRequest request;
    request.text = std::move(text);
    request.fileName = "lesson.cu";
    request.with = with;
    return request;
}

} // namespace

TEST_CASE("every compiler makes PTX of one text: the same memory instructions, lines of the user's "
          "file") {
    for (Compiler compiler : here()) {
        CAPTURE(name(compiler));
        CompileRequest request = requestFor(kTile, compiler);
        request.defines = {{"N", "64"}};
        auto output = compile::compile(request, test::machine());
        INFO((output ? std::string() : toString(output.error())));
        REQUIRE(output);
        CHECK(output->used == compiler);
        CHECK_FALSE(output->fromCache);
        const std::string& ptx = output->ptx;
        CHECK(ptx.find(".entry reverse") != std::string::npos);
        // f32, b32 or u32: the same 16 bytes.
        CHECK(test::countOf(ptx, "ld.global.nc.v4.") + test::countOf(ptx, "ld.global.v4.") == 1);
        CHECK(test::countOf(ptx, "ld.global") == 1);
        CHECK(test::countOf(ptx, "st.global.v4.") == 1);
        CHECK(test::countOf(ptx, "st.global") == 1);
        CHECK(test::countOf(ptx, "st.shared.v4.") == 1);
        CHECK(test::countOf(ptx, "ld.shared.v4.") == 1);
        CHECK(test::countOf(ptx, "bar.sync") + test::countOf(ptx, "barrier.sync") == 1);
        CHECK(test::countOf(ptx, "vote.sync.ballot") == 1);
        CHECK(ptx.find("\"lesson.cu\"") != std::string::npos);
        CHECK(ptx.find("lanescope-") == std::string::npos); // no trace of the private folder
        for (const char* line : {".loc\t1 10 ", ".loc\t1 11 ", ".loc\t1 12 "})
            CHECK(ptx.find(line) != std::string::npos);
    }
}

TEST_CASE("a text with templates, math, printf, atomics and shuffles compiles everywhere") {
    const std::string text = R"(#include <cuda_fp16.h>
#include <math.h>
#include <cstdio>
template <int Width> __device__ float sum(float v) {
    for (int d = Width / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}
__constant__ float scale[4] = {1, 2, 3, 4};
__device__ int total;
__global__ void all(float* x, double* y, __half* h, unsigned long long* q, dim3 shape) {
    extern __shared__ float dynamic[];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x + gridDim.y * warpSize;
    float v = x[i];
    v = expf(v) + logf(v) + sqrtf(v) + rsqrtf(v) + sinf(v) * cosf(v) + tanhf(v) + powf(v, 2.5f) + erff(v);
    v += fminf(v, 1.0f) + fmaxf(v, 0.5f) + fabsf(v) + floorf(v) + __expf(v) + __logf(v) + fmaf(v, v, v);
    v += __fdividef(v, 3.0f) + __int_as_float(i) + min(3, int(i)) + max(2u, i) + scale[i & 3] + __ldg(x + i + 1);
    dynamic[threadIdx.x] = sum<32>(v);
    __syncwarp();
    atomicAdd(&x[0], dynamic[threadIdx.x ^ 1]);
    atomicMax(&total, int(i));
    atomicCAS(q, 0ull, 1ull);
    y[i] = sqrt(double(v)) + exp(y[i]) + fabs(y[i]);
    h[i] = __hadd(h[i], __float2half(v)) * h[i + 1];
    if (__popc(__activemask()) > 4 && __any_sync(0xffffffffu, v > 0)) printf("%d %f\n", i, v);
    x[i] = v + shape.x + __clz(int(i)) + __ffs(int(i)) + __half2float(h[i]);
}
)";
    for (Compiler compiler : here()) {
        CAPTURE(name(compiler));
        auto output = compile::compile(requestFor(text, compiler), test::machine());
        INFO((output ? std::string() : toString(output.error())));
        REQUIRE(output);
        CHECK(test::countOf(output->ptx, ".visible .entry") == 1);
        CHECK(test::countOf(output->ptx, "shfl.sync.bfly.b32") == 5);
    }
}

TEST_CASE("a whole program with host code compiles: some compiler of the machine takes it") {
    const std::string text = R"(#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
#include <iostream>
__global__ void fill(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
int main() {
    std::vector<float> host(100);
    float* device = nullptr;
    cudaMalloc(&device, host.size() * sizeof(float));
    fill<<<1, 128>>>(device, 100);
    cudaMemcpy(host.data(), device, 400, cudaMemcpyDeviceToHost);
    std::cout << cudaGetErrorString(cudaGetLastError()) << host[3];
    printf("%f\n", host[4]);
    return cudaFree(device) == cudaSuccess ? 0 : 1;
}
)";
    std::vector<std::optional<Compiler>> choices{std::nullopt};
    for (Compiler compiler : here())
        if (compiler !=
            Compiler::Nvrtc) // NVRTC takes device code only; without a choice the next one steps in
            choices.emplace_back(compiler);
    if (here().empty())
        return;
    if (here() == std::vector<Compiler>{Compiler::Nvrtc}) {
        WARN("only NVRTC here: not tested");
        return;
    }
    for (const auto& choice : choices) {
        CAPTURE(choice ? name(*choice) : "any");
        auto output = compile::compile(requestFor(text, choice), test::machine());
        INFO((output ? std::string() : toString(output.error())));
        REQUIRE(output);
        CHECK(test::countOf(output->ptx, "st.global.f32") == 1);
    }
}

TEST_CASE("every error of a text is told, at its line") {
    const std::string text =
        "__global__ void f(int* a) {\n    a[0] = first;\n    int* p = 3.5f;\n    second();\n}\n";
    for (Compiler compiler : here()) {
        CAPTURE(name(compiler));
        CompileRequest request = requestFor(text, compiler);
        request.fileName = "some folder/odd name.txt";
        auto output = compile::compile(request, test::machine());
        REQUIRE_FALSE(output);
        std::vector<std::uint32_t> lines;
        for (const Diagnostic& diagnostic : output.error())
            if (diagnostic.severity == Severity::Error) {
                CHECK(diagnostic.code == "compile");
                CHECK(diagnostic.where.file == request.fileName);
                CHECK_FALSE(diagnostic.message.empty());
                lines.push_back(diagnostic.where.line);
            }
        CHECK(lines == std::vector<std::uint32_t>{2, 3, 4});
        CHECK(output.error().front().where.column == 12);
    }
}

TEST_CASE("warnings come with the PTX") {
    for (Compiler compiler : here()) {
        CAPTURE(name(compiler));
        auto output = compile::compile(
            requestFor("__global__ void f(int* a) { int unused; a[0] = 1; }\n#warning careful\n",
                       compiler),
            test::machine());
        INFO((output ? std::string() : toString(output.error())));
        REQUIRE(output);
        CHECK(output->log.find("careful") != std::string::npos);
    }
}

TEST_CASE("headers beside the user's file are found, and a change in one is noticed") {
    const test::TemporaryFolder folder, cache;
    for (Compiler compiler : here()) {
        CAPTURE(name(compiler));
        CompileRequest request = requestFor(
            "#include \"outer.h\"\n__global__ void f(int* a) { a[0] = VALUE; }\n", compiler);
        request.includeDirs = {folder.path()};
        REQUIRE(writeFile(folder.path() / "outer.h", "#pragma once\n #  include \"inner.h\"\n"));
        REQUIRE(writeFile(folder.path() / "inner.h", "#define VALUE 12345\n"));
        auto output = compile::compile(request, test::machine(cache.path()));
        INFO((output ? std::string() : toString(output.error())));
        REQUIRE(output);
        CHECK(output->ptx.find("12345") != std::string::npos);
        REQUIRE(writeFile(folder.path() / "inner.h", "#define VALUE 54321\n"));
        output = compile::compile(request, test::machine(cache.path()));
        REQUIRE(output);
        CHECK_FALSE(output->fromCache);
        CHECK(output->ptx.find("54321") != std::string::npos);
    }
}

TEST_CASE("an architecture that a compiler does not know") {
    const auto compilers = here();
    for (Compiler compiler : compilers) {
        CAPTURE(name(compiler));
        CompileRequest request = requestFor("__global__ void f(int* a) { a[0] = 1; }\n", compiler);
        request.arch = "sm_999";
        auto output = compile::compile(request, test::machine());
        if (compiler == Compiler::Clang) {
            REQUIRE(output); // the newest that it knows
            CHECK(output->ptx.find(".target " + output->arch) != std::string::npos);
        } else {
            CHECK_FALSE(output);
        }
    }
    CompileRequest request = requestFor("", std::nullopt);
    for (const char* bad : {"", "sm_", "sm_x", "90!", "sm_9", "sm_90q", "volta"}) {
        request.arch = bad;
        auto output = compile::compile(request, test::machine());
        REQUIRE_FALSE(output);
        CHECK(output.error().front().code == "compiler");
    }
}

TEST_CASE("no compiler, a compiler that is not there, a broken one, a slow one, a cancelled one") {
    const test::TemporaryFolder folder;
    Environment bare;
    bare.searchSystem = false;
    bare.temporaryDir = folder.path();
    CHECK(availableCompilers(bare).empty());
    CompileRequest request = requestFor("__global__ void f() {}\n", std::nullopt);
    auto output = compile::compile(request, bare);
    REQUIRE_FALSE(output);
    CHECK(output.error().front().code == "compiler");
    CHECK(output.error().front().hint.find("clang") != std::string::npos);
    request.with = Compiler::Nvcc;
    CHECK_FALSE(compile::compile(request, bare));

    // A file named like NVRTC that is no library, and a clang++ that hangs after telling its
    // version.
    request.with.reset();
    REQUIRE(writeFile(folder.path() / "libnvrtc.so.13", "not a library"));
    bare.libraryDirs = {folder.path()};
    const auto program = folder.path() / "clang++";
    REQUIRE(writeFile(program,
                      "#!/bin/sh\n[ \"$1\" = -dumpversion ] && echo 14.0.6 && exit 0\nsleep 30\n"));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    bare.programDirs = {folder.path()};
    request.timeLimit = 300ms;
    output = compile::compile(request, bare);
    REQUIRE_FALSE(output);
    CHECK(output.error().front().code == "timeout");
    request.timeLimit = 60s;
    std::stop_source source;
    request.stop = source.get_token();
    std::jthread canceller([&source] {
        std::this_thread::sleep_for(200ms);
        source.request_stop();
    });
    output = compile::compile(request, bare);
    REQUIRE_FALSE(output);
    CHECK(output.error().front().code == "cancelled");
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        CHECK_FALSE(entry.is_directory()); // private folders are gone
}
