// SPDX-License-Identifier: GPL-3.0-or-later
// NVRTC through dlopen: its functions are declared here after its documentation, so no CUDA header
// is needed.
#include "engine/compile/invoke.h"

#include <memory>
#include <span>

#include <dlfcn.h>
#include <fmt/format.h>

#include "engine/base/embedded_file.h"

namespace lanescope::embedded {
std::span<const EmbeddedFile> compile_headers();
}

namespace lanescope::compile {
namespace {

using Program = void*;
constexpr int kSuccess = 0, kInvalidOption = 5, kCancelled = 13;

struct CloseLibrary {
    void operator()(void* library) const { ::dlclose(library); }
};

struct Nvrtc {
    std::unique_ptr<void, CloseLibrary> library;
    int (*version)(int*, int*) = nullptr;
    int (*create)(Program*, const char*, const char*, int, const char* const*,
                  const char* const*) = nullptr;
    int (*destroy)(Program*) = nullptr;
    int (*compile)(Program, int, const char* const*) = nullptr;
    int (*ptxSize)(Program, std::size_t*) = nullptr;
    int (*ptx)(Program, char*) = nullptr;
    int (*logSize)(Program, std::size_t*) = nullptr;
    int (*log)(Program, char*) = nullptr;
    const char* (*errorString)(int) = nullptr;
    int (*setFlowCallback)(Program, int (*)(void*, void*), void*) = nullptr; ///< since CUDA 12.8
};

template <class F>
bool load(void* library, const char* symbol, F& function) {
    function = reinterpret_cast<F>(::dlsym(library, symbol));
    return function != nullptr;
}

Result<Nvrtc> open(const Located& located) {
    Nvrtc nvrtc;
    // Never unloaded: NVRTC leaves memory behind at each unloading, and loading again takes a
    // while.
    nvrtc.library.reset(::dlopen(located.path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
    void* library = nvrtc.library.get();
    if (library == nullptr) {
        const char* why = ::dlerror();
        return failure("compiler", fmt::format("{} cannot be loaded: {}", located.path.string(),
                                               why ? why : "?"));
    }
    const bool complete = load(library, "nvrtcVersion", nvrtc.version) &&
                          load(library, "nvrtcCreateProgram", nvrtc.create) &&
                          load(library, "nvrtcDestroyProgram", nvrtc.destroy) &&
                          load(library, "nvrtcCompileProgram", nvrtc.compile) &&
                          load(library, "nvrtcGetPTXSize", nvrtc.ptxSize) &&
                          load(library, "nvrtcGetPTX", nvrtc.ptx) &&
                          load(library, "nvrtcGetProgramLogSize", nvrtc.logSize) &&
                          load(library, "nvrtcGetProgramLog", nvrtc.log) &&
                          load(library, "nvrtcGetErrorString", nvrtc.errorString);
    if (!complete)
        return failure("compiler",
                       fmt::format("{} lacks functions of NVRTC", located.path.string()));
    load(library, "nvrtcSetFlowCallback", nvrtc.setFlowCallback);
    return nvrtc;
}

/// A program that destroys itself.
class Handle {
public:
    explicit Handle(const Nvrtc& nvrtc) : m_nvrtc(nvrtc) {}
    ~Handle() {
        if (m_program != nullptr)
            m_nvrtc.destroy(&m_program);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    Program* address() { return &m_program; }
    Program get() const { return m_program; }

private:
    const Nvrtc& m_nvrtc;
    Program m_program = nullptr;
};

/// What the flow callback asks: is the time over, has the caller given up?
struct Watch {
    std::stop_token stop;
    std::chrono::steady_clock::time_point deadline;
    bool late() const { return std::chrono::steady_clock::now() >= deadline; }
    static int shouldStop(void* watch, void*) {
        const Watch& self = *static_cast<const Watch*>(watch);
        return self.stop.stop_requested() || self.late() ? 1 : 0;
    }
};

/// Names and texts of the headers that NVRTC gets from us: those of the C and C++ libraries, which
/// it does not have, and CUDA's own when there is no Toolkit around it.
void collectHeaders(bool haveToolkit, std::vector<std::string>& names,
                    std::vector<std::string>& texts) {
    constexpr std::string_view kFallback = "fallback/";
    for (const EmbeddedFile& file : embedded::compile_headers()) {
        if (file.name.starts_with(kFallback))
            names.emplace_back(file.name.substr(kFallback.size()));
        else if (!haveToolkit && file.name.starts_with("cuda"))
            names.emplace_back(file.name);
        else
            continue;
        texts.emplace_back(file.bytes);
    }
}

std::vector<const char*> pointers(const std::vector<std::string>& strings) {
    std::vector<const char*> result;
    for (const std::string& text : strings)
        result.push_back(text.c_str());
    return result;
}

std::vector<std::string> options(const CompileRequest& request, const Located& located,
                                 const std::string& arch) {
    std::vector<std::string> result{"--gpu-architecture=" + arch, "--std=c++17", "-lineinfo", "--device-int128"};
    for (const auto& [macro, value] : request.defines)
        result.push_back(fmt::format("--define-macro={}={}", macro, value));
    for (const auto& folder : request.includeDirs)
        result.push_back("--include-path=" + folder.string());
    // nvcc includes <math.h> (INFINITY, NAN, M_PI) before every text.
    result.emplace_back("--pre-include=math.h");
    if (!located.toolkitRoot.empty()) {
        result.push_back("--include-path=" + (located.toolkitRoot / "include").string());
        // Since CUDA 13 the C++ library that cooperative_groups.h needs has a folder of its own.
        std::error_code ec;
        if (const auto cccl = located.toolkitRoot / "include/cccl"; std::filesystem::is_directory(cccl, ec))
            result.push_back("--include-path=" + cccl.string());
    }
    return result;
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

} // namespace

Result<std::string> nvrtcVersion(const Located& located) {
    auto nvrtc = open(located);
    if (!nvrtc)
        return failure(std::move(nvrtc.error()));
    int major = 0, minor = 0;
    nvrtc->version(&major, &minor);
    return fmt::format("{}.{}", major, minor);
}

Result<Attempt> runNvrtc(const CompileRequest& request, const Located& located,
                         const Architecture& arch) {
    auto nvrtc = open(located);
    if (!nvrtc)
        return failure(std::move(nvrtc.error()));
    std::vector<std::string> headerNames, headerTexts;
    collectHeaders(!located.toolkitRoot.empty(), headerNames, headerTexts);
    const auto namePointers = pointers(headerNames), textPointers = pointers(headerTexts);
    Handle program(*nvrtc);
    int status = nvrtc->create(
        program.address(), request.text.c_str(), textFileName(request.fileName).c_str(),
        static_cast<int>(namePointers.size()), textPointers.data(), namePointers.data());
    if (status != kSuccess)
        return failure("compiler", fmt::format("NVRTC: {}", nvrtc->errorString(status)));

    Watch watch{request.stop, std::chrono::steady_clock::now() + request.timeLimit};
    if (nvrtc->setFlowCallback != nullptr)
        nvrtc->setFlowCallback(program.get(), &Watch::shouldStop, &watch);
    Attempt attempt;
    attempt.arch = fmt::format("sm_{}{}", arch.number, arch.suffix);
    const auto texts =
        options(request, located, fmt::format("compute_{}{}", arch.number, arch.suffix));
    const auto arguments = pointers(texts);
    status = nvrtc->compile(program.get(), static_cast<int>(arguments.size()), arguments.data());
    if (request.stop.stop_requested())
        return failure("cancelled", "the compilation was cancelled");
    if (status == kCancelled || (status != kSuccess && watch.late()))
        return failure("timeout",
                       fmt::format("NVRTC took longer than {} ms", request.timeLimit.count()), {},
                       "raise the time limit or simplify the text");

    std::size_t size = 0;
    if (nvrtc->logSize(program.get(), &size) == kSuccess && size > 1) {
        attempt.log.resize(size);
        nvrtc->log(program.get(), attempt.log.data());
        attempt.log.resize(size - 1);
    }
    if (status != kSuccess) {
        attempt.unsuitable = status == kInvalidOption || contains(attempt.log, "JIT mode") ||
                             contains(attempt.log, "could not open source file") ||
                             contains(attempt.log, "cannot open source file");
        if (attempt.log.empty())
            attempt.log = fmt::format("error: NVRTC: {}", nvrtc->errorString(status));
        return attempt;
    }
    if (nvrtc->ptxSize(program.get(), &size) != kSuccess || size < 2)
        return failure("compiler", "NVRTC gave no PTX");
    attempt.ptx.resize(size);
    nvrtc->ptx(program.get(), attempt.ptx.data());
    attempt.ptx.resize(size - 1);
    attempt.succeeded = true;
    return attempt;
}

} // namespace lanescope::compile
