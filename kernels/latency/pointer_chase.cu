// SPDX-License-Identifier: GPL-3.0-or-later
// Each load gives the address of the next one, so that nothing can overlap: time / steps is the latency of a load.

extern "C" __global__ void pointer_chase(const int* next, int* last, int steps, int stride, int n) {
    int at = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < steps; ++k)
        at = next[(at + stride) % n];       // [chase]
    last[threadIdx.x] = at;
}
