// SPDX-License-Identifier: GPL-3.0-or-later
// Directives, declarations, scopes, calls and what is reachable.
#include <catch2/catch.hpp>

#include "tests/ptx/ptx_support.h"

using namespace lanescope;
using namespace lanescope::ptx;

namespace {

Module load(const std::string& text, std::string_view entry = {}) {
    auto module = parse(text, "t.ptx", entry);
    INFO((module ? std::string() : toString(module.error())));
    REQUIRE(module);
    return std::move(*module);
}

const std::string kHead = ".version 8.7\n.target sm_90a, debug\n.address_size 64\n";

} // namespace

TEST_CASE("parameters have offsets and pointers") {
    const Module m = load(
        kHead +
        ".entry k(.param .u8 a, .param .align 16 .b8 s[20], .param .u64 .ptr .global .align 16 p, "
        ".param .u64 .ptr .align 1 q, .param .f32 f) .maxntid 128, 2 .reqntid 64 .minnctapersm 3 "
        ".maxnreg 40 .reqnctapercluster 2, 1, 1 { ret; }");
    const Function& f = m.functions[0];
    REQUIRE(f.parameters.size() == 5);
    CHECK((f.parameters[1].offset == 16 && f.parameters[1].sizeBytes == 20 &&
           f.parameters[1].alignment == 16));
    CHECK((f.parameters[2].offset == 40 && f.parameters[2].isPointer &&
           f.parameters[2].pointerSpace == Space::Global));
    CHECK((f.parameters[3].isPointer && f.parameters[3].pointerSpace == Space::Generic));
    CHECK(f.parameters[4].offset == 56);
    CHECK((f.bounds.maxThreadsX == 128u && f.bounds.maxThreadsY == 2u && !f.bounds.maxThreadsZ));
    CHECK((f.bounds.requiredX == 64u && f.bounds.minBlocksPerSm == 3u &&
           f.bounds.maxRegisters == 40u));
    CHECK((m.versionMajor == 8 && m.versionMinor == 7 && m.target == "sm_90a"));
}

TEST_CASE("variables: sizes, initialisers, addresses") {
    const Module m = load(
        kHead + ".global .align 4 .f32 a[2][3] = {{1.0, 2}, {0f40400000}};\n"
                ".const .u16 b[] = {1, 0xFFFF, -2};\n.extern .shared .align 16 .b8 dyn[];\n"
                ".visible .global .u64 p[2] = {generic(a)+8, a};\n.global .v4 .f32 v;\n"
                ".global .s32 x = 3 * 4 - 20;\n.global .b8 z[1073741824];\n.weak .global .u32 w;\n"
                ".global .attribute(.managed) .u32 man;\n.entry k() { ret; }");
    const Variable& a = m.variables[0];
    CHECK((a.sizeBytes == 24 && a.initial.size() == 16 && a.initial[3] == 0x3f &&
           a.initial[7] == 0x40));
    CHECK((a.initial[14] == 0x40 && a.initial[15] == 0x40 && a.initial[8] == 0));
    CHECK((m.variables[1].sizeBytes == 6 && m.variables[1].initial[4] == 0xfe));
    CHECK((m.variables[2].isExtern && m.variables[2].sizeBytes == 0 &&
           m.variables[2].alignment == 16));
    REQUIRE(m.variables[3].relocations.size() == 2);
    CHECK((m.variables[3].relocations[0].generic && m.variables[3].relocations[0].addend == 8));
    CHECK((m.variables[3].relocations[1].symbol == "a" && m.variables[3].relocations[1].at == 8));
    CHECK((m.variables[4].sizeBytes == 16 && m.variables[4].alignment == 16));
    CHECK(m.variables[5].initial == std::vector<std::uint8_t>{0xf8, 0xff, 0xff, 0xff});
    CHECK((m.variables[6].sizeBytes == 1073741824 && m.variables[6].initial.empty()));
    CHECK_FALSE(parse(kHead + ".global .u32 a[2] = {1, 2, 3};").has_value());
    CHECK_FALSE(parse(kHead + ".shared .u32 a = 1;").has_value());
    CHECK_FALSE(parse(kHead + ".global .u32 a; .global .u32 a;").has_value());
}

