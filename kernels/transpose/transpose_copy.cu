// SPDX-License-Identifier: GPL-3.0-or-later
// Copies an M x N matrix, 32 x 32 elements a block of 32 x 8 threads: what a transpose is measured against.

extern "C" __global__ void transpose_copy(const float* in, float* out, int M, int N) {
    int c = blockIdx.x * 32 + threadIdx.x;
    int r = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (r + j < M && c < N)
            out[(r + j) * N + c] = in[(r + j) * N + c];   // [move]
}
