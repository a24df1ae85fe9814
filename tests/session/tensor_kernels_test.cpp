// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels on tensor cores: right results, the conflicts of their layouts, and what the window sees of their fragments.
#include <algorithm>
#include <cstdlib>

#include <catch2/catch.hpp>

#include "engine/session/product_view.h"
#include "engine/session/session.h"
#include "engine/session/simulate.h"
#include "engine/session/timing.h"
#include "engine/tensor/product.h"

using namespace lanescope;
using namespace lanescope::session;

namespace {

compile::Environment environment() {
    return compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
}

struct Run {
    SimReport report;
    std::vector<std::uint8_t> result; ///< C
    double metric(const std::string& id) const {
        for (const sim::Metric& m : sim::metrics())
            if (m.id == id)
                return m.value(report.counters);
        FAIL("no metric " << id);
        return 0;
    }
};

using Defines = std::vector<std::pair<std::string, std::string>>;

/// A kernel of the catalog, ready for an H200.
struct Ready {
    LoadedProgram program;
    PreparedLaunch launch;
    device::Device device;
};
Ready ready(const std::string& id, const Defines& defines) {
    LoadRequest request;
    request.subject = id;
    request.defines = defines;
    Result<LoadedProgram> program = load(request, environment());
    if (!program)
        FAIL(toString(program.error()));
    Result<device::Device> device = device::findDevice("h200");
    REQUIRE(device);
    Result<PreparedLaunch> prepared = prepare(*program, {}, *device);
    if (!prepared)
        FAIL(toString(prepared.error()));
    return {std::move(*program), std::move(*prepared), std::move(*device)};
}

Run run(const std::string& id, const Defines& defines) {
    const Ready r = ready(id, defines);
    sim::Memory memory = sim::makeMemory(r.launch.launch);
    Result<SimReport> report = simulate(r.program, r.launch, r.device, memory, {});
    if (!report)
        FAIL(toString(report.error()));
    REQUIRE(report->verification);
    CHECK(report->verification->matches);
    for (const check::Finding& f : report->findings)
        FAIL_CHECK(f.message);
    const int c = memory.allocationOfArgument.back();
    return {std::move(*report), memory.global.at(static_cast<std::size_t>(c)).bytes};
}

} // namespace

TEST_CASE("rows of 64 halves are 8-way conflicts of ldmatrix; padding and XOR leave none, and the result is the same", "[session][tensor]") {
    const Run linear = run("t2_mma", {{"LAYOUT", "0"}}), padded = run("t2_mma", {{"LAYOUT", "1"}}), swizzled = run("t2_mma", {{"LAYOUT", "2"}});
    // 4 blocks, 4 warps, 2 tiles along k, 4 depths, 4 ldmatrix of four matrices each: 2,048 matrices of eight rows.
    CHECK(linear.metric("shared_load_instructions") == 512);
    CHECK(linear.metric("shared_load_wavefronts") == 8 * 2048);
    CHECK(linear.metric("shared_load_conflicts") == 7 * 2048);
    for (const Run* r : {&padded, &swizzled}) {
        CHECK(r->metric("shared_load_wavefronts") == 2048);
        CHECK(r->metric("shared_load_conflicts") == 0);
        CHECK(r->metric("shared_store_conflicts") == 0);
        CHECK(r->result == linear.result);
    }
    CHECK(linear.metric("tensor_instructions_hmma") == 1024);
    CHECK(linear.metric("tensor_fma") == 128 * 128 * 128);
    CHECK(linear.metric("flops") == 2 * 128 * 128 * 128);
}

TEST_CASE("wmma gives mma's bits: it is two halves of it", "[session][tensor]") {
    const Run wmma = run("t1_wmma", {}), mma = run("t2_mma", {});
    CHECK(wmma.result == mma.result);
    CHECK(wmma.metric("tensor_instructions_hmma") == 1024);
    CHECK(wmma.metric("shared_load_conflicts") == 0);
    CHECK(run("t1_wmma", {{"PAD", "0"}, {"BK", "64"}}).metric("shared_load_conflicts") > 0);
}

TEST_CASE("swizzled tiles of every size have no conflicts", "[session][tensor]") {
    struct Tile {
        const char *bm, *bn, *bk, *wm, *wn;
    };
    for (const auto& [bm, bn, bk, wm, wn] : {Tile{"128", "128", "64", "64", "32"}, Tile{"64", "64", "32", "32", "32"}, Tile{"64", "32", "32", "16", "32"},
                                             Tile{"32", "128", "64", "32", "64"}}) {
        INFO(bm << " x " << bn << " x " << bk);
        const Run r = run("t3_swizzled", {{"BM", bm}, {"BN", bn}, {"BK", bk}, {"WM", wm}, {"WN", wn}, {"M", "128"}, {"N", "128"}, {"K", "128"}});
        CHECK(r.metric("shared_load_conflicts") == 0);
        CHECK(r.metric("shared_store_conflicts") == 0);
        CHECK(r.metric("tensor_instructions_hmma") == 1024);
    }
}

