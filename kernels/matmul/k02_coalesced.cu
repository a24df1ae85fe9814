// SPDX-License-Identifier: GPL-3.0-or-later
// C = A B, one thread an element of C. Neighbouring threads take neighbouring columns: a warp reads one element of A and a
// stretch of a row of B.
#ifndef BS
#define BS 32
#endif

extern "C" __global__ void k02_coalesced(int M, int N, int K, const float* A, const float* B, float* C) {
    int row = blockIdx.x * BS + threadIdx.x / BS;
    int col = blockIdx.y * BS + threadIdx.x % BS;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int i = 0; i < K; ++i)
            sum += A[row * K + i] * B[i * N + col];
        C[row * N + col] = sum;
    }
}
