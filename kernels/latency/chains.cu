// SPDX-License-Identifier: GPL-3.0-or-later
// Each thread halves CHAINS numbers, steps times over. Within a chain each step waits for the one before it; the chains do not
// wait for each other.
#ifndef CHAINS
#define CHAINS 1
#endif

extern "C" __global__ void chains(const float* x, float* y, int steps) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * CHAINS;
    float v[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c)
        v[c] = x[i + c];
#pragma unroll 1
    for (int k = 0; k < steps; ++k)
#pragma unroll
        for (int c = 0; c < CHAINS; ++c)
            v[c] *= 0.5f;           // [step]
#pragma unroll
    for (int c = 0; c < CHAINS; ++c)
        y[i + c] = v[c];
}
