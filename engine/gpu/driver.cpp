// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/driver.h"

#include <dlfcn.h>

#include <utility>

#include <fmt/format.h>

#include "engine/gpu/driver_api.h"

namespace lanescope::gpu {

namespace {

constexpr const char* kDriverLibrary = "libcuda.so.1";

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

/// Name of the first function that this driver lacks; null when it has all.
const char* missingFunction(void* library, DriverApi& api) {
    const char* missing = nullptr;
    const auto get = [&](const char* name, auto& function) {
        if (!find(library, name, function) && missing == nullptr)
            missing = name;
    };
    get("cuInit", api.init);
    get("cuDriverGetVersion", api.driverGetVersion);
    get("cuDeviceGetCount", api.deviceGetCount);
    get("cuDeviceGet", api.deviceGet);
    get("cuDeviceGetName", api.deviceGetName);
    get("cuDeviceGetAttribute", api.deviceGetAttribute);
    get("cuDeviceTotalMem_v2", api.deviceTotalMem);
    get("cuDeviceGetPCIBusId", api.deviceGetPciBusId);
    get("cuDevicePrimaryCtxRetain", api.primaryContextRetain);
    get("cuDevicePrimaryCtxRelease_v2", api.primaryContextRelease);
    get("cuCtxSetCurrent", api.contextSetCurrent);
    get("cuCtxSynchronize", api.contextSynchronize);
    get("cuModuleLoadDataEx", api.moduleLoadDataEx);
    get("cuModuleUnload", api.moduleUnload);
    get("cuModuleGetFunction", api.moduleGetFunction);
    get("cuFuncGetAttribute", api.functionGetAttribute);
    get("cuFuncSetAttribute", api.functionSetAttribute);
    get("cuMemAlloc_v2", api.memoryAllocate);
    get("cuMemFree_v2", api.memoryFree);
    get("cuMemcpyHtoD_v2", api.copyToDevice);
    get("cuMemcpyDtoH_v2", api.copyToHost);
    get("cuMemsetD8_v2", api.fillBytes);
    get("cuLaunchKernel", api.launchKernel);
    get("cuEventCreate", api.eventCreate);
    get("cuEventDestroy_v2", api.eventDestroy);
    get("cuEventRecord", api.eventRecord);
    get("cuEventSynchronize", api.eventSynchronize);
    get("cuEventElapsedTime", api.eventElapsed);
    get("cuOccupancyMaxActiveBlocksPerMultiprocessor", api.occupancyBlocks);
    get("cuGetErrorName", api.errorName);
    get("cuGetErrorString", api.errorString);
    find(library, "cuStreamCreate", api.streamCreate);
    find(library, "cuStreamDestroy_v2", api.streamDestroy);
    find(library, "cuStreamBeginCapture_v2", api.streamBeginCapture);
    find(library, "cuStreamEndCapture", api.streamEndCapture);
    find(library, "cuGraphInstantiateWithFlags", api.graphInstantiate);
    find(library, "cuGraphLaunch", api.graphLaunch);
    find(library, "cuGraphDestroy", api.graphDestroy);
    find(library, "cuGraphExecDestroy", api.graphExecDestroy);
    find(library, "cuTensorMapEncodeTiled", api.tensorMapEncodeTiled);
    return missing;
}

/// The clock is a convenience: without NVML there is none.
void findClock(DriverApi& api, int device) {
    void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return;
    int (*init)() = nullptr;
    int (*handle)(const char*, void**) = nullptr;
    int (*clock)(void*, int, unsigned*) = nullptr;
    char bus[32] = {};
    if (find(library, "nvmlInit_v2", init) && find(library, "nvmlDeviceGetHandleByPciBusId_v2", handle) &&
        find(library, "nvmlDeviceGetClockInfo", clock) && init() == 0 && api.deviceGetPciBusId(bus, sizeof bus, device) == kCuSuccess &&
        handle(bus, &api.nvmlDevice) == 0)
        api.nvmlClock = clock;
}

} // namespace

std::string versionText(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

struct Gpu::Context {
    std::shared_ptr<const DriverApi> api;
    int device = 0;
    Context(std::shared_ptr<const DriverApi> from, int ofDevice) : api(std::move(from)), device(ofDevice) {}
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { api->primaryContextRelease(device); }
};

Gpu::Gpu(Gpu&&) noexcept = default;
Gpu& Gpu::operator=(Gpu&&) noexcept = default;
Gpu::~Gpu() = default;

Result<Gpu> Gpu::open() {
    void* const library = dlopen(kDriverLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return failure("gpu", fmt::format("there is no NVIDIA driver on this machine ({} was not found)", kDriverLibrary), {},
                       "everything but running on a GPU works without one");
    auto api = std::make_shared<DriverApi>();
    if (const char* missing = missingFunction(library, *api))
        return failure("gpu", fmt::format("the NVIDIA driver is too old: it has no {}", missing), {}, "install a driver for CUDA 11 or newer");
    Gpu gpu;
    gpu.m_api = api;
    int count = 0, device = 0;
    const int status = api->init(0);
    if (status == kCuNoDevice || (status == kCuSuccess && (api->deviceGetCount(&count) != kCuSuccess || count == 0)))
        return failure("gpu", "the NVIDIA driver finds no GPU", {}, "everything but running on a GPU works without one");
    if (Result<void> ok = gpu.check(status, "the NVIDIA driver cannot be started"); !ok)
        return failure(ok.error());
    char name[128] = {};
    GpuInfo& info = gpu.m_info;
    std::size_t memory = 0;
    api->driverGetVersion(&info.driverVersion);
    if (Result<void> ok = gpu.check(api->deviceGet(&device, 0), "the first GPU cannot be used"); !ok)
        return failure(ok.error());
    api->deviceGetName(name, sizeof name, device);
    api->deviceGetAttribute(&info.major, kCuMajor, device);
    api->deviceGetAttribute(&info.minor, kCuMinor, device);
    api->deviceGetAttribute(&info.smCount, kCuSmCount, device);
    api->deviceGetAttribute(&info.l2Bytes, kCuL2Bytes, device);
    api->deviceTotalMem(&memory, device);
    info.name = name;
    info.memoryBytes = memory;
    CuHandle context = nullptr;
    if (Result<void> ok = gpu.check(api->primaryContextRetain(&context, device), "the GPU gives no context"); !ok)
        return failure(ok.error());
    gpu.m_context = std::make_unique<Context>(api, device);
    if (Result<void> ok = gpu.check(api->contextSetCurrent(context), "the GPU's context cannot be used"); !ok)
        return failure(ok.error());
    findClock(*api, device);
    return gpu;
}

std::optional<double> Gpu::smClockMhz() const {
    constexpr int kSmClock = 1;
    unsigned mhz = 0;
    if (m_api->nvmlClock == nullptr || m_api->nvmlClock(m_api->nvmlDevice, kSmClock, &mhz) != 0)
        return std::nullopt;
    return mhz;
}

Result<void> Gpu::check(int status, const std::string& what) const {
    if (status == kCuSuccess)
        return {};
    const char *name = nullptr, *text = nullptr;
    m_api->errorName(status, &name);
    m_api->errorString(status, &text);
    return failure("gpu", fmt::format("{}: {} ({})", what, text != nullptr ? text : "unknown error", name != nullptr ? name : std::to_string(status).c_str()));
}

} // namespace lanescope::gpu
