// SPDX-License-Identifier: GPL-3.0-or-later
// mbarrier objects and the bulk copies that complete them. The object is at byte 512 of shared memory.
#include "tests/sim/ptx_runner.h"

using namespace lanescope;
using namespace lanescope::test;
using Catch::Matchers::Contains;
using check::FindingKind;

namespace {

std::string start(int count) {
    return "mov.u32 %r0, %tid.x;\nmov.u32 %r10, 512;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [%r10], " + std::to_string(count) +
           ";\nbar.sync 0;\nsetp.lt.u32 %p2, %r0, 32;\n";
}

const std::string kWait = "W: mbarrier.try_wait.parity.shared.b64 %p3, [%r10], 0;\n@!%p3 bra W;\n";

/// Warp 0 writes and arrives; warp 1 (waits and) reads the other way round.
std::string handOver(bool waits) {
    return start(32) +
           "@!%p2 bra READ;\nshl.b32 %r1, %r0, 2;\nst.shared.u32 [%r1], %r0;\nmbarrier.arrive.shared.b64 %rd5, [%r10];\nbra END;\nREAD:\n" +
           (waits ? kWait : "") +
           "xor.b32 %r2, %r0, 31;\nand.b32 %r2, %r2, 31;\nshl.b32 %r2, %r2, 2;\nld.shared.u32 %r3, [%r2];\nand.b32 %r4, %r0, 31;\n"
           "mul.wide.u32 %rd6, %r4, 4;\nadd.u64 %rd6, %rd0, %rd6;\nst.global.u32 [%rd6], %r3;\nEND:\n";
}

PtxLaunch twoWarps() {
    PtxLaunch launch;
    launch.block.x = 64;
    launch.shared = 1024;
    launch.arguments = {"zeros:512"};
    return launch;
}

/// Thread 0 has 256 bytes of p1 copied to shared memory; all 64 threads (wait and) read them.
std::string bulk(bool waits) {
    return start(1) +
           "@!%p1 bra GO;\nmbarrier.arrive.expect_tx.shared.b64 %rd5, [%r10], 256;\nmov.u32 %r11, 0;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd1], 256, [%r10];\nGO:\n" +
           (waits ? kWait : "") + "shl.b32 %r1, %r0, 2;\nld.shared.u32 %r3, [%r1];\nmul.wide.u32 %rd6, %r0, 4;\nadd.u64 %rd6, %rd0, %rd6;\n"
                                  "st.global.u32 [%rd6], %r3;\n";
}

} // namespace

TEST_CASE("who waits for an mbarrier sees what was written before the arrivals", "[mbarrier]") {
    for (const sim::Schedule schedule : {sim::Schedule::InTurn, sim::Schedule::Reverse, sim::Schedule::Random}) {
        PtxLaunch launch = twoWarps();
        launch.schedule = schedule;
        const PtxRun result = run(loadText(kernel(handOver(true)), "k"), launch);
        CHECK(result.report.findings.empty());
        for (std::uint32_t i = 0; i < 32; ++i)
            CHECK(result.at<std::uint32_t>(0, i) == (i ^ 31));
    }
}

TEST_CASE("without the wait it is a race", "[mbarrier]") {
    const PtxRun result = run(loadText(kernel(handOver(false)), "k"), twoWarps());
    CHECK(result.occurrences(FindingKind::RaceRaw) == 1);
}

