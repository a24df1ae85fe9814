// SPDX-License-Identifier: GPL-3.0-or-later
// t10_cluster, thrifty. At its power limit a GPU trades every joule for clock, so what is saved is gained: descriptors stay in uniform
// registers, where wgmma reads them, not computed by 32 lanes and moved there for each; odd rows of groups go through the columns backwards
// and every other tile goes through K backwards, so a tile finds in the L2 what the one before read last. The launch takes no more
// blocks than are needed for the same number of rounds. BF16 = 1 multiplies bf16 instead of f16.
#ifndef STAGES
#define STAGES 4
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef CLUSTER
#define CLUSTER 1
#endif
#if BF16
#define TYPE "bf16"
#else
#define TYPE "f16"
#endif
constexpr int BM = 128, BN = 256, BK = 64;     // a tile of C, and 128 bytes of a row of A: the widest swizzle
constexpr int consumers = BM / 64;              // a warpgroup for every 64 rows
constexpr int threads = 128 * (1 + consumers);
constexpr int bytesOfA = 2 * BM * BK, stageBytes = bytesOfA + 2 * BK * BN;
constexpr int bufferBytes = 2 * 64 * 64;        // what one copy stores

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

/// Arrives at this barrier of another block of the cluster. Scope and order are the default ones: .release.cluster would put a fence of
/// the whole GPU into every round, and the products have only read.
__device__ __forceinline__ void arriveAt(unsigned barrier, int block) {
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier), "r"(block) : "memory");  // [free]
}

/// Arrives, and says how many bytes will be copied before the phase may end.
__device__ __forceinline__ void expect(unsigned barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/// A box of the tensor that the map describes, at column x and row y. What lies outside comes as zero.
__device__ __forceinline__ void copyBox(unsigned to, const TensorMap* map, int x, int y, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");  // [copy]
}

/// The same for every block of the cluster: to the same place in each, and each one's barrier counts the bytes.
__device__ __forceinline__ void copyBoxToAll(unsigned to, const TensorMap* map, int x, int y, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier), "h"((unsigned short)((1 << CLUSTER) - 1)) : "memory");  // [multicast]
}

/// The other way; what lies outside is not written.
__device__ __forceinline__ void storeBox(const TensorMap* map, int x, int y, unsigned from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(from) : "memory");  // [store]
}

/// A tile swizzled in rows of 128 bytes: start, leading and stride offsets in units of 16 bytes. Above its 18 bits a shared address has
/// the number of the block in the cluster, which is no part of a descriptor.
__device__ __forceinline__ unsigned long long descriptor(unsigned start, unsigned leading, unsigned stride) {
    return 1ull << 62 | (unsigned long long)(stride >> 4) << 32 | (unsigned long long)(leading >> 4) << 16 | (start >> 4 & 0x3fff);
}

/// Operands of an instruction.
#define FOUR(c, i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3])
#define SIXTEEN(c, i) FOUR(c, i), FOUR(c, i + 4), FOUR(c, i + 8), FOUR(c, i + 12)
#define SIXTY_FOUR(c, i) SIXTEEN(c, i), SIXTEEN(c, i + 16), SIXTEEN(c, i + 32), SIXTEEN(c, i + 48)

/// 64 x 256 sums: registers 4i and 4i + 1 are columns 8i + 2 (lane % 4) and the next of row lane / 4, the other two eight rows below. Where
/// `add` is 0 the products replace what was there.
__device__ __forceinline__ void multiply(float (&c)[128], unsigned long long a, unsigned long long b, int add) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %130, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32." TYPE "." TYPE " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, p, 1, 1, 0, 1; }" : SIXTY_FOUR(c, 0), SIXTY_FOUR(c, 64) : "l"(a), "l"(b), "r"(add) : "memory");  // [multiply]
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

/// The same value in every lane: so the compiler keeps it, and what follows from it, in uniform registers.
__device__ __forceinline__ int uniform(int x) { return __shfl_sync(~0u, x, 0); }  // [uniform]

/// Row and column of the first element of a tile of this block: GROUP places of a cluster down, or as many as are left, then the next column;
/// every other row of groups from right to left.
__device__ __forceinline__ void locate(int tile, int tilesDown, int tilesAcross, int& row, int& col) {
    int first = tile / (GROUP * tilesAcross) * GROUP, rest = tile % (GROUP * tilesAcross), height = min(GROUP, tilesDown - first);
    row = ((first + rest % height) * CLUSTER + blockIdx.x % CLUSTER) * BM;
    int across = rest / height;
    if (first / GROUP % 2)
        across = tilesAcross - 1 - across;                      // [backwards]
    col = across * BN;
}

