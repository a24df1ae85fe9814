// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel 6 with PAD unused words between pieces of the tiles, so that what a warp touches at a time lies in different banks: after every
// row of the tile of A, and after every 32 columns of the tile of B.
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 128
#endif
#ifndef BK
#define BK 8
#endif
#ifndef TM
#define TM 8
#endif
#ifndef TN
#define TN 8
#endif
#ifndef PAD
#define PAD 4
#endif
constexpr int threads = BM * BN / (TM * TN);
constexpr int pitchA = BM + PAD, pitchB = BN + BN / 32 * PAD;

__device__ __forceinline__ float4& four(float& first) { return reinterpret_cast<float4&>(first); }
__device__ __forceinline__ const float4& four(const float& first) { return reinterpret_cast<const float4&>(first); }

/// Where column c of a row of the tile of B is.
__device__ __forceinline__ int padded(int c) { return c + c / 32 * PAD; }

extern "C" __global__ void __launch_bounds__(threads) k07_padded(int M, int N, int K, const float* A, const float* B, float* C) {
    __shared__ __align__(16) float As[BK * pitchA], Bs[BK * pitchB];
    int row = threadIdx.x / (BN / TN) * TM, col = threadIdx.x % (BN / TN) * TN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sum[TM][TN] = {};
    __align__(16) float a[TM], b[TN];
    for (int k = 0; k < K; k += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK / 4; i += threads) {
            int r = i / (BK / 4), c = i % (BK / 4) * 4;
            float4 t = four(A[r * K + k + c]);      // [load A]
            As[(c + 0) * pitchA + r] = t.x;             // [store A]
            As[(c + 1) * pitchA + r] = t.y;
            As[(c + 2) * pitchA + r] = t.z;
            As[(c + 3) * pitchA + r] = t.w;
        }
#pragma unroll
        for (int i = threadIdx.x; i < BK * BN / 4; i += threads)
            four(Bs[i / (BN / 4) * pitchB + padded(i % (BN / 4) * 4)]) = four(B[(k + i / (BN / 4)) * N + i % (BN / 4) * 4]);   // [load B]
        __syncthreads();    // the tiles are complete
#pragma unroll
        for (int d = 0; d < BK; ++d) {
#pragma unroll
            for (int i = 0; i < TM; i += 4)
                four(a[i]) = four(As[d * pitchA + row + i]);    // [read A]
#pragma unroll
            for (int j = 0; j < TN; j += 4)
                four(b[j]) = four(Bs[d * pitchB + padded(col + j)]);    // [read B]
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    sum[i][j] += a[i] * b[j];       // [product]
        }
        __syncthreads();    // everyone has read them
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            four(C[(row + i) * N + col + j]) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