TEST_CASE("phases alternate, arrivals count, states tell the phase", "[mbarrier]") {
    // One thread: count 2; arrive twice; the state of the first arrival is of phase 0, whose end both kinds of wait see.
    const std::string body = start(2) +
                             "@!%p1 bra END;\n"
                             "mbarrier.test_wait.parity.shared.b64 %p4, [%r10], 0;\nselp.u32 %r20, 1, 0, %p4;\n"
                             "mbarrier.test_wait.parity.shared.b64 %p4, [%r10], 1;\nselp.u32 %r21, 1, 0, %p4;\n"
                             "mbarrier.arrive.shared.b64 %rd5, [%r10];\nmbarrier.pending_count.b64 %r22, %rd5;\n"
                             "mbarrier.arrive.shared.b64 %rd6, [%r10];\nmbarrier.pending_count.b64 %r23, %rd6;\n"
                             "mbarrier.test_wait.shared.b64 %p4, [%r10], %rd5;\nselp.u32 %r24, 1, 0, %p4;\n"
                             "mbarrier.test_wait.parity.shared.b64 %p4, [%r10], 0;\nselp.u32 %r25, 1, 0, %p4;\n"
                             "mbarrier.test_wait.parity.shared.b64 %p4, [%r10], 1;\nselp.u32 %r26, 1, 0, %p4;\n"
                             "mbarrier.arrive_drop.shared.b64 %rd7, [%r10];\nmbarrier.arrive.shared.b64 _, [%r10];\n"
                             "mbarrier.arrive.shared.b64 %rd8, [%r10];\nmbarrier.test_wait.shared.b64 %p4, [%r10], %rd8;\nselp.u32 %r27, 1, 0, %p4;\n"
                             "st.global.v4.u32 [%rd0], {%r20,%r21,%r22,%r23};\nst.global.v4.u32 [%rd0+16], {%r24,%r25,%r26,%r27};\nEND:\n";
    PtxLaunch launch = twoWarps();
    launch.block.x = 32;
    const PtxRun result = run(loadText(kernel(body), "k"), launch);
    const std::uint32_t expected[] = {0, 1, 2, 1, 1, 1, 0, 1};
    for (std::size_t i = 0; i < 8; ++i) {
        INFO(i);
        CHECK(result.at<std::uint32_t>(0, i) == expected[i]);
    }
}

TEST_CASE("a bulk copy's bytes end the phase, and are there after the wait", "[mbarrier]") {
    PtxLaunch launch = twoWarps();
    launch.arguments.push_back("iota:u32:64");
    const PtxRun result = run(loadText(kernel(bulk(true), 2), "k"), launch);
    CHECK(result.report.findings.empty());
    for (std::uint32_t i = 0; i < 64; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == i);
    const PtxRun early = run(loadText(kernel(bulk(false), 2), "k"), launch);
    CHECK(early.occurrences(FindingKind::RaceRaw) > 0);
}

TEST_CASE("a wait that nobody can end is a deadlock that says what is missing", "[mbarrier]") {
    const auto messageOf = [](const std::string& body) {
        PtxLaunch launch = twoWarps();
        const PtxRun result = run(loadText(kernel(body), "k"), launch);
        REQUIRE(result.report.findings.size() == 1);
        CHECK(result.report.findings[0].kind == FindingKind::DidNotFinish);
        CHECK(result.report.counters.total.executions < 2000);
        return result.report.findings[0].message;
    };
    // Bytes that nobody copies.
    std::string message = messageOf(start(1) + "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r10], 16;\n" + kWait);
    CHECK_THAT(message, Contains("Deadlock: Warps 0, 1 of block 0 wait") && Contains("phase of parity 0") && Contains("byte 512 of shared memory") &&
                            Contains("16 bytes that were expected have not been copied") && Contains("In this phase arrived: warp 0 at PTX line"));
    // Arrivals that do not come, polled with test_wait as well.
    message = messageOf(start(3) + "@%p1 mbarrier.arrive.shared.b64 %rd5, [%r10];\n" + kWait);
    CHECK_THAT(message, Contains("2 of 3 arrivals are missing"));
    message = messageOf(start(3) + "W: mbarrier.test_wait.parity.shared.b64 %p3, [%r10], 0;\n@!%p3 bra W;\n");
    CHECK_THAT(message, Contains("3 of 3 arrivals are missing") && Contains("Nobody has ever arrived"));
    // The second phase: who arrived in the first is told.
    message = messageOf(start(1) + "@%p1 mbarrier.arrive.shared.b64 %rd5, [%r10];\n" + kWait + "V: mbarrier.try_wait.parity.shared.b64 %p3, [%r10], 1;\n@!%p3 bra V;\n");
    CHECK_THAT(message, Contains("phase of parity 1") && Contains("which is in phase 1") && Contains("In the phase before arrived: warp 0"));
}

