// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of the foundations: the figures that the curriculum states, row by row, without the
// lessons' texts between; what an H200 counted for the same patterns; results at odd sizes.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/lesson/workbench.h"
#include "engine/session/model_answers.h"
#include "engine/session/session.h"

using namespace lanescope;
using namespace lanescope::lesson;
using nlohmann::json;

namespace {

Workbench& bench() {
    static Workbench workbench(
        compile::environmentFrom([](const char* name) { return std::getenv(name); }));
    return workbench;
}

const json& reportOf(const std::string& kernel, const catalog::Overrides& parameters = {},
                     sim::Schedule schedule = sim::Schedule::InTurn) {
    Run run;
    run.kernel = kernel;
    run.parameters = parameters;
    run.gpu = "h100";
    run.schedule = schedule;
    const auto report = bench().report(run);
    INFO(kernel << ": " << (report ? std::string() : toString(report.error())));
    REQUIRE(report);
    return **report;
}

double counter(const json& report, const char* name) {
    return report.at("counters").at(name).get<double>();
}

std::uint64_t findings(const json& report, const char* kind) {
    std::uint64_t sum = 0;
    for (const json& finding : report.at("findings"))
        if (finding.at("kind") == kind)
            sum += finding.at("occurrences").get<std::uint64_t>();
    return sum;
}

bool isRight(const json& report) { return report.at("verification").at("matches").get<bool>(); }

/// The line of the kernel's CUDA text with the comment "[mark]".
const json& lineOf(const json& report, const std::string& mark) {
    const auto kernels = session::builtInKernels();
    REQUIRE(kernels);
    const catalog::Kernel* kernel =
        catalog::findKernel(**kernels, report.at("kernel").get<std::string>());
    REQUIRE(kernel != nullptr);
    const auto number = findLine({mark, mark, "", {}}, kernel->text);
    REQUIRE(number);
    for (const json& line : report.at("lines"))
        if (line.at("line") == *number)
            return line;
    throw std::runtime_error("nothing ran on the line of " + mark);
}

double efficiency(const json& line) {
    return line.at("lanes").get<double>() / (32 * line.at("executions").get<double>());
}

json modelled(const char* name, const session::ModelArguments& arguments) {
    const auto answer = session::answer(name, arguments);
    INFO(name << ": " << (answer ? std::string() : toString(answer.error())));
    REQUIRE(answer);
    return json::parse(answer->json);
}

double sectors(const json& report) {
    return counter(report, "global_load_sectors") + counter(report, "global_store_sectors");
}

/// Global load, shared load and store, addition, barrier, the step's branch and the final store, as
/// the seed counts them; shuffles beside them.
double reductionInstructions(const json& report) {
    double sum = lineOf(report, "step").at("by_class").at("branch").get<double>();
    for (const char* name : {"global_load_instructions", "global_store_instructions",
                             "shared_load_instructions", "shared_store_instructions", "barriers"})
        sum += counter(report, name);
    const json& classes = report.at("counters").at("by_class");
    return sum + classes.at("float32").get<double>() + classes.value("warp", 0.0);
}

} // namespace

TEST_CASE("curriculum, vector add and the block size: a block of 100 gives 78% and 86%, 14.5 sectors "
          "a block; multiples of 32 are clean") {
    const json& hundred = reportOf("vector_add", {{"BLOCK", 100}});
    CHECK(counter(hundred, "simt_efficiency") == Approx(0.78).margin(0.005));
    CHECK(counter(hundred, "global_efficiency") == Approx(0.86).margin(0.005));
    CHECK(counter(hundred, "global_load_sectors") / 2 / counter(hundred, "blocks") == 14.5);
    for (const int block : {32, 64, 128, 256, 512, 1024}) {
        const json& report = reportOf("vector_add", {{"BLOCK", block}});
        CHECK(counter(report, "global_efficiency") == 1);
        CHECK(counter(report, "simt_efficiency") > 0.99);
    }
}

