// SPDX-License-Identifier: GPL-3.0-or-later
// Counts from sampled blocks equal those of the whole grid: for made-up grids whose blocks are known,
// and for every kernel of the catalog at sizes that leave edges.
#include <catch2/catch.hpp>

#include <cstdlib>

#include <fmt/format.h>

#include "engine/session/block_sample.h"
#include "engine/session/simulate.h"

using namespace lanescope;
using namespace lanescope::session;

namespace {

/// A block that executes as many instructions as `work` says of its position.
template <class Work>
SampledCounts sampled(const Dim3& grid, Work work, std::uint64_t& whole) {
    whole = 0;
    const auto countOf = [&](std::uint64_t block) {
        const std::uint64_t row = block / grid.x;
        return static_cast<std::uint64_t>(work(block % grid.x, row % grid.y, row / grid.y));
    };
    for (std::uint64_t block = 0; block < grid.count(); ++block)
        whole += countOf(block);
    return sampleGrid(grid, [&](std::uint64_t block, sim::Counters& counters) {
        counters.total.executions = countOf(block);
        counters.byInstruction.resize(1);
        counters.byInstruction[0] = counters.total;
        counters.blocks = 1;
        return true;
    });
}

template <class Work>
std::size_t checkSampled(const Dim3& grid, Work work) {
    std::uint64_t whole = 0;
    const SampledCounts result = sampled(grid, work, whole);
    CHECK(result.isExact);
    CHECK(result.counters.total.executions == whole);
    CHECK(result.counters.byInstruction[0].executions == whole);
    CHECK(result.counters.blocks == grid.count());
    return result.blocks.size();
}

compile::Environment compilers() {
    return compile::environmentFrom([](const char* name) { return std::getenv(name); });
}

SimReport simulated(const LoadedProgram& program, BlockChoice blocks, bool findings) {
    const auto device = device::findDevice("h100");
    REQUIRE(device);
    const auto prepared = prepare(program, {}, *device);
    REQUIRE(prepared);
    sim::Memory memory = sim::makeMemory(prepared->launch);
    SimulateOptions options;
    options.blocks = blocks;
    options.findings = findings;
    auto report = simulate(program, *prepared, *device, memory, options);
    REQUIRE(report);
    return std::move(*report);
}

/// Sizes to try: M, N and K of a matmul, n of the others, with edges in each dimension or none.
std::vector<catalog::Overrides> sizesOf(const catalog::Kernel& kernel) {
    std::vector<catalog::Overrides> all = {{}};
    if (kernel.findParameter("K") != nullptr) {
        all.push_back({{"M", 384}, {"N", 512}, {"K", 16}});
        all.push_back({{"M", 333}, {"N", 290}, {"K", 21}});
        all.push_back({{"M", 100}, {"N", 70}, {"K", 50}});
    } else if (kernel.findParameter("n") != nullptr) {
        all.push_back({{"n", 20000}});
        all.push_back({{"n", 9999}});
    } else if (kernel.findParameter("N") != nullptr) {
        all.push_back({{"N", 20000}});
        all.push_back({{"N", 321}});
    }
    return all;
}

} // namespace

TEST_CASE("a regular grid needs a handful of blocks") {
    CHECK(checkSampled({128, 128, 1}, [](auto, auto, auto) { return 7; }) < 16);
    CHECK(checkSampled({1 << 20, 1, 1}, [](auto, auto, auto) { return 3; }) < 12);
    CHECK(checkSampled({3, 2, 1}, [](auto x, auto y, auto) { return 1 + x + 10 * y; }) == 6);
}

TEST_CASE("edges, steps and periods are told apart") {
    checkSampled({100, 70, 1}, [](auto x, auto y, auto) { return (x == 99 ? 3 : 5) * (y == 69 ? 2 : 4); });
    checkSampled({40, 40, 3}, [](auto x, auto y, auto z) {
        return 5 + (x == 0) + 2 * (y == 0) + 4 * (z == 2) + 8 * (x == 39);
    });
    for (const int step : {1, 37, 63, 64, 98})
        checkSampled({100, 1, 1}, [&](auto x, auto, auto) { return x < std::uint64_t(step) ? 9 : 8; });
    for (const int period : {2, 4, 8, 16, 32})
        checkSampled({1000, 1, 1},
                     [&](auto x, auto, auto) { return 10 + x % std::uint64_t(period) + (x == 999); });
    checkSampled({64, 9, 1}, [](auto x, auto y, auto) { return 10 + x % 2 + (y == 8 ? 5 : 0); });
    // A triangle along one dimension: every block counts differently.
    checkSampled({200, 1, 1}, [](auto x, auto, auto) { return 1 + x; });
}

TEST_CASE("what the classes do not tell is an estimate and says so") {
    std::uint64_t whole = 0;
    const SampledCounts triangle = sampled(
        {64, 64, 1}, [](auto x, auto y, auto) { return x > y ? 1 : 100; }, whole);
    CHECK_FALSE(triangle.isExact);
    const SampledCounts endless =
        sampled({1 << 20, 1, 1}, [](auto x, auto, auto) { return 1 + x; }, whole);
    CHECK_FALSE(endless.isExact);
    CHECK(endless.blocks.size() < 2000);
}

TEST_CASE("a block that does not finish ends the sample") {
    int runs = 0;
    const SampledCounts result = sampleGrid({100, 100, 1}, [&](std::uint64_t, sim::Counters&) {
        return ++runs < 3;
    });
    CHECK_FALSE(result.finished);
    CHECK(runs == 3);
}

TEST_CASE("every kernel of the catalog: the sample equals the whole grid") {
    const auto kernels = builtInKernels();
    REQUIRE(kernels);
    int compared = 0, estimated = 0;
    for (const catalog::Kernel& kernel : **kernels)
        for (const catalog::Overrides& sizes : sizesOf(kernel)) {
            LoadRequest request;
            request.subject = kernel.id;
            for (const auto& [name, value] : sizes)
                request.defines.emplace_back(name, std::to_string(value));
            const auto program = load(request, compilers());
            if (!program) // a size that this kernel does not take
                continue;
            std::string name = kernel.id;
            for (const auto& [parameter, value] : request.defines)
                name += fmt::format(" {}={}", parameter, value);
            INFO(name);
            const SimReport whole = simulated(*program, BlockChoice::All, false);
            const SimReport sample = simulated(*program, BlockChoice::Sample, false);
            if (!whole.finished) // kernels that are made not to finish
                continue;
            ++compared;
            if (!sample.isExact) {
                ++estimated;
                continue;
            }
            CHECK(isSameWork(whole.counters, sample.counters));
            CHECK(whole.counters.flops == sample.counters.flops);
            CHECK(whole.counters.blocks == sample.counters.blocks);
            CHECK(whole.counters.threads == sample.counters.threads);
            // Cycles of the tag stage depend on the addresses: close, not equal.
            CHECK(double(sample.counters.total.tagCycles) ==
                  Approx(double(whole.counters.total.tagCycles)).epsilon(0.05));
        }
    CHECK(compared > 15);
    CHECK(estimated * 5 <= compared);
}
