// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/parameters.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace lanescope::timing {

namespace {

/// How a figure goes into the parameters. Figures that the description lacks leave the parameter as it is.
struct Use {
    std::string_view key;
    double least, most;
    std::function<void(Parameters&, double)> apply;
};

int whole(double v) { return static_cast<int>(std::lround(v)); }

/// Cycles a warp instruction holds a pipe of `lanes` lanes an SM.
int pipeCycles(const Parameters& p, double lanes) { return std::max(1, whole(32.0 * p.schedulers / lanes)); }

const std::vector<Use>& uses() {
    static const std::vector<Use> all = {
        {"sm_count", 1, 1024, [](Parameters& p, double v) { p.smCount = whole(v); }},
        {"boost_clock", 1, 10000, [](Parameters& p, double v) { p.clockMegahertz = v; }},
        {"issue_slots_per_sm", 1, 8, [](Parameters& p, double v) { p.schedulers = whole(v); }},
        {"fp32_lanes_per_sm", 16, 512,
         [](Parameters& p, double v) {
             // 16 lanes a pipe and sub-partition: one pipe (64 lanes an SM) or two (128).
             p.fmaPipes = std::clamp(whole(v / (16.0 * p.schedulers)), 1, 2);
             p.fmaCycles = std::max(1, whole(32.0 * p.schedulers * p.fmaPipes / v));
         }},
        {"int_lanes_per_sm", 16, 512, [](Parameters& p, double v) { p.integerCycles = pipeCycles(p, v); }},
        {"fp64_lanes_per_sm", 1, 512, [](Parameters& p, double v) { p.fp64Cycles = pipeCycles(p, v); }},
        {"sfu_lanes_per_sm", 1, 512, [](Parameters& p, double v) { p.specialCycles = pipeCycles(p, v); }},
        {"convert_lanes_per_sm", 1, 512, [](Parameters& p, double v) { p.convertCycles = pipeCycles(p, v); }},
        {"load_store_lanes_per_sm", 8, 512, [](Parameters& p, double v) { p.lsuPortCycles = pipeCycles(p, v); }},
        {"issue_latency_math", 1, 1000, [](Parameters& p, double v) { p.math = whole(v); }},
        {"issue_latency_half", 1, 1000, [](Parameters& p, double v) { p.half = whole(v); }},
        {"issue_latency_wide", 1, 1000, [](Parameters& p, double v) { p.wide = whole(v); }},
        {"issue_latency_fp64", 1, 1000, [](Parameters& p, double v) { p.fp64 = whole(v); }},
        {"issue_latency_special", 1, 1000, [](Parameters& p, double v) { p.special = whole(v); }},
        {"issue_latency_convert", 1, 1000, [](Parameters& p, double v) { p.convert = whole(v); }},
        {"issue_latency_special_register", 1, 1000, [](Parameters& p, double v) { p.specialRegister = whole(v); }},
        {"special_register_cycles", 1, 1000, [](Parameters& p, double v) { p.specialRegisterCycles = whole(v); }},
        {"issue_latency_shuffle", 1, 1000, [](Parameters& p, double v) { p.shuffle = whole(v); }},
        {"issue_latency_vote", 1, 1000, [](Parameters& p, double v) { p.vote = whole(v); }},
        {"issue_latency_branch", 1, 1000, [](Parameters& p, double v) { p.branch = whole(v); }},
        {"issue_latency_constant", 1, 1000, [](Parameters& p, double v) { p.constant = whole(v); }},
        {"issue_latency_shared", 1, 1000, [](Parameters& p, double v) { p.shared = whole(v); }},
        {"issue_latency_l1", 1, 1000, [](Parameters& p, double v) { p.l1 = whole(v); }},
        {"issue_latency_l2", 1, 10000, [](Parameters& p, double v) { p.l2 = whole(v); }},
        {"issue_latency_dram", 1, 100000, [](Parameters& p, double v) { p.dram = whole(v); }},
        {"issue_latency_atomic_shared", 1, 10000, [](Parameters& p, double v) { p.atomicShared = whole(v); }},
        {"issue_latency_atomic_global", 1, 100000, [](Parameters& p, double v) { p.atomicGlobal = whole(v); }},
        {"barrier_latency", 1, 10000, [](Parameters& p, double v) { p.barrier = whole(v); }},
        {"barrier_arrival", 0, 100, [](Parameters& p, double v) { p.barrierArrival = whole(v); }},
        {"warp_sync_latency", 1, 1000, [](Parameters& p, double v) { p.warpSync = whole(v); }},
        {"fence_block_latency", 1, 10000, [](Parameters& p, double v) { p.fenceBlock = whole(v); }},
        {"fence_gpu_latency", 1, 100000, [](Parameters& p, double v) { p.fenceGpu = whole(v); }},
        {"bulk_copy_issue_cycles", 1, 10000, [](Parameters& p, double v) { p.bulkCopyIssue = whole(v); }},
        {"bulk_copy_latency", 0, 100000, [](Parameters& p, double v) { p.bulkCopyLatency = whole(v); }},
        {"bulk_copy_bytes_per_clock_per_sm", 1, 512, [](Parameters& p, double v) { p.bulkCopyBytesPerCycle = v; }},
        {"mbarrier_test_latency", 1, 1000, [](Parameters& p, double v) { p.mbarrierTest = whole(v); }},
        {"mbarrier_wake_latency", 0, 10000, [](Parameters& p, double v) { p.mbarrierWake = whole(v); }},
        {"wgmma_queue", 1, 64, [](Parameters& p, double v) { p.wgmmaQueue = whole(v); }},
        {"mio_queue", 1, 64, [](Parameters& p, double v) { p.mioQueue = whole(v); }},
        {"lg_queue", 1, 64, [](Parameters& p, double v) { p.lgQueue = whole(v); }},
        {"l2_bytes_per_clock_per_sm", 1, 512, [](Parameters& p, double v) { p.l2BytesPerCycle = v; }},
        {"l2_store_bytes_per_clock_per_sm", 1, 512, [](Parameters& p, double v) { p.l2StoreBytesPerCycle = v; }},
        {"dram_bandwidth", 1, 100000, [](Parameters& p, double v) { p.dramBytesPerCycle = v; }},
        {"code_line_cycles", 0, 1000, [](Parameters& p, double v) { p.codeLineCycles = whole(v); }},
        {"first_code_cycles", 0, 10000, [](Parameters& p, double v) { p.firstCodeCycles = whole(v); }},
        {"first_constant_cycles", 0, 10000, [](Parameters& p, double v) { p.firstConstantCycles = whole(v); }},
        {"schedule_window", 1, 4096, [](Parameters& p, double v) { p.scheduleWindow = whole(v); }},
    };
    return all;
}

std::string descriptionOf(std::string_view key) {
    for (const device::FigureKind& kind : device::figureKinds())
        if (kind.key == key)
            return std::string(kind.description);
    return {};
}

} // namespace

