// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/compile/compile.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "engine/base/embedded_file.h"
#include "engine/base/file.h"
#include "engine/compile/cache.h"
#include "engine/compile/invoke.h"
#include "engine/compile/locate.h"
#include "engine/compile/messages.h"
#include "engine/compile/private_folder.h"
#include "engine/compile/target.h"

namespace lanescope::embedded {
std::span<const EmbeddedFile> compile_headers();
}

namespace lanescope::compile {
namespace {

namespace fs = std::filesystem;

/// Changes whenever the options given to a compiler, or what is done to its PTX, change.
constexpr std::string_view kOptionsRevision = "2";
constexpr std::uintmax_t kLargestInclude = std::uintmax_t{16} << 20;

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

/// Names of the private folder and of the Toolkit's place out of the PTX's .file lines and string
/// tables; the user's name for the text in.
void useRequestedNames(std::string& ptx, const CompileRequest& request, const fs::path& folder) {
    const std::string shown = textFileName(request.fileName);
    std::error_code ec;
    const std::string here = (fs::current_path(ec) / shown).string(); // what NVRTC writes
    for (std::size_t at = ptx.find(".file"); at != std::string::npos;
         at = ptx.find(".file", at + 5)) {
        std::size_t end = std::min(ptx.find('\n', at), ptx.size());
        std::string line = ptx.substr(at, end - at);
        if (!folder.empty())
            for (const std::string& prefix : {folder.string() + "/lanescope-include/",
                                              folder.string() + "/./", folder.string() + "/"})
                replaceAll(line, prefix, "");
        for (const std::string& written : {here, "./" + shown, shown})
            replaceAll(line, fmt::format("\"{}\"", written),
                       fmt::format("\"{}\"", request.fileName));
        // A header of the Toolkit has its name in <...>, wherever the Toolkit is.
        if (const auto path = line.find("\"/"), include = line.rfind("/include/");
            path != std::string::npos && include != std::string::npos && path < include)
            line.erase(path + 1, include + std::string_view("/include/").size() - path - 1);
        ptx.replace(at, end - at, line);
    }
}

/// The names in #include lines of the text.
std::vector<std::string> includesOf(std::string_view text) {
    std::vector<std::string> names;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        const auto skipBlanks = [&line] {
            line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        };
        skipBlanks();
        if (!line.starts_with('#'))
            continue;
        line.remove_prefix(1);
        skipBlanks();
        if (!line.starts_with("include"))
            continue;
        line.remove_prefix(7);
        skipBlanks();
        if (line.empty() || (line.front() != '"' && line.front() != '<'))
            continue;
        const std::size_t close = line.find(line.front() == '"' ? '"' : '>', 1);
        if (close != std::string_view::npos)
            names.emplace_back(line.substr(1, close - 1));
    }
    return names;
}

/// Adds the contents of every file under the request's include folders that the text reaches.
void addIncludes(KeyHasher& hasher, const CompileRequest& request, std::string_view text,
                 const fs::path& beside, std::set<fs::path>& seen) {
    for (const std::string& name : includesOf(text)) {
        std::vector<fs::path> folders = request.includeDirs;
        if (!beside.empty())
            folders.insert(folders.begin(), beside);
        for (const fs::path& folder : folders) {
            auto content = readFile(folder / name, kLargestInclude);
            if (!content)
                continue;
            if (seen.insert((folder / name).lexically_normal()).second) {
                hasher.add(name);
                hasher.add(*content);
                addIncludes(hasher, request, *content, (folder / name).parent_path(), seen);
            }
            break;
        }
    }
}

std::string requestKey(const CompileRequest& request) {
    KeyHasher hasher;
    hasher.add(kOptionsRevision);
    hasher.add(request.text);
    hasher.add(request.fileName);
    hasher.add(request.arch);
    for (const auto& [macro, value] : request.defines) {
        hasher.add(macro);
        hasher.add(value);
    }
    for (const fs::path& folder : request.includeDirs)
        hasher.add("dir " + folder.string());
    std::set<fs::path> seen;
    addIncludes(hasher, request, request.text, {}, seen);
    for (const EmbeddedFile& file : embedded::compile_headers())
        hasher.add(file.bytes);
    return hasher.digest();
}

std::string entryKey(const std::string& request, const Located& located) {
    KeyHasher hasher;
    hasher.add(request);
    hasher.add(name(located.compiler));
    hasher.add(located.identity);
    hasher.add(located.toolkitRoot.string());
    return hasher.digest();
}

/// A cache entry's bytes: version, architecture and the length of the log, a line each; the log;
/// the PTX.
std::string packed(const CompileOutput& output) {
    return fmt::format("{}\n{}\n{}\n{}{}", output.version, output.arch, output.log.size(),
                       output.log, output.ptx);
}

std::optional<CompileOutput> unpacked(std::string_view bytes, Compiler compiler) {
    CompileOutput output;
    output.used = compiler;
    const auto takeLine = [&bytes](std::string& line) {
        const std::size_t end = bytes.find('\n');
        if (end == std::string_view::npos)
            return false;
        line = bytes.substr(0, end);
        bytes.remove_prefix(end + 1);
        return true;
    };
    std::string size;
    std::size_t logBytes = 0;
    if (!takeLine(output.version) || !takeLine(output.arch) || !takeLine(size) ||
        std::from_chars(size.data(), size.data() + size.size(), logBytes).ec != std::errc{} ||
        logBytes > bytes.size())
        return std::nullopt;
    output.log = bytes.substr(0, logBytes);
    output.ptx = bytes.substr(logBytes);
    output.fromCache = true;
    return output;
}

/// The compiler's version; asked once for each state of the program and then kept in the cache.
Result<std::string> versionOf(const Located& located, const Environment& environment,
                              const Cache& cache) {
    const std::string key = entryKey("version", located);
    if (auto known = cache.find(key))
        return *known;
    Result<std::string> version = std::string();
    switch (located.compiler) {
    case Compiler::Nvrtc:
        version = nvrtcVersion(located);
        break;
    case Compiler::Nvcc:
        version = nvccVersion(located, environment);
        break;
    case Compiler::Clang:
        version = clangVersion(located, environment);
        break;
    }
    if (version)
        cache.store(key, *version);
    return version;
}

Result<Attempt> attemptWith(const CompileRequest& request, const Located& located,
                            const Environment& environment, const Architecture& arch,
                            const std::string& version, const fs::path& folder) {
    switch (located.compiler) {
    case Compiler::Nvrtc:
        return runNvrtc(request, located, arch);
    case Compiler::Nvcc:
        return runNvcc(request, located, environment, arch, folder);
    case Compiler::Clang:
        return runClang(request, located, environment, arch, version, folder);
    }
    return failure("compiler", "unknown compiler");
}

Diagnostics errorsOf(const Attempt& attempt, const CompileRequest& request,
                     const fs::path& folder) {
    std::string log = attempt.log;
    replaceAll(log, folder.string() + "/lanescope-include/", "");
    replaceAll(log, folder.string() + "/", "");
    Diagnostics diagnostics = parseMessages(log, request.text);
    for (Diagnostic& diagnostic : diagnostics)
        if (diagnostic.where.file == textFileName(request.fileName))
            diagnostic.where.file = request.fileName;
    const bool anyError =
        std::any_of(diagnostics.begin(), diagnostics.end(),
                    [](const Diagnostic& d) { return d.severity == Severity::Error; });
    if (!anyError)
        diagnostics.insert(diagnostics.begin(), {Severity::Error,
                                                 "compile",
                                                 "the compiler failed: " + log.substr(0, 400),
                                                 {request.fileName, 0, 0},
                                                 ""});
    return diagnostics;
}

/// What one compiler makes of the request. `unsuitable` is set when another one may do better.
Result<CompileOutput> compileWith(const CompileRequest& request, const Located& located,
                                  const Environment& environment, const Architecture& arch,
                                  const Cache& cache, bool& unsuitable) {
    unsuitable = true;
    auto version = versionOf(located, environment, cache);
    if (!version)
        return failure(std::move(version.error()));
    auto folder = PrivateFolder::make(environment.temporaryDir);
    if (!folder)
        return failure(std::move(folder.error()));
    auto attempt = attemptWith(request, located, environment, arch, *version, folder->path());
    if (!attempt) {
        const std::string& code = attempt.error().front().code;
        unsuitable = code != "timeout" && code != "cancelled";
        return failure(std::move(attempt.error()));
    }
    if (!attempt->succeeded) {
        unsuitable = attempt->unsuitable;
        return failure(errorsOf(*attempt, request, folder->path()));
    }
    CompileOutput output;
    output.ptx = std::move(attempt->ptx);
    useRequestedNames(output.ptx, request, folder->path());
    raiseTarget(output.ptx);
    output.used = located.compiler;
    output.version = std::move(*version);
    output.arch = std::move(attempt->arch);
    output.log = std::move(attempt->log);
    return output;
}

Result<CompileOutput> compileUntimed(const CompileRequest& request,
                                     const Environment& environment) {
    auto arch = parseArchitecture(request.arch);
    if (!arch)
        return failure(std::move(arch.error()));
    if (arch->number == 90 && needsHopperOnly(request.text))
        arch->suffix = "a";
    const Cache cache(environment.cacheDir, environment.cacheLimitBytes);
    std::vector<Located> located = locateCompilers(environment);
    if (request.with)
        std::erase_if(located,
                      [&](const Located& entry) { return entry.compiler != *request.with; });
    if (located.empty())
        return failure(
            "compiler",
            request.with
                ? fmt::format("the compiler {} is not on this machine", name(*request.with))
                : std::string("there is no compiler for CUDA text on this machine"),
            {request.fileName, 0, 0}, "install clang, or the CUDA Toolkit, or open a .ptx file");
    const std::string requested = requestKey(request);
    Diagnostics firstErrors, toolkitErrors;
    for (const Located& entry : located) {
        const std::string key = entryKey(requested, entry);
        if (auto bytes = cache.find(key))
            if (auto output = unpacked(*bytes, entry.compiler))
                return std::move(*output);
        bool unsuitable = false;
        auto output = compileWith(request, entry, environment, *arch, cache, unsuitable);
        if (output) {
            cache.store(key, packed(*output));
            return output;
        }
        if (!unsuitable)
            return output;
        if (entry.compiler == Compiler::Nvcc)
            toolkitErrors = output.error();
        if (firstErrors.empty())
            firstErrors = std::move(output.error());
    }
    return failure(toolkitErrors.empty() ? std::move(firstErrors) : std::move(toolkitErrors));
}

} // namespace

