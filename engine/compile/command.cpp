// SPDX-License-Identifier: GPL-3.0-or-later
// nvcc and clang++ as processes. Both run inside the private folder, on a relative name, so that
// messages and .file lines name the user's file and not the folder.
#include "engine/compile/invoke.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "engine/base/embedded_file.h"
#include "engine/base/file.h"
#include "engine/compile/process.h"

namespace lanescope::embedded {
std::span<const EmbeddedFile> compile_headers();
}

namespace lanescope::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOutputName = "out.ptx";

/// Architectures for which a clang makes PTX: the newest in its NVPTX back end that needs no
/// Toolkit of a later date.
constexpr std::array kArchitectures{50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 89, 90};
struct ClangLimits {
    int newestArchitecture;
    std::string_view ptxFeature;
};
ClangLimits clangLimits(int majorVersion) {
    if (majorVersion <= 15)
        return {86, "+ptx75"};
    return {90, "+ptx78"};
}

int majorOf(const std::string& version) {
    int value = 0;
    std::from_chars(version.data(), version.data() + version.size(), value);
    return value;
}

ProcessRequest processFor(const CompileRequest& request, const Located& located,
                          const Environment& environment, const fs::path& workingDir) {
    ProcessRequest process;
    process.program = located.path;
    process.environment = processEnvironment(environment);
    process.environment.push_back("TMPDIR=" + workingDir.string());
    process.workingDir = workingDir;
    process.timeLimit = request.timeLimit;
    process.stop = request.stop;
    return process;
}

void addDefinesAndFolders(const CompileRequest& request, std::vector<std::string>& arguments) {
    for (const auto& [macro, value] : request.defines)
        arguments.push_back(fmt::format("-D{}={}", macro, value));
    for (const fs::path& folder : request.includeDirs)
        arguments.push_back("-I" + fs::absolute(folder).string());
}

/// Runs the process and reads out.ptx.
Result<Attempt> finish(const ProcessRequest& process) {
    auto output = runProcess(process);
    if (!output)
        return failure(std::move(output.error()));
    Attempt attempt;
    attempt.log = output->standardError + output->standardOutput;
    attempt.succeeded = output->exitStatus == 0;
    if (!attempt.succeeded) {
        if (attempt.log.empty())
            attempt.log = fmt::format("error: {} ended with status {}", process.program.string(),
                                      output->exitStatus);
        return attempt;
    }
    auto ptx = readFile(process.workingDir / kOutputName);
    if (!ptx)
        return failure(std::move(ptx.error()));
    attempt.ptx = std::move(*ptx);
    return attempt;
}

Result<void> writeHeaders(const fs::path& folder) {
    std::error_code ec;
    fs::create_directories(folder / "fallback", ec);
    for (const EmbeddedFile& file : embedded::compile_headers())
        if (auto written = writeFile(folder / file.name, file.bytes); !written)
            return written;
    return {};
}

Result<std::string> askVersion(const Located& located, const Environment& environment,
                               std::string_view option) {
    ProcessRequest process;
    process.program = located.path;
    process.arguments = {std::string(option)};
    process.environment = processEnvironment(environment);
    process.timeLimit = std::chrono::seconds(20);
    auto output = runProcess(process);
    if (!output)
        return failure(std::move(output.error()));
    if (output->exitStatus != 0)
        return failure("compiler", fmt::format("{} {} failed", located.path.string(), option));
    return output->standardOutput;
}

std::string leadingVersion(std::string_view text) {
    return std::string(text.substr(0, text.find_first_not_of("0123456789.")));
}

} // namespace

std::vector<std::string> processEnvironment(const Environment& environment) {
    std::string path = "PATH=";
    for (const fs::path& folder : environment.programDirs)
        path += folder.string() + ":";
    path += "/usr/local/bin:/usr/bin:/bin";
    return {std::move(path), "LC_ALL=C", "HOME=/nonexistent"};
}

Result<std::string> nvccVersion(const Located& located, const Environment& environment) {
    auto text = askVersion(located, environment, "--version");
    if (!text)
        return text;
    const std::size_t at = text->find(", V");
    return at == std::string::npos ? std::string("unknown")
                                   : leadingVersion(std::string_view(*text).substr(at + 3));
}

Result<std::string> clangVersion(const Located& located, const Environment& environment) {
    auto text = askVersion(located, environment, "-dumpversion");
    if (!text)
        return text;
    return leadingVersion(*text);
}

Result<Attempt> runNvcc(const CompileRequest& request, const Located& located,
                        const Environment& environment, const Architecture& arch,
                        const fs::path& workingDir) {
    const std::string name = textFileName(request.fileName);
    if (auto written = writeFile(workingDir / name, request.text); !written)
        return failure(std::move(written.error()));
    ProcessRequest process = processFor(request, located, environment, workingDir);
    process.arguments = {fmt::format("-arch=compute_{}{}", arch.number, arch.suffix),
                         "-ptx",
                         "-lineinfo",
                         "-std=c++17",
                         "-x",
                         "cu",
                         "-o",
                         std::string(kOutputName)};
    addDefinesAndFolders(request, process.arguments);
    process.arguments.push_back(name);
    auto attempt = finish(process);
    if (attempt) {
        attempt->arch = fmt::format("sm_{}{}", arch.number, arch.suffix);
        attempt->unsuitable = !attempt->succeeded &&
                              (attempt->log.find("nvcc fatal") != std::string::npos ||
                               attempt->log.find("unsupported GNU version") != std::string::npos ||
                               attempt->log.find("Failed to preprocess host") != std::string::npos);
    }
    return attempt;
}

Result<Attempt> runClang(const CompileRequest& request, const Located& located,
                         const Environment& environment, const Architecture& arch,
                         const std::string& version, const fs::path& workingDir) {
    const std::string name = textFileName(request.fileName);
    const fs::path headers = workingDir / "lanescope-include";
    if (auto written = writeHeaders(headers); !written)
        return failure(std::move(written.error()));
    if (auto written = writeFile(workingDir / name, request.text); !written)
        return failure(std::move(written.error()));

    const ClangLimits limits = clangLimits(majorOf(version));
    int target = kArchitectures.front();
    for (int known : kArchitectures)
        if (known <= std::min(arch.number, limits.newestArchitecture))
            target = known;

    ProcessRequest process = processFor(request, located, environment, workingDir);
    // --cuda-path: clang would take the PTX version from a Toolkit that it finds.
    process.arguments = {"-x",
                         "cuda",
                         "--cuda-device-only",
                         "-nocudainc",
                         "-nocudalib",
                         "--cuda-path=" + (workingDir / "no-toolkit").string(),
                         fmt::format("--cuda-gpu-arch=sm_{}", target),
                         "-Xclang",
                         "-target-feature",
                         "-Xclang",
                         std::string(limits.ptxFeature),
                         "-S",
                         "-O3",
                         "-std=c++17",
                         "-ffp-contract=fast",
                         "-gline-tables-only",
                         "-fno-color-diagnostics",
                         "-fno-caret-diagnostics",
                         "-ferror-limit=0",
                         "-Wno-unknown-cuda-version",
                         "-Wno-unused-command-line-argument",
                         "-isystem",
                         headers.string(),
                         "-idirafter",
                         (headers / "fallback").string(),
                         "-include",
                         "lanescope_cuda.h",
                         "-o",
                         std::string(kOutputName)};
    addDefinesAndFolders(request, process.arguments);
    process.arguments.push_back(name);
    auto attempt = finish(process);
    if (attempt)
        attempt->arch = fmt::format("sm_{}", target);
    return attempt;
}

} // namespace lanescope::compile
