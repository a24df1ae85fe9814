// SPDX-License-Identifier: GPL-3.0-or-later
// Every case of tests/data/cli/cases/*.json: arguments, and what the program must answer.
//   name       what the case shows
//   args       arguments; "{out}" is an empty folder, the working folder is tests/data/cli
//   exit       exit status
//   stdout, stderr   lists of texts that must appear; not_stdout: that must not
//   json       JSON pointer into standard output -> value that must stand there, or {"size": N},
//   {"about": X}, {"contains": TEXT} compiler   true: any CUDA compiler is needed; a name: that one
//   is env        variables to set; bare_env true: no others are set
// After exit status 1 the first line of standard error begins with "lanescope: ", after 0 it is
// empty.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "engine/compile/compile.h"
#include "tests/cli/run_program.h"

using namespace lanescope;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kData = fs::path(LANESCOPE_TEST_DATA) / "cli";

bool hasCompiler(const json& wanted) {
    static const std::vector<compile::AvailableCompiler> there =
        compile::availableCompilers(compile::environmentFrom(
            [](const char* name) -> const char* { return std::getenv(name); }));
    if (wanted.is_boolean())
        return !wanted.get<bool>() || !there.empty();
    return std::any_of(there.begin(), there.end(), [&](const compile::AvailableCompiler& c) {
        return compile::name(c.compiler) == wanted.get<std::string>();
    });
}

void checkValue(const json& document, const std::string& pointer, const json& expected) {
    INFO(pointer);
    const json::json_pointer at(pointer);
    REQUIRE(document.contains(at));
    const json& value = document.at(at);
    if (!expected.is_object())
        CHECK(value == expected);
    else if (expected.contains("size"))
        CHECK(value.size() == expected["size"].get<std::size_t>());
    else if (expected.contains("about"))
        CHECK(value.get<double>() == Approx(expected["about"].get<double>()).epsilon(1e-9));
    else
        CHECK_THAT(value.get<std::string>(),
                   Catch::Contains(expected.at("contains").get<std::string>()));
}

void checkCase(const json& c) {
    const test::TemporaryFolder scratch;
    const fs::path out = scratch.path() / "out";
    fs::create_directories(out);
    const auto placed = [&](std::string text) {
        if (const std::size_t at = text.find("{out}"); at != std::string::npos)
            text.replace(at, 5, out.string());
        return text;
    };
    std::vector<std::string> arguments;
    for (const json& a : c.at("args"))
        arguments.push_back(placed(a.get<std::string>()));
    std::map<std::string, std::string> variables;
    const json settings = c.value("env", json::object());
    for (const auto& [name, value] : settings.items())
        variables[name] = placed(value.get<std::string>());
    std::vector<std::string> environment = test::environmentWith(variables, scratch.path());
    if (c.value("bare_env", false)) {
        environment.clear();
        for (const auto& [name, value] : variables)
            environment.push_back(name + "=" + value);
    }
    const test::ProgramRun run = test::runProgram(arguments, environment, kData, scratch.path());
    INFO("stdout: " << run.out.substr(0, 2000));
    INFO("stderr: " << run.err.substr(0, 2000));
    const int status = c.at("exit").get<int>();
    CHECK(run.status == status);
    if (status == 0)
        CHECK(run.err.empty());
    else
        CHECK(run.err.rfind("lanescope: ", 0) == 0);
    for (const json& text : c.value("stdout", json::array()))
        CHECK_THAT(run.out, Catch::Contains(text.get<std::string>()));
    for (const json& text : c.value("not_stdout", json::array()))
        CHECK_THAT(run.out, !Catch::Contains(text.get<std::string>()));
    for (const json& text : c.value("stderr", json::array()))
        CHECK_THAT(run.err, Catch::Contains(text.get<std::string>()));
    if (c.contains("json")) {
        const json document = json::parse(run.out, nullptr, false);
        REQUIRE(document.is_object());
        for (const auto& [pointer, expected] : c["json"].items())
            checkValue(document, pointer, expected);
    }
}

} // namespace

TEST_CASE("the command line answers as its cases say") {
    std::vector<fs::path> files;
    for (const fs::directory_entry& e : fs::directory_iterator(kData / "cases"))
        files.push_back(e.path());
    std::sort(files.begin(), files.end());
    REQUIRE(files.size() >= 5);
    int ran = 0;
    for (const fs::path& file : files) {
        std::ifstream in(file);
        const json cases = json::parse(in, nullptr, false);
        INFO(file);
        REQUIRE(cases.is_array());
        for (const json& c : cases) {
            const std::string name = file.stem().string() + ": " + c.at("name").get<std::string>();
            if (!hasCompiler(c.value("compiler", json(false)))) {
                WARN("skipped, a compiler is not here: " << name);
                continue;
            }
            DYNAMIC_SECTION(name) {
                checkCase(c);
            }
            ++ran;
        }
    }
    CHECK(ran >= 40);
}
