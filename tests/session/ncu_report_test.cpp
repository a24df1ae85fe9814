// SPDX-License-Identifier: GPL-3.0-or-later
// What Nsight Compute prints as CSV, in its forms and as people save it (tests/data/ncu).
#include <catch2/catch.hpp>

#include "engine/session/ncu_report.h"

using namespace lanescope;
using namespace lanescope::session;

namespace {

NcuReport fileNamed(const std::string& name) {
    const auto report = readNcuCsv(std::string(LANESCOPE_TEST_DATA) + "/ncu/" + name);
    INFO((report ? std::string() : toString(report.error())));
    REQUIRE(report);
    return *report;
}

NcuReport parsed(const std::string& text) {
    const auto report = parseNcuCsv(text, "some.csv");
    INFO((report ? std::string() : toString(report.error())));
    REQUIRE(report);
    return *report;
}

/// One launch with one metric.
NcuValue valueOf(const std::string& unit, const std::string& value, const std::string& more = {}) {
    const NcuReport report = parsed("\"ID\",\"Kernel Name\",\"x__m.sum\",\"x__other\"\n\"\",\"\",\"" + unit + "\",\"\"\n\"0\",\"k\",\"" + value + "\",\"" + more + "\"\n");
    REQUIRE(report.launches[0].metrics.contains("x__m.sum"));
    return report.launches[0].metrics.at("x__m.sum");
}

void checkRefused(const std::string& text, const std::string& what) {
    const auto report = parseNcuCsv(text, "some.csv");
    REQUIRE_FALSE(report);
    REQUIRE(report.error().size() == 1);
    CHECK(report.error()[0].code == "ncu");
    CHECK(report.error()[0].where.file == "some.csv");
    CHECK_THAT(report.error()[0].message, Catch::Contains(what));
    CHECK_THAT(report.error()[0].hint, Catch::Contains("--csv --page raw"));
}

} // namespace