std::string_view name(Compiler compiler) {
    switch (compiler) {
    case Compiler::Nvrtc:
        return "nvrtc";
    case Compiler::Nvcc:
        return "nvcc";
    case Compiler::Clang:
        return "clang";
    }
    return "";
}

std::optional<Compiler> compilerFromName(std::string_view text) {
    for (Compiler compiler : {Compiler::Nvrtc, Compiler::Nvcc, Compiler::Clang})
        if (text == name(compiler))
            return compiler;
    if (text == "clang++")
        return Compiler::Clang;
    return std::nullopt;
}

Environment environmentFrom(const std::function<const char*(const char*)>& variable) {
    const auto value = [&](const char* what) {
        const char* text = variable(what);
        return std::string(text != nullptr ? text : "");
    };
    const auto folders = [&](const char* what) {
        std::vector<fs::path> result;
        std::string text = value(what);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find(':', at), text.size());
            if (end > at)
                result.emplace_back(text.substr(at, end - at));
            at = end + 1;
        }
        return result;
    };
    Environment environment;
    environment.programDirs = folders("PATH");
    environment.libraryDirs = folders("LD_LIBRARY_PATH");
    for (const char* what : {"CUDA_HOME", "CUDA_PATH"})
        if (const std::string root = value(what); !root.empty())
            environment.cudaRoots.emplace_back(root);
    if (const std::string cache = value("XDG_CACHE_HOME"); cache.starts_with('/'))
        environment.cacheDir = fs::path(cache) / "lanescope";
    else if (const std::string home = value("HOME"); home.starts_with('/'))
        environment.cacheDir = fs::path(home) / ".cache/lanescope";
    if (const std::string temporary = value("TMPDIR"); temporary.starts_with('/'))
        environment.temporaryDir = temporary;
    return environment;
}

std::string textFileName(const std::string& fileName) {
    std::string result = fs::path(fileName).filename().string();
    for (char& c : result)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-')
            c = '_';
    if (result.empty() || result.front() == '-' || result.front() == '.')
        result.insert(0, "kernel");
    if (!result.ends_with(".cu"))
        result += ".cu";
    return result;
}

Result<CompileOutput> compile(const CompileRequest& request, const Environment& environment) {
    const auto begin = std::chrono::steady_clock::now();
    auto output = compileUntimed(request, environment);
    if (output)
        output->seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return output;
}

std::vector<AvailableCompiler> availableCompilers(const Environment& environment) {
    const Cache cache(environment.cacheDir, environment.cacheLimitBytes);
    std::vector<AvailableCompiler> result;
    for (const Located& located : locateCompilers(environment))
        if (auto version = versionOf(located, environment, cache))
            result.push_back({located.compiler, located.path, *version});
    return result;
}

} // namespace lanescope::compile
