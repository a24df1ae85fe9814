// SPDX-License-Identifier: GPL-3.0-or-later
// A loop that each thread leaves after a number of steps of its own: the warp goes on until its last lane is done.
#ifndef PERIOD
#define PERIOD 8
#endif

extern "C" __global__ void branch_loop(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    int steps = threadIdx.x % PERIOD;
#pragma unroll 1                        // one step at a time, to be looked at
    for (int k = 0; k < steps; ++k)
        v *= 0.5f;                      // [step]
    if (i < n)
        y[i] = v;                       // [after]
}
