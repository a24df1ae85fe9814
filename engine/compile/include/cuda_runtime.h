// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for the CUDA Toolkit's header of this name. The kernel built-ins are there already; what a user's host code
// needs is declared so that a whole program's text parses. Only its kernels are compiled: no host function is ever called.
#pragma once
#ifdef __clang__
#include "lanescope_cuda.h"

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorUnknown = 999 };
typedef cudaError_t cudaError;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
typedef struct ls_stream* cudaStream_t;
typedef struct ls_event* cudaEvent_t;
struct cudaDeviceProp {
    char name[256];
    ls_size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
    int regsPerBlock, warpSize, maxThreadsPerBlock, clockRate, major, minor, multiProcessorCount;
    int maxThreadsPerMultiProcessor, memoryClockRate, memoryBusWidth, l2CacheSize;
};
extern "C" {
cudaError_t cudaMalloc(void** pointer, ls_size_t bytes);
cudaError_t cudaMallocManaged(void** pointer, ls_size_t bytes, unsigned flags = 1);
cudaError_t cudaMallocHost(void** pointer, ls_size_t bytes);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudaMemcpy(void* to, const void* from, ls_size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, ls_size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemset(void* pointer, int value, ls_size_t bytes);
cudaError_t cudaMemsetAsync(void* pointer, int value, ls_size_t bytes, cudaStream_t stream = 0);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, ls_size_t shared,
                             cudaStream_t stream);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, ls_size_t shared = 0, cudaStream_t stream = 0);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, ls_size_t shared = 0, void* stream = 0);
}
template <class T>
cudaError_t cudaMalloc(T** pointer, ls_size_t bytes) { return cudaMalloc(reinterpret_cast<void**>(pointer), bytes); }
template <class T>
cudaError_t cudaMallocManaged(T** pointer, ls_size_t bytes, unsigned flags = 1) {
    return cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, ls_size_t bytes) { return cudaMallocHost(reinterpret_cast<void**>(pointer), bytes); }
template <class T>
cudaError_t cudaMemcpyToSymbol(const T&, const void*, ls_size_t, ls_size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice) {
    return cudaSuccess;
}
template <class T>
cudaError_t cudaFuncSetAttribute(T*, cudaFuncAttribute, int) { return cudaSuccess; }
#endif
