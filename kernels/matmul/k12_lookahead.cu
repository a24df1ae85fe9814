// SPDX-License-Identifier: GPL-3.0-or-later
// C = A B with the next fragments under way while these are multiplied: each thread has two sets, one that it computes with and one that it
// loads. The tile of A is transposed as it is copied, word by word, and lies in a ring of STAGES tiles with that of B. With
// SQUARES a warp's lanes form squares of four, so that pairs of lanes read the same 16 bytes of A and of B: two wavefronts a read, not four.
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 256
#endif
#ifndef BK
#define BK 16
#endif
#ifndef STAGES
#define STAGES 3
#endif
// 1: squares of four lanes; 0: the lanes of a warp go along rows.
#ifndef SQUARES
#define SQUARES 0
#endif
constexpr int TM = 8, TN = 16;                              // outputs of a thread, in groups of 4 rows and columns
constexpr int WM = 64, WN = 64;                             // of a warp: 8 x 4 threads
constexpr int lanesM = WM / TM, lanesN = WN / TN;
constexpr int threads = 32 * (BM / WM) * (BN / WN);
constexpr int pitchA = BM + 4, stage = BK * (pitchA + BN);  // words that lanes copy to different rows of A are in different banks

__device__ __forceinline__ float4& four(float& first) { return reinterpret_cast<float4&>(first); }
__device__ __forceinline__ const float4& four(const float& first) { return reinterpret_cast<const float4&>(first); }

/// Where in shared memory, as PTX addresses it.
__device__ __forceinline__ unsigned shared(const float* p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void __launch_bounds__(threads, 1) k12_lookahead(int M, int N, int K, const float* A, const float* B, float* C) {
    extern __shared__ __align__(16) float ring[];           // STAGES times a tile of A and a tile of B
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int laneRow = SQUARES ? lane / 8 * 2 + lane / 2 % 2 : lane / lanesN;
    int laneCol = SQUARES ? lane / 4 % 2 * 2 + lane % 2 : lane % lanesN;
    int row = warp / (BN / WN) * WM + laneRow * 4, col = warp % (BN / WN) * WN + laneCol * 4;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    // What this thread copies: words of a column of A that lie stepA rows apart, and 16 bytes of every stepB-th row of B.
    constexpr int stepA = threads / BK, stepB = threads / (BN / 4);
    int rowA = threadIdx.x / BK, colA = threadIdx.x % BK, rowB = threadIdx.x / (BN / 4), colB = threadIdx.x % (BN / 4) * 4;
    const float *fromA = A + (blockIdx.y * BM + rowA) * K + colA, *fromB = B + rowB * N + blockIdx.x * BN + colB;
    long downA = (long)stepA * K, downB = (long)stepB * N;
    unsigned toA = shared(ring) + 4 * (colA * pitchA + rowA), toB = shared(ring) + 4 * (BK * pitchA + rowB * BN + colB);
    auto copyTiles = [&](int slot, int k) {
        const float* from = fromA + k;
#pragma unroll
        for (int n = 0; n < BM / stepA; ++n, from += downA)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(toA + 4 * (slot * stage + n * stepA)), "l"(from) : "memory");  // [copy A]
        from = fromB + (long)k * N;
#pragma unroll
        for (int n = 0; n < BK / stepB; ++n, from += downB)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(toB + 4 * (slot * stage + n * stepB * BN)), "l"(from) : "memory");  // [copy B]
    };
    float sum[TM][TN] = {};
    __align__(16) float a[2][TM], b[2][TN];
    auto read = [&](int set, int slot, int d) {
        const float *As = ring + slot * stage + d * pitchA + row, *Bs = ring + slot * stage + BK * pitchA + d * BN + col;
#pragma unroll
        for (int i = 0; i < TM; i += 4)
            four(a[set][i]) = four(As[i * lanesM]);         // [read A]
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            four(b[set][j]) = four(Bs[j * lanesN]);         // [read B]
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s * BK < K)
            copyTiles(s, s * BK);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    read(0, 0, 0);
    for (int k = 0, slot = 0; k < K; k += BK) {
        int next = slot + 1 == STAGES ? 0 : slot + 1, last = slot == 0 ? STAGES - 1 : slot - 1;
#pragma unroll
        for (int d = 0; d < BK; ++d) {
            if (d == BK - 1) {                              // what comes next is in the next tile
                asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");  // [wait]
                __syncthreads();                            // it is complete, and nobody reads this one any more
                slot = next;
            }
            if (d + 1 < BK || k + BK < K)
                read((d + 1) % 2, slot, (d + 1) % BK);
            if (d == 0) {
                if (k + (STAGES - 1) * BK < K)
                    copyTiles(last, k + (STAGES - 1) * BK);
                asm volatile("cp.async.commit_group;" ::: "memory");    // empty at the end, so that the count stays the same
            }
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    sum[i][j] += a[d % 2][i] * b[d % 2][j]; // [product]
        }
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            four(C[(row + i / 4 * 4 * lanesM + i % 4) * N + col + j * lanesN]) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
