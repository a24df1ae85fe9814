// SPDX-License-Identifier: GPL-3.0-or-later
// A library with the driver's functions for machines without a GPU: "device" memory is the host's, and a launch adds two arrays of floats or
// multiplies two matrices, by the kernel's name, whatever the PTX says. FAKE_CUDA names what goes wrong: no_gpu, ptx_version, ptx, memory, fault, hang, die, wrong (a sum is off).
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace {

bool is(const char* mode) {
    const char* set = std::getenv("FAKE_CUDA");
    return set != nullptr && std::string(set) == mode;
}
bool g_isOldPtx = false; ///< what was loaded last is PTX 7 or older
bool g_adds = false;     ///< and is the kernel that adds
bool g_multiplies = false, g_isHalf = false; ///< or one of the ladders', with f16 operands

float fromHalf(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    const double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return static_cast<float>((bits & 0x8000) != 0 ? -value : value);
}

/// (M, N, K, A, B, C), row by row.
void multiply(void** parameters) {
    int size[3];
    void* matrices[3];
    for (int i = 0; i < 3; ++i) {
        std::memcpy(&size[i], parameters[i], sizeof size[i]);
        std::memcpy(&matrices[i], parameters[3 + i], sizeof matrices[i]);
    }
    const auto at = [](const void* matrix, int i) {
        return g_isHalf ? fromHalf(static_cast<const std::uint16_t*>(matrix)[i]) : static_cast<const float*>(matrix)[i];
    };
    for (int row = 0; row < size[0]; ++row)
        for (int column = 0; column < size[1]; ++column) {
            float sum = 0;
            for (int k = 0; k < size[2]; ++k)
                sum = std::fma(at(matrices[0], row * size[2] + k), at(matrices[1], k * size[1] + column), sum);
            static_cast<float*>(matrices[2])[row * size[1] + column] = sum;
        }
}

} // namespace

extern "C" {

int cuInit(unsigned) { return is("no_gpu") ? 100 : 0; }
int cuDriverGetVersion(int* version) {
    *version = 12040;
    return 0;
}
int cuDeviceGetCount(int* count) {
    *count = 1;
    return 0;
}
int cuDeviceGet(int* device, int) {
    *device = 0;
    return 0;
}
int cuDeviceGetName(char* name, int size, int) {
    std::strncpy(name, "NVIDIA H200", static_cast<std::size_t>(size));
    return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 16 ? 132 : 1 << 20;
    return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
    *bytes = std::size_t{1} << 30;
    return 0;
}
int cuDeviceGetPCIBusId(char*, int, int) { return 1; }
int cuDevicePrimaryCtxRetain(void** context, int) {
    *context = &g_isOldPtx;
    return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSetCurrent(void*) { return 0; }
int cuCtxSynchronize() {
    if (is("hang"))
        for (;;)
            sleep(1);
    if (is("die"))
        std::raise(SIGABRT);
    return is("fault") ? 700 : 0;
}
int cuModuleLoadDataEx(void** module, const void* image, unsigned, int*, void** values) {
    const std::string text(static_cast<const char*>(image));
    g_isOldPtx = text.find(".version 9") == std::string::npos && text.find(".version 8") == std::string::npos;
    g_adds = text.find("vector_add") != std::string::npos;
    g_isHalf = text.find("t1_wmma") != std::string::npos || text.find("t2_mma") != std::string::npos;
    g_multiplies = g_isHalf || text.find("k01_naive") != std::string::npos || text.find("k03_shared") != std::string::npos;
    if (is("ptx_version") && !g_isOldPtx)
        return 222;
    if (is("ptx")) {
        std::strcpy(static_cast<char*>(values[0]), "line 3: no such instruction");
        return 218;
    }
    *module = &g_isOldPtx;
    return 0;
}
int cuModuleUnload(void*) { return 0; }
int cuModuleGetFunction(void** function, void*, const char*) {
    *function = &g_isOldPtx;
    return 0;
}
int cuFuncGetAttribute(int* value, int attribute, void*) {
    *value = attribute == 4 ? 12 : 0;
    return 0;
}
int cuFuncSetAttribute(void*, int, int) { return 0; }
int cuMemAlloc_v2(unsigned long long* pointer, std::size_t bytes) {
    if (is("memory"))
        return 2;
    *pointer = reinterpret_cast<std::uintptr_t>(std::malloc(bytes));
    return 0;
}
int cuMemFree_v2(unsigned long long pointer) {
    std::free(reinterpret_cast<void*>(pointer));
    return 0;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, std::size_t bytes) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return 0;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes) {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return 0;
}
int cuMemsetD8_v2(unsigned long long to, unsigned char value, std::size_t bytes) {
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    return 0;
}
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void** parameters, void**) {
    if (g_multiplies)
        multiply(parameters);
    if (!g_adds)
        return 0;
    float* arrays[3];
    int n = 0;
    for (int i = 0; i < 3; ++i)
        std::memcpy(&arrays[i], parameters[i], sizeof arrays[i]);
    std::memcpy(&n, parameters[3], sizeof n);
    for (int i = 0; i < n; ++i)
        arrays[2][i] = arrays[0][i] + arrays[1][i];
    if (is("wrong"))
        arrays[2][7] += 1;
    return 0;
}
int cuEventCreate(void** event, unsigned) {
    *event = &g_isOldPtx;
    return 0;
}
int cuEventDestroy_v2(void*) { return 0; }
int cuEventRecord(void*, void*) { return 0; }
int cuEventSynchronize(void*) { return 0; }
int cuEventElapsedTime(float* ms, void*, void*) {
    *ms = 0.5f;
    return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, std::size_t) {
    *blocks = 8;
    return 0;
}
/// NVRTC asks the driver for one and takes a refusal.
int cuGetExportTable(const void** table, const void*) {
    *table = nullptr;
    return 500;
}
int cuGetErrorName(int, const char** name) {
    *name = "CUDA_ERROR";
    return 0;
}
int cuGetErrorString(int status, const char** text) {
    *text = status == 700 ? "an illegal memory access was encountered" : "an error";
    return 0;
}
}