TEST_CASE("a ring of any number of stages gives the same bits", "[session][tensor]") {
    const std::vector<std::pair<std::string, std::string>> tile{{"BM", "64"}, {"BN", "64"}, {"BK", "32"}, {"WM", "32"}, {"WN", "32"},
                                                                {"M", "64"},  {"N", "64"},  {"K", "256"}};
    const Run reference = run("t3_swizzled", tile);
    for (const char* stages : {"1", "2", "3", "4", "5", "6"}) {
        INFO(stages);
        auto defines = tile;
        defines.emplace_back("STAGES", stages);
        const Run r = run("t4_multistage", defines);
        CHECK(r.result == reference.result);
        CHECK(r.metric("shared_load_conflicts") == 0);
    }
}

TEST_CASE("the tensor roof is there when tensor cores work", "[session][tensor]") {
    const Run r = run("t3_swizzled", {});
    REQUIRE(r.report.point);
    const auto tensor = std::find_if(r.report.point->times.begin(), r.report.point->times.end(),
                                     [](const model::RoofTime& t) { return t.kind == model::RoofKind::Tensor; });
    REQUIRE(tensor != r.report.point->times.end());
    CHECK(tensor->work == 256.0 * 256 * 256);
}

TEST_CASE("the window sees where a wgmma's operands lie in shared memory", "[session][tensor]") {
    SessionOptions options;
    options.deviceId = "h200";
    options.environment = environment();
    Session session(options);
    const auto opened = session.openKernel("t5_wgmma", {{"M", 128}, {"N", 128}, {"K", 64}});
    REQUIRE(opened->program->ok());
    // Warp 5: the second of the second warpgroup, which has rows 64 on of the tile.
    std::shared_ptr<const Snapshot> snapshot;
    for (const std::uint32_t event : opened->trace->eventsOfWarp[5])
        if (opened->program->instructions[opened->trace->events[event].pc].text.find("wgmma.mma_async") == 0) {
            session.select({{0, 0, 0}, 5, 0});
            snapshot = session.seek(event + 1);
            break;
        }
    REQUIRE(snapshot);
    REQUIRE(snapshot->frame.product);
    const ProductView& product = *snapshot->frame.product;
    CHECK(product.isWarpgroup);
    REQUIRE(product.shared.size() == 2);
    CHECK(product.shared[0].matrix == 'A');
    CHECK(product.shared[0].firstRow == 16);
    // t5's tiles begin at byte 1,024: rows of A of 128 bytes, then rows of B in panels of 64 columns, each swizzled by its row modulo 8.
    for (int row = 0; row < 16; ++row)
        for (int k = 0; k < 16; ++k) {
            const int r = 64 + 16 + row;
            CHECK(product.shared[0].addressOf(row, k) == static_cast<std::uint64_t>(1024 + r * 128 + ((k / 8) ^ (r % 8)) * 16 + k % 8 * 2));
        }
    for (int k = 0; k < 16; ++k)
        for (int column = 0; column < 64; ++column)
            CHECK(product.shared[1].addressOf(k, column) == static_cast<std::uint64_t>(1024 + 128 * 128 + k * 128 + ((column / 8) ^ (k % 8)) * 16 + column % 8 * 2));
}

