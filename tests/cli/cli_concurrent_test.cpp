// SPDX-License-Identifier: GPL-3.0-or-later
// Several programs at once on one cache, truncated files, and endless kernels: none may crash or
// hang.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

#include "engine/compile/compile.h"
#include "tests/cli/run_program.h"

using namespace lanescope;
namespace fs = std::filesystem;

namespace {

const fs::path kData = fs::path(LANESCOPE_TEST_DATA) / "cli";

std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("programs at the same time share a cache and give the same report") {
    const auto there = compile::availableCompilers(compile::environmentFrom(
        [](const char* name) -> const char* { return std::getenv(name); }));
    if (there.empty()) {
        WARN("skipped: no CUDA compiler is here");
        return;
    }
    const test::TemporaryFolder scratch;
    const std::vector<std::string> environment = test::environmentWith({}, scratch.path());
    const std::vector<std::string> arguments{
        "sim",         "add.cu", "--grid",    "2",     "--block", "32", "--arg",
        "iota:f32:64", "--arg",  "zeros:256", "--arg", "i32:64",  "-D", "OFFSET=3"};
    std::vector<test::RunningProgram> running;
    for (int i = 0; i < 4; ++i)
        running.emplace_back(arguments, environment, kData, scratch.path());
    std::vector<test::ProgramRun> runs;
    for (test::RunningProgram& r : running)
        runs.push_back(r.finish());
    const auto counters = [](const std::string& text) {
        return text.substr(text.find("counters"));
    };
    for (const test::ProgramRun& run : runs) {
        INFO(run.err);
        REQUIRE(run.status == 0);
        CHECK(counters(run.out) == counters(runs[0].out));
    }
}

TEST_CASE("every beginning of a PTX file is refused or runs, with one clear line") {
    const test::TemporaryFolder scratch;
    const std::vector<std::string> environment = test::environmentWith({}, scratch.path());
    const std::string text = contents(kData / "add.ptx");
    REQUIRE(text.size() > 500);
    const fs::path cut = scratch.path() / "cut.ptx";
    int refused = 0;
    for (std::size_t size = 0; size < text.size(); size += 53) {
        std::ofstream(cut, std::ios::binary) << text.substr(0, size);
        const test::ProgramRun run =
            test::runProgram({"sim", cut.string(), "--grid", "2", "--block", "32", "--arg",
                              "iota:f32:64", "--arg", "zeros:256", "--arg", "i32:64"},
                             environment, kData, scratch.path());
        INFO("first " << size << " bytes: " << run.err);
        CHECK((run.status == 0 || run.status == 1));
        if (run.status == 1) {
            ++refused;
            CHECK(run.err.find("cut.ptx") != std::string::npos);
        }
    }
    CHECK(refused >= 10);
}

TEST_CASE("a buffer is written as the kernel left it") {
    const test::TemporaryFolder scratch;
    const fs::path dump = scratch.path() / "b.bin";
    const test::ProgramRun run =
        test::runProgram({"sim", "add.ptx", "--grid", "2", "--block", "32", "--arg", "iota:f32:64",
                          "--arg", "zeros:256", "--arg", "i32:50", "--dump", "1:" + dump.string()},
                         test::environmentWith({}, scratch.path()), kData, scratch.path());
    INFO(run.err);
    REQUIRE(run.status == 0);
    const std::string bytes = contents(dump);
    REQUIRE(bytes.size() == 256);
    for (std::size_t i = 0; i < 64; ++i) {
        float value = -1;
        bytes.copy(reinterpret_cast<char*>(&value), sizeof value, i * sizeof value);
        CHECK(value == (i < 50 ? static_cast<float>(i) + 1 : 0.0f));
    }
}
