// SPDX-License-Identifier: GPL-3.0-or-later
// The timing of an SM on kernels whose time is known: chains, throughputs, latency hiding, barriers, causes.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "tests/timing/timing_support.h"

using namespace lanescope;
using test::repeated;
using test::timeKernel;
using test::TimedLaunch;
using timing::WarpState;

namespace {

/// Cycles that `many` repetitions take more than `few`: what comes before and after falls out.
double cyclesPerRepetition(const std::string& setup, const std::string& body, const TimedLaunch& launch, int few = 64, int many = 192) {
    const double a = timeKernel(setup + repeated(few, body), launch).sm().cycles;
    const double b = timeKernel(setup + repeated(many, body), launch).sm().cycles;
    return (b - a) / (many - few);
}

TimedLaunch warps(int count, const std::string& gpu = "h200") {
    TimedLaunch launch;
    launch.threads = static_cast<std::uint32_t>(32 * count);
    launch.gpu = gpu;
    // Code is fetched once in a loop and each time here.
    launch.options.figures = {{"code_line_cycles", 0.0}};
    return launch;
}

const std::string kChain = "fma.rn.f32 %f0, %f0, %f1, %f1;\n";
std::string chains(int count) {
    std::string out;
    for (int i = 0; i < count; ++i)
        out += "fma.rn.f32 %f" + std::to_string(8 + i) + ", %f" + std::to_string(8 + i) + ", %f1, %f1;\n";
    return out;
}
const std::string kFloats = [] {
    std::string out = "cvt.rn.f32.u32 %f1, %r0;\nmov.f32 %f0, %f1;\n";
    for (int i = 8; i < 40; ++i)
        out += "mov.f32 %f" + std::to_string(i) + ", %f1;\n";
    return out;
}();

} // namespace

TEST_CASE("a dependent chain takes its latency, independent instructions the pipe's rate") {
    CHECK(cyclesPerRepetition(kFloats, kChain, warps(1)) == Approx(4).margin(0.05));
    CHECK(cyclesPerRepetition(kFloats, chains(8), warps(1)) == Approx(8).margin(0.1));
    // 64 FP32 lanes an SM: two cycles an instruction in each sub-partition.
    CHECK(cyclesPerRepetition(kFloats, chains(8), warps(1, "a100")) == Approx(16).margin(0.2));
    CHECK(cyclesPerRepetition("cvt.rn.f64.u32 %d1, %r0;\nmov.f64 %d0, %d1;\n", "fma.rn.f64 %d0, %d0, %d1, %d1;\n", warps(1)) == Approx(8).margin(0.1));
    // FP64 on a GPU with 2 lanes an SM.
    CHECK(cyclesPerRepetition("cvt.rn.f64.u32 %d1, %r0;\nmov.f64 %d0, %d1;\n", "fma.rn.f64 %d0, %d0, %d1, %d1;\n", warps(1, "rtx-4090")) == Approx(64).margin(1));
}

TEST_CASE("more warps hide latency until the schedulers are full") {
    const double one = cyclesPerRepetition(kFloats, kChain, warps(4));
    const double two = cyclesPerRepetition(kFloats, kChain, warps(8));
    CHECK(two == Approx(one).margin(0.1)); // twice the work in the same time
    // Four warps a scheduler fill a latency of four; sixteen take four times as long.
    CHECK(cyclesPerRepetition(kFloats, kChain, warps(16)) == Approx(4).margin(0.2));
    CHECK(cyclesPerRepetition(kFloats, kChain, warps(32)) == Approx(8).margin(0.3));
}

