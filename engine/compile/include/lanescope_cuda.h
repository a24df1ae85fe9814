// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA's built-ins for a clang that compiles to PTX without the CUDA Toolkit: function attributes, vector types, thread
// indices, barriers, warp functions, atomics. Included before the user's text. Functions are `nodebug` so that an
// inlined one carries the line of the user's call. NVRTC and nvcc have their own and never see this file.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __grid_constant__
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define CUDART_VERSION 12000
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")

#define LS_FUNCTION static __inline__ __attribute__((always_inline, nodebug, device))
#define LS_BOTH static __inline__ __attribute__((always_inline, nodebug, host, device))

typedef decltype(sizeof(0)) ls_size_t;

// ---- vector types ----
// Assignment goes member by member: clang turns that, and not the copy of a whole struct, into one ld.v4 and one st.v4.
#define LS_ASSIGN __attribute__((always_inline, nodebug, host, device))
#define LS_VECTOR_TYPES(T, base, align2, align4)                                                   \
    struct base##1 { T x; };                                                                       \
    struct __attribute__((aligned(align2))) base##2 {                                              \
        T x, y;                                                                                    \
        LS_ASSIGN base##2& operator=(const base##2& v) { x = v.x, y = v.y; return *this; }         \
    };                                                                                             \
    struct base##3 { T x, y, z; };                                                                 \
    struct __attribute__((aligned(align4))) base##4 {                                              \
        T x, y, z, w;                                                                              \
        LS_ASSIGN base##4& operator=(const base##4& v) { x = v.x, y = v.y, z = v.z, w = v.w; return *this; } \
    };                                                                                             \
    LS_BOTH base##1 make_##base##1(T x) { return {x}; }                                            \
    LS_BOTH base##2 make_##base##2(T x, T y) { return {x, y}; }                                    \
    LS_BOTH base##3 make_##base##3(T x, T y, T z) { return {x, y, z}; }                            \
    LS_BOTH base##4 make_##base##4(T x, T y, T z, T w) { return {x, y, z, w}; }
LS_VECTOR_TYPES(signed char, char, 2, 4)
LS_VECTOR_TYPES(unsigned char, uchar, 2, 4)
LS_VECTOR_TYPES(short, short, 4, 8)
LS_VECTOR_TYPES(unsigned short, ushort, 4, 8)
LS_VECTOR_TYPES(int, int, 8, 16)
LS_VECTOR_TYPES(unsigned int, uint, 8, 16)
LS_VECTOR_TYPES(long, long, 16, 16)
LS_VECTOR_TYPES(unsigned long, ulong, 16, 16)
LS_VECTOR_TYPES(long long, longlong, 16, 16)
LS_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
LS_VECTOR_TYPES(float, float, 8, 16)
LS_VECTOR_TYPES(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    __attribute__((host, device, nodebug)) constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1)
        : x(vx), y(vy), z(vz) {}
    __attribute__((host, device, nodebug)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __attribute__((host, device, nodebug)) constexpr operator uint3() const { return {x, y, z}; }
};

