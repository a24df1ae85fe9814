// SPDX-License-Identifier: GPL-3.0-or-later
// Bulk copies, copies and reductions of boxes in tensors, and mbarriers against what an H200 left in memory (tests/data/sim/tma.*).
#include <fstream>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "engine/sim/mbarrier.h"
#include "engine/sim/tensor_map.h"
#include "tests/sim/ptx_runner.h"

using namespace lanescope;
using namespace lanescope::test;
using Catch::Matchers::Contains;
using check::FindingKind;

namespace {

std::string slurp(const std::string& name) {
    std::ifstream in(std::string(LANESCOPE_TEST_DATA).append("/").append(name), std::ios::binary);
    REQUIRE(in);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
}

const session::LoadedProgram& measuredKernel(const std::string& entry) {
    static std::map<std::string, session::LoadedProgram> loaded;
    const auto it = loaded.find(entry);
    return it != loaded.end() ? it->second : loaded.emplace(entry, [&] {
        Result<session::LoadedProgram> program = session::loadPtx(slurp("sim/tma.ptx"), "tma.ptx", entry);
        if (!program)
            FAIL(toString(program.error()));
        return std::move(*program);
    }()).first->second;
}

PtxLaunch launchOf(const nlohmann::json& row) {
    PtxLaunch launch;
    launch.shared = 32768;
    launch.arguments = row["arguments"].get<std::vector<std::string>>();
    return launch;
}

} // namespace

TEST_CASE("bulk and tensor copies leave the bytes that an H200 leaves", "[hardware][tma]") {
    const nlohmann::json data = nlohmann::json::parse(slurp("sim/tma.json"));
    const std::string measured = slurp("sim/tma_out.bin");
    REQUIRE(data["cases"].size() == 186);
    int compared = 0;
    for (std::size_t k = 0; k < data["cases"].size(); ++k) {
        const auto& row = data["cases"][k];
        if (row.contains("refused"))
            continue;
        INFO(k << " " << row["entry"] << ": " << row["what"] << " " << row["arguments"].dump());
        const PtxRun result = run(measuredKernel(row["entry"]), launchOf(row));
        for (const check::Finding& f : result.report.findings)
            FAIL_CHECK(f.message);
        const std::size_t bytes = row["bytes"];
        const auto& buffer = result.buffers.at(row["argument"].get<std::size_t>());
        REQUIRE(buffer.size() >= bytes);
        std::size_t different = 0, first = bytes;
        for (std::size_t i = 0; i < bytes; ++i)
            if (buffer[i] != static_cast<std::uint8_t>(measured[row["at"].get<std::size_t>() + i])) {
                first = std::min(first, i);
                ++different;
            }
        INFO("first different byte " << first);
        CHECK(different == 0);
        ++compared;
    }
    CHECK(compared == 172);
}

TEST_CASE("what an H200 refuses is a finding", "[hardware][tma]") {
    const nlohmann::json data = nlohmann::json::parse(slurp("sim/tma.json"));
    int refused = 0;
    for (const auto& row : data["cases"]) {
        if (!row.contains("refused"))
            continue;
        ++refused;
        INFO(row["entry"] << ": " << row["what"] << " " << row["arguments"][0] << " " << row["arguments"][1] << " " << row["arguments"][2]);
        const PtxRun result = run(measuredKernel(row["entry"]), launchOf(row));
        CHECK(result.occurrences(FindingKind::Misaligned) + result.occurrences(FindingKind::OutOfBounds) > 0);
    }
    CHECK(refused == 14);
}