Result<Parameters> parametersOf(const device::Device& device, const Overrides& overrides) {
    Parameters p;
    Diagnostics errors;
    for (const auto& [key, value] : overrides) {
        const auto use = std::find_if(uses().begin(), uses().end(), [&](const Use& u) { return u.key == key; });
        if (use == uses().end()) {
            std::string known;
            for (const Use& u : uses())
                known += (known.empty() ? "" : ", ") + std::string(u.key);
            errors.push_back({Severity::Error, "timing", fmt::format("the timing has no figure '{}'", key), {}, "the figures are " + known});
        } else if (!(value >= use->least && value <= use->most)) {
            errors.push_back({Severity::Error, "timing", fmt::format("{} = {:g} is out of range", key, value), {},
                              fmt::format("give a value from {:g} to {:g}", use->least, use->most)});
        }
    }
    if (!errors.empty())
        return failure(std::move(errors));
    for (const Use& use : uses()) {
        const device::Figure* figure = device.figure(use.key);
        // A product's own pointer chase says more than what is assumed for all.
        for (const auto& [own, chase] : {std::pair{"issue_latency_l2", "latency_l2"}, std::pair{"issue_latency_dram", "latency_dram"}})
            if (use.key == own && (figure == nullptr || figure->assumed) && device.figure(chase) != nullptr)
                figure = device.figure(chase);
        // What was measured by reading is nearer to what an SM can get than what is advertised.
        if (use.key == "dram_bandwidth" && device.figure("dram_copy_bandwidth_measured") != nullptr)
            figure = device.figure("dram_copy_bandwidth_measured");
        const auto own = overrides.find(use.key);
        if (figure == nullptr && own == overrides.end())
            continue;
        NamedFigure named{std::string(use.key), descriptionOf(use.key), figure != nullptr ? *figure : device::Figure{}, false, {}, use.least, use.most};
        if (own != overrides.end()) {
            if (figure != nullptr)
                named.published = figure->value;
            named.figure.value = own->second;
            named.figure.source = "set by the user";
            named.figure.assumed = false;
            named.overridden = true;
        }
        use.apply(p, named.figure.value);
        p.figures.push_back(std::move(named));
    }
    // Bandwidth in GB/s to bytes a cycle of one SM.
    if (p.clockMegahertz > 0 && p.smCount > 0)
        p.dramBytesPerCycle = p.dramBytesPerCycle * 1e3 / (p.smCount * p.clockMegahertz);
    else
        p.dramBytesPerCycle = Parameters{}.dramBytesPerCycle;
    p.l1Bytes = device.limits.unifiedL1Bytes.value_or(0);
    return p;
}

const std::vector<std::string>& assumptions() {
    static const std::vector<std::string> all = {
        "The instructions are those of the PTX: parameters, copies of registers and address-space conversions cost nothing, 64-bit additions two "
        "slots, divisions and roots what their expansion costs; what else ptxas fuses or merges is not modelled.",
        "Within a basic block loads are moved up as ptxas does, within a window of instructions (schedule_window), regardless of registers.",
        "A scheduler issues from the warp that has been able to for longest.",
        "Blocks of the first wave that share the SM start together; the blocks of later waves take as long.",
        "The L1 is set-associative with 4 lines a set, 32-byte sectors, least recently used; it has what shared memory leaves of the unified memory.",
        "An SM has an equal share of the bandwidth of L2 and device memory; for bulk copies the SMs that have blocks share that of device memory. Of the sectors it touches first, the share that no other SM has "
        "brought into the L2 comes from device memory: bytes of the buffers / bytes that all SMs touch.",
        "Memory that was evicted from the L1 hits the L2. Caches for instructions and constants only miss at first touch.",
        "Who arrives at which phase of an mbarrier is taken from the simulation, when is timed; rounds of a loop that only test it are one wait. Asking "
        "for a bulk copy never waits for the copy engine. The tensor cores of a warpgroup's four warps go on by themselves.",
        "Each register file bank serves every instruction; operands from constant memory cost nothing extra.",
    };
    return all;
}

} // namespace lanescope::timing
