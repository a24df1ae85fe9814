// SPDX-License-Identifier: GPL-3.0-or-later
// Sum of each block, version 3: neighbouring threads add neighbouring elements.
#ifndef BLOCK
#define BLOCK 256
#endif

extern "C" __global__ void reduce_3(const float* x, float* sums, int n) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
#pragma unroll 1                    // one step at a time, to be looked at
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        if (t < d)                  // [step]
            s[t] += s[t + d];       // [add]
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = s[0];
}
