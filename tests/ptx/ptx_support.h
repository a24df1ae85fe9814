// SPDX-License-Identifier: GPL-3.0-or-later
// Helpers of the PTX tests.
#pragma once

#include <string>
#include <string_view>

#include "engine/ptx/ir.h"

namespace lanescope::ptx::test {

/// A module with one entry `k` whose body has registers of each kind and then `body`.
inline std::string moduleWith(std::string_view body, std::string_view declarations = {}) {
    return std::string(".version 9.0\n.target sm_100a\n.address_size 64\n.global .u32 gv[4];\n") +
           std::string(declarations) +
           "\n.visible .entry k(.param .u64 a) {\n"
           ".shared .u32 sv[4]; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b16 %h<9>; .reg .f64 "
           "%d<4>; "
           ".reg .b64 %rd<9>; .reg .pred %p<4>; .reg .u32 %u<4>; .reg .f16 %x<4>; .reg .u16 "
           "%us<4>; "
           ".reg .b128 %q<3>; .reg .v4 .f32 %v;\n" +
           std::string(body) + "\n}\n";
}

/// The first instruction of `k` in moduleWith(body).
inline Instruction firstInstruction(std::string_view body) {
    const auto module = parse(moduleWith(body));
    return module ? module->functions[0].instructions[0] : Instruction{};
}

/// What parse(print(m)) must keep: everything but the places in the text.
inline bool isSame(Module a, Module b) {
    const auto strip = [](Module& m) {
        m.text.clear();
        m.path.clear();
        for (Function& f : m.functions) {
            f.ptxLine = 0;
            f.source = {};
            for (Instruction& i : f.instructions)
                i.ptxLine = 0;
        }
    };
    strip(a);
    strip(b);
    if (a.versionMajor != b.versionMajor || a.target != b.target || a.files != b.files ||
        a.variables != b.variables || a.functions.size() != b.functions.size())
        return false;
    for (std::size_t i = 0; i < a.functions.size(); ++i) {
        const Function &f = a.functions[i], &g = b.functions[i];
        if (f.name != g.name || f.isEntry != g.isEntry || f.parameters != g.parameters ||
            f.bounds != g.bounds || f.returnParameters != g.returnParameters ||
            f.registers != g.registers || f.variables != g.variables ||
            f.instructions != g.instructions || f.targetTables != g.targetTables ||
            f.prototypes != g.prototypes || f.isNoReturn != g.isNoReturn ||
            f.isDeclaration != g.isDeclaration)
            return false;
    }
    return true;
}

} // namespace lanescope::ptx::test