__device__ __forceinline__ void produce(const TensorMap* A, const TensorMap* B, unsigned ring, unsigned full, unsigned empty, int tilesDown, int tilesAcross, int K) {
    Place place;
    int k = 0, step = BK;
    for (int tile = blockIdx.x / CLUSTER; tile < tilesDown * tilesAcross; tile += gridDim.x / CLUSTER) {
        int row, col;
        locate(tile, tilesDown, tilesAcross, row, col);
        for (int i = 0; i < K; i += BK, k += step, place.next()) {
            unsigned to = ring + place.stage * stageBytes, barrier = full + 8 * place.stage;
            wait(empty + 8 * place.stage, place.parity ^ 1);            // passes at once in the first round: no phase came before  [wait empty]
            expect(barrier, stageBytes);
            copyBox(to, A, k, row, barrier);
#pragma unroll
            for (int p = 0; p < BN / 64 / CLUSTER; ++p) {               // this block's panels of B, of 64 columns each
                int j = blockIdx.x % CLUSTER * (BN / 64 / CLUSTER) + p;
                copyBoxToAll(to + bytesOfA + j * BK * 128, B, col + 64 * j, k, barrier);
            }
        }
        k -= step;                                              // the next tile begins where this one ended  [turn]
        step = -step;
    }
}

/// Two halves in a register.
__device__ __forceinline__ unsigned halves(float low, float high) {
    unsigned r;
    asm("cvt.rn." TYPE "x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
}

/// A warpgroup's 64 x 256 sums, 64 columns at a time through its two buffers.
__device__ __forceinline__ void store(const TensorMap* C, unsigned buffers, const float (&sum)[128], int group, int row, int col) {
    int r = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 16;     // of the row whose address this lane gives to stmatrix
    bool storing = threadIdx.x % 128 == 0;
#pragma unroll
    for (int part = 0; part < BN / 64; ++part) {
        unsigned buffer = buffers + part % 2 * bufferBytes;
        if (storing)
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");          // this buffer has been read, the other may still be  [wait buffer]
        asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float* s = &sum[32 * part + 8 * j];
            unsigned to = buffer + r * 128 + ((2 * j + threadIdx.x % 32 / 16) ^ r % 8) * 16;
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(halves(s[0], s[1])), "r"(halves(s[2], s[3])), "r"(halves(s[4], s[5])), "r"(halves(s[6], s[7])) : "memory");  // [stmatrix]
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                // the copy engine shall see what was written
        asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
        if (storing) {
            storeBox(C, col + 64 * part, row, buffer);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
}

__device__ __forceinline__ void consume(const TensorMap* C, unsigned buffers, int K, unsigned ring, unsigned full, unsigned empty, int tilesDown, int tilesAcross) {
    int group = uniform(threadIdx.x / 128) - 1, lane = threadIdx.x % 32;
    unsigned long long firstA = descriptor(ring + group * 64 * 128, 16, 1024), firstB = descriptor(ring + bytesOfA, BK * 128, 1024);
    Place place;
    for (int tile = blockIdx.x / CLUSTER; tile < tilesDown * tilesAcross; tile += gridDim.x / CLUSTER) {
        int row, col;
        locate(tile, tilesDown, tilesAcross, row, col);
        float sum[128];
        unsigned before = 0;                                            // the barrier of the stage that the products under way read
        for (int k = 0; k < K; k += BK, place.next()) {
            unsigned at = place.stage * (stageBytes / 16);              // a descriptor counts in units of 16 bytes
            wait(full + 8 * place.stage, place.parity);                 // [wait full]
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int d = 0; d < BK; d += 16)
                multiply(sum, firstA + at + 2 * d / 16, firstB + at + d * 128 / 16, k > 0 || d > 0);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");      // all but these are done  [wait]
            if (lane < CLUSTER && k > 0)
                arriveAt(before, lane);                                 // every block of the cluster may fill the stage before
            before = empty + 8 * place.stage;
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (lane < CLUSTER)
            arriveAt(before, lane);
        store(C, buffers + group * 2 * bufferBytes, sum, group, row + group * 64, col);
    }
    if (threadIdx.x % 128 == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");      // who ends takes shared memory along
}

#if CLUSTER > 1
#define CLUSTERED __cluster_dims__(CLUSTER, 1, 1)
#else
#define CLUSTERED
#endif

/// Every thread of every block of the cluster has come.
__device__ __forceinline__ void meet() { asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory"); }

extern "C" __global__ void __launch_bounds__(threads, 1) CLUSTERED t11_frugal(int M, int N, int K, const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, const __grid_constant__ TensorMap C) {
    extern __shared__ __align__(1024) unsigned char ring[];     // STAGES times a tile of A and a tile of B, and the buffers of C
    __shared__ unsigned long long barriers[2 * STAGES];
    unsigned full = shared(barriers), empty = full + 8 * STAGES;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) {
            init(full + 8 * s, 1);                              // the producer arrives, and bytes come
            init(empty + 8 * s, 4 * consumers * CLUSTER);        // a lane of every consumer warp of the cluster arrives
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    meet();                                                     // nobody arrives at a barrier that is not there yet
    int tilesAcross = (N + BN - 1) / BN, tilesDown = (M + BM * CLUSTER - 1) / (BM * CLUSTER);     // of a cluster
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");       // who only copies needs few registers
        if (threadIdx.x == 0)
            produce(&A, &B, shared(ring), full, empty, tilesDown, tilesAcross, K);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory");      // who holds sums takes them
        consume(&C, shared(ring) + STAGES * stageBytes, K, shared(ring), full, empty, tilesDown, tilesAcross);
    }
    meet();                                                     // nobody leaves while another block still arrives here
}
