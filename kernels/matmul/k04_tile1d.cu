// SPDX-License-Identifier: GPL-3.0-or-later
// C = A B with a column of TM outputs a thread: a value of B that a thread reads from shared memory serves TM products.
#ifndef BM
#define BM 64
#endif
#ifndef BN
#define BN 64
#endif
#ifndef BK
#define BK 8
#endif
#ifndef TM
#define TM 8
#endif
constexpr int threads = BM * BN / TM;

extern "C" __global__ void __launch_bounds__(threads) k04_tile1d(int M, int N, int K, const float* A, const float* B, float* C) {
    __shared__ float As[BM * BK], Bs[BK * BN];
    int row = threadIdx.x / BN * TM, col = threadIdx.x % BN;  // of the thread's outputs in the block's tile
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sum[TM] = {};
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
            float b = Bs[d * BN + col];             // [read B]
#pragma unroll
            for (int i = 0; i < TM; ++i)
                sum[i] += As[(row + i) * BK + d] * b;   // [product]
        }
        __syncthreads();    // everyone has read them
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
        C[(row + i) * N + col] = sum[i];
}
