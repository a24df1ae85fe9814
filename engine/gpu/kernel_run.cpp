// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/kernel_run.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "engine/gpu/handles.h"

namespace lanescope::gpu {

namespace {

/// ".version 9.0" of the text.
std::string ptxVersion(const std::string& ptx) {
    const std::size_t at = ptx.find(".version");
    if (at == std::string::npos)
        return "?";
    const std::size_t first = ptx.find_first_of("0123456789", at), last = ptx.find_first_not_of("0123456789.", first);
    return ptx.substr(first, last - first);
}

class Run {
public:
    Run(const Gpu& gpu, const sim::Launch& launch) : m_gpu(gpu), m_api(gpu.api()), m_launch(launch), m_module(m_api) {}

    Result<KernelRun> run(const std::string& ptx, const std::string& entry, const TimeOptions& options) {
        Result<void> done = load(ptx, entry).and_then([&] { return prepare(); }).and_then([&] { return launchOnce(); }).and_then([&] { return readBack(); });
        if (done && options.timed)
            done = time(options);
        if (!done)
            return failure(done.error());
        return std::move(m_out);
    }

private:
    Result<void> load(const std::string& ptx, const std::string& entry) {
        std::vector<char> log(8192);
        int keys[] = {kCuJitErrorLog, kCuJitErrorLogBytes};
        void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
        const int status = m_api.moduleLoadDataEx(&m_module.handle, ptx.c_str(), 2, keys, values);
        const std::string text(log.data(), strnlen(log.data(), log.size()));
        const GpuInfo& info = m_gpu.info();
        if (status == kCuUnsupportedPtx)
            return failure("ptx_version",
                           fmt::format("the driver (CUDA {}) does not know PTX {}", versionText(info.driverVersion), ptxVersion(ptx)), {},
                           "install a newer driver, or compile with an older compiler (--with clang writes an older PTX)");
        if (status == kCuNoBinary || status == kCuInvalidPtx)
            return failure("ptx", fmt::format("the driver's compiler does not take this PTX for compute capability {}.{}: {}", info.major, info.minor,
                                              text.empty() ? "it gives no reason" : text));
        if (Result<void> ok = m_gpu.check(status, "the PTX cannot be loaded"); !ok)
            return ok;
        if (Result<void> ok = m_gpu.check(m_api.moduleGetFunction(&m_function, m_module.handle, entry.c_str()), fmt::format("the kernel {} is not found", entry)); !ok)
            return ok;
        const auto dynamic = static_cast<int>(m_launch.dynamicSharedBytes);
        if (dynamic > 0)
            if (Result<void> ok = m_gpu.check(m_api.functionSetAttribute(m_function, kCuMaxDynamicShared, dynamic),
                                              fmt::format("{} bytes of dynamic shared memory are refused", dynamic));
                !ok)
                return ok;
        m_api.functionGetAttribute(&m_out.registersPerThread, kCuRegisters, m_function);
        m_api.functionGetAttribute(&m_out.staticSharedBytes, kCuSharedBytes, m_function);
        m_api.functionGetAttribute(&m_out.localBytes, kCuLocalBytes, m_function);
        m_api.occupancyBlocks(&m_out.blocksPerSm, m_function, static_cast<int>(m_launch.block.count()), m_launch.dynamicSharedBytes);
        return {};
    }

    /// The driver's own encoding, by value or, where the kernel takes a pointer, in memory of its own.
    Result<void> makeTensorMap(std::size_t index) {
        const sim::TensorMapArgument& argument = *m_launch.arguments[index].tensorMap;
        const sim::TensorMap& map = argument.map;
        if (m_api.tensorMapEncodeTiled == nullptr)
            return failure("gpu", "this driver makes no tensor maps", {}, "tensor maps need a driver of CUDA 12.0 or later");
        const CuPointer base = m_buffers[argument.buffer < 0 ? index : static_cast<std::size_t>(argument.buffer)].address + argument.offset;
        alignas(sim::TensorMap::kAlignment) std::array<std::uint8_t, sim::TensorMap::kBytes> encoded{};
        const int swizzle = map.swizzleBytes == 128 ? 3 : map.swizzleBytes == 64 ? 2 : map.swizzleBytes == 32 ? 1 : 0;
        const int status = m_api.tensorMapEncodeTiled(encoded.data(), static_cast<int>(map.type), static_cast<unsigned>(map.rank), reinterpret_cast<void*>(base),
                                                      map.size.data(), map.stride.data() + 1, map.box.data(), map.elementStride.data(), 0, swizzle, 0,
                                                      map.fillsWithNan ? 1 : 0);
        if (Result<void> ok = m_gpu.check(status, fmt::format("the tensor map of {} is refused", m_launch.arguments[index].name)); !ok)
            return ok;
        if (m_launch.program->entry().parameters[index].sizeBytes == encoded.size()) {
            m_parameters[index].assign(encoded.begin(), encoded.end());
            return {};
        }
        m_maps.emplace_back(m_api);
        if (Result<void> ok = m_gpu.check(m_api.memoryAllocate(&m_maps.back().address, encoded.size()), "no memory for a tensor map"); !ok)
            return ok;
        if (Result<void> ok = m_gpu.check(m_api.copyToDevice(m_maps.back().address, encoded.data(), encoded.size()), "a tensor map cannot be copied to the GPU"); !ok)
            return ok;
        m_parameters[index].resize(sizeof(CuPointer));
        std::memcpy(m_parameters[index].data(), &m_maps.back().address, sizeof(CuPointer));
        return {};
    }

