// SPDX-License-Identifier: GPL-3.0-or-later
// Transposes an M x N matrix, 32 x 32 elements a block of 32 x 8 threads: reads along rows, writes down columns.

extern "C" __global__ void transpose_naive(const float* in, float* out, int M, int N) {
    int c = blockIdx.x * 32 + threadIdx.x;
    int r = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (r + j < M && c < N)
            out[c * M + r + j] = in[(r + j) * N + c];   // [move]
}
