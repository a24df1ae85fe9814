// SPDX-License-Identifier: GPL-3.0-or-later
// The command line. Each subcommand parses its options and calls the engine; see commands.h.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

#include "app/cli/commands.h"

int main(int argc, char** argv) {
    using namespace lanescope::cli;
    try {
        CLI::App app("Lanescope steps CUDA kernels warp by warp on a simulator and counts what the hardware would count.", "lanescope");
        app.set_version_flag("--version", std::string("lanescope ") + LANESCOPE_VERSION);
        app.require_subcommand(1);
        app.footer("Examples:\n"
                   "  lanescope sim k01_naive -D M=128 -D N=128 -D K=128\n"
                   "  lanescope sim mine.cu --kernel add --grid 4 --block 256 --arg random:f32:1000 --arg zeros:4000 --arg i32:1000\n"
                   "  lanescope occupancy --gpu h100 --threads 128 --regs 96 --shared 32768\n"
                   "  lanescope roofline k01_naive k02_coalesced --gpu rtx-a6000\n\n"
                   "Exit status: 0 it ran (findings or not), 1 bad input, 2 wrong usage.");
        int status = kOk;
        for (const auto& add : {addSim, addKernels, addDevices, addOccupancy, addRoofline, addWaves, addCompile})
            add(app, status);
        try {
            app.parse(argc, argv);
        } catch (const CLI::ParseError& e) {
            const int code = app.exit(e);
            return code == 0 ? kOk : kUsage;
        }
        return status;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "lanescope: %s\n", e.what());
        return kBadInput;
    }
}
