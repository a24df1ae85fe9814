// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA text of nvcc_varied.ptx and nvrtc_varied.ptx: language features that make unusual PTX.
struct P {
    int a;
    double b;
    float c[3];
};
__constant__ float table[16] = {1.f, 2.f, 3.5f};
__constant__ int idx2[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ int counter;
__device__ float garr[8] = {1, 2};
__device__ float* gptr = &garr[2];
__device__ const char* names[2] = {"abc", "de"};
__noinline__ __device__ float helper(float x, P p, int n) {
    return n > 0 ? x * p.c[n % 3] + (float)p.b : p.a;
}
__noinline__ __device__ P make(int i) {
    P p;
    p.a = i;
    p.b = i * 2.0;
    p.c[0] = p.c[1] = p.c[2] = i;
    return p;
}
__device__ __noinline__ int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
typedef int (*fn)(int);
__device__ int f1(int x) {
    return x + 1;
}
__device__ int f2(int x) {
    return x * 3;
}
__device__ fn fns[2] = {f1, f2};
extern "C" __global__ void k_struct(P p, float* o) {
    P q = make(p.a);
    o[threadIdx.x] = helper(o[threadIdx.x], q, p.a) + helper(1.f, p, 2);
}
extern "C" __global__ void k_fib(int* o) {
    o[threadIdx.x] = fib(threadIdx.x);
}
extern "C" __global__ void k_fptr(int* o) {
    o[threadIdx.x] = fns[threadIdx.x & 1](o[threadIdx.x]);
}
extern "C" __global__ void k_switch(int* o, int s) {
    int v = o[threadIdx.x];
    switch (v) {
    case 0:
        v = s;
        break;
    case 1:
        v = s * 3;
        o[1] = 9;
        break;
    case 2:
        v ^= s;
        break;
    case 3:
        v = v / s;
        break;
    case 4:
        v %= s;
        break;
    case 5:
        v = __popc(s);
        o[5] = 2;
        break;
    case 6:
        v = __clz(s);
        break;
    case 7:
        v = __brev(s);
        break;
    case 8:
        v = __ffs(s);
        break;
    default:
        v = -1;
    }
    o[threadIdx.x] = v;
}
extern "C" __global__ void k_local(int* o, int n) {
    int a[40];
    for (int i = 0; i < n; i++)
        a[i] = i * o[i];
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[(i * 7) % n];
    o[0] = s;
}
extern "C" __global__ void k_const(float* o) {
    o[threadIdx.x] = table[threadIdx.x & 15] + idx2[threadIdx.x & 1][threadIdx.x % 3] + *gptr +
                     names[0][threadIdx.x & 1];
}
extern "C" __global__ void k_atom(int* i, unsigned long long* u, float* f, double* d, unsigned* c) {
    atomicAdd(i, 1);
    atomicAdd(u, 2ull);
    atomicAdd(f, 1.f);
    atomicAdd(d, 1.);
    atomicMin(i, 3);
    atomicMax(i + 1, 4);
    atomicCAS(c, 1u, 2u);
    c[9] = atomicExch(c, 4u);
    c[10] = atomicInc(c, 7u);
    c[11] = atomicDec(c, 8u);
    atomicOr(c, 1);
    atomicAnd(c, 3);
    atomicXor(c, 2);
    c[3] = atomicAdd_system((int*)c, 1);
    c[4] = atomicAdd_block((int*)c, 1);
    u[3] = atomicCAS(u, 1ull, 3ull);
    atomicAdd(&counter, 1);
}
extern "C" __global__ void k_warp(int* o) {
    int v = o[threadIdx.x];
    v += __shfl_xor_sync(~0u, v, 1);
    v += __shfl_down_sync(~0u, v, 2);
    v += __shfl_up_sync(~0u, v, 3);
    v += __shfl_sync(~0u, v, 3, 8);
    v += __ballot_sync(~0u, v > 3);
    v += __any_sync(~0u, v);
    v += __all_sync(~0u, v);
    v += __activemask();
    v += __match_any_sync(~0u, v);
    int p;
    v += __match_all_sync(~0u, v, &p) + p;
    v += __reduce_add_sync(~0u, v);
    v += __reduce_xor_sync(~0u, (unsigned)v);
    v += __reduce_max_sync(~0u, v);
    __syncwarp();
    v += __uni_sync(~0u, v > 4);
    o[threadIdx.x] = v;
}
extern "C" __global__ void __launch_bounds__(256, 2)
    k_vec(float4* a, const int2* __restrict__ b, uchar4* c, double2* e) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = a[i];
    int2 w = __ldg(b + i);
    v.x += w.x;
    v.w -= w.y;
    a[i] = v;
    c[i] = make_uchar4(1, 2, 3, i);
    e[i].x += 1;
    __stcs(a + 3, __ldcs(a + 5));
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    __syncthreads();
    int n = __syncthreads_count(i > 3);
    n += __syncthreads_and(i) + __syncthreads_or(i);
    e[0].y = n + __dp4a(w.x, w.y, i) + __byte_perm(w.x, w.y, 0x1234) +
             __funnelshift_l(w.x, w.y, i) + clock64() + clock();
    volatile int* vp = (int*)a;
    vp[3] = vp[4];
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %0, 3; @p bra L1; add.s32 %0, %0, 1; L1: }"
                 : "+r"(w.x));
    __nanosleep(20);
}
