// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "engine/catalog/catalog.h"

using namespace lanescope;
using namespace lanescope::catalog;

namespace {

const std::string kGood = R"json({
  "id": "k", "title": "K", "family": "f", "file": "k.cu", "entry": "k",
  "parameters": [{"name": "B", "kind": "define", "default": 64, "min": 32, "max": 256, "step": 32},
                 {"name": "n", "kind": "problem", "default": 100, "min": 1, "max": 1000}],
  "constraints": [{"expression": "n % 4 == 0", "message": "n must be a multiple of 4"}],
  "launch": {"grid": ["ceil_div(n, B)", "2"], "block": ["B"], "shared": "4 * B"
}
,
  "arguments": [{"name": "x", "spec": "random:f32:{n}:7", "type": "f32", "role": "input"},
                {"name": "y", "spec": "zeros:{4 * n}", "type": "f32", "role": "output"}],
  "reference": {"kind": "copy", "sizes": {"n": "n"}, "inputs": ["x"], "outputs": ["y"]},
  "flops": "n * 2"
})json";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("expressions: whole numbers, operators, functions") {
    const Values values{{"M", 100}, {"big", 9007199254740992}, {"min2", 5}};
    CHECK(*evaluateWhole("ceil_div(M, 32)", values) == 4);
    CHECK(*evaluateWhole("ceil_div(96, 32)", values) == 3);
    CHECK(*evaluateWhole("M % 32 + 1", values) == 5);
    CHECK(*evaluateWhole("M % 32 * 2", values) == 8);
    CHECK(*evaluateWhole("big", values) == 9007199254740992);
    CHECK(*evaluateWhole("big - 1", values) == 9007199254740991);
    CHECK(*evaluateWhole("min(M, 7) + max(1, 2, 3)", values) == 10);
    CHECK(*evaluateWhole("M > 50 ? 1 : 2", values) == 1);
    CHECK(*evaluateWhole("M >= 100 && min2 == 5 || 0", values) == 1);
    CHECK(*evaluateWhole("floor(M / 32)", values) == 3);
    CHECK(*evaluateWhole("2^20", values) == 1048576);
    CHECK(*substitute("a:{M}:{M*2}", values) == "a:100:200");
    CHECK(*substitute("plain", values) == "plain");
}

TEST_CASE("expressions that have no value are errors") {
    const Values values{{"M", 100}};
    auto unknown = evaluateWhole("M + Q", values);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().front().message.find("'Q'") != std::string::npos);
    for (const char* bad : {"", "M +", "(M", "M / 0", "M % 0", "M / 3", "foo(M)", "M = 3", "1, 2",
                            "\"a\"", "2^60 + 0.5", "ceil_div(M)"}) {
        CAPTURE(bad);
        CHECK_FALSE(evaluateWhole(bad, values));
    }
    CHECK_FALSE(substitute("a:{M", values));
    CHECK_FALSE(substitute("a:{}", values));
}

TEST_CASE("a manifest is read and resolved") {
    auto kernel = parseManifest(kGood, "f/k.json");
    INFO((kernel ? std::string() : toString(kernel.error())));
    REQUIRE(kernel);
    CHECK(kernel->file == "f/k.cu");
    CHECK(kernel->parameters[0].step == 32);
    CHECK(kernel->parameters[0].label == "B");
    auto launch = resolve(*kernel, {{"B", 96}});
    REQUIRE(launch);
    CHECK(launch->grid == std::array<std::uint32_t, 3>{2, 2, 1});
    CHECK(launch->sharedBytes == 384);
    CHECK(launch->flops == 200);
    CHECK(launch->values == Values{{"B", 96}, {"n", 100}});
    auto broken = resolve(*kernel, {{"n", 99}});
    REQUIRE_FALSE(broken);
    CHECK(broken.error().front().message == "n must be a multiple of 4");
    CHECK(broken.error().front().code == "parameter");
    auto step = resolve(*kernel, {{"B", 33}});
    REQUIRE_FALSE(step);
    CHECK(step.error().front().hint == "allowed: 32 to 256 in steps of 32");
}

TEST_CASE("a launch that no device takes is refused") {
    auto kernel = parseManifest(replaced(kGood, "\"block\": [\"B\"]", "\"block\": [\"B\", \"B\"]"),
                                "f/k.json");
    REQUIRE(kernel);
    auto launch = resolve(*kernel, {});
    REQUIRE_FALSE(launch);
    CHECK(launch.error().front().code == "launch");
    CHECK(launch.error().front().message == "a block would have 4096 threads");
    kernel = parseManifest(replaced(kGood, "\"2\"]", "\"n * 1000\"]"), "f/k.json");
    REQUIRE(kernel);
    CHECK_FALSE(resolve(*kernel, {}));
}

