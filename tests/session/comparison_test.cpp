// SPDX-License-Identifier: GPL-3.0-or-later
// Two launches beside each other.
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "engine/session/comparison.h"
#include "engine/session/session.h"

using namespace lanescope;
using namespace lanescope::session;

namespace {

std::shared_ptr<const RunView> runOf(const std::string& kernel, const std::map<std::string, std::int64_t>& parameters) {
    SessionOptions options;
    options.environment = compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
    Session session(options);
    const auto snapshot = session.openKernel(kernel, parameters);
    REQUIRE(snapshot->run);
    return snapshot->run;
}

OutputView output(const std::string& type, int elementBytes, std::vector<std::uint8_t> bytes) {
    return {"C", type, elementBytes, std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes))};
}

template <class T>
OutputView outputOf(const std::string& type, const std::vector<T>& values) {
    std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return output(type, sizeof(T), std::move(bytes));
}

RunView with(std::vector<OutputView> outputs) {
    RunView run;
    run.outputs = std::move(outputs);
    return run;
}

} // namespace

TEST_CASE("naive against coalesced: the same product, at 6.6 and 16.5 times the traffic a step", "[comparison]") {
    const std::map<std::string, std::int64_t> size{{"M", 64}, {"N", 64}, {"K", 32}};
    const auto naive = runOf("k01_naive", size), coalesced = runOf("k02_coalesced", size);
    const Comparison c = compare(*naive, *coalesced);
    CHECK(c.verdict == ResultVerdict::Equal);
    REQUIRE(c.outputs.size() == 1);
    CHECK(c.outputs[0].elements == 64 * 64);
    // Each figure is the metric's value of that side, whatever its place.
    for (const sim::Metric& m : sim::metrics()) {
        INFO(m.id);
        const ComparedFigure* f = c.find(std::string(m.id));
        REQUIRE((f != nullptr) == (m.value(naive->counters) != 0 || m.value(coalesced->counters) != 0));
        if (f == nullptr)
            continue;
        CHECK(f->left == m.value(naive->counters));
        CHECK(f->right == m.value(coalesced->counters));
        CHECK(f->difference() == f->right - f->left);
    }
    // Loads per k and warp: 32 lines of A and 1 of B against 1 of A and 4 sectors of B.
    const ComparedFigure* sectors = c.find("global_load_sectors");
    REQUIRE(sectors != nullptr);
    CHECK(*sectors->ratio() == Approx(33.0 / 5.0));
    CHECK(sectors->factor() == Approx(33.0 / 5.0));
    // The model speaks too, and says that it is a model.
    const ComparedFigure* seconds = c.find("model_seconds");
    REQUIRE(seconds != nullptr);
    CHECK(seconds->isModelled);
    CHECK(seconds->left > seconds->right);
}

TEST_CASE("counts per 1,000 FMA do not depend on the size of the problem", "[comparison]") {
    const auto small = runOf("k02_coalesced", {{"M", 32}, {"N", 32}, {"K", 64}});
    const auto large = runOf("k02_coalesced", {{"M", 64}, {"N", 64}, {"K", 64}});
    const Comparison perLaunch = compare(*small, *large), perFma = compare(*small, *large, CountBase::ThousandFma);
    CHECK(perLaunch.find("global_load_sectors")->factor() == Approx(4));
    CHECK(perFma.find("global_load_sectors")->factor() == Approx(1));
    // A share is what it is.
    const ComparedFigure* share = perFma.find("simt_efficiency");
    REQUIRE(share != nullptr);
    CHECK(share->left == perLaunch.find("simt_efficiency")->left);
    CHECK(perLaunch.verdict == ResultVerdict::NotComparable);
}

TEST_CASE("results: equal, rounded, different, not comparable", "[comparison]") {
    const auto verdict = [](std::vector<OutputView> a, std::vector<OutputView> b) { return compare(with(std::move(a)), with(std::move(b))); };
    const std::vector<float> one{1, 2, 3, 4};
    CHECK(verdict({outputOf("f32", one)}, {outputOf("f32", one)}).verdict == ResultVerdict::Equal);
    const Comparison rounded = verdict({outputOf("f32", one)}, {outputOf("f32", std::vector<float>{1, 2, std::nextafter(3.f, 4.f), 4})});
    CHECK(rounded.verdict == ResultVerdict::Rounding);
    CHECK(rounded.outputs[0].differing == 1);
    CHECK(*rounded.outputs[0].largestDifference == Approx(std::nextafter(3.f, 4.f) - 3.f));
    CHECK(*rounded.outputs[0].relativeDifference == Approx((std::nextafter(3.f, 4.f) - 3.f) / 4));
    CHECK(verdict({outputOf("f32", one)}, {outputOf("f32", std::vector<float>{1, 2, 3, 5})}).verdict == ResultVerdict::Different);
    CHECK(verdict({outputOf("f32", one)}, {outputOf("f32", std::vector<float>{1, 2, 3, NAN})}).verdict == ResultVerdict::Different);
    // Whole numbers have no rounding.
    CHECK(verdict({outputOf("i32", std::vector<std::int32_t>{1000000, 7})}, {outputOf("i32", std::vector<std::int32_t>{1000001, 7})}).verdict ==
          ResultVerdict::Different);
    // f16: 0x3c00 is 1, 0x3c01 the next.
    CHECK(verdict({outputOf("f16", std::vector<std::uint16_t>{0x3c00})}, {outputOf("f16", std::vector<std::uint16_t>{0x3c01})}).verdict ==
          ResultVerdict::Rounding);
    CHECK(verdict({outputOf("f32", one)}, {outputOf("f32", std::vector<float>{1, 2})}).verdict == ResultVerdict::NotComparable);
    CHECK(verdict({}, {}).verdict == ResultVerdict::NotComparable);
    // An output that just one side has is named, and does not hide that the others are equal.
    const Comparison alone = verdict({outputOf("f32", one), outputOf("f32", one)}, {outputOf("f32", one)});
    REQUIRE(alone.outputs.size() == 2);
    CHECK(alone.outputs[1].right.empty());
    // Not all blocks ran.
    RunView cut = with({outputOf("f32", one)});
    cut.blocksInGrid = 8;
    CHECK(compare(cut, with({outputOf("f32", one)})).verdict == ResultVerdict::NotComparable);
}

TEST_CASE("a figure that one side lacks has no ratio", "[comparison]") {
    const ComparedFigure f{"x", "X", "sectors", "", false, 0, 8};
    CHECK_FALSE(f.ratio());
    CHECK(std::isinf(f.factor()));
    CHECK(ComparedFigure{"x", "X", "sectors", "", false, 4, 4}.factor() == 1);
    const auto json = nlohmann::json::parse(toJson(Comparison{{f}, {}, ResultVerdict::Equal, "same"}, "a", "b"));
    CHECK(json["figures"][0]["ratio"].is_null());
    CHECK(json["figures"][0]["difference"] == 8);
    CHECK(json["results"]["verdict"] == "equal");
}
