// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows of the open program: its instructions and its parameters.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "engine/ptx/listing.h"
#include "engine/session/session_state.h"

namespace lanescope::session {

namespace {

/// "2 loops unrolled, 12 shared loads merged".
std::string changesText(const compiled::Changes& changes) {
    std::string out;
    const auto add = [&](int count, const char* one, const char* many) {
        if (count != 0)
            out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, count == 1 ? one : many);
    };
    add(changes.loopsUnrolled, "loop unrolled", "loops unrolled");
    add(changes.loadsMerged, "shared load merged", "shared loads merged");
    add(changes.loadsRemoved, "shared load removed", "shared loads removed");
    add(changes.storesMerged, "shared store merged", "shared stores merged");
    add(changes.branchesGuarded, "branch guarded", "branches guarded");
    return out;
}

} // namespace

void fillInstructions(const LoadedProgram& loaded, const compiled::Changes& changes, ProgramView& view) {
    const sim::Program& program = *loaded.program;
    view.form = loaded.form;
    view.formChanges = changesText(changes);
    ptx::Listing listing;
    if (loaded.form == CodeForm::Compiled) {
        std::vector<std::uint32_t> functions;
        for (const sim::FunctionLayout& f : program.functions)
            functions.push_back(f.moduleIndex);
        listing = ptx::listing(*loaded.module, functions);
        view.ptxText = listing.text;
    } else {
        view.ptxText = loaded.ptxText;
    }
    for (std::size_t pc = 0; pc < program.ops.size(); ++pc) {
        const ptx::Instruction& in = *program.instructions[pc];
        const ptx::Function& function = loaded.module->functions[program.functions[program.functionOf[pc]].moduleIndex];
        ProgramView::InstructionView v;
        v.ptxLine = loaded.form == CodeForm::Compiled ? listing.lines.at(&in) : in.ptxLine;
        v.writtenLine = in.ptxLine;
        v.mergedLines = in.mergedLines;
        v.cudaLine = program.cudaLines[pc];
        v.cls = program.ops[pc].cls;
        v.text = ptx::print(*loaded.module, function, in);
        view.instructions.push_back(std::move(v));
    }
}

std::vector<ParameterView> kernelParameters(const catalog::Kernel& kernel, const std::map<std::string, std::int64_t>& set, const Diagnostics& problems) {
    std::vector<ParameterView> out;
    for (const catalog::Parameter& p : kernel.parameters) {
        ParameterView v;
        v.name = p.name;
        v.label = p.label;
        v.help = p.help;
        v.isProblem = p.kind == catalog::ParameterKind::Problem;
        v.defaultValue = p.defaultValue;
        const auto it = set.find(p.name);
        v.value = it == set.end() ? p.defaultValue : it->second;
        v.minimum = p.min;
        v.maximum = p.max;
        v.step = p.step;
        v.choices = p.choices;
        // A message that names this parameter alone is its own; those about combinations stand at every parameter they name.
        for (const Diagnostic& d : problems) {
            const std::size_t at = d.message.find(p.name);
            const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
            if (at != std::string::npos && (at == 0 || !isWord(d.message[at - 1])) &&
                (at + p.name.size() == d.message.size() || !isWord(d.message[at + p.name.size()])))
                v.problem = d.message + (d.hint.empty() ? "" : ": " + d.hint);
        }
        out.push_back(std::move(v));
    }
    return out;
}

} // namespace lanescope::session
