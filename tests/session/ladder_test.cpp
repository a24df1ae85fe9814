// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of the matmul ladder: the counters of an H200, results with many tiles, and what is refused.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "engine/compile/compile.h"
#include "engine/session/session.h"
#include "engine/session/simulate.h"

using namespace lanescope;
using namespace lanescope::session;
using Catch::Matchers::Contains;

namespace {

using Defines = std::vector<std::pair<std::string, std::string>>;

compile::Environment environment() {
    return compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
}

Result<SimReport> simulateKernel(const std::string& id, const Defines& defines, std::optional<compile::Compiler> with = {}) {
    LoadRequest request;
    request.subject = id;
    request.defines = defines;
    request.with = with;
    Result<LoadedProgram> program = load(request, environment());
    if (!program)
        return failure(program.error());
    const Result<device::Device> device = device::findDevice("h200");
    const Result<PreparedLaunch> prepared = prepare(*program, {}, *device);
    if (!prepared)
        return failure(prepared.error());
    sim::Memory memory = sim::makeMemory(prepared->launch);
    return simulate(*program, *prepared, *device, memory, {});
}

SimReport run(const std::string& id, const Defines& defines, std::optional<compile::Compiler> with = {}) {
    Result<SimReport> report = simulateKernel(id, defines, with);
    if (!report)
        FAIL(id << ": " << toString(report.error()));
    return std::move(*report);
}

double metric(const SimReport& report, const std::string& ncuName) {
    for (const sim::Metric& m : sim::metrics())
        if (m.ncuName == ncuName)
            return m.value(report.counters);
    FAIL("no metric " << ncuName);
    return 0;
}

void checkRight(const SimReport& report) {
    REQUIRE(report.verification);
    CHECK(report.verification->matches);
    for (const check::Finding& f : report.findings)
        if (check::isFault(f.kind))
            FAIL_CHECK(f.message);
}

Defines tile(std::initializer_list<std::pair<const char*, int>> values) {
    Defines out;
    for (const auto& [name, value] : values)
        out.emplace_back(name, std::to_string(value));
    return out;
}

} // namespace

