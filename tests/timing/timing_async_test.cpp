// SPDX-License-Identifier: GPL-3.0-or-later
// Bulk copies, mbarriers and wgmma in the timing of an SM.
#include "tests/timing/timing_support.h"

using namespace lanescope;
using test::repeated;
using test::timeKernel;
using timing::WarpState;

namespace {

/// Thread 0 makes the mbarrier at `b`, whose phases take so many arrivals; everyone waits for that. %r1 is its address, %r2 that of s.
std::string withBarrier(int arrivals) {
    return ".shared .align 8 .b64 b[2];\n.reg .b64 %state;\nmov.u32 %r1, b;\nmov.u32 %r2, s;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra MADE;\nmbarrier.init.shared.b64 [%r1], " +
           std::to_string(arrivals) + ";\nMADE:\nbar.sync 0;\n";
}

/// The wait of all threads for the first phase.
const std::string kTry = "TRY:\nmbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;\n@!%p1 bra TRY;\n";
const std::string kTest = "TEST:\nmbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;\n@!%p1 bra TEST;\n";

/// Thread 0 asks for a copy of so many bytes.
std::string copy(int bytes) {
    const std::string n = std::to_string(bytes);
    return "@%p0 bra ASKED;\nmbarrier.arrive.expect_tx.shared.b64 %state, [%r1], " + n +
           ";\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd0], " + n + ", [%r1];\nASKED:\n";
}

std::uint32_t cyclesIn(const timing::SmTiming& sm, std::uint32_t warp, WarpState state) {
    std::uint32_t out = 0;
    for (const timing::Interval& i : sm.intervals(warp))
        out += i.state == state ? i.end - i.begin : 0;
    return out;
}

const std::string kChain = "add.f32 %f0, %f0, %f0;\n";

} // namespace

TEST_CASE("a bulk copy takes its latency and its bytes their time; who waits for its mbarrier is told why") {
    const test::Timed small = timeKernel(withBarrier(1) + copy(16) + kTry), large = timeKernel(withBarrier(1) + copy(16384) + kTry);
    const timing::Parameters& p = small.report.parameters;
    const timing::SmTiming& sm = small.sm();
    const std::uint32_t waited = cyclesIn(sm, 0, WarpState::Mbarrier);
    CHECK(waited > static_cast<std::uint32_t>(p.dram));
    CHECK(waited < static_cast<std::uint32_t>(p.dram + p.mbarrierWake + p.bulkCopyLatency + 20));
    // One SM with work has all of the device memory's bandwidth: the L2's way to it is narrower.
    CHECK(large.sm().cycles - sm.cycles == Approx(16384 / p.bulkCopyBytesPerCycle).epsilon(0.02));

    const std::vector<timing::Interval> intervals = sm.intervals(0);
    const auto wait = std::find_if(intervals.begin(), intervals.end(), [](const timing::Interval& i) { return i.state == WarpState::Mbarrier; });
    REQUIRE(wait != intervals.end());
    const auto chain = timing::why(sm, *small.program.program, 0, wait->begin + 1);
    REQUIRE(chain.size() > 2);
    CHECK(chain[0].what.find("waits for phase 0 of b[0]: for the bytes of the bulk copy") == 0);
    CHECK(chain[0].what.find("asked for at cycle " + std::to_string(sm.issues[chain[1].issue].cycle)) != std::string::npos);
    CHECK(chain[1].what.find("moves 16 bytes, served by device memory") != std::string::npos);
    CHECK(chain.back().begin < chain[1].begin); // and on to what held up the copy
    REQUIRE(sm.phases.size() == 1);
    CHECK(sm.phases[0].last == chain[1].issue);
}

