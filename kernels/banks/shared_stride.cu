// SPDX-License-Identifier: GPL-3.0-or-later
// A warp fills 32 rows of 72 words, then reads words that lie a stride apart: lane l takes word l * stride.

extern "C" __global__ void shared_stride(const float* in, float* out, int stride) {
    __shared__ float words[32 * 72];
    int lane = threadIdx.x;
    for (int k = lane; k < 32 * 72; k += 32)
        words[k] = in[k];
    __syncthreads();
    out[lane] = words[lane * stride];       // [read]
}