TEST_CASE("the curve of ILP and TLP is that of an H200") {
    std::ifstream in("tests/data/timing/micro.json");
    REQUIRE(in);
    const nlohmann::json micro = nlohmann::json::parse(in);
    struct Kind {
        const char* op;
        std::string setup, body;
        const char* registers;
    };
    const std::string integers = "add.s32 %r1, %r0, 3;\n" + [] {
        std::string out;
        for (int i = 8; i < 16; ++i)
            out += "add.s32 %r" + std::to_string(i) + ", %r0, " + std::to_string(i) + ";\n";
        return out;
    }();
    const Kind kinds[] = {
        {"ffma", kFloats, "fma.rn.f32 %f@, %f@, %f1, %f1;\n", "f"},
        {"imad", integers, "mad.lo.s32 %r@, %r@, %r1, %r1;\n", "r"},
        {"prmt", integers, "prmt.b32 %r@, %r@, %r1, %r1;\n", "r"},
        {"ex2", kFloats, "ex2.approx.ftz.f32 %f@, %f@;\n", "f"},
        {"popc", integers, "popc.b32 %r@, %r@;\n", "r"},
        {"shfl", integers, "shfl.sync.bfly.b32 %r@, %r@, 1, 31, 0xffffffff;\n", "r"},
        {"dfma", "cvt.rn.f64.u32 %d1, %r0;\n" + repeated(1, "mov.f64 %d8, %d1;\nmov.f64 %d9, %d1;\nmov.f64 %d10, %d1;\nmov.f64 %d11, %d1;\n"), "fma.rn.f64 %d@, %d@, %d1, %d1;\n", "d"},
    };
    int compared = 0;
    for (const nlohmann::json& row : micro["rows"])
        for (const Kind& kind : kinds) {
            if (row["op"] != kind.op)
                continue;
            const int ilp = row["ilp"], count = row["warps"];
            std::string body;
            for (int i = 0; i < ilp; ++i) {
                std::string text = kind.body;
                for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@'))
                    text.replace(at, 1, std::to_string(8 + i));
                body += text;
            }
            const double cycles = cyclesPerRepetition(kind.setup, body, warps(count), 32, 96);
            INFO(kind.op << " ilp " << ilp << " warps " << count << ": " << cycles << " cycles, measured " << row["cycles_per_op"]);
            CHECK(cycles == Approx(row["cycles_per_op"].get<double>()).epsilon(0.2));
            ++compared;
        }
    CHECK(compared == 84);
}

TEST_CASE("shared memory: 128 bytes a cycle, conflicts in proportion, latency by wavefronts") {
    const auto load = [](int stride, int warpStride) {
        return "mad.lo.s32 %r2, %r0, " + std::to_string(stride) + ", 0;\nmov.u32 %r3, s;\nadd.s32 %r2, %r2, %r3;\nand.b32 %r2, %r2, " +
               std::to_string(warpStride) + ";\n";
    };
    const std::string loads = "ld.shared.f32 %f8, [%r2];\nld.shared.f32 %f9, [%r2+4];\nld.shared.f32 %f10, [%r2+8];\nld.shared.f32 %f11, [%r2+12];\n";
    const double wavefronts = 4.0 * 32;
    CHECK(cyclesPerRepetition(load(4, 0x3ff0), loads, warps(32), 16, 48) == Approx(wavefronts).epsilon(0.03));
    CHECK(cyclesPerRepetition(load(32, 0x3fe0), loads, warps(32), 8, 24) == Approx(8 * wavefronts).epsilon(0.03));
    // A chain through shared memory: 24 cycles and two for each further wavefront (measured: 24, 26, 30, 38, 54, 86).
    const std::string chase = "ld.shared.u32 %r2, [%r2];\n";
    for (const int degree : {1, 2, 4, 8, 16, 32}) {
        // Every lane points at itself, `degree` lanes in a bank.
        const std::string setup = "mad.lo.s32 %r2, %r0, " + std::to_string(4 * degree) + ", 0;\nmov.u32 %r3, s;\nadd.s32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r2;\n";
        CHECK(cyclesPerRepetition(setup, chase, warps(1)) == Approx(24 + 2 * (degree - 1)).margin(1));
    }
}

