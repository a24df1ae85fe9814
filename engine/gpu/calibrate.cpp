// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/calibrate.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include <fmt/format.h>

#include "engine/base/median.h"
#include "engine/gpu/handles.h"

namespace lanescope::gpu {

namespace {

constexpr const char* kEntry = "probe";

/// A kernel (.u64 out, .u64 data, .u32 count) around `body`, which finds out in %out, data in %data, count in %n, the thread in %t and the
/// thread of the grid in %gid. `registers`: declarations.
std::string kernel(int major, int minor, const std::string& registers, const std::string& body) {
    return fmt::format(R"(.version 7.0
.target sm_{}{}
.address_size 64
.visible .entry {}(.param .u64 p0, .param .u64 p1, .param .u32 p2)
.maxntid 1024, 1, 1
{{
    .reg .pred %p, %q;
    .reg .b32 %n, %t, %cta, %nt, %gid, %i, %warp, %lane;
    .reg .b64 %out, %data, %at, %start, %end, %w64;
    {}
    ld.param.u64 %out, [p0];
    ld.param.u64 %data, [p1];
    ld.param.u32 %n, [p2];
    mov.u32 %t, %tid.x;
    mov.u32 %cta, %ctaid.x;
    mov.u32 %nt, %ntid.x;
    mad.lo.u32 %gid, %cta, %nt, %t;
    and.b32 %lane, %t, 31;
{}
    ret;
}}
)",
                       std::min(major * 10 + minor, 80) / 10, std::min(major * 10 + minor, 80) % 10, kEntry, registers, body);
}

/// `loop` as often as count says, between two readings of the clock that each warp leaves at out[2 * warp].
std::string timed(const std::string& before, const std::string& loop, const std::string& after) {
    return before + "    bar.sync 0;\n    mov.u64 %start, %clock64;\n    mov.u32 %i, 0;\nLOOP:\n" + loop +
           "    add.u32 %i, %i, 1;\n    setp.lt.u32 %p, %i, %n;\n    @%p bra LOOP;\n    mov.u64 %end, %clock64;\n" + after + R"(    shr.u32 %warp, %gid, 5;
    mul.wide.u32 %at, %warp, 16;
    add.u64 %at, %at, %out;
    setp.ne.u32 %p, %lane, 0;
    @%p ret;
    st.global.u64 [%at], %start;
    st.global.u64 [%at+8], %end;
)";
}

/// Keeps `count` registers %f0... of f32 or s32 alive.
std::string keep(int count, bool isInteger = false) {
    const char* type = isInteger ? "s32" : "f32";
    std::string out;
    for (int i = 1; i < count; ++i)
        out += fmt::format("    add.{} %f0, %f0, %f{};\n", type, i);
    return out + fmt::format("    setp.eq.{0} %q, %f0, {1};\n    @%q st.global.b32 [%data], %f0;\n", type, isInteger ? "1178658487" : "0f4640e6b7");
}

class Bench {
public:
    explicit Bench(const Gpu& gpu) : m_gpu(gpu), m_api(gpu.api()), m_info(gpu.info()) {}

