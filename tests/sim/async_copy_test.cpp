// SPDX-License-Identifier: GPL-3.0-or-later
// cp.async: when its data arrive, what counts as a race with it, and the counters of an H200 (tests/data/sim/copies.json).
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/sim/ptx_runner.h"

using namespace lanescope;
using namespace lanescope::test;
using Catch::Matchers::Contains;
using check::FindingKind;

namespace {

std::string slurp(const std::string& name) {
    std::ifstream in(std::string(LANESCOPE_TEST_DATA) + "/" + name, std::ios::binary);
    REQUIRE(in);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
}

/// %r0 thread, %r10 its word of the tile, %r12 that of the other warp's thread, %rd2 its word of p0 (1, 2, 3, ...), %rd3 of p1.
const std::string kSetUp = ".shared .align 16 .b32 tile[256];\nmov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r11, tile; add.u32 %r10, %r11, %r1; "
                           "xor.b32 %r12, %r0, 32; shl.b32 %r12, %r12, 2; add.u32 %r12, %r12, %r11; cvt.u64.u32 %rd4, %r1; add.u64 %rd2, %rd0, %rd4; "
                           "add.u64 %rd3, %rd1, %rd4;\n";
const std::string kCopy = "cp.async.ca.shared.global [%r10], [%rd2], 4;\n";

PtxLaunch launchOf(std::uint32_t threads) {
    PtxLaunch launch;
    launch.block.x = threads;
    launch.arguments = {"iota:i32:256", "zeros:1024"};
    return launch;
}

PtxRun runBody(const std::string& body, std::uint32_t threads = 32) { return run(loadText(kernel(kSetUp + body, 2), "k"), launchOf(threads)); }

void checkAllSchedules(const std::string& body, FindingKind kind, std::uint64_t occurrences, const std::string& message = "") {
    const session::LoadedProgram program = loadText(kernel(kSetUp + body, 2), "k");
    PtxLaunch launch = launchOf(64);
    for (const auto& [schedule, seed] : {std::pair(sim::Schedule::InTurn, 1), std::pair(sim::Schedule::Reverse, 1), std::pair(sim::Schedule::Random, 3),
                                         std::pair(sim::Schedule::Random, 17)}) {
        launch.schedule = schedule;
        launch.seed = static_cast<std::uint64_t>(seed);
        const PtxRun result = run(program, launch);
        INFO("schedule " << static_cast<int>(schedule) << " seed " << seed);
        CHECK(result.occurrences(kind) == occurrences);
        for (const check::Finding& f : result.report.findings) {
            if (f.kind != kind)
                FAIL_CHECK(f.message);
            CHECK_THAT(f.message, Contains(message));
        }
    }
}

} // namespace

TEST_CASE("a copy has the counters of an H200", "[hardware]") {
    const std::string text = slurp("sim/copies.ptx");
    const nlohmann::json data = nlohmann::json::parse(slurp("sim/copies.json"));
    REQUIRE(data["patterns"].size() == 120);
    for (const auto& row : data["patterns"]) {
        const std::string name = row["kernel"];
        INFO(name);
        Result<session::LoadedProgram> program = session::loadPtx(text, "copies.ptx", name);
        if (!program)
            FAIL(toString(program.error()));
        PtxLaunch launch;
        launch.block.x = row["block"];
        launch.shared = 32768;
        launch.arguments = {"zeros:1048576"};
        const PtxRun result = run(*program, launch);
        for (const auto& [metric, value] : row["counters"].items()) {
            INFO(metric);
            CHECK(result.metric(metric) == value.get<double>());
        }
        for (const sim::Metric& m : sim::metrics())
            if (m.id == "async_copy_l2_sectors" || m.id == "async_copy_wavefronts") {
                INFO(m.id);
                CHECK(m.value(result.report.counters) == row[std::string(m.id)].get<double>());
            }
    }
}

