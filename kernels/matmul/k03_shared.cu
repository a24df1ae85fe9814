// SPDX-License-Identifier: GPL-3.0-or-later
// C = A B by BS x BS tiles in shared memory: a block loads one tile of A and one of B, multiplies them, and moves on along K.
#ifndef BS
#define BS 32
#endif

extern "C" __global__ void k03_shared(int M, int N, int K, const float* A, const float* B, float* C) {
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
        __syncthreads();    // everyone has read them
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
