// SPDX-License-Identifier: GPL-3.0-or-later
// Hopper, all of it: warps with roles. One thread of the first warpgroup has tiles copied by the copy engine (TMA); the other warpgroups
// multiply them with wgmma. They meet only at mbarriers, two for each stage of a ring: `full` tells the consumers that the bytes have come,
// `empty` tells the producer that everyone has read them. Blocks are persistent: while the sums of one tile are stored, the copies of the
// next have begun.
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 128
#endif
#ifndef STAGES
#define STAGES 3
#endif
constexpr int BK = 64;                          // 128 bytes of a row of A: the widest swizzle
constexpr int consumers = BM / 64;              // a warpgroup for every 64 rows
constexpr int threads = 128 * (1 + consumers);
constexpr int bytesOfA = 2 * BM * BK, stageBytes = bytesOfA + 2 * BK * BN;

/// A CUtensorMap: where a matrix is, how wide and high, and the box and swizzle to copy it in. The launch makes it.
struct alignas(64) TensorMap {
    unsigned long long opaque[16];
};

__device__ __forceinline__ unsigned shared(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void init(unsigned barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/// Waits for the end of the phase with this parity: the first phase has parity 0, the next 1, then 0 again.
__device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
}

__device__ __forceinline__ void arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// Arrives, and says how many bytes will be copied before the phase may end.
__device__ __forceinline__ void expect(unsigned barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/// A box of the tensor that the map describes, at column x and row y. What lies outside comes as zero.
__device__ __forceinline__ void copyBox(unsigned to, const TensorMap* map, int x, int y, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");  // [copy]
}

/// A tile swizzled in rows of 128 bytes: start, leading and stride offsets in units of 16 bytes.
__device__ __forceinline__ unsigned long long descriptor(unsigned start, unsigned leading, unsigned stride) {
    return 1ull << 62 | (unsigned long long)(stride >> 4) << 32 | (unsigned long long)(leading >> 4) << 16 | start >> 4;
}

/// 64 x 64 sums: registers 4i and 4i + 1 are columns 8i + 2 (lane % 4) and the next of row lane / 4, the other two eight rows below.
__device__ __forceinline__ void multiply(float (&c)[32], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 1;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]) : "l"(a), "l"(b) : "memory");  // [multiply]
}

/// Where both sides are in the ring. The parity changes when it comes round.
struct Place {
    int stage = 0;
    unsigned parity = 0;
    __device__ __forceinline__ void next() {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

__device__ __forceinline__ void produce(const TensorMap* A, const TensorMap* B, unsigned ring, unsigned full, unsigned empty, int tiles, int tilesAcross, int K) {
    Place place;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        int row = tile / tilesAcross * BM, col = tile % tilesAcross * BN;
        for (int k = 0; k < K; k += BK, place.next()) {
            unsigned to = ring + place.stage * stageBytes, barrier = full + 8 * place.stage;
            wait(empty + 8 * place.stage, place.parity ^ 1);            // passes at once in the first round: no phase came before  [wait empty]
            expect(barrier, stageBytes);
            copyBox(to, A, k, row, barrier);
#pragma unroll
            for (int j = 0; j < BN / 64; ++j)                           // B in panels of 64 columns
                copyBox(to + bytesOfA + j * BK * 128, B, col + 64 * j, k, barrier);
        }
    }
}

__device__ __forceinline__ void store(float* C, int M, int N, const float (&sum)[BN / 64][32], int row, int col) {
#pragma unroll
    for (int j = 0; j < BN / 64; ++j)
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            int r = row + i % 2 * 8, c = col + 64 * j + i / 2 * 8;
            if (r < M && c < N)
                *(float2*)&C[r * N + c] = make_float2(sum[j][2 * i], sum[j][2 * i + 1]);    // [store]
        }
}

__device__ __forceinline__ void consume(float* C, int M, int N, int K, unsigned ring, unsigned full, unsigned empty, int tiles, int tilesAcross) {
    int group = threadIdx.x / 128 - 1, warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
    Place place;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        float sum[BN / 64][32] = {};
        for (int k = 0; k < K; k += BK, place.next()) {
            unsigned a = ring + place.stage * stageBytes + group * 64 * 128, b = ring + place.stage * stageBytes + bytesOfA;
            wait(full + 8 * place.stage, place.parity);                 // [wait full]
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int d = 0; d < BK; d += 16)
#pragma unroll
                for (int j = 0; j < BN / 64; ++j)
                    multiply(sum[j], descriptor(a + 2 * d, 16, 1024), descriptor(b + j * BK * 128 + d * 128, BK * 128, 1024));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            arrive(empty + 8 * place.stage);                            // this stage may be filled again
        }
        store(C, M, N, sum, tile / tilesAcross * BM + group * 64 + warp * 16 + lane / 4, tile % tilesAcross * BN + lane % 4 * 2);
    }
}

extern "C" __global__ void __launch_bounds__(threads, 1) t6_specialised(int M, int N, int K, const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, float* C) {
    extern __shared__ __align__(1024) unsigned char ring[];     // STAGES times a tile of A and a tile of B
    __shared__ unsigned long long full[STAGES], empty[STAGES];  // mbarriers
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) {
            init(shared(&full[s]), 1);                          // the producer arrives, and bytes come
            init(shared(&empty[s]), 128 * consumers);           // every consumer arrives
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();                                            // the only one: from here on roles go their own ways
    int tilesAcross = (N + BN - 1) / BN, tiles = (M + BM - 1) / BM * tilesAcross;
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");       // who only copies needs few registers
        if (threadIdx.x == 0)
            produce(&A, &B, shared(ring), shared(full), shared(empty), tiles, tilesAcross, K);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory");      // who holds sums takes them
        consume(C, M, N, K, shared(ring), shared(full), shared(empty), tiles, tilesAcross);
    }
}