// ---- thread and block indices ----
#define LS_INDEX(type, sreg, whole)                                                                \
    struct type {                                                                                  \
        __declspec(property(get = readX)) unsigned x;                                              \
        __declspec(property(get = readY)) unsigned y;                                              \
        __declspec(property(get = readZ)) unsigned z;                                              \
        LS_FUNCTION unsigned readX() { return __nvvm_read_ptx_sreg_##sreg##_x(); }                 \
        LS_FUNCTION unsigned readY() { return __nvvm_read_ptx_sreg_##sreg##_y(); }                 \
        LS_FUNCTION unsigned readZ() { return __nvvm_read_ptx_sreg_##sreg##_z(); }                 \
        __attribute__((always_inline, nodebug, device)) operator uint3() const {                   \
            return {readX(), readY(), readZ()};                                                    \
        }                                                                                          \
        __attribute__((always_inline, nodebug, device)) operator dim3() const {                    \
            return dim3(readX(), readY(), readZ());                                                \
        }                                                                                          \
    };                                                                                             \
    extern const __attribute__((device, weak)) type whole;
LS_INDEX(ls_thread_index, tid, threadIdx)
LS_INDEX(ls_block_index, ctaid, blockIdx)
LS_INDEX(ls_block_size, ntid, blockDim)
LS_INDEX(ls_grid_size, nctaid, gridDim)
#undef LS_INDEX
constexpr int warpSize = 32;

// ---- barriers and fences ----
// Not clang's own __syncthreads: its alias analysis up to LLVM 14 thinks that the intrinsic changes no shared variable, and moves loads
// of such a variable from behind the barrier to before it.
LS_FUNCTION void ls_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
#define __syncthreads() ls_syncthreads()
LS_FUNCTION int __syncthreads_count(int p) {
    int r;
    asm volatile("{ .reg .pred q; setp.ne.s32 q, %1, 0; bar.red.popc.u32 %0, 0, q; }" : "=r"(r) : "r"(p) : "memory");
    return r;
}
#define LS_BARRIER_VOTE(name, op)                                                                  \
    LS_FUNCTION int name(int p) {                                                                  \
        int r;                                                                                     \
        asm volatile("{ .reg .pred q, s; setp.ne.s32 q, %1, 0; bar.red." op                        \
                     ".pred s, 0, q; selp.s32 %0, 1, 0, s; }"                                      \
                     : "=r"(r) : "r"(p) : "memory");                                               \
        return r;                                                                                  \
    }
LS_BARRIER_VOTE(__syncthreads_and, "and")
LS_BARRIER_VOTE(__syncthreads_or, "or")
LS_FUNCTION void __syncwarp(unsigned mask = 0xffffffffu) {
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
LS_FUNCTION void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
LS_FUNCTION void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
LS_FUNCTION void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }

// ---- warp votes, shuffles, matches ----
LS_FUNCTION unsigned __activemask() {
    unsigned r;
    asm volatile("activemask.b32 %0;" : "=r"(r));
    return r;
}
LS_FUNCTION unsigned __ballot_sync(unsigned mask, int p) {
    unsigned r;
    asm volatile("{ .reg .pred q; setp.ne.s32 q, %1, 0; vote.sync.ballot.b32 %0, q, %2; }"
                 : "=r"(r) : "r"(p), "r"(mask) : "memory");
    return r;
}
#define LS_VOTE(name, op)                                                                          \
    LS_FUNCTION int name(unsigned mask, int p) {                                                   \
        int r;                                                                                     \
        asm volatile("{ .reg .pred q, s; setp.ne.s32 q, %1, 0; vote.sync." op                      \
                     ".pred s, q, %2; selp.s32 %0, 1, 0, s; }"                                     \
                     : "=r"(r) : "r"(p), "r"(mask) : "memory");                                    \
        return r;                                                                                  \
    }
LS_VOTE(__all_sync, "all")
LS_VOTE(__any_sync, "any")
LS_VOTE(__uni_sync, "uni")

// The last operand of shfl holds the segment mask in bits 8-12 and the clamp lane in bits 0-4.
#define LS_SHUFFLE(name, mode, clampLane)                                                          \
    LS_FUNCTION unsigned ls_##mode(unsigned mask, unsigned v, unsigned lane, int width) {          \
        unsigned r;                                                                                \
        asm volatile("shfl.sync." #mode ".b32 %0, %1, %2, %3, %4;"                                 \
                     : "=r"(r)                                                                     \
                     : "r"(v), "r"(lane), "r"(((32u - static_cast<unsigned>(width)) << 8) | clampLane), "r"(mask) \
                     : "memory");                                                                  \
        return r;                                                                                  \
    }                                                                                              \
    template <class T>                                                                             \
    LS_FUNCTION T name(unsigned mask, T value, int lane, int width = 32) {                         \
        static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");                          \
        unsigned words[2] = {0, 0};                                                                \
        __builtin_memcpy(words, &value, sizeof(T));                                                \
        words[0] = ls_##mode(mask, words[0], static_cast<unsigned>(lane), width);                  \
        if constexpr (sizeof(T) > 4)                                                               \
            words[1] = ls_##mode(mask, words[1], static_cast<unsigned>(lane), width);              \
        __builtin_memcpy(&value, words, sizeof(T));                                                \
        return value;                                                                              \
    }
LS_SHUFFLE(__shfl_sync, idx, 31u)
LS_SHUFFLE(__shfl_up_sync, up, 0u)
LS_SHUFFLE(__shfl_down_sync, down, 31u)
LS_SHUFFLE(__shfl_xor_sync, bfly, 31u)

template <class T>
LS_FUNCTION unsigned __match_any_sync(unsigned mask, T value) {
    unsigned r;
    if constexpr (sizeof(T) == 8) {
        unsigned long long bits;
        __builtin_memcpy(&bits, &value, 8);
        asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(bits), "r"(mask) : "memory");
    } else {
        unsigned bits;
        __builtin_memcpy(&bits, &value, 4);
        asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(bits), "r"(mask) : "memory");
    }
    return r;
}
template <class T>
LS_FUNCTION unsigned __match_all_sync(unsigned mask, T value, int* allEqual) {
    unsigned r;
    int same;
    if constexpr (sizeof(T) == 8) {
        unsigned long long bits;
        __builtin_memcpy(&bits, &value, 8);
        asm volatile("{ .reg .pred q; match.all.sync.b64 %0|q, %2, %3; selp.s32 %1, 1, 0, q; }"
                     : "=r"(r), "=r"(same) : "l"(bits), "r"(mask) : "memory");
    } else {
        unsigned bits;
        __builtin_memcpy(&bits, &value, 4);
        asm volatile("{ .reg .pred q; match.all.sync.b32 %0|q, %2, %3; selp.s32 %1, 1, 0, q; }"
                     : "=r"(r), "=r"(same) : "r"(bits), "r"(mask) : "memory");
    }
    *allEqual = same;
    return r;
}
#define LS_REDUX(name, T, op)                                                                      \
    LS_FUNCTION T name(unsigned mask, T v) {                                                       \
        T r;                                                                                       \
        asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask) : "memory");    \
        return r;                                                                                  \
    }
