// SPDX-License-Identifier: GPL-3.0-or-later
// wgmma against an H200: every shape and type with random descriptors and data (wgmma_kernels.h), and what is said of its misuse.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/tensor/matrix_descriptor.h"
#include "tests/sim/ptx_runner.h"
#include "tests/sim/wgmma_kernels.h"

using namespace lanescope;
using namespace lanescope::test;
using check::FindingKind;

namespace {

constexpr std::uint32_t kMeasuredCases = 24, kCasesWithoutBase = 20;

std::vector<std::uint64_t> measuredHashes() {
    std::ifstream in(std::string(LANESCOPE_TEST_DATA) + "/tensor/wgmma_hash.bin", std::ios::binary);
    REQUIRE(in);
    std::stringstream all;
    all << in.rdbuf();
    const std::string bytes = all.str();
    std::vector<std::uint64_t> out(bytes.size() / sizeof(std::uint64_t));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

/// FNV-1a over the words of D of the block's threads, as it was computed on the GPU's results.
std::uint64_t hashOf(const std::uint8_t* words, std::size_t count) {
    std::uint64_t hash = 1469598103934665603ull;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, words + 4 * i, sizeof word);
        hash = (hash ^ word) * 1099511628211ull;
    }
    return hash;
}

/// Runs some cases of a kernel in one launch; how many have the measured bits.
int equalCases(const WgmmaKernel& kernel, const std::vector<std::uint32_t>& cases, const std::uint64_t* measured) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "lanescope_wgmma_cases.bin";
    std::ofstream out(file, std::ios::binary);
    for (const std::uint32_t c : cases) {
        const WgmmaCase words = wgmmaCase(kernel, c, c >= kCasesWithoutBase);
        out.write(reinterpret_cast<const char*>(words.data()), sizeof words);
    }
    out.close();
    const std::size_t words = static_cast<std::size_t>(kernel.outputWords()) * 128;
    PtxLaunch launch;
    launch.grid.x = static_cast<std::uint32_t>(cases.size());
    launch.block.x = 128;
    launch.shared = kWgmmaSharedBytes;
    launch.maxInstructions = 2'000'000'000;
    launch.arguments = {"file:" + file.string(), "zeros:" + std::to_string(4 * words * cases.size())};
    const PtxRun result = run(loadText(wgmmaHead() + wgmmaText(kernel), kernel.name()), launch);
    for (const check::Finding& f : result.report.findings)
        FAIL_CHECK(kernel.name() << ": " << f.message);
    int equal = 0;
    for (std::size_t i = 0; i < cases.size(); ++i)
        equal += hashOf(result.buffers[1].data() + 4 * words * i, words) == measured[cases[i]];
    return equal;
}

/// A kernel of m64n8k16 (f16) whose operands are zeros that the block stored; `steps` come after the wgmma's operands are in place.
/// %rd5 and %rd6: descriptors, %f0..%f3: D, %r20..%r23: A in registers, %p2 false.
std::string smallKernel(const std::string& steps, const std::string& afterStores = "fence.proxy.async;\nbar.sync 0;\n") {
    return ".version 8.4\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n.visible .entry k(.param .u64 out)\n{\n"
           ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<16>;\nld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\n"
           "mul.wide.u32 %rd7, %r0, 4;\nadd.u64 %rd7, %rd0, %rd7;\n"
           "mov.u32 %r1, smem;\nmov.u32 %r2, 0;\nshl.b32 %r3, %r0, 5;\nadd.u32 %r3, %r3, %r1;\n"
           "st.shared.v4.u32 [%r3], {%r2,%r2,%r2,%r2};\nst.shared.v4.u32 [%r3+16], {%r2,%r2,%r2,%r2};\n" +
           afterStores +
           "shr.u32 %r4, %r1, 4;\ncvt.u64.u32 %rd4, %r4;\nadd.u64 %rd5, %rd4, 0x0000001000080000;\nadd.u64 %rd6, %rd4, 0x0000001000080080;\n"
           "setp.ne.u32 %p2, %r2, 0;\nsetp.lt.u32 %p3, %r0, 64;\n"
           "mov.f32 %f0, 0f00000000;\nmov.f32 %f1, 0f00000000;\nmov.f32 %f2, 0f00000000;\nmov.f32 %f3, 0f00000000;\n" +
           steps + "\nret;\n}\n";
}

