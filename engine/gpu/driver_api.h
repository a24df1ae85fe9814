// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of libcuda that are called, looked up by name. Internal to engine/gpu.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope::gpu {

using CuPointer = unsigned long long; ///< CUdeviceptr
using CuHandle = void*;               ///< CUcontext, CUmodule, CUfunction, CUstream, CUevent

// CUresult
inline constexpr int kCuSuccess = 0, kCuOutOfMemory = 2, kCuNoDevice = 100, kCuNoBinary = 209, kCuInvalidPtx = 218, kCuUnsupportedPtx = 222,
                     kCuIllegalAddress = 700, kCuOutOfResources = 701, kCuLaunchTimeout = 702, kCuMisaligned = 716, kCuLaunchFailed = 719;
// CUdevice_attribute
inline constexpr int kCuL2Bytes = 38, kCuSmCount = 16, kCuMajor = 75, kCuMinor = 76;
// CUfunction_attribute
inline constexpr int kCuMaxThreads = 0, kCuSharedBytes = 1, kCuLocalBytes = 3, kCuRegisters = 4, kCuMaxDynamicShared = 8;
// CUjit_option
inline constexpr int kCuJitErrorLog = 5, kCuJitErrorLogBytes = 6;

struct DriverApi {
    int (*init)(unsigned) = nullptr;
    int (*driverGetVersion)(int*) = nullptr;
    int (*deviceGetCount)(int*) = nullptr;
    int (*deviceGet)(int*, int) = nullptr;
    int (*deviceGetName)(char*, int, int) = nullptr;
    int (*deviceGetAttribute)(int*, int, int) = nullptr;
    int (*deviceTotalMem)(std::size_t*, int) = nullptr;
    int (*deviceGetPciBusId)(char*, int, int) = nullptr;
    int (*primaryContextRetain)(CuHandle*, int) = nullptr;
    int (*primaryContextRelease)(int) = nullptr;
    int (*contextSetCurrent)(CuHandle) = nullptr;
    int (*contextSynchronize)() = nullptr;
    int (*moduleLoadDataEx)(CuHandle*, const void*, unsigned, int*, void**) = nullptr;
    int (*moduleUnload)(CuHandle) = nullptr;
    int (*moduleGetFunction)(CuHandle*, CuHandle, const char*) = nullptr;
    int (*functionGetAttribute)(int*, int, CuHandle) = nullptr;
    int (*functionSetAttribute)(CuHandle, int, int) = nullptr;
    int (*memoryAllocate)(CuPointer*, std::size_t) = nullptr;
    int (*memoryFree)(CuPointer) = nullptr;
    int (*copyToDevice)(CuPointer, const void*, std::size_t) = nullptr;
    int (*copyToHost)(void*, CuPointer, std::size_t) = nullptr;
    int (*fillBytes)(CuPointer, unsigned char, std::size_t) = nullptr;
    int (*launchKernel)(CuHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CuHandle, void**, void**) = nullptr;
    int (*eventCreate)(CuHandle*, unsigned) = nullptr;
    int (*eventDestroy)(CuHandle) = nullptr;
    int (*eventRecord)(CuHandle, CuHandle) = nullptr;
    int (*eventSynchronize)(CuHandle) = nullptr;
    int (*eventElapsed)(float*, CuHandle, CuHandle) = nullptr;
    int (*occupancyBlocks)(int*, CuHandle, int, std::size_t) = nullptr;
    int (*errorName)(int, const char**) = nullptr;
    int (*errorString)(int, const char**) = nullptr;
    /// Null in drivers before CUDA 12.0. Map, type, rank, address, sizes, strides, box, element strides, interleave, swizzle, promotion, fill.
    int (*tensorMapEncodeTiled)(void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*, const unsigned*, const unsigned*, int, int, int,
                                int) = nullptr;

    // Graphs; null in drivers that have none.
    int (*streamCreate)(CuHandle*, unsigned) = nullptr;
    int (*streamDestroy)(CuHandle) = nullptr;
    int (*streamBeginCapture)(CuHandle, int) = nullptr;
    int (*streamEndCapture)(CuHandle, CuHandle*) = nullptr;
    int (*graphInstantiate)(CuHandle*, CuHandle, unsigned long long) = nullptr;
    int (*graphLaunch)(CuHandle, CuHandle) = nullptr;
    int (*graphDestroy)(CuHandle) = nullptr;
    int (*graphExecDestroy)(CuHandle) = nullptr;
    bool hasGraphs() const {
        return streamCreate != nullptr && streamDestroy != nullptr && streamBeginCapture != nullptr && streamEndCapture != nullptr && graphInstantiate != nullptr &&
               graphLaunch != nullptr && graphDestroy != nullptr && graphExecDestroy != nullptr;
    }

    // NVML; null without it.
    void* nvmlDevice = nullptr;
    int (*nvmlClock)(void*, int, unsigned*) = nullptr;
};

} // namespace lanescope::gpu
