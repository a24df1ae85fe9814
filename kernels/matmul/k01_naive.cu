// SPDX-License-Identifier: GPL-3.0-or-later
// C = A B, one thread an element of C. Neighbouring threads take neighbouring rows: each lane of a warp reads A in a line
// of its own.
#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 32
#endif

extern "C" __global__ void k01_naive(int M, int N, int K, const float* A, const float* B, float* C) {
    int row = blockIdx.x * BX + threadIdx.x;
    int col = blockIdx.y * BY + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int i = 0; i < K; ++i)
            sum += A[row * K + i] * B[i * N + col];
        C[row * N + col] = sum;
    }
}