TEST_CASE("the data of a copy arrive when it is waited for", "[async]") {
    const PtxRun result = runBody("st.shared.u32 [%r10], 77;\n" + kCopy +
                                  "cp.async.commit_group; ld.shared.u32 %r2, [%r10]; cp.async.wait_group 0; ld.shared.u32 %r3, [%r10];\n"
                                  "mul.lo.u32 %r2, %r2, 1000; add.u32 %r2, %r2, %r3; st.global.u32 [%rd3], %r2;");
    for (std::uint32_t i = 0; i < 32; ++i)
        CHECK(result.at<std::uint32_t>(1, i) == 77'000 + result.at<std::uint32_t>(0, i));
    REQUIRE(result.occurrences(FindingKind::RaceRaw) == 1); // the read that came too early
    REQUIRE(result.report.findings.size() == 1);
    CHECK_THAT(result.report.findings[0].message, Contains("reads tile[0]") && Contains("copies asynchronously") && Contains("still under way"));
    CHECK(result.report.findings[0].ptxLine != result.report.findings[0].otherPtxLine);
}

TEST_CASE("groups are waited for in the order of their commits", "[async]") {
    // Three copies of four words each, in groups of their own; then as many waits as there are groups.
    const std::string copy = "cp.async.ca.shared.global [%r10+OFFSET], [%rd2+OFFSET], 4;\n";
    const auto at = [&](const std::string& offset) {
        std::string text = copy;
        for (std::size_t i = text.find("OFFSET"); i != std::string::npos; i = text.find("OFFSET"))
            text.replace(i, 6, offset);
        return text;
    };
    const auto landed = [&](const std::string& waits) {
        const PtxRun result = runBody(at("0") + "cp.async.commit_group;\n" + at("128") + "cp.async.commit_group;\n" + at("256") + waits +
                                      "ld.shared.u32 %r2, [%r10]; ld.shared.u32 %r3, [%r10+128]; ld.shared.u32 %r4, [%r10+256];\n"
                                      "st.global.u32 [%rd3], %r2; st.global.u32 [%rd3+128], %r3; st.global.u32 [%rd3+256], %r4;");
        std::string which;
        for (std::uint32_t i = 0; i < 3; ++i)
            which += result.at<std::uint32_t>(1, 32 * i + 5) == result.at<std::uint32_t>(0, 32 * i + 5) ? '1' : '0';
        return which + " " + std::to_string(result.occurrences(FindingKind::RaceRaw));
    };
    CHECK(landed("") == "000 3");
    CHECK(landed("cp.async.wait_group 0;") == "110 1"); // the third is in no group yet
    CHECK(landed("cp.async.wait_all;") == "111 0");
    CHECK(landed("cp.async.commit_group; cp.async.wait_group 0;") == "111 0");
    CHECK(landed("cp.async.commit_group; cp.async.wait_group 1;") == "110 1");
    CHECK(landed("cp.async.commit_group; cp.async.wait_group 2;") == "100 2");
    CHECK(landed("cp.async.commit_group; cp.async.wait_group 3;") == "000 3");
    // An empty group counts.
    CHECK(landed("cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1;") == "111 0");
}

TEST_CASE("a wait for more groups than are read before the next wait is told, with what would do", "[async][check]") {
    const std::string two = kCopy + "cp.async.commit_group;\ncp.async.ca.shared.global [%r10+256], [%rd2+256], 4;\ncp.async.commit_group;\n";
    const std::string first = "ld.shared.u32 %r2, [%r10];\n", second = "ld.shared.u32 %r3, [%r10+256];\n", out = "add.u32 %r2, %r2, %r3; st.global.u32 [%rd3], %r2;";
    const auto messages = [&](const std::string& body, std::uint32_t threads = 32) {
        std::vector<std::string> all;
        for (const check::Finding& f : runBody(body + out, threads).report.findings)
            all.push_back((f.kind == FindingKind::WaitExcess ? std::to_string(f.occurrences) : std::string(check::name(f.kind))) + " " + f.message);
        return all;
    };
    const std::vector<std::string> late = messages(two + "cp.async.wait_group 0;\n" + first + "cp.async.wait_group 0;\n" + second, 64);
    REQUIRE(late.size() == 1);
    CHECK_THAT(late[0], Catch::StartsWith("2 cp.async.wait_group 0 at PTX line") && Contains("cp.async.wait_group 1 would do") && Contains("the newest group could"));
    const std::vector<std::string> all = messages(two + "cp.async.wait_all;\n" + first + "cp.async.wait_group 1;\n" + second);
    REQUIRE(all.size() == 1);
    CHECK_THAT(all[0], Contains("cp.async.wait_all at") && Contains("a commit and cp.async.wait_group 2 would do") && Contains("the newest 2 groups could"));
    // As few as may be; both are read before the next wait; nothing is read; each warp reads what the other copied.
    CHECK(messages(two + "cp.async.wait_group 1;\n" + first + "cp.async.wait_group 0;\n" + second).empty());
    CHECK(messages(two + "cp.async.wait_group 0;\n" + first + second).empty());
    CHECK(messages(two + "cp.async.wait_group 0;\ncp.async.wait_group 0;\n").empty());
    CHECK(messages(two + "cp.async.wait_group 1; bar.sync 0;\nld.shared.u32 %r2, [%r12]; cp.async.wait_group 0; bar.sync 0;\nld.shared.u32 %r3, [%r12+256];", 64).empty());
    const std::vector<std::string> other = messages(two + "cp.async.wait_group 0; bar.sync 0;\nld.shared.u32 %r2, [%r12]; cp.async.wait_group 0; bar.sync 0;\nld.shared.u32 %r3, [%r12+256];", 64);
    REQUIRE(other.size() == 1);
    CHECK_THAT(other[0], Contains("cp.async.wait_group 1 would do"));
    // A wait for all before shared memory is used for something else, which is read back.
    CHECK(messages(two + "cp.async.wait_group 1;\n" + first + "cp.async.wait_group 0;\nst.shared.u32 [%r10], %r2; ld.shared.u32 %r3, [%r10];\n").empty());
    // Whose groups are whose is not known when one warp commits more than the other.
    CHECK(messages(two + "setp.lt.u32 %p0, %r0, 32;\n@%p0 cp.async.commit_group;\ncp.async.wait_group 0;\n" + first + "cp.async.wait_group 0;\n" + second, 64).empty());
}

TEST_CASE("lanes wait for their own copies only", "[async]") {
    const PtxRun result = runBody(kCopy + "cp.async.commit_group; setp.lt.u32 %p0, %r0, 16;\n@%p0 cp.async.wait_group 0;\n"
                                          "@%p0 ld.shared.u32 %r2, [%r10]; @!%p0 ld.shared.u32 %r2, [%r10];\nst.global.u32 [%rd3], %r2;");
    for (std::uint32_t i = 0; i < 32; ++i)
        CHECK(result.at<std::uint32_t>(1, i) == (i < 16 ? result.at<std::uint32_t>(0, i) : 0));
    CHECK(result.occurrences(FindingKind::RaceRaw) == 1); // of the lanes that did not wait
}

TEST_CASE("what is not read is filled with zeros", "[async]") {
    const std::string wide = "shl.b32 %r5, %r0, 4; add.u32 %r6, %r11, %r5; cvt.u64.u32 %rd5, %r5; add.u64 %rd5, %rd0, %rd5;\n";
    const std::string read = "cp.async.wait_all; ld.shared.u32 %r2, [%r6]; ld.shared.u32 %r3, [%r6+4]; st.global.u32 [%rd3], %r2; st.global.u32 [%rd3+128], %r3;";
    const auto words = [&](const std::string& copy) {
        const PtxRun result = runBody(wide + "st.shared.u32 [%r6], 9; st.shared.u32 [%r6+4], 9;\n" + copy + read);
        CHECK(result.report.findings.empty());
        return std::array{result.at<std::int32_t>(1, 3) - result.at<std::int32_t>(0, 12), result.at<std::int32_t>(1, 35) - result.at<std::int32_t>(0, 13)};
    };
    const std::int32_t first = runBody(";").at<std::int32_t>(0, 12), second = runBody(";").at<std::int32_t>(0, 13);
    CHECK(words("cp.async.cg.shared.global [%r6], [%rd5], 16;") == std::array{0, 0});
    CHECK(words("cp.async.ca.shared.global.L2::128B [%r6], [%rd5], 8, 4;") == std::array{0, -second});
    CHECK(words("mov.u32 %r7, 0; cp.async.cg.shared.global [%r6], [%rd5], 16, %r7;") == std::array{-first, -second});
    CHECK(words("setp.eq.u32 %p1, %r0, 3; cp.async.cg.shared.global [%r6], [%rd5], 16, %p1;") == std::array{-first, -second});
    CHECK(words("setp.ne.u32 %p1, %r0, 3; cp.async.cg.shared.global [%r6], [%rd5], 16, %p1;") == std::array{0, 0});
    CHECK(words("createpolicy.fractional.L2::evict_first.b64 %rd6, 0f3F800000; cp.async.cg.shared.global.L2::cache_hint.L2::256B [%r6], [%rd5], 16, %rd6;") ==
          std::array{0, 0});
    CHECK(words("createpolicy.fractional.L2::evict_first.b64 %rd6, 0f3F800000; cp.async.cg.shared::cta.global.L2::cache_hint [%r6], [%rd5], 16, 4, %rd6;") ==
          std::array{0, -second});
}

TEST_CASE("others see a copy after its wait and a barrier", "[async][check]") {
    const std::string read = "ld.shared.u32 %r2, [%r12]; st.global.u32 [%rd3], %r2;";
    checkAllSchedules(kCopy + "cp.async.wait_all; bar.sync 0; " + read, FindingKind::RaceRaw, 0);
    checkAllSchedules(kCopy + "cp.async.wait_all; " + read, FindingKind::RaceRaw, 1, "no __syncthreads() stands between the wait");
    checkAllSchedules(kCopy + "bar.sync 0; " + read, FindingKind::RaceRaw, 1, "still under way");
    checkAllSchedules(kCopy + "bar.sync 0; cp.async.wait_all; " + read, FindingKind::RaceRaw, 1, "no __syncthreads() stands between the wait");
    checkAllSchedules(kCopy + "cp.async.commit_group; cp.async.wait_group 1; bar.sync 0; " + read, FindingKind::RaceRaw, 1, "still under way");
}

TEST_CASE("a stage may be filled again when everyone has read it", "[async][check]") {
    const std::string first = kCopy + "cp.async.wait_all; bar.sync 0; ld.shared.u32 %r2, [%r12];\n";
    checkAllSchedules(first + "bar.sync 0;\n" + kCopy + "cp.async.wait_all;", FindingKind::RaceWar, 0);
    checkAllSchedules(first + kCopy + "cp.async.wait_all;", FindingKind::RaceWar, 1, "overwrites tile[");
    // Two copies to one place, and a store to the place of a copy, are not ordered by the thread that issues them.
    checkAllSchedules(kCopy + kCopy + "cp.async.wait_all;", FindingKind::RaceWaw, 1, "still under way");
    checkAllSchedules(kCopy + "st.shared.u32 [%r10], 1; cp.async.wait_all;", FindingKind::RaceWaw, 1, "still under way");
    checkAllSchedules(kCopy + "cp.async.wait_all; st.shared.u32 [%r10], 1;", FindingKind::RaceWaw, 0);
}

TEST_CASE("both sides of a copy are checked", "[async][check]") {
    PtxRun result = runBody("cp.async.ca.shared.global [%r10], [%rd2+992], 4; cp.async.wait_all;");
    REQUIRE(result.report.findings.size() == 1);
    CHECK(result.report.findings[0].kind == FindingKind::OutOfBounds);
    CHECK(result.report.findings[0].occurrences == 24);
    CHECK_THAT(result.report.findings[0].message, Contains("Threads 8-31") && Contains("read past the end of p0") && Contains("index 256 of 256"));
    // Nothing is read of a lane that only fills with zeros.
    CHECK(runBody("cp.async.ca.shared.global [%r10], [%rd2+99992], 4, 0; cp.async.wait_all;").report.findings.empty());

    result = runBody("cp.async.ca.shared.global [%r10+1000], [%rd2], 4; cp.async.wait_all;");
    REQUIRE(result.report.findings.size() == 1);
    CHECK_THAT(result.report.findings[0].message, Contains("write past the end of tile"));

    result = runBody("cp.async.cg.shared.global [tile], [%rd2], 16; cp.async.wait_all;");
    REQUIRE(result.report.findings.size() == 1);
    CHECK(result.report.findings[0].kind == FindingKind::Misaligned);
    CHECK(result.report.findings[0].occurrences == 24);
    CHECK_THAT(result.report.findings[0].message, Contains("not a multiple of 16"));
    result = runBody("cp.async.ca.shared.global [%r10], [%rd0], 8, 4; cp.async.wait_all;");
    REQUIRE(result.report.findings.size() == 1);
    CHECK_THAT(result.report.findings[0].message, Contains("write 8 bytes of tile") && Contains("not a multiple of 8"));
}

TEST_CASE("forms of cp that are wrong or not executed are told apart", "[async]") {
    const auto code = [](const std::string& instruction) {
        const Result<session::LoadedProgram> program = session::loadPtx(kernel(kSetUp + instruction, 2), "t.ptx", "k");
        return program ? std::string() : program.error()[0].code;
    };
    CHECK(code("cp.async.ca.shared.global [%r10], [%rd2], 12;") == "syntax");
    CHECK(code("cp.async.cg.shared.global [%r10], [%rd2], 8;") == "syntax");
    CHECK(code("cp.async.ca.shared.global [%r10], [%rd2], %r3;") == "syntax");
    CHECK(code("cp.async.wait_group %r3;") == "syntax");
    CHECK(code("cp.async.ca.global.shared.u32 [%r10], [%rd2], 4;") == "syntax");
    CHECK(code("cp.async.mbarrier.arrive.noinc.shared.b64 [%r10];").empty());
    CHECK(code("cp.async.bulk.commit_group;").empty());
    CHECK(code("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r10], [%rd2, {%r1, %r1, %r1}], [%r10], {%h1};") == "unsupported");
    CHECK(code("cp.async.ca.shared::cluster.global [%r10], [%rd2], 4;") == "unsupported");
}
