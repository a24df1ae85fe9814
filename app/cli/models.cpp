// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope occupancy and waves: the models by themselves. Roofline has a file of its own.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/explanation_json.h"
#include "engine/session/simulate.h"

namespace lanescope::cli {

using Json = nlohmann::ordered_json;

namespace {

struct OccupancyArguments {
    std::string gpu, threads, registers, barriers = "1", shared = "0";
    bool json = false;
};

Result<void> runOccupancy(const OccupancyArguments& a) {
    const Result<device::Device> device = device::findDevice(a.gpu);
    if (!device)
        return failure(device.error());
    // What is a number but no launch is for the model to refuse; it knows the GPU's limits.
    const Result<std::int64_t> threads = wholeNumber("--threads", a.threads, 1, INT32_MAX);
    const Result<std::int64_t> registers = wholeNumber("--regs", a.registers, 0, INT32_MAX);
    const Result<std::int64_t> barriers = wholeNumber("--barriers", a.barriers, 0, 16);
    const Result<std::int64_t> shared = wholeNumber("--shared", a.shared, 0, INT32_MAX);
    for (const Result<std::int64_t>* number : {&threads, &registers, &barriers, &shared})
        if (!*number)
            return failure(number->error());
    model::OccupancyInput input;
    input.threads = static_cast<int>(*threads);
    input.registersPerThread = static_cast<int>(*registers);
    input.dynamicSharedBytes = *shared;
    input.barriers = static_cast<int>(*barriers);
    const Result<model::Occupancy> o = model::occupancy(*device, input);
    if (!o)
        return failure(o.error());
    const auto optional = [](const std::optional<int>& v) { return v ? Json(*v) : Json(); };
    if (a.json) {
        Json explanations = Json::array();
        for (const model::Explanation& e : o->explanations)
            explanations.push_back(explanationJson(e));
        print(Json{{"gpu", device->id},
                   {"gpu_name", device->name},
                   {"blocks_per_sm", o->blocksPerSm},
                   {"warps_per_sm", o->warpsPerSm},
                   {"occupancy", o->occupancy},
                   {"limits",
                    {{"warps", o->limits.warps},
                     {"blocks", o->limits.blocks},
                     {"registers", optional(o->limits.registers)},
                     {"shared", optional(o->limits.shared)}}},
                   {"limiter", o->limiterNames()},
                   {"allocated",
                    {{"registers_per_block", o->registersAllocated},
                     {"shared_bytes_per_block", o->sharedAllocated},
                     {"threads_per_block", o->lanesAllocated}}},
                   {"requested",
                    {{"registers_per_block", o->registersRequested},
                     {"shared_bytes_per_block", o->sharedRequested},
                     {"threads_per_block", o->lanesRequested}}},
                   {"explanations", explanations}}
                  .dump(2) +
              "\n");
        return {};
    }
    const auto text = [](const std::optional<int>& v) {
        return v ? std::to_string(*v) : std::string("no limit");
    };
    print(fmt::format("{}: {} blocks an SM, {} of {} warps, occupancy {:.1f}%\n"
                      "limits    warps {}, blocks {}, registers {}, shared memory {}\n"
                      "limiter   {}\n"
                      "a block   asks for {} registers and gets {}, asks for {} bytes of shared "
                      "memory and gets {}\n",
                      device->name, o->blocksPerSm, o->warpsPerSm, device->limits.warpsPerSm(),
                      100 * o->occupancy, o->limits.warps, o->limits.blocks,
                      text(o->limits.registers), text(o->limits.shared), o->limiterNames(),
                      o->registersRequested, o->registersAllocated, o->sharedRequested,
                      o->sharedAllocated));
    return {};
}

struct WavesArguments {
    std::string gpu, blocks, perSm = "1";
    bool json = false;
};

Result<void> runWaves(const WavesArguments& a) {
    const Result<device::Device> device = device::findDevice(a.gpu);
    if (!device)
        return failure(device.error());
    const auto sms = device->value("sm_count");
    if (!sms)
        return failure("device", fmt::format("{} has no number of SMs", device->name), {},
                       "name a GPU: `lanescope devices` lists them");
    const Result<std::int64_t> blocks = wholeNumber("--blocks", a.blocks, 1, INT64_MAX / 2);
    const Result<std::int64_t> perSm = wholeNumber("--blocks-per-sm", a.perSm, 1, 1024);
    for (const Result<std::int64_t>* number : {&blocks, &perSm})
        if (!*number)
            return failure(number->error());
    const Result<model::Waves> w = model::waves(*blocks, static_cast<std::int64_t>(*sms), *perSm);
    if (!w)
        return failure(w.error());
    if (a.json)
        print(Json{{"gpu", device->id},
                   {"gpu_name", device->name},
                   {"blocks", w->blocks},
                   {"sms", w->sms},
                   {"blocks_per_sm", w->blocksPerSm},
                   {"waves", w->waves},
                   {"full_waves", w->fullWaves},
                   {"tail_blocks", w->tailBlocks},
                   {"idle_sms_in_tail", w->idleSmsInTail},
                   {"slots_used", w->slotsUsed}}
                  .dump(2) +
              "\n");
    else
        print(fmt::format("{} blocks on {} SMs, {} an SM: {} waves, the last of {} blocks; {:.1f}% "
                          "of the slots used\n",
                          w->blocks, w->sms, w->blocksPerSm, w->waves,
                          w->tailBlocks == 0 ? w->capacity : w->tailBlocks, 100 * w->slotsUsed));
    return {};
}

} // namespace

void addOccupancy(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand(
        "occupancy", "How many blocks and warps of a kernel an SM holds, and what limits it");
    auto a = std::make_shared<OccupancyArguments>();
    sub->add_option("--gpu", a->gpu, "A GPU or ccX.Y")->required();
    sub->add_option("--threads", a->threads, "Threads of a block")->required();
    sub->add_option("--regs", a->registers, "Registers of a thread")->required();
    sub->add_option("--shared", a->shared, "Shared memory of a block in bytes, static and dynamic")
        ->capture_default_str();
    sub->add_option("--barriers", a->barriers, "Named barriers that a block uses")
        ->capture_default_str();
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Example:\n  lanescope occupancy --gpu cc8.6 --threads 256 --regs 104");
    sub->callback([a, &status] {
        if (const Result<void> ran = runOccupancy(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

void addWaves(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand("waves", "How the blocks of a grid fill the SMs");
    auto a = std::make_shared<WavesArguments>();
    sub->add_option("--gpu", a->gpu, "A GPU (see `lanescope devices`)")->required();
    sub->add_option("--blocks", a->blocks, "Blocks of the grid")->required();
    sub->add_option("--blocks-per-sm", a->perSm, "Blocks that an SM holds at a time")
        ->capture_default_str();
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Example:\n  lanescope waves --gpu b200 --blocks 160");
    sub->callback([a, &status] {
        if (const Result<void> ran = runWaves(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

} // namespace lanescope::cli
