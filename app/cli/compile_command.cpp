// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "engine/base/file.h"

namespace lanescope::cli {

using Json = nlohmann::ordered_json;

namespace {

struct CompileArguments {
    std::string file, output, with, arch = "sm_90";
    std::vector<std::string> defines;
    bool json = false, list = false;
};

Result<void> runCompile(const CompileArguments& a) {
    if (a.list) {
        Json compilers = Json::array();
        std::string text;
        for (const compile::AvailableCompiler& c : compile::availableCompilers(environment())) {
            compilers.push_back({{"compiler", compile::name(c.compiler)},
                                 {"version", c.version},
                                 {"path", c.path.string()}});
            text += fmt::format("{:<8}{:<12}{}\n", compile::name(c.compiler), c.version,
                                c.path.string());
        }
        print(a.json         ? Json{{"compilers", compilers}}.dump(2) + "\n"
              : text.empty() ? "no compiler found\n"
                             : text);
        return {};
    }
    if (a.file.empty())
        return failure("argument", "a .cu file is needed", {},
                       "lanescope compile FILE.cu, or --list for the compilers there are");
    if (std::filesystem::path(a.file).extension() == ".ptx")
        return failure("argument", "this is PTX already", {a.file, 0, 0}, "give a .cu file");
    Result<std::string> text = readFile(a.file, std::uintmax_t{64} << 20);
    if (!text)
        return failure(text.error());
    compile::CompileRequest request;
    if (text->starts_with("\xef\xbb\xbf"))
        text->erase(0, 3);
    request.text = std::move(*text);
    request.fileName = std::filesystem::path(a.file).filename().string();
    request.arch = a.arch;
    std::error_code ec;
    request.includeDirs.push_back(
        std::filesystem::absolute(std::filesystem::path(a.file), ec).parent_path());
    Result<std::vector<std::pair<std::string, std::string>>> defines = macros(a.defines);
    if (!defines)
        return failure(defines.error());
    request.defines = std::move(*defines);
    const Result<std::optional<compile::Compiler>> with = compilerNamed(a.with);
    if (!with)
        return failure(with.error());
    request.with = *with;
    Result<compile::CompileOutput> output = compile::compile(request, environment());
    if (!output) {
        for (Diagnostic& d : output.error()) // named as the user did
            if (d.where.file == request.fileName)
                d.where.file = a.file;
        return failure(std::move(output.error()));
    }
    if (!a.output.empty())
        if (Result<void> written = writeFile(a.output, output->ptx); !written)
            return failure(written.error());
    if (a.json) {
        Json out{{"compiler", compile::name(output->used)},
                 {"version", output->version},
                 {"arch", output->arch},
                 {"from_cache", output->fromCache},
                 {"seconds", output->seconds},
                 {"warnings", output->log}};
        if (a.output.empty())
            out["ptx"] = output->ptx;
        else
            out["file"] = a.output;
        print(out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    } else if (a.output.empty()) {
        print(output->ptx);
    } else {
        print(fmt::format("{} by {} {} for {}\n", a.output, compile::name(output->used),
                          output->version, output->arch));
    }
    return {};
}

} // namespace

void addCompile(CLI::App& app, int& status) {
    CLI::App* sub = app.add_subcommand(
        "compile", "CUDA to PTX, by the first of NVRTC, nvcc and clang that is there");
    auto a = std::make_shared<CompileArguments>();
    sub->add_option("file", a->file, "A .cu file");
    sub->add_option("-D", a->defines, "NAME=VALUE: a macro")->allow_extra_args(false);
    sub->add_option("-o,--output", a->output, "Write the PTX here instead of to standard output");
    sub->add_option("--with", a->with, "nvrtc, nvcc or clang");
    sub->add_option("--arch", a->arch, "Architecture")->capture_default_str();
    sub->add_flag("--list", a->list, "List the compilers there are");
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Example:\n  lanescope compile saxpy.cu -D N=1024 -o saxpy.ptx --with clang");
    sub->callback([a, &status] {
        if (const Result<void> ran = runCompile(*a); !ran)
            status = report(ran.error(), a->json);
    });
}

} // namespace lanescope::cli
