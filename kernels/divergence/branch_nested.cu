// SPDX-License-Identifier: GPL-3.0-or-later
// A branch within a branch: every fourth thread, every second and the others go ways of their own.

extern "C" __global__ void branch_nested(const float* x, float* y, int steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    if (threadIdx.x % 2 == 0) {         // [condition]
        if (threadIdx.x % 4 == 0) {     // [inner]
#pragma unroll 1                        // one step at a time, to be looked at
            for (int k = 0; k < steps; ++k)
                v *= 0.5f;              // [fourth]
        } else {
#pragma unroll 1
            for (int k = 0; k < steps; ++k)
                v *= 2.0f;              // [second]
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < steps; ++k)
            v *= -0.5f;                 // [odd]
    }
    if (i < n)
        y[i] = v;                       // [after]
}