TEST_CASE("each mbarrier that is waited for in vain is a finding of its own, also from one line", "[mbarrier]") {
    // Warp 0 waits for the mbarrier at byte 512, warp 1 for the one at 520, with the same instruction.
    const std::string body = start(1) + "@%p1 mbarrier.init.shared.b64 [%r10+8], 2;\nbar.sync 0;\n@!%p2 add.u32 %r10, %r10, 8;\n"
                                        "@%p1 mbarrier.expect_tx.relaxed.cta.shared.b64 [%r10], 32;\n" +
                             kWait;
    const PtxRun result = run(loadText(kernel(body), "k"), twoWarps());
    REQUIRE(result.report.findings.size() == 2);
    CHECK_THAT(result.report.findings[0].message, Contains("Warp 0 ") && Contains("1 of 1 arrival is missing, and 32 bytes"));
    CHECK_THAT(result.report.findings[1].message, Contains("Warp 1 ") && Contains("2 of 2 arrivals are missing"));
}

TEST_CASE("a wait of which only a try is made goes on", "[mbarrier]") {
    // The consumer looks once at a phase that it ends itself afterwards, as pipelines do that look ahead.
    const std::string body = start(1) + "@!%p1 bra END;\nmbarrier.try_wait.parity.shared.b64 %p3, [%r10], 0;\nselp.u32 %r20, 1, 0, %p3;\n"
                                        "mbarrier.arrive.shared.b64 %rd5, [%r10];\n" + kWait + "st.global.u32 [%rd0], %r20;\nEND:\n";
    const PtxRun result = run(loadText(kernel(body), "k"), twoWarps());
    CHECK(result.report.findings.empty());
    CHECK(result.at<std::uint32_t>(0, 0) == 0);
}

TEST_CASE("lanes of one warp wait for each other at an mbarrier", "[mbarrier]") {
    // Lane 0 waits for an arrival of lane 1, which comes after the place where they would meet.
    const std::string body = start(1) + "setp.eq.u32 %p4, %r0, 1;\n@!%p1 bra MEET;\n" + kWait + "MEET:\n@%p4 mbarrier.arrive.shared.b64 _, [%r10];\n";
    PtxLaunch launch = twoWarps();
    launch.block.x = 32;
    CHECK(run(loadText(kernel(body), "k"), launch).report.findings.empty());
}

TEST_CASE("the wrong parity passes at once, and what is read too early is a race", "[mbarrier]") {
    std::string body = handOver(true);
    body.replace(body.find("[%r10], 0;"), 10, "[%r10], 1;");
    CHECK(run(loadText(kernel(body), "k"), twoWarps()).occurrences(FindingKind::RaceRaw) == 1);
}

TEST_CASE("arriving more often than was said", "[mbarrier]") {
    const std::string body = start(1) + "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 16;\n@%p1 mbarrier.arrive.shared.b64 _, [%r10];\n";
    const PtxRun result = run(loadText(kernel(body), "k"), twoWarps());
    REQUIRE(result.report.findings.size() == 1);
    CHECK(result.report.findings[0].kind == FindingKind::BarrierDivergence);
    CHECK_THAT(result.report.findings[0].message, Contains("more threads arrive than mbarrier.init was told"));
}

TEST_CASE("arrivals that are relaxed order nothing", "[mbarrier]") {
    std::string body = handOver(true);
    body.replace(body.find("mbarrier.arrive.shared"), 22, "mbarrier.arrive.relaxed.cta.shared");
    CHECK(run(loadText(kernel(body), "k"), twoWarps()).occurrences(FindingKind::RaceRaw) == 1);
}