TEST_CASE("a block barrier costs its latency and two cycles a warp") {
    // Measured: 15, 17, 21, 29, 45, 77 cycles for 1 to 32 warps.
    for (const auto& [count, measured] : {std::pair{1, 15.0}, std::pair{2, 17.0}, std::pair{4, 21.0}, std::pair{8, 29.0}, std::pair{16, 45.0}, std::pair{32, 77.0}})
        CHECK(cyclesPerRepetition("", "bar.sync 0;\n", warps(count)) == Approx(measured).epsilon(0.1));
}

TEST_CASE("stretches of a warp fill its time and agree with the totals") {
    const test::Timed t = timeKernel("cvt.u64.u32 %rd1, %r0;\nshl.b64 %rd1, %rd1, 2;\nadd.s64 %rd1, %rd1, %rd0;\nld.global.f32 %f1, [%rd1];\n"
                                     "fma.rn.f32 %f2, %f1, %f1, %f1;\nbar.sync 0;\nst.global.f32 [%rd1], %f2;\n",
                                     warps(8));
    std::uint64_t issued = 0;
    for (std::uint32_t w = 0; w < t.sm().warps.size(); ++w) {
        std::uint32_t at = 0;
        for (const timing::Interval& i : t.sm().intervals(w)) {
            REQUIRE(i.begin == at);
            REQUIRE(i.end > i.begin);
            const timing::Interval found = t.sm().at(w, i.begin);
            CHECK(found.state == i.state);
            issued += i.state == WarpState::Issued ? i.end - i.begin : 0;
            at = i.end;
        }
        CHECK(at == t.sm().cycles);
    }
    CHECK(issued == t.sm().issueSlots);
    CHECK(t.sm().share(WarpState::LongScoreboard) > 0.3);
    double all = 0;
    for (int s = 0; s < static_cast<int>(WarpState::Done); ++s)
        all += t.sm().share(static_cast<WarpState>(s));
    CHECK(all == Approx(1));
}

TEST_CASE("why a warp waits: from the instruction to the memory that serves it") {
    const test::Timed t = timeKernel("cvt.u64.u32 %rd1, %r0;\nshl.b64 %rd1, %rd1, 2;\nadd.s64 %rd1, %rd1, %rd0;\nld.global.f32 %f1, [%rd1];\n"
                                     "fma.rn.f32 %f2, %f1, %f1, %f1;\nst.global.f32 [%rd1], %f2;\n");
    const std::vector<timing::Interval> intervals = t.sm().intervals(0);
    const auto wait = std::find_if(intervals.begin(), intervals.end(), [](const timing::Interval& i) { return i.state == WarpState::LongScoreboard; });
    REQUIRE(wait != intervals.end());
    const std::vector<timing::CauseLink> chain = timing::why(t.sm(), *t.program.program, 0, wait->begin + 1);
    REQUIRE(chain.size() == 2);
    CHECK(chain[0].state == WarpState::LongScoreboard);
    CHECK(chain[0].begin == wait->begin);
    CHECK(chain[0].what.find("fma") != std::string::npos);
    const timing::Issue& load = t.sm().issues[chain[1].issue];
    CHECK(load.level == timing::Level::Dram);
    CHECK(load.done - load.cycle >= 650);
    CHECK(chain[1].what.find("device memory") != std::string::npos);
    CHECK(timing::why(t.sm(), *t.program.program, 0, t.sm().cycles).empty());
    CHECK(timing::why(t.sm(), *t.program.program, 7, 0).empty());
}

