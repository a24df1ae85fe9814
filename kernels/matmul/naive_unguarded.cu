// SPDX-License-Identifier: GPL-3.0-or-later
// k01_naive without its guard: right only when the block's sides divide M and N.
#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 32
#endif

extern "C" __global__ void naive_unguarded(int M, int N, int K, const float* A, const float* B, float* C) {
    int row = blockIdx.x * BX + threadIdx.x;
    int col = blockIdx.y * BY + threadIdx.y;
    float sum = 0.0f;       // if (row < M && col < N) is missing
    for (int i = 0; i < K; ++i)
        sum += A[row * K + i] * B[i * N + col];
    C[row * N + col] = sum;
}
