// SPDX-License-Identifier: GPL-3.0-or-later
// C = A B by warp tiles, with two stages in shared memory: while the block multiplies the tiles in one, the next ones are copied into the
// other by cp.async, which needs no registers and makes nobody wait. PENDING is how many groups of copies may still be under way when
// the block goes on: 1 is right, 0 waits for too much and 2 for too little.
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 128
#endif
#ifndef BK
#define BK 16
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 64
#endif
#ifndef TM
#define TM 8
#endif
#ifndef TN
#define TN 16
#endif
#ifndef PAD
#define PAD 8
#endif
#ifndef PENDING
#define PENDING 1
#endif
constexpr int threads = 32 * (BM / WM) * (BN / WN);
constexpr int pitchA = BK + PAD;                            // rows of A start in different banks
constexpr int lanesM = WM / TM, lanesN = WN / TN;           // a warp's threads, over rows and columns

__device__ __forceinline__ float4& four(float& first) { return reinterpret_cast<float4&>(first); }

/// Where in shared memory, as PTX addresses it.
__device__ __forceinline__ unsigned shared(const float* p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void __launch_bounds__(threads) k11_double_buffered(int M, int N, int K, const float* A, const float* B, float* C) {
    __shared__ __align__(16) float As[2][BM * pitchA], Bs[2][BK * BN];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp / (BN / WN) * WM + lane / lanesN;        // of TM rows that lie lanesM apart
    int col = warp % (BN / WN) * WN + lane % lanesN * 4;    // of TN / 4 groups of 4 columns
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    auto copyTiles = [&](int stage, int k) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK / 4; i += threads) {
            int r = i / (BK / 4), c = i % (BK / 4) * 4;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(&As[stage][r * pitchA + c])), "l"(&A[r * K + k + c]) : "memory");  // [copy A]
        }
#pragma unroll
        for (int i = threadIdx.x; i < BK * BN / 4; i += threads) {
            const float* from = &B[(k + i / (BN / 4)) * N + i % (BN / 4) * 4];
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(&Bs[stage][4 * i])), "l"(from) : "memory");  // [copy B]
        }
    };
    float sum[TM][TN] = {};
    copyTiles(0, 0);
    asm volatile("cp.async.commit_group;" ::: "memory");    // the copies so far are one group
    for (int k = 0; k < K; k += BK) {
        int stage = k / BK % 2;
        if (k + BK < K)
            copyTiles(1 - stage, k + BK);
        asm volatile("cp.async.commit_group;" ::: "memory");    // empty at the end, so that the count stays the same
        asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");  // [wait]
        __syncthreads();    // the tiles of this stage are complete
#pragma unroll
        for (int d = 0; d < BK; d += 4) {
            float4 a[TM];
            __align__(16) float b[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i)
                a[i] = four(As[stage][(row + i * lanesM) * pitchA + d]);    // [read A]
#pragma unroll
            for (int e = 0; e < 4; ++e) {
#pragma unroll
                for (int j = 0; j < TN; j += 4)
                    four(b[j]) = four(Bs[stage][(d + e) * BN + col + j * lanesN]);  // [read B]
#pragma unroll
                for (int i = 0; i < TM; ++i)
#pragma unroll
                    for (int j = 0; j < TN; ++j)
                        sum[i][j] += (e == 0 ? a[i].x : e == 1 ? a[i].y : e == 2 ? a[i].z : a[i].w) * b[j];     // [product]
            }
        }
        __syncthreads();    // everyone has read them: the next copies may overwrite
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            four(C[(row + i * lanesM) * N + col + j * lanesN]) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
