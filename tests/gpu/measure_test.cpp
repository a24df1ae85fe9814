// SPDX-License-Identifier: GPL-3.0-or-later
// `lanescope sweep --run` and `ladder --run` with stand-ins for the driver and for cuBLAS: two events are half a millisecond apart, so four launches are timed between them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.h"

using namespace lanescope;
using nlohmann::json;

namespace {

struct Stand {
    std::string cuda, cublas; ///< what goes wrong
};

test::ProgramRun run(const std::vector<std::string>& arguments, const test::TemporaryFolder& scratch, const Stand& stand = {}) {
    const std::string libraries = std::string(LANESCOPE_FAKE_DRIVER) + ":" + LANESCOPE_FAKE_CUBLAS;
    return test::runProgram(arguments, test::environmentWith({{"LD_LIBRARY_PATH", libraries}, {"FAKE_CUDA", stand.cuda}, {"FAKE_CUBLAS", stand.cublas}}, scratch.path()), scratch.path(),
                            scratch.path());
}

json jsonOf(const test::ProgramRun& run) {
    INFO(run.err);
    REQUIRE(run.status == 0);
    return json::parse(run.out);
}

json fileOf(const std::filesystem::path& path) {
    std::ifstream file(path);
    REQUIRE(file);
    return json::parse(file);
}

void checkRefused(const test::ProgramRun& run, const std::string& what) {
    INFO(run.err);
    CHECK(run.status == 1);
    CHECK_THAT(run.err, Catch::StartsWith("lanescope: ") && Catch::Contains(what));
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
}

const json* rungOf(const json& ladder, const std::string& kernel) {
    for (const json& rung : ladder["rungs"])
        if (rung["kernel"] == kernel)
            return &rung;
    return nullptr;
}

} // namespace

TEST_CASE("a sweep is measured point by point, saved, and read again without a GPU", "[measure]") {
    const test::TemporaryFolder scratch;
    const std::vector<std::string> sweep{"sweep", "k01_naive", "--over", "BX=16,32,2048", "--over", "BY=8,16", "-D", "M=32", "-D", "N=32", "-D", "K=32"};
    std::vector<std::string> measure = sweep;
    measure.insert(measure.end(), {"--run", "--save", "points.json", "--json"});
    const json report = jsonOf(run(measure, scratch));
    CHECK(report["gpu"] == "h200"); // of the machine, since no other was asked for
    CHECK(report["kind"] == "modelled and measured");
    REQUIRE(report["points"].size() == 6);
    for (std::size_t i = 0; i < 4; ++i) {
        const json& point = report["points"][i];
        INFO(point.dump());
        CHECK(point["measured_time_s"].get<double>() == Approx(0.125e-3));
        CHECK(point["measured_flops_per_s"].get<double>() == Approx(2.0 * 32 * 32 * 32 / 0.125e-3));
        CHECK(point["model_error"].get<double>() == Approx(point["flops_per_s"].get<double>() / point["measured_flops_per_s"].get<double>() - 1));
        CHECK(point["driver_registers"] == 12);
        CHECK(point["driver_blocks_per_sm"] == 8);
    }
    CHECK(report["points"][5]["possible"] == false); // 2048 threads in a row
    CHECK_FALSE(report["points"][5].contains("measured_time_s"));
    const json saved = fileOf(scratch.path() / "points.json");
    CHECK(saved["gpu"] == "h200");
    REQUIRE(saved["points"].size() == 4);
    CHECK(saved["points"][0]["parameters"] == json{{"BX", 16}, {"BY", 8}, {"M", 32}, {"N", 32}, {"K", 32}});

    std::vector<std::string> again = sweep;
    again.insert(again.end(), {"--measured", "points.json", "--json"});
    CHECK(jsonOf(run(again, scratch, {"no_gpu", {}}))["points"] == report["points"]);
    SECTION("as a table, and as text") {
        again.back() = "--csv";
        const test::ProgramRun csv = run(again, scratch);
        CHECK_THAT(csv.out, Catch::Contains("measured_flops_per_s,measured_time_s,model_error,driver_registers,bottleneck"));
        again.pop_back();
        CHECK_THAT(run(again, scratch).out, Catch::Contains("modelled and measured") && Catch::Contains("measured     0.00, model"));
    }
    SECTION("points of another size are none of this sweep") {
        again[7] = "M=64";
        checkRefused(run(again, scratch), "no point is of this sweep");
    }
    SECTION("nor are those of another GPU") {
        again.insert(again.end(), {"--gpu", "a100"});
        const test::ProgramRun refused = run(again, scratch);
        CHECK(refused.status == 1);
        CHECK_THAT(refused.err, Catch::Contains("measured on \"h200\", a100 is modelled"));
    }
}