TEST_CASE("why at a barrier: the last to arrive, and what kept it") {
    // Warp 1 loads before the barrier, warp 0 does not.
    const test::Timed t = timeKernel("setp.lt.u32 %p1, %r0, 32;\n@%p1 bra JOIN;\ncvt.u64.u32 %rd1, %r0;\nshl.b64 %rd1, %rd1, 2;\nadd.s64 %rd1, %rd1, %rd0;\n"
                                     "ld.global.f32 %f1, [%rd1];\nst.shared.f32 [s], %f1;\nJOIN:\nbar.sync 0;\n",
                                     warps(2));
    const std::vector<timing::Interval> intervals = t.sm().intervals(0);
    const auto wait = std::find_if(intervals.begin(), intervals.end(), [](const timing::Interval& i) { return i.state == WarpState::Barrier; });
    REQUIRE(wait != intervals.end());
    const std::vector<timing::CauseLink> chain = timing::why(t.sm(), *t.program.program, 0, wait->begin + 5);
    REQUIRE(chain.size() >= 4);
    CHECK(chain[0].state == WarpState::Barrier);
    CHECK(t.sm().issues[chain[1].issue].warp == 1);
    CHECK(std::any_of(chain.begin(), chain.end(), [](const timing::CauseLink& l) { return l.state == WarpState::LongScoreboard; }));
    CHECK(t.sm().issues[chain.back().issue].level == timing::Level::Dram);
}

TEST_CASE("a load that is asked for early overlaps with arithmetic") {
    const std::string address = "cvt.u64.u32 %rd1, %r0;\nshl.b64 %rd1, %rd1, 2;\nadd.s64 %rd1, %rd1, %rd0;\n" + kFloats;
    const std::string load = "ld.global.f32 %f2, [%rd1+@];\n", use = "add.f32 %f3, %f3, %f2;\n", math = repeated(200, kChain);
    std::string late, early;
    for (int i = 0; i < 4; ++i) {
        std::string here = load;
        here.replace(here.find('@'), 1, std::to_string(65536 * i));
        // The barrier keeps the compiler from moving the load.
        late += math + "bar.sync 0;\n" + here + use;
        early += here + math + use + "bar.sync 0;\n";
    }
    const test::Timed single = timeKernel(address + late, warps(1)), doubled = timeKernel(address + early, warps(1));
    CHECK(single.sm().overlap() < 0.05);
    CHECK(doubled.sm().overlap() > 0.2);
    CHECK(doubled.sm().cycles + 1500 < single.sm().cycles);
}

TEST_CASE("asynchronous copies are waited for by group, and overlap until then") {
    const std::string address = "cvt.u64.u32 %rd1, %r0;\nshl.b64 %rd1, %rd1, 4;\nadd.s64 %rd1, %rd1, %rd0;\nshl.b32 %r1, %r0, 4;\nmov.u32 %r2, s;\nadd.s32 %r1, %r1, %r2;\n" + kFloats;
    const auto copy = [](int at) {
        return "cp.async.cg.shared.global [%r1+" + std::to_string(512 * at) + "], [%rd1+" + std::to_string(65536 * at) + "], 16;\ncp.async.commit_group;\n";
    };
    const std::string math = repeated(200, kChain), barrier = "bar.sync 0;\n";
    std::string single = address, doubled = address + copy(0);
    for (int i = 0; i < 4; ++i) {
        single += copy(i) + "cp.async.wait_group 0;\n" + barrier + math + barrier;
        doubled += copy(i + 1) + "cp.async.wait_group 1;\n" + barrier + math + barrier;
    }
    const test::Timed one = timeKernel(single, warps(1)), two = timeKernel(doubled, warps(1));
    CHECK(one.sm().overlap() < 0.05);
    CHECK(two.sm().overlap() > 0.15);
    CHECK(two.sm().cycles + 1200 < one.sm().cycles);
    CHECK(one.sm().share(WarpState::LongScoreboard) > two.sm().share(WarpState::LongScoreboard));
    // The wait is for the copy, which device memory serves.
    const std::vector<timing::Interval> intervals = one.sm().intervals(0);
    const auto wait = std::find_if(intervals.begin(), intervals.end(), [](const timing::Interval& i) { return i.state == WarpState::LongScoreboard; });
    REQUIRE(wait != intervals.end());
    const std::vector<timing::CauseLink> chain = timing::why(one.sm(), *one.program.program, 0, wait->begin + 1);
    REQUIRE(chain.size() == 2);
    CHECK(one.program.program->instructions[one.sm().issues[chain[1].issue].pc]->opcode == ptx::Opcode::Cp);
    CHECK(chain[1].what.find("device memory") != std::string::npos);
}

