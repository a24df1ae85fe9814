// SPDX-License-Identifier: GPL-3.0-or-later
// Threads of even warps halve their element, those of odd warps double it: each warp takes one side.

extern "C" __global__ void branch_warp(const float* x, float* y, int steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    if (threadIdx.x / 32 % 2 == 0) {    // [condition]
#pragma unroll 1                        // one step at a time, to be looked at
        for (int k = 0; k < steps; ++k)
            v *= 0.5f;                  // [then]
    } else {
#pragma unroll 1
        for (int k = 0; k < steps; ++k)
            v *= 2.0f;                  // [else]
    }
    if (i < n)
        y[i] = v;                       // [after]
}
