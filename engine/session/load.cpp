// SPDX-License-Identifier: GPL-3.0-or-later
// The first steps of engine/session/simulate.h: finding and compiling the text, and preparing the launch.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <span>
#include <sstream>

#include <fmt/format.h>

#include "engine/base/embedded_file.h"
#include "engine/base/file.h"
#include "engine/base/symbol.h"
#include "engine/compiled/compiled.h"
#include "engine/session/simulate.h"

namespace lanescope::embedded {
std::span<const EmbeddedFile> kernels();
}

namespace lanescope::session {

namespace {

constexpr std::uintmax_t kMaxTextBytes = std::uintmax_t{64} << 20;

bool isIdentifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Names of a function's parameters as the CUDA text has them; empty when its definition is not found.
std::vector<std::string> parameterNames(const std::string& text, const std::string& function) {
    for (std::size_t at = text.find(function); at != std::string::npos; at = text.find(function, at + 1)) {
        if (at > 0 && isIdentifier(text[at - 1]))
            continue;
        std::size_t i = at + function.size();
        while (i < text.size() && std::isspace(static_cast<unsigned char>(text[i])) != 0)
            ++i;
        if (i >= text.size() || text[i] != '(')
            continue;
        std::vector<std::string> names;
        std::string last;
        int depth = 0;
        bool isDeclaration = true;
        for (; i < text.size(); ++i) {
            const char c = text[i];
            if (c == '(' || c == '<' || c == '[')
                ++depth;
            else if (c == ')' || c == '>' || c == ']')
                --depth;
            if (depth == 0 || (c == ',' && depth == 1)) {
                if (!last.empty())
                    names.push_back(last);
                last.clear();
                if (depth == 0)
                    break;
            } else if (depth == 1 && isIdentifier(c)) {
                if (!isIdentifier(text[i - 1]))
                    last.clear();
                last += c;
            } else if (c == '{' || c == ';') {
                isDeclaration = false;
                break;
            }
        }
        if (isDeclaration && !names.empty())
            return names;
    }
    return {};
}

/// The entry that a name means: the symbol itself, or the only kernel whose source name it is.
Result<std::string> findEntry(const ptx::Module& module, const std::string& wanted) {
    const std::vector<std::string> entries = module.entries();
    std::string list;
    for (const std::string& e : entries) {
        const std::string source = sourceName(e);
        const auto same = std::count_if(entries.begin(), entries.end(), [&](const std::string& other) { return sourceName(other) == source; });
        list += (list.empty() ? "" : ", ") + (same > 1 ? fmt::format("'{}'", demangled(e)) : source);
    }
    if (entries.empty())
        return failure("entry", "the file has no kernel", {module.path, 0, 0}, "a kernel is a __global__ function (.entry in PTX)");
    if (wanted.empty()) {
        if (entries.size() == 1)
            return entries[0];
        return failure("entry", fmt::format("the file has {} kernels", entries.size()), {module.path, 0, 0},
                       "choose one with --kernel: " + list);
    }
    std::vector<std::string> matches;
    for (const std::string& e : entries) {
        if (e == wanted)
            return e;
        if (sourceName(e) == wanted || demangled(e) == wanted)
            matches.push_back(e);
    }
    if (matches.size() == 1)
        return matches[0];
    if (matches.empty())
        return failure("entry", fmt::format("there is no kernel '{}'", wanted), {module.path, 0, 0}, "the kernels are: " + list);
    std::string symbols;
    for (const std::string& m : matches)
        symbols += (symbols.empty() ? "" : ", ") + fmt::format("'{}'", demangled(m));
    return failure("entry", fmt::format("'{}' is the name of {} kernels", wanted, matches.size()), {module.path, 0, 0},
                   "choose one of " + symbols);
}

Result<void> loadModule(LoadedProgram& out, const std::string& path, const std::string& wanted) {
    // Entries first, so that only what the chosen one reaches must be supported.
    Result<ptx::Module> module = ptx::parse(out.ptxText, path, wanted);
    std::string entry = wanted;
    if (!module || wanted.empty() || module->findFunction(wanted) < 0) {
        // A source name, or none: the module is parsed without the reachability of an entry only to learn its entries.
        Result<std::vector<std::string>> entries = ptx::entryNames(out.ptxText, path);
        if (!entries)
            return failure(entries.error());
        ptx::Module names;
        names.path = path;
        for (const std::string& e : *entries) {
            ptx::Function f;
            f.name = e;
            f.isEntry = true;
            names.functions.push_back(f);
        }
        Result<std::string> found = findEntry(names, wanted);
        if (!found)
            return failure(found.error());
        if (*found != wanted || !module)
            module = ptx::parse(out.ptxText, path, *found);
        entry = *found;
    }
    if (!module)
        return failure(module.error());
    if (out.form == CodeForm::Compiled) {
        compiled::CompiledModule form = compiled::compiledForm(*module);
        *module = std::move(form.module);
        out.changes = std::move(form.changes);
    }
    out.module = std::make_shared<const ptx::Module>(std::move(*module));
    Result<std::shared_ptr<const sim::Program>> program = sim::decode(out.module, entry);
    if (!program)
        return failure(program.error());
    out.program = std::move(*program);
    return {};
}

/// The line of the CUDA text that a line of its PTX is from: that of the last .loc of that file before it. 0: none in its function.
std::uint32_t cudaLineOf(std::string_view ptx, std::uint32_t ptxLine, const std::string& cudaFile) {
    std::vector<std::pair<std::string, std::uint32_t>> locations; // file index and line, of the function
    std::string file;
    const auto words = [](std::string_view line) { return std::istringstream(std::string(line)); };
    std::size_t at = 0;
    for (std::uint32_t number = 1; at < ptx.size(); ++number) {
        const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
        const std::string_view line = ptx.substr(at, end - at);
        at = end + 1;
        std::string directive, index, name;
        if (line.find(".loc") != std::string_view::npos && number <= ptxLine) {
            std::uint32_t cudaLine = 0;
            if (words(line) >> directive >> index >> cudaLine && directive == ".loc")
                locations.emplace_back(index, cudaLine);
        } else if (line.find(".file") != std::string_view::npos) { // may stand at the end
            if (words(line) >> directive >> index >> std::quoted(name) && directive == ".file" &&
                std::filesystem::path(name).filename() == cudaFile)
                file = index;
        } else if (number <= ptxLine && (line.find(".entry") != std::string_view::npos || line.find(".func") != std::string_view::npos)) {
            locations.clear();
        }
    }
    for (auto location = locations.rbegin(); location != locations.rend(); ++location)
        if (location->first == file)
            return location->second;
    return 0;
}

std::string compilerText(const compile::CompileOutput& output) {
    return fmt::format("{} {}", compile::name(output.used), output.version);
}

Result<void> compileInto(LoadedProgram& out, const LoadRequest& request, std::vector<std::pair<std::string, std::string>> defines,
                         const std::filesystem::path& folder, const compile::Environment& environment) {
    compile::CompileRequest c;
    c.text = out.cudaText;
    c.fileName = out.cudaFile;
    c.defines = std::move(defines);
    c.arch = request.arch;
    c.with = request.with;
    c.stop = request.stop;
    if (!folder.empty())
        c.includeDirs.push_back(folder);
    Result<compile::CompileOutput> ptx = compile::compile(c, environment);
    if (!ptx)
        return failure(ptx.error());
    out.compiler = compilerText(*ptx);
    out.ptxText = std::move(ptx->ptx);
    Result<void> loaded = loadModule(out, out.cudaFile, request.entry);
    if (!loaded)
        for (Diagnostic& d : loaded.error())
            if (d.where.line != 0) { // a line of the PTX, not of the text that the user knows
                const std::uint32_t line = cudaLineOf(out.ptxText, d.where.line, out.cudaFile);
                d.message += fmt::format(", at line {} of the PTX", d.where.line);
                d.where = {out.cudaFile, line, 0};
            }
    return loaded;
}

Result<LoadedProgram> loadCatalogKernel(std::shared_ptr<const catalog::Kernel> shared, const LoadRequest& request, const compile::Environment& environment) {
    const catalog::Kernel& kernel = *shared;
    LoadedProgram out;
    out.form = request.form;
    out.id = kernel.id;
    out.title = kernel.title;
    out.kernel = std::move(shared);
    out.cudaFile = std::filesystem::path(kernel.file).filename().string();
    out.cudaText = request.text.value_or(kernel.text);
    std::vector<std::string> texts;
    for (const auto& [name, value] : request.defines)
        texts.push_back(name + "=" + value);
    Result<catalog::Overrides> overrides = catalog::parseOverrides(texts);
    if (!overrides)
        return failure(overrides.error());
    Result<catalog::ResolvedKernel> resolved = catalog::resolve(kernel, *overrides);
    if (!resolved)
        return failure(resolved.error());
    out.resolved = std::move(*resolved);
    LoadRequest own = request;
    if (own.entry.empty())
        own.entry = kernel.entry;
    if (out.resolved.definesAreDefault && !request.with && out.cudaText == kernel.text && !kernel.ptx.empty()) {
        out.ptxText = kernel.ptx;
        out.compiler = "built in";
        if (Result<void> r = loadModule(out, out.cudaFile, own.entry); !r)
            return failure(r.error());
        return out;
    }
    if (Result<void> r = compileInto(out, own, out.resolved.defines, {}, environment); !r)
        return failure(r.error());
    return out;
}

} // namespace

std::string_view name(CodeForm form) { return form == CodeForm::Compiled ? "compiled" : "written"; }

Result<const std::vector<catalog::Kernel>*> builtInKernels() {
    static const Result<std::vector<catalog::Kernel>> kernels = catalog::loadCatalog(embedded::kernels());
    if (!kernels)
        return failure(kernels.error());
    return &*kernels;
}

Result<LoadedProgram> loadPtx(std::string ptxText, std::string path, const std::string& entry, CodeForm form) {
    LoadedProgram out;
    out.form = form;
    out.id = std::filesystem::path(path).filename().string();
    out.title = out.id;
    out.ptxText = std::move(ptxText);
    if (Result<void> r = loadModule(out, path, entry); !r)
        return failure(r.error());
    return out;
}

compiled::Changes formChanges(const LoadedProgram& program) {
    compiled::Changes out;
    for (const sim::FunctionLayout& f : program.program->functions) {
        if (program.form == CodeForm::Compiled) {
            out += program.changes[f.moduleIndex];
            continue;
        }
        ptx::Function function = program.module->functions[f.moduleIndex];
        out += compiled::compile(*program.module, f.moduleIndex, function);
    }
    return out;
}

Result<LoadedProgram> load(const LoadRequest& request, const compile::Environment& environment) {
    Result<std::optional<catalog::Kernel>> kernel = catalog::loadKernel(embedded::kernels(), request.subject);
    if (!kernel)
        return failure(kernel.error());
    if (*kernel)
        return loadCatalogKernel(std::make_shared<const catalog::Kernel>(std::move(**kernel)), request, environment);
    const std::filesystem::path path(request.subject);
    const std::string extension = path.extension().string();
    std::error_code ec;
    const bool exists = std::filesystem::exists(path, ec);
    if (!exists && extension != ".ptx" && extension != ".cu") {
        const Result<const std::vector<catalog::Kernel>*> kernels = builtInKernels();
        if (!kernels)
            return failure(kernels.error());
        const std::string near = catalog::nearestKernel(**kernels, request.subject);
        return failure("subject", fmt::format("'{}' is neither a kernel of the catalog nor a file", request.subject), {},
                       near.empty() ? "`lanescope kernels` lists the kernels" : fmt::format("did you mean {}? `lanescope kernels` lists them all", near));
    }
    Result<std::string> text = request.text ? Result<std::string>(*request.text) : readFile(path, kMaxTextBytes);
    if (!text)
        return failure(text.error());
    if (text->starts_with("\xef\xbb\xbf")) // the byte order mark of UTF-8: no compiler and no PTX needs it
        text->erase(0, 3);
    // What it is, by extension and else by content: PTX begins with a .version directive.
    const bool isPtx = extension == ".ptx" || (extension != ".cu" && extension != ".cuh" && text->find(".version") != std::string::npos &&
                                               text->find(".target") != std::string::npos);
    if (isPtx) {
        if (!request.defines.empty())
            return failure("argument", "-D has no effect on a PTX file", {path.string(), 0, 0}, "compile the .cu file with -D instead");
        return loadPtx(std::move(*text), path.string(), request.entry, request.form);
    }
    LoadedProgram out;
    out.form = request.form;
    out.id = path.filename().string();
    out.title = out.id;
    out.cudaFile = path.filename().string();
    out.cudaText = std::move(*text);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (Result<void> r = compileInto(out, request, request.defines, std::filesystem::absolute(folder, ec), environment); !r) {
        // Messages name the file as the user did.
        for (Diagnostic& d : r.error())
            if (d.where.file == out.cudaFile)
                d.where.file = path.string();
        return failure(std::move(r.error()));
    }
    return out;
}

std::vector<std::string> argumentNames(const LoadedProgram& program) {
    const ptx::Function& entry = program.program->entry();
    std::vector<std::string> names;
    if (program.kernel != nullptr)
        for (const catalog::Argument& a : program.kernel->arguments)
            names.push_back(a.name);
    else if (!program.cudaText.empty())
        names = parameterNames(program.cudaText, sourceName(entry.name));
    if (names.size() != entry.parameters.size()) {
        names.clear();
        for (const ptx::Parameter& p : entry.parameters)
            names.push_back(p.name);
    }
    return names;
}

namespace {

/// By the names of the CUDA text or the manifest, which the PTX does not have.
Diagnostic wrongArgumentCount(const LoadedProgram& program, const std::vector<std::string>& names, std::size_t given) {
    const ptx::Function& entry = program.program->entry();
    std::string list;
    for (std::size_t i = 0; i < names.size(); ++i)
        list += fmt::format("{}{} ({} bytes)", i == 0 ? "" : ", ", names[i], entry.parameters[i].sizeBytes);
    return {Severity::Error, "argument",
            fmt::format("kernel {} takes {} argument{}, {} given", sourceName(entry.name), names.size(), names.size() == 1 ? "" : "s", given), {},
            names.empty() ? std::string("leave --arg out") : "give an --arg for each, in order: " + list};
}

} // namespace

Result<PreparedLaunch> prepare(const LoadedProgram& program, const LaunchRequest& request, const device::Device& device) {
    PreparedLaunch out;
    sim::Launch& launch = out.launch;
    launch.program = program.program;
    launch.schedule = request.schedule;
    launch.seed = request.seed;
    const device::Limits& limits = device.limits;
    launch.limits.threadsPerBlock = static_cast<std::uint32_t>(limits.threadsPerBlock);
    launch.limits.sharedBytes = static_cast<std::uint64_t>(limits.sharedBytesPerBlockOptIn);
    launch.limits.tensor = tensor::generationOf(device);
    launch.limits.smCount = static_cast<std::uint32_t>(device.value("sm_count").value_or(1));
    std::vector<std::string> specs = request.arguments;
    const auto dim = [](const std::array<std::uint32_t, 3>& d) { return Dim3{d[0], d[1], d[2]}; };
    if (program.kernel != nullptr) {
        launch.grid = request.grid.value_or(dim(program.resolved.grid));
        launch.block = request.block.value_or(dim(program.resolved.block));
        launch.dynamicSharedBytes = request.dynamicSharedBytes.value_or(program.resolved.sharedBytes);
        if (specs.empty())
            specs = program.resolved.argumentSpecs;
    } else {
        launch.grid = request.grid.value_or(Dim3{1, 1, 1});
        launch.block = request.block.value_or(Dim3{kWarpSize, 1, 1});
        launch.dynamicSharedBytes = request.dynamicSharedBytes.value_or(0);
    }
    const ptx::Function& entry = program.program->entry();
    const std::vector<std::string> names = argumentNames(program);
    Diagnostics errors;
    std::uint64_t bufferBytes = 0;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const ptx::Parameter none{};
        const bool known = i < entry.parameters.size();
        Result<ArgumentValue> value = parseArgument(specs[i], i, known ? entry.parameters[i] : none, request.contents);
        if (!value) {
            errors.insert(errors.end(), value.error().begin(), value.error().end());
            continue;
        }
        value->argument.name = known ? names[i] : fmt::format("argument {}", i);
        // The element type that a manifest declares is better than "bytes".
        if (program.kernel != nullptr && i < program.kernel->arguments.size() && value->type == "bytes" &&
            !program.kernel->arguments[i].type.empty()) {
            value->type = program.kernel->arguments[i].type;
            value->elementBytes = std::max(1, typeBytes(value->type));
        }
        bufferBytes += value->argument.ownsMemory() ? value->argument.size() : 0;
        if (bufferBytes > launch.limits.globalBytes) // before the next one takes memory, too
            return failure("argument", fmt::format("the buffers up to argument {} have {} bytes, the simulator holds {}", i, bufferBytes, launch.limits.globalBytes),
                           {}, "simulate a smaller problem");
        launch.arguments.push_back(std::move(value->argument));
        out.values.push_back(std::move(*value));
    }
    if (errors.empty() && specs.size() != entry.parameters.size())
        errors.push_back(wrongArgumentCount(program, names, specs.size()));
    if (!errors.empty())
        return failure(std::move(errors));
    if (Result<void> checked = sim::checkLaunch(launch, request.where); !checked)
        return failure(checked.error());
    return out;
}

} // namespace lanescope::session