LS_REDUX(__reduce_add_sync, unsigned, "add.u32")
LS_REDUX(__reduce_add_sync, int, "add.s32")
LS_REDUX(__reduce_min_sync, unsigned, "min.u32")
LS_REDUX(__reduce_min_sync, int, "min.s32")
LS_REDUX(__reduce_max_sync, unsigned, "max.u32")
LS_REDUX(__reduce_max_sync, int, "max.s32")
LS_REDUX(__reduce_and_sync, unsigned, "and.b32")
LS_REDUX(__reduce_or_sync, unsigned, "or.b32")
LS_REDUX(__reduce_xor_sync, unsigned, "xor.b32")

// ---- atomics ----
#define LS_ATOMIC(name, T, c, op)                                                                  \
    LS_FUNCTION T name(T* p, T v) {                                                                \
        T r;                                                                                       \
        asm volatile("atom." op " %0, [%1], %2;" : "=" c(r) : "l"(p), c(v) : "memory");            \
        return r;                                                                                  \
    }
#define LS_ATOMIC_CAS(T, c, op)                                                                    \
    LS_FUNCTION T atomicCAS(T* p, T expected, T v) {                                               \
        T r;                                                                                       \
        asm volatile("atom.cas." op " %0, [%1], %2, %3;" : "=" c(r) : "l"(p), c(expected), c(v) : "memory"); \
        return r;                                                                                  \
    }
