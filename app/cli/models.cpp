// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope occupancy, roofline, waves: the models by themselves.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "engine/session/simulate.h"

namespace lanescope::cli {

using Json = nlohmann::ordered_json;

namespace {

Json explanationJson(const model::Explanation& e) {
    Json inputs = Json::array();
    for (const model::ExplanationInput& i : e.inputs)
        inputs.push_back({{"name", i.name}, {"value", i.value}, {"unit", i.unit}, {"source", i.source}});
    return {{"figure", e.figure}, {"formula", e.formula}, {"inputs", inputs}, {"assumptions", e.assumptions}};
}

struct OccupancyArguments {
    std::string gpu;
    int threads = 256, registers = 32, barriers = 1;
    std::int64_t shared = 0;
    bool json = false;
};

Result<void> runOccupancy(const OccupancyArguments& a) {
    const Result<device::Device> device = device::findDevice(a.gpu);
    if (!device)
        return failure(device.error());
    model::OccupancyInput input;
    input.threads = a.threads;
    input.registersPerThread = a.registers;
    input.dynamicSharedBytes = a.shared;
    input.barriers = a.barriers;
    const Result<model::Occupancy> o = model::occupancy(*device, input);
    if (!o)
        return failure(o.error());
    const auto optional = [](const std::optional<int>& v) { return v ? Json(*v) : Json(); };
    if (a.json) {
        Json explanations = Json::array();
        for (const model::Explanation& e : o->explanations)
            explanations.push_back(explanationJson(e));
        print(Json{{"gpu", device->id},
                   {"blocks_per_sm", o->blocksPerSm},
                   {"warps_per_sm", o->warpsPerSm},
                   {"occupancy", o->occupancy},
                   {"limits",
                    {{"warps", o->limits.warps}, {"blocks", o->limits.blocks}, {"registers", optional(o->limits.registers)}, {"shared", optional(o->limits.shared)}}},
                   {"limiter", o->limiterNames()},
                   {"allocated", {{"registers_per_block", o->registersAllocated}, {"shared_bytes_per_block", o->sharedAllocated}, {"threads_per_block", o->lanesAllocated}}},
                   {"requested", {{"registers_per_block", o->registersRequested}, {"shared_bytes_per_block", o->sharedRequested}, {"threads_per_block", o->lanesRequested}}},
                   {"explanations", explanations}}
                  .dump(2) +
              "\n");
        return {};
    }
    const auto text = [](const std::optional<int>& v) { return v ? std::to_string(*v) : std::string("no limit"); };
    print(fmt::format("{}: {} blocks an SM, {} of {} warps, occupancy {:.1f}%\n"
                      "limits    warps {}, blocks {}, registers {}, shared memory {}\n"
                      "limiter   {}\n"
                      "a block   asks for {} registers and gets {}, asks for {} bytes of shared memory and gets {}\n",
                      device->name, o->blocksPerSm, o->warpsPerSm, device->limits.warpsPerSm(), 100 * o->occupancy, o->limits.warps, o->limits.blocks,
                      text(o->limits.registers), text(o->limits.shared), o->limiterNames(), o->registersRequested, o->registersAllocated,
                      o->sharedRequested, o->sharedAllocated));
    return {};
}

struct RooflineArguments {
    std::vector<std::string> kernels, sizes;
    std::string gpu = "h100";
    bool json = false;
};

Result<void> runRoofline(const RooflineArguments& a) {
    const Result<device::Device> device = device::findDevice(a.gpu);
    if (!device)
        return failure(device.error());
    if (!device->isProduct())
        return failure("device", fmt::format("{} is a bare compute capability, without a clock or bandwidth", a.gpu), {},
                       "name a GPU: `lanescope devices` lists them");
    const Result<catalog::Overrides> sizes = catalog::parseOverrides(a.sizes);
    if (!sizes)
        return failure(sizes.error());
    const Result<std::vector<model::Roof>> roofs = model::roofsOf(*device);
    if (!roofs)
        return failure(roofs.error());
    const Result<std::vector<session::ModelledKernel>> points = session::rooflinePoints(a.gpu, a.kernels, *sizes, environment());
    if (!points)
        return failure(points.error());
    Json roofList = Json::array(), pointList = Json::array();
    std::string text = fmt::format("{}, modelled\n", device->name);
    for (const model::Roof& r : *roofs) {
        roofList.push_back({{"roof", model::toString(r.kind)}, {"per_second", r.perSecond}, {"unit", r.unit}, {"bytes_per_unit", r.bytesPerUnit}, {"explanation", explanationJson(r.explanation)}});
        text += fmt::format("  roof {:<20}{:>12.4g} {} a second\n", model::toString(r.kind), r.perSecond, r.unit);
    }
    for (const session::ModelledKernel& k : *points) {
        Json times, intensity;
        for (const model::RoofTime& t : k.point.times)
            times[model::toString(t.kind)] = t.seconds;
        for (const model::Intensity& i : k.point.intensities)
            intensity[i.level] = i.flopsPerByte;
        pointList.push_back({{"kernel", k.id}, {"title", k.title}, {"kind", "modelled"}, {"time_s", k.point.seconds}, {"flops_per_s", k.point.flopsPerSecond}, {"bottleneck", model::toString(k.point.bottleneck)}, {"times_s", times}, {"flops_per_byte", intensity}});
        text += fmt::format("{:<24}{:>10.4g} GFLOP/s, bound by {}\n", k.id, k.point.flopsPerSecond / 1e9, model::toString(k.point.bottleneck));
    }
    print(a.json ? Json{{"gpu", device->id}, {"roofs", roofList}, {"points", pointList}}.dump(2) + "\n" : text);
    return {};
}

struct WavesArguments {
    std::string gpu;
    std::int64_t blocks = 0, perSm = 1;
    bool json = false;
};

Result<void> runWaves(const WavesArguments& a) {
    const Result<device::Device> device = device::findDevice(a.gpu);
    if (!device)
        return failure(device.error());
    const auto sms = device->value("sm_count");
    if (!sms)
        return failure("device", fmt::format("{} has no number of SMs", device->name), {}, "name a GPU: `lanescope devices` lists them");
    const Result<model::Waves> w = model::waves(a.blocks, static_cast<std::int64_t>(*sms), a.perSm);
    if (!w)
        return failure(w.error());
    if (a.json)
        print(Json{{"gpu", device->id}, {"blocks", w->blocks}, {"sms", w->sms}, {"blocks_per_sm", w->blocksPerSm}, {"waves", w->waves}, {"full_waves", w->fullWaves}, {"tail_blocks", w->tailBlocks}, {"idle_sms_in_tail", w->idleSmsInTail}, {"slots_used", w->slotsUsed}}
                  .dump(2) +
              "\n");
    else
        print(fmt::format("{} blocks on {} SMs, {} an SM: {} waves, the last of {} blocks; {:.1f}% of the slots used\n", w->blocks, w->sms, w->blocksPerSm,
                          w->waves, w->tailBlocks == 0 ? w->capacity : w->tailBlocks, 100 * w->slotsUsed));
    return {};
}

} // namespace

void addOccupancy(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand("occupancy", "How many blocks and warps of a kernel an SM holds, and what limits it");
    auto a = std::make_shared<OccupancyArguments>();
    sub->add_option("--gpu", a->gpu, "A GPU or ccX.Y")->required();
    sub->add_option("--threads", a->threads, "Threads of a block")->required();
    sub->add_option("--regs", a->registers, "Registers of a thread")->required();
    sub->add_option("--shared", a->shared, "Shared memory of a block in bytes, static and dynamic")->capture_default_str();
    sub->add_option("--barriers", a->barriers, "Named barriers that a block uses")->capture_default_str();
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Example:\n  lanescope occupancy --gpu cc8.6 --threads 256 --regs 104");
    sub->callback([a, &status] {
        if (const Result<void> ran = runOccupancy(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

void addRoofline(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand("roofline", "Modelled points of kernels under the roofs of a GPU");
    auto a = std::make_shared<RooflineArguments>();
    sub->add_option("kernels", a->kernels, "Kernels of the catalog")->required();
    sub->add_option("--gpu", a->gpu, "A GPU (see `lanescope devices`)")->capture_default_str();
    sub->add_option("-D", a->sizes, "NAME=VALUE: a size or tile parameter of the kernels that have it")->allow_extra_args(false);
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Example:\n  lanescope roofline k01_naive k02_coalesced k03_shared --gpu rtx-a6000 -D M=4096 -D N=4096 -D K=256");
    sub->callback([a, &status] {
        if (const Result<void> ran = runRoofline(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

void addWaves(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand("waves", "How the blocks of a grid fill the SMs");
    auto a = std::make_shared<WavesArguments>();
    sub->add_option("--gpu", a->gpu, "A GPU (see `lanescope devices`)")->required();
    sub->add_option("--blocks", a->blocks, "Blocks of the grid")->required();
    sub->add_option("--blocks-per-sm", a->perSm, "Blocks that an SM holds at a time")->capture_default_str();
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Example:\n  lanescope waves --gpu b200 --blocks 160");
    sub->callback([a, &status] {
        if (const Result<void> ran = runWaves(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

} // namespace lanescope::cli
