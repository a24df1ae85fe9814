// SPDX-License-Identifier: GPL-3.0-or-later
// Whole kernels with counters and all checks on, in this process and as `lanescope sim`.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include "tests/bench/bench_support.h"

extern char** environ;

namespace lanescope::bench {

namespace {

void simulateKernel(benchmark::State& state, const char* id,
                    std::vector<std::pair<std::string, std::string>> parameters) {
    const auto prepared = prepareKernel(state, id, std::move(parameters));
    if (!prepared)
        return;
    std::uint64_t instructions = 0;
    for (auto _ : state) {
        sim::Memory memory = sim::makeMemory(prepared->launch.launch);
        const auto report =
            session::simulate(prepared->program, prepared->launch, prepared->device, memory, {});
        if (!report || !report->finished) {
            state.SkipWithError("the simulation did not finish");
            return;
        }
        instructions += report->counters.total.executions;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(instructions)); // warp instructions
}

void naive128(benchmark::State& state) {
    simulateKernel(state, "k01_naive", {{"M", "128"}, {"N", "128"}, {"K", "128"}});
}
void coalesced128(benchmark::State& state) {
    simulateKernel(state, "k02_coalesced", {{"M", "128"}, {"N", "128"}, {"K", "128"}});
}
void shared128(benchmark::State& state) {
    simulateKernel(state, "k03_shared", {{"M", "128"}, {"N", "128"}, {"K", "128"}});
}
BENCHMARK(naive128)->Unit(benchmark::kMillisecond);
BENCHMARK(coalesced128)->Unit(benchmark::kMillisecond);
BENCHMARK(shared128)->Unit(benchmark::kMillisecond);

/// From exec to exit, by the wall clock.
void runProgram(benchmark::State& state, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LANESCOPE_PROGRAM);
    std::vector<char*> argv;
    for (std::string& a : arguments)
        argv.push_back(a.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    for (auto _ : state) {
        pid_t pid = 0;
        int status = -1;
        if (::posix_spawn(&pid, LANESCOPE_PROGRAM, &actions, nullptr, argv.data(), environ) != 0 ||
            ::waitpid(pid, &status, 0) != pid || status != 0) {
            state.SkipWithError("lanescope did not run");
            break;
        }
    }
    posix_spawn_file_actions_destroy(&actions);
}

void processNaive128(benchmark::State& state) {
    runProgram(state, {"sim", "k01_naive", "-D", "M=128", "-D", "N=128", "-D", "K=128", "--json"});
}
void processStart(benchmark::State& state) {
    runProgram(state, {"--version"});
}
void processDevices(benchmark::State& state) {
    runProgram(state, {"devices"});
}
BENCHMARK(processNaive128)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(processStart)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(processDevices)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

} // namespace lanescope::bench
