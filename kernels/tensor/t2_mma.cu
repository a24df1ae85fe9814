// SPDX-License-Identifier: GPL-3.0-or-later
// C = A B on tensor cores by mma and ldmatrix: fragments whose layout is known, loaded as 8 x 8 matrices of 16-byte rows. A block of four
// warps takes 64 x 64 of C, a warp 32 x 32. LAYOUT says where the tiles' 16-byte chunks lie in shared memory: 0 in order (eight rows of a
// matrix meet in the same four banks), 1 with rows padded by one chunk, 2 with each chunk moved by XOR with its row.
#include <cuda_fp16.h>
#ifndef LAYOUT
#define LAYOUT 0
#endif
constexpr int BM = 64, BN = 64, BK = 64, threads = 128;
constexpr int pitch = 64 + (LAYOUT == 1 ? 8 : 0);

/// Place of an element in a tile: rows of 64 halves are eight chunks of eight.
__device__ __forceinline__ int at(int row, int col) {
    if (LAYOUT == 2)
        return row * pitch + (col / 8 ^ row % 8) * 8 + col % 8;
    return row * pitch + col;
}

/// Four registers as operands of an instruction.
#define FOUR(constraint, r) constraint(r[0]), constraint(r[1]), constraint(r[2]), constraint(r[3])

__device__ __forceinline__ unsigned shared(const __half* p) { return (unsigned)__cvta_generic_to_shared(p); }

/// Four 8 x 8 matrices: lanes 8i..8i+7 give the rows of matrix i.
__device__ __forceinline__ void loadA(unsigned (&r)[4], const __half* p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : FOUR("=r", r) : "r"(shared(p)) : "memory");  // [load A]
}

/// The same, each matrix transposed: B is row-major in shared memory, its fragments run down columns.
__device__ __forceinline__ void loadB(unsigned (&r)[4], const __half* p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : FOUR("=r", r) : "r"(shared(p)) : "memory");  // [load B]
}

__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : FOUR("+f", c) : FOUR("r", a), "r"(b0), "r"(b1));  // [multiply]
}

extern "C" __global__ void __launch_bounds__(threads) t2_mma(int M, int N, int K, const __half* A, const __half* B, float* C) {
    __shared__ __align__(128) __half As[BM * pitch], Bs[BK * pitch];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp / 2 * 32, col = warp % 2 * 32;           // the warp's part of the block's tile
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sum[2][4][4] = {};
    for (int k = 0; k < K; k += BK) {
#pragma unroll
        for (int n = 0; n < BM * BK / 8 / threads; ++n) {     // a chunk a thread at a time
            int i = n * threads + threadIdx.x;
            int r = i / 8, c = i % 8 * 8;
            *(uint4*)&As[at(r, c)] = *(const uint4*)&A[r * K + k + c];      // [copy A]
            *(uint4*)&Bs[at(r, c)] = *(const uint4*)&B[(k + r) * N + c];    // [copy B]
        }
        __syncthreads();    // the tiles are complete
#pragma unroll
        for (int d = 0; d < BK; d += 16) {
            unsigned a[2][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                loadA(a[i], &As[at(row + 16 * i + lane % 16, d + lane / 16 * 8)]);
                loadB(b[i], &Bs[at(d + lane % 16, col + 16 * i + lane / 16 * 8)]);
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    multiply(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
        __syncthreads();    // everyone has read them
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float* to = &C[(row + 16 * i + lane / 4) * N + col + 8 * j + lane % 4 * 2];
            *(float2*)to = make_float2(sum[i][j][0], sum[i][j][1]);
            *(float2*)(to + 8 * N) = make_float2(sum[i][j][2], sum[i][j][3]);
        }
}