TEST_CASE("loads are moved up within their block, not past a barrier, and not beyond the window") {
    const std::string body = "cvt.u64.u32 %rd1, %r0;\nadd.s64 %rd1, %rd1, %rd0;\n" + kFloats + repeated(40, kChain) + "ld.global.f32 %f2, [%rd1];\nadd.f32 %f0, %f0, %f2;\n" +
                             "bar.sync 0;\nld.global.f32 %f3, [%rd1+4096];\nadd.f32 %f0, %f0, %f3;\nst.global.f32 [%rd1], %f0;\n";
    TimedLaunch wide = warps(1), narrow = warps(1);
    wide.options.figures["schedule_window"] = 256;
    narrow.options.figures["schedule_window"] = 1;
    CHECK(timeKernel(body, wide).sm().cycles + 140 < timeKernel(body, narrow).sm().cycles);
    const test::Timed t = timeKernel(body, wide);
    std::uint32_t barrier = 0, second = 0;
    for (const timing::Issue& i : t.sm().issues) {
        const ptx::Opcode opcode = t.program.program->instructions[i.pc]->opcode;
        if (opcode == ptx::Opcode::Bar)
            barrier = i.cycle;
        if (opcode == ptx::Opcode::Ld && i.slotsUsed != 0)
            second = i.cycle;
    }
    CHECK(second > barrier);
}

TEST_CASE("runs are deterministic, bounded and can be cancelled") {
    const std::string body = kFloats + repeated(300, kChain);
    const test::Timed a = timeKernel(body, warps(32)), b = timeKernel(body, warps(32));
    CHECK(a.sm().cycles == b.sm().cycles);
    CHECK(a.sm().stateCycles == b.sm().stateCycles);
    TimedLaunch bounded = warps(32);
    bounded.options.maxEvents = 1000;
    const test::Timed c = timeKernel(body, bounded);
    CHECK(c.sm().issues.size() <= 1000);
    CHECK_FALSE(c.sm().complete);
    CHECK(c.report.shareTimed < 0.2);
    REQUIRE(c.report.notes.size() == 1);
    std::atomic<bool> cancel{true};
    TimedLaunch cancelled = warps(32);
    cancelled.options.cancel = &cancel;
    CHECK_FALSE(timeKernel(body, cancelled).sm().complete);
}

TEST_CASE("blocks that part at a divergent branch and warps without work are timed too") {
    const test::Timed t = timeKernel("and.b32 %r1, %r0, 1;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra EVEN;\nadd.s32 %r2, %r0, 1;\nbra JOIN;\nEVEN:\nadd.s32 %r2, %r0, 2;\nJOIN:\n"
                                     "bar.sync 0;\nst.shared.u32 [s], %r2;\n",
                                     warps(3));
    CHECK(t.sm().complete);
    CHECK(t.sm().warps.size() == 3);
    for (const timing::WarpTiming& w : t.sm().warps)
        CHECK(w.end > 0);
}

TEST_CASE("three million events are timed whole") {
    // 32 warps x 100,000 events; how long that takes is told by tests/bench.
    std::string body = kFloats + "mov.u32 %r5, 0;\nLOOP:\n" + repeated(6, chains(16)) + "add.s32 %r5, %r5, 1;\nsetp.lt.s32 %p1, %r5, 1000;\n@%p1 bra LOOP;\n";
    TimedLaunch launch = warps(32);
    launch.options.maxEvents = 4'000'000;
    const test::Timed t = timeKernel(body, launch);
    CHECK(t.sm().complete);
    CHECK(t.sm().issues.size() > 3'000'000);
}
