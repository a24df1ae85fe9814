// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of an H200 (tests/data/sim, read with Nsight Compute) and results of its instructions (tests/data/lanes), kernel by kernel.
#include <bit>
#include <cmath>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/sim/ptx_runner.h"

using namespace lanescope;
using namespace lanescope::test;

namespace {

std::string slurp(const std::string& name) {
    std::ifstream in(std::string(LANESCOPE_TEST_DATA) + "/" + name, std::ios::binary);
    REQUIRE(in);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
}

} // namespace

TEST_CASE("every memory pattern has the counters of an H200", "[hardware]") {
    const std::string text = slurp("sim/patterns.ptx");
    const nlohmann::json data = nlohmann::json::parse(slurp("sim/patterns.json"));
    int met = 0, matrix = 0;
    for (const auto& row : data["patterns"]) {
        const std::string name = row["kernel"];
        INFO(name);
        Result<session::LoadedProgram> program = session::loadPtx(text, "patterns.ptx", name);
        matrix += name.starts_with("ldm") || name.starts_with("stm");
        if (!program)
            FAIL(toString(program.error()));
        PtxLaunch launch;
        launch.grid.x = row["grid"];
        launch.block.x = row["block"];
        launch.shared = row["shared"];
        launch.arguments = {"zeros:1048576"};
        const PtxRun result = run(*program, launch);
        for (const auto& [metric, value] : row["counters"].items()) {
            INFO(metric);
            CHECK(result.metric(metric) == value.get<double>());
        }
        ++met;
    }
    CHECK(met == 134);
    CHECK(matrix == 20);
}

TEST_CASE("whole kernels have the sectors and requests of an H200", "[hardware]") {
    const std::string text = slurp("sim/ladder.ptx");
    const nlohmann::json data = nlohmann::json::parse(slurp("sim/ladder.json"));
    // Launches: head of the CUDA text that these came from, n = 256.
    const std::vector<std::string> matmul{"i32:256", "i32:256", "i32:256", "random:f32:65536:1", "random:f32:65536:2", "zeros:262144"};
    const auto launchOf = [&](const std::string& name) {
        PtxLaunch launch;
        launch.arguments = matmul;
        launch.maxInstructions = 10'000'000;
        if (name == "mm_naive") {
            launch.grid = {8, 8, 1};
            launch.block = {32, 32, 1};
        } else if (name == "mm_coal" || name == "mm_smem32") {
            launch.grid = {8, 8, 1};
            launch.block = {1024, 1, 1};
        } else if (name == "mm_reg1") {
            launch.grid = {4, 4, 1};
            launch.block = {512, 1, 1};
        } else if (name == "mm_vec") {
            launch.grid = {2, 2, 1};
            launch.block = {256, 1, 1};
        } else if (name.starts_with("tr_")) {
            launch.grid = {8, 8, 1};
            launch.block = {32, 8, 1};
            launch.arguments = {"i32:256", "random:f32:65536:1", "zeros:262144"};
        } else {
            launch.grid = {256, 1, 1};
            launch.block = {256, 1, 1};
            launch.arguments = {"random:f32:65536:1", "zeros:1024"};
        }
        return launch;
    };
    int kernels = 0;
    for (const auto& [name, counters] : data["kernels"].items()) {
        INFO(name);
        const PtxRun result = run(loadText(text, name), launchOf(name));
        for (const char* metric : {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                   "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "smsp__inst_executed_op_global_ld.sum",
                                   "smsp__inst_executed_op_global_st.sum", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"}) {
            INFO(metric);
            CHECK(result.metric(metric) == counters[metric].get<double>());
        }
        CHECK(result.report.findings.empty());
        ++kernels;
    }
    CHECK(kernels == 10);
}

TEST_CASE("every instruction measured gives an H200's bits, as a kernel", "[hardware]") {
    const std::string text = slurp("lanes/ops.ptx");
    const std::string in = slurp("lanes/ops_in.bin"), out = slurp("lanes/ops_out.bin");
    std::istringstream list(slurp("lanes/ops.list"));
    constexpr std::size_t n = 2048, slots = 8 * n;
    std::string name;
    int bytes = 0;
    std::size_t index = 0;
    while (list >> name >> bytes) {
        INFO(name);
        PtxLaunch launch;
        launch.grid = {16, 1, 1};
        launch.block = {128, 1, 1};
        const std::string file = std::string("file:") + LANESCOPE_TEST_DATA + "/lanes/ops_in.bin:";
        for (int i = 0; i < 3; ++i)
            launch.arguments.push_back(file + std::to_string(i * slots) + ":" + std::to_string(slots));
        launch.arguments.push_back("zeros:" + std::to_string(slots));
        launch.arguments.push_back("u32:2048");
        const PtxRun result = run(loadText(text, name), launch);
        const std::string expected = out.substr(index * slots, slots);
        ++index;
        // Approximations: checked to their documented error in tests/lanes.
        if (name.find("approx") != std::string::npos || name == "div_full_f32" || name.starts_with("tanh"))
            continue;
        const std::string got(reinterpret_cast<const char*>(result.buffers[3].data()), slots);
        CHECK((got == expected));
    }
    CHECK(index == 148);
}
