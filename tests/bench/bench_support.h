// SPDX-License-Identifier: GPL-3.0-or-later
// Programs and launches for the benchmarks. What cannot be loaded ends the benchmark with its
// message.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "engine/session/simulate.h"
#include "engine/sim/launch.h"

namespace lanescope::bench {

inline compile::Environment environment() {
    return compile::environmentFrom(
        [](const char* name) -> const char* { return std::getenv(name); });
}

struct Prepared {
    session::LoadedProgram program;
    session::PreparedLaunch launch;
    device::Device device;
};

/// The value, or the benchmark is skipped with the error and an empty value is returned.
template <class T>
std::unique_ptr<T> valueOrSkip(benchmark::State& state, Result<T> result) {
    if (result)
        return std::make_unique<T>(std::move(*result));
    state.SkipWithError(toString(result.error()).c_str());
    return nullptr;
}

inline std::unique_ptr<Prepared> prepare(benchmark::State& state,
                                         Result<session::LoadedProgram> loaded,
                                         const session::LaunchRequest& request) {
    auto program = valueOrSkip(state, std::move(loaded));
    auto device = valueOrSkip(state, device::findDevice("h100"));
    if (!program || !device)
        return nullptr;
    auto launch = valueOrSkip(state, session::prepare(*program, request, *device));
    if (!launch)
        return nullptr;
    return std::make_unique<Prepared>(
        Prepared{std::move(*program), std::move(*launch), std::move(*device)});
}

/// A kernel of the catalog at given sizes.
inline std::unique_ptr<Prepared>
prepareKernel(benchmark::State& state, const std::string& id,
              std::vector<std::pair<std::string, std::string>> parameters) {
    session::LoadRequest request;
    request.subject = id;
    request.defines = std::move(parameters);
    return prepare(state, session::load(request, environment()), {});
}

} // namespace lanescope::bench