TEST_CASE("points that cannot be measured say why, and the others are kept", "[measure]") {
    const test::TemporaryFolder scratch;
    const std::vector<std::string> sweep{"sweep", "k01_naive", "--over", "BX=16,32", "-D", "M=32", "-D", "N=32", "-D", "K=32", "--run", "--time-limit", "1", "--json"};
    for (const auto& [mode, what] : {std::pair{"fault", "an illegal memory access"}, std::pair{"hang", "did not end within 1 s"}, std::pair{"die", "died"}, std::pair{"memory", "no room for"}}) {
        const json report = jsonOf(run(sweep, scratch, {mode, {}}));
        INFO(mode);
        CHECK_THAT(report["points"][0]["measure_problem"].get<std::string>(), Catch::Contains(what));
        CHECK_FALSE(report["points"][0].contains("measured_time_s"));
        CHECK(report["points"][0]["flops_per_s"].get<double>() > 0);
    }
    // The stand-in leaves the results of other kernels as they were.
    const json wrong = jsonOf(run({"sweep", "k02_coalesced", "--over", "BS=16", "-D", "M=32", "-D", "N=32", "-D", "K=32", "--run", "--json"}, scratch));
    CHECK_THAT(wrong["points"][0]["measure_problem"].get<std::string>(), Catch::Contains("not the reference's"));
    checkRefused(run({"sweep", "k01_naive", "--over", "BX=16", "--run"}, scratch, {"no_gpu", {}}), "finds no GPU");
    checkRefused(run({"sweep", "k01_naive", "--over", "BX=16", "--run", "--gpu", "a100"}, scratch), "this machine's GPU is h200, not a100");
    checkRefused(run({"sweep", "k01_naive", "--over", "BX=16", "--save", "x.json"}, scratch), "add --run");
    checkRefused(run({"sweep", "k01_naive", "--over", "BX=16", "--run", "--repeats", "many"}, scratch), "--repeats 'many'");
}

TEST_CASE("progress is a line a point where it is asked for", "[measure]") {
    const test::TemporaryFolder scratch;
    const test::ProgramRun ran = run({"sweep", "k01_naive", "--over", "BX=16,32", "-D", "M=32", "-D", "N=32", "-D", "K=32", "--run", "--progress"}, scratch);
    CHECK_THAT(ran.err, Catch::Contains("modelled 2 of 2\n") && Catch::Contains("measured 0 of 2\nmeasured 1 of 2\nmeasured 2 of 2\n"));
}

TEST_CASE("a ladder is measured rung by rung with cuBLAS above it", "[measure]") {
    const test::TemporaryFolder scratch;
    const std::vector<std::string> ladder{"ladder", "-D", "M=64", "-D", "N=64", "-D", "K=64"};
    std::vector<std::string> measure = ladder;
    measure.insert(measure.end(), {"--run", "--save", "points.json", "--json"});
    const double rate = 2.0 * 64 * 64 * 64 / 0.125e-3;
    const test::ProgramRun ran = run(measure, scratch);
    const json report = jsonOf(ran);
    CHECK(report["gpu"] == "h200");
    CHECK(report["best"]["flops_per_s"].get<double>() == Approx(rate));
    REQUIRE(rungOf(report, "k01_naive") != nullptr);
    CHECK((*rungOf(report, "k01_naive"))["measured_flops_per_s"].get<double>() == Approx(rate));
    CHECK((*rungOf(report, "k01_naive"))["error"].get<double>() == Approx((*rungOf(report, "k01_naive"))["modelled_flops_per_s"].get<double>() / rate - 1));
    // The stand-in does not compute k02: it keeps the table's figure, and why is said.
    CHECK((*rungOf(report, "k02_coalesced"))["measured_flops_per_s"].get<double>() > 6e12);
    CHECK_THAT(ran.err, Catch::Contains("coalesced is not measured: the result on the GPU is not the reference's"));
    CHECK_THAT(report["source"].get<std::string>(), Catch::StartsWith("4 of 11 rungs measured by lanescope; the others: measured on one H200"));
    const json saved = fileOf(scratch.path() / "points.json");
    CHECK(std::any_of(saved["points"].begin(), saved["points"].end(), [](const json& p) { return p["kernel"] == "cublas_sgemm" && p["parameters"] == json{{"M", 64}, {"N", 64}, {"K", 64}}; }));
    std::vector<std::string> again = ladder;
    again.insert(again.end(), {"--measured", "points.json", "--json"});
    CHECK(jsonOf(run(again, scratch, {"no_gpu", {}}))["rungs"] == report["rungs"]);
    again.pop_back();
    CHECK_THAT(run(again, scratch).out, Catch::Contains("cuBLAS (FP32, no TF32)"));
    // Points of the H200 say nothing of another GPU.
    again.insert(again.end(), {"--gpu", "a100"});
    checkRefused(run(again, scratch), "measured on \"h200\", the ladder is of a100");
    checkRefused(run({"ladder", "--gpu", "a100"}, scratch), "no ladder was measured on");
    checkRefused(run({"ladder", "climb"}, scratch), "there is no ladder 'climb' (there are sgemm, tensor, tensor-bf16)");
}

