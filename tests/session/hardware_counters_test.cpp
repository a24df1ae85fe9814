// SPDX-License-Identifier: GPL-3.0-or-later
// Our counts beside those of Nsight Compute (tests/data/ncu/raw.csv: k01_naive at M = N = K = 64 is its launch 1).
#include <catch2/catch.hpp>

#include <cstdlib>

#include <nlohmann/json.hpp>

#include "engine/session/hardware_counters.h"
#include "engine/session/session.h"

using namespace lanescope;
using namespace lanescope::session;
using nlohmann::json;

namespace {

constexpr const char* kSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";

HardwareSide sideOf(const std::string& kernel, const std::map<std::string, std::int64_t>& parameters = {}, const std::string& gpu = "h200") {
    SessionOptions options;
    options.environment = compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
    options.deviceId = gpu;
    Session session(options);
    const auto snapshot = session.openKernel(kernel, parameters);
    REQUIRE(snapshot->run);
    REQUIRE(snapshot->run->hardwareSide);
    return *snapshot->run->hardwareSide;
}

NcuReport rawFile() {
    const auto report = readNcuCsv(std::string(LANESCOPE_TEST_DATA) + "/ncu/raw.csv");
    REQUIRE(report);
    return *report;
}

NcuReport reportWith(const std::string& columns, const std::string& units, const std::string& values) {
    const auto report = parseNcuCsv("ID,Kernel Name,Block Size,Grid Size,CC," + columns + "\n,,,,," + units + "\n0,k01_naive,\"(32, 32, 1)\",\"(2, 2, 1)\",9.0," + values + "\n", "x.csv");
    REQUIRE(report);
    return *report;
}

HardwareComparison compared(const HardwareSide& side, const NcuReport& report, const std::string& id = {}) {
    const auto comparison = compareWithHardware(side, report, id);
    INFO((comparison ? std::string() : toString(comparison.error())));
    REQUIRE(comparison);
    return *comparison;
}

} // namespace

TEST_CASE("counters of the same launch are matched by name, equal ones said equal", "[hardware]") {
    const HardwareSide side = sideOf("k01_naive");
    const HardwareComparison c = compared(side, rawFile());
    CHECK(c.launchId == "1");
    CHECK(c.launches == 2);
    CHECK(c.notes.empty());
    for (const char* name : {kSectors, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "smsp__inst_executed_op_global_ld.sum",
                             "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "launch__registers_per_thread", "launch__occupancy_limit_warps",
                             "launch__waves_per_multiprocessor", "sm__maximum_warps_per_active_cycle_pct"}) {
        INFO(name);
        REQUIRE(c.find(name) != nullptr);
        CHECK(c.find(name)->hardware);
        CHECK(c.find(name)->isEqual);
        CHECK(c.find(name)->from.empty());
        CHECK(c.find(name)->remark.empty());
    }
    CHECK(c.find(kSectors)->hardware == 270336);
    // Counted by SM there, by its partitions here.
    const HardwareFigure& fma = *c.find("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum");
    CHECK(fma.isEqual);
    CHECK(fma.from == "sm__sass_thread_inst_executed_op_ffma_pred_on.sum");
    // Only the average by partition is there.
    const HardwareFigure& instructions = *c.find("smsp__inst_executed.sum");
    CHECK(instructions.from == "smsp__inst_executed.avg of 528");
    CHECK(*instructions.hardware == Approx(80.242424 * 528));
    CHECK_FALSE(instructions.isEqual);
    CHECK_THAT(instructions.remark, Catch::Contains("what ptxas makes of them"));
    CHECK(instructions.difference() == Approx(instructions.ours.value - 80.242424 * 528));
    // A time and an occupancy are models, theirs are measured.
    CHECK(c.find("gpu__time_duration.sum")->ours.kind == NamedMetric::Kind::Modelled);
    CHECK(*c.find("gpu__time_duration.sum")->hardware == Approx(8.192e-6));
    CHECK(*c.find("sm__warps_active.avg.pct_of_peak_sustained_active")->hardware == Approx(48.973311));
    CHECK(c.equal + c.different + c.missing == c.figures.size());
    CHECK(c.missing > 10); // most of our metrics are not in that file
    CHECK(c.others == 3);  // SMs, shared memory allocated, bytes of DRAM
}