TEST_CASE("the window sees the fragments of a product and the rows of ldmatrix", "[session][tensor]") {
    SessionOptions options;
    options.environment = environment();
    Session session(options);
    const auto opened = session.openKernel("t2_mma", {{"LAYOUT", 2}, {"M", 64}, {"N", 64}, {"K", 64}});
    REQUIRE(opened->program->ok());
    // Before the first one: the one that comes; between two: the one before.
    CHECK(opened->frame.fragmentsOf == FragmentsOf::Later);
    CHECK_FALSE(opened->frame.fragments.empty());
    const auto& mine = opened->trace->eventsOfWarp[0];
    const auto last = session.seek(mine.back() + 1);
    CHECK(last->frame.fragmentsOf == FragmentsOf::Earlier);
    CHECK(opened->program->instructions[last->frame.fragmentPc].cls == ptx::InstructionClass::Tensor);
    CHECK(last->frame.fragmentEvent < last->frame.stepEvent);
    session.seek(0);
    std::shared_ptr<const Snapshot> snapshot = opened;
    const auto isProduct = [&] {
        return snapshot->frame.hasStep && opened->program->instructions[snapshot->frame.pc].cls == ptx::InstructionClass::Tensor;
    };
    while (snapshot->frame.index < opened->trace->events.size() && !isProduct())
        snapshot = session.step(StepUnit::Instruction);
    REQUIRE(isProduct());
    const std::vector<FragmentView>& fragments = snapshot->frame.fragments;
    REQUIRE(fragments.size() == 4);
    CHECK(snapshot->frame.fragmentsOf == FragmentsOf::Step);
    CHECK(snapshot->frame.fragmentEvent == snapshot->frame.stepEvent);
    REQUIRE(snapshot->frame.product);
    CHECK(snapshot->frame.product->product.shape == tensor::Shape{16, 8, 16});
    const auto of = [&](char matrix) -> const FragmentView& {
        return *std::find_if(fragments.begin(), fragments.end(), [&](const FragmentView& f) { return f.matrix == matrix; });
    };
    CHECK(of('A').registers.size() == 4);
    CHECK(of('B').registers.size() == 2);
    // Put together from the lanes' registers, D is the product of A and B and C by the hardware's rule.
    const auto matrix = [&](char which) {
        const FragmentView& f = of(which);
        std::vector<std::uint32_t> out(static_cast<std::size_t>(f.map->rows() * f.map->columns()));
        REQUIRE(f.values.size() == f.map->indices().size());
        for (std::size_t i = 0; i < f.values.size(); ++i)
            out[f.map->indices()[i]] = static_cast<std::uint32_t>(f.values[i]);
        return out;
    };
    tensor::Product product;
    product.shape = {16, 8, 16};
    std::vector<std::uint32_t> d(128);
    tensor::Multiplier(product, tensor::Generation{}).multiply(matrix('A').data(), matrix('B').data(), matrix('C').data(), d.data());
    CHECK(d == matrix('D'));
    CHECK(std::any_of(d.begin(), d.end(), [](std::uint32_t v) { return v != 0; }));

    // Not by its line: compilers give an asm statement its first line or its last.
    const auto isMatrixLoad = [&] { return !snapshot->frame.accesses.empty() && snapshot->frame.accesses.front().isMatrix; };
    while (snapshot->frame.index < opened->trace->events.size() && !isMatrixLoad())
        snapshot = session.step(StepUnit::Instruction);
    REQUIRE(isMatrixLoad());
    const AccessView& rows = snapshot->frame.accesses.front();
    CHECK(rows.bytesPerLane == 16);
    CHECK(rows.shared.passes == 4);
    CHECK(rows.shared.wavefronts == 4);
    REQUIRE(rows.passes.size() == 4);
    CHECK(rows.passes[1] == 0xff00);
}

TEST_CASE("t5 multiplies what the TMA stored in every swizzle, with any tile", "[session][tensor]") {
    for (const char* swizzle : {"128", "64", "32", "16"})
        run("t5_wgmma", {{"SWIZZLE", swizzle}, {"M", "128"}, {"N", "128"}, {"K", "128"}, {"BK", swizzle == std::string("16") ? "32" : "64"}});
    const Run wide = run("t5_wgmma", {{"BM", "64"}, {"BN", "192"}, {"BK", "32"}, {"SWIZZLE", "64"}, {"STAGES", "3"}, {"M", "128"}, {"N", "192"}, {"K", "160"}});
    // 2 blocks, 5 tiles along k, 2 depths of 16, 3 wgmma of 64 columns, four warps.
    CHECK(wide.metric("tensor_instructions_gmma") == 2 * 5 * 2 * 3 * 4);
    CHECK(wide.report.counters.flops == 2ull * 128 * 192 * 160);
    // Measured on an H200: 16 + 64 / 4 wavefronts for each, none more with a swizzle.
    CHECK(wide.metric("tensor_shared_wavefronts") == 2 * 5 * 2 * 3 * 32);
    CHECK(wide.metric("shared_load_instructions") == 0);
}

TEST_CASE("t6 is right with any ring, tile and grid, edges too", "[session][tensor]") {
    struct Shape {
        const char *stages, *bm, *bn, *blocks, *m, *n, *k;
    };
    for (const auto& [stages, bm, bn, blocks, m, n, k] :
         {Shape{"3", "128", "128", "2", "200", "264", "200"}, Shape{"1", "64", "64", "1", "72", "136", "88"}, Shape{"4", "64", "192", "3", "130", "200", "136"},
          Shape{"2", "64", "64", "132", "1", "8", "8"}}) {
        INFO(stages << " stages, " << bm << " x " << bn << ", " << m << " x " << n << " x " << k);
        run("t6_specialised", {{"STAGES", stages}, {"BM", bm}, {"BN", bn}, {"BLOCKS", blocks}, {"M", m}, {"N", n}, {"K", k}});
    }
    // 6 tiles of 4 depths: a box of A and two of B each.
    CHECK(run("t6_specialised", {}).metric("bulk_copies") == 6 * 4 * 3);
}

