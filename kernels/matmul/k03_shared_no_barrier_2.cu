// SPDX-License-Identifier: GPL-3.0-or-later
// k03_shared with a mistake: a fast warp overwrites the tiles while a slow one still reads them.
#ifndef BS
#define BS 32
#endif

extern "C" __global__ void k03_shared_no_barrier_2(int M, int N, int K, const float* A, const float* B, float* C) {
    __shared__ float As[BS * BS], Bs[BS * BS];
    int r = threadIdx.x / BS, c = threadIdx.x % BS;
    int row = blockIdx.x * BS + r, col = blockIdx.y * BS + c;
    float sum = 0.0f;
    for (int k = 0; k < K; k += BS) {
        // One element of each tile a thread; zero beyond the edges.
        As[r * BS + c] = row < M && k + c < K ? A[row * K + k + c] : 0.0f;
        Bs[r * BS + c] = k + r < K && col < N ? B[(k + r) * N + col] : 0.0f;
        __syncthreads();    // the tiles are complete
#pragma unroll
        for (int d = 0; d < BS; ++d)
            sum += As[r * BS + d] * Bs[d * BS + c];
        // __syncthreads() is missing
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
