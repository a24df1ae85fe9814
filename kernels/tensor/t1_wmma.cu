// SPDX-License-Identifier: GPL-3.0-or-later
// C = A B on tensor cores by wmma: a warp multiplies 16 x 16 x 16 pieces whose fragments the hardware lays out as it likes. A block of four
// warps takes 64 x 64 of C, a warp 32 x 32 of it. A and B are f16, C is f32. PAD: halves added to each row of the tiles.
#include <cuda_fp16.h>
#ifndef BK
#define BK 32
#endif
#ifndef PAD
#define PAD 8
#endif
constexpr int BM = 64, BN = 64, threads = 128;
constexpr int pitchA = BK + PAD, pitchB = BN + PAD;

struct FragmentAB { unsigned r[8]; };   // 16 x 16 halves, each twice
struct FragmentC { float r[8]; };       // 16 x 16 floats
/// Eight registers as operands of an instruction.
#define EIGHT(constraint, r) constraint(r[0]), constraint(r[1]), constraint(r[2]), constraint(r[3]), constraint(r[4]), constraint(r[5]), constraint(r[6]), constraint(r[7])

__device__ __forceinline__ unsigned shared(const __half* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void loadA(FragmentAB& a, const __half* tile) {
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : EIGHT("=r", a.r) : "r"(shared(tile)), "r"(pitchA) : "memory");  // [load A]
}

__device__ __forceinline__ void loadB(FragmentAB& b, const __half* tile) {
    asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : EIGHT("=r", b.r) : "r"(shared(tile)), "r"(pitchB) : "memory");  // [load B]
}

__device__ __forceinline__ void multiply(FragmentC& c, const FragmentAB& a, const FragmentAB& b) {
    asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, %7};" : EIGHT("+f", c.r) : EIGHT("r", a.r), EIGHT("r", b.r));  // [multiply]
}

__device__ __forceinline__ void store(float* tile, const FragmentC& c, int pitch) {
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" ::"l"(tile), EIGHT("f", c.r), "r"(pitch) : "memory");  // [store]
}

extern "C" __global__ void __launch_bounds__(threads) t1_wmma(int M, int N, int K, const __half* A, const __half* B, float* C) {
    __shared__ __align__(32) __half As[BM * pitchA], Bs[BK * pitchB];
    int warp = threadIdx.x / 32;
    int row = warp / 2 * 32, col = warp % 2 * 32;           // the warp's part of the block's tile
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    FragmentC sum[2][2] = {};
    for (int k = 0; k < K; k += BK) {
#pragma unroll
        for (int n = 0; n < BM * BK / 8 / threads; ++n) {     // eight halves a thread at a time
            int i = n * threads + threadIdx.x;
            int r = i / (BK / 8), c = i % (BK / 8) * 8;
            *(uint4*)&As[r * pitchA + c] = *(const uint4*)&A[r * K + k + c];
        }
#pragma unroll
        for (int n = 0; n < BK * BN / 8 / threads; ++n) {
            int i = n * threads + threadIdx.x;
            int r = i / (BN / 8), c = i % (BN / 8) * 8;
            *(uint4*)&Bs[r * pitchB + c] = *(const uint4*)&B[(k + r) * N + c];
        }
        __syncthreads();    // the tiles are complete
#pragma unroll
        for (int d = 0; d < BK; d += 16) {
            FragmentAB a[2], b[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                loadA(a[i], &As[(row + 16 * i) * pitchA + d]);
                loadB(b[i], &Bs[d * pitchB + col + 16 * i]);
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j)
                    multiply(sum[i][j], a[i], b[j]);
        }
        __syncthreads();    // everyone has read them
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
            store(&C[(row + 16 * i) * N + col + 16 * j], sum[i][j], N);
}
