// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/compile/sass.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/file.h"
#include "engine/compile/invoke.h"
#include "engine/compile/locate.h"
#include "engine/compile/private_folder.h"
#include "engine/compile/process.h"

namespace lanescope::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTimeLimit(60);

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The number before `name`: "32 registers".
std::int64_t numberBefore(std::string_view text, std::string_view name) {
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos)
        return 0;
    std::size_t begin = at;
    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9')
        --begin;
    std::int64_t value = 0;
    std::from_chars(text.data() + begin, text.data() + at, value);
    return value;
}

/// Calls `line` with each line until it says false.
template <class F>
void forEachLine(std::string_view text, F line) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (!line(text.substr(0, end)))
            return;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

struct Place {
    std::string_view file;
    std::uint32_t line = 0;
};

/// `//## File "k.cu", line 12` and, of code that was inlined, `... inlined at "k.cu", line 30`: the first is where the text is.
std::optional<Place> placeIn(std::string_view line) {
    constexpr std::string_view kFile = "//## File \"", kLine = "\", line ";
    const std::size_t at = line.find(kFile);
    if (at == std::string_view::npos)
        return std::nullopt;
    const std::size_t name = at + kFile.size(), end = line.find(kLine, name);
    if (end == std::string_view::npos)
        return std::nullopt;
    Place place{line.substr(name, end - name), 0};
    std::from_chars(line.data() + end + kLine.size(), line.data() + line.size(), place.line);
    return place;
}

Result<ProcessOutput> run(const fs::path& program, std::vector<std::string> arguments, const fs::path& folder, const Environment& environment, std::stop_token stop) {
    ProcessRequest process;
    process.program = program;
    process.arguments = std::move(arguments);
    process.environment = processEnvironment(environment);
    process.workingDir = folder;
    process.timeLimit = kTimeLimit;
    process.stop = std::move(stop);
    return runProcess(process);
}

/// "13.0.88" of "... V13.0.88 ...".
std::string versionOf(const fs::path& program, const fs::path& folder, const Environment& environment) {
    const auto output = run(program, {"--version"}, folder, environment, {});
    if (!output)
        return "?";
    const std::string_view text = output->standardOutput;
    const std::size_t at = text.find(", V");
    return at == std::string_view::npos ? "?" : std::string(text.substr(at + 3, text.find_first_not_of("0123456789.", at + 3) - at - 3));
}

Result<fs::path> toolkitProgram(const Environment& environment, std::string_view name) {
    fs::path path = locateToolkitProgram(environment, name);
    if (path.empty())
        return failure("compiler", fmt::format("{} is not on this machine", name), {}, "SASS needs ptxas and nvdisasm: install the CUDA Toolkit, or put them on PATH");
    return path;
}

/// The symbol of a kernel by its name in the CUDA text: _Z, the name's length, the name (Itanium C++ ABI, 5.1.2).
Result<std::string> symbolOf(const std::vector<std::string>& entries, const std::string& name) {
    std::vector<std::string> found;
    const std::string mangled = fmt::format("{}{}", name.size(), name);
    for (const std::string& entry : entries) {
        if (entry == name)
            return entry;
        if (name.empty() || (entry.starts_with("_Z") && entry.find(mangled) != std::string::npos))
            found.push_back(entry);
    }
    if (found.size() == 1)
        return found.front();
    return failure("compiler", found.empty() ? fmt::format("there is no kernel '{}'", name) : fmt::format("'{}' could be any of {} kernels", name, found.size()), {},
                   fmt::format("the kernels are: {}", fmt::join(entries, ", ")));
}

} // namespace

std::size_t Sass::instructionCount() const {
    return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [](const SassLine& line) { return !line.isLabel; }));
}

std::vector<SassLine> parseSass(std::string_view text, const std::string& entry, const std::string& cudaFile) {
    std::vector<SassLine> lines;
    bool isInside = false;
    std::uint32_t line = 0;
    const std::string start = fmt::format(".text.{}:", entry);
    forEachLine(text, [&](std::string_view raw) {
        const std::string_view row = trimmed(raw);
        if (!isInside) {
            isInside = row == start;
            return true;
        }
        if (row.starts_with(".section"))
            return false;
        if (const auto place = placeIn(row)) {
            const bool isOwn = cudaFile.empty() || fs::path(place->file).filename() == fs::path(cudaFile).filename();
            line = isOwn ? place->line : 0;
            return true;
        }
        if (row.starts_with("/*")) {
            SassLine out;
            const std::size_t close = row.find("*/");
            if (close == std::string_view::npos)
                return true;
            const auto [end, error] = std::from_chars(row.data() + 2, row.data() + close, out.address, 16);
            std::string_view code = trimmed(row.substr(close + 2));
            if (error != std::errc{} || end != row.data() + close || code.empty())
                return true; // an encoding
            code = trimmed(code.substr(0, code.find(';')));
            out.text = code;
            out.cudaLine = line;
            lines.push_back(std::move(out));
        } else if (row.starts_with(".L") && row.ends_with(":")) {
            lines.push_back({lines.empty() ? 0 : lines.back().address + (lines.back().isLabel ? 0u : 16u), true, std::string(row), 0});
        }
        return true;
    });
    while (!lines.empty() && lines.back().isLabel) // where the function ends
        lines.pop_back();
    return lines;
}

