// SPDX-License-Identifier: GPL-3.0-or-later
// k01_naive without its guard: right only when the block's sides divide M and N.

extern "C" __global__ void naive_unguarded(int M, int N, int K, const float* A, const float* B, float* C) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;       // if (row < M && col < N) is missing
    for (int i = 0; i < K; ++i)
        sum += A[row * K + i] * B[i * N + col];
    C[row * N + col] = sum;
}
