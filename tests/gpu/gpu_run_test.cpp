// SPDX-License-Identifier: GPL-3.0-or-later
// `lanescope run` with a stand-in for the driver (tests/gpu/fake_driver.cpp), which fails in each way a driver can; without any driver; and
// on this machine's GPU where there is one.
#include <catch2/catch.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/compile/compile.h"
#include "tests/cli/run_program.h"

using namespace lanescope;
using nlohmann::json;

namespace {

bool hasDriver() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr)
        dlclose(library);
    return library != nullptr;
}

/// With the stand-in in the given mode.
test::ProgramRun runFake(const std::string& mode, const std::vector<std::string>& arguments, const test::TemporaryFolder& scratch) {
    return test::runProgram(arguments, test::environmentWith({{"LD_LIBRARY_PATH", LANESCOPE_FAKE_DRIVER}, {"FAKE_CUDA", mode}}, scratch.path()), scratch.path(), scratch.path());
}

void checkRefused(const std::string& mode, const std::string& what, std::vector<std::string> more = {}) {
    const test::TemporaryFolder scratch;
    std::vector<std::string> arguments = {"run", "vector_add"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const test::ProgramRun run = runFake(mode, arguments, scratch);
    INFO(mode << ": " << run.err);
    CHECK(run.status == 1);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, Catch::StartsWith("lanescope: ") && Catch::Contains(what));
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
}

} // namespace

TEST_CASE("a run is verified, compared, timed and set beside the model") {
    const test::TemporaryFolder scratch;
    const test::ProgramRun run = runFake("", {"run", "vector_add", "--compare", "--json", "--save", "points.json"}, scratch);
    INFO(run.err);
    REQUIRE(run.status == 0);
    const json report = json::parse(run.out);
    CHECK(report["gpu"] == "h200");
    CHECK(report["device"]["driver_cuda"] == "12.4");
    CHECK(report["kind"] == "measured");
    CHECK(report["verification"]["matches"] == true);
    CHECK(report["simulator"]["different"] == 0);
    CHECK(report["simulator"]["elements"] == 30000);
    CHECK(report["time"]["median_s"].get<double>() == Approx(0.125e-3));
    CHECK(report["function"]["registers_per_thread"] == 12);
    CHECK(report["points"][0]["flops_per_s"].get<double>() == Approx(10000 / 0.125e-3));
    CHECK(report["model"]["error"].get<double>() == Approx(report["model"]["time_s"].get<double>() / 0.125e-3 - 1));

    SECTION("the saved point is drawn beside the model") {
        const test::ProgramRun roofline = runFake("", {"roofline", "vector_add", "--gpu", "h200", "--measured", "points.json", "--json"}, scratch);
        INFO(roofline.err);
        REQUIRE(roofline.status == 0);
        CHECK_THAT(roofline.out, Catch::Contains("\"kind\": \"measured\""));
    }
    SECTION("a second run of the same kernel replaces it, one of other sizes does not") {
        REQUIRE(runFake("", {"run", "vector_add", "--save", "points.json"}, scratch).status == 0);
        REQUIRE(runFake("", {"run", "vector_add", "-D", "n=5000", "--save", "points.json"}, scratch).status == 0);
        std::ifstream file(scratch.path() / "points.json");
        CHECK(json::parse(file)["points"].size() == 2);
    }
    SECTION("a file of something else is left alone") {
        std::ofstream(scratch.path() / "other.json") << "{\"a\": 1}\n";
        const test::ProgramRun refused = runFake("", {"run", "vector_add", "--save", "other.json"}, scratch);
        CHECK(refused.status == 1);
        CHECK_THAT(refused.err, Catch::Contains("no measured points"));
        std::ifstream file(scratch.path() / "other.json");
        CHECK(json::parse(file) == json{{"a", 1}});
    }
}

TEST_CASE("a wrong result is said with its place") {
    const test::TemporaryFolder scratch;
    const test::ProgramRun run = runFake("wrong", {"run", "vector_add", "--compare", "--json"}, scratch);
    REQUIRE(run.status == 0);
    const json report = json::parse(run.out);
    CHECK(report["verification"]["matches"] == false);
    CHECK(report["verification"]["outputs"][0]["first_index"] == 7);
    CHECK(report["simulator"]["different"] == 1);
    CHECK(report["simulator"]["first"]["array"] == "c");
    CHECK(report["simulator"]["first"]["index"] == 7);
}

TEST_CASE("what goes wrong on a GPU is one line") {
    checkRefused("no_gpu", "finds no GPU");
    checkRefused("ptx", "line 3: no such instruction");
    checkRefused("memory", "no room for");
    checkRefused("fault", "an illegal memory access");
    checkRefused("hang", "did not end within 1 s", {"--time-limit", "1"});
    checkRefused("die", "died");
    checkRefused("", "--l2 'cold' is not known", {"--l2", "cold"});
}

TEST_CASE("a clock that stands still is no measurement") {
    const test::TemporaryFolder scratch;
    const test::ProgramRun run = runFake("", {"calibrate", "--save", "profile.json"}, scratch);
    CHECK(run.status == 1);
    CHECK_THAT(run.err, Catch::Contains("clock did not advance"));
    CHECK_FALSE(std::filesystem::exists(scratch.path() / "profile.json"));
}

TEST_CASE("a driver too old for the PTX is given an older PTX, where clang is there") {
    const auto compilers = compile::availableCompilers(compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); }));
    const bool hasClang = std::any_of(compilers.begin(), compilers.end(), [](const compile::AvailableCompiler& c) { return c.compiler == compile::Compiler::Clang; });
    const test::TemporaryFolder scratch;
    const test::ProgramRun run = runFake("ptx_version", {"run", "vector_add", "--json"}, scratch);
    if (hasClang) {
        INFO(run.err);
        REQUIRE(run.status == 0);
        CHECK_THAT(json::parse(run.out)["compiler"].get<std::string>(), Catch::StartsWith("clang"));
    } else {
        CHECK(run.status == 1);
        CHECK_THAT(run.err, Catch::Contains("does not know PTX"));
    }
}

TEST_CASE("a machine without a driver says so in one line") {
    if (hasDriver()) {
        WARN("this machine has a driver: skipped");
        return;
    }
    const test::TemporaryFolder scratch;
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"run", "vector_add"}, {"fidelity"}, {"calibrate"}}) {
        const test::ProgramRun run = test::runProgram(arguments, test::environmentWith({}, scratch.path()), scratch.path(), scratch.path());
        CHECK(run.status == 1);
        CHECK_THAT(run.err, Catch::Contains("there is no NVIDIA driver on this machine"));
        CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
    }
}

TEST_CASE("the GPU of this machine computes what the simulator computes") {
    if (!hasDriver()) {
        WARN("no NVIDIA driver here: skipped");
        return;
    }
    const test::TemporaryFolder scratch;
    for (const char* kernel : {"vector_add", "k05_tile2d", "t3_swizzled"}) {
        const test::ProgramRun run = test::runProgram({"run", kernel, "--compare", "--json"}, test::environmentWith({}, scratch.path()), scratch.path(), scratch.path());
        INFO(run.err);
        if (run.status != 0) {
            CHECK_THAT(run.err, Catch::Contains("finds no GPU"));
            continue;
        }
        CHECK(json::parse(run.out)["simulator"]["different"] == 0);
    }
}
