// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope sass: the machine code of a kernel, where the CUDA Toolkit's ptxas and nvdisasm are there.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/launch_options.h"
#include "engine/compile/sass.h"
#include "engine/device/architecture.h"
#include "engine/session/simulate.h"

namespace lanescope::cli {

namespace {

struct SassArguments : LaunchArguments {
    std::string cubin;
    bool json = false;
};

Result<void> runSass(const SassArguments& a) {
    const Result<device::Device> device = device::findDevice(a.gpu);
    if (!device)
        return failure(device.error());
    const Result<session::LoadRequest> load = loadRequest(a);
    if (!load)
        return failure(load.error());
    const Result<session::LoadedProgram> program = session::load(*load, environment());
    if (!program)
        return failure(program.error());
    compile::SassRequest request{program->ptxText, program->program->entry().name, device::architectureOf(device->limits.capability), program->cudaFile, a.cubin, {}};
    const Result<compile::Sass> sass = compile::disassemble(request, environment());
    if (!sass)
        return failure(sass.error());
    if (a.json) {
        nlohmann::ordered_json lines = nlohmann::ordered_json::array();
        for (const compile::SassLine& line : sass->lines)
            if (!line.isLabel)
                lines.push_back({{"address", line.address}, {"text", line.text}, {"line", line.cudaLine}});
        const nlohmann::ordered_json out{{"entry", sass->entry},
                                         {"arch", sass->arch},
                                         {"ptxas", sass->ptxas},
                                         {"nvdisasm", sass->nvdisasm},
                                         {"registers_per_thread", sass->registersPerThread},
                                         {"barriers", sass->barriers},
                                         {"static_shared_bytes", sass->staticSharedBytes},
                                         {"stack_bytes", sass->stackBytes},
                                         {"spill_store_bytes", sass->spillStoreBytes},
                                         {"spill_load_bytes", sass->spillLoadBytes},
                                         {"instructions", lines}};
        print(out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
        return {};
    }
    std::string out = fmt::format("// {} for {} by ptxas {}: {} instructions, {} registers a thread, ", sass->entry, sass->arch, sass->ptxas, sass->instructionCount(), sass->registersPerThread);
    out += sass->spillStoreBytes + sass->spillLoadBytes == 0 ? std::string("no spills")
                                                             : fmt::format("{} bytes of spill stores, {} of spill loads", sass->spillStoreBytes, sass->spillLoadBytes);
    out += fmt::format(", {} bytes of static shared memory\n", sass->staticSharedBytes);
    std::uint32_t shown = 0;
    const std::string text = compile::toText(*sass);
    std::size_t at = 0;
    for (const compile::SassLine& line : sass->lines) {
        const std::size_t end = text.find('\n', at);
        if (line.cudaLine != 0 && line.cudaLine != shown)
            out += fmt::format("// line {}\n", shown = line.cudaLine);
        out += text.substr(at, end - at + 1);
        at = end + 1;
    }
    print(out);
    return {};
}

} // namespace

void addSass(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand("sass", "The machine code that ptxas makes of a kernel, with lines, registers and spills (needs ptxas and nvdisasm)");
    auto a = std::make_shared<SassArguments>();
    addLaunchOptions(*sub, *a);
    sub->add_option("--cubin", a->cubin, "Keep the cubin in this file");
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Example:\n  lanescope sass k06_vectorised -D BK=16 --gpu h200");
    sub->callback([a, &status] {
        if (const Result<void> ran = runSass(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

} // namespace lanescope::cli
