// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/launch_options.h"
#include "engine/base/file.h"
#include "engine/session/hardware_counters.h"
#include "engine/session/simulate.h"

namespace lanescope::cli {

namespace {

struct SimArguments : LaunchArguments {
    std::string blocks = "all", schedule = "turn", maxInstructions = "2000000000";
    std::string ncu, ncuLaunch;
    bool json = false;
    std::vector<std::string> dumps;
};

constexpr std::uint64_t kMostListedBlocks = 1 << 20;

Result<session::SimulateOptions> parseBlocks(const SimArguments& a) {
    session::SimulateOptions options;
    const Result<std::int64_t> most =
        wholeNumber("--max-instructions", a.maxInstructions, 1, INT64_MAX);
    if (!most)
        return failure(most.error());
    options.maxInstructions = static_cast<std::uint64_t>(*most);
    if (a.blocks == "all")
        return options;
    if (a.blocks == "sample") {
        options.blocks = session::BlockChoice::Sample;
        return options;
    }
    options.blocks = session::BlockChoice::List;
    const char* at = a.blocks.data();
    const char* end = at + a.blocks.size();
    const auto wrong = [&] {
        return failure(
            "argument",
            fmt::format("--blocks '{}' is neither all, sample nor a list of block numbers",
                        a.blocks),
            {}, "for example --blocks 0,5,17 or 0-3,8; blocks are numbered from 0, x fastest");
    };
    for (;;) {
        std::uint64_t first = 0;
        auto [next, error] = std::from_chars(at, end, first);
        std::uint64_t last = first;
        if (error == std::errc{} && next != end && *next == '-') {
            const auto range = std::from_chars(next + 1, end, last);
            next = range.ptr;
            error = range.ec;
        }
        if (error != std::errc{} || (next != end && *next != ',') || last < first)
            return wrong();
        if (last - first >= kMostListedBlocks || options.blockList.size() > kMostListedBlocks)
            return failure(
                "argument",
                fmt::format("--blocks '{}' lists more than {} blocks", a.blocks, kMostListedBlocks),
                {}, "use all or sample");
        for (std::uint64_t block = first; block <= last; ++block)
            options.blockList.push_back(block);
        if (next == end)
            return options;
        at = next + 1;
    }
}

Result<void> parseSchedule(const SimArguments& a, session::LaunchRequest& out) {
    const std::string kind = a.schedule.substr(0, a.schedule.find(':'));
    if (kind == "random") {
        out.schedule = sim::Schedule::Random;
        if (const std::size_t colon = a.schedule.find(':'); colon != std::string::npos) {
            const std::string seed = a.schedule.substr(colon + 1);
            const auto [next, error] =
                std::from_chars(seed.data(), seed.data() + seed.size(), out.seed);
            if (error != std::errc{} || next != seed.data() + seed.size())
                return failure("argument", fmt::format("--schedule '{}': the seed is not a number",
                                                       a.schedule));
        }
    } else if (a.schedule == "reverse") {
        out.schedule = sim::Schedule::Reverse;
    } else if (a.schedule != "turn") {
        return failure("argument", fmt::format("--schedule '{}' is not known", a.schedule), {},
                       "turn, reverse or random[:SEED]");
    }
    return {};
}

Result<std::pair<std::size_t, std::string>> parseDump(const std::string& text) {
    const std::size_t colon = text.find(':');
    std::size_t index = 0;
    const auto [next, error] =
        std::from_chars(text.data(), text.data() + std::min(colon, text.size()), index);
    if (colon == std::string::npos || error != std::errc{} || next != text.data() + colon ||
        colon + 1 == text.size())
        return failure("argument", fmt::format("--dump '{}' is not INDEX:FILE", text), {},
                       "for example --dump 2:c.bin writes argument 2 after the run");
    return std::pair(index, text.substr(colon + 1));
}

Result<void> runSim(const SimArguments& a) {
    const Result<device::Device> device = device::findDevice(a.gpu);
    if (!device)
        return failure(device.error());
    const Result<session::LoadRequest> load = loadRequest(a);
    if (!load)
        return failure(load.error());
    Result<session::SimulateOptions> options = parseBlocks(a);
    if (!options)
        return failure(options.error());
    Result<session::LaunchRequest> request = launchRequest(a);
    if (!request)
        return failure(request.error());
    if (const Result<void> parsed = parseSchedule(a, *request); !parsed)
        return failure(parsed.error());
    std::vector<std::pair<std::size_t, std::string>> dumps;
    for (const std::string& d : a.dumps) {
        Result<std::pair<std::size_t, std::string>> dump = parseDump(d);
        if (!dump)
            return failure(dump.error());
        dumps.push_back(std::move(*dump));
    }
    if (a.ncu.empty() && !a.ncuLaunch.empty())
        return failure("argument", "--ncu-launch needs the file of --ncu", {}, "give --ncu FILE.csv");
    std::optional<session::NcuReport> ncu;
    if (!a.ncu.empty()) {
        Result<session::NcuReport> read = session::readNcuCsv(a.ncu);
        if (!read)
            return failure(read.error());
        ncu = std::move(*read);
    }
    const Result<session::LoadedProgram> program = session::load(*load, environment());
    if (!program)
        return failure(program.error());
    const Result<session::PreparedLaunch> prepared = session::prepare(*program, *request, *device);
    if (!prepared)
        return failure(prepared.error());
    sim::Memory memory = sim::makeMemory(prepared->launch);
    for (const auto& [index, path] : dumps)
        if (index >= memory.allocationOfArgument.size() || memory.allocationOfArgument[index] < 0)
            return failure("argument",
                           fmt::format("--dump {}: argument {} is not a buffer", index, index), {},
                           fmt::format("the kernel has {} arguments, numbered from 0",
                                       memory.allocationOfArgument.size()));
    Result<session::SimReport> report =
        session::simulate(*program, *prepared, *device, memory, *options);
    if (!report)
        return failure(report.error());
    for (const auto& [index, path] : dumps) {
        const std::vector<std::uint8_t>& bytes =
            memory.global.at(static_cast<std::size_t>(memory.allocationOfArgument[index])).bytes;
        if (Result<void> written =
                writeFile(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
            !written)
            return failure(written.error());
    }
    std::optional<session::HardwareComparison> hardware;
    if (ncu) {
        Result<session::HardwareComparison> compared =
            session::compareWithHardware(session::hardwareSide(*program, *prepared, *device, *report), *ncu, a.ncuLaunch);
        if (!compared)
            return failure(compared.error());
        hardware = std::move(*compared);
    }
    if (!a.json) {
        print(session::toText(*program, *prepared, *device, *report));
        if (hardware)
            print("\n" + session::toText(*hardware));
        return {};
    }
    std::string json = session::toJson(*program, *prepared, *device, *report);
    if (hardware) {
        auto whole = nlohmann::ordered_json::parse(json);
        whole["hardware"] = nlohmann::ordered_json::parse(session::toJson(*hardware));
        json = whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    print(json + "\n");
    return {};
}

} // namespace

void addSim(CLI::App& app, int& status) {
    CLI::App* sub =
        app.add_subcommand("sim", "Simulate a kernel: counters, findings and the model");
    auto a = std::make_shared<SimArguments>();
    addLaunchOptions(*sub, *a);
    sub->add_option("--blocks", a->blocks,
                    "all, sample (and scale), or a list of block numbers such as 0,5,8-11")
        ->capture_default_str();
    sub->add_option("--schedule", a->schedule, "Order of the warps: turn, reverse or random[:SEED]")
        ->capture_default_str();
    sub->add_option("--max-instructions", a->maxInstructions,
                    "Stop after this many warp instructions")
        ->capture_default_str();
    sub->add_option("--dump", a->dumps, "INDEX:FILE: write an argument's buffer after the run")
        ->allow_extra_args(false);
    sub->add_option("--ncu", a->ncu, "FILE.csv of `ncu --csv`: the hardware's counters beside ours");
    sub->add_option("--ncu-launch", a->ncuLaunch, "Which launch of the file, by its ID (without it: by name, grid and block)");
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Examples:\n"
                "  lanescope sim k03_shared -D BS=16 --gpu rtx-a6000 --json\n"
                "  lanescope sim k01_naive -D M=4096 -D N=4096 -D K=256 --blocks sample\n"
                "  lanescope sim k01_naive --gpu h200 --ncu counters.csv          made with: ncu --csv --page raw PROGRAM > counters.csv\n"
                "  lanescope sim saxpy.cu --grid 4 --block 256 --arg f32:2 --arg iota:f32:1000 "
                "--arg random:f32:1000:7 --arg i32:1000\n"
                "  lanescope sim kernels.ptx --kernel mm_naive --grid 8,8 --block 32,32 --arg "
                "i32:256 --arg i32:256 --arg i32:256 \\\n"
                "      --arg random:f32:65536:1 --arg random:f32:65536:2 --arg zeros:262144 --dump "
                "5:c.bin");
    sub->callback([a, &status] {
        if (const Result<void> ran = runSim(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

} // namespace lanescope::cli
