// SPDX-License-Identifier: GPL-3.0-or-later
// Hopper: one thread asks the TMA for whole tiles, an mbarrier counts their bytes, and warpgroups of four warps multiply the tiles where
// they lie in shared memory. A descriptor says where a tile begins, how far its parts are from each other and how it is swizzled; no
// fragment of A or B is ever loaded. A tile stored with one swizzle and described with another gives a wrong product without a word.
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 128
#endif
#ifndef BK
#define BK 64
#endif
// Bytes of a row of the swizzled pattern; 16 is no swizzle.
#ifndef SWIZZLE
#define SWIZZLE 128
#endif
// The swizzle that the descriptors name; 0: the one that is there.
#ifndef DESCRIBED
#define DESCRIBED 0
#endif
// Tiles of A and B in shared memory.
#ifndef STAGES
#define STAGES 2
#endif
constexpr int threads = BM / 64 * 128;          // a warpgroup for every 64 rows

/// A CUtensorMap: where a matrix is, how wide and high, and the box and swizzle to copy it in. The launch makes it.
struct alignas(64) TensorMap {
    unsigned long long opaque[16];
};

/// Start, leading and stride offsets in units of 16 bytes, swizzle mode: 1, 2, 3 are 128, 64, 32 bytes.
__device__ __forceinline__ unsigned long long descriptor(unsigned start, unsigned leading, unsigned stride) {
    constexpr int named = DESCRIBED ? DESCRIBED : SWIZZLE;
    unsigned long long mode = named == 128 ? 1 : named == 64 ? 2 : named == 32 ? 3 : 0;
    return mode << 62 | (unsigned long long)(stride >> 4) << 32 | (unsigned long long)(leading >> 4) << 16 | start >> 4;
}

/// 64 x 64 sums: registers 4i and 4i + 1 are columns 8i + 2 (lane % 4) and the next of row lane / 4, the other two eight rows below.
__device__ __forceinline__ void multiply(float (&c)[32], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 1;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]) : "l"(a), "l"(b) : "memory");  // [multiply]
}

__device__ __forceinline__ void expectBytes(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");    // [expect]
}

__device__ __forceinline__ void waitFor(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(barrier), "r"(parity) : "memory");  // [wait for bytes]
}

/// A box of the tensor, SWIZZLE bytes wide: column x, row y.
__device__ __forceinline__ void copyPanel(unsigned to, const TensorMap& map, int x, int y, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map), "r"(x), "r"(y), "r"(barrier) : "memory");    // [copy]
}

extern "C" __global__ void __launch_bounds__(threads)
    t5_wgmma(int M, int N, int K, const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, float* C) {
    extern __shared__ __align__(1024) unsigned char tiles[];    // STAGES times a tile of A and one of B, each in panels of rows of SWIZZLE bytes
    __shared__ __align__(8) unsigned long long full[STAGES];    // the bytes of a stage have arrived
    constexpr int stageBytes = 2 * (BM * BK + BK * BN), panel = SWIZZLE / 2;
    unsigned ring = (unsigned)__cvta_generic_to_shared(tiles), barriers = (unsigned)__cvta_generic_to_shared(full);
    int group = threadIdx.x / 128, warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
    int row = blockIdx.y * BM, col = blockIdx.x * BN;
    auto copyTiles = [&](int slot, int k) {
        unsigned to = ring + slot * stageBytes, barrier = barriers + 8 * slot;
        expectBytes(barrier, stageBytes);
        for (int x = 0; x < BK; x += panel)
            copyPanel(to + 2 * x * BM, A, k + x, row, barrier);
        for (int x = 0; x < BN; x += panel)
            copyPanel(to + 2 * BM * BK + 2 * x * BK, B, col + x, k, barrier);
    };
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barriers + 8 * s) : "memory");   // one thread arrives: it expects the bytes
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int s = 0; s < STAGES && s * BK < K; ++s)
            copyTiles(s, s * BK);
    }
    __syncthreads();                                            // nobody looks at a barrier that is not there yet
    float sum[BN / 64][32] = {};
    for (int k = 0, slot = 0, parity = 0; k < K; k += BK) {
        waitFor(barriers + 8 * slot, parity);
        unsigned As = ring + slot * stageBytes, Bs = As + 2 * BM * BK;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); // the registers of the sums hold what was written to them
#pragma unroll
        for (int d = 0; d < BK; d += 16) {
            // K-major: 32 bytes further in the row, or in the next panel. Eight rows of a panel are 8 * SWIZZLE bytes.
            unsigned a = As + group * 64 * SWIZZLE + 2 * d / SWIZZLE * (BM * SWIZZLE) + 2 * d % SWIZZLE;
            unsigned long long descA = descriptor(a, BM * SWIZZLE, 8 * SWIZZLE);
#pragma unroll
            for (int j = 0; j < BN / 64; ++j) {
                // N-major: 64 columns are panels, d is as many rows of each. Without a swizzle the two offsets change roles.
                unsigned b = Bs + 128 * j / SWIZZLE * (BK * SWIZZLE) + d * SWIZZLE;
                unsigned nextPanel = BK * SWIZZLE, eightRows = 8 * SWIZZLE;
                unsigned long long descB = SWIZZLE == 16 ? descriptor(b, eightRows, nextPanel) : descriptor(b, nextPanel, eightRows);
                multiply(sum[j], descA, descB);
            }
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");  // [wait]
        __syncthreads();                                                // everyone has read the slot
        if (threadIdx.x == 0 && k + STAGES * BK < K)
            copyTiles(slot, k + STAGES * BK);
        slot = (slot + 1) % STAGES;
        parity ^= slot == 0;
    }
#pragma unroll
    for (int j = 0; j < BN / 64; ++j)
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            float* to = &C[(row + group * 64 + warp * 16 + lane / 4) * N + col + 64 * j + 8 * i + lane % 4 * 2];
            *(float2*)to = make_float2(sum[j][4 * i], sum[j][4 * i + 1]);               // [store]
            *(float2*)(to + 8 * N) = make_float2(sum[j][4 * i + 2], sum[j][4 * i + 3]);
        }
}
