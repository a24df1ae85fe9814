// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel 6 without conflicts and without padding. A thread's TN columns are groups of 4 that lie apart, so that neighbouring threads read
// neighbouring words of B; the rows of the transposed tile of A are stored at r ^ swizzle(k), so that a warp's stores meet all banks.
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
constexpr int threads = BM * BN / (TM * TN);

__device__ __forceinline__ float4& four(float& first) { return reinterpret_cast<float4&>(first); }
__device__ __forceinline__ const float4& four(const float& first) { return reinterpret_cast<const float4&>(first); }

/// What the row number is exclusive-ored with in row k of the transposed tile: another eighth, quarter or half of the banks for each of the
/// BK / 4 pieces that neighbouring threads store.
__device__ __forceinline__ constexpr int swizzle(int k) { return k / 4 * (128 / BK) % 32; }

extern "C" __global__ void __launch_bounds__(threads) k08_remapped(int M, int N, int K, const float* A, const float* B, float* C) {
    __shared__ __align__(16) float As[BK * BM], Bs[BK * BN];
    int row = threadIdx.x / (BN / TN) * TM, col = threadIdx.x % (BN / TN) * 4;
    constexpr int apart = 4 * BN / TN;    // from one group of 4 columns to the next
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
            int at = c * BM + (r ^ swizzle(c));
            As[at] = t.x;                           // [store A]
            As[at + BM] = t.y;
            As[at + 2 * BM] = t.z;
            As[at + 3 * BM] = t.w;
        }
#pragma unroll
        for (int i = threadIdx.x; i < BK * BN / 4; i += threads)
            four(Bs[4 * i]) = four(B[(k + i / (BN / 4)) * N + i % (BN / 4) * 4]);   // [load B]
        __syncthreads();    // the tiles are complete
#pragma unroll
        for (int d = 0; d < BK; ++d) {
#pragma unroll
            for (int i = 0; i < TM; i += 4)
                four(a[i]) = four(As[d * BM + ((row + i) ^ swizzle(d))]);    // [read A]
#pragma unroll
            for (int j = 0; j < TN; j += 4)
                four(b[j]) = four(Bs[d * BN + col + j / 4 * apart]);    // [read B]
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
            four(C[(row + i) * N + col + j / 4 * apart]) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
