// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/compile/locate.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace lanescope::compile {
namespace {

namespace fs = std::filesystem;

constexpr int kOldestClang = 14, kNewestClang = 30;

bool isFile(const fs::path& path) {
    std::error_code ec;
    return fs::is_regular_file(path, ec);
}

bool isProgram(const fs::path& path) {
    return isFile(path) && ::access(path.c_str(), X_OK) == 0;
}

std::string identityOf(const fs::path& path) {
    std::error_code ec;
    const fs::path real = fs::canonical(path, ec);
    const std::uintmax_t size = fs::file_size(real, ec);
    const auto changed = fs::last_write_time(real, ec).time_since_epoch().count();
    return fmt::format("{}|{}|{}", real.string(), size, changed);
}

/// Number behind the last '-' or "so." of a name, for choosing the newest; -1 without one.
int versionInName(const fs::path& path) {
    const std::string text = path.filename().string();
    const std::size_t at = text.find_last_not_of("0123456789.");
    const std::string digits = at == std::string::npos ? text : text.substr(at + 1);
    const std::size_t begin = digits.find_first_not_of('.');
    int value = -1;
    if (begin != std::string::npos)
        std::from_chars(digits.data() + begin, digits.data() + digits.size(), value);
    return value;
}

/// Entries of the folder whose name starts with the prefix, newest version first.
std::vector<fs::path> entries(const fs::path& folder, std::string_view prefix) {
    std::vector<fs::path> found;
    std::error_code ec;
    for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
        if (it->path().filename().string().starts_with(prefix))
            found.push_back(it->path());
    std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
        const int va = versionInName(a), vb = versionInName(b);
        return va != vb ? va > vb : a < b;
    });
    return found;
}

std::vector<fs::path> toolkitRoots(const Environment& environment) {
    std::vector<fs::path> roots = environment.cudaRoots;
    if (environment.searchSystem) {
        roots.emplace_back("/usr/local/cuda");
        const std::vector<fs::path> versions = entries("/usr/local", "cuda-");
        roots.insert(roots.end(), versions.begin(), versions.end());
    }
    return roots;
}

/// The folder above `start` (or `start`) whose include/ has the Toolkit's headers.
fs::path rootAbove(const fs::path& start) {
    std::error_code ec;
    fs::path folder = fs::canonical(start, ec).parent_path();
    for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path())
        if (isFile(folder / "include/cuda_runtime.h"))
            return folder;
    return {};
}

} // namespace

std::vector<fs::path> libraryFolders(const Environment& environment) {
    std::vector<fs::path> folders = environment.libraryDirs;
    for (const fs::path& root : toolkitRoots(environment))
        for (std::string_view below :
             {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
            folders.push_back(root / below);
    if (environment.searchSystem)
        for (std::string_view folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                        "/usr/lib64", "/usr/lib", "/usr/local/lib"})
            folders.emplace_back(folder);
    return folders;
}

namespace {

std::optional<fs::path> findNvrtc(const Environment& environment) {
    for (const fs::path& folder : libraryFolders(environment)) {
        const std::vector<fs::path> versions = entries(folder, "libnvrtc.so");
        if (!versions.empty() && isFile(versions.front()))
            return versions.front();
    }
    return std::nullopt;
}

std::optional<fs::path> findProgram(const Environment& environment, std::string_view name) {
    for (const fs::path& folder : environment.programDirs)
        if (isProgram(folder / name))
            return folder / name;
    return std::nullopt;
}

std::optional<fs::path> findToolkitProgram(const Environment& environment, std::string_view name) {
    for (const fs::path& root : environment.cudaRoots)
        if (isProgram(root / "bin" / name))
            return root / "bin" / name;
    if (auto found = findProgram(environment, name))
        return found;
    for (const fs::path& root : toolkitRoots(environment))
        if (isProgram(root / "bin" / name))
            return root / "bin" / name;
    return std::nullopt;
}

std::optional<fs::path> findClang(const Environment& environment) {
    if (auto found = findProgram(environment, "clang++"))
        return found;
    for (int version = kNewestClang; version >= kOldestClang; --version)
        if (auto found = findProgram(environment, fmt::format("clang++-{}", version)))
            return found;
    return std::nullopt;
}

} // namespace

fs::path locateToolkitProgram(const Environment& environment, std::string_view name) {
    return findToolkitProgram(environment, name).value_or(fs::path());
}

std::vector<Located> locateCompilers(const Environment& environment) {
    std::vector<Located> located;
    const auto add = [&](Compiler compiler, const std::optional<fs::path>& path) {
        if (!path)
            return;
        Located entry{compiler, *path, {}, identityOf(*path)};
        if (compiler != Compiler::Clang)
            entry.toolkitRoot = rootAbove(*path);
        located.push_back(std::move(entry));
    };
    add(Compiler::Nvrtc, findNvrtc(environment));
    add(Compiler::Nvcc, findToolkitProgram(environment, "nvcc"));
    add(Compiler::Clang, findClang(environment));
    return located;
}

} // namespace lanescope::compile
