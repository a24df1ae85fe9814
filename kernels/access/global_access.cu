// SPDX-License-Identifier: GPL-3.0-or-later
// One warp reads 32 elements of WIDTH bytes: lane l takes element (l xor flip) * stride + offset.
#ifndef WIDTH
#define WIDTH 4
#endif

#if WIDTH == 1
typedef unsigned char Element;
#elif WIDTH == 2
typedef unsigned short Element;
#elif WIDTH == 8
typedef float2 Element;
#elif WIDTH == 16
typedef float4 Element;
#else
typedef float Element;
#endif

extern "C" __global__ void global_access(const Element* in, Element* out, int stride, int offset, int flip) {
    int lane = threadIdx.x;
    out[lane] = in[(lane ^ flip) * stride + offset];    // [load]
}