TEST_CASE("curriculum, the forgotten guard: threads 232 to 255 of block 3 are named with array, index "
          "and size") {
    const json& report = reportOf("vector_add_unguarded");
    CHECK(findings(report, "out-of-bounds") == 3 * 24);
    for (const json& finding : report.at("findings")) {
        CHECK(finding.at("thread").at(0) == 232);
        CHECK(finding.at("block").at(0) == 3);
        CHECK(finding.at("index") == 1000);
        CHECK(finding.at("size") == 1000);
        CHECK(finding.at("occurrences") == 24);
    }
}

TEST_CASE("curriculum, which way does x go: 2,750 sectors become 7,455, 95% become 35%") {
    const json& rows = reportOf("bias_add");
    const json& columns = reportOf("bias_add_swapped");
    CHECK(sectors(rows) == 2750);
    CHECK(sectors(columns) == 7455);
    CHECK(counter(rows, "global_efficiency") == Approx(0.95).margin(0.005));
    CHECK(counter(columns, "global_efficiency") == Approx(0.35).margin(0.005));
    CHECK(isRight(rows));
    CHECK(isRight(columns));
}

TEST_CASE("curriculum, grid-stride loop: 3,125 warp loads whatever the grid") {
    for (const auto& [grid, block] : {std::pair{4, 128}, {16, 256}, {391, 256}}) {
        const json& report = reportOf("grid_stride", {{"GRID", grid}, {"BLOCK", block}});
        CHECK(counter(report, "global_load_instructions") == 3125);
        CHECK(isRight(report));
    }
}

TEST_CASE("curriculum, divergence: both sides are executed, none diverges when the condition is "
          "uniform in a warp") {
    const json& parity = reportOf("branch_parity");
    CHECK(counter(parity, "divergent_branches") == counter(parity, "warps"));
    for (const char* side : {"then", "else"}) {
        CHECK(efficiency(lineOf(parity, side)) == 0.5);
        CHECK(lineOf(parity, side).at("by_class").at("float32") == 4 * counter(parity, "warps"));
    }
    const json& warp = reportOf("branch_warp");
    CHECK(counter(warp, "divergent_branches") == 0);
    for (const char* side : {"then", "else"}) {
        CHECK(efficiency(lineOf(warp, side)) == 1.0);
        CHECK(lineOf(warp, side).at("by_class").at("float32") == 2 * counter(warp, "warps"));
    }
    CHECK(efficiency(lineOf(parity, "after")) == 1.0);
}

TEST_CASE("curriculum, coalescing patterns: a stride of 3 is 12 sectors, and all is as an H200 "
          "counts") {
    CHECK(counter(reportOf("global_access", {{"STRIDE", 3}}), "global_load_sectors") == 12);

    std::ifstream file(std::string(LANESCOPE_TEST_DATA) + "/memory/patterns.json");
    REQUIRE(file);
    std::map<std::string, json> measured;
    const json document = json::parse(file);
    for (const json& pattern : document.at("patterns"))
        measured[pattern.at("kernel")] = pattern.at("counters");
    // Measured patterns of one whole warp, as parameters of our kernels.
    struct Pattern {
        const char* name;
        const char* kernel;
        catalog::Overrides parameters;
    };
    const std::vector<Pattern> patterns{
        {"ldg4_stride16", "global_access", {{"STRIDE", 16}}},
        {"ldg4_stride31", "global_access", {{"STRIDE", 31}}},
        {"ldg4_offset12", "global_access", {{"OFFSET", 3}}},
        {"ldg4_offset16", "global_access", {{"OFFSET", 4}}},
        {"ldg4_offset28", "global_access", {{"OFFSET", 7}}},
        {"ldg4_offset124", "global_access", {{"OFFSET", 31}}},
        {"ldg4_reverse", "global_access", {{"FLIP", 31}}},
        {"ldg4_broadcast", "global_access", {{"STRIDE", 0}, {"OFFSET", 16}}},
        {"ldg8_stride1", "global_access", {{"WIDTH", 8}}},
        {"ldg8_stride2", "global_access", {{"WIDTH", 8}, {"STRIDE", 2}}},
        {"ldg8_stride8", "global_access", {{"WIDTH", 8}, {"STRIDE", 8}}},
        {"ldg16_stride2", "global_access", {{"WIDTH", 16}, {"STRIDE", 2}}},
        {"ldg1_stride1", "global_access", {{"WIDTH", 1}}},
        {"ldg1_stride3", "global_access", {{"WIDTH", 1}, {"STRIDE", 3}}},
        {"ldg1_stride33", "global_access", {{"WIDTH", 1}, {"STRIDE", 33}}},
        {"ldg2_stride1", "global_access", {{"WIDTH", 2}}},
        {"ldg2_stride2", "global_access", {{"WIDTH", 2}, {"STRIDE", 2}}},
        {"lds4_stride3", "shared_stride", {{"STRIDE", 3}}},
        {"lds4_stride5", "shared_stride", {{"STRIDE", 5}}},
        {"lds4_stride16", "shared_stride", {{"STRIDE", 16}}},
        {"lds4_stride17", "shared_stride", {{"STRIDE", 17}}},
        {"lds4_stride31", "shared_stride", {{"STRIDE", 31}}},
        {"lds4_stride33", "shared_stride", {{"STRIDE", 33}}},
    };
    for (const Pattern& pattern : patterns) {
        const json& report = reportOf(pattern.kernel, pattern.parameters);
        CHECK(isRight(report));
        CHECK(findings(report, "out-of-bounds") == 0);
        REQUIRE(measured.contains(pattern.name));
        for (const auto& [metric, value] : measured[pattern.name].items()) {
            INFO(pattern.name << " " << metric);
            CHECK(report.at("metrics").at(metric) == value);
        }
    }
}