    Result<Calibration> run() {
        for (const auto& step : {&Bench::dramCopy, &Bench::l2Read, &Bench::fma, &Bench::sharedRead, &Bench::l1Lines, &Bench::tensor, &Bench::latencies, &Bench::launches})
            if (Result<void> done = (this->*step)(); !done)
                return failure(done.error());
        if (!m_clocks.empty())
            m_result.clockMhz = median(m_clocks);
        return std::move(m_result);
    }

private:
    struct Loaded {
        Module module;
        CuHandle function = nullptr;
        explicit Loaded(const DriverApi& api) : module(api) {}
    };
    Result<std::unique_ptr<Loaded>> load(const std::string& ptx) {
        auto out = std::make_unique<Loaded>(m_api);
        if (Result<void> ok = m_gpu.check(m_api.moduleLoadDataEx(&out->module.handle, ptx.c_str(), 0, nullptr, nullptr), "a measuring kernel cannot be loaded"); !ok)
            return failure(ok.error());
        if (Result<void> ok = m_gpu.check(m_api.moduleGetFunction(&out->function, out->module.handle, kEntry), "a measuring kernel is not found"); !ok)
            return failure(ok.error());
        return out;
    }
    Result<Buffer> allocate(std::size_t bytes) {
        Buffer out(m_api);
        if (Result<void> ok = m_gpu.check(m_api.memoryAllocate(&out.address, bytes), fmt::format("no memory for {} bytes to measure with", bytes)); !ok)
            return failure(ok.error());
        m_api.fillBytes(out.address, 0, bytes);
        return out;
    }
    Result<void> launch(CuHandle function, int grid, int block, CuPointer out, CuPointer data, std::uint32_t count, CuHandle stream = nullptr) {
        void* parameters[] = {&out, &data, &count};
        return m_gpu.check(m_api.launchKernel(function, static_cast<unsigned>(grid), 1, 1, static_cast<unsigned>(block), 1, 1, 0, stream, parameters, nullptr), "a measuring kernel is refused");
    }
    void add(std::string key, double value, std::string how) { m_result.figures.push_back({std::move(key), value, std::move(how)}); }

    static constexpr int kRepeats = 15;
    /// Median seconds of a launch by events, after one to warm up; SM clocks meanwhile go to `clocks`.
    Result<double> seconds(CuHandle function, int grid, int block, CuPointer out, CuPointer data, std::uint32_t count, std::vector<double>& clocks) {
        const Event begin(m_api), end(m_api);
        std::vector<double> all;
        for (int i = 0; i <= kRepeats; ++i) {
            m_api.eventRecord(begin.handle, nullptr);
            if (Result<void> ok = launch(function, grid, block, out, data, count); !ok)
                return failure(ok.error());
            m_api.eventRecord(end.handle, nullptr);
            if (const std::optional<double> mhz = m_gpu.smClockMhz())
                clocks.push_back(*mhz);
            if (Result<void> ok = m_gpu.check(m_api.eventSynchronize(end.handle), "a measuring kernel faulted"); !ok)
                return failure(ok.error());
            float ms = 0;
            m_api.eventElapsed(&ms, begin.handle, end.handle);
            if (i > 0)
                all.push_back(static_cast<double>(ms) * 1e-3);
        }
        return median(all);
    }

    /// Cycles from the first warp's start to the last one's end, median over blocks, of the last launch.
    Result<double> cycles(const std::string& ptx, int grid, int block, CuPointer data, std::uint32_t count, int launches = 2) {
        Result<std::unique_ptr<Loaded>> loaded = load(ptx);
        if (!loaded)
            return failure(loaded.error());
        const int warps = std::max(block / 32, 1);
        std::vector<std::uint64_t> clocks(static_cast<std::size_t>(grid * warps) * 2);
        Result<Buffer> out = allocate(clocks.size() * sizeof(std::uint64_t));
        if (!out)
            return failure(out.error());
        for (int i = 0; i < launches; ++i)
            if (Result<void> ok = launch((*loaded)->function, grid, block, out->address, data, count); !ok)
                return failure(ok.error());
        if (Result<void> ok = m_gpu.check(m_api.contextSynchronize(), "a measuring kernel faulted"); !ok)
            return failure(ok.error());
        if (Result<void> ok = m_gpu.check(m_api.copyToHost(clocks.data(), out->address, clocks.size() * sizeof(std::uint64_t)), "measured clocks cannot be read back"); !ok)
            return failure(ok.error());
        std::vector<double> all;
        for (int b = 0; b < grid; ++b) {
            std::uint64_t first = ~std::uint64_t{0}, last = 0;
            for (int w = b * warps; w < (b + 1) * warps; ++w) {
                first = std::min(first, clocks[static_cast<std::size_t>(2 * w)]);
                last = std::max(last, clocks[static_cast<std::size_t>(2 * w + 1)]);
            }
            all.push_back(static_cast<double>(last - first));
        }
        const double took = median(all);
        if (took <= 0)
            return failure("gpu", "the SM's clock did not advance while measuring");
        return took;
    }