TEST_CASE("the wide, ordered, stored and clustered kernels are right with any ring, order and grid, edges too", "[session][tensor]") {
    struct Shape {
        const char *stages, *group, *blocks, *m, *n, *k;
    };
    for (const auto& [stages, group, blocks, m, n, k] :
         {Shape{"4", "8", "2", "200", "264", "200"}, Shape{"2", "2", "3", "390", "520", "72"}, Shape{"3", "1", "132", "1", "8", "8"}}) {
        INFO(stages << " stages, groups of " << group << ", " << m << " x " << n << " x " << k);
        std::vector<std::pair<std::string, std::string>> defines{{"STAGES", stages}, {"BLOCKS", blocks}, {"M", m}, {"N", n}, {"K", k}};
        const Run wide = run("t7_wide", defines);
        defines.emplace_back("GROUP", group);
        CHECK(run("t8_ordered", defines).result == wide.result);
        CHECK(run("t10_cluster", defines).result == run("t9_stored", defines).result);
        run("t11_frugal", defines);      // every other tile sums from its last depth to its first
        run("t11_frugal_bf16", defines);
    }
    // 4 tiles of 4 depths, two warpgroups, four products of four warps each; a box of A, four of B, and four that each warpgroup stores.
    const Run stored = run("t9_stored", {});
    CHECK(stored.metric("tensor_instructions_gmma") == 4 * 4 * 2 * 4 * 4);
    CHECK(stored.metric("bulk_copies") == 4 * 4 * 5 + 4 * 2 * 4);
    CHECK(stored.metric("shared_store_conflicts") == 0);
}

TEST_CASE("a kernel in clusters of one block takes an SM as long as without clusters", "[session][tensor]") {
    const auto cycles = [](const char* id) {
        const Ready r = ready(id, {{"M", "128"}, {"N", "256"}, {"K", "512"}, {"BLOCKS", "1"}});
        const Result<TimingReport> report = timeLaunch(r.program, r.launch, r.device, {});
        REQUIRE(report);
        CHECK(report->sm.complete);
        return static_cast<double>(report->sm.cycles);
    };
    CHECK(cycles("t10_cluster") == Approx(cycles("t9_stored")).epsilon(0.05));
    CHECK(cycles("t11_frugal") == Approx(cycles("t9_stored")).epsilon(0.05));
}

TEST_CASE("clusters of two blocks are for a GPU, and in whole clusters", "[session][tensor]") {
    const std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n.reqnctapercluster 2, 1, 1\n{\nret;\n}\n";
    const Result<LoadedProgram> program = loadPtx(text, "pair.ptx", "k");
    if (!program)
        FAIL(toString(program.error()));
    const Result<device::Device> device = device::findDevice("h200");
    LaunchRequest request;
    request.grid = Dim3{4, 1, 1};
    const Result<PreparedLaunch> simulated = prepare(*program, request, *device);
    REQUIRE_FALSE(simulated);
    CHECK(simulated.error().front().code == "unsupported");
    request.where = sim::Where::Gpu;
    CHECK(prepare(*program, request, *device));
    request.grid = Dim3{3, 1, 1};
    const Result<PreparedLaunch> odd = prepare(*program, request, *device);
    REQUIRE_FALSE(odd);
    CHECK(odd.error().front().message.find("whole clusters") != std::string::npos);
}

TEST_CASE("a descriptor that names another swizzle is found by its first wrong element and who owns it", "[session][tensor]") {
    const Ready r = ready("t5_wgmma", {{"DESCRIBED", "64"}, {"M", "128"}, {"N", "128"}, {"K", "128"}});
    sim::Memory memory = sim::makeMemory(r.launch.launch);
    const Result<SimReport> report = simulate(r.program, r.launch, r.device, memory, {});
    REQUIRE(report);
    REQUIRE(report->verification);
    CHECK_FALSE(report->verification->matches);
    REQUIRE(report->firstWrong);
    const WrongElement& wrong = *report->firstWrong;
    CHECK(wrong.array == "C");
    REQUIRE(wrong.row);
    CHECK(*wrong.row * 128 + *wrong.column == wrong.index);
    REQUIRE(wrong.isWritten);
    // Row r is warp r / 16 and lanes 4 (r % 8) on; column c is register 4 (c % 64 / 8) of the wgmma of columns c / 64.
    CHECK(wrong.warp == *wrong.row / 16);
    CHECK(wrong.lane == static_cast<int>(*wrong.row % 8 * 4 + *wrong.column % 8 / 2));
    CHECK(wrong.block == 0);
    CHECK_FALSE(wrong.registerName.empty());
    const std::size_t registerOfD = *wrong.column % 64 / 8 * 4 + *wrong.row % 16 / 8 * 2 + *wrong.column % 2;
    CHECK(wrong.fragment.find("d[" + std::to_string(registerOfD) + "] of the wgmma") == 0);
    CHECK(toString(wrong).find(wrong.registerName) != std::string::npos);
}
