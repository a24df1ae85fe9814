// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/fidelity.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/sim/program.h"

namespace lanescope::session {

namespace {

using nlohmann::json;

/// A cell of a Markdown table.
std::string cell(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
    return out;
}

std::string pairText(int driver, int ours) { return driver == ours ? std::to_string(driver) : fmt::format("{} ({} modelled)", driver, ours); }

} // namespace

std::vector<std::string> freedomsOf(const sim::Program& program) {
    bool isApproximate = false, hasProduct = false, hasSum = false, hasAtomicSum = false;
    for (const auto& instruction : program.instructions) {
        const ptx::Instruction& i = *instruction;
        isApproximate = isApproximate || i.modifiers.approx;
        const bool isLoose = ptx::isFloat(i.type) && i.modifiers.rounding == ptx::Rounding::None;
        hasProduct = hasProduct || (i.opcode == ptx::Opcode::Mul && isLoose);
        hasSum = hasSum || ((i.opcode == ptx::Opcode::Add || i.opcode == ptx::Opcode::Sub) && isLoose);
        hasAtomicSum = hasAtomicSum || ((i.opcode == ptx::Opcode::Atom || i.opcode == ptx::Opcode::Red) && ptx::isFloat(i.type));
    }
    std::vector<std::string> out;
    if (isApproximate)
        out.push_back("approximate instructions");
    if (hasProduct && hasSum)
        out.push_back("products and sums that may be fused");
    if (hasAtomicSum)
        out.push_back("the order of atomics");
    return out;
}

FidelityRow fidelityRow(const GpuRunReport& r) {
    FidelityRow row;
    row.kernel = r.program.kernel != nullptr ? r.program.id : r.program.program->entry().name;
    row.reference = !r.verification ? "none" : r.verification->matches ? "equal within its rule" : "DIFFERS";
    const std::vector<std::string> freedoms = freedomsOf(*r.program.program);
    row.freedoms = freedoms.empty() ? "none" : fmt::format("{}", fmt::join(freedoms, ", "));
    row.registers = r.residency ? pairText(r.run.registersPerThread, r.residency->registersPerThread) : std::to_string(r.run.registersPerThread);
    row.blocks = r.residency && r.residency->occupancy ? pairText(r.run.blocksPerSm, r.residency->occupancy->blocksPerSm) : std::to_string(r.run.blocksPerSm);
    row.simulator = "not compared";
    if (r.comparison) {
        const SimulatorComparison& c = *r.comparison;
        row.isEqual = c.different == 0;
        row.simulator = row.isEqual ? fmt::format("equal, {} elements", c.elements) : fmt::format("{} of {} elements differ", c.different, c.elements);
        row.findings = fmt::format("{}", fmt::join(c.findings, ", "));
        row.isExplained = row.isEqual || !freedoms.empty() || !c.findings.empty();
    }
    return row;
}

std::string toJson(const FidelityRow& r) {
    return json{{"kernel", r.kernel},       {"problem", r.problem},   {"reference", r.reference}, {"simulator", r.simulator}, {"freedoms", r.freedoms},
                {"findings", r.findings},   {"registers", r.registers}, {"blocks", r.blocks},       {"equal", r.isEqual},       {"explained", r.isExplained}}
        .dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<FidelityRow> parseFidelityRow(const std::string& text) {
    try {
        const json row = json::parse(text);
        return FidelityRow{row.at("kernel"),   row.at("problem"),   row.at("reference"), row.at("simulator"), row.at("freedoms"),
                           row.at("findings"), row.at("registers"), row.at("blocks"),    row.at("equal"),     row.at("explained")};
    } catch (const json::exception& e) {
        return failure("fidelity", e.what());
    }
}

std::string catalogMarkdown(const std::vector<catalog::Kernel>& kernels) {
    std::vector<std::string> families;
    for (const catalog::Kernel& k : kernels)
        if (std::find(families.begin(), families.end(), k.family) == families.end())
            families.push_back(k.family);
    std::string out;
    for (const std::string& family : families) {
        out += fmt::format("### {}\n\n| kernel | what it is | parameters |\n| --- | --- | --- |\n", family);
        for (const catalog::Kernel& k : kernels) {
            if (k.family != family)
                continue;
            std::vector<std::string> parameters;
            for (const catalog::Parameter& p : k.parameters)
                parameters.push_back(fmt::format("{} = {}", p.name, p.defaultValue));
            out += fmt::format("| [{}]({}) | {}: {} | {} |\n", k.id, k.file, cell(k.title), cell(k.notes), fmt::join(parameters, ", "));
        }
        out += '\n';
    }
    return out;
}

std::string fidelityMarkdown(const std::string& gpuName, int driverVersion, const std::vector<FidelityRow>& rows) {
    std::string table = "| kernel | reference | simulator, bit for bit | left to the hardware | findings of the simulator | registers | blocks an SM |\n"
                        "| --- | --- | --- | --- | --- | --- | --- |\n";
    std::size_t equal = 0, compared = 0;
    std::vector<std::string> unexplained;
    for (const FidelityRow& r : rows) {
        if (!r.problem.empty()) {
            table += fmt::format("| {} | did not run: {} | | | | | |\n", r.kernel, cell(r.problem));
            continue;
        }
        ++compared;
        equal += r.isEqual ? 1 : 0;
        if (!r.isExplained)
            unexplained.push_back(r.kernel);
        table += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", r.kernel, cell(r.reference), cell(r.simulator), cell(r.freedoms), cell(r.findings), r.registers, r.blocks);
    }
    std::string out = fmt::format("{}\n\nEvery kernel with its default parameters on an {} (driver of CUDA {}), from the same PTX that is simulated, every element of every\n"
                                  "buffer compared: {} of {} that ran are equal bit for bit.",
                                  kFidelityHeading, gpuName, gpu::versionText(driverVersion), equal, compared);
    if (compared < rows.size())
        out += fmt::format(" {} did not run.", rows.size() - compared);
    out += unexplained.empty() ? std::string(" Where one differs, its PTX leaves bits to the hardware, or the simulator finds\na race or an access out of bounds, whose outcome is anybody's.\n\n")
                               : fmt::format(" Without an explanation differ: {}.\n\n", fmt::join(unexplained, ", "));
    out += "*Reference*: computed on the CPU in double, with the bound that the order of additions allows. *Left to the hardware*: what PTX does not fix. *Registers* and\n"
           "*blocks an SM*: as the driver reports them, with the model's where it differs.\n\n";
    return out + table;
}

std::string kernelsReadme(const std::vector<catalog::Kernel>& kernels, const std::string& fidelity) {
    return "# Kernels\n\n<!-- Written by `lanescope fidelity --out kernels/README.md` on a machine with a GPU; not edited by hand. -->\n\n"
           "A `.cu` file and a manifest each: the CUDA text, its parameters with their ranges and rules, the launch as expressions of them, the arguments, and a reference to\n"
           "check the result against. They are compiled to PTX, which is simulated and, on a machine with an NVIDIA GPU, run.\n\n## What there is\n\n" +
           catalogMarkdown(kernels) + fidelity;
}

} // namespace lanescope::session
