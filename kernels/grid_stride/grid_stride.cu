// SPDX-License-Identifier: GPL-3.0-or-later
// y = alpha x by a grid of any size: each thread goes on by the number of threads of the whole grid until the end.

extern "C" __global__ void grid_stride(const float* x, float* y, float alpha, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = alpha * x[i];
}
