// SPDX-License-Identifier: GPL-3.0-or-later
// k12_lookahead without its 4-byte copies: the copy engine (TMA) brings both tiles as they lie, and once a tile each thread turns blocks of
// 4 x 4 elements of A in its registers, four reads and four writes of 16 bytes. The inner loop is left with fragments and products alone.
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 256
#endif
#ifndef STAGES
#define STAGES 3
#endif
// 1: products go down a column of the thread's outputs and up the next, so that one operand stays in the register cache; 0: along rows.
#ifndef ZIGZAG
#define ZIGZAG 1
#endif
constexpr int BK = 32;                                      // 128 bytes of a row of A: the widest swizzle
constexpr int TM = 8, TN = 16;                              // outputs of a thread, in groups of 4 rows and columns
constexpr int WM = 64, WN = 64;                             // of a warp: 8 x 4 threads
constexpr int lanesM = WM / TM, lanesN = WN / TN;
constexpr int threads = 32 * (BM / WM) * (BN / WN);
constexpr int stage = BK * (BM + BN), quads = BK / 4;

/// A CUtensorMap: where a matrix is, how wide and high, and the box and swizzle to copy it in. The launch makes it.
struct alignas(64) TensorMap {
    unsigned long long opaque[16];
};

__device__ __forceinline__ float4& four(float& first) { return reinterpret_cast<float4&>(first); }
__device__ __forceinline__ const float4& four(const float& first) { return reinterpret_cast<const float4&>(first); }
__device__ __forceinline__ unsigned shared(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void waitFor(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(barrier), "r"(parity) : "memory");  // [wait for bytes]
}

/// A box of the tensor: column x, row y.
__device__ __forceinline__ void copyBox(unsigned to, const TensorMap& map, int x, int y, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map), "r"(x), "r"(y), "r"(barrier) : "memory");    // [copy]
}

/// The t-th product of a step.
__device__ __forceinline__ constexpr int rowOf(int t) { return !ZIGZAG ? t / TN : t / TM % 2 ? TM - 1 - t % TM : t % TM; }
__device__ __forceinline__ constexpr int colOf(int t) { return !ZIGZAG ? t % TN : t / TM; }

extern "C" __global__ void __launch_bounds__(threads, 1)
    k13_turned(int M, int N, int K, const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, float* C) {
    extern __shared__ __align__(1024) float ring[];         // STAGES times a tile of A and a tile of B, then two turned tiles of A
    __shared__ __align__(8) unsigned long long full[STAGES];    // the bytes of a stage have arrived
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int laneRow = lane / 8 * 2 + lane / 2 % 2, laneCol = lane / 4 % 2 * 2 + lane % 2;   // squares of four lanes
    int row = warp / (BN / WN) * WM + laneRow * 4, col = warp % (BN / WN) * WN + laneCol * 4;
    auto copyTiles = [&](int slot, int k) {
        unsigned to = shared(ring + slot * stage), barrier = shared(&full[slot]);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(4 * stage) : "memory");
        copyBox(to, A, k, blockIdx.y * BM, barrier);
        copyBox(to + 4 * BM * BK, B, blockIdx.x * BN, k, barrier);
    };
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full[s])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int s = 0; s < STAGES && s * BK < K; ++s)
            copyTiles(s, s * BK);
    }
    __syncthreads();                                        // nobody looks at a barrier that is not there yet
    // The copy engine moved group q of 4 columns of row r by XOR with r. Group r of 4 rows of the turned tile is moved by XOR with q.
    auto turn = [&](int slot, float* to) {
        const float* from = ring + slot * stage;
#pragma unroll
        for (int n = 0; n < BM * BK / 16 / threads; ++n) {
            int i = n * threads + threadIdx.x, quad = i % quads, r = i / quads * 4;
            float4 v[4];
#pragma unroll
            for (int e = 0; e < 4; ++e)
                v[e] = four(from[(r + e) * BK + (quad ^ (r + e) % 8) * 4]);             // [turn: read]
            float* at = to + 4 * quad * BM + (r ^ quad * 4);
            four(at[0]) = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);                  // [turn: write]
            four(at[BM]) = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
            four(at[2 * BM]) = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
            four(at[3 * BM]) = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
        }
    };
    float sum[TM][TN] = {};
    __align__(16) float a[2][TM], b[2][TN];
    auto read = [&](int set, const float* turned, int slot, int d) {
        const float* As = turned + d * BM + (row ^ d / 4 * 4);
        const float* Bs = ring + slot * stage + BM * BK + d * BN + col;
#pragma unroll
        for (int i = 0; i < TM; i += 4)
            four(a[set][i]) = four(As[i * lanesM]);         // [read A]
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            four(b[set][j]) = four(Bs[j * lanesN]);         // [read B]
    };
    float* turned = ring + STAGES * stage;
    int slot = 0, parity = 0;
    waitFor(shared(&full[0]), 0);
    turn(0, turned);
    __syncthreads();
    read(0, turned, 0, 0);
    for (int k = 0, now = 0; k < K; k += BK) {
        int used = slot;
        bool more = k + BK < K;
#pragma unroll
        for (int q = 0; q < quads; ++q) {
            if (q == 1 && more) {                           // the next tile is turned while there is time
                slot = slot + 1 == STAGES ? 0 : slot + 1;
                parity ^= slot == 0;
                waitFor(shared(&full[slot]), parity);
                turn(slot, turned + (1 - now) * BM * BK);
            }
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                if (e == 3 && q == quads - 1) {
                    __syncthreads();                        // it is complete, and nobody reads this one any more
                    now = 1 - now;
                    if (more)
                        read((e + 1) % 2, turned + now * BM * BK, slot, 0);
                } else {
                    read((e + 1) % 2, turned + now * BM * BK, used, 4 * q + e + 1);
                }
#pragma unroll
                for (int t = 0; t < TM * TN; ++t) {
                    const int i = rowOf(t), j = colOf(t);
                    sum[i][j] += a[e % 2][i] * b[e % 2][j]; // [product]
                }
            }
        }
        if (threadIdx.x == 0 && k + STAGES * BK < K)
            copyTiles(used, k + STAGES * BK);
    }
    C += blockIdx.y * BM * N + blockIdx.x * BN;
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            four(C[(row + i / 4 * 4 * lanesM + i % 4) * N + col + j * lanesN]) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
