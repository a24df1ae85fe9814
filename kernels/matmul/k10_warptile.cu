// SPDX-License-Identifier: GPL-3.0-or-later
// C = A B in three levels of tiles: a block's BM x BN holds the WM x WN of each warp, and a warp walks over its tile in WNITER steps to the
// right (and as many downwards as that leaves), in each of which a thread owns TM x TN outputs.
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
#ifndef WNITER
#define WNITER 4
#endif
#ifndef TM
#define TM 8
#endif
#ifndef TN
#define TN 4
#endif
constexpr int threads = 32 * (BM / WM) * (BN / WN);
constexpr int WMITER = WM * WN / (32 * TM * TN * WNITER);
constexpr int stepM = WM / WMITER, stepN = WN / WNITER;   // what a warp computes at a time

__device__ __forceinline__ float4& four(float& first) { return reinterpret_cast<float4&>(first); }
__device__ __forceinline__ const float4& four(const float& first) { return reinterpret_cast<const float4&>(first); }

extern "C" __global__ void __launch_bounds__(threads) k10_warptile(int M, int N, int K, const float* A, const float* B, float* C) {
    __shared__ __align__(16) float As[BK * BM], Bs[BK * BN];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp / (BN / WN) * WM + lane / (stepN / TN) * TM;
    int col = warp % (BN / WN) * WN + lane % (stepN / TN) * TN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sum[WMITER * TM][WNITER * TN] = {};
    __align__(16) float a[WMITER * TM], b[WNITER * TN];
    for (int k = 0; k < K; k += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK / 4; i += threads) {
            int r = i / (BK / 4), c = i % (BK / 4) * 4;
            float4 t = four(A[r * K + k + c]);      // [load A]
            As[(c + 0) * BM + r] = t.x;             // [store A]
            As[(c + 1) * BM + r] = t.y;
            As[(c + 2) * BM + r] = t.z;
            As[(c + 3) * BM + r] = t.w;
        }
#pragma unroll
        for (int i = threadIdx.x; i < BK * BN / 4; i += threads)
            four(Bs[4 * i]) = four(B[(k + i / (BN / 4)) * N + i % (BN / 4) * 4]);   // [load B]
        __syncthreads();    // the tiles are complete
#pragma unroll
        for (int d = 0; d < BK; ++d) {
#pragma unroll
            for (int i = 0; i < WMITER * TM; i += 4)
                four(a[i]) = four(As[d * BM + row + i / TM * stepM + i % TM]);  // [read A]
#pragma unroll
            for (int j = 0; j < WNITER * TN; j += 4)
                four(b[j]) = four(Bs[d * BN + col + j / TN * stepN + j % TN]);  // [read B]
#pragma unroll
            for (int i = 0; i < WMITER * TM; ++i)
#pragma unroll
                for (int j = 0; j < WNITER * TN; ++j)
                    sum[i][j] += a[i] * b[j];       // [product]
        }
        __syncthreads();    // everyone has read them
    }
#pragma unroll
    for (int i = 0; i < WMITER * TM; ++i)
#pragma unroll
        for (int j = 0; j < WNITER * TN; j += 4)
            four(C[(row + i / TM * stepM + i % TM) * N + col + j / TN * stepN + j % TN]) =  // [write C]
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