TEST_CASE("what is wrong with a manifest is told with file and field, all of it") {
    struct Row {
        const char* from;
        const char* to;
        const char* field;
    };
    const Row rows[] = {{"\"id\": \"k\"", "\"id\": 3", "'id'"},
                        {"\"entry\": \"k\"", "\"x\": \"k\"", "'entry'"},
                        {"\"define\"", "\"other\"", "'parameters[0].kind'"},
                        {"\"default\": 64", "\"default\": 65", "'parameters[0].default'"},
                        {"\"default\": 64", "\"default\": \"64\"", "'parameters[0].default'"},
                        {"\"step\": 32", "\"step\": 0", "'parameters[0].step'"},
                        {"\"min\": 1,", "\"min\": 2000,", "'parameters[1].max'"},
                        {"\"name\": \"n\"", "\"name\": \"B\"", "'parameters[1].name'"},
                        {"n % 4 == 0", "n % q == 0", "'constraints[0].expression'"},
                        {"[\"B\"]", "[]", "'launch.block'"},
                        {"[\"B\"]", "[1]", "'launch.block'"},
                        {"\"4 * B\"", "\"4 * \"", "'launch.shared'"},
                        {"{4 * n}", "{4 * m}", "'arguments[1].spec'"},
                        {"\"output\"", "\"sink\"", "'arguments[1].role'"},
                        {"[\"x\"]", "[\"z\"]", "'reference.inputs'"},
                        {"\"copy\"", "\"magic\"", "'reference'"},
                        {"\"copy\"", "\"map\"", "lacks its value"},
                        {"\"copy\"", "\"map\", \"value\": \"x + q\"", "'reference.value'"},
                        {"\"copy\"", "\"map\", \"value\": \"x\", \"index\": {\"y\": \"i\"}", "'reference.index'"},
                        {"\"copy\"", "\"map\", \"value\": \"x\", \"index\": {\"x\": \"x\"}", "'reference.index.x'"},
                        {"{\"n\": \"n\"}", "{}", "'reference'"},
                        {"\"n * 2\"", "\"n * two\"", "'flops'"}};
    for (const Row& row : rows) {
        CAPTURE(row.to);
        auto kernel = parseManifest(replaced(kGood, row.from, row.to), "f/k.json");
        REQUIRE_FALSE(kernel);
        CHECK(kernel.error().front().code == "manifest");
        CHECK(kernel.error().front().where.file == "f/k.json");
        CHECK(toString(kernel.error()).find(row.field) != std::string::npos);
    }
    auto several = parseManifest("{\"parameters\": 3}", "f/k.json");
    REQUIRE_FALSE(several);
    CHECK(several.error().size() >= 6);
    auto syntax = parseManifest("{\n\"id\": 3,\n oops }", "f/k.json");
    REQUIRE_FALSE(syntax);
    CHECK(syntax.error().front().where.line == 3);
    for (const char* junk :
         {"", "[]", "3", "null", "{\"launch\": [1]}", "{\"parameters\": [1, null]}",
          "{\"arguments\": [[]], \"reference\": 1}", "\xff\xfe"})
        CHECK_FALSE(parseManifest(junk, "f/k.json"));
}

TEST_CASE("a catalog names files that are missing and ids that are there twice") {
    const EmbeddedFile manifest{"f/k.json", kGood}, text{"f/k.cu", "text"}, ptx{"f/k.ptx", "ptx"},
        again{"f/l.json", kGood};
    const std::vector<EmbeddedFile> good{manifest, text, ptx};
    auto kernels = loadCatalog(good);
    REQUIRE(kernels);
    REQUIRE(kernels->size() == 1);
    CHECK(kernels->front().text == "text");
    CHECK(kernels->front().ptx == "ptx");
    const std::vector<EmbeddedFile> bare{manifest};
    kernels = loadCatalog(bare);
    REQUIRE_FALSE(kernels);
    CHECK(kernels.error().front().message.find("f/k.cu") != std::string::npos);
    const std::vector<EmbeddedFile> twice{manifest, text, again};
    kernels = loadCatalog(twice);
    REQUIRE_FALSE(kernels);
    CHECK(kernels.error().front().message.find("twice") != std::string::npos);
    CHECK(loadCatalog({})->empty());
}
