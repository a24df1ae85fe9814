// SPDX-License-Identifier: GPL-3.0-or-later
// PTX of nvcc (with -G and with -lineinfo), NVRTC, clang and Triton loads, verifies, and survives
// printing.
#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/ptx/control_flow.h"
#include "engine/ptx/instruction_set.h"
#include "tests/ptx/ptx_support.h"

using namespace lanescope;
using namespace lanescope::ptx;

namespace {

std::vector<std::filesystem::path> files() {
    std::vector<std::filesystem::path> result;
    for (const auto& entry : std::filesystem::directory_iterator(LANESCOPE_TEST_DATA "/ptx"))
        if (entry.path().extension() == ".ptx")
            result.push_back(entry.path());
    return result;
}

} // namespace

TEST_CASE("files of real compilers load, verify and survive printing") {
    REQUIRE(files().size() >= 7);
    for (const auto& path : files()) {
        INFO(path);
        const auto text = readFile(path);
        REQUIRE(text);
        const auto module = parse(*text, path.filename().string());
        INFO((module ? std::string() : toString(module.error())));
        REQUIRE(module);
        CHECK_FALSE(module->entries().empty());
        for (const Function& function : module->functions) {
            for (const Instruction& instruction : function.instructions) {
                INFO(print(*module, function, instruction));
                CHECK(verify(function, instruction, "text").has_value());
                CHECK(instruction.ptxLine > 0);
            }
            if (!function.isDeclaration)
                CHECK(analyseControlFlow(function).blocks.size() > 0);
        }
        const auto again = parse(print(*module));
        INFO((again ? std::string() : toString(again.error())));
        REQUIRE(again);
        CHECK(test::isSame(*module, *again));
    }
}

TEST_CASE("each entry of a file loads by itself") {
    for (const auto& path : files()) {
        const auto text = readFile(path);
        const auto all = parse(*text);
        REQUIRE(all);
        for (const std::string& entry : all->entries())
            CHECK(parse(*text, "f", entry).has_value());
    }
}

TEST_CASE("instructions know their CUDA lines and what they were inlined into") {
    const auto text = readFile(LANESCOPE_TEST_DATA "/ptx/nvcc_varied.ptx");
    const auto module = parse(*text);
    REQUIRE(module);
    std::size_t known = 0, inlined = 0;
    for (const Function& function : module->functions)
        for (const Instruction& instruction : function.instructions) {
            known += instruction.source.known() ? 1 : 0;
            inlined += instruction.inlinedAt.empty() ? 0 : 1;
            if (instruction.source.known())
                CHECK(static_cast<std::size_t>(instruction.source.file) < module->files.size());
        }
    CHECK(known > 400);
    CHECK(inlined > 10);
    CHECK(module->files[1] == "varied.cu");
}