TEST_CASE("rounds that only test an mbarrier are one wait") {
    test::TimedLaunch launch;
    launch.threads = 64;
    const auto body = [](const std::string& wait) {
        return withBarrier(32) + "mov.f32 %f0, 0f3F800000;\nsetp.lt.u32 %p2, %r0, 32;\n@%p2 bra WAIT;\n" + repeated(100, kChain) + "bar.warp.sync 0xffffffff;\n" + repeated(100, kChain) +
               "mbarrier.arrive.shared.b64 %state, [%r1];\nbra DONE;\nWAIT:\n" + wait + "DONE:\n";
    };
    const test::Timed blocking = timeKernel(body(kTry), launch), polling = timeKernel(body(kTest), launch);
    // The simulation really goes round: its events are more, the time is the same.
    CHECK(polling.sm().issues.size() > blocking.sm().issues.size());
    CHECK(polling.sm().cycles == blocking.sm().cycles);
    CHECK(cyclesIn(polling.sm(), 0, WarpState::Mbarrier) == cyclesIn(blocking.sm(), 0, WarpState::Mbarrier));
    for (const std::uint32_t issue : polling.sm().issueOfEvent)
        CHECK(issue != timing::kNone);
}

TEST_CASE("a wait ends when the last has arrived, in modelled time") {
    // Warp 1 computes before it arrives; warp 0 waits for it.
    test::TimedLaunch launch;
    launch.threads = 64;
    const auto body = [](int length) {
        return withBarrier(32) + "mov.f32 %f0, 0f3F800000;\nsetp.lt.u32 %p2, %r0, 32;\n@%p2 bra WAIT;\n" + repeated(length, kChain) +
               "mbarrier.arrive.shared.b64 %state, [%r1];\nbra DONE;\nWAIT:\n" + kTry + "DONE:\n";
    };
    const test::Timed shorter = timeKernel(body(50), launch), longer = timeKernel(body(250), launch);
    CHECK(cyclesIn(longer.sm(), 0, WarpState::Mbarrier) - cyclesIn(shorter.sm(), 0, WarpState::Mbarrier) >= 200 * 4);
    REQUIRE(longer.sm().phases.size() == 1);
    const timing::PhaseTiming& phase = longer.sm().phases[0];
    CHECK(longer.sm().issues[phase.last].warp == 1);
    for (const timing::AsyncTiming& use : longer.sm().async)
        if (use.what == timing::AsyncUse::What::Wait)
            CHECK(use.done == phase.end + static_cast<std::uint32_t>(longer.report.parameters.mbarrierWake));
    // A phase that has ended long before holds up nobody.
    const test::Timed late = timeKernel(withBarrier(32) + "mov.f32 %f0, 0f3F800000;\nmbarrier.arrive.shared.b64 %state, [%r1];\n" + repeated(100, kChain) + kTry);
    CHECK(cyclesIn(late.sm(), 0, WarpState::Mbarrier) == 0);
}

TEST_CASE("barrier.cluster is waited for until the last warp has arrived") {
    const std::string meet = "barrier.cluster.arrive; barrier.cluster.wait;\n", late = "setp.lt.u32 %p2, %r0, 32;\n@%p2 bra MEET;\n" + test::repeated(200, kChain) + "MEET:\n";
    test::TimedLaunch launch;
    launch.threads = 128;
    const test::Timed early = test::timeKernel(meet + "bar.sync 0;\n" + meet, launch), delayed = test::timeKernel(late + meet + "bar.sync 0;\n" + meet, launch);
    for (const test::Timed* t : {&early, &delayed}) {
        CHECK(t->sm().complete);
        for (const timing::WarpTiming& w : t->sm().warps)
            CHECK(w.end > 0);
    }
    // Warp 0 does nothing before: it waits for the others' 200 additions, about four cycles each.
    CHECK(delayed.sm().warps[0].end - early.sm().warps[0].end > 600);
    CHECK(delayed.sm().warps[0].end - early.sm().warps[0].end < 1500);
}

TEST_CASE("copies that an mbarrier tracks end its phase when their data are there") {
    const std::string body = withBarrier(32) + "cvt.u64.u32 %rd1, %r0;\nshl.b64 %rd1, %rd1, 4;\nadd.s64 %rd1, %rd1, %rd0;\nshl.b32 %r3, %r0, 4;\nadd.s32 %r3, %r3, %r2;\n"
                                             "cp.async.cg.shared.global [%r3], [%rd1], 16;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%r1];\n" + kTry;
    const test::Timed t = timeKernel(body);
    CHECK(cyclesIn(t.sm(), 0, WarpState::Mbarrier) > static_cast<std::uint32_t>(t.report.parameters.dram) - 10);
    const timing::Issue& last = t.sm().issues[t.sm().phases.at(0).last];
    CHECK(t.program.program->ops[last.pc].kind == sim::OpKind::CopyAsync);
}