TEST_CASE("the ladder's kernels have the counters of an H200", "[hardware][ladder]") {
    std::ifstream in(std::string(LANESCOPE_TEST_DATA) + "/sim/ladder_kernels.json");
    REQUIRE(in);
    const nlohmann::json data = nlohmann::json::parse(in);
    REQUIRE(data["kernels"].size() == 8);
    for (const auto& [id, measured] : data["kernels"].items()) {
        INFO(id);
        const SimReport report = run(id, tile({{"M", 256}, {"N", 256}, {"K", 256}}));
        checkRight(report);
        std::vector<std::string> names{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                       "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                       "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum",
                                       "smsp__inst_executed_op_ldgsts.sum",
                                       "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
                                       "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"};
        const bool asWritten = id != "k04_tile1d" && id != "k05_tile2d"; // ptxas merges the shared loads of these
        if (asWritten)
            names.emplace_back("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum");
        if (asWritten && id != "k11_double_buffered")
            names.emplace_back("smsp__inst_executed_op_shared_ld.sum");
        if (id != "k05_tile2d") // whose stores ptxas merges
            names.emplace_back("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
        for (const std::string& name : names) {
            INFO(name);
            CHECK(metric(report, name) == measured[name].get<double>());
        }
        // The hardware adds what it takes to arbitrate between warps.
        const double stores = metric(report, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum");
        const double measuredStores = measured["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"];
        CHECK(stores <= measuredStores);
        CHECK(stores >= 0.75 * measuredStores);
    }
}

TEST_CASE("the ladder's kernels are right with many tiles and shapes", "[ladder]") {
    const auto [id, defines] = GENERATE(table<std::string, Defines>({
        {"k04_tile1d", tile({{"BM", 32}, {"BN", 32}, {"BK", 4}, {"TM", 8}, {"M", 96}, {"N", 32}, {"K", 20}})},
        {"k04_tile1d", tile({{"BM", 64}, {"BN", 128}, {"BK", 32}, {"TM", 16}, {"M", 64}, {"N", 384}, {"K", 32}})},
        {"k05_tile2d", tile({{"BM", 64}, {"BN", 64}, {"BK", 16}, {"TM", 4}, {"TN", 4}, {"M", 192}, {"N", 64}, {"K", 48}})},
        {"k05_tile2d", tile({{"BM", 128}, {"BN", 128}, {"BK", 8}, {"TM", 16}, {"TN", 8}, {"M", 128}, {"N", 256}, {"K", 24}})},
        {"k05_tile2d", tile({{"BM", 32}, {"BN", 64}, {"BK", 16}, {"TM", 2}, {"TN", 4}, {"M", 96}, {"N", 192}, {"K", 16}})},
        {"k06_vectorised", tile({{"BM", 64}, {"BN", 128}, {"BK", 16}, {"TM", 4}, {"TN", 8}, {"M", 64}, {"N", 128}, {"K", 80}})},
        {"k07_padded", tile({{"BM", 64}, {"BN", 64}, {"BK", 16}, {"TM", 8}, {"TN", 4}, {"PAD", 8}, {"M", 128}, {"N", 64}, {"K", 32}})},
        {"k08_remapped", tile({{"BM", 64}, {"BN", 64}, {"BK", 32}, {"TM", 4}, {"TN", 8}, {"M", 64}, {"N", 192}, {"K", 64}})},
        {"k08_remapped", tile({{"BM", 128}, {"BN", 128}, {"BK", 16}, {"TM", 16}, {"TN", 16}, {"M", 128}, {"N", 128}, {"K", 32}})},
        {"k09_autotuned", tile({{"BM", 256}, {"BN", 64}, {"BK", 16}, {"TM", 8}, {"TN", 8}, {"M", 256}, {"N", 128}, {"K", 48}})},
        {"k09_autotuned", tile({{"BM", 32}, {"BN", 64}, {"BK", 32}, {"TM", 4}, {"TN", 4}, {"M", 96}, {"N", 64}, {"K", 96}})},
        {"k10_warptile", tile({{"BM", 64}, {"BN", 64}, {"BK", 8}, {"WM", 32}, {"WN", 32}, {"WNITER", 2}, {"TM", 4}, {"TN", 4}, {"M", 64}, {"N", 128}, {"K", 40}})},
        {"k10_warptile", tile({{"BM", 128}, {"BN", 64}, {"BK", 16}, {"WM", 64}, {"WN", 32}, {"WNITER", 1}, {"TM", 8}, {"TN", 4}, {"M", 128}, {"N", 64}, {"K", 32}})},
        {"k11_double_buffered", tile({{"BM", 64}, {"BN", 64}, {"BK", 8}, {"WM", 32}, {"WN", 32}, {"TM", 4}, {"TN", 8}, {"M", 64}, {"N", 128}, {"K", 8}})},
        {"k11_double_buffered", tile({{"PENDING", 0}, {"PAD", 0}, {"M", 128}, {"N", 128}, {"K", 48}})},
        {"k12_lookahead", tile({{"M", 256}, {"N", 256}, {"K", 16}})},
        {"k12_lookahead", tile({{"BN", 128}, {"BK", 8}, {"STAGES", 4}, {"SQUARES", 1}, {"M", 128}, {"N", 256}, {"K", 88}})},
        {"k12_lookahead", tile({{"BM", 256}, {"BN", 64}, {"STAGES", 2}, {"M", 256}, {"N", 128}, {"K", 48}})},
        {"k13_turned", tile({{"M", 256}, {"N", 256}, {"K", 32}})},
        {"k13_turned", tile({{"BN", 128}, {"STAGES", 2}, {"ZIGZAG", 0}, {"M", 128}, {"N", 256}, {"K", 160}})},
        {"k13_turned", tile({{"BM", 256}, {"BN", 64}, {"STAGES", 4}, {"M", 256}, {"N", 64}, {"K", 64}})},
    }));
    INFO(id);
    checkRight(run(id, defines));
}

TEST_CASE("lanes in squares read with half the wavefronts, and the turned tiles have no conflicts", "[ladder]") {
    const SimReport rows = run("k12_lookahead", {}), squares = run("k12_lookahead", tile({{"SQUARES", 1}})), turned = run("k13_turned", {});
    for (const SimReport* report : {&rows, &squares, &turned})
        checkRight(*report);
    const std::string loads = "smsp__inst_executed_op_shared_ld.sum", wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
    CHECK(metric(squares, loads) == metric(rows, loads));
    CHECK(metric(squares, wavefronts) == 2 * metric(squares, loads));
    CHECK(metric(rows, wavefronts) > 3 * metric(rows, loads));
    for (const sim::Metric& m : sim::metrics())
        if (m.id == "shared_load_conflicts" || m.id == "shared_store_conflicts")
            CHECK(m.value(turned.counters) == 0);
}

TEST_CASE("a double buffer that waits too little reads what is not there", "[ladder]") {
    const SimReport report = run("k11_double_buffered", tile({{"PENDING", 2}}));
    REQUIRE(report.verification);
    CHECK_FALSE(report.verification->matches);
    REQUIRE_FALSE(report.findings.empty());
    for (const check::Finding& f : report.findings) {
        CHECK((f.kind == check::FindingKind::RaceRaw || f.kind == check::FindingKind::RaceWaw)); // the next copy to the stage, too
        CHECK_THAT(f.message, Contains("copies asynchronously") && Contains("still under way"));
        CHECK(f.line != 0);
        CHECK(f.otherLine != 0);
    }
}

TEST_CASE("a wait that leaves nothing under way where one group could be is told", "[ladder]") {
    const SimReport late = run("k11_double_buffered", tile({{"PENDING", 0}}));
    checkRight(late);
    REQUIRE(late.findings.size() == 1);
    CHECK(late.findings[0].kind == check::FindingKind::WaitExcess);
    CHECK(late.findings[0].line != 0);
    CHECK_THAT(late.findings[0].message, Contains("cp.async.wait_group 0 at line") && Contains("cp.async.wait_group 1 would do"));
    for (const auto& [id, defines] : {std::pair{"k11_double_buffered", Defines{}}, std::pair{"k12_lookahead", Defines{}}, std::pair{"t4_multistage", tile({{"STAGES", 1}})},
                                      std::pair{"t4_multistage", tile({{"STAGES", 2}})}, std::pair{"t4_multistage", tile({{"STAGES", 4}})}}) {
        INFO(id);
        CHECK(run(id, defines).findings.empty());
    }
}

TEST_CASE("every compiler's PTX of the ladder touches memory alike", "[ladder]") {
    // Small tiles: what the loops unroll to takes the compilers a while.
    const Defines thread = tile({{"BM", 64}, {"BN", 64}, {"BK", 16}, {"TM", 4}, {"TN", 4}, {"M", 64}, {"N", 64}, {"K", 32}});
    const std::pair<const char*, Defines> kernels[] = {
        {"k04_tile1d", tile({{"M", 64}, {"N", 64}, {"K", 32}})},
        {"k05_tile2d", thread},
        {"k06_vectorised", thread},
        {"k08_remapped", thread},
        {"k10_warptile", tile({{"BM", 64}, {"BN", 64}, {"BK", 8}, {"WM", 32}, {"WN", 32}, {"WNITER", 2}, {"TM", 4}, {"M", 64}, {"N", 64}, {"K", 16}})},
        {"k11_double_buffered", tile({{"BM", 64}, {"BN", 64}, {"BK", 8}, {"WM", 32}, {"WN", 32}, {"TM", 4}, {"TN", 8}, {"M", 64}, {"N", 64}, {"K", 24}})}};
    for (const auto& [id, defines] : kernels) {
        const SimReport builtIn = run(id, defines);
        for (const auto& available : compile::availableCompilers(environment())) {
            INFO(id << " by " << name(available.compiler));
            const SimReport report = run(id, defines, available.compiler);
            checkRight(report);
            using ptx::InstructionClass;
            for (const InstructionClass c : {InstructionClass::LoadGlobal, InstructionClass::StoreGlobal, InstructionClass::LoadShared,
                                             InstructionClass::StoreShared, InstructionClass::CopyAsync, InstructionClass::Barrier}) {
                INFO(ptx::name(c));
                CHECK(report.counters.of(c).requests == builtIn.counters.of(c).requests);
                CHECK(report.counters.of(c).sectors == builtIn.counters.of(c).sectors);
                CHECK(report.counters.of(c).wavefronts == builtIn.counters.of(c).wavefronts);
            }
        }
    }
}

TEST_CASE("a tile that does not fit is refused with its rule", "[ladder]") {
    const auto message = [](const std::string& id, const Defines& defines) {
        const Result<SimReport> report = simulateKernel(id, defines);
        return report ? "" : toString(report.error());
    };
    CHECK_THAT(message("k04_tile1d", tile({{"BK", 4}})), Contains("BM * BK must be a multiple of the threads (BM * BN / TM)"));
    CHECK_THAT(message("k05_tile2d", tile({{"TM", 2}, {"TN", 2}})), Contains("at most 1024 threads"));
    CHECK_THAT(message("k06_vectorised", tile({{"M", 100}})), Contains("M must be a multiple of BM"));
    CHECK_THAT(message("k09_autotuned", tile({{"BM", 256}, {"BN", 256}, {"BK", 32}})), Contains("48 KiB"));
    CHECK_THAT(message("k10_warptile", tile({{"WNITER", 8}})), Contains("WM * WN must be a multiple of 32 * TM * TN * WNITER"));
    CHECK_THAT(message("k11_double_buffered", tile({{"TM", 16}})), Contains("WM / TM times WN / TN must be 32"));
}
