// SPDX-License-Identifier: GPL-3.0-or-later
// Small kernels whose cycles and stalls were measured (measured.json). One launch fills every SM with the blocks named there.
extern "C" {

__global__ void t_copy(int n, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}

__global__ void t_axpy4(int n, float a, const float4* x, float4* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 u = x[i], v = y[i];
        v.x += a * u.x; v.y += a * u.y; v.z += a * u.z; v.w += a * u.w;
        y[i] = v;
    }
}

__global__ void t_stride(int n, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 16; ++k)
        s += x[(i * 32 + k) % n];
    y[i] = s;
}

// 256 dependent multiply-adds a thread.
__global__ void t_chain(float a, float b, float* y) {
    float s = threadIdx.x;
    for (int k = 0; k < 256; ++k)
        s = s * a + b;
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// The same work in eight independent chains.
__global__ void t_chains8(float a, float b, float* y) {
    float s[8];
    for (int j = 0; j < 8; ++j)
        s[j] = threadIdx.x + j;
    for (int k = 0; k < 128; ++k)
        for (int j = 0; j < 8; ++j)
            s[j] = s[j] * a + b;
    float t = 0;
    for (int j = 0; j < 8; ++j)
        t += s[j];
    y[blockIdx.x * blockDim.x + threadIdx.x] = t;
}

__global__ void t_reduce(const float* x, float* y) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = s[0];
}

__global__ void t_reduce_shuffle(int n, const float* x, float* y) {
    __shared__ float s[32];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_down_sync(0xffffffffu, v, k);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        float t = 0;
        for (int w = 0; w < blockDim.x / 32; ++w)
            t += s[w];
        y[blockIdx.x] = t;
    }
}

__global__ void t_transpose(int n, const float* x, float* y) {
    __shared__ float s[32][32];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        s[threadIdx.y + j][threadIdx.x] = x[(r + j) * n + c];
    __syncthreads();
    c = blockIdx.y * 32 + threadIdx.x;
    r = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        y[(r + j) * n + c] = s[threadIdx.x][threadIdx.y + j];
}

__global__ void t_transpose_padded(int n, const float* x, float* y) {
    __shared__ float s[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        s[threadIdx.y + j][threadIdx.x] = x[(r + j) * n + c];
    __syncthreads();
    c = blockIdx.y * 32 + threadIdx.x;
    r = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        y[(r + j) * n + c] = s[threadIdx.x][threadIdx.y + j];
}

__global__ void t_exp(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], s = 0;
    for (int k = 0; k < 32; ++k) {
        v = __expf(-v);
        s += v;
    }
    y[i] = s;
}

__global__ void t_histogram(const int* x, int* y) {
    __shared__ int bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k)
        atomicAdd(&bins[x[(blockIdx.x * 16 + k) * 256 + threadIdx.x] & 255], 1);
    __syncthreads();
    atomicAdd(&y[threadIdx.x], bins[threadIdx.x]);
}

// C = A B, 64 x 64 tiles, 8 deep, 4 x 4 outputs a thread, 256 threads.
__global__ void t_tile(int n, const float* A, const float* B, float* C) {
    __shared__ float As[8][64], Bs[8][64];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int ar = threadIdx.x / 8, ac = threadIdx.x % 8, br = threadIdx.x / 64, bc = threadIdx.x % 64;
    A += blockIdx.y * 64 * n;
    B += blockIdx.x * 64;
    float s[4][4] = {};
    for (int k = 0; k < n; k += 8) {
        As[ac][ar] = A[ar * n + k + ac];
        As[ac][ar + 32] = A[(ar + 32) * n + k + ac];
        Bs[br][bc] = B[(k + br) * n + bc];
        Bs[br + 4][bc] = B[(k + br + 4) * n + bc];
        __syncthreads();
#pragma unroll
        for (int d = 0; d < 8; ++d)
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    s[i][j] += As[d][ty + 16 * i] * Bs[d][tx + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            C[(blockIdx.y * 64 + ty + 16 * i) * n + blockIdx.x * 64 + tx + 16 * j] = s[i][j];
}

// The same with the next tiles fetched into registers while these are used, into the other of two buffers.
__global__ void t_tile_double(int n, const float* A, const float* B, float* C) {
    __shared__ float As[2][8][64], Bs[2][8][64];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int ar = threadIdx.x / 8, ac = threadIdx.x % 8, br = threadIdx.x / 64, bc = threadIdx.x % 64;
    A += blockIdx.y * 64 * n;
    B += blockIdx.x * 64;
    float s[4][4] = {};
    As[0][ac][ar] = A[ar * n + ac];
    As[0][ac][ar + 32] = A[(ar + 32) * n + ac];
    Bs[0][br][bc] = B[br * n + bc];
    Bs[0][br + 4][bc] = B[(br + 4) * n + bc];
    __syncthreads();
    int now = 0;
    for (int k = 8; k <= n; k += 8) {
        float a0 = 0, a1 = 0, b0 = 0, b1 = 0;
        if (k < n) {
            a0 = A[ar * n + k + ac];
            a1 = A[(ar + 32) * n + k + ac];
            b0 = B[(k + br) * n + bc];
            b1 = B[(k + br + 4) * n + bc];
        }
#pragma unroll
        for (int d = 0; d < 8; ++d)
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    s[i][j] += As[now][d][ty + 16 * i] * Bs[now][d][tx + 16 * j];
        now ^= 1;
        As[now][ac][ar] = a0;
        As[now][ac][ar + 32] = a1;
        Bs[now][br][bc] = b0;
        Bs[now][br + 4][bc] = b1;
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            C[(blockIdx.y * 64 + ty + 16 * i) * n + blockIdx.x * 64 + tx + 16 * j] = s[i][j];
}

__global__ void t_double(const double* x, double* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i], s = 0;
    for (int k = 0; k < 64; ++k)
        s = s * v + 1.0;
    y[i] = s;
}

__global__ void t_stencil(int n, const float* x, float* y) {
    __shared__ float s[256 + 8];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x + 4] = x[i];
    if (threadIdx.x < 4) {
        s[threadIdx.x] = i >= 4 ? x[i - 4] : 0.0f;
        s[threadIdx.x + 260] = i + 256 < n ? x[i + 256] : 0.0f;
    }
    __syncthreads();
    float t = 0;
#pragma unroll
    for (int k = 0; k <= 8; ++k)
        t += s[threadIdx.x + k] * (k + 1);
    y[i] = t;
}
}