    Result<void> prepare() {
        m_parameters.resize(m_launch.arguments.size());
        for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
            const sim::Argument& a = m_launch.arguments[i];
            m_parameters[i] = a.bytes;
            m_buffers.emplace_back(m_api);
            if (!a.ownsMemory())
                continue;
            const std::size_t bytes = std::max<std::size_t>(a.bytes.size(), 1);
            const int status = m_api.memoryAllocate(&m_buffers.back().address, bytes);
            if (status == kCuOutOfMemory)
                return failure("gpu", fmt::format("the GPU has no room for the {} bytes of {}", bytes, a.name), {}, "use a smaller problem");
            if (Result<void> ok = m_gpu.check(status, fmt::format("no memory for {}", a.name)); !ok)
                return ok;
            if (Result<void> ok = m_gpu.check(m_api.copyToDevice(m_buffers.back().address, a.bytes.data(), a.bytes.size()), fmt::format("{} cannot be copied to the GPU", a.name)); !ok)
                return ok;
            m_parameters[i].resize(sizeof(CuPointer));
            std::memcpy(m_parameters[i].data(), &m_buffers.back().address, sizeof(CuPointer));
        }
        for (std::size_t i = 0; i < m_launch.arguments.size(); ++i)
            if (m_launch.arguments[i].tensorMap)
                if (Result<void> ok = makeTensorMap(i); !ok)
                    return ok;
        for (std::vector<std::uint8_t>& bytes : m_parameters)
            m_pointers.push_back(bytes.data());
        return {};
    }

    int launchKernel() {
        const Dim3 &g = m_launch.grid, &b = m_launch.block;
        return m_api.launchKernel(m_function, g.x, g.y, g.z, b.x, b.y, b.z, static_cast<unsigned>(m_launch.dynamicSharedBytes), nullptr, m_pointers.data(), nullptr);
    }

    Result<void> launchOnce() {
        int status = launchKernel();
        if (status == kCuOutOfResources)
            return failure("gpu", "the launch needs more registers or shared memory than the SM has", {}, "use fewer threads a block");
        if (Result<void> ok = m_gpu.check(status, "the launch is refused"); !ok)
            return ok;
        status = m_api.contextSynchronize();
        const char* hint = status == kCuIllegalAddress ? "the kernel read or wrote outside its buffers: simulate it, the finding names the line and the thread"
                           : status == kCuMisaligned   ? "an address is no multiple of the access's size: simulate it, the finding names the line and the thread"
                                                       : "";
        Result<void> ok = m_gpu.check(status, "the kernel faulted");
        if (!ok)
            ok.error().front().hint = hint;
        return ok;
    }

    Result<void> readBack() {
        for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
            const sim::Argument& a = m_launch.arguments[i];
            std::vector<std::uint8_t>& to = m_out.buffers.emplace_back(a.ownsMemory() ? a.bytes.size() : 0);
            if (a.ownsMemory() && !to.empty())
                if (Result<void> ok = m_gpu.check(m_api.copyToHost(to.data(), m_buffers[i].address, to.size()), fmt::format("{} cannot be read back", a.name)); !ok)
                    return ok;
        }
        return {};
    }

    Result<void> time(const TimeOptions& options) {
        Result<KernelTime> time = timeLaunches(m_gpu, options, [this] { return m_gpu.check(launchKernel(), "a timed launch is refused"); });
        if (!time)
            return failure(time.error());
        m_out.time = std::move(*time);
        return {};
    }

    const Gpu& m_gpu;
    const DriverApi& m_api;
    const sim::Launch& m_launch;
    Module m_module;
    CuHandle m_function = nullptr;
    std::vector<Buffer> m_buffers; ///< by argument; address 0 for scalars
    std::vector<Buffer> m_maps;    ///< tensor maps that the kernel takes by pointer
    std::vector<std::vector<std::uint8_t>> m_parameters;
    std::vector<void*> m_pointers;
    KernelRun m_out;
};

} // namespace

Result<KernelRun> runKernel(const Gpu& gpu, const std::string& ptx, const std::string& entry, const sim::Launch& launch, const TimeOptions& options) {
    return Run(gpu, launch).run(ptx, entry, options);
}

} // namespace lanescope::gpu
