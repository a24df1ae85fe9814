// SPDX-License-Identifier: GPL-3.0-or-later
// X[r][c] += bias[r] for a matrix of M rows and N columns. x runs along a row: neighbouring threads take neighbouring columns.

extern "C" __global__ void bias_add(float* X, const float* bias, int M, int N) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < M && c < N)
        X[r * N + c] += bias[r];
}