TEST_CASE("scopes have their own registers, variables and labels") {
    const Module m = load(
        kHead +
        ".func (.param .b32 r) f(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; "
        "st.param.b32 [r+0], %r1; ret; }\n.entry k() { .reg .b32 %r<3>; .reg .pred %p<2>;\n"
        "{ .reg .b32 t; .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 retval0; "
        "call.uni (retval0), f, (param0); ld.param.b32 t, [retval0]; mov.b32 %r2, t; }\n"
        "{ .reg .b32 t; .param .b32 param0; L: @%p1 bra L; mov.b32 t, 1; bra OUT; }\n"
        "{ .reg .f32 %r<2>; L: mov.f32 %r1, 0f00000000; @!%p1 bra L; } OUT: ret; }");
    const Function& k = m.functions[1];
    CHECK(m.functions[0].instructions[1].operands[0].elements[0].scope ==
          VariableScope::FunctionResult);
    CHECK(k.instructions[1].opcode == Opcode::Call);
    CHECK(k.instructions[1].operands[2].elements[0].index == 0);
    CHECK(k.instructions[4].operands[0].index == 4);
    CHECK(k.instructions[6].operands[0].index == 9);
    CHECK((k.instructions[8].operands[0].index == 7 && k.instructions[8].guardNegated));
    CHECK(k.registers[k.instructions[7].operands[0].index].type == Type::F32);
    CHECK(k.registers[k.instructions[7].operands[0].index].name == "%r1$2");
    const auto again = parse(print(m));
    REQUIRE(again);
    CHECK(test::isSame(m, *again));
}

TEST_CASE("indirect calls, tables, prototypes, register parameters, aliases") {
    const Module m = load(
        kHead + ".func (.reg .b32 r) g(.reg .b32 x) { mov.b32 r, x; ret; }\n.func h();\n.func h2() "
                "{ ret; }\n"
                ".alias h, h2;\n.entry k() { .reg .b32 %r<3>; .reg .b64 %rd<3>; .param .b32 q; "
                "call (%r1), g, (5);\n"
                "mov.u64 %rd1, g; P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                "call (q), %rd1, (q), P; T: .calltargets h2, later; call %rd1, (), T; call h; }\n"
                ".func later() { ret; }");
    const Function& k = m.functions[3];
    CHECK((m.functions[0].parameters[0].registerIndex == 1 &&
           m.functions[0].returnParameters[0].registerIndex == 0));
    CHECK(k.instructions[0].operands[2].elements[0].bits == 5);
    CHECK((k.instructions[1].operands[1].kind == OperandKind::Function &&
           k.instructions[1].operands[1].index == 0));
    CHECK(k.instructions[2].operands[3].kind == OperandKind::Prototype);
    CHECK(k.targetTables[0].targets == std::vector<std::uint32_t>{2, 4});
    CHECK(k.instructions[4].operands[1].index == 2); // h is h2
    CHECK(k.instructions.back().opcode == Opcode::Ret);
    const auto again = parse(print(m));
    INFO((again ? std::string() : toString(again.error())));
    REQUIRE(again);
    CHECK(test::isSame(m, *again));
}

TEST_CASE("only what the entry reaches is reported") {
    const std::string text =
        kHead + ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                ".extern .func (.param .b64 r) malloc(.param .b64 a);\n"
                ".func bad() { .reg .b64 m; tensormap.replace.tile.rank.global.b1024.b32 [m], 3; ret; }\n.func viaBad() { call bad; ret; }\n"
                ".entry good() { .param .b64 a; .param .b32 r; call (r), vprintf, (a, a); ret; }\n"
                ".entry calls() { call viaBad; ret; }\n"
                ".entry allocates() { .param .b64 a; call (a), malloc, (a); ret; }\n";
    const Module m = load(text, "good");
    CHECK((!m.functions[2].isComplete && m.functions[3].isComplete));
    const auto calls = parse(text, "t.ptx", "calls");
    REQUIRE_FALSE(calls);
    CHECK((calls.error()[0].code == "unsupported" && calls.error()[0].where.line == 6));
    const auto allocates = parse(text, "t.ptx", "allocates");
    REQUIRE_FALSE(allocates);
    CHECK((allocates.error()[0].code == "unsupported" && allocates.error()[0].where.line == 10));
    CHECK(parse(text).error().size() == 2);
    const auto missing = parse(text, "t.ptx", "nosuch");
    REQUIRE_FALSE(missing);
    CHECK((missing.error()[0].code == "argument" &&
           missing.error()[0].hint == "the entries are good, calls, allocates"));
}

