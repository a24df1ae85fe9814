// SPDX-License-Identifier: GPL-3.0-or-later
// Each block reverses its part of an array through shared memory.
#ifndef BLOCK
#define BLOCK 256
#endif

extern "C" __global__ void reverse(float* d) {
    __shared__ float s[BLOCK];
    float* part = d + blockIdx.x * BLOCK;
    int t = threadIdx.x;
    s[t] = part[t];                 // [write]
    __syncthreads();                // the next line reads what other threads wrote
    part[t] = s[BLOCK - 1 - t];     // [read]
}
