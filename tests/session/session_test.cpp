// SPDX-License-Identifier: GPL-3.0-or-later
// The whole path from a kernel's id to counters, findings and frames.
#include <algorithm>
#include <cstdlib>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "engine/session/session.h"
#include "engine/session/simulate.h"

using namespace lanescope;
using namespace lanescope::session;
using Catch::Matchers::Contains;

namespace {

compile::Environment environment() {
    return compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
}

SessionOptions sessionOptions() {
    SessionOptions options;
    options.environment = environment();
    return options;
}

std::uint64_t occurrences(const std::vector<check::Finding>& findings, check::FindingKind kind) {
    std::uint64_t n = 0;
    for (const check::Finding& f : findings)
        n += f.kind == kind ? f.occurrences : 0;
    return n;
}

} // namespace

TEST_CASE("naive and coalesced: 33 sectors against 5", "[session]") {
    Session session(sessionOptions());
    const auto opened = session.openKernel("pair", {});
    REQUIRE(opened->program->ok());
    REQUIRE(opened->run);
    CHECK(opened->run->verified);
    // The two loop lines are the ones with two global loads each.
    std::vector<std::uint32_t> lines;
    for (const auto& i : opened->program->instructions)
        if (i.cls == ptx::InstructionClass::LoadGlobal && (lines.empty() || lines.back() != i.cudaLine))
            lines.push_back(i.cudaLine);
    REQUIRE(lines.size() == 2);
    session.select({{0, 0, 0}, 3, 13});
    const auto sum = [](const FrameView& f) {
        std::pair<int, int> out{0, 0};
        for (const AccessView& a : f.accesses) {
            out.first += a.global.sectors;
            out.second += a.global.lines;
        }
        return out;
    };
    CHECK(sum(session.runToLine(lines[0])->frame) == std::pair(33, 33));
    const auto coalesced = session.runToLine(lines[1]);
    CHECK(sum(coalesced->frame) == std::pair(5, 2));
    REQUIRE(coalesced->frame.accesses.size() == 2);
    CHECK(coalesced->frame.accesses[0].array + coalesced->frame.accesses[1].array == (coalesced->frame.accesses[0].array == "A" ? "AB" : "BA"));
    CHECK_THAT(coalesced->frame.sentence, Contains("5 sectors, 2 lines, 82.5% of bytes used"));
}

TEST_CASE("counters of source lines add up, the loop's line has the loads", "[session]") {
    Session session(sessionOptions());
    const auto opened = session.openKernel("k01_naive", {{"M", 64}, {"N", 64}, {"K", 64}});
    REQUIRE(opened->run);
    const std::string& text = opened->program->cudaText;
    const auto loop = static_cast<std::uint32_t>(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("sum += A[")), '\n'));
    const auto report = nlohmann::json::parse(opened->run->json);
    std::uint64_t sectors = 0, executions = 0, loopSectors = 0;
    for (const auto& row : report["lines"]) {
        const std::uint64_t here = row.contains("sectors") ? row["sectors"].get<std::uint64_t>() : 0;
        executions += row["executions"].get<std::uint64_t>();
        sectors += here;
        loopSectors += row["line"] == loop ? here : 0;
    }
    CHECK(loopSectors == 270336); // 128 warps, 64 steps, 32 + 1 sectors
    CHECK(sectors == 270336 + 4096);
    CHECK(executions == opened->run->counters.total.executions);
    CHECK(opened->run->cudaLineExecutions[loop] > 0);
}

TEST_CASE("missing barriers give the seeds' counts and a right result", "[session]") {
    Session session(sessionOptions());
    const std::map<std::string, std::int64_t> size{{"M", 64}, {"N", 64}, {"K", 64}};
    const auto first = session.openKernel("k03_shared_no_barrier_1", size);
    REQUIRE(first->run);
    CHECK(occurrences(first->run->findings, check::FindingKind::RaceRaw) == 256);
    CHECK(first->run->findings.size() == 1);
    CHECK(first->run->verified);
    const auto second = session.openKernel("k03_shared_no_barrier_2", size);
    REQUIRE(second->run);
    CHECK(occurrences(second->run->findings, check::FindingKind::RaceWar) == 4);
    CHECK(second->run->findings.size() == 1);
    CHECK(second->run->verified);
    CHECK(session.openKernel("k03_shared", size)->run->findings.empty());
}

TEST_CASE("findings and results do not depend on the schedule", "[session]") {
    for (const char* id : {"k03_shared", "k03_shared_no_barrier_1", "k03_shared_no_barrier_2", "pair", "naive_unguarded"}) {
        LoadRequest request;
        request.subject = id;
        const Result<LoadedProgram> program = load(request, environment());
        REQUIRE(program);
        const Result<device::Device> device = device::findDevice("h100");
        std::vector<std::vector<std::pair<std::string, std::uint64_t>>> all;
        for (const auto& [schedule, seed] : {std::pair(sim::Schedule::InTurn, 1), std::pair(sim::Schedule::Reverse, 1), std::pair(sim::Schedule::Random, 1),
                                             std::pair(sim::Schedule::Random, 99)}) {
            LaunchRequest launch;
            launch.schedule = schedule;
            launch.seed = static_cast<std::uint64_t>(seed);
            const Result<PreparedLaunch> prepared = prepare(*program, launch, *device);
            REQUIRE(prepared);
            sim::Memory memory = sim::makeMemory(prepared->launch);
            const Result<SimReport> report = simulate(*program, *prepared, *device, memory, {});
            REQUIRE(report);
            std::vector<std::pair<std::string, std::uint64_t>> findings;
            for (const check::Finding& f : report->findings)
                findings.emplace_back(std::string(check::name(f.kind)) + " " + f.array + " " + std::to_string(f.line), f.occurrences);
            all.push_back(findings);
        }
        INFO(id);
        for (const auto& findings : all)
            CHECK(findings == all[0]);
    }
}

