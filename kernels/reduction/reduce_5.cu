// SPDX-License-Identifier: GPL-3.0-or-later
// Sum of each block, version 5: the last 64 partial sums are added by one warp, from register to register.
#ifndef BLOCK
#define BLOCK 256
#endif

extern "C" __global__ void reduce_5(const float* x, float* sums, int n) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * 2 * BLOCK + t;
    s[t] = (i < n ? x[i] : 0.0f) + (i + BLOCK < n ? x[i + BLOCK] : 0.0f);
    __syncthreads();
#pragma unroll 1                    // one step at a time, to be looked at
    for (int d = BLOCK / 2; d > 32; d /= 2) {
        if (t < d)                  // [step]
            s[t] += s[t + d];       // [add]
        __syncthreads();
    }
    if (t < 32) {
        float v = s[t] + s[t + 32];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffffu, v, d);   // [shuffle]
        if (t == 0)
            sums[blockIdx.x] = v;
    }
}