namespace {

/// Loads a box of 8 x 4 floats at (4, 1) of the tensor that `map` describes, and copies it out.
std::string boxKernel(const std::string& parameter, const std::string& address, const std::string& shape = "2d", const std::string& at = "{4, 1}") {
    return std::string(".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 128 .b8 smem[];\n.visible .entry k(.param .u64 p0, ") + parameter +
           ")\n{\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\nld.param.u64 %rd0, [p0]; mov.u32 %r0, %tid.x; mov.u32 %r1, smem; add.u32 %r2, %r1, 128;\n" +
           address +
           "setp.ne.u32 %p0, %r0, 0; @%p0 bra GO;\nmbarrier.init.shared.b64 [%r1], 1; fence.mbarrier_init.release.cluster;\n"
           "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 128;\ncp.async.bulk.tensor." +
           shape + ".shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1, " + at +
           "], [%r1];\nGO: bar.sync 0;\nW: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0; @!%p1 bra W;\n"
           "shl.b32 %r3, %r0, 2; add.u32 %r4, %r2, %r3; ld.shared.u32 %r5, [%r4]; mul.wide.u32 %rd2, %r0, 4; add.u64 %rd2, %rd0, %rd2; st.global.u32 [%rd2], %r5;\nret;\n}\n";
}

const std::string kByValue = ".param .align 64 .b8 map[128]", kByPointer = ".param .u64 map";
const std::string kOfValue = "mov.b64 %rd3, map; cvta.param.u64 %rd1, %rd3;\n", kOfPointer = "ld.param.u64 %rd1, [map];\n";

PtxRun runBox(const std::string& text, const std::vector<std::string>& arguments) {
    PtxLaunch launch;
    launch.shared = 1024;
    launch.arguments = arguments;
    return run(loadText(text, "k"), launch);
}

std::string refusal(const std::string& spec, const std::string& parameter = kByValue) {
    session::LaunchRequest request;
    request.dynamicSharedBytes = 1024;
    request.arguments = {"iota:i32:200", spec};
    const Result<session::PreparedLaunch> prepared =
        session::prepare(loadText(boxKernel(parameter, parameter == kByValue ? kOfValue : kOfPointer), "k"), request, *device::findDevice("h200"));
    return prepared ? std::string("taken") : toString(prepared.error());
}

} // namespace

TEST_CASE("a launch gives tensor maps by value, by pointer, of own data and of a buffer", "[tma]") {
    const std::string own = "tensormap:type=i32,size=20x9,box=8x4,data=iota:i32:180", of = "tensormap:type=i32,size=20x9,box=8x4,of=2,offset=80";
    for (const auto& [text, arguments, first] :
         {std::tuple(boxKernel(kByValue, kOfValue), std::vector<std::string>{"zeros:128", own}, 0),
          std::tuple(boxKernel(kByPointer, kOfPointer), std::vector<std::string>{"zeros:128", own}, 0),
          std::tuple(boxKernel(kByValue + ", .param .u64 p2", kOfValue), std::vector<std::string>{"zeros:128", of, "iota:i32:200"}, 20)}) {
        const PtxRun result = runBox(text, arguments);
        CHECK(result.report.findings.empty());
        for (std::int32_t i = 0; i < 32; ++i)
            CHECK(result.at<std::int32_t>(0, static_cast<std::size_t>(i)) == first + 20 * (1 + i / 8) + 4 + i % 8);
        for (const sim::Metric& m : sim::metrics()) {
            if (m.id == "bulk_copies")
                CHECK(m.value(result.report.counters) == 1);
            if (m.id == "bulk_copy_bytes")
                CHECK(m.value(result.report.counters) == 128);
        }
    }
}

TEST_CASE("a tensor map that nobody made is said", "[tma]") {
    PtxRun result = runBox(boxKernel(kByValue, kOfValue), {"zeros:128", "random:u8:128:3"});
    REQUIRE(result.report.findings.size() == 1);
    CHECK(result.report.findings[0].kind == FindingKind::Unsupported);
    CHECK_THAT(result.report.findings[0].message, Contains("finds no tensor map at address") && Contains("tensormap:"));
    result = runBox(boxKernel(kByValue, kOfValue, "3d", "{4, 1, 0}"), {"zeros:128", "tensormap:type=i32,size=20x9,box=8x4,data=iota:i32:180"});
    REQUIRE(result.report.findings.size() == 1);
    CHECK_THAT(result.report.findings[0].message, Contains("a tensor map of 2 dimensions"));
}

