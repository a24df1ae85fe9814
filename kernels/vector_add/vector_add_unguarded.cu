// SPDX-License-Identifier: GPL-3.0-or-later
// c = a + b without a check of the index: when the block size does not divide n, the last block reads and writes past
// the end of all three arrays.

extern "C" __global__ void vector_add_unguarded(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];     // if (i < n) is missing
}