TEST_CASE("when cuBLAS fails only its bar is missing", "[measure]") {
    const test::TemporaryFolder scratch;
    const std::vector<std::string> ladder{"ladder", "tensor", "-D", "M=128", "-D", "N=128", "-D", "K=128", "--run", "--save", "points.json", "--json"};
    const auto hasBest = [](const json& report) { return report["best"]["flops_per_s"].is_number(); };
    const json whole = jsonOf(run(ladder, scratch));
    CHECK(hasBest(whole)); // f16 with sums in f32
    CHECK((*rungOf(whole, "t1_wmma"))["measured_flops_per_s"].is_number());
    CHECK((*rungOf(whole, "t1_wmma"))["agreement"] != "not_measured");
    CHECK((*rungOf(whole, "t5_wgmma"))["measured_flops_per_s"].is_null()); // the stand-in makes no tensor maps
    CHECK((*rungOf(whole, "t5_wgmma"))["agreement"] == "not_measured");
    const json bfloat = jsonOf(run({"ladder", "tensor-bf16", "-D", "M=128", "-D", "N=128", "-D", "K=128", "--run", "--json"}, scratch));
    CHECK(hasBest(bfloat));
    CHECK(bfloat["best"]["name"] == "cuBLAS (bf16, f32 sums)");
    CHECK(bfloat["rungs"][0]["kernel"] == "t11_frugal_bf16");
    for (const auto& [mode, what] : {std::pair{"refuses", "cannot be started"}, std::pair{"wrong", "cuBLAS gives"}}) {
        const test::ProgramRun ran = run(ladder, scratch, {{}, mode});
        INFO(mode << ran.err);
        const json report = jsonOf(ran);
        CHECK_FALSE(hasBest(report));
        CHECK((*rungOf(report, "t1_wmma"))["measured_flops_per_s"].is_number());
        CHECK_THAT(ran.err, Catch::Contains("cuBLAS (f16, f32 sums) is not measured") && Catch::Contains(what));
    }
}

TEST_CASE("the record of every kernel is written whole, by a machine with a GPU only", "[measure]") {
    const test::TemporaryFolder scratch;
    const test::ProgramRun wrote = run({"fidelity", "--out", "README.md", "--progress"}, scratch);
    INFO(wrote.err);
    REQUIRE(wrote.status == 0);
    std::ifstream file(scratch.path() / "README.md");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const json kernels = jsonOf(run({"kernels", "--json"}, scratch))["kernels"];
    REQUIRE(kernels.size() > 40);
    const std::size_t table = text.find("## On a GPU");
    REQUIRE(table != std::string::npos);
    for (const json& kernel : kernels) {
        const std::string id = kernel["id"];
        INFO(id);
        CHECK(text.find("\n| " + id + " |", table) != std::string::npos);
        CHECK(text.find("[" + id + "](") < table);
    }
    CHECK_THAT(text, Catch::Contains("| k01_naive | equal within its rule | equal, 12288 elements |"));
    CHECK_THAT(text, Catch::Contains("| 12 (32 modelled) | 8 (2 modelled) |\n")); // the driver's figures are the stand-in's
    CHECK_THAT(text, Catch::Contains("| k02_coalesced | DIFFERS | 4096 of 12288 elements differ")); // the stand-in does not compute it
    CHECK_THAT(text, Catch::Contains("Without an explanation differ: "));
    CHECK_THAT(text, Catch::Contains("| t5_wgmma | did not run: this driver makes no tensor maps |"));
    CHECK_THAT(wrote.err, Catch::Contains("compared 1 of " + std::to_string(kernels.size())));
    // The upper part is made again without a GPU; what a GPU said stays.
    REQUIRE(run({"kernels", "--markdown", "README.md"}, scratch, {"no_gpu", {}}).status == 0);
    std::ifstream again(scratch.path() / "README.md");
    CHECK(std::string((std::istreambuf_iterator<char>(again)), {}) == text);
    checkRefused(run({"fidelity", "--out", "x.md"}, scratch, {"no_gpu", {}}), "finds no GPU");
    CHECK_FALSE(std::filesystem::exists(scratch.path() / "x.md"));
}

TEST_CASE("this machine's GPU is named as its driver names it", "[measure]") {
    const test::TemporaryFolder scratch;
    const json here = jsonOf(run({"devices", "--here", "--json"}, scratch));
    CHECK(here["id"] == "h200");
    CHECK(here["name"] == "NVIDIA H200");
    CHECK(here["driver_cuda"] == "12.4");
    checkRefused(run({"devices", "--here"}, scratch, {"no_gpu", {}}), "finds no GPU");
}

TEST_CASE("a measured point above its roof is explained", "[measure]") {
    const test::TemporaryFolder scratch;
    const auto rooflineOf = [&](double seconds) {
        std::ofstream(scratch.path() / "points.json") << json{{"gpu", "h200"}, {"points", {{{"kernel", "k01_naive"}, {"time_s", seconds}}}}};
        return jsonOf(run({"roofline", "k01_naive", "--gpu", "h200", "--measured", "points.json", "--json"}, scratch))["points"];
    };
    const json slow = rooflineOf(1);
    const double modelled = slow[0]["time_s"];
    CHECK_FALSE(slow[1].contains("note"));
    CHECK_FALSE(rooflineOf(modelled)[1].contains("note"));
    CHECK_THAT(rooflineOf(modelled / 2)[1]["note"].get<std::string>(), Catch::StartsWith("above the ") && Catch::Contains("ptxas merges"));
}