TEST_CASE("curriculum, transpose: 4,096 bytes of sectors stored a warp, 32-way conflicts, 1,024 "
          "races") {
    const json& naive = reportOf("transpose_naive");
    CHECK(32 * counter(naive, "global_store_sectors") / counter(naive, "warps") == 4096);
    const json& tiled = reportOf("transpose_tiled");
    CHECK(counter(tiled, "shared_load_wavefronts") ==
          32 * counter(tiled, "shared_load_instructions"));
    const json& padded = reportOf("transpose_padded");
    CHECK(counter(padded, "shared_load_conflicts") + counter(padded, "shared_store_conflicts") == 0);
    for (const json* coalesced : {&reportOf("transpose_copy"), &tiled, &padded})
        CHECK(32 * counter(*coalesced, "global_store_sectors") / counter(*coalesced, "warps") ==
              512);
    const json& racing = reportOf("transpose_no_barrier");
    CHECK(findings(racing, "race.raw") == 1024);
    CHECK(isRight(racing));
    CHECK(findings(tiled, "race.raw") == 0);
}

TEST_CASE("curriculum, bank conflicts: a stride conflicts as many ways as it has factors in common "
          "with 32") {
    for (int stride = 0; stride <= 33; ++stride) {
        int ways = 1; // the greatest power of two that divides it; a broadcast for 0
        while (stride != 0 && ways < 32 && stride % (2 * ways) == 0)
            ways *= 2;
        INFO("stride " << stride);
        const json& report = reportOf("shared_stride", {{"STRIDE", stride}});
        CHECK(counter(report, "shared_load_wavefronts") == ways);
        CHECK(isRight(report));
    }
    for (const auto& [columns, ways] : {std::pair{64, 32}, {65, 1}, {66, 2}})
        CHECK(counter(reportOf("shared_column", {{"COLUMNS", columns}}),
                      "shared_load_wavefronts") == ways);
}

TEST_CASE("curriculum, __syncthreads: warp 0 reads [255] just written by warp 7; another order "
          "gives a wrong result") {
    const json& inTurn = reportOf("reverse_no_barrier");
    REQUIRE(findings(inTurn, "race.raw") == 1);
    const json& race = inTurn.at("findings").at(0);
    CHECK(race.at("index") == 255);
    CHECK(race.at("thread").at(0).get<int>() / 32 == 0);
    CHECK(race.at("other_thread").at(0).get<int>() / 32 == 7);
    CHECK(isRight(inTurn));
    const json& random = reportOf("reverse_no_barrier", {}, sim::Schedule::Random);
    CHECK_FALSE(isRight(random));
    CHECK(findings(random, "race.raw") == 1);
    for (const sim::Schedule schedule :
         {sim::Schedule::InTurn, sim::Schedule::Reverse, sim::Schedule::Random}) {
        const json& report = reportOf("reverse", {}, schedule);
        CHECK(isRight(report));
        CHECK(report.at("findings").empty());
    }
}

