// SPDX-License-Identifier: GPL-3.0-or-later
// Sum of each block, version 2: the threads that work are neighbours, the elements that they add are not.
#ifndef BLOCK
#define BLOCK 256
#endif

extern "C" __global__ void reduce_2(const float* x, float* sums, int n) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
#pragma unroll 1                    // one step at a time, to be looked at
    for (int d = 1; d < BLOCK; d *= 2) {
        int at = 2 * d * t;
        if (at < BLOCK)             // [step]
            s[at] += s[at + d];     // [add]
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = s[0];
}