const std::string kFence = "wgmma.fence.sync.aligned;\n";
const std::string kProduct = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd5, %rd6, %p2, 1, 1, 0, 0;\n";
const std::string kProductOfRegisters =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, {%r20,%r21,%r22,%r23}, %rd6, %p2, 1, 1, 0;\n";
const std::string kOtherProduct = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4,%f5,%f6,%f7}, %rd5, %rd6, 0, 1, 1, 0, 0;\n";
const std::string kCommit = "wgmma.commit_group.sync.aligned;\n";
const std::string kWait = "wgmma.wait_group.sync.aligned 0;\n";
const std::string kStore = "st.global.f32 [%rd7], %f1;\n";

PtxRun runSmall(const std::string& text, std::uint32_t threads = 128, sim::Schedule schedule = sim::Schedule::InTurn) {
    PtxLaunch launch;
    launch.block.x = threads;
    launch.shared = 8192;
    launch.schedule = schedule;
    launch.arguments = {"zeros:1024"};
    return run(loadText(text, "k"), launch);
}

/// The only finding of a run, whatever the schedule.
check::Finding onlyFinding(const std::string& text, std::uint32_t threads = 128) {
    check::Finding first;
    for (const sim::Schedule schedule : {sim::Schedule::InTurn, sim::Schedule::Reverse, sim::Schedule::Random}) {
        const PtxRun result = runSmall(text, threads, schedule);
        std::string all;
        for (const check::Finding& f : result.report.findings)
            all += f.message + "\n";
        INFO(all);
        REQUIRE(result.report.findings.size() == 1);
        if (schedule == sim::Schedule::InTurn)
            first = result.report.findings[0];
        CHECK(result.report.findings[0].kind == first.kind);
    }
    return first;
}

std::uint32_t lineOf(const std::string& text, const std::string& what) {
    return 1 + static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(what)), '\n'));
}

} // namespace

TEST_CASE("every wgmma shape and type has an H200's bits, with any descriptor", "[wgmma]") {
    const std::vector<std::uint64_t> measured = measuredHashes();
    const std::vector<WgmmaKernel> kernels = wgmmaKernels();
    REQUIRE(kernels.size() == 543);
    REQUIRE(measured.size() >= kernels.size() * kMeasuredCases);
    int compared = 0, equal = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        // Every kernel with one case, small ones with more; a quarter with a base offset.
        const auto c = static_cast<std::uint32_t>(i);
        std::vector<std::uint32_t> cases{i % 4 == 0 ? kCasesWithoutBase + c % 4 : c % kCasesWithoutBase};
        if (kernels[i].n <= 40)
            cases.insert(cases.end(), {(c + 7) % kCasesWithoutBase, (c + 13) % kCasesWithoutBase, kCasesWithoutBase + (c + 1) % 4});
        const int same = equalCases(kernels[i], cases, &measured[i * kMeasuredCases]);
        INFO(kernels[i].name());
        CHECK(same == static_cast<int>(cases.size()));
        equal += same;
        compared += static_cast<int>(cases.size());
    }
    CHECK(equal == compared);
    CHECK(compared == 990);
}

TEST_CASE("a descriptor is taken apart and put together", "[wgmma]") {
    tensor::MatrixDescriptor d;
    d.start = 0x12340, d.leadingBytes = 16, d.strideBytes = 1024, d.baseOffset = 5, d.swizzle = tensor::SwizzleMode::Bytes64;
    CHECK(tensor::decodeDescriptor(tensor::encodeDescriptor(d)) == d);
    // 128-byte swizzle, K-major: row 3 of the pattern has its second chunk where the fourth would be; CUTLASS's Swizzle<3,4,3>.
    d = {};
    d.swizzle = tensor::SwizzleMode::Bytes128, d.strideBytes = 1024;
    CHECK(tensor::chunkAddress(d, false, 1, 3) == 3 * 128 + (1 ^ 3) * 16);
    CHECK(tensor::chunkAddress(d, false, 0, 13) == 1024 + 5 * 128 + 5 * 16);
    d.start = 32; // the second k step of 16 halves
    CHECK(tensor::chunkAddress(d, false, 0, 1) == 128 + (2 ^ 1) * 16);
    d.start = 128, d.baseOffset = 1; // the pattern begins a row late
    CHECK(tensor::chunkAddress(d, false, 0, 0) == 128);
}

