// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a kernel of a PTX text for a test: sizes, arguments, schedule in; counters, findings and buffers out.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/session/simulate.h"

namespace lanescope::test {

struct PtxRun {
    session::SimReport report;
    std::vector<std::vector<std::uint8_t>> buffers; ///< by argument; empty for scalars

    template <class T>
    T at(std::size_t argument, std::size_t element) const {
        T value;
        std::memcpy(&value, buffers.at(argument).data() + element * sizeof value, sizeof value);
        return value;
    }
    std::uint64_t occurrences(check::FindingKind kind) const {
        std::uint64_t n = 0;
        for (const check::Finding& f : report.findings)
            n += f.kind == kind ? f.occurrences : 0;
        return n;
    }
    double metric(const std::string& ncuName) const {
        for (const sim::Metric& m : sim::metrics())
            if (m.ncuName == ncuName)
                return m.value(report.counters);
        FAIL("no metric " << ncuName);
        return 0;
    }
};

struct PtxLaunch {
    Dim3 grid{1, 1, 1}, block{32, 1, 1};
    std::uint64_t shared = 0;
    std::vector<std::string> arguments;
    sim::Schedule schedule = sim::Schedule::InTurn;
    std::uint64_t seed = 1;
    std::uint64_t maxInstructions = 50'000'000;
};

inline session::LoadedProgram loadText(const std::string& text, const std::string& entry) {
    Result<session::LoadedProgram> program = session::loadPtx(text, "test.ptx", entry);
    if (!program)
        FAIL(toString(program.error()));
    return std::move(*program);
}

inline PtxRun run(const session::LoadedProgram& program, const PtxLaunch& launch) {
    const Result<device::Device> device = device::findDevice("h200");
    session::LaunchRequest request;
    request.grid = launch.grid;
    request.block = launch.block;
    request.dynamicSharedBytes = launch.shared;
    request.arguments = launch.arguments;
    request.schedule = launch.schedule;
    request.seed = launch.seed;
    const Result<session::PreparedLaunch> prepared = session::prepare(program, request, *device);
    if (!prepared)
        FAIL(toString(prepared.error()));
    sim::Memory memory = sim::makeMemory(prepared->launch);
    session::SimulateOptions options;
    options.maxInstructions = launch.maxInstructions;
    Result<session::SimReport> report = session::simulate(program, *prepared, *device, memory, options);
    if (!report)
        FAIL(toString(report.error()));
    PtxRun out{std::move(*report), {}};
    for (const int allocation : memory.allocationOfArgument)
        out.buffers.push_back(allocation < 0 ? std::vector<std::uint8_t>() : memory.global.at(static_cast<std::size_t>(allocation)).bytes);
    return out;
}

/// A module around one kernel body whose first parameters are pointers p0, p1, ... in %rd0, %rd1, ...
inline std::string kernel(const std::string& body, int pointers = 1, const std::string& declarations = "") {
    std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n" + declarations + "\n.visible .entry k(";
    for (int i = 0; i < pointers; ++i)
        text += (i == 0 ? "" : ", ") + std::string(".param .u64 p") + std::to_string(i);
    text += ")\n{\n.reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<32>;\n.reg .f64 %d<8>;\n";
    for (int i = 0; i < pointers; ++i)
        text += "ld.param.u64 %rd" + std::to_string(i) + ", [p" + std::to_string(i) + "];\n";
    return text + body + "\nret;\n}\n";
}

} // namespace lanescope::test