TEST_CASE("a row a launch, with what a terminal shows around it") {
    const NcuReport report = fileNamed("raw.csv");
    REQUIRE(report.launches.size() == 3);
    const NcuLaunch& l = report.launches[1];
    CHECK(l.id == "1");
    CHECK(l.function == "k01_naive");
    CHECK(l.grid == Dim3{2, 2, 1});
    CHECK(l.block == Dim3{32, 32, 1});
    CHECK(l.capability == "9.0");
    CHECK(l.metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum").value == 270336);
    CHECK(l.metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum").resolution == 0);
    CHECK(l.metrics.at("gpu__time_duration.sum").value == Approx(8.192e-6));
    CHECK(l.metrics.at("gpu__time_duration.sum").unit == "s");
    CHECK(l.metrics.at("dram__bytes_read.sum").value == Approx(33536));
    CHECK(l.metrics.at("dram__bytes_read.sum").unit == "byte");
    CHECK(l.metrics.at("launch__shared_mem_per_block_allocated").value == Approx(1024));
    CHECK(l.metrics.at("launch__shared_mem_per_block_allocated").unit == "byte/block");
    CHECK(l.metrics.at("launch__waves_per_multiprocessor").resolution == Approx(0.5e-6));
    CHECK_FALSE(l.metrics.contains("device__attribute_display_name"));
    CHECK_FALSE(l.metrics.contains("launch__func_cache_config"));
    CHECK(report.launches[0].metrics.at("smsp__inst_executed.avg").value == Approx(4716.606061));
    CHECK(report.launches[2].function == "reduce_rows");
    CHECK_FALSE(report.launches[2].metrics.contains("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")); // n/a
}

TEST_CASE("a row a metric, with decimal commas, semicolons, rules of several lines and a byte order mark") {
    const NcuReport report = fileNamed("details_de.csv");
    REQUIRE(report.launches.size() == 1);
    const NcuLaunch& l = report.launches[0];
    CHECK(l.grid == Dim3{2, 2, 1});
    CHECK(l.metrics.at("gpu__time_duration.sum").value == Approx(8.19e-6));
    CHECK(l.metrics.at("gpu__time_duration.sum").resolution == Approx(0.005e-6));
    CHECK(l.metrics.at("launch__registers_per_thread").value == 32);
    CHECK(l.metrics.at("sm__warps_active.avg.pct_of_peak_sustained_active").value == Approx(48.97));
    CHECK(l.metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum").value == 270336);
    CHECK(l.metrics.at("smsp__inst_executed_op_global_ld.sum").value == 1016384);
    CHECK(l.metrics.at("dram__bytes_read.sum").value == Approx(33540));
    CHECK(l.metrics.at("SM Frequency").value == Approx(1.73e9));
}

TEST_CASE("numbers in the formats of several countries") {
    CHECK(valueOf("", "1,234,567").value == 1234567);
    CHECK(valueOf("", "1.234.567").value == 1234567);
    CHECK(valueOf("", "1,234.5").value == 1234.5);
    CHECK(valueOf("", "1.234,5").value == 1234.5);
    CHECK(valueOf("", "1'234'567.25").value == 1234567.25);
    CHECK(valueOf("", "1 234 567").value == 1234567);
    CHECK(valueOf("", "1\xc2\xa0" "234\xe2\x80\xaf" "567").value == 1234567);
    CHECK(valueOf("", "0.125").value == 0.125);
    CHECK(valueOf("", "0,125").value == 0.125);
    CHECK(valueOf("", "12.5").resolution == Approx(0.05));
    CHECK(valueOf("", "-3").value == -3);
    CHECK(valueOf("", "1.5e+06").value == 1.5e6);
    // What one number leaves open another of the file decides.
    CHECK(valueOf("", "1,234").value == 1234);
    CHECK(valueOf("", "1,234", "0,5").value == 1.234);
    CHECK(valueOf("", "1.234", "2.000.000").value == 1234);
    // Values by instance stand in brackets behind the sum.
    CHECK(valueOf("", "40 (1: 20, 2: 20)").value == 40);
}

TEST_CASE("units are scaled as ncu scales them, by thousands") {
    CHECK(valueOf("Kbyte", "1.5").value == 1500);
    CHECK(valueOf("Mbyte", "2").value == 2e6);
    CHECK(valueOf("Mbyte", "2").resolution == 0.5e6);
    CHECK(valueOf("Gbyte/s", "3.35").value == Approx(3.35e9));
    CHECK(valueOf("Gbyte/s", "3.35").unit == "byte/s");
    for (const char* unit : {"us", "usecond"}) {
        CHECK(valueOf(unit, "8").value == Approx(8e-6));
        CHECK(valueOf(unit, "8").unit == "s");
    }
    CHECK(valueOf("nsecond", "8").value == Approx(8e-9));
    CHECK(valueOf("msecond", "8").value == Approx(8e-3));
    CHECK(valueOf("Ghz", "1.98").value == Approx(1.98e9));
    CHECK(valueOf("sector", "8").value == 8); // no prefix
    CHECK(valueOf("Msector", "8").value == 8e6);
    CHECK(valueOf("register/thread", "32").unit == "register/thread");
    CHECK(valueOf("%", "50").value == 50);
}

TEST_CASE("names of kernels as ncu prints them") {
    CHECK(bareFunctionName("k01_naive(int, int, const float *)") == "k01_naive");
    CHECK(bareFunctionName("k01_naive") == "k01_naive");
    CHECK(bareFunctionName("_Z8mm_naivei") == "mm_naive");
    CHECK(bareFunctionName("void mm<(int)32, (bool)1>(const T1 *, std::pair<int, int>)") == "mm");
    CHECK(bareFunctionName("void a::b::mm<float>(T1 *)") == "mm");
    CHECK(bareFunctionName("void <unnamed>::f(int)") == "f");
    CHECK(bareFunctionName("void (anonymous namespace)::f<int>(T1)") == "f");
    CHECK(bareFunctionName("std::enable_if<true, void>::type ns::f<int>(T1)") == "f");
}

TEST_CASE("launches are chosen by number, else by name, grid and block") {
    const NcuReport report = fileNamed("raw.csv");
    const auto idOf = [&](const std::string& function, Dim3 grid, const std::string& id = {}) {
        const auto launch = chooseLaunch(report, function, grid, {32, 32, 1}, id);
        REQUIRE(launch);
        return (*launch)->id;
    };
    CHECK(idOf("k01_naive", {8, 8, 1}) == "0");
    CHECK(idOf("k01_naive", {2, 2, 1}) == "1");
    CHECK(idOf("k01_naive", {5, 5, 1}) == "0"); // the first, whose grid is another
    CHECK(idOf("k01_naive", {8, 8, 1}, "1") == "1");
    CHECK(idOf("k02_coalesced", {8, 8, 1}, "2") == "2");
    for (const auto& wrong : {chooseLaunch(report, "k02_coalesced", {8, 8, 1}, {}), chooseLaunch(report, "k01_naive", {8, 8, 1}, {}, "7")}) {
        REQUIRE_FALSE(wrong);
        CHECK_THAT(wrong.error()[0].hint, Catch::Contains("1 k01_naive (2 x 2 x 1 blocks of 32 x 32 x 1), 2 reduce_rows"));
    }
}

TEST_CASE("extents from metrics where there are no columns for them") {
    const NcuReport report = parsed("Kernel Name,launch__grid_dim_x,launch__grid_dim_y,launch__grid_dim_z,launch__block_dim_x,launch__block_dim_y,launch__block_dim_z\nk,8,4,1,256,1,1\n");
    CHECK(report.launches[0].grid == Dim3{8, 4, 1});
    CHECK(report.launches[0].block == Dim3{256, 1, 1});
}

TEST_CASE("files that are something else are refused in one line") {
    checkRefused("", "is empty");
    checkRefused("\xef\xbb\xbf \n", "is empty");
    checkRefused("a,b,c\n1,2,3\n", "no line has a column \"Kernel Name\"");
    checkRefused("{\"points\": []}", "no line has a column");
    checkRefused(std::string("NVR\0\1\2", 6), "not its CSV");
    checkRefused("\"ID\",\"Kernel Name\",\"x__m\"\n", "no launch of a kernel");
    checkRefused("\"ID\",\"Kernel Name\",\"x__m\"\n\"\",\"\",\"inst\"\n", "no launch of a kernel");
    checkRefused("\"ID\",\"Kernel Name\",\"x__m\"\n\"0\",\"k\",\"n/a\"\n", "no launch has a metric");
    checkRefused("\"ID\",\"Kernel Name\",\"x__m\"\n\"0\",\"k\",\"12", "no launch of a kernel"); // cut off: 12 may have been 123
    const auto denied = readNcuCsv(std::string(LANESCOPE_TEST_DATA) + "/ncu/no_permission.csv");
    REQUIRE_FALSE(denied);
    CHECK_THAT(denied.error()[0].message, Catch::Contains("ncu measured nothing: ERR_NVGPUCTRPERM"));
    CHECK_FALSE(readNcuCsv("/nonexistent.csv"));
}

TEST_CASE("whatever the bytes, a CSV is read or refused") {
    const std::string whole = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"x__m.sum\"\n\"\",\"\",\"\",\"\",\"Kbyte\"\n\"0\",\"k<1>(int)\",\"(99999999999, 1, 1)\",\"(1, 1)\",\"1,2.3.4e9999\"\n";
    for (std::size_t cut = 0; cut <= whole.size(); ++cut)
        for (const char* end : {"", "\"", "\0\xff", ",,,\n", "e+", "\xc2"}) {
            const auto report = parseNcuCsv(whole.substr(0, cut) + end, "x.csv");
            CHECK((report ? !report->launches.empty() : report.error().size() == 1));
        }
}
