// SPDX-License-Identifier: GPL-3.0-or-later
// C = A B, one thread an element of C. Neighbouring threads take neighbouring rows: each lane of a warp reads A in a line
// of its own.

extern "C" __global__ void k01_naive(int M, int N, int K, const float* A, const float* B, float* C) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int i = 0; i < K; ++i)
            sum += A[row * K + i] * B[i * N + col];
        C[row * N + col] = sum;
    }
}
