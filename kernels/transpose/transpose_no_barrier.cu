// SPDX-License-Identifier: GPL-3.0-or-later
// Transposes an M x N matrix through a tile that nobody waits for: warps read columns that others may not have written yet.

extern "C" __global__ void transpose_no_barrier(const float* in, float* out, int M, int N) {
    __shared__ float tile[32][32];
    int c = blockIdx.x * 32 + threadIdx.x;
    int r = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (r + j < M && c < N)
            tile[threadIdx.y + j][threadIdx.x] = in[(r + j) * N + c];   // [load]
    // __syncthreads() is missing
    c = blockIdx.y * 32 + threadIdx.x;      // of the transposed tile
    r = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (r + j < N && c < M)
            out[(r + j) * M + c] = tile[threadIdx.x][threadIdx.y + j];  // [store]
}