TEST_CASE("curriculum, five reductions: 206,848 warp instructions for versions 2 and 3, 3.33 "
          "wavefronts, 16%") {
    CHECK(reductionInstructions(reportOf("reduce_2")) == 206848);
    CHECK(reductionInstructions(reportOf("reduce_3")) == 206848);
    CHECK(counter(reportOf("reduce_2"), "shared_wavefronts_per_access") ==
          Approx(3.33).margin(0.005));
    CHECK(counter(reportOf("reduce_3"), "shared_wavefronts_per_access") == 1);
    CHECK(reductionInstructions(reportOf("reduce_5")) /
              reductionInstructions(reportOf("reduce_1")) ==
          Approx(0.16).margin(0.005));
    for (int version = 1; version <= 5; ++version)
        CHECK(isRight(reportOf("reduce_" + std::to_string(version))));
}

TEST_CASE("curriculum, occupancy: 5 blocks of an H100, 2 of an A6000, 3 with 160 registers") {
    const json five = modelled("occupancy", {{"gpu", "h100"}, {"threads", "128"}, {"regs", "96"}, {"shared", "32768"}});
    CHECK(five.at("blocks_per_sm") == 5);
    CHECK(five.at("warps_per_sm") == 20);
    CHECK(five.at("occupancy").get<double>() == Approx(0.31).margin(0.005));
    CHECK(five.at("limiter") == "registers");
    const json two = modelled("occupancy", {{"gpu", "rtx-a6000"}, {"threads", "256"}, {"regs", "104"}});
    CHECK(two.at("blocks_per_sm") == 2);
    CHECK(two.at("occupancy").get<double>() == Approx(0.33).margin(0.005));
    // 18.75%, which the seed cuts to 18%.
    const json three = modelled("occupancy", {{"gpu", "h100"}, {"threads", "128"}, {"regs", "160"}});
    CHECK(three.at("blocks_per_sm") == 3);
    CHECK(three.at("warps_per_sm") == 12);
    CHECK(three.at("occupancy") == 0.1875);
}

TEST_CASE("curriculum, hiding latency: 12.7 KB in flight; 64 warps of 128 bytes give 65%") {
    const auto latency = [](const char* warps, const char* bytes, const char* requests) {
        return modelled("latency", {{"gpu", "h100"}, {"latency", "500"}, {"warps", warps}, {"bytes", bytes}, {"requests", requests}});
    };
    const json full = latency("64", "4", "1");
    CHECK(full.at("bytes_needed").get<double>() == Approx(12700).margin(50));
    CHECK(full.at("share").get<double>() == Approx(0.65).margin(0.005));
    const json quarter = latency("16", "16", "2");
    CHECK(quarter.at("occupancy") == 0.25);
    CHECK(quarter.at("bytes_in_flight") >= quarter.at("bytes_needed"));
    CHECK(quarter.at("share").get<double>() >= 1);
}

TEST_CASE("curriculum, waves: 133 blocks on 132 SMs, 160 on 148, tiles of a 1024 x 1024 product") {
    CHECK(modelled("waves", {{"gpu", "h100"}, {"blocks", "133"}, {"blocks-per-sm", "1"}}).at("waves") == 2);
    const json second = modelled("waves", {{"gpu", "b200"}, {"blocks", "160"}, {"blocks-per-sm", "1"}});
    CHECK(second.at("waves") == 2);
    CHECK(second.at("tail_blocks") == 12);
    const auto used = [](const char* tile, const char* perSm) {
        return modelled("waves", {{"gpu", "h100"}, {"m", "1024"}, {"n", "1024"}, {"bm", tile}, {"bn", tile}, {"blocks-per-sm", perSm}})
            .at("slots_used").get<double>();
    };
    CHECK(used("128", "2") == Approx(0.24).margin(0.005));
    CHECK(used("64", "4") == Approx(0.48).margin(0.005));
}

