// SPDX-License-Identifier: GPL-3.0-or-later
// [model ...] in lessons: figures of the models that need no kernel, over the step's parameters.
#include <catch2/catch.hpp>

#include <cstdlib>

#include "engine/lesson/probe.h"
#include "engine/lesson/workbench.h"

using namespace lanescope;
using namespace lanescope::lesson;

namespace {

/// A step with vector_add at n = 4096 and blocks of 256.
const Lesson& smallLesson() {
    static const Lesson made = [] {
        Lesson l;
        Step step;
        step.id = "only";
        step.run.kernel = "vector_add";
        step.run.gpu = "h100";
        step.run.parameters = {{"n", 4096}};
        l.steps.push_back(step);
        return l;
    }();
    return made;
}

Workbench& bench() {
    static Workbench workbench(
        compile::environmentFrom([](const char* name) { return std::getenv(name); }));
    return workbench;
}

double value(std::string_view expression) {
    const auto result = bench().evaluate(expression, smallLesson(), smallLesson().steps[0]);
    INFO(expression << (result ? "" : toString(result.error())));
    REQUIRE(result);
    return *result;
}

std::string problem(std::string_view expression) {
    const auto parsed = parseExpression(expression);
    REQUIRE_FALSE(parsed);
    return toString(parsed.error());
}

} // namespace

TEST_CASE("a model probe gives the figures of the foundations") {
    CHECK(value("[model latency gpu=h100 latency=500 /share]") == Approx(0.6456).epsilon(1e-3));
    CHECK(value("[model latency gpu=h100 latency=500 warps=16 bytes=16 requests=2 /share]") == 1);
    CHECK(value("[model waves gpu=b200 blocks=160 /tail_blocks]") == 12);
    CHECK(value("[model waves gpu=h100 m=1024 n=1024 blocks-per-sm=2 /slots_used]") ==
          Approx(0.2424).epsilon(1e-3));
    CHECK(value("[model l2 rows=9 columns=9 depth=9 wave=9 group-m=3 /first_wave/tiles]") == 54);
    CHECK(value("[model scaling gpu=h100 serial=0.01 /gustafson]") == Approx(16727.05));
    CHECK(value("1e3 * [model launch gpu=h100 overhead-us=8 /overlapped_s]") == Approx(1.56));
    CHECK(value("[model occupancy gpu=h100 threads=128 regs=96 shared=32768 /blocks_per_sm]") == 5);
    CHECK(value("[model launch gpu=h100 overhead-us=8 /launch_bound]") == 1);
}

TEST_CASE("its arguments may be arithmetic over the step's parameters") {
    CHECK(value("[model waves gpu=h100 blocks=ceil_div(n,256)*10 /blocks]") == 160);
    CHECK(value("[model waves gpu=h100 blocks=n /blocks] / n") == 1);
}

TEST_CASE("its text can be asked for") {
    const auto text = bench().evaluateText(
        "[model occupancy gpu=cc8.6 threads=256 regs=104 /limiter]", smallLesson(), smallLesson().steps[0]);
    REQUIRE(text);
    CHECK(*text == "registers");
}

TEST_CASE("mistakes in a model probe are named") {
    CHECK_THAT(problem("[model speed /x]"), Catch::Contains("speed") && Catch::Contains("waves"));
    CHECK_THAT(problem("[model waves gpu=b200]"), Catch::Contains("pointer"));
    CHECK_THAT(problem("[model waves sms=2 /waves]"), Catch::Contains("'sms'"));
    CHECK_THAT(problem("[model waves blocks= /waves]"), Catch::Contains("value"));
    CHECK_THAT(problem("[model waves blocks=1 /waves @big]"), Catch::Contains("@"));
    CHECK_FALSE(bench().evaluate("[model waves gpu=b200 blocks=1 /nothing]", smallLesson(),
                                 smallLesson().steps[0]));
    CHECK_FALSE(bench().evaluate("[model waves gpu=b200 blocks=QQ /waves]", smallLesson(),
                                 smallLesson().steps[0]));
}

TEST_CASE("a ladder probe gives what was measured and what is modelled, in either form") {
    CHECK(value("[ladder rtx-a6000 written /rungs/1/measured_flops_per_s]") == Approx(1986.5e9));
    const double written = value("[ladder rtx-a6000 written /rungs/4/modelled_flops_per_s]");
    const double compiled = value("[ladder rtx-a6000 compiled /rungs/4/modelled_flops_per_s]");
    CHECK(compiled > 1.2 * written); // merged loads take shared memory out of the way
    CHECK(value("[ladder rtx-a6000 written /rungs/4/error]") ==
          Approx(written / value("[ladder rtx-a6000 written /rungs/4/measured_flops_per_s]") - 1));
    CHECK_THAT(problem("[ladder rtx-a6000 /rungs/1/error]"), Catch::Contains("[ladder GPU FORM /POINTER]"));
    CHECK_THAT(problem("[ladder rtx-a6000 fast /rungs/1/error]"), Catch::Contains("written or compiled"));
    CHECK_THAT(problem("[ladder rtx-a6000 written rungs]"), Catch::Contains("no pointer"));
    CHECK_THAT(problem("[ladder rtx-a6000 written /rungs @big]"), Catch::Contains("@"));
    CHECK_FALSE(bench().evaluate("[ladder t4 written /rungs/0/error]", smallLesson(), smallLesson().steps[0]));
}

TEST_CASE("a timing probe gives numbers of the SM's timing") {
    const double cycles = value("[timing /cycles_sm]");
    CHECK(cycles > 600); // at least one trip to device memory
    CHECK(value("[timing /stalls/long_scoreboard/share]") > 0.3);
    CHECK(value("[timing /instructions] / [timing /cycles_sm]") == Approx(value("[timing /ipc]")));
    CHECK(value("[timing /overlap]") <= 1);
    CHECK(problem("[timing cycles_sm]").find("/cycles_sm") != std::string::npos);
    CHECK(problem("[timing /a /b]").find("[timing /POINTER]") != std::string::npos);
}