TEST_CASE("an mbarrier is told when copies of cp.async have come", "[mbarrier]") {
    // 32 threads copy a word each; with .noinc the arrivals are part of the count.
    const auto text = [](const std::string& arrive, int count, bool waits) {
        return start(count) + "@!%p2 bra READ;\nshl.b32 %r1, %r0, 2;\nmul.wide.u32 %rd6, %r0, 4;\nadd.u64 %rd6, %rd1, %rd6;\n"
                              "cp.async.ca.shared.global [%r1], [%rd6], 4;\n" +
               arrive + "READ:\n" + (waits ? kWait : "") +
               "and.b32 %r2, %r0, 31;\nshl.b32 %r2, %r2, 2;\nld.shared.u32 %r3, [%r2];\nmul.wide.u32 %rd6, %r0, 4;\nadd.u64 %rd6, %rd0, %rd6;\nst.global.u32 [%rd6], %r3;\n";
    };
    PtxLaunch launch = twoWarps();
    launch.arguments.push_back("iota:u32:64");
    for (const auto& [arrive, count] : {std::pair("cp.async.mbarrier.arrive.noinc.shared.b64 [%r10];\n", 32),
                                        std::pair("cp.async.mbarrier.arrive.shared.b64 [%r10];\nmbarrier.arrive.shared.b64 _, [%r10];\n", 32)}) {
        const PtxRun result = run(loadText(kernel(text(arrive, count, true), 2), "k"), launch);
        CHECK(result.report.findings.empty());
        for (std::uint32_t i = 0; i < 64; ++i)
            CHECK(result.at<std::uint32_t>(0, i) == i % 32);
    }
    CHECK(run(loadText(kernel(text("cp.async.mbarrier.arrive.noinc.shared.b64 [%r10];\n", 32, false), 2), "k"), launch).occurrences(FindingKind::RaceRaw) > 0);
}

namespace {

/// Thread 0 stores 256 bytes of shared memory, which all have written, to p0 (and reads them back).
std::string storeBulk(const std::string& fence, const std::string& afterwards) {
    return "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 0;\nmov.u32 %r11, 0;\nshl.b32 %r1, %r0, 2;\nst.shared.u32 [%r1], %r0;\n" + fence +
           "bar.sync 0;\n@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r11], 256;\n@%p1 cp.async.bulk.commit_group;\n" + afterwards;
}

} // namespace

TEST_CASE("a bulk store is ordered by its group", "[mbarrier]") {
    const std::string fence = "fence.proxy.async.shared::cta;\n", overwrite = "bar.sync 0;\nst.shared.u32 [%r1], 7;\n", look = "@%p1 ld.global.u32 %r2, [%rd0];\n";
    const auto runBody = [](const std::string& body) { return run(loadText(kernel(body), "k"), twoWarps()); };
    PtxRun result = runBody(storeBulk(fence, "@%p1 cp.async.bulk.wait_group.read 0;\n" + overwrite));
    CHECK(result.report.findings.empty());
    for (std::uint32_t i = 0; i < 64; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == i);
    result = runBody(storeBulk(fence, overwrite));
    REQUIRE(result.report.findings.size() == 1);
    CHECK(result.report.findings[0].kind == FindingKind::RaceWar);
    CHECK_THAT(result.report.findings[0].message, Contains("no cp.async.bulk.wait_group.read has waited"));
    // .read is enough to write the source again, not to read the destination.
    CHECK(runBody(storeBulk(fence, "@%p1 cp.async.bulk.wait_group.read 0;\n" + look)).occurrences(FindingKind::RaceRaw) == 1);
    CHECK(runBody(storeBulk(fence, "@%p1 cp.async.bulk.wait_group 0;\n" + look)).report.findings.empty());
    CHECK(runBody(storeBulk(fence, "@%p1 cp.async.bulk.wait_group 1;\n" + overwrite)).occurrences(FindingKind::RaceWar) > 0);
}

TEST_CASE("the asynchronous proxy needs a fence", "[mbarrier]") {
    const std::string wait = "@%p1 cp.async.bulk.wait_group 0;\n";
    const auto runBody = [](const std::string& body) { return run(loadText(kernel(body), "k"), twoWarps()); };
    const PtxRun result = runBody(storeBulk("", wait));
    REQUIRE(result.report.findings.size() == 1);
    CHECK(result.report.findings[0].kind == FindingKind::RaceRaw);
    CHECK_THAT(result.report.findings[0].message, Contains("no fence.proxy.async stands between"));
    // Before the barrier by those who wrote, or after it by who copies.
    std::string late = storeBulk("", wait);
    late.insert(late.find("@%p1 cp.async.bulk.global"), "fence.proxy.async;\n");
    CHECK(runBody(late).report.findings.empty());
    CHECK(runBody(storeBulk("fence.proxy.async;\n", wait)).report.findings.empty());
    CHECK(runBody(storeBulk("fence.acq_rel.cta;\n", wait)).occurrences(FindingKind::RaceRaw) > 0);
}