TEST_CASE("a wgmma with its fences, commit and wait has no findings", "[wgmma]") {
    for (const sim::Schedule schedule : {sim::Schedule::InTurn, sim::Schedule::Reverse, sim::Schedule::Random})
        for (const std::string& text :
             {smallKernel(kFence + kProduct + kCommit + kWait + kStore), smallKernel(kFence + kProduct + kProduct + kCommit + kWait + kStore),
              smallKernel(kFence + kProduct + kCommit + kWait + "add.f32 %f1, %f1, %f1;\n" + kFence + kProduct + kCommit + kWait + kStore),
              smallKernel("mov.u32 %r20, %r0;\nmov.u32 %r21, %r0;\nmov.u32 %r22, %r2;\nmov.u32 %r23, %r2;\n" + kFence + kProductOfRegisters + kCommit +
                          kWait + "st.shared.u32 [%r3], %r2;\n")}) {
            const PtxRun result = runSmall(text, 128, schedule);
            for (const check::Finding& f : result.report.findings)
                FAIL_CHECK(f.message);
        }
}

TEST_CASE("registers of a wgmma under way are watched", "[wgmma]") {
    const std::string early = smallKernel(kFence + kProduct + kCommit + kStore + kWait);
    const check::Finding read = onlyFinding(early);
    CHECK(read.kind == FindingKind::RaceRaw);
    CHECK(read.ptxLine == lineOf(early, kStore));
    CHECK(read.otherPtxLine == lineOf(early, kProduct));
    CHECK(read.message.find("%f1") != std::string::npos);

    // A compiler's copy is not a use; what is done with the copy is.
    const std::string copied = smallKernel(kFence + kProduct + kCommit + "mov.f32 %f9, %f1;\n" + kWait + "st.global.f32 [%rd7], %f9;\n");
    CHECK(runSmall(copied).report.findings.empty());
    const check::Finding copyRead = onlyFinding(smallKernel(kFence + kProduct + kCommit + "mov.f32 %f9, %f1;\nst.global.f32 [%rd7], %f9;\n" + kWait));
    CHECK(copyRead.kind == FindingKind::RaceRaw);

    const std::string overwritten = smallKernel("mov.u32 %r20, 0;\nmov.u32 %r21, 0;\nmov.u32 %r22, 0;\nmov.u32 %r23, 0;\n" + kFence +
                                                kProductOfRegisters + kCommit + "add.u32 %r22, %r0, 1;\n" + kWait + kStore);
    const check::Finding write = onlyFinding(overwritten);
    CHECK(write.kind == FindingKind::RaceWaw);
    CHECK(write.ptxLine == lineOf(overwritten, "add.u32 %r22"));
    CHECK(write.otherPtxLine == lineOf(overwritten, kProductOfRegisters));

    // One group may be under way: the first one's D can be read, the second one's cannot.
    const std::string two = kFence + kProduct + kCommit + kOtherProduct + kCommit + "wgmma.wait_group.sync.aligned 1;\n";
    CHECK(runSmall(smallKernel(two + kStore + kWait)).report.findings.empty());
    CHECK(onlyFinding(smallKernel(two + "st.global.f32 [%rd7], %f5;\n" + kWait)).kind == FindingKind::RaceRaw);
    // What no commit follows is waited for by no wait.
    CHECK(onlyFinding(smallKernel(kFence + kProduct + kWait + kStore)).kind == FindingKind::RaceRaw);
}

TEST_CASE("a missing wgmma.fence is said", "[wgmma]") {
    const std::string none = smallKernel(kProduct + kCommit + kWait + kStore);
    const check::Finding first = onlyFinding(none);
    CHECK(first.kind == FindingKind::RaceRaw);
    CHECK(first.ptxLine == lineOf(none, kProduct));
    CHECK(first.message.find("wgmma.fence") != std::string::npos);
    const std::string between = smallKernel(kFence + kProduct + kCommit + kWait + "add.f32 %f2, %f2, %f2;\n" + kOtherProduct + kProduct + kCommit + kWait);
    const check::Finding second = onlyFinding(between);
    CHECK(second.ptxLine == lineOf(between, kOtherProduct) + 1);
    CHECK(second.otherPtxLine == lineOf(between, "add.f32 %f2"));
    CHECK(second.message.find("%f2") != std::string::npos);
}

