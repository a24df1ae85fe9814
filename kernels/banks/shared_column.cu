// SPDX-License-Identifier: GPL-3.0-or-later
// A warp fills a tile row by row, then reads a column of it: lane l takes row l.
#ifndef COLUMNS
#define COLUMNS 64
#endif

extern "C" __global__ void shared_column(const float* in, float* out, int column) {
    __shared__ float tile[32][COLUMNS];
    int lane = threadIdx.x;
    for (int k = lane; k < 32 * COLUMNS; k += 32)
        tile[k / COLUMNS][k % COLUMNS] = in[k];
    __syncthreads();
    out[lane] = tile[lane][column];         // [read]
}