TEST_CASE("reading a box before its mbarrier is a race with both lines", "[tma]") {
    std::string text = boxKernel(kByValue, kOfValue);
    text.replace(text.find("W: mbarrier"), text.find("shl.b32") - text.find("W: mbarrier"), std::string("\n"));
    const PtxRun result = runBox(text, {"zeros:128", "tensormap:type=i32,size=20x9,box=8x4,data=iota:i32:180"});
    REQUIRE(result.report.findings.size() == 1);
    const check::Finding& f = result.report.findings[0];
    CHECK(f.kind == FindingKind::RaceRaw);
    CHECK(f.ptxLine > f.otherPtxLine);
    CHECK(f.otherPtxLine > 0);
    CHECK_THAT(f.message, Contains("copies asynchronously") && Contains("has not waited for the phase of its mbarrier"));
}

TEST_CASE("tensor maps that cannot be are refused with the rule", "[tma]") {
    const auto map = [](const std::string& rest) { return std::string("tensormap:").append(rest); };
    CHECK(refusal(map("type=i32,size=20x9,box=8x4,of=0")) == "taken");
    CHECK_THAT(refusal(map("type=i32,size=20x9,box=8x4")), Contains("either data=") && Contains("or of="));
    CHECK_THAT(refusal(map("type=i33,size=20x9,box=8x4,of=0")), Contains("'i33' is no type"));
    CHECK_THAT(refusal(map("type=i32,size=20x9,box=8,of=0")), Contains("as many as the other"));
    CHECK_THAT(refusal(map("type=i32,size=20x9,of=0")), Contains("box= is missing"));
    CHECK_THAT(refusal(map("type=i32,size=20x9,box=8x4,of=0,colour=3")), Contains("'colour=3' is no property"));
    CHECK_THAT(refusal(map("type=i32,size=20x9,box=8x4,of=1")), Contains("argument 1, which is no buffer"));
    CHECK_THAT(refusal(map("type=i32,size=20x11,box=8x4,of=0")), Contains("takes 880 bytes from byte 0 on, its buffer has 800"));
    CHECK_THAT(refusal(map("type=i32,size=21x9,box=8x4,of=0")), Contains("stride of dimension 1 is 84 bytes") && Contains("pad the rows"));
    CHECK_THAT(refusal(map("type=i32,size=20x9,box=300x4,of=0")), Contains("300 elements along dimension 0, 1 to 256"));
    CHECK_THAT(refusal(map("type=i32,size=20x9,box=6x4,of=0")), Contains("6 x 4 = 24 bytes, which is not a multiple of 16"));
    CHECK_THAT(refusal(map("type=i32,size=20x9,box=16x4,of=0,swizzle=32")), Contains("the swizzle of 32 bytes allows at most 32"));
    CHECK_THAT(refusal(map("type=i32,size=20x9,box=8x4,of=0,swizzle=48")), Contains("none of 0, 32, 64, 128"));
    CHECK_THAT(refusal(map("type=i32,size=20x9,box=8x4,of=0,oob=nan")), Contains("no NaN to fill with"));
    CHECK_THAT(refusal(map("type=i32,size=20x9,box=8x4,of=0,estride=1x9")), Contains("element stride of dimension 1 is 9"));
    CHECK_THAT(refusal(map("type=i32,size=20x9,box=8x4,of=0,offset=4")), Contains("not a multiple of 16"));
    CHECK_THAT(refusal(map("type=i32,size=20x9,box=8x4,data=i32:4")), Contains("is no buffer"));
}

TEST_CASE("the words of an mbarrier hold what PTX lets them hold", "[mbarrier]") {
    for (const std::uint32_t count : {0u, 1u, 12345u, (1u << 20) - 1})
        for (const std::int32_t bytes : {0, 16, -16, (1 << 20) - 1, -(1 << 20) + 1})
            for (const bool phase : {false, true}) {
                sim::Mbarrier b;
                b.expected = (1u << 20) - 1 - count;
                b.pending = count;
                b.bytes = bytes;
                b.phase = phase;
                const sim::Mbarrier read = sim::Mbarrier::read(b.word());
                CHECK((read.expected == b.expected && read.pending == count && read.bytes == bytes && read.phase == phase));
            }
}