LS_ATOMIC(atomicAdd, int, "r", "add.s32")
LS_ATOMIC(atomicExch, int, "r", "exch.b32")
LS_ATOMIC_CAS(int, "r", "b32")
LS_ATOMIC(atomicMin, int, "r", "min.s32")
LS_ATOMIC(atomicMax, int, "r", "max.s32")
LS_ATOMIC(atomicAnd, int, "r", "and.b32")
LS_ATOMIC(atomicOr, int, "r", "or.b32")
LS_ATOMIC(atomicXor, int, "r", "xor.b32")
LS_ATOMIC(atomicAdd, unsigned int, "r", "add.u32")
LS_ATOMIC(atomicExch, unsigned int, "r", "exch.b32")
LS_ATOMIC_CAS(unsigned int, "r", "b32")
LS_ATOMIC(atomicMin, unsigned int, "r", "min.u32")
LS_ATOMIC(atomicMax, unsigned int, "r", "max.u32")
LS_ATOMIC(atomicAnd, unsigned int, "r", "and.b32")
LS_ATOMIC(atomicOr, unsigned int, "r", "or.b32")
LS_ATOMIC(atomicXor, unsigned int, "r", "xor.b32")
LS_ATOMIC(atomicAdd, unsigned long long, "l", "add.u64")
LS_ATOMIC(atomicExch, unsigned long long, "l", "exch.b64")
LS_ATOMIC_CAS(unsigned long long, "l", "b64")
LS_ATOMIC(atomicMin, unsigned long long, "l", "min.u64")
LS_ATOMIC(atomicMax, unsigned long long, "l", "max.u64")
LS_ATOMIC(atomicAnd, unsigned long long, "l", "and.b64")
LS_ATOMIC(atomicOr, unsigned long long, "l", "or.b64")
LS_ATOMIC(atomicXor, unsigned long long, "l", "xor.b64")
LS_ATOMIC(atomicMin, long long, "l", "min.s64")
LS_ATOMIC(atomicMax, long long, "l", "max.s64")
LS_ATOMIC(atomicAnd, long long, "l", "and.b64")
LS_ATOMIC(atomicOr, long long, "l", "or.b64")
LS_ATOMIC(atomicXor, long long, "l", "xor.b64")
LS_ATOMIC(atomicInc, unsigned int, "r", "inc.u32")
LS_ATOMIC(atomicDec, unsigned int, "r", "dec.u32")
LS_ATOMIC(atomicAdd, float, "f", "add.f32")
LS_ATOMIC(atomicAdd, double, "d", "add.f64")
LS_ATOMIC(atomicExch, float, "f", "exch.b32")
LS_FUNCTION int atomicSub(int* p, int v) { return atomicAdd(p, -v); }
LS_FUNCTION unsigned atomicSub(unsigned* p, unsigned v) { return atomicAdd(p, 0u - v); }

// ---- loads and stores with a cache hint; addresses ----
template <class T>
LS_FUNCTION T __ldg(const T* p) { return *p; }
template <class T>
LS_FUNCTION T __ldcg(const T* p) { return *p; }
template <class T>
LS_FUNCTION T __ldca(const T* p) { return *p; }
template <class T>
LS_FUNCTION T __ldcs(const T* p) { return *p; }
template <class T>
LS_FUNCTION void __stcg(T* p, T v) { *p = v; }
template <class T>
LS_FUNCTION void __stcs(T* p, T v) { *p = v; }
LS_FUNCTION ls_size_t __cvta_generic_to_shared(const void* p) {
    ls_size_t r;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(r) : "l"(p));
    return r;
}
LS_FUNCTION ls_size_t __cvta_generic_to_global(const void* p) {
    ls_size_t r;
    asm("cvta.to.global.u64 %0, %1;" : "=l"(r) : "l"(p));
    return r;
}
LS_FUNCTION void* __cvta_shared_to_generic(ls_size_t p) {
    void* r;
    asm("cvta.shared.u64 %0, %1;" : "=l"(r) : "l"(p));
    return r;
}
LS_FUNCTION long long clock64() {
    long long r;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(r) :: "memory");
    return r;
}
LS_FUNCTION int clock() { return static_cast<int>(clock64()); }
LS_FUNCTION void __trap() { asm volatile("trap;"); }
LS_FUNCTION void __brkpt() { asm volatile("brkpt;"); }
LS_FUNCTION void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" :: "r"(ns)); }

extern "C" __device__ int vprintf(const char* format, const char* arguments);
extern "C" __device__ int printf(const char* format, ...);
extern "C" __device__ void* malloc(ls_size_t bytes);
extern "C" __device__ void free(void* pointer);
extern "C" __device__ void __assertfail(const char* message, const char* file, unsigned line,
                                        const char* function, ls_size_t characterBytes);

/// What assert() of the C library's header calls.
extern "C" __attribute__((device, noreturn)) inline void __assert_fail(const char* message, const char* file, unsigned line,
                                                                       const char* function) noexcept {
    __assertfail(message, file, line, function, 1);
    __builtin_unreachable();
}

#include "lanescope_cuda_math.h"
#include "lanescope_cuda_intrinsics.h"
