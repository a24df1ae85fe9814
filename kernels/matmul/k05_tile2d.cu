// SPDX-License-Identifier: GPL-3.0-or-later
// C = A B with a TM x TN tile of outputs a thread: TM + TN values from shared memory serve TM * TN products, an outer product.
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
constexpr int blocks = threads <= 256 && TM * TN <= 64 ? 2 : 1; // on an SM: how many the compiler must leave registers for

extern "C" __global__ void __launch_bounds__(threads, blocks) k05_tile2d(int M, int N, int K, const float* A, const float* B, float* C) {
    __shared__ float As[BM * BK], Bs[BK * BN];
    int row = threadIdx.x / (BN / TN) * TM, col = threadIdx.x % (BN / TN) * TN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sum[TM][TN] = {}, a[TM], b[TN];
    for (int k = 0; k < K; k += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK; i += threads)
            As[i] = A[i / BK * K + k + i % BK];     // [load A]
#pragma unroll
        for (int i = threadIdx.x; i < BK * BN; i += threads)
            Bs[i] = B[(k + i / BN) * N + i % BN];   // [load B]
        __syncthreads();    // the tiles are complete
#pragma unroll
        for (int d = 0; d < BK; ++d) {
#pragma unroll
            for (int i = 0; i < TM; ++i)
                a[i] = As[(row + i) * BK + d];      // [read A]
#pragma unroll
            for (int j = 0; j < TN; ++j)
                b[j] = Bs[d * BN + col + j];        // [read B]
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
        for (int j = 0; j < TN; ++j)
            C[(row + i) * N + col + j] = sum[i][j];
}
