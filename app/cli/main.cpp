// SPDX-License-Identifier: GPL-3.0-or-later
// The command line. Each subcommand parses its options and calls the engine; see commands.h.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include <CLI/CLI.hpp>

#include "app/cli/commands.h"

namespace {

/// One line on standard error, as for bad input.
int reportUsage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
    const std::string first = argc > 1 ? argv[1] : "";
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    const bool isCommand = std::any_of(commands.begin(), commands.end(),
                                       [&](const CLI::App* s) { return s->get_name() == first; });
    std::string what = error.what();
    if (!isCommand && !first.empty() && first[0] != '-') {
        std::string names;
        for (const CLI::App* s : commands)
            names += (names.empty() ? "" : ", ") + s->get_name();
        what = "there is no subcommand '" + first + "'; there are " + names;
    } else if (!isCommand && first.size() > 1) {
        what = "a subcommand must come first, not " + first;
    }
    std::fprintf(stderr, "lanescope: %s (see `lanescope %s--help`)\n", what.c_str(),
                 isCommand ? (first + " ").c_str() : "");
    return lanescope::cli::kUsage;
}

} // namespace

int main(int argc, char** argv) {
    using namespace lanescope::cli;
    try {
        CLI::App app("Lanescope steps CUDA kernels warp by warp on a simulator and counts what the "
                     "hardware would count.",
                     "lanescope");
        app.set_version_flag("--version", std::string("lanescope ") + LANESCOPE_VERSION);
        app.require_subcommand(1);
        app.footer("Examples:\n"
                   "  lanescope sim k01_naive -D M=128 -D N=128 -D K=128\n"
                   "  lanescope sim mine.cu --kernel add --grid 4 --block 256 --arg "
                   "random:f32:1000 --arg zeros:4000 --arg i32:1000\n"
                   "  lanescope occupancy --gpu h100 --threads 128 --regs 96 --shared 32768\n"
                   "  lanescope roofline k01_naive k02_coalesced --gpu rtx-a6000\n\n"
                   "Exit status: 0 it ran (findings or not), 1 bad input, 2 wrong usage.");
        int status = kOk;
        for (const auto& add : {addSim, addKernels, addDevices, addLessons, addModels,
                                addRoofline, addLadder, addSweep, addCompile, addSass, addCompare, addTiming, addRun, addFidelity})
            add(app, status);
        try {
            app.parse(argc, argv);
        } catch (const CLI::ParseError& e) {
            return e.get_exit_code() == 0 ? app.exit(e) : reportUsage(app, e, argc, argv);
        }
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
            std::fprintf(stderr, "lanescope: standard output cannot be written\n");
            return kBadInput;
        }
        return status;
    } catch (const std::bad_alloc&) {
        std::fprintf(
            stderr,
            "lanescope: there is not enough memory (use a smaller problem, or --blocks sample)\n");
        return kBadInput;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "lanescope: %s\n", e.what());
        return kBadInput;
    }
}