TEST_CASE("nothing stale after a bad parameter, and nothing typed is lost", "[session]") {
    Session session(sessionOptions());
    REQUIRE(session.openKernel("k01_naive", {})->run);
    const auto bad = session.setParameters({{"BX", 64}, {"BY", 32}});
    CHECK_FALSE(bad->program->ok());
    CHECK(bad->run == nullptr);
    CHECK(bad->trace == nullptr);
    bool explained = false;
    for (const ParameterView& p : bad->program->parameters)
        explained = explained || (p.name == "BX" && p.value == 64 && !p.problem.empty());
    CHECK(explained);
    const auto good = session.setParameters({{"BX", 32}});
    CHECK(good->program->ok());
    CHECK(good->run != nullptr);
    if (compile::availableCompilers(environment()).empty()) {
        WARN("no compiler on this machine: edited text is not compiled here");
        return;
    }
    const std::string broken = "extern \"C\" __global__ void k01_naive(int M) { M = ; }\n";
    const auto typed = session.setText(broken);
    CHECK(typed->program->cudaText == broken);
    CHECK(typed->run == nullptr);
    REQUIRE_FALSE(typed->program->diagnostics.empty());
    CHECK(typed->program->diagnostics[0].where.line == 1);
}

TEST_CASE("sampled blocks give the counts of the whole grid", "[session]") {
    for (const char* id : {"k01_naive", "k02_coalesced", "k03_shared", "vector_add"}) {
        LoadRequest request;
        request.subject = id;
        if (std::string(id) != "vector_add")
            request.defines = {{"M", "300"}, {"N", "270"}, {"K", "33"}};
        const Result<LoadedProgram> program = load(request, environment());
        REQUIRE(program);
        const Result<device::Device> device = device::findDevice("h100");
        const Result<PreparedLaunch> prepared = prepare(*program, {}, *device);
        REQUIRE(prepared);
        SimulateOptions options;
        sim::Memory whole = sim::makeMemory(prepared->launch), part = sim::makeMemory(prepared->launch);
        const Result<SimReport> all = simulate(*program, *prepared, *device, whole, options);
        options.blocks = BlockChoice::Sample;
        const Result<SimReport> sampled = simulate(*program, *prepared, *device, part, options);
        REQUIRE((all && sampled));
        INFO(id);
        CHECK(sampled->blocksSimulated < all->blocksSimulated);
        CHECK(sampled->counters.total.executions == all->counters.total.executions);
        CHECK(sampled->counters.total.lanes == all->counters.total.lanes);
        CHECK(sampled->counters.total.wavefronts == all->counters.total.wavefronts);
        // Rows that do not start on a sector make the sectors of blocks differ a little.
        CHECK(static_cast<double>(sampled->counters.total.sectors) == Approx(static_cast<double>(all->counters.total.sectors)).epsilon(0.03));
    }
}

TEST_CASE("a trace is never published without its instructions", "[session]") {
    SessionOptions options = sessionOptions();
    std::size_t traced = 0, without = 0;
    options.onProgress = [&](const std::shared_ptr<const Snapshot>& snapshot) {
        traced += snapshot->trace != nullptr ? 1 : 0;
        without += snapshot->trace != nullptr && snapshot->program->instructions.empty() ? 1 : 0;
    };
    Session session(options);
    REQUIRE(session.openKernel("k03_shared", {{"M", 512}, {"N", 512}, {"K", 512}})->run);
    REQUIRE(session.openKernel("k02_coalesced", {{"M", 512}, {"N", 512}, {"K", 512}})->run); // after another program
    CHECK(traced > 0);
    CHECK(without == 0);
}

TEST_CASE("an endless kernel stops at its budget and can be cancelled", "[session]") {
    const char* text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry forever(.param .u64 p) {\nL: bra L;\n}\n";
    const Result<LoadedProgram> program = loadPtx(text, "forever.ptx", "forever");
    REQUIRE(program);
    const Result<device::Device> device = device::findDevice("cc9.0");
    LaunchRequest launch;
    launch.arguments = {"zeros:16"};
    const Result<PreparedLaunch> prepared = prepare(*program, launch, *device);
    REQUIRE(prepared);
    sim::Memory memory = sim::makeMemory(prepared->launch);
    SimulateOptions options;
    options.maxInstructions = 100000;
    const Result<SimReport> report = simulate(*program, *prepared, *device, memory, options);
    REQUIRE(report);
    CHECK_FALSE(report->finished);
    REQUIRE(report->findings.size() == 1);
    CHECK(report->findings[0].kind == check::FindingKind::DidNotFinish);
    CHECK(report->counters.total.executions == 100000);
    const std::atomic<bool> cancel{true};
    options.cancel = &cancel;
    const Result<SimReport> cancelled = simulate(*program, *prepared, *device, memory, options);
    REQUIRE(cancelled);
    CHECK(cancelled->cancelled);
}
