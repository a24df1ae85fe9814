// SPDX-License-Identifier: GPL-3.0-or-later
// The models by name: what they need, refuse and explain. The figures themselves are in tests/model.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "engine/session/model_answers.h"

using namespace lanescope;
using namespace lanescope::session;
using nlohmann::json;

namespace {

/// Arguments with which each model answers.
ModelArguments example(std::string_view model) {
    if (model == "occupancy")
        return {{"gpu", "h100"}, {"threads", "128"}, {"regs", "96"}, {"shared", "32768"}};
    if (model == "waves")
        return {{"gpu", "b200"}, {"blocks", "160"}};
    if (model == "launch")
        return {{"gpu", "h200"}};
    if (model == "tile")
        return {{"gpu", "a100"}, {"rows", "4"}, {"columns", "4"}};
    if (model == "swizzle" || model == "fragment")
        return {};
    return {{"gpu", "h100"}};
}

std::string refusal(std::string_view model, const ModelArguments& arguments) {
    const auto result = answer(model, arguments);
    REQUIRE_FALSE(result);
    return toString(result.error());
}

} // namespace

TEST_CASE("every model answers in JSON and text, and explains each figure with sources") {
    REQUIRE(modelKinds().size() == 12);
    for (const ModelKind& kind : modelKinds()) {
        INFO(kind.name);
        const auto result = answer(kind.name, example(kind.name));
        REQUIRE(result);
        CHECK(result->text.ends_with('\n'));
        const json parsed = json::parse(result->json);
        REQUIRE(parsed.at("explanations").size() > 0);
        for (const json& explanation : parsed["explanations"]) {
            CHECK_FALSE(explanation.at("formula").get<std::string>().empty());
            for (const json& input : explanation.at("inputs"))
                CHECK_FALSE(input.at("source").get<std::string>().empty());
        }
    }
}

TEST_CASE("what a model lacks or does not know is named") {
    CHECK_THAT(refusal("speed", {}), Catch::Contains("speed") && Catch::Contains("waves"));
    CHECK_THAT(refusal("waves", {{"gpu", "b200"}, {"sms", "3"}}),
               Catch::Contains("'sms'") && Catch::Contains("blocks-per-sm"));
    CHECK_THAT(refusal("waves", {{"gpu", "b200"}}), Catch::Contains("--blocks is missing"));
    CHECK_THAT(refusal("waves", {{"blocks", "3"}}), Catch::Contains("--gpu is missing"));
    CHECK_THAT(refusal("waves", {{"gpu", "cc9.0"}, {"blocks", "3"}}),
               Catch::Contains("number of SMs"));
    CHECK_THAT(refusal("waves", {{"gpu", "b200"}, {"blocks", "1.5"}}),
               Catch::Contains("1.5") && Catch::Contains("whole"));
    CHECK_THAT(refusal("waves", {{"gpu", "b200"}, {"blocks", "nan"}}), Catch::Contains("nan"));
    CHECK_THAT(refusal("waves", {{"gpu", "nope"}, {"blocks", "1"}}), Catch::Contains("nope"));
    CHECK_THAT(refusal("latency", {{"gpu", "h100"}, {"bytes", "x"}, {"warps", "y"}}),
               Catch::Contains("--bytes") && Catch::Contains("--warps"));
}
