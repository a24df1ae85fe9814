// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a simulation as JSON and as text.
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/symbol.h"
#include "engine/session/account.h"
#include "engine/session/hardware_counters.h"
#include "engine/session/simulate.h"
#include "engine/session/verification_text.h"

namespace lanescope::session {

using Json = nlohmann::ordered_json;

namespace {

Json dim(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }

/// Whole numbers stay whole in the JSON.
Json number(double v) {
    if (std::floor(v) == v && std::fabs(v) < 9.0e15)
        return Json(static_cast<std::int64_t>(v));
    return Json(v);
}

Json countersJson(const sim::Counters& c) {
    Json out;
    for (const sim::Metric& m : sim::metrics())
        out[std::string(m.id)] = number(m.value(c));
    Json classes = Json::object();
    for (int i = 0; i < ptx::kInstructionClassCount; ++i) {
        const auto cls = static_cast<ptx::InstructionClass>(i);
        if (c.of(cls).executions != 0)
            classes[std::string(ptx::name(cls))] = c.of(cls).executions;
    }
    out["by_class"] = classes;
    Json per1000 = Json::object();
    for (const AccountRow& row : account(c))
        per1000[row.id] = row.per1000Fma;
    out["per_1000_fma"] = per1000;
    out["blocks"] = c.blocks;
    out["warps"] = c.warps;
    out["threads"] = c.threads;
    out["fma_lanes"] = c.fmaLanes;
    out["distinct_sectors_read"] = c.distinctSectorsRead;
    out["distinct_sectors_written"] = c.distinctSectorsWritten;
    return out;
}

Json metricsJson(const SimReport& report) {
    Json out;
    for (const NamedMetric& m : namedMetrics(report))
        if (m.kind != NamedMetric::Kind::Modelled)
            out[m.ncuName] = number(m.value);
    return out;
}

Json threadJson(const Dim3& t) { return dim(t); }

Json findingJson(const check::Finding& f) {
    Json out;
    out["kind"] = std::string(check::name(f.kind));
    out["occurrences"] = f.occurrences;
    out["message"] = f.message;
    out["line"] = f.line;
    out["ptx_line"] = f.ptxLine;
    if (!f.file.empty())
        out["file"] = f.file;
    if (f.thread) {
        out["thread"] = threadJson(f.thread->thread);
        out["block"] = threadJson(f.thread->block);
    }
    if (f.otherThread) {
        out["other_line"] = f.otherLine;
        out["other_ptx_line"] = f.otherPtxLine;
        out["other_thread"] = threadJson(f.otherThread->thread);
        out["other_block"] = threadJson(f.otherThread->block);
    }
    if (!f.array.empty()) {
        out["array"] = f.array;
        out["space"] = std::string(ptx::name(f.space));
    }
    if (f.index)
        out["index"] = *f.index;
    if (f.size)
        out["size"] = *f.size;
    return out;
}

Json modelJson(const SimReport& report) {
    Json out;
    out["kind"] = "modelled";
    if (!report.modelNote.empty())
        out["note"] = report.modelNote;
    if (report.point) {
        const model::RooflinePoint& p = *report.point;
        out["time_s"] = p.seconds;
        out["bottleneck"] = model::toString(p.bottleneck);
        out["flops_per_s"] = p.flopsPerSecond;
        Json roofs = Json::object();
        for (const model::RoofTime& t : p.times)
            roofs[model::toString(t.kind)] = {{"work", number(t.work)}, {"time_s", t.seconds}, {"formula", t.explanation.formula}};
        out["roofs"] = roofs;
        Json intensity = Json::object();
        for (const model::Intensity& i : p.intensities)
            intensity[i.level] = {{"bytes", number(i.bytes)}, {"flops_per_byte", i.flopsPerByte}};
        out["intensity"] = intensity;
    }
    if (report.occupancy) {
        const model::Occupancy& o = *report.occupancy;
        Json limits{{"warps", o.limits.warps}, {"blocks", o.limits.blocks}};
        limits["registers"] = o.limits.registers ? Json(*o.limits.registers) : Json();
        limits["shared"] = o.limits.shared ? Json(*o.limits.shared) : Json();
        out["occupancy"] = {{"blocks_per_sm", o.blocksPerSm}, {"warps_per_sm", o.warpsPerSm}, {"occupancy", o.occupancy},
                            {"limits", limits},               {"limiter", o.limiterNames()},  {"registers_per_thread", report.registersPerThread},
                            {"registers_source", report.registersSource}};
    }
    if (report.waves) {
        const model::Waves& w = *report.waves;
        out["waves"] = {{"waves", w.waves}, {"full", w.fullWaves}, {"tail_blocks", w.tailBlocks}, {"slots_used", w.slotsUsed}};
    }
    return out;
}

struct LineCounts {
    sim::InstructionCounts all;
    std::array<std::uint64_t, ptx::kInstructionClassCount> executions{}; ///< by class
};

/// Counts by source line: of the CUDA text, or of the PTX when it has no .loc.
Json linesJson(const LoadedProgram& program, const SimReport& report) {
    const bool cuda = program.program->cudaFile >= 0;
    std::map<std::uint32_t, LineCounts> byLine;
    for (std::size_t pc = 0; pc < report.counters.byInstruction.size(); ++pc) {
        const ptx::Instruction& instruction = *program.program->instructions[pc];
        const std::uint32_t line = cuda ? program.program->cudaLines[pc] : instruction.ptxLine;
        const sim::InstructionCounts& counts = report.counters.byInstruction[pc];
        if (counts.executions == 0)
            continue;
        byLine[line].all += counts;
        byLine[line].executions[static_cast<std::size_t>(ptx::classify(instruction))] += counts.executions;
    }
    Json out = Json::array();
    for (const auto& [line, counts] : byLine) {
        const sim::InstructionCounts& c = counts.all;
        Json row{{"line", line}, {"executions", c.executions}, {"lanes", c.lanes}};
        Json& classes = row["by_class"] = Json::object();
        for (std::size_t i = 0; i < counts.executions.size(); ++i)
            if (counts.executions[i] != 0)
                classes[std::string(ptx::name(static_cast<ptx::InstructionClass>(i)))] = counts.executions[i];
        if (c.requests != 0)
            row["requests"] = c.requests;
        if (c.sectors != 0) {
            row["sectors"] = c.sectors;
            row["lines_128"] = c.lines;
            row["bytes"] = c.bytes;
        }
        if (c.wavefronts != 0) {
            row["wavefronts"] = c.wavefronts;
            row["wavefronts_minimum"] = c.passes;
        }
        if (c.divergences != 0)
            row["divergent_branches"] = c.divergences;
        out.push_back(std::move(row));
    }
    return out;
}

Json argumentsJson(const PreparedLaunch& prepared) {
    Json out = Json::array();
    for (std::size_t i = 0; i < prepared.launch.arguments.size(); ++i) {
        const sim::Argument& a = prepared.launch.arguments[i];
        Json row{{"name", a.name}};
        if (a.tensorMap)
            row["tensor_map"] = prepared.values[i].text;
        if (a.ownsMemory()) {
            row["bytes"] = a.bytes.size();
            row["type"] = prepared.values[i].type;
        } else if (!a.tensorMap) {
            row["value"] = prepared.values[i].text;
        }
        out.push_back(std::move(row));
    }
    return out;
}

} // namespace

std::string toJson(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device, const SimReport& report) {
    const sim::Launch& l = prepared.launch;
    Json out;
    out["kernel"] = program.kernel != nullptr ? program.id : sourceName(program.program->entry().name);
    out["entry"] = program.program->entry().name;
    out["source"] = program.cudaFile.empty() ? program.id : program.cudaFile;
    if (!program.compiler.empty())
        out["compiler"] = program.compiler;
    out["target"] = program.module->target;
    out["gpu"] = device.id;
    out["gpu_name"] = device.name;
    out["as"] = std::string(name(program.form));
    out["launch"] = {{"grid", dim(l.grid)},
                     {"block", dim(l.block)},
                     {"dynamic_shared_bytes", l.dynamicSharedBytes},
                     {"static_shared_bytes", l.program->staticSharedBytes},
                     {"warps_per_block", l.warpsPerBlock()},
                     {"arguments", argumentsJson(prepared)}};
    out["finished"] = report.finished;
    out["blocks"] = {{"in_grid", report.blocksInGrid}, {"simulated", report.blocksSimulated}, {"scaled", report.scaled}, {"exact", report.isExact}};
    out["counters"] = countersJson(report.counters);
    out["metrics"] = metricsJson(report);
    Json findings = Json::array();
    for (const check::Finding& f : report.findings)
        findings.push_back(findingJson(f));
    out["findings"] = findings;
    out["model"] = modelJson(report);
    if (report.verification)
        out["verification"] = verificationJson(*report.verification);
    if (report.firstWrong)
        out["verification"]["first_wrong"] = toJson(*report.firstWrong);
    out["lines"] = linesJson(program, report);
    out["seconds"] = report.seconds;
    return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string toText(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device, const SimReport& report) {
    const sim::Launch& l = prepared.launch;
    std::string out = fmt::format("{}  ({}{})\n", program.kernel != nullptr ? program.title : sourceName(program.program->entry().name),
                                  program.cudaFile.empty() ? program.id : program.cudaFile,
                                  program.compiler.empty() ? "" : ", " + program.compiler);
    out += fmt::format("launch    {} x {} x {} blocks of {} x {} x {} threads, {} bytes of shared memory, on {}\n", l.grid.x, l.grid.y, l.grid.z,
                       l.block.x, l.block.y, l.block.z, l.sharedBytes(), device.name);
    out += fmt::format("simulated {} of {} blocks in {:.1f} ms{}{}\n", report.blocksSimulated, report.blocksInGrid, 1e3 * report.seconds,
                       report.scaled ? (report.isExact ? ", counters scaled to the grid" : ", counters estimated for the grid") : "", report.finished ? "" : ", stopped before the end");
    if (report.verification)
        out += verificationText(*report.verification);
    if (report.firstWrong)
        out += fmt::format("          {}\n", toString(*report.firstWrong));
    out += "\ncounters\n";
    for (const sim::Metric& m : sim::metrics()) {
        const double v = m.value(report.counters);
        if (v == 0)
            continue;
        const std::string text = m.unit == "1" ? fmt::format("{:.1f}%", 100 * v) : std::floor(v) == v ? fmt::format("{:.0f}", v) : fmt::format("{:.2f}", v);
        out += fmt::format("  {:<32}{:>16}  {}\n", m.label, text, m.unit == "1" ? "" : m.unit);
    }
    out += report.findings.empty() ? "\nno findings\n" : "\nfindings\n";
    for (const check::Finding& f : report.findings)
        out += fmt::format("  {} x{}: {}\n", check::name(f.kind), f.occurrences, f.message);
    if (report.point) {
        out += fmt::format("\nmodelled  {:.3g} ms, {:.3g} GFLOP/s, bound by {}\n", 1e3 * report.point->seconds, report.point->flopsPerSecond / 1e9,
                           model::toString(report.point->bottleneck));
        for (const model::RoofTime& t : report.point->times)
            out += fmt::format("  {:<20}{:>12.4g} ms\n", model::toString(t.kind), 1e3 * t.seconds);
    }
    if (report.occupancy)
        out += fmt::format("occupancy {:.0f}% ({} blocks an SM, limited by {}; {} registers a thread, {})\n", 100 * report.occupancy->occupancy,
                           report.occupancy->blocksPerSm, report.occupancy->limiterNames(), report.registersPerThread, report.registersSource);
    if (!report.modelNote.empty())
        out += fmt::format("model     {}\n", report.modelNote);
    return out;
}

} // namespace lanescope::session
