// SPDX-License-Identifier: GPL-3.0-or-later
// Whole kernels of many kinds against an H200: the bits of their results and the counters of their memory accesses. How each figure was
// measured stands in tests/data/fidelity/fidelity.json.
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/sim/ptx_runner.h"

using namespace lanescope;
using namespace lanescope::test;
using check::FindingKind;

namespace {

const std::string kFolder = std::string(LANESCOPE_TEST_DATA) + "/fidelity/";

std::string slurp(const std::string& name) {
    std::ifstream in(kFolder + name, std::ios::binary);
    REQUIRE(in);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
}

std::string fnv1a(const std::vector<std::uint8_t>& bytes) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::uint8_t b : bytes)
        hash = (hash ^ b) * 0x100000001b3u;
    return fmt::format("{:016x}", hash);
}

} // namespace

TEST_CASE("kernels of many kinds give an H200's bits and counters, and no findings", "[hardware][fidelity]") {
    const nlohmann::json data = nlohmann::json::parse(slurp("fidelity.json"));
    std::map<std::string, std::string> texts;
    int outputs = 0, counters = 0;
    for (const auto& row : data["cases"]) {
        INFO(row["name"].get<std::string>());
        std::string& text = texts[row["ptx"]];
        if (text.empty())
            text = slurp(row["ptx"]);
        PtxLaunch launch;
        launch.grid = {row["grid"][0], row["grid"][1], row["grid"][2]};
        launch.block = {row["block"][0], row["block"][1], row["block"][2]};
        launch.shared = row["shared"];
        for (const std::string argument : row["args"])
            launch.arguments.push_back(argument.starts_with("in:") ? "file:" + kFolder + "inputs.bin:" + argument.substr(3) : argument);
        const PtxRun result = run(loadText(text, row["entry"]), launch);
        CHECK(result.report.finished);
        CHECK(result.report.findings.empty() == (row["findings"].get<int>() == 0));
        for (const auto& [argument, hash] : row["outputs"].items()) {
            CHECK(fnv1a(result.buffers.at(std::stoul(argument))) == hash.get<std::string>());
            ++outputs;
        }
        for (const auto& [metric, value] : row["counters"].items()) {
            INFO(metric);
            CHECK(result.metric(metric) == value.get<double>());
            ++counters;
        }
    }
    CHECK(outputs > 100);
    CHECK(counters > 500);
}

TEST_CASE("a constant where a predicate stands", "[fidelity]") {
    PtxLaunch launch;
    launch.arguments = {"zeros:128"};
    const PtxRun result = run(loadText(kernel("mov.u32 %r0, %tid.x; setp.ge.and.u32 %p0, %r0, 4, 1; setp.lt.or.u32 %p1, %r0, 30, 0;\n"
                                              "selp.u32 %r1, 1, 0, %p0; selp.u32 %r2, 2, 0, %p1; add.u32 %r1, %r1, %r2;\n"
                                              "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r1;"),
                                       "k"),
                              launch);
    for (unsigned t = 0; t < 32; ++t)
        CHECK(result.at<std::uint32_t>(0, t) == (t >= 4 ? 1u : 0u) + (t < 30 ? 2u : 0u));
}

TEST_CASE("a barrier after an early return passes with the threads that are left", "[fidelity]") {
    // As nvcc writes `if (t >= 40) return;`: a branch to the one ret at the end. An H200 goes on, also with part of a warp.
    PtxLaunch launch;
    launch.block.x = 64;
    launch.arguments = {"zeros:256"};
    const PtxRun result = run(loadText(kernel("mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 40;\n@%p0 bra END;\nbar.sync 0;\nbar.sync 0;\n"
                                              "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], 7;\nEND: ret;"),
                                       "k"),
                              launch);
    CHECK(result.report.finished);
    for (unsigned t = 0; t < 64; ++t)
        CHECK(result.at<std::uint32_t>(0, t) == (t < 40 ? 7u : 0u));
    for (const check::Finding& f : result.report.findings) {
        CHECK(f.kind == FindingKind::BarrierDivergence);
        CHECK_THAT(f.message, Catch::Contains("24 threads") && !Catch::Contains("hang"));
    }
}

TEST_CASE("warps that come to different barriers are reported, bar.warp.sync at two places is not", "[fidelity]") {
    PtxLaunch launch;
    launch.block.x = 64;
    launch.arguments = {"zeros:256"};
    const PtxRun bars = run(loadText(kernel("mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 32;\n@%p0 bra B;\nbar.sync 0;\nbra END;\nB: bar.sync 0;\nEND: add.u32 %r1, %r0, 1;"), "k"),
                            launch);
    CHECK(bars.occurrences(FindingKind::BarrierDivergence) == 1);
    launch.block.x = 32;
    const PtxRun syncs = run(loadText(kernel("mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 16; setp.ge.u32 %p1, %r0, 8;\n@%p0 bra END;\n@%p1 bra B;\n"
                                             "bar.warp.sync 0xffff;\nbra END;\nB: bar.warp.sync 0xffff;\nEND: add.u32 %r1, %r0, 1;"),
                                      "k"),
                             launch);
    CHECK(syncs.report.findings.empty());
}
