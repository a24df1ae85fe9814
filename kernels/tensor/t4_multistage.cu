// SPDX-License-Identifier: GPL-3.0-or-later
// t3_swizzled with a ring of STAGES tiles: while one is multiplied, cp.async fills those ahead. Each round commits one group; waiting
// until all but STAGES - 2 groups have arrived leaves exactly the tile that is needed now.
#include <cuda_fp16.h>
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 128
#endif
#ifndef BK
#define BK 64
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 32
#endif
#ifndef STAGES
#define STAGES 3
#endif
constexpr int threads = 32 * (BM / WM) * (BN / WN);

/// Place of an element in a tile of rows of `width` halves. Eight rows of a matrix need eight different groups of four banks: the chunk of
/// eight halves is moved by XOR with the row, or, where several rows share 128 bytes, with the number of such a line.
template <int width>
__device__ __forceinline__ int at(int row, int col) {
    constexpr int chunks = width / 8, rowsPerLine = chunks >= 8 ? 1 : 8 / chunks;
    return row * width + (col / 8 ^ row / rowsPerLine % (chunks < 8 ? chunks : 8)) * 8 + col % 8;
}

/// Four registers as operands of an instruction.
#define FOUR(constraint, r) constraint(r[0]), constraint(r[1]), constraint(r[2]), constraint(r[3])

__device__ __forceinline__ unsigned shared(const __half* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void loadA(unsigned (&r)[4], const __half* p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : FOUR("=r", r) : "r"(shared(p)) : "memory");  // [load A]
}

__device__ __forceinline__ void loadB(unsigned (&r)[4], const __half* p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : FOUR("=r", r) : "r"(shared(p)) : "memory");  // [load B]
}

__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : FOUR("+f", c) : FOUR("r", a), "r"(b0), "r"(b1));  // [multiply]
}

/// The warp's part of one depth BK of the tiles.
__device__ __forceinline__ void multiplyTiles(float (&sum)[WM / 16][WN / 8][4], const __half* As, const __half* Bs, int row, int col, int lane) {
#pragma unroll
    for (int d = 0; d < BK; d += 16) {
        unsigned a[WM / 16][4], b[WN / 16][4];
#pragma unroll
        for (int i = 0; i < WM / 16; ++i)
            loadA(a[i], &As[at<BK>(row + 16 * i + lane % 16, d + lane / 16 * 8)]);
#pragma unroll
        for (int j = 0; j < WN / 16; ++j)
            loadB(b[j], &Bs[at<BN>(d + lane % 16, col + 16 * j + lane / 16 * 8)]);
#pragma unroll
        for (int i = 0; i < WM / 16; ++i)
#pragma unroll
            for (int j = 0; j < WN / 8; ++j)
                multiply(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
}

__device__ __forceinline__ void store(float* C, int N, const float (&sum)[WM / 16][WN / 8][4], int row, int col, int lane) {
#pragma unroll
    for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) {
            float* to = &C[(row + 16 * i + lane / 4) * N + col + 8 * j + lane % 4 * 2];
            *(float2*)to = make_float2(sum[i][j][0], sum[i][j][1]);         // [store]
            *(float2*)(to + 8 * N) = make_float2(sum[i][j][2], sum[i][j][3]);
        }
}

__device__ __forceinline__ void copyChunk(__half* to, const __half* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(to)), "l"(from) : "memory");  // [copy]
}

extern "C" __global__ void __launch_bounds__(threads) t4_multistage(int M, int N, int K, const __half* A, const __half* B, float* C) {
    extern __shared__ __align__(128) __half ring[];         // STAGES times a tile of A and a tile of B
    constexpr int stageHalves = BM * BK + BK * BN;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    auto copyTiles = [&](int slot, int k) {
        __half* As = ring + slot * stageHalves;
        __half* Bs = As + BM * BK;
#pragma unroll
        for (int n = 0; n < BM * BK / 8 / threads; ++n) {
            int i = n * threads + threadIdx.x;
            int r = i / (BK / 8), c = i % (BK / 8) * 8;
            copyChunk(&As[at<BK>(r, c)], &A[r * K + k + c]);
        }
#pragma unroll
        for (int n = 0; n < BK * BN / 8 / threads; ++n) {
            int i = n * threads + threadIdx.x;
            int r = i / (BN / 8), c = i % (BN / 8) * 8;
            copyChunk(&Bs[at<BN>(r, c)], &B[(k + r) * N + c]);
        }
    };
    float sum[WM / 16][WN / 8][4] = {};
    constexpr int ahead = STAGES - 1;                       // tiles that are under way
#pragma unroll
    for (int s = 0; s < ahead; ++s) {
        if (s * BK < K)
            copyTiles(s, s * BK);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int k = 0, slot = 0; k < K; k += BK, slot = (slot + 1) % STAGES) {
        if (STAGES == 1) {                                  // nothing ahead: copy, then wait
            copyTiles(0, k);
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES > 2 ? STAGES - 2 : 0) : "memory");   // [wait]
        __syncthreads();    // everyone's copies of this tile have arrived, and everyone has read the slot that is filled next
        if (STAGES > 1) {
            if (k + ahead * BK < K)
                copyTiles((slot + ahead) % STAGES, k + ahead * BK);
            asm volatile("cp.async.commit_group;" ::: "memory");    // empty at the end, so that the count stays the same
        }
        multiplyTiles(sum, ring + slot * stageHalves, ring + slot * stageHalves + BM * BK, row, col, lane);
        if (STAGES == 1)
            __syncthreads();    // everyone has read it
    }
    store(C, N, sum, row, col, lane);
}