TEST_CASE("a stage may be filled again when its readers have arrived", "[mbarrier]") {
    // Round 1: thread 0 copies, all read. Then thread 0 copies again, after all have arrived at a second mbarrier, or not.
    const auto text = [](bool waits) {
        return "mov.u32 %r12, 520;\nmov.u32 %r11, 0;\n@%p5 bra X;\nX:\n" + start(1) +
               "@%p1 mbarrier.init.shared.b64 [%r12], 64;\nbar.sync 0;\n"
               "@!%p1 bra GO;\nmbarrier.arrive.expect_tx.shared.b64 %rd5, [%r10], 256;\n"
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd1], 256, [%r10];\nGO:\n" +
               kWait + "shl.b32 %r1, %r0, 2;\nld.shared.u32 %r3, [%r1];\nmbarrier.arrive.shared.b64 _, [%r12];\n@!%p1 bra END;\n" +
               (waits ? "V: mbarrier.try_wait.parity.shared.b64 %p3, [%r12], 0;\n@!%p3 bra V;\n" : "") +
               "mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r10], 256;\n"
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd1], 256, [%r10];\n"
               "U: mbarrier.try_wait.parity.shared.b64 %p3, [%r10], 1;\n@!%p3 bra U;\nEND:\n";
    };
    for (const sim::Schedule schedule : {sim::Schedule::InTurn, sim::Schedule::Reverse, sim::Schedule::Random}) {
        PtxLaunch launch = twoWarps();
        launch.schedule = schedule;
        launch.arguments.push_back("iota:u32:64");
        CHECK(run(loadText(kernel(text(true), 2), "k"), launch).report.findings.empty());
        const PtxRun early = run(loadText(kernel(text(false), 2), "k"), launch);
        REQUIRE(early.report.findings.size() == 1);
        CHECK(early.report.findings[0].kind == FindingKind::RaceWar);
    }
}

TEST_CASE("sizes and places of bulk copies are checked", "[mbarrier]") {
    const auto findingOf = [](const std::string& copy) {
        PtxLaunch launch = twoWarps();
        launch.arguments = {"zeros:4096", "iota:u32:64"};
        const PtxRun result = run(loadText(kernel(start(1) + "mov.u32 %r11, 0;\n@%p1 " + copy + ";\n", 2), "k"), launch);
        REQUIRE(!result.report.findings.empty());
        return result.report.findings[0];
    };
    const std::string form = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";
    CHECK_THAT(findingOf(form + "[%r11], [%rd1], 20, [%r10]").message, Contains("copies 20 bytes") && Contains("a multiple of 16 bytes"));
    check::Finding f = findingOf(form + "[%r11+8], [%rd1], 32, [%r10]");
    CHECK(f.kind == FindingKind::Misaligned);
    CHECK_THAT(f.message, Contains("write 16 bytes of shared memory") && Contains("not a multiple of 16"));
    f = findingOf(form + "[%r11], [%rd1+4], 32, [%r10]");
    CHECK(f.kind == FindingKind::Misaligned);
    CHECK_THAT(f.message, Contains("read 16 bytes of p1"));
    f = findingOf(form + "[%r11], [%rd1+224], 64, [%r10]");
    CHECK(f.kind == FindingKind::OutOfBounds);
    CHECK_THAT(f.message, Contains("past the end of p1"));
    f = findingOf(form + "[%r11+1008], [%rd1], 32, [%r10]");
    CHECK(f.kind == FindingKind::OutOfBounds);
    CHECK(findingOf(form + "[%r11], [%rd1], 32, [%r10+4]").kind != FindingKind::RaceRaw);
}