TEST_CASE("all errors of a text are collected, each at its place") {
    const auto result = parse(kHead + ".entry k() { .reg .b32 %r<3>;\n  add.u32 %r1, %r2;\n  "
                                      "mov.u32 %q, 1;\n bra X; mov.u32 %r1 2;\n"
                                      "ret; }\n.global .u32 x = ;\n.nonsense y;\n");
    REQUIRE_FALSE(result);
    REQUIRE(result.error().size() == 6);
    CHECK((result.error()[0].where.line == 5 && result.error()[0].where.column == 11));
    CHECK((result.error()[1].where.line == 6 && result.error()[1].where.column == 11));
    CHECK((result.error()[2].where.line == 7 && result.error()[5].where.line == 10));
    std::string many = kHead + ".entry k() {\n";
    for (int i = 0; i < 200; ++i)
        many += "nosuch;\n";
    CHECK(parse(many + "}").error().size() == 50);
}

TEST_CASE(".loc: inlined_at chains") {
    const Module m =
        load(kHead +
             ".file 1 \"a.cu\", 123, 45\n.file 3 \"dir\" \"b.h\"\n.entry k() { .reg .b32 %r<2>;\n"
             ".loc 1 10 1\n mov.u32 %r1, 1;\n.loc 3 5 2, function_name $L__info_string0, "
             "inlined_at 1 10 1\n"
             "mov.u32 %r1, 2;\n.loc 3 7 9, function_name $L__info_string0+16, inlined_at 3 5 2\n "
             "mov.u32 %r1, 3; }\n"
             ".section .debug_str { $L__info_string0: .b8 1, 2 }");
    CHECK((m.files.size() == 4 && m.files[1] == "a.cu" && m.files[2].empty() &&
           m.files[3] == "dir/b.h"));
    const auto& i = m.functions[0].instructions;
    CHECK((i[0].source == SourceLocation{1, 10, 1} && i[0].inlinedAt.empty() && i[0].ptxLine == 8));
    CHECK(i[1].inlinedAt == std::vector<SourceLocation>{{1, 10, 1}});
    CHECK(i[2].inlinedAt == std::vector<SourceLocation>{{3, 5, 2}, {1, 10, 1}});
}

TEST_CASE("vector registers, array elements, special registers") {
    auto i = test::firstInstruction("ld.global.v4.f32 %v, [gv];");
    REQUIRE(i.operands[0].elements.size() == 4);
    const auto base = i.operands[0].elements[0].index;
    i = test::firstInstruction("mov.f32 %f1, %v.z;");
    CHECK(i.operands[1].index == base + 2);
    i = test::firstInstruction("ld.global.u32 %r1, gv[2];");
    CHECK(i.operands[1].offset == 8);
    i = test::firstInstruction("mov.u64 %rd1, gv+12;");
    CHECK((i.operands[1].kind == OperandKind::Variable && i.operands[1].offset == 12));
    i = test::firstInstruction("mov.u64 %rd1, a;");
    CHECK((i.operands[1].kind == OperandKind::Variable &&
           i.operands[1].scope == VariableScope::FunctionParameter));
    CHECK(test::firstInstruction("mov.u32 %r1, %nctaid.z;").operands[1].special ==
          Special::NctaidZ);
    CHECK(test::firstInstruction("mov.u64 %rd1, %globaltimer;").operands[1].special ==
          Special::GlobalTimer);
    CHECK(test::firstInstruction("mov.b32 %r1, %envreg17;").operands[1].index == 17);
}