    Result<void> dramCopy() {
        const std::size_t bytes = std::min<std::size_t>(std::size_t{1} << 30, m_info.memoryBytes / 8);
        Result<Buffer> from = allocate(bytes), to = allocate(bytes);
        if (!from || !to)
            return failure(!from ? from.error() : to.error());
        const int grid = m_info.smCount * 16, block = 512;
        constexpr int kUnrolled = 4; // loads under way together
        const auto perThread = static_cast<std::uint32_t>(bytes / 16 / kUnrolled / static_cast<std::size_t>(grid * block));
        std::string loop;
        for (int k = 0; k < kUnrolled; ++k)
            loop += fmt::format("    ld.global.v4.u32 {{%v{}, %v{}, %v{}, %v{}}}, [%at];\n    add.u64 %at, %at, %step;\n", 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);
        for (int k = 0; k < kUnrolled; ++k)
            loop += fmt::format("    st.global.v4.u32 [%to], {{%v{}, %v{}, %v{}, %v{}}};\n    add.u64 %to, %to, %step;\n", 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);
        Result<std::unique_ptr<Loaded>> copy = load(kernel(m_info.major, m_info.minor, ".reg .b32 %v<16>, %total; .reg .b64 %step, %to;", R"(    mov.u32 %total, %nctaid.x;
    mul.lo.u32 %total, %total, %nt;
    mul.wide.u32 %step, %total, 16;
    mul.wide.u32 %at, %gid, 16;
    add.u64 %to, %at, %out;
    add.u64 %at, %at, %data;
    mov.u32 %i, 0;
LOOP:
)" + loop + R"(    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, %n;
    @%p bra LOOP;
)"));
        if (!copy)
            return failure(copy.error());
        const Result<double> time = seconds((*copy)->function, grid, block, to->address, from->address, perThread, m_clocks);
        if (!time)
            return failure(time.error());
        const double moved = 2.0 * 16 * kUnrolled * perThread * grid * block;
        add("dram_copy_bandwidth_measured", moved / *time / 1e9, fmt::format("copying {} MiB, reads plus writes", (static_cast<std::size_t>(moved) / 2) >> 20));
        return {};
    }

    Result<void> l2Read() {
        // A quarter of the L2, so that it stays there whichever half of the chip reads it.
        const std::size_t bytes = static_cast<std::size_t>(m_info.l2Bytes) / 4 / 65536 * 65536;
        Result<Buffer> data = allocate(bytes), out = allocate(64);
        if (!data || !out)
            return failure(!data ? data.error() : out.error());
        const int grid = m_info.smCount * 2, block = 1024;
        constexpr std::uint32_t kLoads = 256;
        std::string body = fmt::format("    mul.lo.u32 %o, %gid, 16;\n    mov.u32 %sum, 0;\n    mov.u32 %i, 0;\nLOOP:\n    rem.u32 %o, %o, {};\n", bytes);
        for (int k = 0; k < 4; ++k)
            body += fmt::format("    cvt.u64.u32 %at, %o;\n    add.u64 %at, %at, %data;\n    ld.global.cg.v4.u32 {{%v0, %v1, %v2, %v3}}, [%at];\n"
                                "    add.u32 %sum, %sum, %v0;\n    add.u32 %sum, %sum, %v3;\n    add.u32 %o, %o, {};\n    setp.ge.u32 %q, %o, {};\n    @%q sub.u32 %o, %o, {};\n",
                                block * 16, bytes, bytes);
        body += "    add.u32 %i, %i, 4;\n    setp.lt.u32 %p, %i, %n;\n    @%p bra LOOP;\n    setp.eq.u32 %q, %sum, 77;\n    @%q st.global.u32 [%out], %sum;\n";
        Result<std::unique_ptr<Loaded>> read = load(kernel(m_info.major, m_info.minor, ".reg .b32 %v<4>, %sum, %o;", body));
        if (!read)
            return failure(read.error());
        const Result<double> time = seconds((*read)->function, grid, block, out->address, data->address, kLoads, m_clocks);
        if (!time)
            return failure(time.error());
        add("l2_bandwidth", 16.0 * kLoads * grid * block / *time / 1e9, fmt::format("reading {} KiB again and again past the L1", bytes >> 10));
        return {};
    }

    Result<void> fma() {
        constexpr int kChains = 8, kUnrolled = 32;
        constexpr std::uint32_t kTurns = 64;
        std::string before, loop;
        for (int i = 0; i < kChains; ++i)
            before += fmt::format("    cvt.rn.f32.u32 %f{}, %gid;\n", i);
        before += "    mov.f32 %x, 0f3f7fffef;\n";
        for (int u = 0; u < kUnrolled; ++u)
            for (int i = 0; i < kChains; ++i)
                loop += fmt::format("    fma.rn.f32 %f{0}, %f{0}, %x, %x;\n", i);
        Result<Buffer> data = allocate(64);
        if (!data)
            return failure(data.error());
        const Result<double> took =
            cycles(kernel(m_info.major, m_info.minor, ".reg .f32 %f<8>, %x;", timed(before, loop, keep(kChains))), m_info.smCount, 1024, data->address, kTurns);
        if (!took)
            return failure(took.error());
        add("fp32_lanes_per_sm", 1024.0 * kChains * kUnrolled * kTurns / *took, "32 warps of eight independent chains of FMAs");
        return {};
    }

    Result<void> sharedRead() {
        constexpr int kUnrolled = 16;
        constexpr std::uint32_t kTurns = 64;
        std::string before = "    mov.u32 %s, buffer;\n    and.b32 %o, %t, 255;\n    shl.b32 %o, %o, 4;\n    add.u32 %s, %s, %o;\n    mov.u32 %sum, 0;\n", loop;
        for (int u = 0; u < kUnrolled; ++u)
            loop += fmt::format("    ld.volatile.shared.v4.u32 {{%v0, %v1, %v2, %v3}}, [%s+{}];\n    xor.b32 %sum, %sum, %v{};\n", u % 4 * 4096, u % 4);
        Result<Buffer> data = allocate(64);
        if (!data)
            return failure(data.error());
        const Result<double> took = cycles(kernel(m_info.major, m_info.minor, ".reg .b32 %v<4>, %sum, %s, %o; .shared .align 16 .b8 buffer[16384];",
                                                  timed(before, loop, "    setp.eq.u32 %q, %sum, 77;\n    @%q st.global.u32 [%data], %sum;\n")),
                                           m_info.smCount, 1024, data->address, kTurns);
        if (!took)
            return failure(took.error());
        add("shared_bytes_per_clock", 1024.0 * 16 * kUnrolled * kTurns / *took, "16-byte loads without a bank conflict by 32 warps");
        return {};
    }

    Result<void> l1Lines() {
        constexpr int kUnrolled = 16;
        constexpr std::uint32_t kTurns = 64;
        // Lane i takes word i of line i: one look-up a lane, no two on one bank of the data stage. Each address takes in the value read
        // before, a zero, so that no load can be left out.
        std::string before = "    mul.wide.u32 %at, %lane, 132;\n    add.u64 %at, %at, %data;\n", loop;
        for (int u = 0; u < kUnrolled; ++u)
            loop += fmt::format("    ld.global.ca.u32 %v0, [%at+{}];\n    cvt.u64.u32 %w64, %v0;\n    add.u64 %at, %at, %w64;\n", u % 2 * 4224);
        Result<Buffer> data = allocate(16384);
        if (!data)
            return failure(data.error());
        const Result<double> took = cycles(kernel(m_info.major, m_info.minor, ".reg .b32 %v<1>;",
                                                  timed(before, loop, "    setp.eq.u64 %q, %at, 77;\n    @%q st.global.u64 [%data], %at;\n")),
                                           m_info.smCount, 1024, data->address, kTurns);
        if (!took)
            return failure(took.error());
        add("l1_lines_per_clock", 1024.0 * kUnrolled * kTurns / *took, "loads that hit the L1, a line a lane, no two in one bank: its best");
        return {};
    }

    /// An instruction of the tensor cores, by the key of the figure that it gives.
    struct TensorType {
        const char *key, *instruction;
        int k;                       ///< depth of one instruction
        bool isInteger;
        std::uint32_t random, fixed; ///< of a word of an operand: bits that are random, and bits that are set (numbers of ordinary size)
    };

    Result<void> tensor() {
        if (m_info.major == 9)
            return warpgroupTensor();
        if (m_info.major != 8 && m_info.major != 12) {
            m_result.skipped.push_back(m_info.major < 8 ? "tensor_f16_accumulate_f32: mma.m16n8k16 needs compute capability 8.0"
                                                        : "tensor_f16_accumulate_f32: mma.sync does not reach the rate of these tensor cores");
            return {};
        }
        for (const TensorType& type : {TensorType{"tensor_f16_accumulate_f32", "m16n8k16.row.col.f32.f16.f16.f32", 16, false, 0, 0x3c003c00},
                                       TensorType{"tensor_bf16", "m16n8k16.row.col.f32.bf16.bf16.f32", 16, false, 0, 0x3f803f80},
                                       TensorType{"tensor_tf32", "m16n8k8.row.col.f32.tf32.tf32.f32", 8, false, 0, 0x3f800000},
                                       TensorType{"tensor_int8", "m16n8k32.row.col.s32.s8.s8.s32", 32, true, 0, 0x01010101}})
            if (Result<void> done = warpTensor(type); !done)
                return done;
        return {};
    }

    /// Products of a warp (mma.sync), by the SM's own clock.
    Result<void> warpTensor(const TensorType& type) {
        constexpr int kAccumulators = 4, kUnrolled = 8, kWarps = 16;
        constexpr std::uint32_t kTurns = 64;
        std::string before = fmt::format("    mov.b32 %a, 0x{:08x};\n", type.fixed), loop;
        for (int i = 0; i < 4 * kAccumulators; ++i)
            before += fmt::format("    mov.b32 %f{}, 0;\n", i);
        for (int u = 0; u < kUnrolled; ++u)
            for (int i = 0; i < 4 * kAccumulators; i += 4)
                loop += fmt::format("    mma.sync.aligned.{4} {{%f{0}, %f{1}, %f{2}, %f{3}}}, {{%a, %a, %a, %a}}, {{%a, %a}}, {{%f{0}, %f{1}, %f{2}, %f{3}}};\n", i, i + 1, i + 2,
                                    i + 3, type.instruction);
        Result<Buffer> data = allocate(64);
        if (!data)
            return failure(data.error());
        const Result<double> took = cycles(kernel(m_info.major, m_info.minor, fmt::format(".reg .{} %f<16>; .reg .b32 %a;", type.isInteger ? "b32" : "f32"),
                                                  timed(before, loop, keep(4 * kAccumulators, type.isInteger))),
                                           m_info.smCount, 32 * kWarps, data->address, kTurns);
        if (!took)
            return failure(took.error());
        add(type.key, 16.0 * 8 * type.k * kWarps * kAccumulators * kUnrolled * kTurns / *took, fmt::format("mma.{} by 16 warps, four accumulators each", type.instruction));
        return {};
    }

    /// Products of warpgroups (wgmma). They take so much power that the clock falls: what an SM gives a second for as long as one likes, by the
    /// clock of the other figures.
    Result<void> warpgroupTensor() {
        if (m_clocks.empty()) {
            m_result.skipped.push_back("tensor_f16_accumulate_f32: its rate goes with the clock, which cannot be sampled here");
            return {};
        }
        for (const TensorType& type : {TensorType{"tensor_f16_accumulate_f32", "k16.f32.f16.f16", 16, false, 0x87ff87ff, 0x38003800},
                                       TensorType{"tensor_bf16", "k16.f32.bf16.bf16", 16, false, 0x80ff80ff, 0x3f003f00},
                                       TensorType{"tensor_tf32", "k8.f32.tf32.tf32", 8, false, 0x80ffffff, 0x3f000000},
                                       TensorType{"tensor_fp8", "k32.f32.e4m3.e4m3", 32, false, 0x8f8f8f8f, 0x30303030},
                                       TensorType{"tensor_int8", "k32.s32.s8.s8", 32, true, 0xffffffff, 0}})
            if (Result<void> done = sustained(type); !done)
                return done;
        return {};
    }

    Result<void> sustained(const TensorType& type) {
        constexpr int kSums = 128, kWarpgroups = 2, kSteps = 4, kThreads = 128 * kWarpgroups;
        constexpr std::uint32_t kTurns = 6000; // some 4 ms
        std::string sums;
        for (int i = 0; i < kSums; ++i)
            sums += fmt::format("{}%f{}", i == 0 ? "" : ", ", i);
        // 64 rows of A a warpgroup and 256 columns of B, of 128 bytes of K each, swizzled in rows of 128 bytes; every word a random one.
        std::string body = fmt::format(R"(    mov.u32 %s, tile;
    mov.u32 %i, %t;
FILL:
    mad.lo.u32 %h, %i, 0x9e3779b1, %cta;
    shr.u32 %g, %h, 15;
    xor.b32 %h, %h, %g;
    mul.lo.u32 %h, %h, 0x85ebca6b;
    shr.u32 %g, %h, 13;
    xor.b32 %h, %h, %g;
    and.b32 %h, %h, 0x{:08x};
    or.b32 %h, %h, 0x{:08x};
    shl.b32 %g, %i, 2;
    add.u32 %g, %g, %s;
    st.shared.b32 [%g], %h;
    add.u32 %i, %i, {};
    setp.lt.u32 %p, %i, 12288;
    @%p bra FILL;
    fence.proxy.async;
    bar.sync 0;
    shr.u32 %g, %t, 7;
    shl.b32 %g, %g, 13;
    add.u32 %g, %g, %s;
    shr.u32 %g, %g, 4;
    cvt.u64.u32 %a, %g;
    or.b64 %a, %a, 0x4000004000010000;
    add.u32 %g, %s, 16384;
    shr.u32 %g, %g, 4;
    cvt.u64.u32 %b, %g;
    or.b64 %b, %b, 0x4000004000010000;
    setp.eq.u32 %p, %n, %n;
    mov.u32 %i, 0;
)",
                                       type.random & ~type.fixed, type.fixed, kThreads);
        for (int i = 0; i < kSums; ++i)
            body += fmt::format("    mov.b32 %f{}, 0;\n", i);
        body += "LOOP:\n    wgmma.fence.sync.aligned;\n";
        for (int step = 0; step < kSteps; ++step)
            body += fmt::format("    add.u64 %x, %a, {0};\n    add.u64 %y, %b, {0};\n    wgmma.mma_async.sync.aligned.m64n256{1} {{{2}}}, %x, %y, %p{3};\n", 2 * step,
                                type.instruction, sums, type.isInteger ? "" : type.k == 16 ? ", 1, 1, 0, 0" : ", 1, 1");
        body += "    wgmma.commit_group.sync.aligned;\n    wgmma.wait_group.sync.aligned 1;\n    add.u32 %i, %i, 1;\n    setp.lt.u32 %q, %i, %n;\n    @%q bra LOOP;\n"
                "    wgmma.wait_group.sync.aligned 0;\n" + keep(kSums, type.isInteger);
        const std::string ptx = fmt::format(R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry {}(.param .u64 p0, .param .u64 p1, .param .u32 p2)
.maxntid {}, 1, 1
{{
    .shared .align 1024 .b8 tile[49152];
    .reg .pred %p, %q;
    .reg .b32 %n, %t, %cta, %i, %s, %g, %h;
    .reg .b64 %data, %a, %b, %x, %y;
    .reg .{} %f<{}>;
    ld.param.u64 %data, [p1];
    ld.param.u32 %n, [p2];
    mov.u32 %t, %tid.x;
    mov.u32 %cta, %ctaid.x;
{}    ret;
}}
)",
                                            kEntry, kThreads, type.isInteger ? "b32" : "f32", kSums, body);
        Result<std::unique_ptr<Loaded>> loaded = load(ptx);
        Result<Buffer> data = allocate(64);
        if (!loaded || !data)
            return failure(!loaded ? loaded.error() : data.error());
        // The power limit needs some tenths of a second to show.
        constexpr double kSettle = 0.4, kMeasure = 0.3;
        std::vector<double> clocks; // not among those of the other figures, whose clock does not fall
        double took = 0;
        for (double total = 0; total < kSettle + kMeasure;) {
            if (total < kSettle)
                clocks.clear();
            const Result<double> one = seconds((*loaded)->function, m_info.smCount, kThreads, data->address, data->address, kTurns, clocks);
            if (!one)
                return failure(one.error());
            took = *one;
            total += (1 + kRepeats) * took;
        }
        const double clock = clocks.empty() ? 0 : median(clocks), boost = median(m_clocks);
        const double perSecond = 64.0 * 256 * type.k * kSteps * kWarpgroups * kTurns / took;
        add(type.key, perSecond / (boost * 1e6),
            fmt::format("wgmma.m64n256{} by two warpgroups, operands random: {:.0f} a clock while the clock is at {:.0f} MHz, here by {:.0f} MHz", type.instruction,
                        clock > 0 ? perSecond / (clock * 1e6) : 0.0, clock, boost));
        return {};
    }

    /// Cycles of a load whose address is the result of the one before, one thread, over `bytes` in steps of `step`; warmed: every place was
    /// read before in the same launch.
    Result<double> chase(std::size_t bytes, std::size_t step, const char* load, int launches, bool warmed) {
        std::vector<std::uint64_t> chain(bytes / 8);
        Result<Buffer> data = allocate(bytes);
        if (!data)
            return failure(data.error());
        const std::size_t places = bytes / step;
        // A stride coprime to the count visits all places, far from each other.
        std::size_t jump = places * 5 / 13 | 1;
        for (std::size_t at = 0; at < places; ++at)
            chain[at * step / 8] = data->address + (at + jump) % places * step;
        m_api.copyToDevice(data->address, chain.data(), bytes);
        std::string body, warm = "    mov.u64 %c, %data;\n";
        for (int u = 0; u < 8; ++u)
            body += fmt::format("    {} %c, [%c];\n", load);
        // A launch begins with an empty L1: what is to hit it is read once before the clock starts.
        if (warmed)
            warm += fmt::format("    mov.u32 %warp, 0;\nWARM:\n{}    add.u32 %warp, %warp, 8;\n    setp.lt.u32 %p, %warp, {};\n    @%p bra WARM;\n", body, places);
        constexpr std::uint32_t kTurns = 512;
        const Result<double> took = cycles(kernel(m_info.major, m_info.minor, ".reg .b64 %c;",
                                                  timed(warm, body, "    setp.eq.u64 %q, %c, 77;\n    @%q st.global.u64 [%data], %c;\n")),
                                           1, 32, data->address, kTurns, launches);
        if (!took)
            return failure(took.error());
        return *took / (8.0 * kTurns);
    }

    Result<void> latencies() {
        const std::size_t large = std::min<std::size_t>(std::size_t{512} << 20, m_info.memoryBytes / 16);
        for (const auto& [key, bytes, step, load, launches, warmed, how] :
             {std::tuple{"latency_l1", std::size_t{8192}, std::size_t{64}, "ld.global.ca.u64", 2, true, "pointer chase over 8 KiB that the L1 holds"},
              std::tuple{"latency_l2", std::size_t{1} << 20, std::size_t{256}, "ld.global.cg.u64", 2, false, "pointer chase over 1 MiB past the L1"},
              std::tuple{"latency_dram", large, std::size_t{1} << 16, "ld.global.cg.u64", 1, false, "pointer chase over much more than the L2, each place once"}}) {
            const Result<double> cycles = chase(bytes, step, load, launches, warmed);
            if (!cycles)
                return failure(cycles.error());
            add(key, *cycles, how);
        }
        Result<Buffer> data = allocate(64);
        if (!data)
            return failure(data.error());
        std::string loads, fmas;
        for (int u = 0; u < 16; ++u) {
            loads += "    ld.volatile.shared.u32 %s, [%s];\n";
            fmas += "    fma.rn.f32 %f0, %f0, %x, %x;\n";
        }
        constexpr std::uint32_t kTurns = 256;
        const Result<double> shared = cycles(kernel(m_info.major, m_info.minor, ".reg .b32 %s; .shared .align 4 .b32 cell;",
                                                    timed("    mov.u32 %s, cell;\n    st.shared.u32 [cell], %s;\n", loads, "    setp.eq.u32 %q, %s, 77;\n    @%q st.global.u32 [%data], %s;\n")),
                                             1, 32, data->address, kTurns);
        if (!shared)
            return failure(shared.error());
        add("latency_shared", *shared / (16.0 * kTurns), "pointer chase in shared memory");
        const Result<double> ffma = cycles(kernel(m_info.major, m_info.minor, ".reg .f32 %f<1>, %x;",
                                                  timed("    cvt.rn.f32.u32 %f0, %gid;\n    mov.f32 %x, 0f3f7fffef;\n", fmas, keep(1))),
                                           1, 32, data->address, kTurns);
        if (!ffma)
            return failure(ffma.error());
        add("latency_ffma", *ffma / (16.0 * kTurns), "a chain of dependent FMAs");
        return {};
    }

    Result<void> launches() {
        constexpr int kLaunches = 1000;
        Result<std::unique_ptr<Loaded>> empty = load(kernel(m_info.major, m_info.minor, "", ""));
        if (!empty)
            return failure(empty.error());
        const Event begin(m_api), end(m_api);
        const auto elapsed = [&](const std::function<Result<void>()>& work, CuHandle stream) -> Result<double> {
            std::vector<double> all;
            for (int repeat = 0; repeat < 6; ++repeat) {
                m_api.eventRecord(begin.handle, stream);
                if (Result<void> ok = work(); !ok)
                    return failure(ok.error());
                m_api.eventRecord(end.handle, stream);
                if (Result<void> ok = m_gpu.check(m_api.eventSynchronize(end.handle), "an empty kernel faulted"); !ok)
                    return failure(ok.error());
                float ms = 0;
                m_api.eventElapsed(&ms, begin.handle, end.handle);
                if (repeat > 0)
                    all.push_back(static_cast<double>(ms) * 1e3 / kLaunches);
            }
            return median(all);
        };
        const auto launchAll = [&](CuHandle stream) -> Result<void> {
            for (int i = 0; i < kLaunches; ++i)
                if (Result<void> ok = launch((*empty)->function, 1, 32, 0, 0, 0, stream); !ok)
                    return ok;
            return {};
        };
        const Result<double> alone = elapsed([&] { return launchAll(nullptr); }, nullptr);
        if (!alone)
            return failure(alone.error());
        add("launch_overhead", *alone, fmt::format("{} empty kernels one after another", kLaunches));
        if (!m_api.hasGraphs()) {
            m_result.skipped.push_back("launch_overhead_graph: this driver has no graphs");
            return {};
        }
        CuHandle stream = nullptr, graph = nullptr, executable = nullptr;
        constexpr int kThreadLocal = 1;
        m_api.streamCreate(&stream, 0);
        Result<void> captured = m_gpu.check(m_api.streamBeginCapture(stream, kThreadLocal), "launches cannot be captured");
        if (captured)
            captured = launchAll(stream);
        const int ended = m_api.streamEndCapture(stream, &graph);
        if (captured)
            captured = m_gpu.check(ended, "launches cannot be captured");
        if (captured)
            captured = m_gpu.check(m_api.graphInstantiate(&executable, graph, 0), "a graph cannot be made");
        if (captured) {
            const Result<double> inGraph = elapsed([&] { return m_gpu.check(m_api.graphLaunch(executable, stream), "a graph cannot be launched"); }, stream);
            if (inGraph)
                add("launch_overhead_graph", *inGraph, fmt::format("{} empty kernels of one graph", kLaunches));
            else
                captured = failure(inGraph.error());
        }
        if (!captured)
            m_result.skipped.push_back("launch_overhead_graph: " + captured.error().front().message);
        if (executable != nullptr)
            m_api.graphExecDestroy(executable);
        if (graph != nullptr)
            m_api.graphDestroy(graph);
        m_api.streamDestroy(stream);
        return {};
    }

    const Gpu& m_gpu;
    const DriverApi& m_api;
    const GpuInfo& m_info;
    std::vector<double> m_clocks;
    Calibration m_result;
};

} // namespace

Result<Calibration> calibrate(const Gpu& gpu) { return Bench(gpu).run(); }

} // namespace lanescope::gpu