TEST_CASE("what differs without a reason comes first, what the file lacks last", "[hardware]") {
    const HardwareSide side = sideOf("k01_naive");
    const HardwareComparison c = compared(side, reportWith(std::string("smsp__inst_executed.sum,") + kSectors + ",l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                                           "inst,sector,request,sector", "999999,270337,16384,4000"));
    REQUIRE(c.figures.size() > 4);
    CHECK(c.figures[0].ours.id == "global_store_sectors"); // 2.4 per cent
    CHECK(c.figures[0].remark.empty());
    CHECK(*c.figures[0].relative() == Approx(96.0 / 4000));
    CHECK(c.figures[1].ours.id == "global_load_sectors"); // one of 270,337
    CHECK(c.figures[1].difference() == -1);
    CHECK_FALSE(c.figures[1].isEqual);
    CHECK(c.figures[2].ours.id == "warp_instructions");
    CHECK_FALSE(c.figures[2].remark.empty());
    CHECK(c.figures[3].isEqual);
    CHECK_FALSE(c.figures[4].hardware);
    CHECK_FALSE(c.figures[4].relative());
}

TEST_CASE("a zero of the hardware has a difference and no per cent", "[hardware]") {
    const HardwareComparison c = compared(sideOf("k01_naive"), reportWith(kSectors, "sector", "0"));
    CHECK(c.figures[0].difference() == 270336);
    CHECK_FALSE(c.figures[0].relative());
    CHECK_THAT(toText(c), Catch::Contains("270,336"));
}

TEST_CASE("equal means equal to the last digit that ncu prints", "[hardware]") {
    const HardwareSide side = sideOf("k01_naive");
    const auto isEqual = [&](const std::string& unit, const std::string& value) { return compared(side, reportWith(kSectors, unit, value)).find(kSectors)->isEqual; };
    CHECK(isEqual("sector", "270336"));
    CHECK_FALSE(isEqual("sector", "270335"));
    CHECK(isEqual("Ksector", "270.3"));
    CHECK_FALSE(isEqual("Ksector", "270.4"));
}

TEST_CASE("launches that are not the same are said so", "[hardware]") {
    SECTION("another size") {
        const HardwareComparison c = compared(sideOf("k01_naive", {{"M", 96}, {"N", 64}, {"K", 64}}), rawFile());
        REQUIRE(c.notes.size() == 1);
        CHECK_THAT(c.notes[0], Catch::Contains("8 x 8 x 1 blocks of 32 x 32 x 1") && Catch::Contains("ours are 3 x 2 x 1") && Catch::Contains("different launches"));
    }
    SECTION("another kernel, by number only") {
        CHECK_FALSE(compareWithHardware(sideOf("k02_coalesced"), rawFile()));
        const HardwareComparison c = compared(sideOf("k02_coalesced"), rawFile(), "1");
        CHECK_THAT(c.notes.at(0), Catch::Contains("the hardware ran k01_naive, not k02_coalesced"));
    }
    SECTION("another GPU") {
        const HardwareComparison c = compared(sideOf("k01_naive", {}, "rtx-a6000"), rawFile());
        REQUIRE(c.notes.size() == 1);
        CHECK_THAT(c.notes[0], Catch::Contains("measured on compute capability 9.0, simulated for 8.6"));
    }
    SECTION("sampled") {
        HardwareSide side = sideOf("k01_naive");
        side.launch.isScaled = true;
        side.launch.blocksSimulated = 3;
        CHECK_THAT(compared(side, rawFile()).notes.at(0), Catch::Contains("scaled from 3 of 4 blocks"));
        side.launch.isExact = false;
        CHECK_THAT(compared(side, rawFile()).notes.at(0), Catch::Contains("an estimate"));
        side.launch.isScaled = false;
        CHECK_THAT(compared(side, rawFile()).notes.at(0), Catch::Contains("of 3 of 4 blocks"));
        side.launch.isFinished = false;
        CHECK_THAT(compared(side, rawFile()).notes.at(0), Catch::Contains("stopped"));
    }
}

TEST_CASE("shared accesses of PTX as written may be merged by ptxas, as compiled they are the hardware's", "[hardware]") {
    HardwareSide side = sideOf("k03_shared");
    NcuReport report = reportWith("smsp__inst_executed_op_shared_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "inst,", "1,2");
    report.launches[0].function = "k03_shared";
    CHECK_THAT(compared(side, report).figures[0].remark, Catch::Contains("as compiled"));
    side.launch.isAsWritten = false;
    CHECK(compared(side, report).figures[0].remark.empty());
    CHECK(compared(side, report).figures[1].remark.empty());
}

TEST_CASE("the comparison as JSON and as text", "[hardware]") {
    const HardwareComparison c = compared(sideOf("k01_naive"), rawFile());
    const json report = json::parse(toJson(c));
    CHECK(report["launch"] == "1");
    CHECK(report["grid"] == json::array({2, 2, 1}));
    CHECK(report["equal"] == c.equal);
    const auto& figures = report["figures"];
    const auto sectors = std::find_if(figures.begin(), figures.end(), [](const json& f) { return f["metric"] == kSectors; });
    REQUIRE(sectors != figures.end());
    CHECK((*sectors)["ours"] == 270336);
    CHECK((*sectors)["hardware"] == 270336);
    CHECK((*sectors)["difference"] == 0);
    CHECK((*sectors)["relative"] == 0);
    CHECK((*sectors)["equal"] == true);
    CHECK(figures.back()["hardware"].is_null());
    CHECK_THAT(toText(c), Catch::Contains("launch 1 of k01_naive(int") && Catch::Contains("(2 launches of it)") && Catch::Contains("equal"));
}

TEST_CASE("metrics under Nsight Compute's names are those of the report, each once", "[hardware]") {
    const HardwareSide side = sideOf("k01_naive");
    std::map<std::string, int> times;
    for (const NamedMetric& m : side.metrics) {
        CHECK(++times[m.ncuName] == 1);
        CHECK_FALSE(m.label.empty());
        CHECK_FALSE(m.help.empty());
    }
    CHECK(times.contains("launch__registers_per_thread"));
}

TEST_CASE("figures are printed whole", "[hardware]") {
    CHECK(figureText(0) == "0");
    CHECK(figureText(999) == "999");
    CHECK(figureText(-1000) == "-1,000");
    CHECK(figureText(17301504) == "17,301,504");
    CHECK(figureText(0.242424) == "0.242424");
}

TEST_CASE("the CSV of a real run on an H200: the program's own output stands before the table", "[hardware]") {
    // Nsight Compute 2025.3, `ncu --csv --metrics ...` over `lanescope run k03_shared` at M = N = K = 256.
    const auto report = readNcuCsv(std::string(LANESCOPE_TEST_DATA) + "/ncu/h200_k03_shared.csv");
    REQUIRE(report);
    const HardwareComparison c = compared(sideOf("k03_shared", {{"M", 256}, {"N", 256}, {"K", 256}}), *report);
    CHECK(c.notes.empty());
    CHECK(c.equal == 33);
    CHECK(c.missing == 0);
    for (const char* name : {kSectors, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum", "smsp__inst_executed_op_shared_st.sum",
                             "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                             "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum"}) {
        INFO(name);
        const HardwareFigure* figure = c.find(name);
        REQUIRE(figure);
        CHECK(figure->isEqual);
    }
    // What differs says why.
    for (const HardwareFigure& figure : c.figures)
        if (figure.hardware && !figure.isEqual) {
            INFO(figure.ours.ncuName);
            CHECK_FALSE(figure.remark.empty());
        }
}
