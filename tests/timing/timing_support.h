// SPDX-License-Identifier: GPL-3.0-or-later
// Times a PTX kernel body on a GPU's description.
#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "engine/session/timing.h"

namespace lanescope::test {

struct Timed {
    session::LoadedProgram program;
    session::TimingReport report;
    const timing::SmTiming& sm() const { return report.sm; }
};

struct TimedLaunch {
    std::uint32_t grid = 1, threads = 32;
    std::vector<std::string> arguments{"zeros:1048576"};
    std::string gpu = "h200";
    session::TimingOptions options;
};

/// A module with one kernel k(p0) whose buffer is in %rd0, thread index in %r0, and 8 KiB of shared memory s.
inline std::string ptxKernel(const std::string& body) {
    return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p0)\n{\n"
           ".reg .pred %p<16>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<64>;\n.reg .f64 %d<16>;\n"
           ".shared .align 16 .b8 s[32768];\n"
           "ld.param.u64 %rd0, [p0];\nmov.u32 %r0, %tid.x;\n" +
           body + "\nret;\n}\n";
}

inline Timed timeText(const std::string& text, const std::string& entry, const TimedLaunch& launch) {
    Result<session::LoadedProgram> program = session::loadPtx(text, "test.ptx", entry);
    if (!program)
        FAIL(toString(program.error()));
    const Result<device::Device> device = device::findDevice(launch.gpu);
    REQUIRE(device);
    session::LaunchRequest request;
    request.grid = Dim3{launch.grid, 1, 1};
    request.block = Dim3{launch.threads, 1, 1};
    request.arguments = launch.arguments;
    const Result<session::PreparedLaunch> prepared = session::prepare(*program, request, *device);
    if (!prepared)
        FAIL(toString(prepared.error()));
    Result<session::TimingReport> report = session::timeLaunch(*program, *prepared, *device, launch.options);
    if (!report)
        FAIL(toString(report.error()));
    return {std::move(*program), std::move(*report)};
}

inline Timed timeKernel(const std::string& body, const TimedLaunch& launch = {}) { return timeText(ptxKernel(body), "k", launch); }

inline std::string repeated(int count, const std::string& text) {
    std::string out;
    for (int i = 0; i < count; ++i)
        out += text;
    return out;
}

} // namespace lanescope::test
