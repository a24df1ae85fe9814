// SPDX-License-Identifier: GPL-3.0-or-later
// Runs at build time: checks a kernel's manifest and makes the PTX of its default parameters, by
// the same code that compiles at run time.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/catalog/catalog.h"
#include "engine/compile/compile.h"

using namespace lanescope;

namespace {

int refuse(const Diagnostics& diagnostics) {
    std::fprintf(stderr, "%s\n", toString(diagnostics).c_str());
    return 1;
}

} // namespace

/// precompile nvcc|clang COMPILER_FOLDER KERNELS_FOLDER FAMILY/ID.json OUT.ptx
int main(int count, char** values) {
    if (count != 6) {
        std::fprintf(
            stderr,
            "usage: precompile nvcc|clang COMPILER_FOLDER KERNELS_FOLDER FAMILY/ID.json OUT.ptx\n");
        return 2;
    }
    const std::filesystem::path root = values[3];
    const std::string manifestPath = values[4];
    auto manifest = readFile(root / manifestPath);
    if (!manifest)
        return refuse(manifest.error());
    auto kernel = catalog::parseManifest(*manifest, manifestPath);
    if (!kernel)
        return refuse(kernel.error());
    auto text = readFile(root / kernel->file);
    if (!text)
        return refuse(text.error());
    auto resolved = catalog::resolve(*kernel, {});
    if (!resolved)
        return refuse(resolved.error());

    compile::Environment environment =
        compile::environmentFrom([](const char* name) { return std::getenv(name); });
    environment.programDirs.insert(environment.programDirs.begin(), values[2]);
    environment.cudaRoots.clear();
    environment.cacheDir.clear();
    compile::CompileRequest request;
    request.text = std::move(*text);
    request.fileName = std::filesystem::path(kernel->file).filename().string();
    request.defines = resolved->defines;
    request.with = compile::compilerFromName(values[1]);
    auto output = compile::compile(request, environment);
    if (!output)
        return refuse(output.error());
    if (auto written = writeFile(values[5], output->ptx); !written)
        return refuse(written.error());
    return 0;
}
