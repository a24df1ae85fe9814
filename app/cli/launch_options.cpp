// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/launch_options.h"

#include <tuple>

#include <CLI/CLI.hpp>

namespace lanescope::cli {

void addLaunchOptions(CLI::App& sub, LaunchArguments& a) {
    sub.add_option("subject", a.subject, "A kernel of the catalog (see `lanescope kernels`), a .cu or a .ptx file")->required();
    sub.add_option("--kernel", a.entry, "Which kernel of the file");
    sub.add_option("--grid", a.grid, "Blocks: X[,Y[,Z]]");
    sub.add_option("--block", a.block, "Threads of a block: X[,Y[,Z]]");
    sub.add_option("--shared", a.shared, "Dynamic shared memory of a block in bytes");
    // One SPEC per --arg; allow_extra_args would swallow the positional.
    sub.add_option("--arg", a.specs,
                   "An argument, in order: i32:V u32:V i64:V u64:V f32:V f64:V | zeros:BYTES | iota:TYPE:COUNT | "
                   "random:TYPE:COUNT[:SEED] | file:PATH[:OFFSET[:BYTES]] | "
                   "tensormap:type=T,size=COLSxROWS,box=COLSxROWS,data=SPEC (or of=ARGUMENT)[,swizzle=0|32|64|128][,stride=BYTES][,estride=1x1]"
                   "[,oob=zero|nan][,offset=BYTES] (a CUtensorMap or a pointer to one; innermost dimension first)")
        ->allow_extra_args(false);
    sub.add_option("-D", a.defines, "NAME=VALUE: a parameter of a catalog kernel, or a macro of a .cu file")->allow_extra_args(false);
    sub.add_option("--gpu", a.gpu, "A GPU (see `lanescope devices`) or ccX.Y")->capture_default_str();
    sub.add_option("--as", a.as, kFormHelp)->capture_default_str();
    sub.add_option("--with", a.with, "Compile with nvrtc, nvcc or clang");
}

Result<session::LoadRequest> loadRequest(const LaunchArguments& a) {
    const Result<session::CodeForm> form = codeForm(a.as);
    if (!form)
        return failure(form.error());
    Result<std::vector<std::pair<std::string, std::string>>> defines = macros(a.defines);
    if (!defines)
        return failure(defines.error());
    const Result<std::optional<compile::Compiler>> with = compilerNamed(a.with);
    if (!with)
        return failure(with.error());
    session::LoadRequest out;
    out.form = *form;
    out.subject = a.subject;
    out.entry = a.entry;
    out.defines = std::move(*defines);
    out.with = *with;
    return out;
}

Result<session::LaunchRequest> launchRequest(const LaunchArguments& a) {
    session::LaunchRequest out;
    for (const auto& [text, target, option] :
         {std::tuple{&a.grid, &out.grid, "--grid"}, std::tuple{&a.block, &out.block, "--block"}}) {
        if (text->empty())
            continue;
        Result<Dim3> extents = extentsFrom(option, *text);
        if (!extents)
            return failure(extents.error());
        *target = *extents;
    }
    if (!a.shared.empty()) {
        const Result<std::int64_t> bytes = wholeNumber("--shared", a.shared, 0, INT32_MAX);
        if (!bytes)
            return failure(bytes.error());
        out.dynamicSharedBytes = static_cast<std::uint64_t>(*bytes);
    }
    out.arguments = a.specs;
    return out;
}

} // namespace lanescope::cli
