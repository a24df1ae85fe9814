// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdlib>

#include <catch2/catch.hpp>

#include "engine/compile/sass.h"

using namespace lanescope;
using namespace lanescope::compile;
using Catch::Matchers::Contains;

namespace {

// As nvdisasm 13 -c -g prints two functions; written by hand.
constexpr const char* kListing = R"(	.target	sm_90
	.section	.text._Z5otherv,"ax",@progbits
.text._Z5otherv:
        /*0000*/                   EXIT ;
	.section	.text.k,"ax",@progbits
	.align	128
k:
.text.k:
	//## File "dir/mine.cu", line 4
        /*0000*/                   LDC R1, c[0x0][0x28] ;                /* 0x00000a00ff017b82 */
                                                                         /* 0x000fe20000000800 */
        /*0010*/              @!P0 BRA `(.L_x_0) ;
	//## File "/usr/include/half.h", line 900 inlined at "dir/mine.cu", line 6
        /*0020*/                   HADD2 R4, R2, R3 ;
.L_x_0:
	//## File "dir/mine.cu", line 7
        /*0030*/                   EXIT ;
.L_x_1:
        /*0040*/                   BRA `(.L_x_1);
        /*0050*/                   NOP;
.L_x_2:
	.section	.nv.shared.k,"aw",@nobits
)";

constexpr const char* kLog = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z5otherv' for 'sm_90'
ptxas info    : Function properties for _Z5otherv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for helper
    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Function properties for k
    16 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads
ptxas info    : Used 255 registers, used 2 barriers, 8192 bytes smem, 16 bytes cumulative stack size
)";

Environment ownEnvironment() {
    return environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
}

constexpr const char* kPtx = R"(.version 7.8
.target sm_90
.address_size 64
.visible .entry _Z4fillPf(.param .u64 p) {
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    .reg .f32 %f<2>;
    .loc 1 3 5
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd2, %rd1, %rd2;
    mov.f32 %f1, 0f3F800000;
    st.global.f32 [%rd2], %f1;
    ret;
}
.file 1 "fill.cu"
)";

} // namespace

TEST_CASE("a listing gives the entry's instructions with the lines of the CUDA text", "[sass]") {
    const std::vector<SassLine> lines = parseSass(kListing, "k", "mine.cu");
    REQUIRE(lines.size() == 8);
    CHECK(lines[0].text == "LDC R1, c[0x0][0x28]");
    CHECK(lines[0].cudaLine == 4);
    CHECK(lines[1].text == "@!P0 BRA `(.L_x_0)");
    CHECK(lines[1].address == 0x10);
    CHECK(lines[2].cudaLine == 0); // of a header
    CHECK(lines[3].isLabel);
    CHECK(lines[3].text == ".L_x_0:");
    CHECK(lines[4].cudaLine == 7);
    CHECK_FALSE(lines.back().isLabel);
    CHECK(parseSass(kListing, "k", "")[2].cudaLine == 900);
    CHECK(parseSass(kListing, "absent", "").empty());
}

TEST_CASE("the figures are those of the entry itself", "[sass]") {
    CHECK(entriesIn(kLog) == std::vector<std::string>{"_Z5otherv", "k"});
    Sass sass;
    sass.entry = "k";
    parseFigures(kLog, sass);
    CHECK(sass.registersPerThread == 255);
    CHECK(sass.barriers == 2);
    CHECK(sass.stackBytes == 16);
    CHECK(sass.spillStoreBytes == 24);
    CHECK(sass.spillLoadBytes == 32);
    CHECK(sass.staticSharedBytes == 8192);
}

TEST_CASE("without the programs the error says which is missing and what to do", "[sass]") {
    Environment nothing;
    nothing.searchSystem = false;
    CHECK_FALSE(canDisassemble(nothing));
    SassRequest request;
    request.ptx = kPtx;
    const Result<Sass> sass = disassemble(request, nothing);
    REQUIRE_FALSE(sass);
    CHECK(sass.error().front().code == "compiler");
    CHECK_THAT(sass.error().front().message, Contains("ptxas is not on this machine"));
    CHECK_THAT(sass.error().front().hint, Contains("CUDA Toolkit"));
}

TEST_CASE("PTX becomes machine code, for its own architecture or a lower one", "[sass]") {
    if (!canDisassemble(ownEnvironment())) {
        WARN("skipped: ptxas and nvdisasm are not both on this machine");
        return;
    }
    for (const char* arch : {"sm_90", "sm_80"}) {
        SassRequest request;
        request.ptx = kPtx;
        request.entry = "fill";
        request.arch = arch;
        const Result<Sass> sass = disassemble(request, ownEnvironment());
        REQUIRE(sass);
        CHECK(sass->entry == "_Z4fillPf");
        CHECK(sass->arch == arch);
        CHECK(sass->registersPerThread > 0);
        CHECK(sass->spillStoreBytes == 0);
        CHECK_THAT(toText(*sass), Contains("STG.E") && Contains("EXIT"));
        CHECK(std::any_of(sass->lines.begin(), sass->lines.end(), [](const SassLine& line) { return line.cudaLine == 3; }));
    }
    SassRequest wrong;
    wrong.ptx = kPtx;
    wrong.entry = "absent";
    const Result<Sass> none = disassemble(wrong, ownEnvironment());
    REQUIRE_FALSE(none);
    CHECK_THAT(none.error().front().message, Contains("no kernel 'absent'"));
    wrong.ptx = "this is no PTX";
    CHECK_THAT(disassemble(wrong, ownEnvironment()).error().front().message, Contains("ptxas refuses"));
}