TEST_CASE("curriculum, Amdahl, Gustafson, launch overhead: 99 against 16,727; 1.0 to 1.6 ms at 8 us") {
    const json scaling = modelled("scaling", {{"gpu", "h100"}, {"serial", "0.01"}});
    CHECK(scaling.at("amdahl").get<double>() == Approx(99).margin(0.5));
    CHECK(scaling.at("gustafson").get<double>() == Approx(16727).margin(0.5));
    const auto step = [](const char* kernels) {
        return modelled("launch", {{"gpu", "h100"}, {"kernels-per-layer", kernels}, {"overhead-us", "8"}});
    };
    CHECK(step("12").at("work_s").get<double>() == Approx(0.75e-3).margin(0.005e-3));
    CHECK(step("8").at("overlapped_s").get<double>() == Approx(1.0e-3).margin(0.05e-3));
    CHECK(step("12").at("overlapped_s").get<double>() == Approx(1.6e-3).margin(0.05e-3));
}

TEST_CASE("kernels of the foundations are right, and find nothing, at odd sizes") {
    struct Case {
        const char* kernel;
        catalog::Overrides parameters;
    };
    std::vector<Case> cases{
        {"bias_add", {{"M", 1}, {"N", 1}}},
        {"bias_add", {{"M", 33}, {"N", 129}, {"BX", 7}, {"BY", 5}}},
        {"bias_add_swapped", {{"M", 129}, {"N", 33}, {"BX", 32}, {"BY", 1}}},
        {"grid_stride", {{"n", 1}, {"GRID", 3}}},
        {"grid_stride", {{"n", 1001}, {"GRID", 3}, {"BLOCK", 33}}},
        {"global_access", {{"WIDTH", 2}, {"STRIDE", 7}, {"OFFSET", 5}, {"FLIP", 9}}},
        {"global_access", {{"WIDTH", 16}, {"STRIDE", 3}, {"OFFSET", 1}, {"FLIP", 16}}},
        {"shared_stride", {{"STRIDE", 72}}},
        {"shared_column", {{"COLUMNS", 8}, {"COLUMN", 7}}},
        {"reverse", {{"BLOCK", 32}, {"BLOCKS", 3}}},
        {"reverse", {{"BLOCK", 1024}, {"BLOCKS", 2}}},
        {"chains", {{"CHAINS", 8}, {"STEPS", 0}}},
        {"chains", {{"CHAINS", 4}, {"BLOCK", 33}, {"GRID", 3}}},
        {"pointer_chase", {{"BLOCK", 33}, {"STEPS", 0}}},
        {"pointer_chase", {{"BLOCK", 32}, {"STEPS", 100}, {"STRIDE", 7}, {"n", 64}}},
        {"copy_in_flight", {{"WIDTH", 16}, {"ITEMS", 4}, {"n", 1001}}},
        {"copy_in_flight", {{"WIDTH", 8}, {"ITEMS", 2}, {"BLOCK", 33}, {"n", 1}}},
        {"branch_loop", {{"PERIOD", 32}, {"BLOCK", 33}, {"n", 1001}}},
    };
    for (const char* kernel : {"branch_parity", "branch_warp", "branch_nested"}) {
        cases.push_back({kernel, {{"BLOCK", 33}, {"n", 1001}, {"STEPS", 3}}});
        cases.push_back({kernel, {{"STEPS", 0}, {"n", 1}}});
    }
    for (const char* kernel :
         {"transpose_copy", "transpose_naive", "transpose_tiled", "transpose_padded"})
        for (const auto& [m, n] : {std::pair{1, 1}, {100, 70}, {31, 65}, {1, 200}})
            cases.push_back({kernel, {{"M", m}, {"N", n}}});
    for (int version = 1; version <= 5; ++version)
        for (const auto& [block, n] : {std::pair{64, 1}, {256, 1000}, {1024, 3333}, {128, 256}}) {
            static const std::string kNames[] = {"reduce_1", "reduce_2", "reduce_3", "reduce_4",
                                                 "reduce_5"};
            cases.push_back({kNames[version - 1].c_str(), {{"BLOCK", block}, {"n", n}}});
        }
    for (const Case& one : cases) {
        std::string name = one.kernel;
        for (const auto& [parameter, value] : one.parameters)
            name += " " + parameter + "=" + std::to_string(value);
        INFO(name);
        const json& report = reportOf(one.kernel, one.parameters);
        CHECK(isRight(report));
        CHECK(report.at("findings").empty());
    }
}
