// SPDX-License-Identifier: GPL-3.0-or-later
// The record of every kernel on a GPU: what it says, and that kernels/README.md has every kernel.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/session/fidelity.h"

using namespace lanescope;
using namespace lanescope::session;

namespace {

std::vector<std::string> freedomsOfPtx(const std::string& body) {
    const auto program = loadPtx(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry f(.param .u64 p)\n{\n.reg .f32 %f<9>;\n.reg .b64 %d<3>;\n.reg .b32 %r<3>;\nld.param.u64 %d0, [p];\n" + body +
                                     "ret;\n}\n",
                                 "f.ptx", "");
    INFO((program ? std::string() : toString(program.error())));
    REQUIRE(program);
    return freedomsOf(*program->program);
}

FidelityRow row(const std::string& kernel, bool isEqual, bool isExplained) {
    FidelityRow out;
    out.kernel = kernel;
    out.reference = "equal within its rule";
    out.simulator = isEqual ? "equal, 64 elements" : "3 of 64 elements differ";
    out.freedoms = "none";
    out.registers = "32";
    out.blocks = "2 (3 modelled)";
    out.isEqual = isEqual;
    out.isExplained = isExplained;
    return out;
}

} // namespace

TEST_CASE("what PTX leaves to the hardware is told", "[fidelity]") {
    using List = std::vector<std::string>;
    CHECK(freedomsOfPtx("fma.rn.f32 %f0, %f1, %f2, %f3;\nadd.rn.f32 %f0, %f0, %f1;\nmul.rn.f32 %f0, %f0, %f1;\n").empty());
    CHECK(freedomsOfPtx("mul.f32 %f0, %f1, %f2;\nadd.f32 %f0, %f0, %f1;\n") == List{"products and sums that may be fused"});
    CHECK(freedomsOfPtx("mul.f32 %f0, %f1, %f2;\nadd.rn.f32 %f0, %f0, %f1;\n").empty()); // a rounding that is written forbids it
    CHECK(freedomsOfPtx("add.f32 %f0, %f0, %f1;\nadd.s32 %r0, %r0, %r1;\nmul.lo.s32 %r0, %r0, %r1;\n").empty());
    CHECK(freedomsOfPtx("ex2.approx.f32 %f0, %f1;\nred.global.add.f32 [%d0], %f0;\n") == List{"approximate instructions", "the order of atomics"});
    CHECK(freedomsOfPtx("red.global.add.u32 [%d0], %r0;\n").empty());
}

TEST_CASE("the table says how many agree, and names what differs without a reason", "[fidelity]") {
    FidelityRow absent;
    absent.kernel = "c";
    absent.problem = "no | room";
    std::string text = fidelityMarkdown("NVIDIA H200", 13000, {row("a", true, true), row("b", false, true), absent});
    CHECK_THAT(text, Catch::Contains("NVIDIA H200 (driver of CUDA 13.0)") && Catch::Contains("1 of 2 that ran are equal bit for bit. 1 did not run."));
    CHECK_THAT(text, Catch::Contains("| b | equal within its rule | 3 of 64 elements differ | none |  | 32 | 2 (3 modelled) |"));
    CHECK_THAT(text, Catch::Contains("| c | did not run: no \\| room |"));
    CHECK_THAT(text, !Catch::Contains("Without an explanation"));
    text = fidelityMarkdown("NVIDIA H200", 13000, {row("a", true, true), row("b", false, false)});
    CHECK_THAT(text, Catch::Contains("Without an explanation differ: b."));
}

TEST_CASE("a row goes from process to process", "[fidelity]") {
    const FidelityRow before = row("a", false, true);
    const auto after = parseFidelityRow(toJson(before));
    REQUIRE(after);
    CHECK(after->kernel == before.kernel);
    CHECK(after->blocks == before.blocks);
    CHECK(after->isEqual == before.isEqual);
    CHECK(after->isExplained == before.isExplained);
    CHECK_FALSE(parseFidelityRow("{}"));
    CHECK_FALSE(parseFidelityRow("nonsense"));
}

TEST_CASE("kernels/README.md has every kernel of the catalog, and a row of the GPU's table for each", "[fidelity]") {
    const auto kernels = builtInKernels();
    REQUIRE(kernels);
    const auto text = readFile(std::filesystem::path(LANESCOPE_TEST_DATA) / "../../kernels/README.md");
    REQUIRE(text);
    // What it says of the kernels is what the program says of them now.
    CHECK_THAT(*text, Catch::Contains(catalogMarkdown(**kernels)));
    const std::size_t table = text->find("## On a GPU");
    const std::string rows = table == std::string::npos ? std::string() : text->substr(table);
    for (const catalog::Kernel& kernel : **kernels) {
        INFO(kernel.id);
        if (table != std::string::npos)
            CHECK(rows.find("\n| " + kernel.id + " |") != std::string::npos);
        CHECK(text->find("[" + kernel.id + "](" + kernel.file + ")") != std::string::npos);
        CHECK(std::filesystem::exists(std::filesystem::path(LANESCOPE_TEST_DATA) / "../../kernels" / kernel.file));
    }
}