TEST_CASE("wgmma: asynchronous, at the tensor cores' rate, waited for by group") {
    test::TimedLaunch launch;
    launch.threads = 128;
    const auto products = [](int count) {
        std::string sums;
        for (int i = 0; i < 32; ++i)
            sums += (i == 0 ? "%acc" : ", %acc") + std::to_string(i);
        return repeated(count, "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" + sums + "}, %desc, %desc, 1, 1, 1, 0, 0;\n");
    };
    std::string head = ".reg .f32 %acc<32>;\n.reg .b64 %desc;\nmov.u64 %desc, 4611686293305294848;\nmov.f32 %f0, 0f3F800000;\n";
    for (int i = 0; i < 32; ++i)
        head += "mov.f32 %acc" + std::to_string(i) + ", 0f00000000;\n";
    const auto kernel = [&](int count, int chain) {
        std::string text = test::ptxKernel(head + "wgmma.fence.sync.aligned;\n" + products(count) + "wgmma.commit_group.sync.aligned;\n" + repeated(chain, kChain) + "wgmma.wait_group.sync.aligned 0;\n");
        text.replace(text.find(".version 8.0\n.target sm_90\n"), 26, ".version 8.0\n.target sm_90a\n");
        return test::timeText(text, "k", launch);
    };
    const test::Timed eight = kernel(8, 0), sixteen = kernel(16, 0);
    // Measured on an H200: n / 2 cycles each; the sixteenth of sixteen is issued 335 cycles after the first, all are done after 575.
    CHECK(sixteen.sm().cycles - eight.sm().cycles == Approx(8 * 32).margin(2));
    std::vector<std::uint32_t> at;
    for (const std::uint32_t i : sixteen.sm().warps[0].issues)
        if (sixteen.program.program->ops[sixteen.sm().issues[i].pc].kind == sim::OpKind::WarpgroupProduct)
            at.push_back(i);
    REQUIRE(at.size() == 16);
    CHECK(sixteen.sm().issues[at[3]].cycle - sixteen.sm().issues[at[0]].cycle < 32);
    CHECK(sixteen.sm().issues[at[15]].cycle - sixteen.sm().issues[at[0]].cycle == Approx(335).epsilon(0.1));
    CHECK(sixteen.sm().issues[at[15]].done - sixteen.sm().issues[at[0]].cycle == Approx(575).epsilon(0.05));
    CHECK(cyclesIn(eight.sm(), 0, WarpState::Products) > 100);
    // What does not need the sums goes on meanwhile.
    const test::Timed both = kernel(8, 50);
    CHECK(both.sm().cycles < eight.sm().cycles + 40);
    const std::vector<timing::Interval> intervals = eight.sm().intervals(0);
    const auto wait = std::find_if(intervals.begin(), intervals.end(), [](const timing::Interval& i) { return i.state == WarpState::Products; });
    REQUIRE(wait != intervals.end());
    const auto chain = timing::why(eight.sm(), *eight.program.program, 0, wait->begin);
    REQUIRE(chain.size() > 1);
    CHECK(chain[0].what.find("waits for the products of wgmma") == 0);
}

TEST_CASE("bulk copies to global memory are waited for by group, for reading sooner than for all") {
    const auto body = [](const std::string& wait) {
        return "mov.u32 %r2, s;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra END;\ncp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r2], 4096;\ncp.async.bulk.commit_group;\n" + wait + "END:\n";
    };
    const test::Timed none = timeKernel(body("")), read = timeKernel(body("cp.async.bulk.wait_group.read 0;\n")), all = timeKernel(body("cp.async.bulk.wait_group 0;\n"));
    CHECK(none.sm().warps[0].issues.size() + 1 == all.sm().warps[0].issues.size());
    const auto waited = [](const test::Timed& t) { return cyclesIn(t.sm(), 0, WarpState::LongScoreboard); };
    CHECK(waited(none) == 0);
    CHECK(waited(read) > 10); // asking itself holds up the warp for most of it
    CHECK(waited(all) > waited(read) + static_cast<std::uint32_t>(all.report.parameters.l2) / 2);
}