TEST_CASE("shared operands of a wgmma under way are watched", "[wgmma]") {
    // A store to what is read, before the wait and after it; by the same warp and, without a barrier, by another.
    const std::string early = smallKernel(kFence + kProduct + kCommit + "st.shared.u32 [%r3], %r2;\n" + kWait + kStore);
    const check::Finding overwrite = onlyFinding(early);
    CHECK(overwrite.kind == FindingKind::RaceWar);
    CHECK(overwrite.ptxLine == lineOf(early, "st.shared.u32 [%r3], %r2"));
    CHECK(overwrite.otherPtxLine == lineOf(early, kProduct));
    CHECK(overwrite.message.find("wait_group") != std::string::npos);
    CHECK(runSmall(smallKernel(kFence + kProduct + kCommit + kWait + "bar.sync 0;\nst.shared.u32 [%r3], %r2;\n")).report.findings.empty());

    const check::Finding noBarrier = onlyFinding(smallKernel(kFence + kProduct + kCommit + kWait + kStore, "fence.proxy.async;\n"));
    CHECK(noBarrier.kind == FindingKind::RaceRaw);
    CHECK(noBarrier.message.find("no barrier") != std::string::npos);
    const std::string unfenced = smallKernel(kFence + kProduct + kCommit + kWait + kStore, "bar.sync 0;\n");
    const check::Finding proxy = onlyFinding(unfenced);
    CHECK(proxy.kind == FindingKind::RaceRaw);
    CHECK(proxy.message.find("fence.proxy.async") != std::string::npos);
    CHECK(proxy.ptxLine == lineOf(unfenced, kProduct));
    CHECK(proxy.otherPtxLine == lineOf(unfenced, "st.shared.v4.u32 [%r3]"));
    // A fence by those who read, after the barrier, orders the proxies as well.
    CHECK(runSmall(smallKernel(kFence + kProduct + kCommit + kWait + kStore, "bar.sync 0;\nfence.proxy.async.shared::cta;\n")).report.findings.empty());
    // A B that nobody wrote: rows of B at 2,048 and above are written, those past the last store are not.
    CHECK(onlyFinding(smallKernel("add.u64 %rd6, %rd6, 0x80;\n" + kFence + kProduct + kCommit + kWait + kStore)).kind == FindingKind::Uninitialized);
    CHECK(onlyFinding(smallKernel("add.u64 %rd6, %rd6, 0x200;\n" + kFence + kProduct + kCommit + kWait + kStore)).kind == FindingKind::OutOfBounds);
}

TEST_CASE("all four warps of a warpgroup have to come", "[wgmma]") {
    const std::string some = smallKernel("@!%p3 bra END;\n" + kFence + kProduct + kCommit + kWait + kStore + "END:\n");
    const check::Finding half = onlyFinding(some);
    CHECK(half.kind == FindingKind::BarrierDivergence);
    CHECK(half.ptxLine == lineOf(some, kProduct));
    CHECK(half.message.find("never by warp 2, 3") != std::string::npos);
    CHECK(onlyFinding(smallKernel(kFence + kProduct + kCommit + kWait + kStore), 192).message.find("warps 4 to 7") != std::string::npos);
    const std::string different = smallKernel("@%p3 add.u64 %rd6, %rd6, 1;\n" + kFence + kProduct + kCommit + kWait + kStore);
    CHECK(onlyFinding(different).message.find("other descriptors") != std::string::npos);
}

TEST_CASE("wgmma is counted as tensor work, its reads of shared memory apart from loads", "[wgmma]") {
    // Measured on an H200 with Nsight Compute: 4 instructions and, with n = 8, 16 + 2 wavefronts for each wgmma.
    const PtxRun result = runSmall(smallKernel(kFence + kProduct + kProduct + kCommit + kWait + kStore));
    CHECK(result.metric("smsp__inst_executed_pipe_tensor_op_gmma.sum") == 8);
    CHECK(result.metric("smsp__inst_executed_pipe_tensor_op_hmma.sum") == 8);
    CHECK(result.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum") == 36);
    CHECK(result.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") == 0);
    CHECK(result.report.counters.tensorFma == 2 * 64 * 8 * 16);
    CHECK(result.report.counters.flops == 2 * 2 * 64 * 8 * 16);
}

TEST_CASE("what wgmma does not have is refused with line and text", "[wgmma]") {
    const auto refusal = [](const std::string& instruction) {
        const Result<session::LoadedProgram> program = session::loadPtx(smallKernel(kFence + instruction), "t.ptx", "k");
        REQUIRE_FALSE(program);
        CHECK(program.error()[0].where.line == lineOf(smallKernel(kFence + instruction), instruction));
        return program.error()[0];
    };
    const std::string sparse = "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd5, %rd6, %r2, 0, %p2, 1, 1, 0, 0;\n";
    CHECK(refusal(sparse).code == "unsupported");
    CHECK(refusal(sparse).message.find("mma_async.sp") != std::string::npos);
    refusal("wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r5,%r6,%r7,%r8}, %rd5, %rd6, %p2;\n");
    refusal("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd5, %rd6, %p2, 2, 1, 0, 0;\n");
    refusal("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1}, %rd5, %rd6, %p2, 1, 1, 0, 0;\n");
    refusal("wgmma.wait_group.sync.aligned %r2;\n");
}