TEST_CASE("barrier.cluster of a cluster of one block is a barrier", "[mbarrier]") {
    const auto text = [](const std::string& between) {
        return "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\nst.shared.u32 [%r1], %r0;\n" + between +
               "xor.b32 %r2, %r1, 128;\nld.shared.u32 %r3, [%r2];\nmul.wide.u32 %rd6, %r0, 4;\nadd.u64 %rd6, %rd0, %rd6;\nst.global.u32 [%rd6], %r3;\n";
    };
    for (const sim::Schedule schedule : {sim::Schedule::InTurn, sim::Schedule::Reverse, sim::Schedule::Random}) {
        PtxLaunch launch = twoWarps();
        launch.schedule = schedule;
        const PtxRun result = run(loadText(kernel(text("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n")), "k"), launch);
        CHECK(result.report.findings.empty());
        for (std::uint32_t i = 0; i < 64; ++i)
            CHECK(result.at<std::uint32_t>(0, i) == (i ^ 32));
    }
    CHECK(run(loadText(kernel(text("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;\n")), "k"), twoWarps()).occurrences(FindingKind::RaceRaw) == 1);
    // A fence before a relaxed arrival makes up for it (PTX ISA 9.0, barrier.cluster).
    CHECK(run(loadText(kernel(text("fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;\n")), "k"), twoWarps()).report.findings.empty());
    // A wait of one warp alone.
    const std::string alone = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 barrier.cluster.arrive;\n@%p1 barrier.cluster.wait;\n@!%p1 bar.warp.sync 0xffffffff;\n"
                              "@!%p1 bar.sync 1, 64;\n";
    const PtxRun hung = run(loadText(kernel(alone), "k"), twoWarps());
    REQUIRE(!hung.report.findings.empty());
    CHECK_THAT(hung.report.findings[0].message, Contains("barrier.cluster, at which 32 of 64 threads have not arrived"));
}

TEST_CASE("addresses and ranks in a cluster of one", "[mbarrier]") {
    const std::string body = "mov.u32 %r10, 512;\nmapa.shared::cluster.u32 %r1, %r10, 0;\ngetctarank.shared::cluster.u32 %r2, %r1;\nmov.u32 %r3, %cluster_nctarank;\n"
                             "mov.u32 %r4, %cluster_ctarank;\nst.shared::cluster.u32 [%r1], 9;\nld.shared.u32 %r5, [512];\n"
                             "st.global.v4.u32 [%rd0], {%r1,%r2,%r3,%r4};\nst.global.u32 [%rd0+16], %r5;\n";
    PtxLaunch launch = twoWarps();
    launch.block.x = 1;
    const PtxRun result = run(loadText(kernel(body), "k"), launch);
    CHECK(result.report.findings.empty());
    const std::uint32_t expected[] = {512, 0, 1, 0, 9};
    for (std::size_t i = 0; i < 5; ++i)
        CHECK(result.at<std::uint32_t>(0, i) == expected[i]);
    // Another block's memory does not exist.
    const PtxRun other = run(loadText(kernel("mov.u32 %r10, 512;\nmapa.shared::cluster.u32 %r1, %r10, 1;\nst.shared::cluster.u32 [%r1], 9;\n"), "k"), launch);
    REQUIRE(other.report.findings.size() == 1);
    CHECK(other.report.findings[0].kind == FindingKind::OutOfBounds);
}

TEST_CASE("a cluster of several blocks is refused", "[mbarrier]") {
    std::string text = kernel("ret;\n");
    text.replace(text.find(")\n{"), 1, ")\n.explicitcluster\n.reqnctapercluster 2, 1, 1");
    const session::LoadedProgram program = loadText(text, "k");
    session::LaunchRequest request;
    request.grid = Dim3{2, 1, 1};
    request.arguments = {"zeros:16"};
    const Result<session::PreparedLaunch> prepared = session::prepare(program, request, *device::findDevice("h200"));
    REQUIRE_FALSE(prepared);
    CHECK(prepared.error()[0].code == "unsupported");
    CHECK_THAT(prepared.error()[0].message, Contains("clusters of 2 x 1 x 1 blocks") && Contains("not simulated"));
}

TEST_CASE("an mbarrier that nobody initialised is said", "[mbarrier]") {
    const std::string body = "mov.u32 %r10, 512;\nmbarrier.arrive.shared.b64 %rd5, [%r10];\n";
    CHECK(run(loadText(kernel(body), "k"), twoWarps()).occurrences(FindingKind::Uninitialized) > 0);
}
