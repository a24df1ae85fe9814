// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA text to PTX, by NVRTC (loaded at run time), nvcc or clang++ (with our own header of CUDA's
// built-ins), with line information for the user's file and a cache on disk. The engine reads no
// environment variable: the caller hands an Environment over. All functions may be called from
// several threads at once.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/diagnostic.h"

namespace lanescope::compile {

/// In the order in which they are tried.
enum class Compiler { Nvrtc, Nvcc, Clang };
/// "nvrtc", "nvcc", "clang".
std::string_view name(Compiler compiler);
std::optional<Compiler> compilerFromName(std::string_view name);

/// Where compilers, libraries and folders are on this machine.
struct Environment {
    std::vector<std::filesystem::path> programDirs; ///< searched for nvcc and clang++, as PATH
    std::vector<std::filesystem::path>
        libraryDirs; ///< searched for libnvrtc first, as LD_LIBRARY_PATH
    std::vector<std::filesystem::path>
        cudaRoots;            ///< Toolkit folders to try before /usr/local/cuda*
    bool searchSystem = true; ///< also look in /usr/local/cuda* and the system's library folders
    std::filesystem::path cacheDir; ///< compiled PTX is kept here; empty: no cache
    std::filesystem::path temporaryDir = "/tmp";
    std::uintmax_t cacheLimitBytes = std::uintmax_t{64} << 20;
};
/// From PATH, LD_LIBRARY_PATH, CUDA_HOME, CUDA_PATH, XDG_CACHE_HOME, HOME and TMPDIR; the argument
/// is std::getenv or a stand-in for it that returns null for an unset variable.
Environment environmentFrom(const std::function<const char*(const char*)>& variable);

/// Where NVIDIA's libraries are looked for, those of the environment first.
std::vector<std::filesystem::path> libraryFolders(const Environment& environment);

struct CompileRequest {
    std::string text;
    /// Name in messages and in the PTX's .file; its extension does not matter.
    std::string fileName = "kernel.cu";
    std::vector<std::pair<std::string, std::string>> defines;
    std::string arch = "sm_90";
    /// Only this compiler; otherwise the first that is there and can.
    std::optional<Compiler> with;
    std::vector<std::filesystem::path> includeDirs;
    std::chrono::milliseconds timeLimit{60'000};
    std::stop_token stop;
};

struct CompileOutput {
    std::string ptx;
    Compiler used = Compiler::Clang;
    std::string version; ///< "13.0.88", "14.0.6"; for NVRTC "13.0"
    std::string
        arch; ///< what the PTX is for: the one asked for or the next lower that the compiler knows
    std::string log; ///< the compiler's warnings
    bool fromCache = false;
    double seconds = 0;
};

/// Errors: code "compile" with file, line, column of every error the compiler named; "compiler"
/// (none found, cannot be started, does not know the architecture); "timeout"; "cancelled".
Result<CompileOutput> compile(const CompileRequest& request, const Environment& environment);

struct AvailableCompiler {
    Compiler compiler = Compiler::Clang;
    std::filesystem::path path;
    std::string version;
};
/// What there is, in the order in which it is tried; asks each for its version.
std::vector<AvailableCompiler> availableCompilers(const Environment& environment);

} // namespace lanescope::compile
