// SPDX-License-Identifier: GPL-3.0-or-later
// c = a + b, one thread an element.
#ifndef BLOCK
#define BLOCK 256
#endif

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)              // the last block may reach past the end
        c[i] = a[i] + b[i];
}
