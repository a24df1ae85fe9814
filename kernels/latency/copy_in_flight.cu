// SPDX-License-Identifier: GPL-3.0-or-later
// A copy in which each thread asks for ITEMS elements of WIDTH bytes before it uses the first.
#ifndef WIDTH
#define WIDTH 4
#endif
#ifndef ITEMS
#define ITEMS 1
#endif

#if WIDTH == 16
typedef float4 Element;
#elif WIDTH == 8
typedef float2 Element;
#else
typedef float Element;
#endif

extern "C" __global__ void copy_in_flight(const Element* in, Element* out, int n) {
    int first = blockIdx.x * blockDim.x * ITEMS + threadIdx.x;
    Element e[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        if (first + k * blockDim.x < n)
            e[k] = in[first + k * blockDim.x];      // [load]
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        if (first + k * blockDim.x < n)
            out[first + k * blockDim.x] = e[k];     // [store]
}