std::vector<std::string> entriesIn(std::string_view log) {
    constexpr std::string_view kEntry = "Compiling entry function '";
    std::vector<std::string> out;
    forEachLine(log, [&](std::string_view row) {
        if (const std::size_t at = row.find(kEntry); at != std::string_view::npos)
            out.emplace_back(row.substr(at + kEntry.size(), row.find('\'', at + kEntry.size()) - at - kEntry.size()));
        return true;
    });
    return out;
}

void parseFigures(std::string_view log, Sass& sass) {
    const std::string compiling = fmt::format("Compiling entry function '{}'", sass.entry), properties = fmt::format("Function properties for {}", sass.entry);
    bool isEntry = false, isOwn = false;
    forEachLine(log, [&](std::string_view row) {
        if (row.find("Compiling entry function '") != std::string_view::npos)
            isEntry = row.find(compiling) != std::string_view::npos;
        else if (row.find("Function properties for ") != std::string_view::npos)
            isOwn = isEntry && row.ends_with(properties);
        else if (isOwn && row.find("bytes stack frame") != std::string_view::npos) {
            sass.stackBytes = numberBefore(row, " bytes stack frame");
            sass.spillStoreBytes = numberBefore(row, " bytes spill stores");
            sass.spillLoadBytes = numberBefore(row, " bytes spill loads");
            isOwn = false;
        } else if (isEntry && row.find("Used ") != std::string_view::npos) {
            sass.registersPerThread = static_cast<int>(numberBefore(row, " registers"));
            sass.barriers = static_cast<int>(numberBefore(row, " barriers"));
            sass.staticSharedBytes = numberBefore(row, " bytes smem");
        }
        return true;
    });
}

bool canDisassemble(const Environment& environment) {
    return !locateToolkitProgram(environment, "ptxas").empty() && !locateToolkitProgram(environment, "nvdisasm").empty();
}

Result<Sass> disassemble(const SassRequest& request, const Environment& environment) {
    const Result<fs::path> ptxas = toolkitProgram(environment, "ptxas"), nvdisasm = toolkitProgram(environment, "nvdisasm");
    if (!ptxas)
        return failure(ptxas.error());
    if (!nvdisasm)
        return failure(nvdisasm.error());
    const Result<PrivateFolder> folder = PrivateFolder::make(environment.temporaryDir);
    if (!folder)
        return failure(folder.error());
    Sass sass;
    sass.arch = request.arch;
    std::string ptx = request.ptx;
    if (Result<void> fits = fitTarget(ptx, sass.arch); !fits)
        return failure(fits.error());
    if (const auto written = writeFile(folder->path() / "in.ptx", ptx); !written)
        return failure(written.error());
    const auto assembled = run(*ptxas, {"-v", "-lineinfo", "-arch=" + sass.arch, "in.ptx", "-o", "out.cubin"}, folder->path(), environment, request.stop);
    if (!assembled)
        return failure(assembled.error());
    const std::string log = assembled->standardError + assembled->standardOutput;
    if (assembled->exitStatus != 0)
        return failure("compiler", fmt::format("ptxas refuses the PTX for {}: {}", sass.arch, trimmed(log)), {}, "choose another GPU with --gpu, or a newer CUDA Toolkit");
    Result<std::string> symbol = symbolOf(entriesIn(log), request.entry);
    if (!symbol)
        return failure(symbol.error());
    sass.entry = std::move(*symbol);
    if (!request.keepCubin.empty()) {
        std::error_code ec;
        fs::copy_file(folder->path() / "out.cubin", request.keepCubin, fs::copy_options::overwrite_existing, ec);
        if (ec)
            return failure("file", fmt::format("the cubin cannot be written: {}", ec.message()), {request.keepCubin.string(), 0, 0}, "choose a folder that can be written to");
    }
    const auto text = run(*nvdisasm, {"-c", "-g", "out.cubin"}, folder->path(), environment, request.stop);
    if (!text)
        return failure(text.error());
    if (text->exitStatus != 0)
        return failure("compiler", fmt::format("nvdisasm ended with status {}: {}", text->exitStatus, trimmed(text->standardError)), {},
                       "use the nvdisasm of the same CUDA Toolkit as ptxas, or a newer one");
    parseFigures(log, sass);
    sass.lines = parseSass(text->standardOutput, sass.entry, request.cudaFile);
    if (sass.lines.empty())
        return failure("compiler", fmt::format("nvdisasm shows no function {}", sass.entry), {}, "check the name of the kernel");
    sass.ptxas = versionOf(*ptxas, folder->path(), environment);
    sass.nvdisasm = versionOf(*nvdisasm, folder->path(), environment);
    return sass;
}

std::string toText(const Sass& sass) {
    std::string out;
    for (const SassLine& line : sass.lines)
        out += line.isLabel ? line.text + "\n" : fmt::format("{:04x}  {}{}\n", line.address, line.text.starts_with('@') ? "" : "     ", line.text);
    return out;
}

} // namespace lanescope::compile
