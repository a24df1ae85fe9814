// SPDX-License-Identifier: GPL-3.0-or-later
// X[r][c] += bias[r] for a matrix of M rows and N columns. x runs down a column: neighbouring threads take neighbouring rows.

extern "C" __global__ void bias_add_swapped(float* X, const float* bias, int M, int N) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < M && c < N)
        X[r * N + c] += bias[r];
}
